/*
 * How far a run has come, told from one node's own movement m_k = ||x_{k+1} - x_k||.
 *
 * Residual. For a step s on a smooth function, ||grad f|| is about m / s, and for a linear rate rho the distance left
 * is at most m + rho m + rho^2 m + ... = m / (1 - rho); convexity gives f(x) - f* <= ||grad f|| ||x - x*|| and half
 * of that for a quadratic, so
 *
 *     residual = 1/2 (m / s) (m / (1 - rho)),
 *
 * the square of m / (1 - rho) for consensus, which has no step. Random dithers and greedy choices make single m_k
 * dip, so rho is told from the largest of each half of a window and m is the largest of its last quarter: the
 * residual never falls by chance. A movement that does not shrink counts as rho = 1 - 1e-4.
 *
 * Divergence. A movement 1e6 times the smallest seen is a divergence, unless it is still below 1e3 times the swarm's
 * scale at the start (largest of ||x_0||, s ||g_0|| over the nodes): far from the action a node's first movements are
 * as small as one likes, and so are the last ones of a run that has converged.
 *
 * Long vectors are looked at every fourth round, every sixteenth where there is no residual: two passes over them
 * cost as much as gossip itself.
 */
#ifndef P2PI_PROGRESS_H
#define P2PI_PROGRESS_H

#include <p2popt/vector.h>
#include <stdint.h>

enum { P2PI_PROGRESS_WINDOW = 32 };

typedef struct {
    p2p_vec before; /* x_k of the round that is being looked at */
    unsigned every; /* rounds between looks */
    int looking;
    uint64_t count; /* movements seen */
    double movement[P2PI_PROGRESS_WINDOW];
    double smallest; /* positive movement */
    double scale;    /* of the swarm at the start, agreed by its nodes; 0: unknown */
} p2pi_progress;

/** before: dim entries of room, owned by the caller. exact: the residual will be asked for. */
void p2pi_progress_start(p2pi_progress *self, p2p_vec before, double scale, int exact);
/** At the beginning of a round. */
void p2pi_progress_begin(p2pi_progress *self, uint32_t round, p2p_view x);
/** At its end: P2P_EDIVERGED if the movement says so. */
p2p_status p2pi_progress_end(p2pi_progress *self, p2p_view x);
/** NaN until the window is full. step 0: consensus. */
double p2pi_progress_residual(const p2pi_progress *self, double step);

#endif
