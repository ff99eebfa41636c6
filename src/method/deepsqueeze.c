/*
 * DeepSqueeze: the error-compensated model itself is compressed and mixed.
 *
 *     v = x - step g + r;  q = C(v) -> sent;  r <- v - q;  x <- x - step g - gossip sum_j w_ij (q_i - q_j)
 *
 * What is lost is of the size of the model, not of an innovation: it ends in a neighbourhood of the optimum.
 *
 * Source: Tang et al., "DeepSqueeze: decentralization meets error-compensated compression", arXiv:1907.07346.
 */
#include "method/automatic.h"

typedef struct {
    double step, gossip;
} deepsqueeze_param;

typedef struct {
    deepsqueeze_param p;
    size_t slot;
    p2p_vec r, g, q; /* r: v from emit to absorb */
} deepsqueeze;

static p2p_status
deepsqueeze_start(void *instance, p2p_method_context *m)
{
    deepsqueeze *self = instance;
    p2p_status st;

    if ((st = p2pi_auto_gossip(m, &self->p.gossip)) != P2P_OK ||
        (st = p2pi_auto_step(m, 0.1, 2, &self->p.step)) != P2P_OK ||
        (st = p2p_method_slot(m, P2P_SLOT_COMPRESSED, &self->slot)) != P2P_OK ||
        (st = p2p_method_vector(m, "r", &self->r)) != P2P_OK || (st = p2p_method_scratch(m, &self->g)) != P2P_OK)
        return st;
    return p2p_method_scratch(m, &self->q);
}

static p2p_status
deepsqueeze_emit(void *instance, p2p_method_context *m, size_t stage)
{
    deepsqueeze *self = instance;
    p2p_status st;

    (void)stage;
    if ((st = p2p_method_grad(m, m->round, p2p_view_of(m->x), self->g)) != P2P_OK)
        return st;
    p2p_vec_axpy(m->x, -self->p.step, p2p_view_of(self->g));
    p2p_vec_axpy(self->r, 1, p2p_view_of(m->x));
    return p2p_method_send(m, self->slot, p2p_view_of(self->r), 1);
}

static p2p_status
deepsqueeze_absorb(void *instance, p2p_method_context *m, size_t stage)
{
    deepsqueeze *self = instance;
    const double gossip = self->p.gossip;
    p2p_status st;

    (void)stage;
    if ((st = p2p_method_sent(m, self->slot, self->q)) != P2P_OK)
        return st;
    p2p_vec_axpy(self->r, -1, p2p_view_of(self->q));
    p2p_vec_axpy(m->x, -gossip, p2p_view_of(self->q));
    return p2p_method_mix(m, self->slot, 1, p2p_view_of(m->x), gossip, m->x);
}

static const p2p_option deepsqueeze_options[] = {
    { "step", P2P_OPT_REAL, "auto", "(0", NULL, "step size", offsetof(deepsqueeze_param, step) },
    { "gossip", P2P_OPT_REAL, "auto", "(0", NULL, "mixing gain, at most 1/beta",
      offsetof(deepsqueeze_param, gossip) },
    { NULL, P2P_OPT_TEXT, NULL, NULL, NULL, NULL, 0 }
};
const p2p_method_vt p2pi_method_deepsqueeze = {
    .size = sizeof(p2p_method_vt),
    .entry = { "deepsqueeze", "DeepSqueeze: mixes the compressed model with error feedback; approximate",
               "arXiv:1907.07346", deepsqueeze_options, sizeof(deepsqueeze_param) },
    .instance_size = sizeof(deepsqueeze),
    .stages = 1,
    .start = deepsqueeze_start,
    .emit = deepsqueeze_emit,
    .absorb = deepsqueeze_absorb,
};
