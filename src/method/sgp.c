/*
 * Stochastic gradient push, for directed graphs: a node shares out what it holds, a vector v and a number w, among
 * those it can send to, and what the shares have done to v they have done to w.
 *
 *     v_i <- sum_j p_ij (v_j - step_k g_j(x_j));   w_i <- sum_j p_ij w_j;   x_i = v_i / w_i         v^0 = x^0, w^0 =
 * 1
 *
 * p_ij is the share that j gives to i; only the columns sum to 1. The sum of all w stays n. A constant step stops at
 * a neighbourhood of the optimum, as in dgd. Wire: a vector and a number.
 *
 * Source: Assran, Loizou, Ballas, Rabbat, ICML 2019, arXiv:1811.10792; push-sum: Kempe, Dobra, Gehrke, FOCS 2003.
 */
#include "method/automatic.h"

#include "base/fail.h"

typedef struct {
    double step, decay;
} sgp_param;

typedef struct {
    sgp_param p;
    int flat; /* f = 0 */
    size_t slot_v, slot_w;
    p2p_vec v, g;
    double w;
} sgp;

static p2p_status
sgp_start(void *instance, p2p_method_context *m)
{
    sgp *self = instance;
    p2p_status st;

    self->flat = (p2p_problem_flags(m->problem) & P2P_PROBLEM_ZERO) != 0;
    if ((st = p2pi_auto_step(m, 1, 2, &self->p.step)) != P2P_OK ||
        (st = p2p_method_slot(m, P2P_SLOT_RAW, &self->slot_v)) != P2P_OK ||
        (st = p2p_method_slot(m, P2P_SLOT_SCALAR, &self->slot_w)) != P2P_OK ||
        (st = p2p_method_vector(m, "v", &self->v)) != P2P_OK ||
        (st = p2p_method_scalar(m, "w", &self->w)) != P2P_OK || (st = p2p_method_scratch(m, &self->g)) != P2P_OK)
        return st;
    self->w = 1;
    p2p_vec_copy(self->v, p2p_view_of(m->x));
    return P2P_OK;
}

static p2p_status
sgp_emit(void *instance, p2p_method_context *m, size_t stage)
{
    sgp *self = instance;
    p2p_status st;

    (void)stage;
    m->step = self->p.step / (1 + self->p.decay * m->round);
    if (!self->flat) {
        if ((st = p2p_method_grad(m, m->round, p2p_view_of(m->x), self->g)) != P2P_OK)
            return st;
        p2p_vec_axpy(self->v, -m->step, p2p_view_of(self->g));
    }
    if ((st = p2p_method_send(m, self->slot_v, p2p_view_of(self->v), 1)) != P2P_OK)
        return st;
    p2p_method_send_scalar(m, self->slot_w, self->w);
    return P2P_OK;
}

static p2p_status
sgp_absorb(void *instance, p2p_method_context *m, size_t stage)
{
    sgp *self = instance;
    p2p_status st = p2p_method_mix(m, self->slot_v, 0, p2p_view_of(self->v), 1, self->v);

    (void)stage;
    if (st != P2P_OK)
        return st;
    self->w = p2p_method_mix_scalar(m, self->slot_w);
    p2p_vec_combine(m->x, 1 / self->w, p2p_view_of(self->v), 0, p2p_view_of(self->v));
    return P2P_OK;
}

static const p2p_option sgp_options[] = {
    { "step", P2P_OPT_REAL, "auto", "(0", NULL, "step size of round 0", offsetof(sgp_param, step) },
    { "decay", P2P_OPT_REAL, "0", "0", NULL, "step_k = step / (1 + decay k)", offsetof(sgp_param, decay) },
    { NULL, P2P_OPT_TEXT, NULL, NULL, NULL, NULL, 0 }
};
const p2p_method_vt p2pi_method_sgp = {
    .size = sizeof(p2p_method_vt),
    .entry = { "sgp", "stochastic gradient push: directed graphs; approximate with a constant step",
               "arXiv:1811.10792", sgp_options, sizeof(sgp_param) },
    .traits = P2P_METHOD_RAW | P2P_METHOD_PUSH,
    .instance_size = sizeof(sgp),
    .stages = 1,
    .start = sgp_start,
    .emit = sgp_emit,
    .absorb = sgp_absorb,
};
