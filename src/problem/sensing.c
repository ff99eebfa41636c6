/*
 * Low-rank matrix sensing: y_j = <S_j, X>, X = U V' of a given rank, or X itself. A row of data is S_j, row-major,
 * its label y_j. With e_j = <S_j, X> - y_j and G = (1/m) sum_j e_j S_j the gradients are G V and G'U, or G, plus
 * lambda times the parameter.
 *
 * Source: Burer, Monteiro, Mathematical Programming 95, 2003 (the factored form).
 */
#include "problem/problems.h"

#include "base/sum.h"

#include <math.h>
#include <string.h>

typedef struct {
    int64_t rows, rank, full;
    double lambda;
    int64_t weights;
} sensing_param;

typedef struct {
    sensing_param param;
    size_t p, q, k;
    double *product, *slope; /* X and G, p x q */
    double *change, *bend;   /* what they change by along a direction */
} sensing;

/* <S_j, X> of the next rows, at most a block of them; 0 behind the last. */
static size_t
next_products(const p2p_problem *self, p2pi_pick *pick, size_t all, const double *X, double *e)
{
    const p2pi_rows *a = &self->data->rows;
    size_t rest = all - (pick->first + pick->count), most = p2pi_rows_block(a);

    pick->first += pick->count;
    pick->count = rest < most ? rest : most;
    if (pick->count > 0)
        p2pi_rows_times(a, *pick, X, e);
    return pick->count;
}

/* The same less the labels: residuals. */
static size_t
next_residuals(const p2p_problem *self, p2pi_pick *pick, size_t all, double *e)
{
    const sensing *s = self->state;

    next_products(self, pick, all, s->product, e);
    for (size_t i = 0; i < pick->count; i++)
        e[i] -= self->data->labels[p2pi_pick_at(pick, i)];
    return pick->count;
}

/* out += U V', both in x. */
static void
add_product(const sensing *s, const double *u, const double *v, double *out)
{
    for (size_t r = 0; r < s->p; r++)
        for (size_t c = 0; c < s->q; c++) {
            double sum = 0;

            for (size_t l = 0; l < s->k; l++)
                sum += u[r * s->k + l] * v[c * s->k + l];
            out[r * s->q + c] += sum;
        }
}

/* gu += G V, gv += G'U */
static void
add_factors(const sensing *s, const double *G, const double *u, const double *v, double *gu, double *gv)
{
    const size_t k = s->k;

    for (size_t r = 0; r < s->p; r++)
        for (size_t c = 0; c < s->q; c++) {
            const double slope = G[r * s->q + c];

            for (size_t l = 0; l < k; l++) {
                gu[r * k + l] += slope * v[c * k + l];
                gv[c * k + l] += slope * u[r * k + l];
            }
        }
}

/* X */
static void
multiply(const sensing *s, const double *x)
{
    const size_t bytes = s->p * s->q * sizeof *x;

    if (s->param.full) {
        memcpy(s->product, x, bytes);
        return;
    }
    memset(s->product, 0, bytes);
    add_product(s, x, x + s->p * s->k, s->product);
}

/* G from the residuals. */
static void
sum_slope(p2p_problem *self, const size_t *idx, size_t m)
{
    const sensing *s = self->state;
    double e[P2PI_BLOCK];
    p2pi_pick pick = { idx, 0, 0 };

    memset(s->slope, 0, s->p * s->q * sizeof *s->slope);
    while (next_residuals(self, &pick, m, e) > 0)
        p2pi_rows_add(&self->data->rows, pick, e, s->slope);
    for (size_t i = 0; i < s->p * s->q; i++)
        s->slope[i] /= (double)m;
}

static double
sensing_value(p2p_problem *self, const double *x, const size_t *idx, size_t count)
{
    const sensing *s = self->state;
    const size_t m = idx ? count : self->samples;
    p2pi_pick pick = { idx, 0, 0 };
    double e[P2PI_BLOCK], sum = 0, norm = 0;

    multiply(s, x);
    while (next_residuals(self, &pick, m, e) > 0) {
        double part;

        P2PI_SUM(part, pick.count, i, e[i] * e[i]);
        sum += part;
    }
    P2PI_SUM(norm, self->dim, i, x[i] * x[i]);
    return 0.5 * sum / (double)m + 0.5 * s->param.lambda * norm;
}

static void
sensing_grad(p2p_problem *self, const double *x, const size_t *idx, size_t count, double *g)
{
    const sensing *s = self->state;
    const size_t at = s->p * s->k;

    multiply(s, x);
    sum_slope(self, idx, idx ? count : self->samples);
    for (size_t i = 0; i < self->dim; i++)
        g[i] = s->param.lambda * x[i];
    if (s->param.full)
        for (size_t i = 0; i < self->dim; i++)
            g[i] += s->slope[i];
    else
        add_factors(s, s->slope, x, x + at, g, g + at);
}

