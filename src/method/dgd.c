/*
 * Decentralised gradient descent (DGD, D-PSGD), the baseline:
 *
 *     order=cta:  x_i <- sum_j w_ij x_j - step_k g_i(x_i), then local - 1 further local steps
 *     order=atc:  local steps x_i <- x_i - step_k g_i(x_i), then x_i <- sum_j w_ij x_j
 *
 * step_k = step / (1 + decay k). The sum may be any aggregation rule. With a constant step it stops at a distance of
 * order step times heterogeneity over the spectral gap. Curvatures h and eigenvalues l of W meet in l - step h, so
 * cta is stable for step < (1 + lambda_n)/L = (2 - beta)/L only; atc, l (1 - step h), for step < 2/L.
 *
 * one-peer is the same, atc, on a topology on which a node hears one other in a round: one vector however many nodes
 * there are.
 *
 * Sources: Nedic, Ozdaglar, IEEE TAC 2009; Lian et al., NeurIPS 2017, arXiv:1705.09056; one-peer: Assran et al.,
 * ICML 2019, arXiv:1811.10792; Ying et al., NeurIPS 2021, arXiv:2110.13363.
 */
#include "method/automatic.h"

typedef struct {
    double step, decay;
    int64_t order, local;
} dgd_param;

enum { CTA, ATC };

typedef struct {
    dgd_param p;
    int flat; /* f = 0 */
    size_t slot;
    p2p_vec g;
} dgd;

static p2p_status
dgd_start(void *instance, p2p_method_context *m)
{
    dgd *self = instance;
    double limit = self->p.order == CTA ? 2 - m->setting->beta : 2;
    p2p_status st;

    self->flat = (p2p_problem_flags(m->problem) & P2P_PROBLEM_ZERO) != 0;
    if ((st = p2pi_auto_step(m, limit / 2, limit, &self->p.step)) != P2P_OK ||
        (st = p2p_method_slot(m, P2P_SLOT_AGGREGATE, &self->slot)) != P2P_OK)
        return st;
    return p2p_method_scratch(m, &self->g);
}

/* g = the gradient of local step i of the round; nothing to do where f = 0. */
static p2p_status
gradient(dgd *self, p2p_method_context *m, uint32_t i)
{
    uint32_t draw = m->round * (uint32_t)self->p.local + i;

    return self->flat ? P2P_OK : p2p_method_grad(m, draw, p2p_view_of(m->x), self->g);
}

/* Local steps number first .. local - 1 of the round. */
static p2p_status
local_steps(dgd *self, p2p_method_context *m, uint32_t first)
{
    p2p_status st;

    for (uint32_t i = first; i < (uint32_t)self->p.local && !self->flat; i++) {
        if ((st = gradient(self, m, i)) != P2P_OK)
            return st;
        p2p_vec_axpy(m->x, -m->step, p2p_view_of(self->g));
    }
    return P2P_OK;
}

static p2p_status
dgd_emit(void *instance, p2p_method_context *m, size_t stage)
{
    dgd *self = instance;
    p2p_status st = P2P_OK;

    (void)stage;
    m->step = self->p.step / (1 + self->p.decay * m->round);
    if (self->p.order == ATC)
        st = local_steps(self, m, 0);
    return st == P2P_OK ? p2p_method_send(m, self->slot, p2p_view_of(m->x), 1) : st;
}

static p2p_status
dgd_absorb(void *instance, p2p_method_context *m, size_t stage)
{
    dgd *self = instance;
    const p2p_view x = p2p_view_of(m->x), g = p2p_view_of(self->g);
    p2p_status st;

    (void)stage;
    if (self->p.order == ATC)
        return p2p_method_aggregate(m, self->slot, x, 0, g, m->x);
    if ((st = gradient(self, m, 0)) != P2P_OK ||
        (st = p2p_method_aggregate(m, self->slot, x, self->flat ? 0 : -m->step, g, m->x)) != P2P_OK)
        return st;
    return local_steps(self, m, 1);
}

#define OPTIONS(order_default)                                                                                       \
    { "step", P2P_OPT_REAL, "auto", "(0", NULL, "step size of round 0", offsetof(dgd_param, step) },                 \
        { "decay", P2P_OPT_REAL, "0", "0", NULL, "step_k = step / (1 + decay k)", offsetof(dgd_param, decay) },      \
        { "order",                                                                                                   \
          P2P_OPT_CHOICE,                                                                                            \
          order_default,                                                                                             \
          "cta|atc",                                                                                                 \
          NULL,                                                                                                      \
          "mix then step, or step then mix",                                                                         \
          offsetof(dgd_param, order) },                                                                              \
        { "local", P2P_OPT_INT, "1", "1", "1e6", "gradient steps a round", offsetof(dgd_param, local) },             \
    {                                                                                                                \
        NULL, P2P_OPT_TEXT, NULL, NULL, NULL, NULL, 0                                                                \
    }

#define HOOKS .instance_size = sizeof(dgd), .stages = 1, .start = dgd_start, .emit = dgd_emit, .absorb = dgd_absorb

static const p2p_option dgd_options[] = { OPTIONS("cta") };
const p2p_method_vt p2pi_method_dgd = {
    .size = sizeof(p2p_method_vt),
    .entry = { "dgd", "DGD / D-PSGD: the baseline; approximate with a constant step, takes robust aggregators",
               "arXiv:1705.09056", dgd_options, sizeof(dgd_param) },
    .traits = P2P_METHOD_RAW | P2P_METHOD_AGGREGATE,
    HOOKS
};

static const p2p_option one_peer_options[] = { OPTIONS("atc") };
const p2p_method_vt p2pi_method_one_peer = {
    .size = sizeof(p2p_method_vt),
    .entry = { "one-peer", "D-PSGD on a one-peer topology: one vector to one node a round, however many there are",
               "arXiv:2110.13363", one_peer_options, sizeof(dgd_param) },
    .traits = P2P_METHOD_RAW | P2P_METHOD_PAIRS,
    HOOKS
};
