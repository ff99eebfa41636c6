/* Small dense symmetric matrices, row-major: the same bits on every machine. */
#ifndef P2PI_SYMMETRIC_H
#define P2PI_SYMMETRIC_H

#include <stddef.h>

/**
 * b = A^-1 b for a symmetric positive definite A, which is overwritten by its Cholesky factor. O(n^3 / 6).
 *
 * @return 0: A is not positive definite, and b as it was.
 */
int p2pi_solve_positive(size_t n, double *a, double *b);

/**
 * b = [A]^-1 b, [A] the nearest symmetric matrix to A whose eigenvalues are at least `least` > 0: smaller ones are
 * raised to it. Cyclic Jacobi rotations, O(n^3) a sweep.
 *
 * @param a overwritten.
 * @param v n * n entries of scratch.
 * @param y n entries of scratch.
 */
void p2pi_solve_clipped(size_t n, double *a, double least, double *b, double *v, double *y);

#endif
