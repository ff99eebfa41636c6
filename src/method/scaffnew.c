/*
 * scaffnew (ProxSkip): steps of the node's own with a control variate, and a mean only in rounds that a coin picks:
 *
 *     y = x - lr (g_i(x) - h)
 *     with probability p, the same coin at all nodes:  x <- mean y, h <- h + (p / lr)(x - y);   else x <- y
 *
 * Mishchenko, Malinovsky, Stich, Richtarik, ICML 2022, arXiv:2202.09357.
 */
#include "method/automatic.h"
#include "method/mean_over_nodes.h"

#include <math.h>

typedef struct {
    double step, p;
} scaffnew_param;

typedef struct {
    scaffnew_param p;
    p2pi_mean mean;
    p2p_vec y, h;
    int meets; /* in this round */
} scaffnew;

static p2p_status
scaffnew_start(void *instance, p2p_method_context *m)
{
    scaffnew *self = instance;
    const double kappa = m->setting->convexity > 0 ? m->setting->smoothness / m->setting->convexity : 25;
    p2p_status st;

    if (p2p_is_auto(self->p.p))
        self->p.p = fmin(1, 1 / sqrt(kappa));
    if ((st = p2pi_auto_step(m, 1, 2, &self->p.step)) != P2P_OK ||
        (st = p2pi_mean_start(&self->mean, m, P2P_SLOT_RAW)) != P2P_OK ||
        (st = p2p_method_scratch(m, &self->y)) != P2P_OK || (st = p2p_method_vector(m, "h", &self->h)) != P2P_OK)
        return st;
    p2p_method_stages(m, p2pi_mean_parts(m));
    return P2P_OK;
}

/* y. */
static p2p_status
step(scaffnew *self, p2p_method_context *m)
{
    p2p_status st = p2p_method_grad(m, m->round, p2p_view_of(m->x), self->y);

    if (st == P2P_OK)
        p2p_vec_combine3(self->y, 1, p2p_view_of(m->x), -self->p.step, p2p_view_of(self->y), self->p.step,
                         p2p_view_of(self->h));
    return st;
}

static p2p_status
scaffnew_emit(void *instance, p2p_method_context *m, size_t stage)
{
    scaffnew *self = instance;
    uint32_t word;
    p2p_status st;

    if (stage == 0) {
        p2pi_exchange_shared_words(m->exchange, 1, &word);
        self->meets = ldexp(word >> 8, -24) < self->p.p;
        if ((st = step(self, m)) != P2P_OK)
            return st;
    }
    return self->meets ? p2pi_mean_emit(&self->mean, m, stage, p2p_view_of(self->y)) : P2P_OK;
}

static p2p_status
scaffnew_absorb(void *instance, p2p_method_context *m, size_t stage)
{
    scaffnew *self = instance;
    const double a = self->p.p / self->p.step;
    const int last = stage + 1 == p2pi_mean_parts(m);
    p2p_status st = self->meets ? p2pi_mean_absorb(&self->mean, m, stage) : P2P_OK;

    if (st != P2P_OK || !last)
        return st;
    if (self->meets)
        p2p_vec_combine3(self->h, 1, p2p_view_of(self->h), a, p2p_view_of(self->mean.mean), -a, p2p_view_of(self->y));
    p2p_vec_copy(m->x, p2p_view_of(self->meets ? self->mean.mean : self->y));
    return P2P_OK;
}

static const p2p_option scaffnew_options[] = {
    { "step|lr", P2P_OPT_REAL, "auto", "(0", NULL, "step size, at most 1/L", offsetof(scaffnew_param, step) },
    { "p", P2P_OPT_REAL, "auto", "(0", "1", "probability that a round has a mean", offsetof(scaffnew_param, p) },
    { NULL, P2P_OPT_TEXT, NULL, NULL, NULL, NULL, 0 }
};

const p2p_method_vt p2pi_method_scaffnew = {
    .size = sizeof(p2p_method_vt),
    .entry = { "scaffnew", "own steps with a control variate, none, mean in random rounds, sgd: ProxSkip; exact",
               "arXiv:2202.09357", scaffnew_options, sizeof(scaffnew_param) },
    .traits = P2P_METHOD_COMPRESSES | P2P_METHOD_RAW | P2P_METHOD_EXACT,
    .instance_size = sizeof(scaffnew),
    .stages = 2,
    .start = scaffnew_start,
    .emit = scaffnew_emit,
    .absorb = scaffnew_absorb,
};
