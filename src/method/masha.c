/*
 * MASHA: variance-reduced extragradient around a snapshot w, over a hub, for any compressor of one of two classes. F_i
 * is the operator of node i, F their mean, P the projection on the set.
 *
 *     masha1 (unbiased):     c = (1 - p) x + p w;  h = P(c - step F(w));   q_i = C(F_i(h) - F_i(w)) -> hub
 *                            x <- P(c - step (F(w) + mean q_i))
 *     masha2 (contractive):  h = (1 - p) x + p w - step F(w);              v_i = step (F_i(h) - F_i(w)) + e_i
 *                            q_i = C(v_i) -> hub;  e_i <- v_i - q_i;       x <- h - mean q_i
 *     both:                  with probability p, by a coin that all nodes toss alike:  w = x, and F(w) is found anew
 *
 * Every node has F(w), w and x: a round sends one compressed vector up and the mean down, and a raw one each way with
 * probability p. F(x_0) is found before the first round.
 *
 * Source: Beznosikov, Richtarik, Diskin, Ryabinin, Gasnikov, "Distributed methods with compressed communication for
 * solving variational inequalities, with theoretical guarantees", NeurIPS 2022, arXiv:2110.03313.
 */
#include "method/automatic.h"
#include "method/mean_over_nodes.h"

#include <math.h>

typedef struct {
    double step, p;
} masha_param;

typedef struct {
    masha_param p;
    p2pi_mean message, snapshot; /* the means of a round */
    p2p_vec w, own, all;         /* w, F_i(w), F(w) */
    p2p_vec c, h;                /* masha2: c is h */
    p2p_vec v, q;                /* what is compressed, what became of it */
    p2p_vec e;                   /* masha2: what messages have lost so far; no data: masha1 */
} masha;

/* ---- start */

static p2p_status
check_class(const p2p_method_context *m, unsigned class, const char *wanted)
{
    if (p2p_method_compressor(m)->traits & (class | P2P_LOSSLESS))
        return P2P_OK;
    return p2p_fail(P2P_ENOTSUP, "method \"%s\": compressor \"%s\" is not %s", m->setting->method,
                    p2pi_exchange_compressor_spec(m->exchange), wanted);
}

/* As many bits for snapshots as for messages, and a snapshot in sixteen rounds at least. */
static void
choose_p(masha *self, const p2p_method_context *m)
{
    const double real = 8.0 * (double)p2p_dtype_size(m->setting->type);

    if (p2p_is_auto(self->p.p))
        self->p.p = fmin(1, fmax(1.0 / 16, p2p_method_compressor(m)->bits_nominal / ((double)m->setting->dim * real)));
}

static p2p_status
masha_start(masha *self, p2p_method_context *m, double factor)
{
    p2p_status st;

    p2p_method_stages(m, 3 * p2pi_mean_parts(m));
    if ((st = p2pi_auto_step(m, factor, 1, &self->p.step)) != P2P_OK ||
        (st = p2pi_mean_start(&self->message, m, P2P_SLOT_COMPRESSED)) != P2P_OK ||
        (st = p2pi_mean_start(&self->snapshot, m, P2P_SLOT_RAW)) != P2P_OK ||
        (st = p2p_method_vector(m, "w", &self->w)) != P2P_OK || (st = p2p_method_vector(m, "own", &self->own)) != P2P_OK ||
        (st = p2p_method_vector(m, "all", &self->all)) != P2P_OK || (st = p2p_method_scratch(m, &self->c)) != P2P_OK ||
        (st = p2p_method_scratch(m, &self->h)) != P2P_OK || (st = p2p_method_scratch(m, &self->v)) != P2P_OK)
        return st;
    return P2P_OK;
}

/* sqrt(p) / (2 sqrt(1 + omega)) is what the proof allows; three times that is what runs bear. */
static p2p_status
masha1_start(void *instance, p2p_method_context *m)
{
    masha *self = instance;
    const p2p_compressor_constants *c = p2p_method_compressor(m);
    const double omega = c->traits & P2P_LOSSLESS ? 0 : c->omega;
    p2p_status st = check_class(m, P2P_UNBIASED, "unbiased; use masha2");

    if (st != P2P_OK)
        return st;
    choose_p(self, m);
    return masha_start(self, m, fmin(0.6, 1.5 * sqrt(self->p.p) / sqrt(1 + omega)));
}

/* Error feedback bears a quarter of the step where the game is not strongly monotone. */
static p2p_status
masha2_start(void *instance, p2p_method_context *m)
{
    masha *self = instance;
    p2p_status st = check_class(m, P2P_CONTRACTIVE, "contractive; use masha1");

    if (st != P2P_OK)
        return st;
    choose_p(self, m);
    if ((st = masha_start(self, m, m->setting->convexity > 0 ? 0.4 : 0.1)) != P2P_OK || (st = p2p_method_scratch(m, &self->q)) != P2P_OK)
        return st;
    return p2p_method_vector(m, "e", &self->e);
}

/* ---- the three means of a round: at first that of F(x_0), the message's, and that of a new snapshot */

enum { FIRST, MESSAGE, RENEW };

