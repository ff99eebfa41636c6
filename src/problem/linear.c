/*
 * Linear models: f_i(x) = (1/m) sum_j phi(a_j'x, b_j) + r(x), one row of a table each. Gradient A' phi'(A x) / m +
 * grad r, Hessian A' diag(phi'') A / m + Hess r. An intercept is one more entry of x, behind the features, not
 * regularised.
 *
 * Losses and regularisers see a block of inner products at a time, so that the loop over a block has no call in it.
 */
#include "problem/problems.h"

#include "base/fail.h"
#include "base/sum.h"

#include <float.h>
#include <lapacke.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    double lambda, delta, gamma, l1;
    int64_t intercept, weights;
} linear_param;

typedef struct {
    linear_param param; /* first: options are parsed into it */
    p2pi_rows a;
    const double *b;
} linear;

/* phi, phi' and phi'' of n inner products u with labels b. */
typedef void loss(const linear_param *p, size_t n, const double *u, const double *b, double *out);

typedef enum { REGULAR_NONE, REGULAR_L2, REGULAR_NONCONVEX } regular;

typedef struct {
    loss *value, *slope, *curve;
    double (*curvature)(const linear_param *p); /* c: phi'' lies in [0, c] */
    regular regular;
    int two_classes; /* labels are taken as -1 and +1 */
    int quadratic;   /* phi'' is constant: the Hessian tells the strong convexity */
} model;

/* ---- losses */

static void
squares_value(const linear_param *p, size_t n, const double *u, const double *b, double *out)
{
    (void)p;
    for (size_t i = 0; i < n; i++)
        out[i] = 0.5 * (u[i] - b[i]) * (u[i] - b[i]);
}

static void
squares_slope(const linear_param *p, size_t n, const double *u, const double *b, double *out)
{
    (void)p;
    for (size_t i = 0; i < n; i++)
        out[i] = u[i] - b[i];
}

static void
squares_curve(const linear_param *p, size_t n, const double *u, const double *b, double *out)
{
    (void)p, (void)u, (void)b;
    for (size_t i = 0; i < n; i++)
        out[i] = 1;
}

static double
one(const linear_param *p)
{
    (void)p;
    return 1;
}

/* Huber: quadratic to delta, then straight. */
static void
huber_value(const linear_param *p, size_t n, const double *u, const double *b, double *out)
{
    for (size_t i = 0; i < n; i++) {
        double r = fabs(u[i] - b[i]);

        out[i] = r <= p->delta ? 0.5 * r * r : p->delta * r - 0.5 * p->delta * p->delta;
    }
}

static void
huber_slope(const linear_param *p, size_t n, const double *u, const double *b, double *out)
{
    for (size_t i = 0; i < n; i++)
        out[i] = fmin(fmax(u[i] - b[i], -p->delta), p->delta);
}

static void
huber_curve(const linear_param *p, size_t n, const double *u, const double *b, double *out)
{
    for (size_t i = 0; i < n; i++)
        out[i] = fabs(u[i] - b[i]) <= p->delta;
}

/* s(-z), the logistic function, without overflow for any z. */
static double
logistic_tail(double z)
{
    return 0.5 * (1 + tanh(-0.5 * z));
}

static void
logistic_value(const linear_param *p, size_t n, const double *u, const double *b, double *out)
{
    (void)p;
    for (size_t i = 0; i < n; i++) {
        double z = b[i] * u[i];

        out[i] = (z < 0 ? -z : 0) + log1p(exp(-fabs(z)));
    }
}

static void
logistic_slope(const linear_param *p, size_t n, const double *u, const double *b, double *out)
{
    (void)p;
    for (size_t i = 0; i < n; i++)
        out[i] = -b[i] * logistic_tail(b[i] * u[i]);
}

static void
logistic_curve(const linear_param *p, size_t n, const double *u, const double *b, double *out)
{
    (void)p;
    for (size_t i = 0; i < n; i++) {
        double s = logistic_tail(b[i] * u[i]);

        out[i] = s * (1 - s);
    }
}

static double
quarter(const linear_param *p)
{
    (void)p;
    return 0.25;
}

