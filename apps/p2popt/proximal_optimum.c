/*
 * Accelerated proximal gradient steps of 1/L; momentum starts anew whenever it points uphill, which makes convergence
 * linear without knowing the strong convexity. They end where the residual stands at rounding.
 *
 * Sources: Beck, Teboulle, SIAM J. Imaging Sciences 2009; O'Donoghue, Candes, "Adaptive restart for accelerated
 * gradient schemes", Foundations of Computational Mathematics 2015, arXiv:1204.3982 (the gradient scheme).
 */
#include "proximal_optimum.h"

#include "optimum.h"

#include <math.h>
#include <stdlib.h>

enum { STEPS_MAX = 400000, LOOK = 50 };

typedef struct {
    p2p_problem **parts;
    size_t count, dim;
    double *x, *y; /* iterate, extrapolated */
    double *next, *g, *work;
    double step, momentum;
} search;

static p2p_vec
vec(const search *s, double *x)
{
    return (p2p_vec){ x, s->dim, P2P_F64 };
}

static p2p_view
view(const search *s, const double *x)
{
    return (p2p_view){ x, s->dim, P2P_F64 };
}

/* 1/L of the mean. */
static p2p_status
choose_step(search *s)
{
    double sum = 0;

    for (size_t i = 0; i < s->count; i++) {
        double L, mu;
        p2p_status st = p2p_problem_constants(s->parts[i], &L, &mu);

        if (st != P2P_OK)
            return st;
        if (!(L > 0))
            return p2p_fail(P2P_ENOTSUP, "problem \"%s\": its smoothness constant is unknown",
                            p2p_problem_spec(s->parts[i]));
        sum += L / (double)s->count;
    }
    s->step = 1 / sum;
    return P2P_OK;
}

/* next = prox(y - step grad f(y)); x and y follow. */
static p2p_status
advance(search *s)
{
    double grown = (1 + sqrt(1 + 4 * s->momentum * s->momentum)) / 2, uphill = 0;
    p2p_status st = optimum_evaluate(s->parts, s->count, s->y, NULL, s->g, s->work);

    if (st != P2P_OK)
        return st;
    p2p_vec_combine(vec(s, s->next), 1, view(s, s->y), -s->step, view(s, s->g));
    if ((st = p2p_problem_prox(s->parts[0], s->step, vec(s, s->next))) != P2P_OK)
        return st;
    for (size_t i = 0; i < s->dim; i++)
        uphill += (s->y[i] - s->next[i]) * (s->next[i] - s->x[i]);
    if (uphill > 0)
        s->momentum = grown = 1;
    p2p_vec_combine(vec(s, s->y), 1 + (s->momentum - 1) / grown, view(s, s->next), -(s->momentum - 1) / grown,
                    view(s, s->x));
    p2p_vec_copy(vec(s, s->x), view(s, s->next));
    s->momentum = grown;
    return P2P_OK;
}

static p2p_status
run(search *s)
{
    double start, residual, least = INFINITY;
    int rests = 0;
    p2p_status st;

    if ((st = choose_step(s)) != P2P_OK || (st = p2p_problem_prox(s->parts[0], 0, vec(s, s->x))) != P2P_OK ||
        (st = optimum_residual(s->parts, s->count, s->x, &start, s->g, s->work)) != P2P_OK)
        return st;
    residual = start;
    s->momentum = 1;
    p2p_vec_copy(vec(s, s->y), view(s, s->x));
    for (int k = 1; k <= STEPS_MAX && rests < 5 && residual > 0; k++) {
        if ((st = advance(s)) != P2P_OK)
            return st;
        if (k % LOOK != 0)
            continue;
        if ((st = optimum_residual(s->parts, s->count, s->x, &residual, s->g, s->work)) != P2P_OK)
            return st;
        rests = residual < 1e-12 * fmax(start, 1) && residual >= least ? rests + 1 : 0;
        least = fmin(least, residual);
    }
    if (!(residual <= 1e-8 * fmax(start, 1)))
        return p2p_fail(P2P_EDIVERGED, "problem \"%s\": no minimum found: |x - prox(x - gradient)| is still %.3g",
                        p2p_problem_spec(s->parts[0]), residual);
    return P2P_OK;
}

p2p_status
proximal_solve(p2p_problem **parts, size_t count, double *x, double *value)
{
    const size_t dim = p2p_problem_dim(parts[0]);
    search s = { .parts = parts, .count = count, .dim = dim, .x = x };
    double *memory = malloc(4 * dim * sizeof *memory);
    p2p_status st;

    if (memory == NULL)
        return p2p_fail(P2P_ENOMEM, "optimum: no memory for vectors of %zu entries", dim);
    s.y = memory;
    s.next = s.y + dim;
    s.g = s.next + dim;
    s.work = s.g + dim;
    if ((st = run(&s)) == P2P_OK)
        st = optimum_value(parts, count, x, value);
    free(memory);
    return st;
}
