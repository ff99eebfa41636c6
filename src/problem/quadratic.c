/* f_i(x) = 1/2 (x - c_i)' D_i (x - c_i), D_i diagonal: the theory's test case. x* = sum D_i c_i / sum D_i. */
#include "problem/problems.h"

#include "base/fail.h"
#include "base/sum.h"

#include <p2popt/random.h>

#include <string.h>

typedef struct {
    double mu, smoothness;
    int64_t dim;
    double *diagonal, *centre; /* of this node */
} quadratic;

/* D_i uniform in [mu, L), c_i uniform in [-1, 1): rounds 0 and 1 of the node's data stream. */
static p2p_status
quadratic_open(p2p_problem *self)
{
    quadratic *s = self->state;
    const size_t d = (size_t)s->dim;
    p2p_random r;
    p2p_status st;

    if (s->mu > s->smoothness)
        return p2p_fail(P2P_EINVAL, "mu=%g, L=%g: expected mu of at most L", s->mu, s->smoothness);
    if ((st = p2pi_problem_layer(self, "x", d, 1, P2P_LAYER_DECAY)) != P2P_OK)
        return st;
    if ((s->diagonal = p2pi_arena_array(self->arena, d, sizeof *s->diagonal)) == NULL ||
        (s->centre = p2pi_arena_array(self->arena, d, sizeof *s->centre)) == NULL)
        return P2P_ENOMEM;
    r = p2p_random_open(self->seed, (uint32_t)self->node, 0, P2P_STREAM_DATA);
    p2p_random_uniform(&r, d, s->diagonal);
    r = p2p_random_open(self->seed, (uint32_t)self->node, 1, P2P_STREAM_DATA);
    p2p_random_uniform(&r, d, s->centre);
    for (size_t i = 0; i < d; i++) {
        s->diagonal[i] = s->mu + (s->smoothness - s->mu) * s->diagonal[i];
        s->centre[i] = 2 * s->centre[i] - 1;
    }
    return P2P_OK;
}

static double
quadratic_value(p2p_problem *self, const double *x, const size_t *idx, size_t count)
{
    const quadratic *s = self->state;
    double sum;

    (void)idx, (void)count;
    P2PI_SUM(sum, self->dim, i, s->diagonal[i] * (x[i] - s->centre[i]) * (x[i] - s->centre[i]));
    return 0.5 * sum;
}

static void
quadratic_grad(p2p_problem *self, const double *x, const size_t *idx, size_t count, double *g)
{
    const quadratic *s = self->state;

    (void)idx, (void)count;
    for (size_t i = 0; i < self->dim; i++)
        g[i] = s->diagonal[i] * (x[i] - s->centre[i]);
}

static void
quadratic_hvp(p2p_problem *self, const double *x, const double *v, double *h)
{
    const quadratic *s = self->state;

    (void)x;
    for (size_t i = 0; i < self->dim; i++)
        h[i] = s->diagonal[i] * v[i];
}

static p2p_status
quadratic_hessian(p2p_problem *self, const double *x, double *h)
{
    const quadratic *s = self->state;

    (void)x;
    for (size_t i = 0; i < self->dim; i++)
        h[i * self->dim + i] = s->diagonal[i];
    return P2P_OK;
}

static p2p_status
quadratic_constants(p2p_problem *self, double *smoothness, double *convexity)
{
    const quadratic *s = self->state;

    *smoothness = *convexity = s->diagonal[0];
    for (size_t i = 1; i < self->dim; i++) {
        *smoothness = s->diagonal[i] > *smoothness ? s->diagonal[i] : *smoothness;
        *convexity = s->diagonal[i] < *convexity ? s->diagonal[i] : *convexity;
    }
    return P2P_OK;
}

static const p2p_option quadratic_options[] = {
    { "mu", P2P_OPT_REAL, "1", "(0", NULL, "least entry of D", offsetof(quadratic, mu) },
    { "L", P2P_OPT_REAL, "10", "(0", NULL, "bound of the entries of D", offsetof(quadratic, smoothness) },
    { "dim", P2P_OPT_INT, "20", "1", "1e9", "dimension", offsetof(quadratic, dim) },
    { NULL, P2P_OPT_TEXT, NULL, NULL, NULL, NULL, 0 },
};
const p2pi_problem_vt p2pi_problem_quadratic = {
    .size = sizeof(p2pi_problem_vt),
    .entry = { "quadratic", "1/2 (x - c)'D(x - c), D and c drawn for each node",
               "Nesterov, Introductory lectures on convex optimization, 2004", quadratic_options,
               offsetof(quadratic, diagonal) },
    .state_size = sizeof(quadratic),
    .open = quadratic_open,
    .value = quadratic_value,
    .grad = quadratic_grad,
    .hvp = quadratic_hvp,
    .hessian = quadratic_hessian,
    .constants = quadratic_constants,
};
