/* The Walsh-Hadamard transform, and the random signs that go with it. */
#ifndef P2PI_HADAMARD_H
#define P2PI_HADAMARD_H

#include <p2popt/random.h>
#include <stddef.h>

/** The least power of two that is not below d >= 1. */
size_t p2pi_power_of_two(size_t d);

/**
 * x = H x, not normalised, in natural order: stages h = 1, 2, 4, .. of (a, b) -> (a + b, a - b) on entries h apart.
 * The same additions in the same order whatever the cache does.
 *
 * @param n a power of two.
 */
void p2pi_hadamard(size_t n, double *x);

/** x_i times factor, times -1 where bit i of the stream's next words, each from its least bit on, is set. */
void p2pi_random_signs(p2p_random *r, double factor, size_t n, double *x);

#endif
