/*
 * Softmax regression of K classes: W is K x p, z = W a, f_i = (1/m) sum_j [lse(z_j) - z_{j,c_j}] + lambda/2 |W|^2.
 * With P = softmax(z): gradient (P - Y)'A / m + lambda W.
 *
 * Rows are visited in blocks. Scores of a block lie class by class, so that every step is a loop over rows.
 *
 * Source: Boehning, "Multinomial logistic regression algorithm", AISM 1992 (the Hessian's bound).
 */
#include "problem/problems.h"

#include "base/fail.h"
#include "base/sum.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    int64_t classes;
    double lambda;
    int64_t weights;
} softmax_param;

typedef struct {
    softmax_param param;
    const p2pi_rows *a;
    size_t k, p;            /* classes, features */
    const uint32_t *labels; /* 0 .. k - 1 */
    size_t most;            /* rows of a block */
    double *z, *u;          /* k x most each: scores, and for Hessians their change */
} softmax;

/* A block of rows, and what is known of each: the largest score, then log-sum-exp. */
typedef struct {
    p2pi_pick pick;
    double largest[P2PI_BLOCK], sum[P2PI_BLOCK];
} block;

static int
next_block(const softmax *s, block *b, size_t all)
{
    size_t rest = all - (b->pick.first + b->pick.count);

    b->pick.first += b->pick.count;
    b->pick.count = rest < s->most ? rest : s->most;
    return b->pick.count > 0;
}

static uint32_t
label_of(const softmax *s, const block *b, size_t i)
{
    return s->labels[p2pi_pick_at(&b->pick, i)];
}

/* Scores of every class, z[c * most + i] for row i of the block. */
static void
scores(const softmax *s, const block *b, const double *x, double *z)
{
    for (size_t c = 0; c < s->k; c++)
        p2pi_rows_times(s->a, b->pick, x + c * s->p, z + c * s->most);
}

/* z becomes exp(z - largest), with the sum of each row: no overflow for any finite score. */
static void
exponentials(const softmax *s, block *b)
{
    const size_t n = b->pick.count;

    memcpy(b->largest, s->z, n * sizeof *b->largest);
    for (size_t c = 1; c < s->k; c++)
        for (size_t i = 0; i < n; i++)
            b->largest[i] = fmax(b->largest[i], s->z[c * s->most + i]);
    memset(b->sum, 0, n * sizeof *b->sum);
    for (size_t c = 0; c < s->k; c++)
        for (size_t i = 0; i < n; i++) {
            double *z = &s->z[c * s->most + i];

            *z = exp(*z - b->largest[i]);
            b->sum[i] += *z;
        }
}

/* z becomes P: the probability of each class. */
static void
probabilities(const softmax *s, block *b, const double *x)
{
    scores(s, b, x, s->z);
    exponentials(s, b);
    for (size_t c = 0; c < s->k; c++)
        for (size_t i = 0; i < b->pick.count; i++)
            s->z[c * s->most + i] /= b->sum[i];
}

static double
softmax_value(p2p_problem *self, const double *x, const size_t *idx, size_t count)
{
    const softmax *s = self->state;
    const size_t m = idx ? count : self->samples;
    block b = { .pick = { idx, 0, 0 } };
    double sum = 0, squares;

    while (next_block(s, &b, m)) {
        double right[P2PI_BLOCK], part;

        scores(s, &b, x, s->z);
        for (size_t i = 0; i < b.pick.count; i++)
            right[i] = s->z[label_of(s, &b, i) * s->most + i];
        exponentials(s, &b);
        P2PI_SUM(part, b.pick.count, i, b.largest[i] + log(b.sum[i]) - right[i]);
        sum += part;
    }
    P2PI_SUM(squares, self->dim, i, x[i] * x[i]);
    return sum / (double)m + 0.5 * s->param.lambda * squares;
}

/* g = sum over classes of A' z, divided by m, plus lambda x: how gradients and Hessian products end. */
static void
finish(const p2p_problem *self, size_t m, const double *x, double *g)
{
    const softmax *s = self->state;

    for (size_t i = 0; i < self->dim; i++)
        g[i] = g[i] / (double)m + s->param.lambda * x[i];
}

static void
add_classes(const softmax *s, const block *b, const double *z, double *g)
{
    for (size_t c = 0; c < s->k; c++)
        p2pi_rows_add(s->a, b->pick, z + c * s->most, g + c * s->p);
}

static void
softmax_grad(p2p_problem *self, const double *x, const size_t *idx, size_t count, double *g)
{
    const softmax *s = self->state;
    const size_t m = idx ? count : self->samples;
    block b = { .pick = { idx, 0, 0 } };

    memset(g, 0, self->dim * sizeof *g);
    while (next_block(s, &b, m)) {
        probabilities(s, &b, x);
        for (size_t i = 0; i < b.pick.count; i++)
            s->z[label_of(s, &b, i) * s->most + i] -= 1;
        add_classes(s, &b, s->z, g);
    }
    finish(self, m, x, g);
}

