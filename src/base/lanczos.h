/* The ends of the spectrum of a symmetric operator that is known by its products. */
#ifndef P2PI_LANCZOS_H
#define P2PI_LANCZOS_H

#include <p2popt/status.h>
#include <stddef.h>

/** y = A x, n entries each; A symmetric. */
typedef void p2pi_apply(void *user, const double *x, double *y);

/** An approximate eigenvalue: A has one within residual of value. */
typedef struct {
    double value, residual;
} p2pi_ritz;

/**
 * Lanczos without reorthogonalisation, three vectors of memory, from a fixed start: the same bits on every machine.
 *
 * @param most      products at most.
 * @param relative  stop when each residual wanted is at most this share of its value, or of the size of rounding.
 * @param low, high set to the smallest and largest Ritz value; NULL: not wanted. A residual above what was asked for
 *        tells that `most` was reached.
 * @return P2P_OK; P2P_ENOMEM.
 *
 * Source: Paige, "Computational variants of the Lanczos method", 1972; residual bound: Parlett, "The symmetric
 * eigenvalue problem", theorem 13.2.
 */
p2p_status p2pi_lanczos(size_t n, p2pi_apply *apply, void *user, size_t most, double relative, p2pi_ritz *low,
                        p2pi_ritz *high);

/** What rounding may move a Ritz value of an operator whose largest eigenvalue is `scale`. */
double p2pi_lanczos_rounding(double scale);

/**
 * The largest eigenvalue from above.
 *
 * @param most  products at most; 0: a default that is enough for any spectrum met so far.
 * @param value set to the largest Ritz value plus 16 times its residual: not below the eigenvalue, and relative 1e-9
 *        above it at most, unless `most` was reached.
 * @return P2P_OK; P2P_ENOMEM.
 */
p2p_status p2pi_lanczos_largest(size_t n, p2pi_apply *apply, void *user, size_t most, double *value);

#endif
