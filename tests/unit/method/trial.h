/* A trial: problems whose optimum is known, a topology, and a swarm of engines in lockstep. */
#ifndef TRIAL_H
#define TRIAL_H

#include "lockstep.h"
#include "runner.h"

enum { TRIAL_NODES = 64, TRIAL_DIM = 64 };

typedef struct {
    p2p_topology *topology;
    p2p_topology_figures figures;
    size_t n, d;
    p2p_data *shards[TRIAL_NODES];
    p2p_problem *problems[TRIAL_NODES];
    double diagonal[TRIAL_NODES][TRIAL_DIM], linear[TRIAL_NODES][TRIAL_DIM]; /* f_i = x'Dx/2 - l'x */
    double smoothness, convexity, optimum[TRIAL_DIM];
    double mean_norm; /* of a game: the norm of the mean operator's derivative */
    uint64_t seed; /* of the swarm; 7 unless a test changes it */
    p2p_batch batch;
    const char *aggregator;
    lockstep swarm;
} trial;

/**
 * Quadratics or games of the seed on a topology; problem is a spec such as "quadratic:dim=20". The optimum of a game is
 * there unless it has a set.
 */
void trial_open(trial *t, const char *topology, size_t nodes, const char *problem, p2p_dtype type, uint64_t seed);
/** Logistic regression on a sample data set, dealt in blocks; the optimum comes from nids. */
void trial_open_logistic(trial *t, const char *topology, size_t nodes, const char *problem, const char *data);
void trial_close(trial *t);

/** Minimiser of the mean over the nodes of which is_in is not 0 (NULL: all), to optimum. */
void trial_optimum(trial *t, const int *is_in);

/**
 * A new swarm in the place of the last. In the method's text a number followed by "/L" is divided by the smoothness
 * constant, one by "/M" by mean_norm: "cold:step=0.2/L".
 */
p2p_status trial_start(trial *t, const char *method, const char *compressor);

/** Rounds until the relative error is below the bound, at most limit; fails the test if the limit is not enough. */
uint32_t trial_reach(trial *t, double bound, uint32_t limit);

/** Row i of a named part of the state of node k. */
const double *trial_state(const trial *t, size_t k, const char *name, size_t row);

/** f(x) - f* at the mean of all nodes' iterates. */
double trial_gap(const trial *t);

#endif