/* Hinge, rounded off over a length of gamma. */
static void
hinge_value(const linear_param *p, size_t n, const double *u, const double *b, double *out)
{
    for (size_t i = 0; i < n; i++) {
        double below = 1 - b[i] * u[i];

        if (below <= 0)
            out[i] = 0;
        else
            out[i] = below < p->gamma ? below * below / (2 * p->gamma) : below - 0.5 * p->gamma;
    }
}

static void
hinge_slope(const linear_param *p, size_t n, const double *u, const double *b, double *out)
{
    for (size_t i = 0; i < n; i++) {
        double below = 1 - b[i] * u[i];

        out[i] = -b[i] * fmin(fmax(below / p->gamma, 0), 1);
    }
}

static void
hinge_curve(const linear_param *p, size_t n, const double *u, const double *b, double *out)
{
    for (size_t i = 0; i < n; i++) {
        double below = 1 - b[i] * u[i];

        out[i] = below > 0 && below < p->gamma ? 1 / p->gamma : 0;
    }
}

static double
hinge_curvature(const linear_param *p)
{
    return 1 / p->gamma;
}

/* ---- regularisers, over the features alone */

static const model *
model_of(const p2p_problem *self)
{
    return self->vt->model;
}

static double
regular_value(const p2p_problem *self, const double *x)
{
    const linear *s = self->state;
    double sum = 0;

    switch (model_of(self)->regular) {
    case REGULAR_NONE:
        break;
    case REGULAR_L2:
        P2PI_SUM(sum, s->a.cols, i, x[i] * x[i]);
        return 0.5 * s->param.lambda * sum;
    case REGULAR_NONCONVEX:
        P2PI_SUM(sum, s->a.cols, i, x[i] * x[i] / (1 + x[i] * x[i]));
        return s->param.lambda * sum;
    }
    return 0;
}

static double
regular_slope(regular kind, double lambda, double x)
{
    double q = 1 + x * x;

    switch (kind) {
    case REGULAR_L2:
        return lambda * x;
    case REGULAR_NONCONVEX:
        return 2 * lambda * x / (q * q);
    default:
        return 0;
    }
}

static double
regular_curve(regular kind, double lambda, double x)
{
    double q = 1 + x * x;

    switch (kind) {
    case REGULAR_L2:
        return lambda;
    case REGULAR_NONCONVEX:
        return 2 * lambda * (1 - 3 * x * x) / (q * q * q);
    default:
        return 0;
    }
}

/* ---- passes over the rows in blocks */

/* A block of rows: which ones, their labels, and their inner products with a vector. */
typedef struct {
    p2pi_pick pick;
    double b[P2PI_BLOCK], u[P2PI_BLOCK];
} block;

static int
next_block(const linear *s, block *k, size_t all)
{
    size_t rest = all - (k->pick.first + k->pick.count), most = p2pi_rows_block(&s->a);

    k->pick.first += k->pick.count;
    k->pick.count = rest < most ? rest : most;
    for (size_t i = 0; i < k->pick.count; i++)
        k->b[i] = s->b[p2pi_pick_at(&k->pick, i)];
    return k->pick.count > 0;
}

static double
linear_value(p2p_problem *self, const double *x, const size_t *idx, size_t count)
{
    const linear *s = self->state;
    const size_t m = idx ? count : self->samples;
    block k = { .pick = { idx, 0, 0 } };
    double sum = 0;

    while (next_block(s, &k, m)) {
        double phi[P2PI_BLOCK], part;

        p2pi_rows_times(&s->a, k.pick, x, k.u);
        model_of(self)->value(&s->param, k.pick.count, k.u, k.b, phi);
        P2PI_SUM(part, k.pick.count, i, phi[i]);
        sum += part;
    }
    return sum / (double)m + regular_value(self, x);
}

