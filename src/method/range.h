/* The scale s_k = scale decay^k that the nodes of a ranged method share without sending it. */
#ifndef P2PI_RANGE_H
#define P2PI_RANGE_H

#include <p2popt/method.h>

typedef struct {
    double s, round; /* s_k and k: state "s", "s_round" */
    double seen;     /* overloads up to the last look: state "overloads" */
} p2pi_range;

/** Registers the state. */
p2p_status p2pi_range_start(p2pi_range *self, p2p_method_context *m);

/**
 * s_k of this round, the same bits at a node that joined late; scale as agreed by the swarm (0, when every node
 * starts at an optimum, counts as 1).
 */
double p2pi_range_scale(p2pi_range *self, const p2p_method_context *m, double scale, double decay);

/**
 * Every 64 rounds: when a quarter of all entries lay outside the range, the estimates cannot follow any more (they
 * reach no further than scale / (2 (1 - decay))), and the user is told.
 */
void p2pi_range_watch(p2pi_range *self, p2p_method_context *m, double decay);

#endif
