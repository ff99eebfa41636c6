/*
 * Newton's method with a line search. Close to the minimum the value stops falling before the gradient does, because
 * rounding hides it: there a step is good if it makes the gradient smaller, and the end is where none does.
 *
 * Source: Nocedal, Wright, "Numerical optimization", 2006: algorithms 3.2, 3.3 (added multiples of the
 * identity), 7.1.
 */
#include "optimum.h"

#include "proximal_optimum.h"

#include <float.h>
#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS_MAX = 300, CHOLESKY_MOST = 4096 };

/* The sum being minimised, and the vectors a step needs, dim entries each. */
typedef struct {
    p2p_problem **parts;
    size_t count, dim;
    double *x, *g, *step;  /* iterate, gradient there, Newton step */
    double *next, *next_g; /* a candidate and its gradient */
    double *work, *residual, *along, *product;
    double *hessian, *hessian_part; /* NULL: conjugate gradients */
    double value;
} search;

static p2p_view
view(size_t dim, const double *x)
{
    return (p2p_view){ x, dim, P2P_F64 };
}

static p2p_vec
vec(size_t dim, double *x)
{
    return (p2p_vec){ x, dim, P2P_F64 };
}

p2p_status
optimum_evaluate(p2p_problem **parts, size_t count, const double *x, double *value, double *g, double *work)
{
    const size_t dim = p2p_problem_dim(parts[0]);
    p2p_status st;

    if (value != NULL)
        *value = 0;
    if (g != NULL)
        p2p_vec_zero(vec(dim, g));
    for (size_t i = 0; i < count; i++) {
        double part;

        if (value != NULL) {
            if ((st = p2p_problem_value(parts[i], view(dim, x), NULL, 0, &part)) != P2P_OK)
                return st;
            *value += part / (double)count;
        }
        if (g != NULL) {
            if ((st = p2p_problem_grad(parts[i], view(dim, x), NULL, 0, vec(dim, work))) != P2P_OK)
                return st;
            p2p_vec_axpy(vec(dim, g), 1 / (double)count, view(dim, work));
        }
    }
    return P2P_OK;
}

p2p_status
optimum_value(p2p_problem **parts, size_t count, const double *x, double *value)
{
    double psi = 0;
    p2p_status st = optimum_evaluate(parts, count, x, value, NULL, NULL);

    if (st == P2P_OK && (st = p2p_problem_regulariser(parts[0], view(p2p_problem_dim(parts[0]), x), &psi)) == P2P_OK)
        *value += psi;
    return st;
}

p2p_status
optimum_residual(p2p_problem **parts, size_t count, const double *x, double *residual, double *g, double *work)
{
    const size_t dim = p2p_problem_dim(parts[0]);
    p2p_status st = optimum_evaluate(parts, count, x, NULL, g, work);

    if (st != P2P_OK)
        return st;
    p2p_vec_sub(vec(dim, work), view(dim, x), view(dim, g));
    if ((st = p2p_problem_prox(parts[0], 1, vec(dim, work))) != P2P_OK)
        return st;
    *residual = p2p_vec_distance(view(dim, x), view(dim, work));
    return P2P_OK;
}

/* ---- the Newton step by Cholesky */

static p2p_status
mean_hessian(const search *s)
{
    const size_t all = s->dim * s->dim;
    p2p_status st;

    if ((st = p2p_problem_hessian(s->parts[0], view(s->dim, s->x), s->hessian)) != P2P_OK || s->count == 1)
        return st;
    for (size_t i = 1; i < s->count; i++) {
        if ((st = p2p_problem_hessian(s->parts[i], view(s->dim, s->x), s->hessian_part)) != P2P_OK)
            return st;
        p2p_vec_axpy(vec(all, s->hessian), 1, view(all, s->hessian_part));
    }
    p2p_vec_scale(vec(all, s->hessian), 1 / (double)s->count);
    return P2P_OK;
}

/* Solve (H + shift I) step = -g, with the least shift tried that makes the matrix positive definite. */
static p2p_status
cholesky_step(const search *s)
{
    const lapack_int d = (lapack_int)s->dim;
    double shift = 0, largest = 0;
    p2p_status st;

    for (int tries = 0; tries < 40; tries++) {
        if ((st = mean_hessian(s)) != P2P_OK)
            return st;
        for (size_t i = 0; i < s->dim; i++) {
            largest = fmax(largest, fabs(s->hessian[i * s->dim + i]));
            s->hessian[i * s->dim + i] += shift;
        }
        /* The matrix is symmetric: column order reads it as well and needs no copy. */
        if (LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'L', d, s->hessian, d) == 0) {
            for (size_t i = 0; i < s->dim; i++)
                s->step[i] = -s->g[i];
            LAPACKE_dpotrs(LAPACK_COL_MAJOR, 'L', d, 1, s->hessian, d, s->step, d);
            return P2P_OK;
        }
        if (shift > 0)
            shift *= 10;
        else
            shift = largest > 0 ? 1e-12 * largest : p2p_vec_norm2(view(s->dim, s->g));
    }
    return p2p_fail(P2P_EDIVERGED, "the Hessian has no positive definite neighbour: the problem has no minimum here");
}

/* ---- the Newton step by conjugate gradients */

static p2p_status
mean_product(const search *s, const double *v, double *h)
{
    p2p_status st;

    p2p_vec_zero(vec(s->dim, h));
    for (size_t i = 0; i < s->count; i++) {
        if ((st = p2p_problem_hvp(s->parts[i], view(s->dim, s->x), view(s->dim, v), vec(s->dim, s->work))) != P2P_OK)
            return st;
        p2p_vec_axpy(vec(s->dim, h), 1 / (double)s->count, view(s->dim, s->work));
    }
    return P2P_OK;
}

