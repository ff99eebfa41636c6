/* Affine operators of golden cases: F_i(z) = M_i z - r_i, a problem a node. */
#ifndef GOLDEN_AFFINE_H
#define GOLDEN_AFFINE_H

#include "golden.h"

#include <p2popt/problem.h>

typedef struct {
    double *numbers; /* M, row-major, then r */
} golden_affine;

/**
 * Node i's problem of a case's "problem" object. set: as in p2p_problem_vt. The operator is to outlive the problem;
 * golden_affine_clear frees it.
 */
p2p_status golden_affine_problem(p2p_problem **out, golden_affine *operator, const json_t *problem, size_t i, size_t dim,
                                 const char *set);
/** The same for given numbers, which are taken over. */
p2p_status golden_affine_open(p2p_problem **out, golden_affine *operator, double *numbers, size_t dim, const char *set);
void golden_affine_clear(golden_affine *operator);

#endif
