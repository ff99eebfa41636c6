/*
 * Gradient steps with momentum, then a robust rule in place of the mean, over raw vectors or over tracked estimates:
 *
 *     both:           m_i <- momentum m_i + (1 - momentum) g_i(x_i);  y_i = x_i - step_k m_i,
 *                     step_k = step / (1 + decay k)
 *     robust-gossip:  y_i -> sent;  x_i <- rule(y_i; y_j)
 *     robust-choco:   q_i = C(y_i - e_i) -> sent;  e_j <- e_j + q_j;  x_i <- y_i + gossip (rule(e_i; e_j) - e_i)
 *
 * An estimate is what its owner claims to be: a liar's is bounded by the rule, not by trust, and there is no dual that
 * would add up what liars say. With the mean these are D-SGD and CHOCO-SGD. Momentum divides the noise of stochastic
 * gradients, in proportion to which robust rules err.
 *
 * Sources: Fang, Yang, Bajwa, IEEE TSIPN 2022, arXiv:1908.08098; He, Karimireddy, Jaggi 2022, arXiv:2202.01545;
 * Farhadkhani et al., ICML 2023, arXiv:2209.10931; the estimates: Koloskova, Stich, Jaggi, arXiv:1902.00340.
 */
#include "method/automatic.h"

typedef struct {
    double step, gossip, decay, momentum;
} robust_param;

typedef struct {
    robust_param p;
    size_t slot;
    p2p_vec g, v; /* v: the momentum, if there is any */
    p2p_estimate *e;
} robust;

static p2p_status
make_state(robust *self, p2p_method_context *m, unsigned kind)
{
    p2p_status st;

    if ((st = p2pi_auto_step(m, 1, 2, &self->p.step)) != P2P_OK ||
        (st = p2p_method_slot(m, kind, &self->slot)) != P2P_OK || (st = p2p_method_scratch(m, &self->g)) != P2P_OK)
        return st;
    return self->p.momentum > 0 ? p2p_method_vector(m, "v", &self->v) : P2P_OK;
}

/* x becomes y. */
static p2p_status
step(robust *self, p2p_method_context *m)
{
    const double momentum = self->p.momentum;
    p2p_status st;

    m->step = self->p.step / (1 + self->p.decay * m->round);
    if ((st = p2p_method_grad(m, m->round, p2p_view_of(m->x), self->g)) != P2P_OK)
        return st;
    if (momentum > 0)
        p2p_vec_axpby(self->v, 1 - momentum, p2p_view_of(self->g), momentum);
    p2p_vec_axpy(m->x, -m->step, p2p_view_of(momentum > 0 ? self->v : self->g));
    return P2P_OK;
}

#define STEP                                                                                                         \
    { "step", P2P_OPT_REAL, "auto", "(0", NULL, "step size of round 0", offsetof(robust_param, step) }
#define DECAY                                                                                                        \
    { "decay", P2P_OPT_REAL, "0", "0", NULL, "step_k = step / (1 + decay k)", offsetof(robust_param, decay) }
#define MOMENTUM                                                                                                     \
    { "momentum", P2P_OPT_REAL, "0", "0", "1)", "weight of the gradients before", offsetof(robust_param, momentum) }
#define END                                                                                                          \
    {                                                                                                                \
        NULL, P2P_OPT_TEXT, NULL, NULL, NULL, NULL, 0                                                                \
    }

/* ---- robust-gossip */

static p2p_status
gossip_start(void *instance, p2p_method_context *m)
{
    return make_state(instance, m, P2P_SLOT_AGGREGATE);
}

static p2p_status
gossip_emit(void *instance, p2p_method_context *m, size_t stage)
{
    robust *self = instance;
    p2p_status st = step(self, m);

    (void)stage;
    return st == P2P_OK ? p2p_method_send(m, self->slot, p2p_view_of(m->x), 1) : st;
}

static p2p_status
gossip_absorb(void *instance, p2p_method_context *m, size_t stage)
{
    robust *self = instance;

    (void)stage;
    return p2p_method_aggregate(m, self->slot, p2p_view_of(m->x), 0, p2p_view_of(self->g), m->x);
}

static const p2p_option gossip_options[] = { STEP, DECAY, MOMENTUM, END };
const p2p_method_vt p2pi_method_robust_gossip = {
    .size = sizeof(p2p_method_vt),
    .entry = { "robust-gossip", "BRIDGE, ClippedGossip, MoNNA: steps with momentum, then a robust aggregator",
               "arXiv:2202.01545", gossip_options, sizeof(robust_param) },
    .traits = P2P_METHOD_RAW | P2P_METHOD_AGGREGATE,
    .instance_size = sizeof(robust),
    .stages = 1,
    .start = gossip_start,
    .emit = gossip_emit,
    .absorb = gossip_absorb,
};

/* ---- robust-choco */

static p2p_status
choco_start(void *instance, p2p_method_context *m)
{
    robust *self = instance;
    p2p_status st;

    if ((st = p2pi_auto_gossip(m, &self->p.gossip)) != P2P_OK ||
        (st = make_state(self, m, P2P_SLOT_COMPRESSED)) != P2P_OK)
        return st;
    return p2p_method_estimate(m, "e", &self->e);
}

static p2p_status
choco_emit(void *instance, p2p_method_context *m, size_t stage)
{
    robust *self = instance;
    p2p_status st = step(self, m);

    (void)stage;
    return st == P2P_OK ? p2p_method_send_innovation(m, self->slot, self->e, p2p_view_of(m->x), 1) : st;
}

static p2p_status
choco_absorb(void *instance, p2p_method_context *m, size_t stage)
{
    robust *self = instance;
    p2p_status st;

    (void)stage;
    if ((st = p2p_estimate_update(m, self->e, self->slot, 1)) != P2P_OK ||
        (st = p2p_estimate_aggregate(m, self->e, self->g)) != P2P_OK)
        return st;
    p2p_vec_axpy(self->g, -1, p2p_estimate_own(m, self->e));
    p2p_vec_axpy(m->x, self->p.gossip, p2p_view_of(self->g));
    return P2P_OK;
}

static const p2p_option choco_options[] = {
    STEP,
    { "gossip", P2P_OPT_REAL, "auto", "(0", NULL, "mixing gain, at most 1/beta", offsetof(robust_param, gossip) },
    DECAY,
    MOMENTUM,
    END
};
const p2p_method_vt p2pi_method_robust_choco = {
    .size = sizeof(p2p_method_vt),
    .entry = { "robust-choco", "CHOCO-SGD whose estimates of neighbours pass a robust aggregator", "arXiv:1902.00340", choco_options, sizeof(robust_param) },
    .traits = P2P_METHOD_AGGREGATE,
    .instance_size = sizeof(robust),
    .stages = 1,
    .start = choco_start,
    .emit = choco_emit,
    .absorb = choco_absorb,
};
