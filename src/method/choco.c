/*
 * CHOCO-SGD and SQuARM-SGD: gradient steps, then consensus by compressed innovations.
 *
 *     local times:  v <- momentum v + g_i(x);  x <- x - step_k (g_i(x) + momentum v),  step_k = step / (1 + decay k)
 *     q_i = C(x_i - e_i) -> sent;  e_j <- e_j + q_j;  x_i <- x_i - gossip sum_j w_ij (e_i - e_j)
 *
 * CHOCO has no momentum. In SQuARM a node speaks only if ||x_i - e_i||^2 > threshold step_k^2; else q_i = 0.
 * No duals: a constant step stops at a neighbourhood of the optimum of order step; a decaying one is O(1/(n k)).
 *
 * Sources: Koloskova, Stich, Jaggi, ICML 2019, arXiv:1902.00340; Koloskova et al., ICLR 2020, arXiv:1907.09356;
 * Singh, Data, George, Diggavi, IEEE JSAIT 2021, arXiv:2005.07041.
 */
#include "method/automatic.h"

typedef struct {
    double step, gossip, decay, momentum, threshold;
    int64_t local;
} choco_param;

typedef struct {
    choco_param p;
    size_t slot;
    p2p_vec g, v; /* v: squarm */
    p2p_estimate *e;
} choco;

static p2p_status
make_state(choco *self, p2p_method_context *m, unsigned kind)
{
    p2p_status st;

    if ((st = p2pi_auto_gossip(m, &self->p.gossip)) != P2P_OK ||
        (st = p2pi_auto_step(m, 1 - self->p.momentum, 2, &self->p.step)) != P2P_OK)
        return st; /* momentum repeats a step 1 / (1 - momentum) times */
    if (p2p_is_auto(self->p.decay))
        self->p.decay = self->p.step * m->setting->convexity / 2;
    if ((st = p2p_method_slot(m, kind, &self->slot)) != P2P_OK || (st = p2p_method_scratch(m, &self->g)) != P2P_OK)
        return st;
    return p2p_method_estimate(m, "e", &self->e);
}

static p2p_status
absorb(choco *self, p2p_method_context *m)
{
    p2p_status st;

    if ((st = p2p_estimate_update(m, self->e, self->slot, 1)) != P2P_OK)
        return st;
    p2p_estimate_laplacian(m, self->e, self->g);
    p2p_vec_axpy(m->x, -self->p.gossip, p2p_view_of(self->g));
    return P2P_OK;
}

/* The local steps; without momentum v is not used. */
static p2p_status
local_steps(choco *self, p2p_method_context *m)
{
    const uint32_t local = (uint32_t)self->p.local;
    const double momentum = self->p.momentum;
    p2p_status st;

    m->step = self->p.step / (1 + self->p.decay * m->round);
    for (uint32_t i = 0; i < local; i++) {
        if ((st = p2p_method_grad(m, m->round * local + i, p2p_view_of(m->x), self->g)) != P2P_OK)
            return st;
        p2p_vec_axpy(m->x, -m->step, p2p_view_of(self->g));
        if (momentum > 0) {
            p2p_vec_axpby(self->v, 1, p2p_view_of(self->g), momentum);
            p2p_vec_axpy(m->x, -m->step * momentum, p2p_view_of(self->v));
        }
    }
    return P2P_OK;
}

/* ---- choco */

static p2p_status
choco_start(void *instance, p2p_method_context *m)
{
    return make_state(instance, m, P2P_SLOT_COMPRESSED);
}

static p2p_status
choco_emit(void *instance, p2p_method_context *m, size_t stage)
{
    choco *self = instance;
    p2p_status st = local_steps(self, m);

    (void)stage;
    return st == P2P_OK ? p2p_method_send_innovation(m, self->slot, self->e, p2p_view_of(m->x), 1) : st;
}

static p2p_status
choco_absorb(void *instance, p2p_method_context *m, size_t stage)
{
    (void)stage;
    return absorb(instance, m);
}

static const p2p_option choco_options[] = {
    { "step", P2P_OPT_REAL, "auto", "(0", NULL, "step size of round 0", offsetof(choco_param, step) },
    { "gossip", P2P_OPT_REAL, "auto", "(0", NULL, "mixing gain, at most 1/beta", offsetof(choco_param, gossip) },
    { "decay", P2P_OPT_REAL, "auto", "0", NULL, "step_k = step / (1 + decay k)", offsetof(choco_param, decay) },
    { "local", P2P_OPT_INT, "1", "1", "1e6", "gradient steps a round", offsetof(choco_param, local) },
    { NULL, P2P_OPT_TEXT, NULL, NULL, NULL, NULL, 0 }
};
const p2p_method_vt p2pi_method_choco = {
    .size = sizeof(p2p_method_vt),
    .entry = { "choco", "CHOCO-SGD: gradient steps and compressed consensus; any contractive compressor",
               "arXiv:1902.00340", choco_options, sizeof(choco_param) },
    .instance_size = sizeof(choco),
    .stages = 1,
    .start = choco_start,
    .emit = choco_emit,
    .absorb = choco_absorb,
};

/* ---- squarm */

static p2p_status
squarm_start(void *instance, p2p_method_context *m)
{
    choco *self = instance;
    p2p_status st = make_state(self, m, P2P_SLOT_COMPRESSED | P2P_SLOT_SILENT);

    return st == P2P_OK ? p2p_method_vector(m, "v", &self->v) : st;
}

static p2p_status
squarm_emit(void *instance, p2p_method_context *m, size_t stage)
{
    choco *self = instance;
    double innovation;
    p2p_status st;

    (void)stage;
    if ((st = local_steps(self, m)) != P2P_OK)
        return st;
    innovation = p2p_vec_distance(p2p_view_of(m->x), p2p_estimate_own(m, self->e));
    if (innovation * innovation > self->p.threshold * m->step * m->step)
        return p2p_method_send_innovation(m, self->slot, self->e, p2p_view_of(m->x), 1);
    p2p_method_silent(m, self->slot);
    return P2P_OK;
}

static const p2p_option squarm_options[] = {
    { "step", P2P_OPT_REAL, "auto", "(0", NULL, "step size of round 0", offsetof(choco_param, step) },
    { "gossip", P2P_OPT_REAL, "auto", "(0", NULL, "mixing gain, at most 1/beta", offsetof(choco_param, gossip) },
    { "decay", P2P_OPT_REAL, "auto", "0", NULL, "step_k = step / (1 + decay k)", offsetof(choco_param, decay) },
    { "local", P2P_OPT_INT, "1", "1", "1e6", "gradient steps a round", offsetof(choco_param, local) },
    { "momentum", P2P_OPT_REAL, "0.9", "0", "1)", "Nesterov momentum", offsetof(choco_param, momentum) },
    { "threshold", P2P_OPT_REAL, "0", "0", NULL, "speak if ||x - e||^2 exceeds this times step_k^2",
      offsetof(choco_param, threshold) },
    { NULL, P2P_OPT_TEXT, NULL, NULL, NULL, NULL, 0 }
};
const p2p_method_vt p2pi_method_squarm = {
    .size = sizeof(p2p_method_vt),
    .entry = { "squarm", "SQuARM-SGD: choco with momentum, speaking only when there is something to say",
               "arXiv:2005.07041", squarm_options, sizeof(choco_param) },
    .instance_size = sizeof(choco),
    .stages = 1,
    .start = squarm_start,
    .emit = squarm_emit,
    .absorb = choco_absorb,
};
