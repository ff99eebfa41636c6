/*
 * How bytes travel. A link is one node's access to the network: it sends packets to the node's neighbours (by their
 * index in its neighbourhood) and hands over what arrives. The node knows nothing else of its network; the same node
 * runs on sockets and in simulation.
 *
 * A packet is built once and shared by all its receivers: its bytes are never changed after the first send.
 */
#ifndef P2PI_TRANSPORT_H
#define P2PI_TRANSPORT_H

#include <p2popt/option.h>
#include <stddef.h>
#include <stdint.h>

/** A message being built, or one that arrived. Owned by whoever holds it until it is released to its link. */
typedef struct {
    uint8_t *bytes;
    size_t len;
} p2pi_packet;

/** Sender of a packet on a network that authenticates nobody. */
#define P2PI_SENDER_UNKNOWN UINT32_MAX

/** What a link notices about the way to a neighbour. */
typedef enum {
    P2PI_LINK_UP,      /* what is sent now will be delivered, unless the way is lost */
    P2PI_LINK_DOWN,    /* the way was lost; what was under way may be, too */
    P2PI_LINK_REFUSED, /* the neighbour does not accept this node's key; it will not be tried again */
    P2PI_LINK_IMPOSTOR /* who answers at the neighbour's address does not hold the neighbour's key */
} p2pi_link_event;

/** Whom a link calls, always from within its own functions and on the same thread. */
typedef struct {
    void *user;
    /** sender: number of the node whose key came with the packet. The packet now belongs to the callee. */
    void (*arrived)(void *user, uint32_t sender, p2pi_packet *packet);
    void (*changed)(void *user, size_t neighbour, p2pi_link_event event);
    /** Something to log that concerns no neighbour: a stranger was turned away. */
    void (*noticed)(void *user, const char *line);
} p2pi_link_client;

typedef struct p2pi_link p2pi_link;

/** What a link can do. */
typedef struct {
    /** A packet of len bytes to be filled; NULL without memory. */
    p2pi_packet *(*packet)(p2pi_link *self, size_t len);
    void (*release)(p2pi_link *self, p2pi_packet *packet);
    /** Share a packet with a neighbour, without waiting; the caller keeps it. 0: there is no way, or it is full. */
    int (*send)(p2pi_link *self, size_t neighbour, p2pi_packet *packet);
    /** Within arrived: send back to where that packet came from, whoever that is. 0: cannot. */
    int (*answer)(p2pi_link *self, p2pi_packet *packet);
} p2pi_link_vt;

struct p2pi_link {
    const p2pi_link_vt *vt;
};

/** A way of transport: one row per member of transports.def. */
typedef struct {
    size_t size;
    p2p_entry entry;
    const char *scheme; /* of the endpoints it serves, "tcp://"; NULL: none */
} p2pi_transport;

/** Entry i of transports.def; NULL past the last. */
const p2p_entry *p2pi_transport_entry(size_t i);
const p2pi_transport *p2pi_transport_table(size_t i);

#endif
