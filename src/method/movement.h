/*
 * How far a run has come, told from one node's own movement m_k = ||x_{k+1} - x_k||.
 *
 * Residual. For a step s on a smooth function, ||grad f|| is about m / s, and at a linear rate rho the distance left is
 * at most m + rho m + rho^2 m + ... = m / (1 - rho); convexity gives f(x) - f* <= ||grad f|| ||x - x*||, so
 *
 *     residual = (m / s) (m / (1 - rho)),
 *
 * the square of m / (1 - rho) for consensus, which has no step, and for a game m / (1 - rho) itself. Random dithers and greedy choices make single m_k dip:
 * m is the largest of the last eight, here and below. rho is the slope of log m over the latter half of the run so far; a slow rate is
 * only seen over many rounds, and a window of fixed length would find noise in its place. For that the history is kept
 * as 16 to 32 blocks of equal length, which doubles as the run goes on. A movement that does not shrink counts as
 * rho = 1 - 1e-6.
 *
 * Divergence. A movement 1e6 times the smallest seen is a divergence, unless it is still below 1e3 times the swarm's
 * scale at the start (largest of ||x_0||, s ||g_0|| over the nodes): far from the action a node's first movements are
 * as small as one likes, and so are the last ones of a run that has converged.
 *
 * Long vectors are looked at every fourth round, every sixteenth where there is no residual: two passes over them cost
 * as much as gossip itself.
 */
#ifndef P2PI_MOVEMENT_H
#define P2PI_MOVEMENT_H

#include <p2popt/vector.h>
#include <stdint.h>

enum { P2PI_MOVEMENT_RECENT = 8, P2PI_MOVEMENT_BLOCKS = 32 };

typedef struct {
    p2p_vec before; /* x_k of the round that is being looked at */
    unsigned every; /* rounds between looks */
    int looking;
    uint64_t count; /* movements seen */
    double recent[P2PI_MOVEMENT_RECENT];
    double block[P2PI_MOVEMENT_BLOCKS]; /* sums of log m over span looks each; the last may be filling */
    uint64_t span;
    double smallest; /* positive movement */
    double scale;    /* of the swarm at the start, agreed by its nodes; 0: unknown */
} p2pi_movement;

/** before: dim entries of room, owned by the caller. exact: the residual will be asked for. */
void p2pi_movement_start(p2pi_movement *self, p2p_vec before, double scale, int exact);
/** Forget how the movement shrank: the residual is NaN for another 32 looks. */
void p2pi_movement_restart(p2pi_movement *self);
/** At the beginning of a round. */
void p2pi_movement_begin(p2pi_movement *self, uint32_t round, p2p_view x);
/** At its end: P2P_EDIVERGED if the movement says so. */
p2p_status p2pi_movement_end(p2pi_movement *self, p2p_view x);
/** m / (1 - rho), the distance left; NaN before 32 looks. */
double p2pi_movement_distance(const p2pi_movement *self);
/** NaN before 32 looks. step 0: consensus. */
double p2pi_movement_residual(const p2pi_movement *self, double step);

#endif
