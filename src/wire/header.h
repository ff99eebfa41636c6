/*
 * The 64 bytes in front of every message, little-endian:
 *
 *      0  magic "P2PO"        8  fingerprint of the swarm     32  sequence
 *      4  protocol version   16  sender                       40  dimension
 *      5  kind               20  session of the sender        48  payload bytes
 *      6  element type       24  round                        52  calm counter
 *      7  flags              28  stage  29  doublings         56  stop round
 *                            30  slot                       60  CRC-32 of the 60 bytes before
 *
 * A broadcast has one header: nothing in it depends on the receiver. The check is against accidents on the way: a
 * payload that is damaged is left to the transport (CURVE authenticates every byte, TCP has its checksum) and to the
 * decoder, but a damaged header could end a swarm.
 */
#ifndef P2PI_HEADER_H
#define P2PI_HEADER_H

#include <p2popt/status.h>
#include <p2popt/vector.h>
#include <stdint.h>

enum { P2PI_HEADER_BYTES = 64, P2PI_PROTOCOL = 1 };

typedef enum {
    P2PI_HELLO = 1, /* who I am and what I hold of the swarm: fields (hello.h) */
    P2PI_WELCOME,   /* your hello was accepted; what the swarm has agreed on so far */
    P2PI_REFUSE,    /* your hello was not accepted: why */
    P2PI_AGREE,     /* up the tree: maximum over my part of it */
    P2PI_AGREED,    /* down the tree: maximum over the swarm */
    P2PI_DATA,      /* one vector of a stage */
    P2PI_LATE,      /* the edge is down on my side: why; round = mine */
    P2PI_OFFER,     /* let the edge be up again from round = this one */
    P2PI_STATE,     /* my shared estimates at the start of that round; sequence = my next data */
    P2PI_EDGE,      /* flooded: an edge of the swarm went down or up */
    P2PI_ALIVE,     /* still here, waiting; sequence = my next data */
    P2PI_BYE,       /* my last message: why */
    P2PI_ASK,       /* asynchronous: meet me; my vector; slot = meetings I was waiting for already */
    P2PI_ANSWER,    /* to the ask of that round: how far I have moved; empty: I have not */
    P2PI_KIND_END
} p2pi_kind;

enum {
    P2PI_FLAG_ASKED = 1,   /* the stop round was asked for, not earned by calm */
    P2PI_FLAG_SQUEEZED = 2 /* DATA: the payload is packed by zstd */
};

/** No stop round. */
#define P2PI_NEVER UINT32_MAX

typedef struct {
    p2pi_kind kind;
    p2p_dtype type;
    unsigned flags;
    uint64_t fingerprint;
    uint32_t sender, session, round;
    uint8_t stage, doublings; /* of DATA: how often the sender has doubled the range it encodes in */
    uint16_t slot;
    uint64_t sequence, dim;
    size_t payload; /* bytes behind the header */
    uint32_t calm, stop;
} p2pi_header;

/** payload must be below 4 GiB. */
void p2pi_header_write(const p2pi_header *header, uint8_t bytes[P2PI_HEADER_BYTES]);

/** Read and check; len is of the whole message. P2P_EPROTO: the sentence names the field. */
p2p_status p2pi_header_read(p2pi_header *out, const uint8_t *bytes, size_t len);

/** "hello", "welcome", ... */
const char *p2pi_kind_name(p2pi_kind kind);

#endif
