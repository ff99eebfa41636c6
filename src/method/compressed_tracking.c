/*
 * Gradient tracking by compressed innovations: C-GT and BEER. Both send two vectors in one stage, slots 0 and 1.
 *
 *     cgt:   xd = h + C(x - h);  td = l + C(t - l);  h <- h + alpha_x (xd - h);  l <- l + alpha_y (td - l)
 *            x <- x - gossip (I - W) xd - step t;    t <- t - gossip (I - W) td + g_new - g_old
 *     beer:  x <- x - gossip (I - W) h - step t;     h <- h + C(x - h)
 *            t <- t - gossip (I - W) l + g_new - g_old;  l <- l + C(t - l)
 *
 * t^0 = grad f_i(x^0), h = l = 0. BEER mixes the estimates of the round before, so both its vectors travel together.
 *
 * Sources: Liao, Li, Huang, Pu, IEEE TAC 2022, arXiv:2103.13748; Zhao, Li, Li, Richtarik, Chi, NeurIPS 2022,
 * arXiv:2201.13320.
 */
#include "method/automatic.h"

typedef struct {
    double step, gossip, alpha_x, alpha_y;
} tracking_param;

typedef struct {
    tracking_param p;
    size_t slot_x, slot_t;
    p2p_vec t, g, s;
    p2p_estimate *h, *l;
} tracking;

static p2p_status
tracking_start(void *instance, p2p_method_context *m)
{
    tracking *self = instance;
    p2p_status st;

    if ((st = p2pi_auto_gossip(m, &self->p.gossip)) != P2P_OK ||
        (st = p2pi_auto_step(m, 0.1, 2, &self->p.step)) != P2P_OK ||
        (st = p2p_method_slot(m, P2P_SLOT_COMPRESSED, &self->slot_x)) != P2P_OK ||
        (st = p2p_method_slot(m, P2P_SLOT_COMPRESSED, &self->slot_t)) != P2P_OK ||
        (st = p2p_method_vector(m, "t", &self->t)) != P2P_OK ||
        (st = p2p_method_vector(m, "g", &self->g)) != P2P_OK || (st = p2p_method_scratch(m, &self->s)) != P2P_OK ||
        (st = p2p_method_estimate(m, "h", &self->h)) != P2P_OK ||
        (st = p2p_method_estimate(m, "l", &self->l)) != P2P_OK ||
        (st = p2p_method_grad(m, 0, p2p_view_of(m->x), self->g)) != P2P_OK)
        return st;
    p2p_vec_copy(self->t, p2p_view_of(self->g));
    return P2P_OK;
}

/* x <- x - gossip (I - W) e - step t */
static void
descend(tracking *self, p2p_method_context *m, const p2p_estimate *e)
{
    p2p_estimate_laplacian(m, e, self->s);
    p2p_vec_combine3(m->x, 1, p2p_view_of(m->x), -self->p.gossip, p2p_view_of(self->s), -self->p.step,
                     p2p_view_of(self->t));
}

/* t <- t - gossip (I - W) e + g_new - g_old */
static p2p_status
track(tracking *self, p2p_method_context *m, const p2p_estimate *e)
{
    p2p_vec t = self->t, s = self->s;
    p2p_status st;

    p2p_estimate_laplacian(m, e, s);
    p2p_vec_combine3(t, 1, p2p_view_of(t), -self->p.gossip, p2p_view_of(s), -1, p2p_view_of(self->g));
    if ((st = p2p_method_grad(m, m->round + 1, p2p_view_of(m->x), self->g)) == P2P_OK)
        p2p_vec_axpy(t, 1, p2p_view_of(self->g));
    return st;
}

static p2p_status
send_both(tracking *self, p2p_method_context *m)
{
    p2p_status st = p2p_method_send_innovation(m, self->slot_x, self->h, p2p_view_of(m->x), 1);

    return st == P2P_OK ? p2p_method_send_innovation(m, self->slot_t, self->l, p2p_view_of(self->t), 1) : st;
}

/* ---- cgt */