/*
 * Solve H step = -g to a residual that shrinks with the gradient, so that convergence is faster than linear. A
 * direction of no curvature ends the iteration; if it is the first, the step is steepest descent.
 */
static p2p_status
conjugate_step(const search *s)
{
    const size_t d = s->dim;
    const double norm = p2p_vec_norm2(view(d, s->g)), goal = norm * fmin(0.1, sqrt(norm));
    double rr = norm * norm;
    p2p_status st;

    p2p_vec_zero(vec(d, s->step));
    for (size_t i = 0; i < d; i++)
        s->residual[i] = s->along[i] = -s->g[i];
    for (size_t k = 0; k < 10 * d && sqrt(rr) > goal; k++) {
        double curvature, length, before = rr;

        if ((st = mean_product(s, s->along, s->product)) != P2P_OK)
            return st;
        curvature = p2p_vec_dot(view(d, s->along), view(d, s->product));
        if (curvature <= 0) {
            if (k == 0)
                p2p_vec_copy(vec(d, s->step), view(d, s->along));
            return P2P_OK;
        }
        length = rr / curvature;
        p2p_vec_axpy(vec(d, s->step), length, view(d, s->along));
        p2p_vec_axpy(vec(d, s->residual), -length, view(d, s->product));
        rr = p2p_vec_dot(view(d, s->residual), view(d, s->residual));
        p2p_vec_axpby(vec(d, s->along), 1, view(d, s->residual), rr / before);
    }
    return P2P_OK;
}

/* ---- the search */

/* Move along the step; *moved = 0 when no length makes value or gradient smaller. */
static p2p_status
line_search(search *s, int *moved)
{
    const size_t d = s->dim;
    const double slope = p2p_vec_dot(view(d, s->g), view(d, s->step));
    const double norm = p2p_vec_norm2(view(d, s->g)), rounding = 256 * DBL_EPSILON * fabs(s->value);
    double length, value;
    p2p_status st;

    *moved = 0;
    for (length = 1; length > 1e-12; length /= 2) {
        p2p_vec_combine(vec(d, s->next), 1, view(d, s->x), length, view(d, s->step));
        if ((st = optimum_evaluate(s->parts, s->count, s->next, &value, s->next_g, s->work)) != P2P_OK)
            return st;
        if (value <= s->value + 1e-4 * length * slope && -slope > rounding)
            break;
        if (value <= s->value + rounding && p2p_vec_norm2(view(d, s->next_g)) < norm)
            break;
        if (-slope * length <= rounding)
            return P2P_OK;
    }
    if (length <= 1e-12)
        return P2P_OK;
    p2p_vec_copy(vec(d, s->x), view(d, s->next));
    p2p_vec_copy(vec(d, s->g), view(d, s->next_g));
    s->value = value;
    *moved = 1;
    return P2P_OK;
}

static p2p_status
run(search *s)
{
    double start, norm;
    p2p_status st;

    if ((st = optimum_evaluate(s->parts, s->count, s->x, &s->value, s->g, s->work)) != P2P_OK)
        return st;
    start = norm = p2p_vec_norm2(view(s->dim, s->g));
    for (int k = 0; k < STEPS_MAX && norm > 0; k++) {
        int moved;

        if ((st = s->hessian ? cholesky_step(s) : conjugate_step(s)) != P2P_OK ||
            (st = line_search(s, &moved)) != P2P_OK)
            return st;
        if (!moved)
            break;
        norm = p2p_vec_norm2(view(s->dim, s->g));
    }
    if (norm > 1e-8 * fmax(start, 1))
        return p2p_fail(P2P_EDIVERGED, "problem \"%s\": no minimum found: the gradient's norm is still %.3g",
                        p2p_problem_spec(s->parts[0]), norm);
    return P2P_OK;
}

p2p_status
optimum_solve(p2p_problem **parts, size_t count, double *x, double *value)
{
    const size_t dim = p2p_problem_dim(parts[0]);
    search s = { .parts = parts, .count = count, .dim = dim, .x = x };
    double *memory;
    p2p_status st = P2P_OK;

    if (p2p_problem_flags(parts[0]) & P2P_PROBLEM_PROX)
        return proximal_solve(parts, count, x, value);
    memory = calloc(8 * dim, sizeof *memory);
    if (memory == NULL)
        return p2p_fail(P2P_ENOMEM, "optimum: no memory for vectors of %zu entries", dim);
    s.g = memory;
    s.step = s.g + dim;
    s.next = s.step + dim;
    s.next_g = s.next + dim;
    s.work = s.next_g + dim;
    s.residual = s.work + dim;
    s.along = s.residual + dim;
    s.product = s.along + dim;
    if (dim <= CHOLESKY_MOST) {
        s.hessian = malloc(dim * dim * sizeof *s.hessian);
        s.hessian_part = count > 1 ? malloc(dim * dim * sizeof *s.hessian) : s.hessian;
        if (s.hessian == NULL || s.hessian_part == NULL)
            st = p2p_fail(P2P_ENOMEM, "optimum: no memory for a Hessian of %zu x %zu", dim, dim);
    }
    if (st == P2P_OK)
        st = run(&s);
    *value = s.value;
    if (s.hessian_part != s.hessian)
        free(s.hessian_part);
    free(s.hessian);
    free(memory);
    return st;
}
