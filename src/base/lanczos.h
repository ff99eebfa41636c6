/* The largest eigenvalue of a symmetric operator that is known by its products. */
#ifndef P2PI_LANCZOS_H
#define P2PI_LANCZOS_H

#include <p2popt/status.h>
#include <stddef.h>

/** y = A x, n entries each; A symmetric. */
typedef void p2pi_apply(void *user, const double *x, double *y);

/**
 * Lanczos without reorthogonalisation, three vectors of memory, from a fixed start: the same bits on every machine.
 *
 * @param most products at most; 0: a default that is enough for any spectrum met so far.
 * @param value set to the largest Ritz value plus its residual, so that it does not lie below the eigenvalue it stands
 *        for; relative 1e-10 above it at most, unless `most` was reached.
 * @return P2P_OK; P2P_ENOMEM.
 *
 * Source: Paige, "Computational variants of the Lanczos method", 1972; residual bound: Parlett, "The symmetric
 * eigenvalue problem", theorem 13.2.
 */
p2p_status p2pi_lanczos_largest(size_t n, p2pi_apply *apply, void *user, size_t most, double *value);

#endif
