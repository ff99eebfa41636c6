/*
 * choco-opt: any optimiser on a node's own model, then consensus by compressed innovations of the model:
 *
 *     z = x moved by the optimiser with g_i(x);  q_i = C(z - e_i) -> sent;  e_j <- e_j + q_j
 *     x = z + gossip sum_j w_ij (e_j - e_i)
 *
 * Moments stay where they are made. The estimates e start at 0; with common=yes at x_0, which all nodes share.
 *
 * Koloskova et al., ICLR 2020, arXiv:1907.09356.
 */
#include "method/automatic.h"
#include "method/optimiser.h"
#include "method/step_schedule.h"

typedef struct {
    double step, gossip;
    p2pi_schedule schedule;
    p2pi_optimiser_param optimiser;
    int64_t common;
} choco_opt_param;

typedef struct {
    choco_opt_param p;
    p2pi_optimiser optimiser;
    size_t slot;
    p2p_vec g, origin; /* origin: where e starts */
    p2p_estimate *e;   /* from there */
} choco_opt;

static p2p_status
choose(choco_opt *self, p2p_method_context *m)
{
    const double factor = p2pi_optimiser_factor(&self->p.optimiser);
    p2p_status st = p2pi_auto_gossip(m, &self->p.gossip);

    if (st != P2P_OK)
        return st;
    if (factor > 0)
        return p2pi_auto_step(m, factor, 2 * (1 + self->p.optimiser.beta), &self->p.step);
    if (p2p_is_auto(self->p.step))
        self->p.step = 1e-3;
    m->step = self->p.step;
    return P2P_OK;
}

static p2p_status
choco_opt_start(void *instance, p2p_method_context *m)
{
    choco_opt *self = instance;
    p2p_status st;

    if ((st = choose(self, m)) != P2P_OK || (st = p2p_method_slot(m, P2P_SLOT_COMPRESSED, &self->slot)) != P2P_OK ||
        (st = p2p_method_scratch(m, &self->g)) != P2P_OK || (st = p2p_method_estimate(m, "e", &self->e)) != P2P_OK ||
        (st = p2p_method_vector(m, "origin", &self->origin)) != P2P_OK)
        return st;
    if (self->p.common)
        p2p_vec_copy(self->origin, p2p_view_of(m->x));
    return p2pi_optimiser_start(&self->optimiser, m, &self->p.optimiser);
}

static p2p_status
choco_opt_emit(void *instance, p2p_method_context *m, size_t stage)
{
    choco_opt *self = instance;
    p2p_status st = p2p_method_grad(m, m->round, p2p_view_of(m->x), self->g);

    (void)stage;
    if (st != P2P_OK)
        return st;
    m->step = p2pi_schedule_at(&self->p.schedule, self->p.step, m->round);
    p2pi_optimiser_step(&self->optimiser, m->x, self->g, m->step);
    p2p_vec_sub(self->g, p2p_view_of(m->x), p2p_view_of(self->origin));
    return p2p_method_send_innovation(m, self->slot, self->e, p2p_view_of(self->g), 1);
}

static p2p_status
choco_opt_absorb(void *instance, p2p_method_context *m, size_t stage)
{
    choco_opt *self = instance;
    p2p_status st = p2p_estimate_update(m, self->e, self->slot, 1);

    (void)stage;
    if (st != P2P_OK)
        return st;
    p2p_estimate_laplacian(m, self->e, self->g);
    p2p_vec_axpy(m->x, -self->p.gossip, p2p_view_of(self->g));
    return P2P_OK;
}

static const p2p_option choco_opt_options[] = {
    { "step|lr", P2P_OPT_REAL, "auto", "(0", NULL, "step size", offsetof(choco_opt_param, step) },
    { "gossip|gamma", P2P_OPT_REAL, "auto", "(0", NULL, "mixing gain, at most 1/beta",
      offsetof(choco_opt_param, gossip) },
    { "common", P2P_OPT_BOOL, "no", NULL, NULL, "all nodes start at the same x", offsetof(choco_opt_param, common) },
    P2PI_OPTIMISER_OPTIONS("heavy-ball", choco_opt_param, optimiser),
    P2PI_SCHEDULE_OPTIONS(choco_opt_param, schedule),
    { NULL, P2P_OPT_TEXT, NULL, NULL, NULL, NULL, 0 }
};

const p2p_method_vt p2pi_method_choco_opt = {
    .size = sizeof(p2p_method_vt),
    .entry = { "choco-opt", "own step of heavy-ball, innovations of the model, gossip: any optimiser over a graph",
               "arXiv:1907.09356", choco_opt_options, sizeof(choco_opt_param) },
    .instance_size = sizeof(choco_opt),
    .stages = 1,
    .start = choco_opt_start,
    .emit = choco_opt_emit,
    .absorb = choco_opt_absorb,
};