static void
linear_grad(p2p_problem *self, const double *x, const size_t *idx, size_t count, double *g)
{
    const linear *s = self->state;
    const size_t m = idx ? count : self->samples;
    block k = { .pick = { idx, 0, 0 } };

    memset(g, 0, self->dim * sizeof *g);
    while (next_block(s, &k, m)) {
        double slope[P2PI_BLOCK];

        p2pi_rows_times(&s->a, k.pick, x, k.u);
        model_of(self)->slope(&s->param, k.pick.count, k.u, k.b, slope);
        p2pi_rows_add(&s->a, k.pick, slope, g);
    }
    for (size_t i = 0; i < self->dim; i++)
        g[i] /= (double)m;
    for (size_t i = 0; i < s->a.cols; i++)
        g[i] += regular_slope(model_of(self)->regular, s->param.lambda, x[i]);
}

static void
linear_hvp(p2p_problem *self, const double *x, const double *v, double *h)
{
    const linear *s = self->state;
    block k = { .pick = { NULL, 0, 0 } };

    memset(h, 0, self->dim * sizeof *h);
    while (next_block(s, &k, self->samples)) {
        double w[P2PI_BLOCK], along[P2PI_BLOCK];

        p2pi_rows_times(&s->a, k.pick, x, k.u);
        model_of(self)->curve(&s->param, k.pick.count, k.u, k.b, w);
        p2pi_rows_times(&s->a, k.pick, v, along);
        for (size_t i = 0; i < k.pick.count; i++)
            w[i] *= along[i];
        p2pi_rows_add(&s->a, k.pick, w, h);
    }
    for (size_t i = 0; i < self->dim; i++)
        h[i] /= (double)self->samples;
    for (size_t i = 0; i < s->a.cols; i++)
        h[i] += regular_curve(model_of(self)->regular, s->param.lambda, x[i]) * v[i];
}

static p2p_status
linear_hessian(p2p_problem *self, const double *x, double *h)
{
    const linear *s = self->state;
    const size_t d = self->dim, bytes = p2pi_rows_gram_work(&s->a) * sizeof(double);
    double *work = malloc(bytes);
    block k = { .pick = { NULL, 0, 0 } };

    if (work == NULL)
        return p2pi_fail_memory("Hessian", bytes);
    while (next_block(s, &k, self->samples)) {
        double w[P2PI_BLOCK];

        p2pi_rows_times(&s->a, k.pick, x, k.u);
        model_of(self)->curve(&s->param, k.pick.count, k.u, k.b, w);
        for (size_t i = 0; i < k.pick.count; i++)
            w[i] /= (double)self->samples;
        p2pi_rows_gram(&s->a, k.pick.first, k.pick.count, w, h, d, work);
    }
    free(work);
    for (size_t i = 0; i < s->a.cols; i++)
        h[i * d + i] += regular_curve(model_of(self)->regular, s->param.lambda, x[i]);
    return P2P_OK;
}

static double
linear_accuracy(p2p_problem *self, const double *x)
{
    const linear *s = self->state;
    block k = { .pick = { NULL, 0, 0 } };
    size_t right = 0;

    while (next_block(s, &k, self->samples)) {
        p2pi_rows_times(&s->a, k.pick, x, k.u);
        for (size_t i = 0; i < k.pick.count; i++)
            right += (k.u[i] >= 0) == (k.b[i] > 0);
    }
    return (double)right / (double)self->samples;
}

/* ---- constants */

/*
 * Smallest eigenvalue of a constant Hessian, less its rounding error; 0 if that is nothing. The last digits of
 * LAPACK's answer depend on the machine and would reach the step size: they are cut off.
 */
static p2p_status
smallest_eigenvalue(p2p_problem *self, double largest, double *value)
{
    const lapack_int d = (lapack_int)self->dim;
    double *h = calloc(self->dim * (self->dim + 2), sizeof *h), *x = h + self->dim * self->dim, *w = x + self->dim;
    double low = 0;
    p2p_status st = P2P_ENOMEM;

    if (h == NULL)
        return p2pi_fail_memory("Hessian", self->dim * self->dim * sizeof *h);
    if ((st = self->vt->hessian(self, x, h)) == P2P_OK && LAPACKE_dsyev(LAPACK_ROW_MAJOR, 'N', 'U', d, h, d, w) == 0)
        low = w[0] - 4 * (double)d * DBL_EPSILON * largest;
    free(h);
    *value = low > 0 ? (double)(float)(low * (1 - 1e-6)) : 0;
    return st;
}