/* w_j = p_j o (u_j - p_j'u_j), u = A V' */
static void
softmax_hvp(p2p_problem *self, const double *x, const double *v, double *h)
{
    const softmax *s = self->state;
    block b = { .pick = { NULL, 0, 0 } };

    memset(h, 0, self->dim * sizeof *h);
    while (next_block(s, &b, self->samples)) {
        double mean[P2PI_BLOCK] = { 0 };

        probabilities(s, &b, x);
        scores(s, &b, v, s->u);
        for (size_t c = 0; c < s->k; c++)
            for (size_t i = 0; i < b.pick.count; i++)
                mean[i] += s->z[c * s->most + i] * s->u[c * s->most + i];
        for (size_t c = 0; c < s->k; c++)
            for (size_t i = 0; i < b.pick.count; i++)
                s->u[c * s->most + i] = s->z[c * s->most + i] * (s->u[c * s->most + i] - mean[i]);
        add_classes(s, &b, s->u, h);
    }
    finish(self, self->samples, v, h);
}

/* Block (c, e) of the Hessian, e >= c: A' diag(p_c ([c = e] - p_e)) A / m. */
static void
add_hessian_blocks(const p2p_problem *self, const block *b, double *h, double *work)
{
    const softmax *s = self->state;

    for (size_t c = 0; c < s->k; c++)
        for (size_t e = c; e < s->k; e++) {
            double w[P2PI_BLOCK];

            for (size_t i = 0; i < b->pick.count; i++)
                w[i] = s->z[c * s->most + i] * ((c == e) - s->z[e * s->most + i]) / (double)self->samples;
            p2pi_rows_gram(s->a, b->pick.first, b->pick.count, w, h + c * s->p * self->dim + e * s->p, self->dim,
                           work);
        }
}

static p2p_status
softmax_hessian(p2p_problem *self, const double *x, double *h)
{
    const softmax *s = self->state;
    const size_t d = self->dim, bytes = p2pi_rows_gram_work(s->a) * sizeof(double);
    double *work = malloc(bytes);
    block b = { .pick = { NULL, 0, 0 } };

    if (work == NULL)
        return p2pi_fail_memory("Hessian", bytes);
    while (next_block(s, &b, self->samples)) {
        probabilities(s, &b, x);
        add_hessian_blocks(self, &b, h, work);
    }
    free(work);
    for (size_t i = 0; i < d; i++) {
        for (size_t j = 0; j < i / s->p * s->p; j++)
            h[i * d + j] = h[j * d + i];
        h[i * d + i] += s->param.lambda;
    }
    return P2P_OK;
}

/* diag(p) - p p' has norm at most 1/2 */
static p2p_status
softmax_constants(p2p_problem *self, double *smoothness, double *convexity)
{
    const softmax *s = self->state;
    double largest;
    p2p_status st = p2pi_rows_largest(s->a, &largest);

    if (st != P2P_OK)
        return st;
    *smoothness = 0.5 * largest + s->param.lambda;
    *convexity = s->param.lambda;
    return P2P_OK;
}

/* Ties go to the lower class. */
static double
softmax_accuracy(p2p_problem *self, const double *x)
{
    const softmax *s = self->state;
    block b = { .pick = { NULL, 0, 0 } };
    size_t right = 0;

    while (next_block(s, &b, self->samples)) {
        scores(s, &b, x, s->z);
        for (size_t i = 0; i < b.pick.count; i++) {
            size_t best = 0;

            for (size_t c = 1; c < s->k; c++)
                if (s->z[c * s->most + i] > s->z[best * s->most + i])
                    best = c;
            right += best == label_of(s, &b, i);
        }
    }
    return (double)right / (double)self->samples;
}

static p2p_status
softmax_open(p2p_problem *self)
{
    enum { SCORES = 2048 }; /* of a block: they stay in the first-level cache */
    softmax *s = self->state;
    p2p_status st;

    s->a = &self->data->rows;
    s->p = s->a->cols;
    p2pi_problem_weigh(self, s->param.weights);
    if ((st = p2pi_problem_classes(self, s->param.classes, &s->k, &s->labels)) != P2P_OK ||
        (st = p2pi_problem_layer(self, "W", s->k, s->p, P2P_LAYER_DECAY)) != P2P_OK)
        return st;
    s->most = p2pi_rows_block(s->a);
    if (s->most > SCORES / s->k)
        s->most = SCORES / s->k < 4 ? 4 : SCORES / s->k;
    s->z = p2pi_arena_array(self->arena, 2 * s->k * s->most, sizeof *s->z);
    s->u = s->z + s->k * s->most;
    return s->z ? P2P_OK : P2P_ENOMEM;
}

static const p2p_option softmax_options[] = {
    { "classes", P2P_OPT_INT, "auto", "2", "1000", "number of classes; auto: as in the data",
      offsetof(softmax_param, classes) },
    { "lambda|lam", P2P_OPT_REAL, "1e-3", "0", NULL, "weight of the regulariser", offsetof(softmax_param, lambda) },
    P2PI_WEIGHTS_OPTION(softmax_param, weights),
    { NULL, P2P_OPT_TEXT, NULL, NULL, NULL, NULL, 0 },
};
const p2pi_problem_vt p2pi_problem_softmax = {
    .size = sizeof(p2pi_problem_vt),
    .entry = { "softmax", "softmax regression of K classes + lambda/2 |W|^2", "Boehning, AISM 1992", softmax_options,
               sizeof(softmax_param) },
    .traits = P2PI_PROBLEM_DATA,
    .state_size = sizeof(softmax),
    .open = softmax_open,
    .value = softmax_value,
    .grad = softmax_grad,
    .hvp = softmax_hvp,
    .hessian = softmax_hessian,
    .constants = softmax_constants,
    .accuracy = softmax_accuracy,
};
