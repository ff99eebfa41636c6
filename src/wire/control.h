/* Payloads of the messages that are not vectors. Reading trusts nothing: P2P_EPROTO for what writing cannot make. */
#ifndef P2PI_CONTROL_H
#define P2PI_CONTROL_H

#include <p2popt/status.h>
#include <stddef.h>
#include <stdint.h>

enum { P2PI_AGREE_PHASES = 2, P2PI_AGREE_MAX = 16, P2PI_REASON_MAX = 600, P2PI_CONTROL_MAX = 1024 };

/** Numbers that become their maximum over the swarm. Every one is finite. */
typedef struct {
    size_t count;
    double values[P2PI_AGREE_MAX];
} p2pi_numbers;

/** AGREE, AGREED: numbers of one phase. */
size_t p2pi_agree_write(uint8_t *out, unsigned phase, const p2pi_numbers *numbers);
p2p_status p2pi_agree_read(const uint8_t *bytes, size_t len, unsigned *phase, p2pi_numbers *out);

/** WELCOME: the session it answers, and the phases agreed on so far (0: still starting). */
typedef struct {
    uint32_t session;
    unsigned phases;
    p2pi_numbers agreed[P2PI_AGREE_PHASES];
} p2pi_welcome;

size_t p2pi_welcome_write(uint8_t *out, const p2pi_welcome *welcome);
p2p_status p2pi_welcome_read(const uint8_t *bytes, size_t len, p2pi_welcome *out);

/** REFUSE, LATE, OFFER, STATE begin with the session they are meant for; what follows differs. */
enum { P2PI_SESSION_BYTES = 4 };

/** A session, a code (of BYE: why, and a status) and a reason in words: REFUSE, LATE, OFFER, BYE. */
typedef struct {
    uint32_t session;
    int end, status;
    char reason[P2PI_REASON_MAX + 1]; /* printable; cut if longer */
} p2pi_notice;

size_t p2pi_notice_write(uint8_t *out, const p2pi_notice *notice);
p2p_status p2pi_notice_read(const uint8_t *bytes, size_t len, p2pi_notice *out);

/** EDGE: the larger version wins. */
typedef struct {
    uint32_t low, high; /* node numbers, low < high */
    uint32_t version;
    int up;
} p2pi_edge;

size_t p2pi_edge_write(uint8_t *out, const p2pi_edge *edge);
p2p_status p2pi_edge_read(const uint8_t *bytes, size_t len, size_t nodes, p2pi_edge *out);

#endif