static p2p_status
linear_constants(p2p_problem *self, double *smoothness, double *convexity)
{
    enum { DENSE_MOST = 1024 };
    const linear *s = self->state;
    const model *model = model_of(self);
    double largest;
    p2p_status st;

    if ((st = p2pi_rows_largest(&s->a, &largest)) != P2P_OK)
        return st;
    *smoothness = model->curvature(&s->param) * largest;
    if (model->regular != REGULAR_NONE)
        *smoothness += (model->regular == REGULAR_NONCONVEX ? 2 : 1) * s->param.lambda;
    *convexity = model->regular == REGULAR_L2 && !s->param.intercept ? s->param.lambda : 0;
    if (model->quadratic && self->dim <= DENSE_MOST && self->samples >= self->dim) {
        double low = 0;

        if ((st = smallest_eigenvalue(self, *smoothness, &low)) != P2P_OK)
            return st;
        *convexity = fmax(*convexity, low);
    }
    return P2P_OK;
}

/* ---- opening */

static p2p_status
take_labels(p2p_problem *self)
{
    linear *s = self->state;
    double *b, scale, shift;
    p2p_status st;

    s->b = self->data->labels;
    if (!model_of(self)->two_classes)
        return P2P_OK;
    if ((st = p2pi_classes_signs(&self->data->classes, &scale, &shift)) != P2P_OK || scale == 1)
        return st;
    if ((b = p2pi_arena_array(self->arena, self->samples, sizeof *b)) == NULL)
        return P2P_ENOMEM;
    for (size_t j = 0; j < self->samples; j++)
        b[j] = scale * self->data->labels[j] + shift;
    s->b = b;
    return P2P_OK;
}

/* l1 |x|_1 of the features is common to all nodes and in no f_i. */
static p2p_status
take_one_norm(p2p_problem *self)
{
    const linear *s = self->state;
    char text[64];

    if (s->param.l1 == 0)
        return P2P_OK;
    snprintf(text, sizeof text, s->param.intercept ? "l1:lambda=%.17g|none" : "l1:lambda=%.17g", s->param.l1);
    return p2pi_problem_set(self, text);
}

static p2p_status
linear_open(p2p_problem *self)
{
    linear *s = self->state;
    p2p_status st;

    s->a = self->data->rows;
    s->a.ones = (int)s->param.intercept;
    p2pi_problem_weigh(self, s->param.weights);
    if ((st = p2pi_problem_layer(self, "x", s->a.cols, 1, P2P_LAYER_DECAY)) != P2P_OK)
        return st;
    if (s->param.intercept && (st = p2pi_problem_layer(self, "intercept", 1, 1, 0)) != P2P_OK)
        return st;
    if ((st = take_one_norm(self)) != P2P_OK)
        return st;
    return take_labels(self);
}

/* ---- the table */

#define LAMBDA                                                                                                       \
    {                                                                                                                \
        "lambda|lam", P2P_OPT_REAL, "1e-3", "0", NULL, "weight of the regulariser", offsetof(linear_param, lambda)   \
    }
#define INTERCEPT                                                                                                    \
    {                                                                                                                \
        "intercept", P2P_OPT_BOOL, "no", NULL, NULL, "append a column of ones, not regularised",                     \
            offsetof(linear_param, intercept)                                                                        \
    }
#define END                                                                                                          \
    {                                                                                                                \
        NULL, P2P_OPT_TEXT, NULL, NULL, NULL, NULL, 0                                                                \
    }

static const p2p_option plain_options[] = { INTERCEPT, P2PI_WEIGHTS_OPTION(linear_param, weights), END };
static const p2p_option lambda_options[] = { LAMBDA, INTERCEPT, P2PI_WEIGHTS_OPTION(linear_param, weights), END };
static const p2p_option lasso_options[] = { { "lambda|lam", P2P_OPT_REAL, "1e-3", "0", NULL, "weight of the 1-norm",
                                              offsetof(linear_param, l1) },
                                            INTERCEPT,
                                            P2PI_WEIGHTS_OPTION(linear_param, weights),
                                            END };
