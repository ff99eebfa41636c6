/*
 * The basic methods for variational inequalities, on one vector that all nodes have, P the projection on its set and F
 * the mean of the nodes' operators:
 *
 *     extragradient   h = P(x - step F(x));   x <- P(x - step F(h))
 *     popov           h = P(x - step g);      g <- F(h);  x <- P(x - step g)          g = F(x_0) at first
 *     frb             x <- P(x - step (2 F(x) - F(x of the round before)))
 *
 * A call of F is a mean over the nodes: a raw vector to and from the hub of a star, or to all on a complete graph.
 *
 * Sources: Korpelevich, Ekonomika i Matematicheskie Metody 12, 1976; Popov, Mathematical Notes 28, 1980; Malitsky, Tam,
 * SIAM J. Optim. 2020, arXiv:1808.04162.
 */
#include "method/automatic.h"
#include "method/mean_over_nodes.h"

typedef struct {
    double step;
} basic_param;

typedef struct {
    basic_param p;
    p2pi_mean mean;
    p2p_vec f; /* the node's own operator */
    p2p_vec h; /* half point */
    p2p_vec g; /* popov, frb: F of the round before */
} basic;

static p2p_status
basic_start(basic *self, p2p_method_context *m, size_t calls, double factor, double limit)
{
    p2p_status st;

    p2p_method_stages(m, calls * p2pi_mean_parts(m));
    if ((st = p2pi_auto_step(m, factor, limit, &self->p.step)) != P2P_OK ||
        (st = p2pi_mean_start(&self->mean, m, P2P_SLOT_RAW)) != P2P_OK)
        return st;
    return p2p_method_scratch(m, &self->f);
}

/* Part of a call of F at a point; draw is its number among the minibatches. */
static p2p_status
ask(basic *self, p2p_method_context *m, size_t part, uint32_t draw, p2p_view at)
{
    p2p_status st = part == 0 ? p2p_method_grad(m, draw, at, self->f) : P2P_OK;

    return st == P2P_OK ? p2pi_mean_emit(&self->mean, m, part, p2p_view_of(self->f)) : st;
}

/* Take a part; *there tells whether F is there. */
static p2p_status
answer(basic *self, p2p_method_context *m, size_t part, int *there)
{
    *there = part + 1 == p2pi_mean_parts(m);
    return p2pi_mean_absorb(&self->mean, m, part);
}

/* z = P(x - step g) */
static p2p_status
step_from_x(const basic *self, p2p_method_context *m, p2p_vec g, p2p_vec z)
{
    p2p_vec_combine(z, 1, p2p_view_of(m->x), -self->p.step, p2p_view_of(g));
    return p2p_problem_prox(m->problem, self->p.step, z);
}

/* ---- extragradient */

static p2p_status
extragradient_start(void *instance, p2p_method_context *m)
{
    basic *self = instance;
    p2p_status st = basic_start(self, m, 2, 0.7, 1);

    return st == P2P_OK ? p2p_method_scratch(m, &self->h) : st;
}

static p2p_status
extragradient_emit(void *instance, p2p_method_context *m, size_t stage)
{
    basic *self = instance;
    const size_t parts = p2pi_mean_parts(m), call = stage / parts;

    return ask(self, m, stage % parts, 2 * m->round + (uint32_t)call, p2p_view_of(call == 0 ? m->x : self->h));
}

static p2p_status
extragradient_absorb(void *instance, p2p_method_context *m, size_t stage)
{
    basic *self = instance;
    const size_t parts = p2pi_mean_parts(m);
    int there;
    p2p_status st = answer(self, m, stage % parts, &there);

    if (st != P2P_OK || !there)
        return st;
    return step_from_x(self, m, self->mean.mean, stage / parts == 0 ? self->h : m->x);
}

/* ---- popov: the first call is there in round 0 alone */

static int
is_left_out(const p2p_method_context *m, size_t call)
{
    return call == 0 && m->round > 0;
}

