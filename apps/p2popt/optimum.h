/* The minimiser of a mean of problems, to machine precision: what runs are measured against. */
#ifndef OPTIMUM_H
#define OPTIMUM_H

#include <p2popt.h>

/**
 * Minimise f = (1/count) sum of the parts by damped Newton steps: Cholesky to 4096 entries, conjugate gradients
 * beyond. With a common regulariser psi, or a set, f + psi by accelerated proximal steps.
 *
 * @param parts problems of doubles, all of one dimension, each with a value and Hessian products.
 * @param x     in: where to start; out: the minimiser (a stationary point if f is not convex), where the gradient
 *              no longer falls.
 * @param value set to f(x) + psi(x).
 * @return P2P_OK; P2P_ENOTSUP (a part without value, Hessian, or, for proximal steps, smoothness constant);
 * P2P_EDIVERGED (the gradient stays above 1e-8 of its start: no minimum, or a kink); P2P_ENOMEM.
 */
p2p_status optimum_solve(p2p_problem **parts, size_t count, double *x, double *value);

/** f(x) + psi(x): the mean value of the parts and their common regulariser. */
p2p_status optimum_value(p2p_problem **parts, size_t count, const double *x, double *value);

/**
 * |x - prox(x - g)|, 0 at a minimiser of f + psi, or at the solution of a game.
 *
 * @param g set to the mean gradient, or operator; dim entries, as has work.
 */
p2p_status optimum_residual(p2p_problem **parts, size_t count, const double *x, double *residual, double *g,
                            double *work);

/** Mean value and gradient of the parts at x; g or value may be NULL. work has dim entries, NULL without g. */
p2p_status optimum_evaluate(p2p_problem **parts, size_t count, const double *x, double *value, double *g,
                            double *work);

#endif
