/* The solution of a game, to machine precision: what runs are measured against. */
#ifndef EQUILIBRIUM_H
#define EQUILIBRIUM_H

#include <p2popt.h>

/**
 * Solve the variational inequality of F = (1/count) sum of the parts: without a set by Newton's method (to 4096
 * entries), with one by extragradient steps.
 *
 * @param parts    games of doubles, all of one dimension.
 * @param x        in: where to start; out: the solution.
 * @param residual set to |x - P(x - F(x))|, 0 at a solution.
 * @return P2P_OK; P2P_ENOTSUP (no derivative, or no Lipschitz constant, where it is needed); P2P_EDIVERGED (the
 *         residual does not come down to 1e-8 of what it was, or to 1e-8); P2P_ENOMEM.
 */
p2p_status equilibrium_solve(p2p_problem **parts, size_t count, double *x, double *residual);

#endif
