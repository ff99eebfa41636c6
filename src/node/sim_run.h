/* A whole swarm on the simulated network: every machine of it, one thread, one virtual clock. */
#ifndef P2PI_SIM_RUN_H
#define P2PI_SIM_RUN_H

#include "node/machine.h"
#include "transport/sim_network.h"

typedef struct p2pi_sim_run p2pi_sim_run;

/** How each node gets its problem: see p2p_swarm_run. */
typedef p2p_status p2pi_problem_of(void *user, size_t rank, p2p_problem **out);

/** stop: not 0 asks every node to stop; NULL: never. */
p2p_status p2pi_sim_run_new(p2pi_sim_run **out, const p2p_node_config *config, const p2p_sim_links *links,
                            p2pi_problem_of *problem_of, const volatile int *stop);
void p2pi_sim_run_destroy(p2pi_sim_run **self);

/** Let one event happen. 0: every node that is present has ended, or nothing is left to happen. */
int p2pi_sim_run_step(p2pi_sim_run *self);
/** The first failure, if any; the sentence is set. */
p2p_status p2pi_sim_run_status(const p2pi_sim_run *self);

/** A node, or NULL while it is away. */
p2pi_machine *p2pi_sim_run_machine(p2pi_sim_run *self, size_t rank);
p2pi_sim *p2pi_sim_run_network(const p2pi_sim_run *self);

/** End a node as SIGKILL would. */
void p2pi_sim_run_kill(p2pi_sim_run *self, size_t rank);
/** Start it again, from nothing. */
p2p_status p2pi_sim_run_revive(p2pi_sim_run *self, size_t rank);

#endif
