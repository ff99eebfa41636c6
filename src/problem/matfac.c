/*
 * Matrix factorisation: cells (r, c) of a matrix M are known, U V' of rank k is to equal them.
 *
 *     f_i = (1/2m) sum_j e_j^2 + lambda/2 (|U|^2 + |V|^2),   e = u_r'v_c - M_rc
 *
 * A sample has two features, the cell's row and column from 0, and the label is the cell's value. A node's gradient
 * is zero, up to lambda, in the rows of U and V that its cells do not touch.
 *
 * Source: Koren, Bell, Volinsky, "Matrix factorization techniques for recommender systems", IEEE Computer 2009.
 */
#include "problem/problems.h"

#include "base/fail.h"
#include "base/sum.h"

#include <inttypes.h>
#include <string.h>

typedef struct {
    int64_t rows, cols, rank;
    double lambda;
    int64_t weights;
} matfac_param;

typedef struct {
    matfac_param param; /* first: options are parsed into it */
    size_t k;
    size_t *u, *v; /* of each cell: where its row of U, and of V, begins in x */
} matfac;

static double
product(size_t k, const double *a, const double *b)
{
    double sum = 0;

    for (size_t l = 0; l < k; l++)
        sum += a[l] * b[l];
    return sum;
}

static double
error_at(const p2p_problem *self, const double *x, size_t j)
{
    const matfac *s = self->state;

    return product(s->k, x + s->u[j], x + s->v[j]) - self->data->labels[j];
}

static double
matfac_value(p2p_problem *self, const double *x, const size_t *idx, size_t count)
{
    const matfac *s = self->state;
    const size_t m = idx ? count : self->samples;
    double sum = 0, norm;

    for (size_t i = 0; i < m; i++) {
        const double e = error_at(self, x, idx ? idx[i] : i);

        sum += e * e;
    }
    P2PI_SUM(norm, self->dim, i, x[i] * x[i]);
    return 0.5 * sum / (double)m + 0.5 * s->param.lambda * norm;
}

static void
matfac_grad(p2p_problem *self, const double *x, const size_t *idx, size_t count, double *g)
{
    const matfac *s = self->state;
    const size_t m = idx ? count : self->samples;

    for (size_t i = 0; i < self->dim; i++)
        g[i] = s->param.lambda * x[i];
    for (size_t i = 0; i < m; i++) {
        const size_t j = idx ? idx[i] : i;
        const double e = error_at(self, x, j) / (double)m;

        for (size_t l = 0; l < s->k; l++) {
            g[s->u[j] + l] += e * x[s->v[j] + l];
            g[s->v[j] + l] += e * x[s->u[j] + l];
        }
    }
}

/* With a change of e along the direction: de = du'v + u'dv. */
static void
matfac_hvp(p2p_problem *self, const double *x, const double *v, double *h)
{
    const matfac *s = self->state;
    const double m = (double)self->samples;

    for (size_t i = 0; i < self->dim; i++)
        h[i] = s->param.lambda * v[i];
    for (size_t j = 0; j < self->samples; j++) {
        const double *xu = x + s->u[j], *xv = x + s->v[j], *du = v + s->u[j], *dv = v + s->v[j];
        const double e = error_at(self, x, j), de = product(s->k, du, xv) + product(s->k, xu, dv);

        for (size_t l = 0; l < s->k; l++) {
            h[s->u[j] + l] += (de * xv[l] + e * dv[l]) / m;
            h[s->v[j] + l] += (de * xu[l] + e * du[l]) / m;
        }
    }
}

/* ---- opening */

/* Feature number `column` of row j. */
static double
feature(const p2pi_rows *a, size_t j, size_t column)
{
    if (a->columns == NULL)
        return a->values[j * a->cols + column];
    for (size_t i = a->starts[j]; i < a->starts[j + 1]; i++)
        if (a->columns[i] == column)
            return a->values[i];
    return 0;
}

static p2p_status
take_index(const p2p_problem *self, size_t j, size_t column, int64_t most, size_t *index)
{
    static const char *const names[] = { "row", "column" };
    const double at = feature(&self->data->rows, j, column);

    if (!(at >= 0 && at < (double)most) || at != (double)(int64_t)at)
        return p2p_fail(P2P_EINVAL, "cell %zu: %s %g: expected 0 to %" PRId64, j, names[column], at, most - 1);
    *index = (size_t)at;
    return P2P_OK;
}

static p2p_status
take_cells(p2p_problem *self)
{
    matfac *s = self->state;
    p2p_status st;

    s->u = p2pi_arena_array(self->arena, self->samples, sizeof *s->u);
    s->v = p2pi_arena_array(self->arena, self->samples, sizeof *s->v);
    if (s->u == NULL || s->v == NULL)
        return P2P_ENOMEM;
    for (size_t j = 0; j < self->samples; j++) {
        if ((st = take_index(self, j, 0, s->param.rows, &s->u[j])) != P2P_OK ||
            (st = take_index(self, j, 1, s->param.cols, &s->v[j])) != P2P_OK)
            return st;
        s->u[j] *= s->k;
        s->v[j] = (s->v[j] + (size_t)s->param.rows) * s->k;
    }
    return P2P_OK;
}

static p2p_status
matfac_open(p2p_problem *self)
{
    matfac *s = self->state;
    p2p_status st;

    s->k = (size_t)s->param.rank;
    if (s->param.rows == 0 || s->param.cols == 0)
        return p2p_fail(P2P_EINVAL,
                        "rows=%" PRId64 ", cols=%" PRId64 ": expected the matrix's numbers of rows and columns",
                        s->param.rows, s->param.cols);
    if (self->data->rows.cols != 2)
        return p2p_fail(P2P_EINVAL, "samples of %zu features: expected two, a cell's row and column",
                        self->data->rows.cols);
    p2pi_problem_weigh(self, s->param.weights);
    if ((st = p2pi_problem_layer(self, "U", (size_t)s->param.rows, s->k, P2P_LAYER_DECAY)) != P2P_OK ||
        (st = p2pi_problem_layer(self, "V", (size_t)s->param.cols, s->k, P2P_LAYER_DECAY)) != P2P_OK)
        return st;
    return take_cells(self);
}

static const p2p_option options[] = {
    { "rows", P2P_OPT_INT, "0", "0", "1e9", "rows of the matrix", offsetof(matfac_param, rows) },
    { "cols", P2P_OPT_INT, "0", "0", "1e9", "columns of the matrix", offsetof(matfac_param, cols) },
    { "rank", P2P_OPT_INT, "2", "1", "1e6", "columns of U and V", offsetof(matfac_param, rank) },
    { "lambda|lam", P2P_OPT_REAL, "1e-3", "0", NULL, "weight of the regulariser", offsetof(matfac_param, lambda) },
    P2PI_WEIGHTS_OPTION(matfac_param, weights),
    { NULL, P2P_OPT_TEXT, NULL, NULL, NULL, NULL, 0 }
};

const p2pi_problem_vt p2pi_problem_matfac = {
    .size = sizeof(p2pi_problem_vt),
    .entry = { "matfac", "matrix factorisation: U V' equals the cells that are known + lambda/2 (|U|^2 + |V|^2)",
               "Koren, Bell, Volinsky, IEEE Computer 2009", options, sizeof(matfac_param) },
    .traits = P2PI_PROBLEM_DATA,
    .state_size = sizeof(matfac),
    .open = matfac_open,
    .value = matfac_value,
    .grad = matfac_grad,
    .hvp = matfac_hvp,
    .constants = p2pi_problem_unbounded,
    .start = p2pi_problem_small_start,
};