static int
happens(const masha *self, const p2p_method_context *m, size_t mean)
{
    if (mean == FIRST)
        return m->round == 0;
    return mean == MESSAGE || p2pi_exchange_first_coin(m->exchange, self->p.p);
}

static p2p_status
half_point(masha *self, p2p_method_context *m)
{
    p2p_vec_combine(self->c, 1 - self->p.p, p2p_view_of(m->x), self->p.p, p2p_view_of(self->w));
    p2p_vec_combine(self->h, 1, p2p_view_of(self->c), -self->p.step, p2p_view_of(self->all));
    return p2p_problem_prox(m->problem, self->p.step, self->h);
}

/* v = F_i(h) - F_i(w), or with what was lost before. */
static p2p_status
make_message(masha *self, p2p_method_context *m)
{
    p2p_status st;

    if ((st = half_point(self, m)) != P2P_OK ||
        (st = p2p_method_grad(m, 2 * m->round, p2p_view_of(self->h), self->v)) != P2P_OK)
        return st;
    p2p_vec_sub(self->v, p2p_view_of(self->v), p2p_view_of(self->own));
    if (self->e.data != NULL)
        p2p_vec_combine(self->v, self->p.step, p2p_view_of(self->v), 1, p2p_view_of(self->e));
    return P2P_OK;
}

/* w = x, and F_i there. */
static p2p_status
make_snapshot(masha *self, p2p_method_context *m)
{
    p2p_vec_copy(self->w, p2p_view_of(m->x));
    return p2p_method_grad(m, 2 * m->round + 1, p2p_view_of(self->w), self->own);
}

static p2p_status
masha_emit(void *instance, p2p_method_context *m, size_t stage)
{
    masha *self = instance;
    const size_t parts = p2pi_mean_parts(m), mean = stage / parts, part = stage % parts;
    p2p_status st = P2P_OK;

    if (!happens(self, m, mean))
        return P2P_OK;
    if (part == 0)
        st = mean == MESSAGE ? make_message(self, m) : make_snapshot(self, m);
    if (st != P2P_OK)
        return st;
    return mean == MESSAGE ? p2pi_mean_emit(&self->message, m, part, p2p_view_of(self->v))
                           : p2pi_mean_emit(&self->snapshot, m, part, p2p_view_of(self->own));
}

static p2p_status
remember_loss(masha *self, p2p_method_context *m)
{
    p2p_status st = p2p_method_sent(m, self->message.up, self->q);

    if (st == P2P_OK)
        p2p_vec_sub(self->e, p2p_view_of(self->v), p2p_view_of(self->q));
    return st;
}

static p2p_status
take_step(masha *self, p2p_method_context *m)
{
    const p2p_view g = p2p_view_of(self->message.mean);

    if (self->e.data != NULL) {
        p2p_vec_sub(m->x, p2p_view_of(self->h), g);
        return P2P_OK;
    }
    p2p_vec_combine3(m->x, 1, p2p_view_of(self->c), -self->p.step, p2p_view_of(self->all), -self->p.step, g);
    return p2p_problem_prox(m->problem, self->p.step, m->x);
}

static p2p_status
masha_absorb(void *instance, p2p_method_context *m, size_t stage)
{
    masha *self = instance;
    const size_t parts = p2pi_mean_parts(m), mean = stage / parts, part = stage % parts;
    p2p_status st;

    if (!happens(self, m, mean))
        return P2P_OK;
    if (mean == MESSAGE && part == 0 && self->e.data != NULL && (st = remember_loss(self, m)) != P2P_OK)
        return st;
    if ((st = p2pi_mean_absorb(mean == MESSAGE ? &self->message : &self->snapshot, m, part)) != P2P_OK ||
        part + 1 < parts)
        return st;
    if (mean == MESSAGE)
        return take_step(self, m);
    p2p_vec_copy(self->all, p2p_view_of(self->snapshot.mean));
    return P2P_OK;
}

/* ---- the members */

#define MASHA(id, name, help, more)                                                                                  \
    static const p2p_option id##_options[] = {                                                                       \
        { "step", P2P_OPT_REAL, "auto", "(0", NULL, "step size", offsetof(masha_param, step) },                      \
        { "p", P2P_OPT_REAL, "auto", "(0", "1", "probability of a new snapshot", offsetof(masha_param, p) },         \
        { NULL, P2P_OPT_TEXT, NULL, NULL, NULL, NULL, 0 }                                                            \
    };                                                                                                               \
    const p2p_method_vt p2pi_method_##id = { .size = sizeof(p2p_method_vt),                                          \
                                             .entry = { name, help, "arXiv:2110.03313", id##_options,                \
                                                        sizeof(masha_param) },                                       \
                                             .traits = P2P_METHOD_EXACT | P2P_METHOD_OPERATOR | more,                \
                                             .instance_size = sizeof(masha),                                         \
                                             .stages = 3,                                                            \
                                             .start = id##_start,                                                    \
                                             .emit = masha_emit,                                                     \
                                             .absorb = masha_absorb }

MASHA(masha1, "masha1", "games over a hub with unbiased compressors: differences from a snapshot; exact",
      P2P_METHOD_PROX);
MASHA(masha2, "masha2", "games without a set over a hub with contractive compressors: error feedback; exact", 0);
