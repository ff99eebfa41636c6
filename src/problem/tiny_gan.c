/*
 * A generator that shifts noise z by theta, and a discriminator psi that tells its samples from real ones, a:
 *
 *     min over theta, max over psi:  mean_j log s(psi'a_j) + mean_j log s(-psi'(theta + z_j))
 *                                    + lambda/2 |theta|^2 - gamma/2 |psi|^2,   s the logistic function
 *
 * Smooth, not monotone; stable where theta is mean a - mean z and psi is 0. Samples of a node: a = mean + normal/2,
 * mean uniform in [-1, 1) and common (data stream, node 0, round 5), normal from round 6; z = normal/2 from round 7.
 *
 * Source: a linear discriminator as in Mescheder, Geiger, Nowozin, ICML 2018, arXiv:1801.04406, section 2.
 */
#include "problem/problems.h"

#include "base/fail.h"

#include <p2popt/random.h>

#include <math.h>
#include <string.h>

typedef struct {
    int64_t p, samples;
    double gamma, lambda;
} gan_param;

typedef struct {
    gan_param param; /* first: options are parsed into it */
    size_t p;
    double *a, *z; /* samples x p */
} gan;

/* s(t), without overflow for any t. */
static double
logistic(double t)
{
    return 0.5 * (1 + tanh(0.5 * t));
}

/* log s(-t) = -log(1 + e^t) */
static double
log_tail(double t)
{
    return -((t > 0 ? t : 0) + log1p(exp(-fabs(t))));
}

/* psi'a of a real sample, psi'(theta + z) of a made one. */
static double
real_score(const gan *s, const double *x, size_t j)
{
    const double *psi = x + s->p, *a = s->a + j * s->p;
    double sum = 0;

    for (size_t k = 0; k < s->p; k++)
        sum += psi[k] * a[k];
    return sum;
}

static double
made_score(const gan *s, const double *x, size_t j)
{
    const double *theta = x, *psi = x + s->p, *z = s->z + j * s->p;
    double sum = 0;

    for (size_t k = 0; k < s->p; k++)
        sum += psi[k] * (theta[k] + z[k]);
    return sum;
}

static double
gan_value(p2p_problem *self, const double *x, const size_t *idx, size_t count)
{
    const gan *s = self->state;
    const size_t m = idx ? count : self->samples;
    double sum = 0, theta = 0, psi = 0;

    for (size_t i = 0; i < m; i++) {
        const size_t j = idx ? idx[i] : i;

        sum += log_tail(-real_score(s, x, j)) + log_tail(made_score(s, x, j));
    }
    for (size_t k = 0; k < s->p; k++) {
        theta += x[k] * x[k];
        psi += x[s->p + k] * x[s->p + k];
    }
    return sum / (double)m + 0.5 * s->param.lambda * theta - 0.5 * s->param.gamma * psi;
}

static void
gan_grad(p2p_problem *self, const double *x, const size_t *idx, size_t count, double *g)
{
    const gan *s = self->state;
    const size_t m = idx ? count : self->samples, p = s->p;

    for (size_t k = 0; k < p; k++) {
        g[k] = s->param.lambda * x[k];
        g[p + k] = s->param.gamma * x[p + k];
    }
    for (size_t i = 0; i < m; i++) {
        const size_t j = idx ? idx[i] : i;
        const double real = logistic(-real_score(s, x, j)) / (double)m;
        const double made = logistic(made_score(s, x, j)) / (double)m;

        for (size_t k = 0; k < p; k++) {
            g[k] -= made * x[p + k];
            g[p + k] += made * (x[k] + s->z[j * p + k]) - real * s->a[j * p + k];
        }
    }
}

