/*
 * LEAD. Round 0 needs no compression, later rounds do as COLD does, but the estimate moves by alpha q only:
 *
 *     round 0:  h = x, sent as it is;  x <- x - step grad f(x)
 *     then:     y = x - step (grad f(x) + d);  q = C(y - h) -> sent
 *               yh_j = h_j + q_j;  d <- d + gossip / (2 step) sum_j w_ij (yh_i - yh_j)
 *               h_j <- h_j + alpha q_j;  x <- x - step (grad f(x) + d)
 *
 * The paper keeps W h as a running sum; its rounding errors add up in d, so the sum is computed anew here from
 * estimates of every neighbour, and the duals are kept per edge: a run ends at 3e-12 instead of 1e-9. The paper
 * leaves the first h free; x_0 it is here.
 *
 * Source: Liu, Li, Wang, Tang, Yan, "Linear convergent decentralized optimization with compression", ICLR 2021,
 * arXiv:2007.00232.
 */
#include "method/automatic.h"

#include <math.h>

typedef struct {
    double step, gossip, alpha;
} lead_param;

typedef struct {
    lead_param p;
    size_t raw, slot;
    p2p_vec g, y;
    p2p_estimate *h;
    p2p_edge_duals *d;
} lead;

static p2p_status
lead_parameters(lead *self, p2p_method_context *m)
{
    const p2p_compressor_constants *c = p2p_method_compressor(m);

    if (p2p_is_auto(self->p.gossip)) {
        if (!(c->traits & P2P_UNBIASED))
            return p2p_fail(P2P_ENOTSUP,
                            "method \"lead\": gossip=auto is for unbiased compressors such as qinf; with a "
                            "biased one give gossip of at most 0.1, or use cold");
        self->p.gossip = 1;
    }
    if (p2p_is_auto(self->p.alpha))
        self->p.alpha = c->traits & P2P_UNBIASED ? fmin(0.5, fmax(0.2, 1 / (1 + c->omega))) : 0.5;
    return p2pi_auto_step(m, 1, 2, &self->p.step);
}

static p2p_status
lead_start(void *instance, p2p_method_context *m)
{
    lead *self = instance;
    p2p_status st;

    if ((st = lead_parameters(self, m)) != P2P_OK || (st = p2p_method_slot(m, P2P_SLOT_RAW, &self->raw)) != P2P_OK ||
        (st = p2p_method_slot(m, P2P_SLOT_COMPRESSED, &self->slot)) != P2P_OK ||
        (st = p2p_method_scratch(m, &self->g)) != P2P_OK || (st = p2p_method_scratch(m, &self->y)) != P2P_OK ||
        (st = p2p_method_estimate(m, "h", &self->h)) != P2P_OK)
        return st;
    return p2p_method_edge_duals(m, "d", &self->d);
}

static p2p_status
lead_emit(void *instance, p2p_method_context *m, size_t stage)
{
    lead *self = instance;
    const double step = self->p.step;
    p2p_status st;

    (void)stage;
    if ((st = p2p_method_grad(m, m->round, p2p_view_of(m->x), self->g)) != P2P_OK)
        return st;
    if (m->round == 0) {
        st = p2p_method_send(m, self->raw, p2p_view_of(m->x), 1);
        p2p_vec_axpy(m->x, -step, p2p_view_of(self->g));
        return st;
    }
    p2p_vec_combine3(self->y, 1, p2p_view_of(m->x), -step, p2p_view_of(self->g), -step,
                     p2p_edge_duals_sum(m, self->d));
    return p2p_method_send_innovation(m, self->slot, self->h, p2p_view_of(self->y), 1);
}

static p2p_status
lead_absorb(void *instance, p2p_method_context *m, size_t stage)
{
    lead *self = instance;
    const double step = self->p.step;
    const p2p_vec no_s = { NULL, m->x.dim, m->x.type };
    p2p_status st;

    (void)stage;
    if (m->round == 0)
        return p2p_estimate_update(m, self->h, self->raw, 1);
    if ((st = p2p_estimate_update(m, self->h, self->slot, 1)) != P2P_OK)
        return st;
    p2p_estimate_laplacian_dual(m, self->h, self->p.gossip / (2 * step), self->d, no_s);
    if (self->p.alpha < 1 && (st = p2p_estimate_update(m, self->h, self->slot, self->p.alpha - 1)) != P2P_OK)
        return st;
    p2p_vec_combine3(m->x, 1, p2p_view_of(m->x), -step, p2p_view_of(self->g), -step, p2p_edge_duals_sum(m, self->d));
    return P2P_OK;
}

static const p2p_option lead_options[] = {
    { "step", P2P_OPT_REAL, "auto", "(0", NULL, "step size, at most 2/(L + mu)", offsetof(lead_param, step) },
    { "gossip", P2P_OPT_REAL, "auto", "(0", "1", "mixing gain gamma", offsetof(lead_param, gossip) },
    { "alpha", P2P_OPT_REAL, "auto", "(0", "1", "share of the innovation that moves the estimate",
      offsetof(lead_param, alpha) },
    { NULL, P2P_OPT_TEXT, NULL, NULL, NULL, NULL, 0 }
};
const p2p_method_vt p2pi_method_lead = {
    .size = sizeof(p2p_method_vt),
    .entry = { "lead", "LEAD: exact and linear with compressed innovations; for unbiased compressors",
               "arXiv:2007.00232", lead_options, sizeof(lead_param) },
    .traits = P2P_METHOD_DUAL | P2P_METHOD_EXACT,
    .instance_size = sizeof(lead),
    .stages = 1,
    .start = lead_start,
    .emit = lead_emit,
    .absorb = lead_absorb,
};
