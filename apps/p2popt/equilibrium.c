#include "equilibrium.h"

#include "optimum.h"

#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NEWTON_MOST = 4096, NEWTON_STEPS = 100, STEPS_MAX = 400000, LOOK = 100 };

typedef struct {
    p2p_problem **parts;
    size_t count, dim;
    double *x, *f;           /* iterate, F there */
    double *next, *work;     /* a candidate, or half point; scratch */
    double *jacobian, *part; /* Newton's method */
    lapack_int *pivots;
    double residual;
} search;

static p2p_vec
vec(size_t dim, double *x)
{
    return (p2p_vec){ x, dim, P2P_F64 };
}

static p2p_view
view(size_t dim, const double *x)
{
    return (p2p_view){ x, dim, P2P_F64 };
}

/* ---- without a set */

/* next = x - J^-1 F(x), J the derivative of F at x. */
static p2p_status
newton_step(const search *s)
{
    const size_t all = s->dim * s->dim;
    const lapack_int d = (lapack_int)s->dim;
    p2p_status st;

    p2p_vec_zero(vec(all, s->jacobian));
    for (size_t i = 0; i < s->count; i++) {
        if ((st = p2p_problem_hessian(s->parts[i], view(s->dim, s->x), s->part)) != P2P_OK)
            return st;
        p2p_vec_axpy(vec(all, s->jacobian), 1 / (double)s->count, view(all, s->part));
    }
    p2p_vec_copy(vec(s->dim, s->next), view(s->dim, s->f));
    if (LAPACKE_dgesv(LAPACK_ROW_MAJOR, d, 1, s->jacobian, d, s->pivots, s->next, 1) != 0)
        return p2p_fail(P2P_EDIVERGED, "problem \"%s\": the derivative of its operator is singular",
                        p2p_problem_spec(s->parts[0]));
    p2p_vec_sub(vec(s->dim, s->next), view(s->dim, s->x), view(s->dim, s->next));
    return P2P_OK;
}

/* Steps as long as they make F smaller. */
static p2p_status
newton(search *s)
{
    double residual;
    p2p_status st;

    for (int k = 0; k < NEWTON_STEPS && s->residual > 0; k++) {
        if ((st = newton_step(s)) != P2P_OK ||
            (st = optimum_residual(s->parts, s->count, s->next, &residual, s->f, s->work)) != P2P_OK)
            return st;
        if (!(residual < s->residual))
            break;
        p2p_vec_copy(vec(s->dim, s->x), view(s->dim, s->next));
        s->residual = residual;
    }
    return P2P_OK;
}

static p2p_status
solve_freely(search *s)
{
    const size_t all = s->dim * s->dim;
    p2p_status st = P2P_ENOMEM;

    if (s->dim > NEWTON_MOST)
        return p2p_fail(P2P_ENOTSUP, "problem \"%s\": %zu entries: expected at most %d",
                        p2p_problem_spec(s->parts[0]), s->dim, NEWTON_MOST);
    s->jacobian = malloc(2 * all * sizeof *s->jacobian);
    s->pivots = malloc(s->dim * sizeof *s->pivots);
    s->part = s->jacobian + all;
    if (s->jacobian == NULL || s->pivots == NULL)
        p2p_fail(P2P_ENOMEM, "equilibrium: no memory for a derivative of %zu x %zu", s->dim, s->dim);
    else
        st = newton(s);
    free(s->jacobian);
    free(s->pivots);
    return st;
}

/* ---- on a set */

/* 0.7 over the largest of the parts' Lipschitz constants. */
static p2p_status
step_of(const search *s, double *step)
{
    double largest = 0;

    for (size_t i = 0; i < s->count; i++) {
        double L, mu;
        p2p_status st = p2p_problem_constants(s->parts[i], &L, &mu);

        if (st != P2P_OK)
            return st;
        largest = fmax(largest, L);
    }
    if (!(largest > 0))
        return p2p_fail(P2P_ENOTSUP, "problem \"%s\": its Lipschitz constant is unknown",
                        p2p_problem_spec(s->parts[0]));
    *step = 0.7 / largest;
    return P2P_OK;
}

/* z = P(x - step F(at)) */
static p2p_status
forward(const search *s, double step, const double *at, double *z)
{
    p2p_status st = optimum_evaluate(s->parts, s->count, at, NULL, s->f, s->work);

    if (st != P2P_OK)
        return st;
    p2p_vec_combine(vec(s->dim, z), 1, view(s->dim, s->x), -step, view(s->dim, s->f));
    return p2p_problem_prox(s->parts[0], step, vec(s->dim, z));
}

/* Until the residual stands at rounding, which a look in a hundred steps tells. */
static p2p_status
solve_on_set(search *s)
{
    double step = 0, least = INFINITY;
    int rests = 0;
    p2p_status st;

    if ((st = step_of(s, &step)) != P2P_OK || (st = p2p_problem_prox(s->parts[0], 0, vec(s->dim, s->x))) != P2P_OK)
        return st;
    for (int k = 1; k <= STEPS_MAX && rests < 3; k++) {
        if ((st = forward(s, step, s->x, s->next)) != P2P_OK || (st = forward(s, step, s->next, s->x)) != P2P_OK)
            return st;
        if (k % LOOK != 0)
            continue;
        if ((st = optimum_residual(s->parts, s->count, s->x, &s->residual, s->f, s->work)) != P2P_OK)
            return st;
        rests = s->residual < 1e-12 && s->residual >= least ? rests + 1 : 0;
        least = fmin(least, s->residual);
    }
    return P2P_OK;
}

p2p_status
equilibrium_solve(p2p_problem **parts, size_t count, double *x, double *residual)
{
    const size_t dim = p2p_problem_dim(parts[0]);
    search s = { .parts = parts, .count = count, .dim = dim, .x = x };
    double *memory = malloc(3 * dim * sizeof *memory), start;
    p2p_status st;

    if (memory == NULL)
        return p2p_fail(P2P_ENOMEM, "equilibrium: no memory for vectors of %zu entries", dim);
    s.f = memory;
    s.next = s.f + dim;
    s.work = s.next + dim;
    if ((st = optimum_residual(parts, count, x, &s.residual, s.f, s.work)) == P2P_OK) {
        start = s.residual;
        st = p2p_problem_flags(parts[0]) & P2P_PROBLEM_PROX ? solve_on_set(&s) : solve_freely(&s);
        if (st == P2P_OK && !(s.residual <= 1e-8 * fmax(start, 1)))
            st = p2p_fail(P2P_EDIVERGED, "problem \"%s\": no solution found: |x - P(x - F(x))| is still %.3g",
                          p2p_problem_spec(parts[0]), s.residual);
    }
    *residual = s.residual;
    free(memory);
    return st;
}
