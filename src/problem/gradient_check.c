/* Finite differences against a problem's own gradient. */
#include "problem/problems.h"

#include "base/fail.h"

#include <p2popt/random.h>

#include <math.h>
#include <stdlib.h>

enum { COORDINATES = 20 };

/* (f(x + h e_i) - f(x - h e_i)) / 2h, with the h that the element type can represent around x_i. */
static p2p_status
difference(p2p_problem *self, p2p_vec x, size_t i, double h, double *slope)
{
    const double at = p2p_vec_get(p2p_view_of(x), i);
    double ahead, behind, f_ahead, f_behind = 0;
    p2p_status st;

    p2p_vec_set(x, i, at + h);
    ahead = p2p_vec_get(p2p_view_of(x), i);
    st = p2p_problem_value(self, p2p_view_of(x), NULL, 0, &f_ahead);
    p2p_vec_set(x, i, at - h);
    behind = p2p_vec_get(p2p_view_of(x), i);
    if (st == P2P_OK)
        st = p2p_problem_value(self, p2p_view_of(x), NULL, 0, &f_behind);
    p2p_vec_set(x, i, at);
    if (st == P2P_OK && ahead == behind)
        st = p2p_fail(P2P_EINVAL, "step %g: does not change x[%zu] = %g", h, i, at);
    if (st == P2P_OK)
        *slope = (f_ahead - f_behind) / (ahead - behind);
    return st;
}

/* -1 for the entries that a game maximises over. */
static double
sign_of(const p2p_problem *self, size_t i)
{
    size_t l = self->layer_count - 1;

    while (self->layers[l].offset > i)
        l--;
    return self->layers[l].flags & P2P_LAYER_MAX ? -1 : 1;
}

static p2p_status
check_at(p2p_problem *self, p2p_vec x, p2p_vec g, double h, double *worst)
{
    p2p_random r = p2p_random_open(0, 0, 0, P2P_STREAM_INIT);
    double scale;
    p2p_status st;

    if ((st = p2p_problem_grad(self, p2p_view_of(x), NULL, 0, g)) != P2P_OK)
        return st;
    scale = fmax(1, p2p_vec_norminf(p2p_view_of(g)));
    *worst = 0;
    for (int k = 0; k < COORDINATES; k++) {
        double u, slope;
        size_t i;

        p2p_random_uniform(&r, 1, &u);
        i = (size_t)(u * (double)self->dim);
        if ((st = difference(self, x, i, h, &slope)) != P2P_OK)
            return st;
        *worst = fmax(*worst, fabs(sign_of(self, i) * slope - p2p_vec_get(p2p_view_of(g), i)) / scale);
    }
    return P2P_OK;
}

p2p_status
p2p_problem_check(p2p_problem *self, p2p_view x, double h, double *worst)
{
    const size_t bytes = self->dim * p2p_dtype_size(self->type);
    void *memory;
    p2p_vec copy, g;
    p2p_status st;

    if (!(h > 0) || !isfinite(h))
        return p2p_fail(P2P_EINVAL, "step %g: expected a positive number", h);
    if (x.dim != self->dim || x.type != self->type)
        return p2p_fail(P2P_EINVAL, "problem \"%s\": x has %zu entries of %s: expected %zu of %s", self->spec, x.dim,
                        p2p_dtype_name(x.type), self->dim, p2p_dtype_name(self->type));
    if ((memory = malloc(2 * bytes)) == NULL)
        return p2pi_fail_memory("gradient check", 2 * bytes);
    copy = (p2p_vec){ memory, self->dim, self->type };
    g = (p2p_vec){ (char *)memory + bytes, self->dim, self->type };
    p2p_vec_copy(copy, x);
    st = check_at(self, copy, g, h, worst);
    free(memory);
    return st;
}
