/*
 * allreduce: every node steps along the same mean of compressed gradients, by an all-reduce over a ring, a star or a
 * complete graph.
 *
 *     G = mean over nodes of C(grad f_i(x))       by the stages of the compressor
 *     v <- momentum v + G;   x <- x - step_k v    at every node: the same x, bit by bit
 *
 * step_k = step / (1 + decay k). What a compressor with a memory owes travels in later rounds.
 *
 * With powersgd: Vogels et al., arXiv:1905.13727; maxnorm, multiscale: Vineeth S 2021; clt: Chen et al.,
 * arXiv:2104.11125; acpsgd: arXiv:2306.08881; greedylore: arXiv:2507.08784.
 */
#include "exchange/all_reduce.h"
#include "method/automatic.h"

typedef struct {
    double step, decay, momentum;
} allreduce_param;

typedef struct {
    allreduce_param p;
    p2pi_all_reduce *reduce;
    size_t steps;
    p2p_vec g, v;
} allreduce;

enum { STAGES_MOST = 255 /* a header counts them in a byte */ };

static p2p_status
allreduce_start(void *instance, p2p_method_context *m)
{
    allreduce *self = instance;
    p2p_status st;

    if ((st = p2pi_auto_step(m, 1 - self->p.momentum, 2, &self->p.step)) != P2P_OK ||
        (st = p2p_method_scratch(m, &self->g)) != P2P_OK || (st = p2p_method_vector(m, "v", &self->v)) != P2P_OK ||
        (st = p2pi_all_reduce_new(&self->reduce, m->exchange)) != P2P_OK)
        return st;
    self->steps = p2pi_all_reduce_steps(self->reduce);
    if (self->steps > STAGES_MOST)
        return p2p_fail(P2P_ENOTSUP,
                        "method \"allreduce\": %zu stages a round on a ring of %zu nodes: expected at most %d; use "
                        "topology star",
                        self->steps, m->setting->nodes, STAGES_MOST);
    p2p_method_stages(m, self->steps);
    return P2P_OK;
}

static p2p_status
allreduce_emit(void *instance, p2p_method_context *m, size_t stage)
{
    allreduce *self = instance;
    p2p_status st;

    m->step = self->p.step / (1 + self->p.decay * m->round);
    if (stage == 0 && (st = p2p_method_grad(m, m->round, p2p_view_of(m->x), self->g)) != P2P_OK)
        return st;
    st = p2pi_all_reduce_emit(self->reduce, stage, p2p_view_of(self->g));
    return st == P2P_EINVAL ? P2P_EDIVERGED : st;
}

static p2p_status
allreduce_absorb(void *instance, p2p_method_context *m, size_t stage)
{
    allreduce *self = instance;
    p2p_status st = p2pi_all_reduce_absorb(self->reduce, stage);

    if (st != P2P_OK || stage + 1 < self->steps)
        return st;
    if ((st = p2pi_all_reduce_finish(self->reduce, self->g)) != P2P_OK)
        return st;
    p2p_vec_axpby(self->v, 1, p2p_view_of(self->g), self->p.momentum);
    p2p_vec_axpy(m->x, -m->step, p2p_view_of(self->v));
    return P2P_OK;
}

static const p2p_option allreduce_options[] = {
    { "step", P2P_OPT_REAL, "auto", "(0", NULL, "step size of round 0", offsetof(allreduce_param, step) },
    { "decay", P2P_OPT_REAL, "0", "0", NULL, "step_k = step / (1 + decay k)", offsetof(allreduce_param, decay) },
    { "momentum", P2P_OPT_REAL, "0", "0", "1)", "heavy ball", offsetof(allreduce_param, momentum) },
    { NULL, P2P_OPT_TEXT, NULL, NULL, NULL, NULL, 0 }
};

const p2p_method_vt p2pi_method_allreduce = {
    .size = sizeof(p2p_method_vt),
    .entry = { "allreduce", "SGD on an all-reduce of compressed gradients: ring, star or complete; equal replicas",
               "arXiv:1905.13727", allreduce_options, sizeof(allreduce_param) },
    .instance_size = sizeof(allreduce),
    .stages = 1,
    .start = allreduce_start,
    .emit = allreduce_emit,
    .absorb = allreduce_absorb,
};