/* bend = dG, from the change of X along v: dU V' + U dV', or v itself. */
static void
sum_bend(p2p_problem *self, const double *x, const double *v)
{
    const sensing *s = self->state;
    const size_t at = s->p * s->k, bytes = s->p * s->q * sizeof *s->bend;
    double e[P2PI_BLOCK];
    p2pi_pick pick = { NULL, 0, 0 };

    if (s->param.full)
        memcpy(s->change, v, bytes);
    else {
        memset(s->change, 0, bytes);
        add_product(s, v, x + at, s->change);
        add_product(s, x, v + at, s->change);
    }
    memset(s->bend, 0, bytes);
    while (next_products(self, &pick, self->samples, s->change, e) > 0)
        p2pi_rows_add(&self->data->rows, pick, e, s->bend);
    for (size_t i = 0; i < s->p * s->q; i++)
        s->bend[i] /= (double)self->samples;
}

static void
sensing_hvp(p2p_problem *self, const double *x, const double *v, double *h)
{
    const sensing *s = self->state;
    const size_t at = s->p * s->k;

    sum_bend(self, x, v);
    for (size_t i = 0; i < self->dim; i++)
        h[i] = s->param.lambda * v[i];
    if (s->param.full) {
        for (size_t i = 0; i < self->dim; i++)
            h[i] += s->bend[i];
        return;
    }
    multiply(s, x);
    sum_slope(self, NULL, self->samples);
    add_factors(s, s->bend, x, x + at, h, h + at);
    add_factors(s, s->slope, v, v + at, h, h + at);
}

/* In factors f is smooth on bounded sets only. */
static p2p_status
sensing_constants(p2p_problem *self, double *smoothness, double *convexity)
{
    const sensing *s = self->state;
    p2p_status st;

    if (!s->param.full)
        return p2pi_problem_unbounded(self, smoothness, convexity);
    st = p2pi_rows_largest(&self->data->rows, smoothness);
    *smoothness += s->param.lambda;
    *convexity = s->param.lambda;
    return st;
}

/* Zero is a saddle point of factors. */
static void
sensing_start(p2p_problem *self, double *x)
{
    const sensing *s = self->state;

    if (s->param.full)
        memset(x, 0, self->dim * sizeof *x);
    else
        p2pi_problem_small_start(self, x);
}

static p2p_status
sensing_open(p2p_problem *self)
{
    sensing *s = self->state;
    const size_t entries = self->data->rows.cols;
    p2p_status st;

    s->p = s->param.rows > 0 ? (size_t)s->param.rows : (size_t)sqrt((double)entries);
    s->k = (size_t)s->param.rank;
    if (s->p == 0 || entries % s->p != 0 || (s->param.rows == 0 && entries != s->p * s->p))
        return p2p_fail(P2P_EINVAL, "rows=%zu: samples of %zu entries are no matrices of %zu rows",
                        (size_t)s->param.rows, entries, s->p);
    s->q = entries / s->p;
    if (!s->param.full && (s->k > s->p || s->k > s->q))
        return p2p_fail(P2P_EINVAL, "rank=%zu: above that of a %zu x %zu matrix", s->k, s->p, s->q);
    p2pi_problem_weigh(self, s->param.weights);
    s->product = p2pi_arena_array(self->arena, entries, sizeof *s->product);
    s->slope = p2pi_arena_array(self->arena, entries, sizeof *s->slope);
    s->change = p2pi_arena_array(self->arena, entries, sizeof *s->change);
    s->bend = p2pi_arena_array(self->arena, entries, sizeof *s->bend);
    if (s->product == NULL || s->slope == NULL || s->change == NULL || s->bend == NULL)
        return P2P_ENOMEM;
    if (s->param.full)
        return p2pi_problem_layer(self, "X", s->p, s->q, P2P_LAYER_DECAY);
    if ((st = p2pi_problem_layer(self, "U", s->p, s->k, P2P_LAYER_DECAY)) != P2P_OK)
        return st;
    return p2pi_problem_layer(self, "V", s->q, s->k, P2P_LAYER_DECAY);
}

static const p2p_option options[] = {
    { "rows", P2P_OPT_INT, "0", "0", NULL, "rows of the matrix; 0: as many as columns",
      offsetof(sensing_param, rows) },
    { "rank", P2P_OPT_INT, "2", "1", NULL, "columns of U and V", offsetof(sensing_param, rank) },
    { "form", P2P_OPT_CHOICE, "factored", "factored|full", NULL, "what is sought: U and V, or X whatever its rank",
      offsetof(sensing_param, full) },
    { "lambda|lam", P2P_OPT_REAL, "0", "0", NULL, "weight of the regulariser", offsetof(sensing_param, lambda) },
    P2PI_WEIGHTS_OPTION(sensing_param, weights),
    { NULL, P2P_OPT_TEXT, NULL, NULL, NULL, NULL, 0 }
};

const p2pi_problem_vt p2pi_problem_sensing = {
    .size = sizeof(p2pi_problem_vt),
    .entry = { "sensing", "low-rank matrix X from inner products, as U V' or itself",
               "Burer, Monteiro, Math. Programming 2003", options, sizeof(sensing_param) },
    .traits = P2PI_PROBLEM_DATA,
    .state_size = sizeof(sensing),
    .open = sensing_open,
    .value = sensing_value,
    .grad = sensing_grad,
    .hvp = sensing_hvp,
    .constants = sensing_constants,
    .start = sensing_start,
};
