/* Machines on real time: the loop of a thread that runs one node over ZeroMQ. */
#ifndef P2PI_DRIVE_H
#define P2PI_DRIVE_H

#include "node/machine.h"

/** This thread computes as nodes do: denormals flushed, BLAS on one thread. What was before goes to leave. */
typedef struct {
    unsigned flush;
    int threads;
} p2pi_thread_state;

p2pi_thread_state p2pi_thread_enter(void);
void p2pi_thread_leave(p2pi_thread_state before);

/** The caller's config, which may be of an older library and so shorter, with zeros for the rest. P2P_EINVAL. */
p2p_status p2pi_config_take(p2p_node_config *out, const p2p_node_config *config);

/**
 * Open the machine's link.
 *
 * @param context a ZeroMQ context to share; NULL: its own.
 * @param listen  endpoint to bind; endpoints[i] is that of neighbour i.
 */
p2p_status p2pi_drive_open(p2pi_link **out, p2pi_machine *machine, const p2p_node_config *config, void *context,
                           const char *listen, const char *const *endpoints);

/** Run it to its end. stop is looked at about every 50 ms, and between rounds. */
void p2pi_drive(p2pi_machine *machine, p2pi_link *link, const volatile int *stop);

#endif
