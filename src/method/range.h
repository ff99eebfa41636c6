/*
 * The scale s_k = scale decay^k that the nodes of a ranged method share without sending it.
 *
 * Estimates reach as far as scale / (2 (1 - decay)). Steps below the rounding of such entries would move nothing, so
 * there the scale doubles and shrinks again.
 *
 * When the swarm loses or regains an edge the optimum moves, and the range may be too small to follow. From then on a
 * node whose estimate lags behind doubles its own range, again and again until it follows, and says so with each
 * message; its doublings go as s_k shrinks on.
 */
#ifndef P2PI_RANGE_H
#define P2PI_RANGE_H

#include <p2popt/method.h>

typedef struct {
    size_t slot;
    double s, round;  /* s_k and k: state "s", "s_round" */
    double seen;      /* overloads up to the last look: state "overloads" */
    double doublings; /* of this node's own range: state "doublings" */
} p2pi_range;

/** Registers the state; slot: where the method sends in the range. */
p2p_status p2pi_range_start(p2pi_range *self, p2p_method_context *m, size_t slot);

/**
 * s_k of this round, the same bits at a node that joined late; scale as agreed by the swarm (0, when every node
 * starts at an optimum, counts as 1).
 */
double p2pi_range_scale(p2pi_range *self, p2p_method_context *m, double scale, double decay);

/**
 * After each round. In a swarm that has changed the node doubles its range while an entry lies outside. In one that
 * has not, and when a quarter of all entries of 64 rounds lay outside, decay is too fast for the problem: the user is
 * told.
 */
void p2pi_range_watch(p2pi_range *self, p2p_method_context *m, double decay);

#endif
