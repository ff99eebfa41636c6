/*
 * Low-rank matrix sensing: y_j = <S_j, X>, X = U V' of a given rank. A row of data is S_j, row-major, its label y_j.
 * With e_j = <S_j, X> - y_j and G = (1/m) sum_j e_j S_j the gradients are G V and G'U, plus lambda times U and V.
 *
 * Source: Burer, Monteiro, Mathematical Programming 95, 2003 (the factored form).
 */
#include "problem/problems.h"

#include "base/sum.h"

#include <p2popt/random.h>

#include <math.h>
#include <string.h>

typedef struct {
    int64_t rows, rank;
    double lambda;
    int64_t weights;
} sensing_param;

typedef struct {
    sensing_param param;
    size_t p, q, k;
    double *product, *slope; /* X and G, p x q */
} sensing;

/* The residuals e of the next rows, at most a block of them; 0 behind the last. */
static size_t
next_residuals(const p2p_problem *self, p2pi_pick *pick, size_t all, double *e)
{
    const sensing *s = self->state;
    const p2pi_rows *a = &self->data->rows;
    size_t rest = all - (pick->first + pick->count), most = p2pi_rows_block(a);

    pick->first += pick->count;
    pick->count = rest < most ? rest : most;
    if (pick->count > 0)
        p2pi_rows_times(a, *pick, s->product, e);
    for (size_t i = 0; i < pick->count; i++)
        e[i] -= self->data->labels[p2pi_pick_at(pick, i)];
    return pick->count;
}

/* X = U V'. */
static void
multiply(const sensing *s, const double *x)
{
    const double *v = x + s->p * s->k;

    for (size_t r = 0; r < s->p; r++)
        for (size_t c = 0; c < s->q; c++) {
            double sum = 0;

            for (size_t l = 0; l < s->k; l++)
                sum += x[r * s->k + l] * v[c * s->k + l];
            s->product[r * s->q + c] = sum;
        }
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
    const size_t m = idx ? count : self->samples, k = s->k;
    const double *u = x, *v = x + s->p * k;
    double e[P2PI_BLOCK], *gu = g, *gv = g + s->p * k;
    p2pi_pick pick = { idx, 0, 0 };

    multiply(s, x);
    memset(s->slope, 0, s->p * s->q * sizeof *s->slope);
    while (next_residuals(self, &pick, m, e) > 0)
        p2pi_rows_add(&self->data->rows, pick, e, s->slope);
    for (size_t i = 0; i < self->dim; i++)
        g[i] = s->param.lambda * x[i];
    for (size_t r = 0; r < s->p; r++)
        for (size_t c = 0; c < s->q; c++) {
            const double slope = s->slope[r * s->q + c] / (double)m;

            for (size_t l = 0; l < k; l++) {
                gu[r * k + l] += slope * v[c * k + l];
                gv[c * k + l] += slope * u[r * k + l];
            }
        }
}

/* Smooth on bounded sets only: both are unknown. */
static p2p_status
sensing_constants(p2p_problem *self, double *smoothness, double *convexity)
{
    (void)self;
    *smoothness = *convexity = 0;
    return P2P_OK;
}

/* Zero is a saddle point: small random factors, the same at every node. */
static void
sensing_start(p2p_problem *self, double *x)
{
    p2p_random r = p2p_random_open(self->seed, 0, 0, P2P_STREAM_INIT);

    p2p_random_normal(&r, self->dim, x);
    for (size_t i = 0; i < self->dim; i++)
        x[i] *= 0.1;
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
    if (s->k > s->p || s->k > s->q)
        return p2p_fail(P2P_EINVAL, "rank=%zu: above that of a %zu x %zu matrix", s->k, s->p, s->q);
    p2pi_problem_weigh(self, s->param.weights);
    s->product = p2pi_arena_array(self->arena, entries, sizeof *s->product);
    s->slope = p2pi_arena_array(self->arena, entries, sizeof *s->slope);
    if (s->product == NULL || s->slope == NULL)
        return P2P_ENOMEM;
    if ((st = p2pi_problem_layer(self, "U", s->p, s->k, P2P_LAYER_DECAY)) != P2P_OK)
        return st;
    return p2pi_problem_layer(self, "V", s->q, s->k, P2P_LAYER_DECAY);
}

static const p2p_option options[] = {
    { "rows", P2P_OPT_INT, "0", "0", NULL, "rows of the matrix; 0: as many as columns",
      offsetof(sensing_param, rows) },
    { "rank", P2P_OPT_INT, "2", "1", NULL, "columns of U and V", offsetof(sensing_param, rank) },
    { "lambda|lam", P2P_OPT_REAL, "0", "0", NULL, "weight of the regulariser", offsetof(sensing_param, lambda) },
    P2PI_WEIGHTS_OPTION(sensing_param, weights),
    { NULL, P2P_OPT_TEXT, NULL, NULL, NULL, NULL, 0 }
};

const p2pi_problem_vt p2pi_problem_sensing = {
    .size = sizeof(p2pi_problem_vt),
    .entry = { "sensing", "low-rank matrix from inner products, X = U V'", "Burer, Monteiro, Math. Programming 2003",
               options, sizeof(sensing_param) },
    .traits = P2PI_PROBLEM_DATA,
    .state_size = sizeof(sensing),
    .open = sensing_open,
    .value = sensing_value,
    .grad = sensing_grad,
    .constants = sensing_constants,
    .start = sensing_start,
};