static const p2p_option elastic_net_options[] = {
    { "l1", P2P_OPT_REAL, "1e-3", "0", NULL, "weight of the 1-norm", offsetof(linear_param, l1) },
    { "l2", P2P_OPT_REAL, "1e-3", "0", NULL, "weight of the squared 2-norm", offsetof(linear_param, lambda) },
    INTERCEPT,
    P2PI_WEIGHTS_OPTION(linear_param, weights),
    END
};
static const p2p_option huber_options[] = { { "delta", P2P_OPT_REAL, "1", "(0", NULL, "where the loss turns straight",
                                              offsetof(linear_param, delta) },
                                            LAMBDA,
                                            INTERCEPT,
                                            P2PI_WEIGHTS_OPTION(linear_param, weights),
                                            END };
static const p2p_option svm_options[] = { { "gamma", P2P_OPT_REAL, "0.5", "(0", NULL,
                                            "length over which the hinge is rounded off",
                                            offsetof(linear_param, gamma) },
                                          LAMBDA,
                                          INTERCEPT,
                                          P2PI_WEIGHTS_OPTION(linear_param, weights),
                                          END };

#define MEMBER(id, name_, help_, source_, options_, accuracy_, ...)                                                  \
    static const model model_##id = { __VA_ARGS__ };                                                                 \
    const p2pi_problem_vt p2pi_problem_##id = {                                                                      \
        .size = sizeof(p2pi_problem_vt),                                                                             \
        .entry = { name_, help_, source_, options_, sizeof(linear_param) },                                          \
        .traits = P2PI_PROBLEM_DATA,                                                                                 \
        .state_size = sizeof(linear),                                                                                \
        .model = &model_##id,                                                                                        \
        .open = linear_open,                                                                                         \
        .value = linear_value,                                                                                       \
        .grad = linear_grad,                                                                                         \
        .hvp = linear_hvp,                                                                                           \
        .hessian = linear_hessian,                                                                                   \
        .constants = linear_constants,                                                                               \
        .accuracy = accuracy_,                                                                                       \
    }

MEMBER(least_squares, "least-squares", "mean of (a'x - b)^2 / 2", "Legendre, 1805", plain_options, NULL,
       squares_value, squares_slope, squares_curve, one, REGULAR_NONE, 0, 1);
MEMBER(ridge, "ridge", "least squares + lambda/2 |x|^2", "Hoerl, Kennard, Technometrics 1970", lambda_options, NULL,
       squares_value, squares_slope, squares_curve, one, REGULAR_L2, 0, 1);
MEMBER(lasso, "lasso", "least squares + lambda |x|_1", "Tibshirani, JRSS B 1996", lasso_options, NULL, squares_value,
       squares_slope, squares_curve, one, REGULAR_NONE, 0, 1);
MEMBER(elastic_net, "elastic-net", "least squares + l1 |x|_1 + l2/2 |x|^2", "Zou, Hastie, JRSS B 2005",
       elastic_net_options, NULL, squares_value, squares_slope, squares_curve, one, REGULAR_L2, 0, 1);
MEMBER(huber, "huber", "Huber's robust regression + lambda/2 |x|^2", "Huber, Annals of Mathematical Statistics 1964",
       huber_options, NULL, huber_value, huber_slope, huber_curve, one, REGULAR_L2, 0, 0);
MEMBER(logistic, "logistic", "logistic regression of two classes + lambda/2 |x|^2", "Cox, JRSS B 1958",
       lambda_options, linear_accuracy, logistic_value, logistic_slope, logistic_curve, quarter, REGULAR_L2, 1, 0);
MEMBER(logistic_nc, "logistic-nc", "logistic regression + nonconvex lambda sum x^2/(1+x^2)",
       "Antoniadis, Gijbels, Nikolova, AISM 2011", lambda_options, linear_accuracy, logistic_value, logistic_slope,
       logistic_curve, quarter, REGULAR_NONCONVEX, 1, 0);
MEMBER(svm, "svm", "support vector machine with a smoothed hinge + lambda/2 |x|^2",
       "Shalev-Shwartz, Zhang, JMLR 2013", svm_options, linear_accuracy, hinge_value, hinge_slope, hinge_curve,
       hinge_curvature, REGULAR_L2, 1, 0);
