/*
 * The gate of a context's CURVE servers (ZAP, RFC 27): a thread that lets members in by their public key, names them
 * by their number, and reports everyone else.
 */
#ifndef P2PI_ZMQ_ZAP_H
#define P2PI_ZMQ_ZAP_H

#include "transport/zmq_link.h"

typedef struct p2pi_zap p2pi_zap;

/** Start it; before any server of the context binds. The members are copied. P2P_EIO, P2P_EINVAL, P2P_ENOMEM. */
p2p_status p2pi_zap_start(p2pi_zap **out, void *context, size_t count, const p2pi_zmq_member *members);

/** The next stranger that was turned away, as a line for the log. 0: none. */
int p2pi_zap_turned_away(p2pi_zap *self, char *line, size_t cap);

/** Ends the thread. Call zmq_ctx_shutdown first. */
void p2pi_zap_stop(p2pi_zap **self);

#endif
