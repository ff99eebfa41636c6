/* Small swarms for the tests of src/node: quadratics with a known optimum, and what happened in a run. */
#ifndef SWARMS_H
#define SWARMS_H

#include "node/sim_run.h"
#include "runner.h"

enum { SWARM_MOST = 16, SWARM_DIM = 6, LOG_SIZE = 1 << 16 };

/** What the reports and the log of a run said. */
typedef struct {
    size_t ended; /* nodes that came to an end */
    p2p_end end[SWARM_MOST];
    uint32_t round[SWARM_MOST];
    size_t absent[SWARM_MOST];
    double x[SWARM_MOST][SWARM_DIM];
    uint64_t bits[SWARM_MOST];
    double seconds[SWARM_MOST];
    size_t reports;
    char log[LOG_SIZE];
} outcome;

/** n nodes without endpoints; keys: "method=cold", ... ends with NULL. */
p2p_swarm *swarm_of(size_t n, const char *const *keys);

/** Run a simulated swarm from start to end. */
p2p_status simulate(p2p_swarm *swarm, const p2p_sim_links *links, outcome *out);

/** A config whose callbacks fill an outcome. */
p2p_node_config config_of(p2p_swarm *swarm, outcome *out);

/** A quadratic of node rank: f_i(x) = a_i/2 |x - c_i|^2. For p2p_swarm_run. */
p2p_status quadratic_of(void *user, size_t rank, p2p_problem **out);

/** Seconds that every gradient of such a problem takes in this process; 0 at first. */
extern double quadratic_pause;

/** The optimum of the sum over the nodes that are marked. */
void optimum_of(size_t n, const int *present, double x[SWARM_DIM]);

/** Largest distance of an entry of node rank's result from the optimum over the marked nodes. */
double distance_of(const outcome *o, size_t rank, size_t n, const int *present);

/** Fail with the end of a run's log unless the condition holds. */
#define ck_said(o, condition, format, ...)                                                                           \
    ck_assert_msg((condition), format "; the log ends:\n%s", __VA_ARGS__, end_of_log(o))
const char *end_of_log(const outcome *o);

/** The log has this text. */
#define ck_log(o, part) ck_said((o), strstr((o)->log, (part)) != NULL, "\"%s\" is not in the log", (part))

#endif
