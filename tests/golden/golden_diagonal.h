/* Gradients of the golden cases' quadratics. */
#ifndef GOLDEN_DIAGONAL_H
#define GOLDEN_DIAGONAL_H

#include <p2popt/problem.h>

/** For p2p_problem_vt: g = D (x - centre) in doubles; user points at a pointer to dim entries of D, then the centre.
 */
p2p_status golden_diagonal_gradient(void *user, p2p_view x, const size_t *idx, size_t count, p2p_vec g);

#endif
