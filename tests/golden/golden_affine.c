#include "golden_affine.h"

#include <stdlib.h>

static p2p_status
operator_at(void *user, p2p_view z, const size_t *idx, size_t count, p2p_vec g)
{
    const golden_affine *self = user;
    const double *M = self->numbers, *r = M + z.dim * z.dim, *x = z.data;
    double *y = g.data;

    (void)idx;
    (void)count;
    for (size_t i = 0; i < z.dim; i++) {
        y[i] = -r[i];
        for (size_t j = 0; j < z.dim; j++)
            y[i] += M[i * z.dim + j] * x[j];
    }
    return P2P_OK;
}

p2p_status
golden_affine_open(p2p_problem **out, golden_affine *operator, double *numbers, size_t dim, const char *set)
{
    const p2p_layer layer = { "z", dim, 1, 0, 0 };
    const p2p_problem_vt table = { .size = sizeof table,
                                   .layers = &layer,
                                   .layer_count = 1,
                                   .flags = P2P_PROBLEM_GAME,
                                   .grad = operator_at,
                                   .set = set };

    operator->numbers = numbers;
    return p2p_problem_callback(out, &table, operator, P2P_F64);
}

p2p_status
golden_affine_problem(p2p_problem **out, golden_affine *operator, const json_t *problem, size_t i, size_t dim,
                      const char *set)
{
    double *numbers = malloc((dim + 1) * dim * sizeof *numbers);

    *out = NULL;
    if (numbers == NULL)
        return P2P_ENOMEM;
    operator->numbers = numbers;
    if (golden_numbers(json_array_get(json_object_get(problem, "M"), i), dim * dim, numbers) != dim * dim ||
        golden_numbers(json_array_get(json_object_get(problem, "r"), i), dim, numbers + dim * dim) != dim)
        return p2p_fail(P2P_EPARSE, "problem: M and r must have %zu x %zu and %zu entries a node", dim, dim, dim);
    return golden_affine_open(out, operator, numbers, dim, set);
}

void
golden_affine_clear(golden_affine *operator)
{
    free(operator->numbers);
    operator->numbers = NULL;
}
