/*
 * Asynchronous random gossip, in the manner of AD-PSGD: whenever a node has a gradient, it asks one neighbour to
 * meet.
 *
 *     g = g_i(x_i);  x_i and x_j both to their mean;  x_i <- x_i - step_k g,  step_k = step / (1 + decay k)
 *
 * k counts the node's own rounds; there are no common ones, and nobody waits. A constant step stops at a
 * neighbourhood of the optimum, as in dgd; a node that computes more often has more weight in it.
 *
 * The mean is reached in two halves: j moves by d = (x_i - x_j) / 2 when it is asked, i by -d when it is answered. In
 * between i may have moved on; the sum of all x stays what it was.
 *
 * Sources: Boyd, Ghosh, Prabhakar, Shah, IEEE Trans. Inf. Theory 52(6), 2006; Lian, Zhang, Zhang, Liu, ICML 2018,
 * arXiv:1710.06952.
 */
#include "method/automatic.h"

typedef struct {
    double step, decay;
} pairwise_param;

typedef struct {
    pairwise_param p;
    int flat; /* f = 0 */
    size_t slot;
    p2p_vec g;
} pairwise;

static p2p_status
pairwise_start(void *instance, p2p_method_context *m)
{
    pairwise *self = instance;
    p2p_status st;

    self->flat = (p2p_problem_flags(m->problem) & P2P_PROBLEM_ZERO) != 0;
    if ((st = p2pi_auto_step(m, 0.5, 1.5, &self->p.step)) != P2P_OK ||
        (st = p2p_method_slot(m, P2P_SLOT_RAW, &self->slot)) != P2P_OK)
        return st;
    return p2p_method_scratch(m, &self->g);
}

static p2p_status
pairwise_emit(void *instance, p2p_method_context *m, size_t stage)
{
    pairwise *self = instance;
    p2p_status st;

    (void)stage;
    m->step = self->p.step / (1 + self->p.decay * m->round);
    if (!self->flat && (st = p2p_method_grad(m, m->round, p2p_view_of(m->x), self->g)) != P2P_OK)
        return st;
    if ((st = p2p_method_send(m, self->slot, p2p_view_of(m->x), 1)) == P2P_OK && !self->flat)
        p2p_vec_axpy(m->x, -m->step, p2p_view_of(self->g));
    return st;
}

static p2p_status
pairwise_absorb(void *instance, p2p_method_context *m, size_t stage)
{
    (void)instance, (void)m, (void)stage;
    return P2P_OK;
}

static const p2p_option pairwise_options[] = {
    { "step", P2P_OPT_REAL, "auto", "(0", NULL, "step size of a node's round 0", offsetof(pairwise_param, step) },
    { "decay", P2P_OPT_REAL, "0", "0", NULL, "step_k = step / (1 + decay k)", offsetof(pairwise_param, decay) },
    { NULL, P2P_OPT_TEXT, NULL, NULL, NULL, NULL, 0 }
};
const p2p_method_vt p2pi_method_pairwise = {
    .size = sizeof(p2p_method_vt),
    .entry = { "pairwise", "asynchronous gossip between random pairs: no common rounds, nobody waits",
               "arXiv:1710.06952", pairwise_options, sizeof(pairwise_param) },
    .traits = P2P_METHOD_RAW | P2P_METHOD_ASYNCHRONOUS,
    .instance_size = sizeof(pairwise),
    .stages = 1,
    .start = pairwise_start,
    .emit = pairwise_emit,
    .absorb = pairwise_absorb,
};