/* The derivative of the operator along v = (t, q). */
static void
gan_hvp(p2p_problem *self, const double *x, const double *v, double *h)
{
    const gan *s = self->state;
    const size_t p = s->p;
    const double m = (double)self->samples, *psi = x + p, *t = v, *q = v + p;

    for (size_t k = 0; k < p; k++) {
        h[k] = s->param.lambda * t[k];
        h[p + k] = s->param.gamma * q[k];
    }
    for (size_t j = 0; j < self->samples; j++) {
        const double *a = s->a + j * p, *z = s->z + j * p;
        const double real = logistic(real_score(s, x, j)), made = logistic(made_score(s, x, j));
        double along_real = 0, along_made = 0;

        for (size_t k = 0; k < p; k++) {
            along_real += q[k] * a[k];
            along_made += q[k] * (x[k] + z[k]) + psi[k] * t[k];
        }
        along_real *= real * (1 - real);
        along_made *= made * (1 - made);
        for (size_t k = 0; k < p; k++) {
            h[k] -= (q[k] * made + psi[k] * along_made) / m;
            h[p + k] += (t[k] * made + (x[k] + z[k]) * along_made + a[k] * along_real) / m;
        }
    }
}

/* ---- opening */

static p2p_status
draw_samples(p2p_problem *self, uint32_t round, double **out)
{
    const gan *s = self->state;
    const size_t n = self->samples * s->p;
    p2p_random r = p2p_random_open(self->seed, (uint32_t)self->node, round, P2P_STREAM_DATA);

    if ((*out = p2pi_arena_array(self->arena, n, sizeof **out)) == NULL)
        return P2P_ENOMEM;
    p2p_random_normal(&r, n, *out);
    for (size_t i = 0; i < n; i++)
        (*out)[i] *= 0.5;
    return P2P_OK;
}

static p2p_status
gan_open(p2p_problem *self)
{
    gan *s = self->state;
    p2p_random r = p2p_random_open(self->seed, 0, 5, P2P_STREAM_DATA);
    size_t entries;
    double *mean;
    p2p_status st;

    s->p = (size_t)s->param.p;
    self->samples = (size_t)s->param.samples;
    self->flags |= P2P_PROBLEM_GAME;
    if (__builtin_mul_overflow(self->samples, s->p, &entries))
        return p2p_fail(P2P_EINVAL, "%zu samples of %zu entries do not fit into memory", self->samples, s->p);
    if ((st = p2pi_problem_layer(self, "theta", s->p, 1, 0)) != P2P_OK ||
        (st = p2pi_problem_layer(self, "psi", s->p, 1, P2P_LAYER_MAX)) != P2P_OK ||
        (st = draw_samples(self, 6, &s->a)) != P2P_OK || (st = draw_samples(self, 7, &s->z)) != P2P_OK)
        return st;
    if ((mean = p2pi_arena_array(self->arena, s->p, sizeof *mean)) == NULL)
        return P2P_ENOMEM;
    p2p_random_uniform(&r, s->p, mean);
    for (size_t i = 0; i < entries; i++)
        s->a[i] += 2 * mean[i % s->p] - 1;
    return P2P_OK;
}

static const p2p_option options[] = {
    { "p", P2P_OPT_INT, "2", "1", "1e6", "entries of a sample", offsetof(gan_param, p) },
    { "samples", P2P_OPT_INT, "32", "1", "1e9", "real samples of a node, and made ones",
      offsetof(gan_param, samples) },
    { "gamma", P2P_OPT_REAL, "0.5", "0", NULL, "price of the discriminator's size", offsetof(gan_param, gamma) },
    { "lambda|lam", P2P_OPT_REAL, "0", "0", NULL, "price of the shift", offsetof(gan_param, lambda) },
    { NULL, P2P_OPT_TEXT, NULL, NULL, NULL, NULL, 0 }
};

const p2pi_problem_vt p2pi_problem_tiny_gan = {
    .size = sizeof(p2pi_problem_vt),
    .entry = { "tiny-gan", "a generator that shifts noise against a linear discriminator, drawn for each node",
               "Mescheder, Geiger, Nowozin, ICML 2018, arXiv:1801.04406", options, sizeof(gan_param) },
    .state_size = sizeof(gan),
    .open = gan_open,
    .value = gan_value,
    .grad = gan_grad,
    .hvp = gan_hvp,
    .constants = p2pi_problem_unbounded,
};
