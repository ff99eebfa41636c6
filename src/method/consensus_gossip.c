/*
 * Average consensus with compressed messages: f = 0, every x_i(0) is a value and all end at their mean.
 *
 *     choco-gossip:  q_i = C(x_i - e_i) -> sent;  e_j <- e_j + q_j;  x_i <- x_i - gossip sum_j w_ij (e_i - e_j)
 *     dyna-gossip:   the same with C = s_k Q(. / s_k), s_{k+1} = decay s_k
 *
 * The sum of all x_i stays what it was, whatever the compressor lost. With f = 0 the duals of cold would only slow
 * it.
 *
 * Source: Koloskova, Stich, Jaggi, ICML 2019, arXiv:1902.00340; the range of dyna-gossip is that of arXiv:2105.06697.
 */
#include "method/automatic.h"
#include "method/range.h"

#include <math.h>

typedef struct {
    double gossip, decay, scale;
} consensus_param;

typedef struct {
    consensus_param p;
    p2pi_range range;
    size_t slot;
    p2p_vec s;
    p2p_estimate *e;
} consensus_gossip;

static p2p_status
make_state(consensus_gossip *self, p2p_method_context *m)
{
    p2p_status st;

    if ((st = p2p_method_slot(m, P2P_SLOT_COMPRESSED, &self->slot)) != P2P_OK ||
        (st = p2p_method_scratch(m, &self->s)) != P2P_OK)
        return st;
    return p2p_method_estimate(m, "e", &self->e);
}

static p2p_status
choco_gossip_start(void *instance, p2p_method_context *m)
{
    consensus_gossip *self = instance;
    p2pi_loss loss;
    double delta;
    p2p_status st;

    if (p2p_is_auto(self->p.gossip)) {
        if ((st = p2pi_loss_tamed(m, &loss, &delta)) != P2P_OK)
            return st;
        if (loss == P2PI_EXACT || loss == P2PI_GENTLE)
            self->p.gossip = 0.5;
    }
    if ((st = p2pi_auto_gossip(m, &self->p.gossip)) != P2P_OK)
        return st;
    return make_state(self, m);
}

static p2p_status
choco_gossip_emit(void *instance, p2p_method_context *m, size_t stage)
{
    consensus_gossip *self = instance;

    (void)stage;
    return p2p_method_send_innovation(m, self->slot, self->e, p2p_view_of(m->x), 1);
}

static p2p_status
choco_gossip_absorb(void *instance, p2p_method_context *m, size_t stage)
{
    consensus_gossip *self = instance;
    p2p_status st;

    (void)stage;
    if ((st = p2p_estimate_update(m, self->e, self->slot, 1)) != P2P_OK)
        return st;
    p2p_estimate_laplacian(m, self->e, self->s);
    p2p_vec_axpy(m->x, -self->p.gossip, p2p_view_of(self->s));
    return P2P_OK;
}

static p2p_status
dyna_gossip_start(void *instance, p2p_method_context *m)
{
    consensus_gossip *self = instance;
    p2p_status st;

    if (p2p_is_auto(self->p.gossip))
        self->p.gossip = 0.3;
    if ((st = p2pi_check_gossip(m, self->p.gossip)) != P2P_OK)
        return st;
    if (p2p_is_auto(self->p.decay)) {
        if ((st = p2pi_need_figures(m, "decay")) != P2P_OK)
            return st;
        self->p.decay = 1 - 0.7 * fmin(self->p.gossip * m->setting->gap, 0.1);
    }
    if (p2p_is_auto(self->p.scale)) {
        self->p.scale = 2 * p2p_vec_norminf(p2p_view_of(m->x));
        if ((st = p2p_method_agree_max(m, &self->p.scale)) != P2P_OK)
            return st;
    }
    if ((st = p2pi_range_start(&self->range, m, self->slot)) != P2P_OK)
        return st;
    return make_state(self, m);
}

static p2p_status
dyna_gossip_emit(void *instance, p2p_method_context *m, size_t stage)
{
    consensus_gossip *self = instance;
    double scale = p2pi_range_scale(&self->range, m, self->p.scale, self->p.decay);

    (void)stage;
    return p2p_method_send_innovation(m, self->slot, self->e, p2p_view_of(m->x), scale);
}

static p2p_status
dyna_gossip_absorb(void *instance, p2p_method_context *m, size_t stage)
{
    consensus_gossip *self = instance;

    p2pi_range_watch(&self->range, m, self->p.decay);
    return choco_gossip_absorb(self, m, stage);
}

static const p2p_option choco_gossip_options[] = {
    { "gossip", P2P_OPT_REAL, "auto", "(0", NULL, "mixing gain, at most 1/beta", offsetof(consensus_param, gossip) },
    { NULL, P2P_OPT_TEXT, NULL, NULL, NULL, NULL, 0 }
};
const p2p_method_vt p2pi_method_choco_gossip = {
    .size = sizeof(p2p_method_vt),
    .entry = { "choco-gossip", "CHOCO-Gossip: average consensus by compressed innovations", "arXiv:1902.00340",
               choco_gossip_options, sizeof(consensus_param) },
    .traits = P2P_METHOD_CONSENSUS | P2P_METHOD_EXACT,
    .instance_size = sizeof(consensus_gossip),
    .stages = 1,
    .start = choco_gossip_start,
    .emit = choco_gossip_emit,
    .absorb = choco_gossip_absorb,
};

static const p2p_option dyna_gossip_options[] = {
    { "gossip", P2P_OPT_REAL, "auto", "(0", NULL, "mixing gain, at most 1/beta", offsetof(consensus_param, gossip) },
    { "decay", P2P_OPT_REAL, "auto", "(1/2", "1)", "factor of the range each round",
      offsetof(consensus_param, decay) },
    { "scale", P2P_OPT_REAL, "auto", "(0", NULL, "range of the first round", offsetof(consensus_param, scale) },
    { NULL, P2P_OPT_TEXT, NULL, NULL, NULL, NULL, 0 }
};
const p2p_method_vt p2pi_method_dyna_gossip = {
    .size = sizeof(p2p_method_vt),
    .entry = { "dyna-gossip", "average consensus with a bit an entry, in a range that shrinks with the round",
               "arXiv:2105.06697", dyna_gossip_options, sizeof(consensus_param) },
    .traits = P2P_METHOD_CONSENSUS | P2P_METHOD_RANGED | P2P_METHOD_EXACT,
    .instance_size = sizeof(consensus_gossip),
    .stages = 1,
    .start = dyna_gossip_start,
    .emit = dyna_gossip_emit,
    .absorb = dyna_gossip_absorb,
};
