/*
 * Graphs that change with the round, or whose edges have directions. The topology itself is then the graph of who may
 * talk to whom in any round, and the schedule says what of it a round uses. Every node finds that from the seed and
 * the round's number alone.
 */
#ifndef P2PI_SCHEDULE_H
#define P2PI_SCHEDULE_H

#include "topology/graph.h"

/** The weights with which a node takes its neighbours' vectors in a round: 0 where it does not. */
typedef void p2pi_round_weights(const p2p_topology *self, size_t node, uint32_t round, double *weights);

struct p2pi_schedule {
    unsigned traits;             /* P2P_TOPOLOGY_VARIES, ... */
    size_t period;               /* rounds after which it repeats; 0: never */
    uint64_t seed;               /* of what is drawn */
    double p;                    /* erdos-renyi: probability of an edge */
    double beta;                 /* at least the norm of I - W in any round */
    double *table;               /* period * 2 * edges weights in the order of the rows; NULL: computed */
    p2pi_round_weights *weights; /* NULL: from the table */
    /** Largest eigenvalue of the mean of W'W off the constant vector, where rounds are drawn; NULL: they are not. */
    p2p_status (*mean_square)(const p2p_topology *self, double *value);
};

/** A zeroed schedule for self, which owns it; room for a table if period > 0. P2P_ENOMEM. */
p2p_status p2pi_schedule_new(p2p_topology *self, unsigned traits, size_t period);
void p2pi_schedule_destroy(struct p2pi_schedule **self);

/** A word drawn for the edge between u and v in a round: the same whichever end asks. */
uint32_t p2pi_schedule_word(const p2p_topology *self, uint32_t round, size_t u, size_t v);

/** Take the list's edges as (from, to), with weights 1 / (1 + out-degree). P2P_EINVAL: not strongly connected. */
p2p_status p2pi_topology_direct(p2p_topology *self, const p2pi_edges *edges);

/**
 * Factor by which disagreement shrinks a round, in the long run: measured over the schedule's first rounds on a
 * vector whose entries sum to 0. 0 where some rounds average exactly. P2P_ENOMEM.
 */
p2p_status p2pi_schedule_contraction(const p2p_topology *self, double *factor);

#endif
