/*
 * The real network: one bound ROUTER for all that arrives, one DEALER connected to each neighbour's ROUTER for all
 * that is sent. Neither drops in silence: a DEALER takes a message only while its neighbour is connected
 * (ZMQ_IMMEDIATE) and its queue has room, and says so.
 *
 * With CURVE, both ends know each other's keys: the DEALER the neighbour's, the ROUTER (through ZAP) those of the
 * members. The sender of a message is the node whose key opened its connection.
 */
#ifndef P2PI_ZMQ_LINK_H
#define P2PI_ZMQ_LINK_H

#include <p2popt/node.h>

#include "transport/transport.h"

/** Someone whose key is accepted. */
typedef struct {
    uint32_t rank;
    const char *public_key; /* Z85 */
} p2pi_zmq_member;

typedef struct {
    void *context;      /* shared with the other nodes of the process; NULL: its own */
    const char *listen; /* endpoint to bind */
    int listen_fd;      /* a listening socket to take over; 0: none */
    size_t degree;
    const uint32_t *ranks;        /* the neighbours' numbers */
    const char *const *endpoints; /* and endpoints */
    const p2p_identity *identity; /* NULL: no encryption and no authentication */
    const char *const *keys;      /* public keys of the neighbours; not used without identity */
    size_t member_count;
    const p2pi_zmq_member *members;
    size_t message_bound; /* longer messages end their connection */
    double linger;        /* seconds that what was sent may need to leave when the link is closed */
    p2pi_link_client client;
} p2pi_zmq_config;

/** Everything in config is copied. P2P_EIO (an address that cannot be bound), P2P_EINVAL, P2P_ENOMEM. */
p2p_status p2pi_zmq_open(p2pi_link **out, const p2pi_zmq_config *config);
/** Also waits, up to linger, for what was sent to leave. */
void p2pi_zmq_close(p2pi_link **self);

/**
 * Wait for a message and hand it to the client.
 *
 * @param milliseconds most to wait; 0: not at all.
 * @return whether there was one; 0 also when a signal came.
 */
int p2pi_zmq_receive(p2pi_link *self, int milliseconds);

/** Look at what is not messages of neighbours: connections that came and went, answers, strangers turned away. */
void p2pi_zmq_attend(p2pi_link *self);

#endif