static p2p_status
cgt_emit(void *instance, p2p_method_context *m, size_t stage)
{
    (void)stage;
    return send_both(instance, m);
}

/* From xd back to h + alpha (xd - h). */
static p2p_status
take_back(p2p_method_context *m, p2p_estimate *e, size_t slot, double alpha)
{
    return alpha < 1 ? p2p_estimate_update(m, e, slot, alpha - 1) : P2P_OK;
}

static p2p_status
cgt_absorb(void *instance, p2p_method_context *m, size_t stage)
{
    tracking *self = instance;
    p2p_status st;

    (void)stage;
    if ((st = p2p_estimate_update(m, self->h, self->slot_x, 1)) != P2P_OK ||
        (st = p2p_estimate_update(m, self->l, self->slot_t, 1)) != P2P_OK)
        return st;
    descend(self, m, self->h);
    if ((st = track(self, m, self->l)) != P2P_OK ||
        (st = take_back(m, self->h, self->slot_x, self->p.alpha_x)) != P2P_OK)
        return st;
    return take_back(m, self->l, self->slot_t, self->p.alpha_y);
}

static const p2p_option cgt_options[] = {
    { "step", P2P_OPT_REAL, "auto", "(0", NULL, "step size", offsetof(tracking_param, step) },
    { "gossip", P2P_OPT_REAL, "auto", "(0", NULL, "mixing gain, at most 1/beta", offsetof(tracking_param, gossip) },
    { "alpha_x", P2P_OPT_REAL, "1", "(0", "1", "share of the innovation that moves the estimate of x",
      offsetof(tracking_param, alpha_x) },
    { "alpha_y", P2P_OPT_REAL, "1", "(0", "1", "share of the innovation that moves the estimate of t",
      offsetof(tracking_param, alpha_y) },
    { NULL, P2P_OPT_TEXT, NULL, NULL, NULL, NULL, 0 }
};
const p2p_method_vt p2pi_method_cgt = {
    .size = sizeof(p2p_method_vt),
    .entry = { "cgt", "C-GT: gradient tracking by compressed innovations; two vectors a round", "arXiv:2103.13748",
               cgt_options, sizeof(tracking_param) },
    .traits = P2P_METHOD_EXACT,
    .instance_size = sizeof(tracking),
    .stages = 1,
    .start = tracking_start,
    .emit = cgt_emit,
    .absorb = cgt_absorb,
};

/* ---- beer */

static p2p_status
beer_emit(void *instance, p2p_method_context *m, size_t stage)
{
    tracking *self = instance;
    p2p_status st;

    (void)stage;
    descend(self, m, self->h);
    if ((st = track(self, m, self->l)) != P2P_OK)
        return st;
    return send_both(self, m);
}

static p2p_status
beer_absorb(void *instance, p2p_method_context *m, size_t stage)
{
    tracking *self = instance;
    p2p_status st;

    (void)stage;
    if ((st = p2p_estimate_update(m, self->h, self->slot_x, 1)) != P2P_OK)
        return st;
    return p2p_estimate_update(m, self->l, self->slot_t, 1);
}

static const p2p_option beer_options[] = {
    { "step", P2P_OPT_REAL, "auto", "(0", NULL, "step size", offsetof(tracking_param, step) },
    { "gossip", P2P_OPT_REAL, "auto", "(0", NULL, "mixing gain, at most 1/beta", offsetof(tracking_param, gossip) },
    { NULL, P2P_OPT_TEXT, NULL, NULL, NULL, NULL, 0 }
};
const p2p_method_vt p2pi_method_beer = {
    .size = sizeof(p2p_method_vt),
    .entry = { "beer", "BEER: compressed gradient tracking for nonconvex problems; two vectors a round",
               "arXiv:2201.13320", beer_options, sizeof(tracking_param) },
    .traits = P2P_METHOD_EXACT,
    .instance_size = sizeof(tracking),
    .stages = 1,
    .start = tracking_start,
    .emit = beer_emit,
    .absorb = beer_absorb,
};
