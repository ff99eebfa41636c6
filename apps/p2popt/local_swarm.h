/* A swarm of processes on this machine: this program once a node, each with its own socket, key and report pipe. */
#ifndef LOCAL_SWARM_H
#define LOCAL_SWARM_H

#include "saving_arguments.h"

#include <p2popt.h>
#include <signal.h>

typedef struct local_swarm local_swarm;

/** What the starter wants to hear. Calls come from local_swarm_run. */
typedef struct {
    void *user;
    void (*report)(void *user, const p2p_report *report);
    void (*log)(void *user, int level, size_t rank, const char *line);
    /** A node that ended without its last report; why is one line. */
    void (*lost)(void *user, size_t rank, const char *why);
    /** The nodes have been asked to end after the round that all can reach. */
    void (*stopping)(void *user);
} local_swarm_handlers;

/**
 * Open a listening socket for each node ("tcp": 127.0.0.1, a free port; "ipc": a path in a private folder) and add
 * the nodes with their endpoints and, where the swarm is secured, new keys.
 *
 * @param swarm     borrowed; without nodes.
 * @param byzantine which nodes lie, as p2p_byzantine_nodes takes it, borrowed; NULL: none.
 */
p2p_status local_swarm_new(local_swarm **out, p2p_swarm *swarm, size_t nodes, const char *transport,
                           const char *byzantine);

/**
 * Start every node, listen to them, and return when all have ended.
 *
 * @param interrupts counted up by a signal handler: the first one asks the nodes to end orderly, the second kills
 * them.
 */
p2p_status local_swarm_run(local_swarm *self, const char *log_level, const saving_arguments *saving,
                           const local_swarm_handlers *handlers, volatile sig_atomic_t *interrupts);

/** End what still runs; remove the private folder. */
void local_swarm_destroy(local_swarm **self);

#endif
