/*
 * EXTRA, with mixing matrices W and (I + W)/2:
 *
 *     x^{k+1} = W x^k - step grad f(x^k) - p^k,   p^{k+1} = p^k + 1/2 (I - W) x^k,   p^0 = 0
 *
 * This is the printed recursion x^{k+2} = x^{k+1} + W x^{k+1} - (x^k + W x^k)/2 - step (g^{k+1} - g^k) summed up over
 * k; p is kept per edge, so that its total over the swarm is zero whatever edges go. One raw vector a round.
 *
 * With a common regulariser x^{k+1} is the proximal point of the right-hand side: PG-EXTRA.
 *
 * Source: Shi, Ling, Wu, Yin, SIAM J. Optim. 2015, arXiv:1404.6264, and IEEE TSP 2015, arXiv:1506.00665 (PG-EXTRA).
 */
#include "method/automatic.h"

typedef struct {
    double step;
} extra_param;

typedef struct {
    extra_param p;
    size_t slot;
    p2p_vec next; /* x^k - step grad f(x^k) - p^k, then x^{k+1} */
    p2p_vec s;
    p2p_edge_duals *duals;
} extra;

static p2p_status
extra_start(void *instance, p2p_method_context *m)
{
    extra *self = instance;
    double limit = m->setting->beta > 0 ? 2 - m->setting->beta : 2; /* lambda_min(I + W) */
    p2p_status st;

    if ((st = p2pi_auto_step(m, 0.5, limit, &self->p.step)) != P2P_OK ||
        (st = p2p_method_slot(m, P2P_SLOT_RAW, &self->slot)) != P2P_OK ||
        (st = p2p_method_scratch(m, &self->next)) != P2P_OK || (st = p2p_method_scratch(m, &self->s)) != P2P_OK)
        return st;
    return p2p_method_edge_duals(m, "p", &self->duals);
}

static p2p_status
extra_emit(void *instance, p2p_method_context *m, size_t stage)
{
    extra *self = instance;
    p2p_status st;

    (void)stage;
    if ((st = p2p_method_grad(m, m->round, p2p_view_of(m->x), self->next)) != P2P_OK)
        return st;
    p2p_vec_combine3(self->next, 1, p2p_view_of(m->x), -self->p.step, p2p_view_of(self->next), -1,
                     p2p_edge_duals_sum(m, self->duals));
    return p2p_method_send(m, self->slot, p2p_view_of(m->x), 1);
}

static p2p_status
extra_absorb(void *instance, p2p_method_context *m, size_t stage)
{
    extra *self = instance;

    (void)stage;
    p2p_method_laplacian_dual(m, self->slot, 0.5, self->duals, self->s);
    p2p_vec_sub(m->x, p2p_view_of(self->next), p2p_view_of(self->s));
    return p2p_problem_prox(m->problem, self->p.step, m->x);
}

static const p2p_option extra_options[] = { { "step", P2P_OPT_REAL, "auto", "(0", NULL,
                                              "step size, below lambda_min(I + W)/L", offsetof(extra_param, step) },
                                            { NULL, P2P_OPT_TEXT, NULL, NULL, NULL, NULL, 0 } };
const p2p_method_vt p2pi_method_extra = {
    .size = sizeof(p2p_method_vt),
    .entry = { "extra", "EXTRA: exact and linear, uncompressed; step bound by the graph", "arXiv:1404.6264",
               extra_options, sizeof(extra_param) },
    .traits = P2P_METHOD_DUAL | P2P_METHOD_RAW | P2P_METHOD_EXACT | P2P_METHOD_PROX,
    .instance_size = sizeof(extra),
    .stages = 1,
    .start = extra_start,
    .emit = extra_emit,
    .absorb = extra_absorb,
};
