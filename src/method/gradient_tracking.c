/*
 * Gradient tracking: t follows the swarm's mean gradient, x descends along it. Two raw vectors a round, two stages.
 * gt-ogda tracks the optimistic operator instead, for games.
 *
 *     order=atc:     x <- W (x - step t);   t <- W (t + g_new - g_old)
 *     order=diging:  x <- W x - step t;     t <- W t + g_new - g_old          t^0 = grad f_i(x^0)
 *     gt-ogda:       order=atc with g = 2 F_i(x^k) - F_i(x^{k-1}),             t^0 = F_i(x^0)
 *
 * W may change from round to round, as long as it is doubly stochastic.
 *
 * Sources: Nedic, Olshevsky, Shi, SIAM J. Optim. 2017, arXiv:1607.03218; Qu, Li, IEEE TCNS 2018; Xu et al., CDC 2015;
 * the optimistic operator: Malitsky, Tam, SIAM J. Optim. 2020, arXiv:1808.04162.
 */
#include "method/automatic.h"

typedef struct {
    double step;
    int64_t order;
} gt_param;

enum { ATC, DIGING };

typedef struct {
    gt_param p;
    size_t slot_x, slot_t;
    p2p_vec t, g, v; /* v: what is sent, then g_new - g_old */
    p2p_vec f;       /* gt-ogda: F_i(x^k); no data: gt */
} gt;

static p2p_status
gt_start_with(gt *self, p2p_method_context *m, double limit)
{
    p2p_status st;

    if ((st = p2pi_auto_step(m, 0.3, limit, &self->p.step)) != P2P_OK ||
        (st = p2p_method_slot(m, P2P_SLOT_RAW, &self->slot_x)) != P2P_OK ||
        (st = p2p_method_slot(m, P2P_SLOT_RAW, &self->slot_t)) != P2P_OK ||
        (st = p2p_method_vector(m, "t", &self->t)) != P2P_OK ||
        (st = p2p_method_vector(m, "g", &self->g)) != P2P_OK || (st = p2p_method_scratch(m, &self->v)) != P2P_OK ||
        (st = p2p_method_grad(m, 0, p2p_view_of(m->x), self->g)) != P2P_OK)
        return st;
    p2p_vec_copy(self->t, p2p_view_of(self->g));
    return P2P_OK;
}

static p2p_status
gt_start(void *instance, p2p_method_context *m)
{
    return gt_start_with(instance, m, 2);
}

static p2p_status
gt_ogda_start(void *instance, p2p_method_context *m)
{
    gt *self = instance;
    p2p_status st;

    if ((st = gt_start_with(self, m, 1)) != P2P_OK || (st = p2p_method_vector(m, "f", &self->f)) != P2P_OK)
        return st;
    p2p_vec_copy(self->f, p2p_view_of(self->g));
    return P2P_OK;
}

/* v = g_new - g_old at the new x; g = g_new. */
static p2p_status
new_gradient(gt *self, p2p_method_context *m)
{
    p2p_status st;

    p2p_vec_copy(self->v, p2p_view_of(self->g));
    if ((st = p2p_method_grad(m, m->round + 1, p2p_view_of(m->x), self->g)) != P2P_OK)
        return st;
    if (self->f.data != NULL) {
        p2p_vec_combine(self->g, 2, p2p_view_of(self->g), -1, p2p_view_of(self->f));
        /* F = (g + f) / 2 */
        p2p_vec_axpby(self->f, 0.5, p2p_view_of(self->g), 0.5);
    }
    p2p_vec_sub(self->v, p2p_view_of(self->g), p2p_view_of(self->v));
    return st;
}

static p2p_status
gt_emit(void *instance, p2p_method_context *m, size_t stage)
{
    gt *self = instance;
    p2p_status st;

    if (stage == 0 && self->p.order == DIGING)
        return p2p_method_send(m, self->slot_x, p2p_view_of(m->x), 1);
    if (stage == 0) {
        p2p_vec_combine(self->v, 1, p2p_view_of(m->x), -self->p.step, p2p_view_of(self->t));
        return p2p_method_send(m, self->slot_x, p2p_view_of(self->v), 1);
    }
    if ((st = new_gradient(self, m)) != P2P_OK)
        return st;
    if (self->p.order == ATC)
        p2p_vec_axpy(self->t, 1, p2p_view_of(self->v));
    return p2p_method_send(m, self->slot_t, p2p_view_of(self->t), 1);
}

static p2p_status
gt_absorb(void *instance, p2p_method_context *m, size_t stage)
{
    gt *self = instance;
    const int diging = self->p.order == DIGING;

    if (stage == 0)
        return p2p_method_mix(m, self->slot_x, diging ? -self->p.step : 0, p2p_view_of(self->t), 1, m->x);
    return p2p_method_mix(m, self->slot_t, diging ? 1 : 0, p2p_view_of(self->v), 1, self->t);
}

static const p2p_option gt_options[] = { { "step", P2P_OPT_REAL, "auto", "(0", NULL,
                                           "step size; theory asks for order gap^2/L", offsetof(gt_param, step) },
                                         { "order", P2P_OPT_CHOICE, "atc", "atc|diging", NULL,
                                           "step then mix, or mix then step", offsetof(gt_param, order) },
                                         { NULL, P2P_OPT_TEXT, NULL, NULL, NULL, NULL, 0 } };
const p2p_method_vt p2pi_method_gt = {
    .size = sizeof(p2p_method_vt),
    .entry = { "gt", "gradient tracking (DIGing, ATC): exact and linear, uncompressed; two vectors a round",
               "arXiv:1607.03218", gt_options, sizeof(gt_param) },
    .traits = P2P_METHOD_RAW | P2P_METHOD_EXACT,
    .instance_size = sizeof(gt),
    .stages = 2,
    .start = gt_start,
    .emit = gt_emit,
    .absorb = gt_absorb,
};

static const p2p_option gt_ogda_options[] = { { "step", P2P_OPT_REAL, "auto", "(0", NULL,
                                                "step size; theory asks for order gap^2/L", offsetof(gt_param, step) },
                                              { NULL, P2P_OPT_TEXT, NULL, NULL, NULL, NULL, 0 } };
const p2p_method_vt p2pi_method_gt_ogda = {
    .size = sizeof(p2p_method_vt),
    .entry = { "gt-ogda", "tracking of the optimistic operator: games without a set, exact and linear, uncompressed",
               "arXiv:1808.04162", gt_ogda_options, sizeof(gt_param) },
    .traits = P2P_METHOD_RAW | P2P_METHOD_EXACT | P2P_METHOD_OPERATOR,
    .instance_size = sizeof(gt),
    .stages = 2,
    .start = gt_ogda_start,
    .emit = gt_emit,
    .absorb = gt_absorb,
};