static p2p_status
popov_start(void *instance, p2p_method_context *m)
{
    basic *self = instance;
    p2p_status st = basic_start(self, m, 2, 0.4, 0.5);

    if (st != P2P_OK || (st = p2p_method_scratch(m, &self->h)) != P2P_OK)
        return st;
    return p2p_method_vector(m, "g", &self->g);
}

static p2p_status
popov_emit(void *instance, p2p_method_context *m, size_t stage)
{
    basic *self = instance;
    const size_t parts = p2pi_mean_parts(m), part = stage % parts, call = stage / parts;
    p2p_status st = P2P_OK;

    if (is_left_out(m, call))
        return P2P_OK;
    if (call == 0)
        return ask(self, m, part, 0, p2p_view_of(m->x));
    if (part == 0)
        st = step_from_x(self, m, self->g, self->h);
    return st == P2P_OK ? ask(self, m, part, m->round + 1, p2p_view_of(self->h)) : st;
}

static p2p_status
popov_absorb(void *instance, p2p_method_context *m, size_t stage)
{
    basic *self = instance;
    const size_t parts = p2pi_mean_parts(m), call = stage / parts;
    int there;
    p2p_status st;

    if (is_left_out(m, call))
        return P2P_OK;
    if ((st = answer(self, m, stage % parts, &there)) != P2P_OK || !there)
        return st;
    p2p_vec_copy(self->g, p2p_view_of(self->mean.mean));
    return call == 0 ? P2P_OK : step_from_x(self, m, self->g, m->x);
}

/* ---- frb */

static p2p_status
frb_start(void *instance, p2p_method_context *m)
{
    basic *self = instance;
    p2p_status st = basic_start(self, m, 1, 0.4, 0.5);

    return st == P2P_OK ? p2p_method_vector(m, "g", &self->g) : st;
}

static p2p_status
frb_emit(void *instance, p2p_method_context *m, size_t stage)
{
    return ask(instance, m, stage, m->round, p2p_view_of(m->x));
}

static p2p_status
frb_absorb(void *instance, p2p_method_context *m, size_t stage)
{
    basic *self = instance;
    int there;
    p2p_status st = answer(self, m, stage, &there);

    if (st != P2P_OK || !there)
        return st;
    if (m->round == 0)
        p2p_vec_copy(self->g, p2p_view_of(self->mean.mean));
    p2p_vec_combine(self->f, 2, p2p_view_of(self->mean.mean), -1, p2p_view_of(self->g));
    p2p_vec_copy(self->g, p2p_view_of(self->mean.mean));
    return step_from_x(self, m, self->f, m->x);
}

/* ---- the members */

#define BASIC(id, name, help, source, limit)                                                                         \
    static const p2p_option id##_options[] = {                                                                       \
        { "step", P2P_OPT_REAL, "auto", "(0", NULL, "step size, below " limit, offsetof(basic_param, step) },        \
        { NULL, P2P_OPT_TEXT, NULL, NULL, NULL, NULL, 0 }                                                            \
    };                                                                                                               \
    const p2p_method_vt p2pi_method_##id = { .size = sizeof(p2p_method_vt),                                          \
                                             .entry = { name, help, source, id##_options, sizeof(basic_param) },     \
                                             .traits = P2P_METHOD_RAW | P2P_METHOD_EXACT | P2P_METHOD_OPERATOR |     \
                                                       P2P_METHOD_PROX,                                              \
                                             .instance_size = sizeof(basic),                                         \
                                             .stages = 2,                                                            \
                                             .start = id##_start,                                                    \
                                             .emit = id##_emit,                                                      \
                                             .absorb = id##_absorb }

BASIC(extragradient, "extragradient", "games over a hub: a step, and another with the operator found there",
      "Korpelevich, Ekonomika i Mat. Metody 1976", "1/L");
BASIC(popov, "popov", "games over a hub: extragradient with the operator of the last half point", "Popov, Math. Notes 1980",
      "1/(2L)");
BASIC(frb, "frb", "games over a hub: forward-reflected-backward, optimistic descent-ascent without a set",
      "arXiv:1808.04162", "1/(2L)");
