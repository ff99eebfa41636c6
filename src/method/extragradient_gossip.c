/*
 * Extragradient steps between rounds of plain gossip, P the projection on the problem's set:
 *
 *     d-eg:      h <- P(W^mixes (x - step F(x)));   x <- P(W^mixes (x - step F(h)))
 *     local-eg:  local times  h <- P(x - step F(x)), x <- P(x - step F(h));   x <- W x
 *
 * 2 mixes raw vectors a round, or one. Neither corrects for what differs between the nodes' operators: with a constant
 * step they stop near the solution, d-eg the nearer the more often it mixes, by lambda_2^mixes.
 *
 * Sources: Beznosikov, Samokhin, Gasnikov, arXiv:2010.13112; Beznosikov, Dvurechensky, Koloskova, Samokhin, Stich,
 * Gasnikov, NeurIPS 2022, arXiv:2106.08315.
 */
#include "method/automatic.h"

typedef struct {
    double step;
    int64_t count; /* of mixes, or of local steps */
} gossip_param;

typedef struct {
    gossip_param p;
    size_t slot;
    p2p_vec h, f, v; /* half point, operator, what is mixed */
} gossip_eg;

static p2p_status
gossip_start(gossip_eg *self, p2p_method_context *m)
{
    p2p_status st;

    if ((st = p2pi_auto_step(m, 0.3, 1, &self->p.step)) != P2P_OK ||
        (st = p2p_method_slot(m, P2P_SLOT_RAW, &self->slot)) != P2P_OK ||
        (st = p2p_method_scratch(m, &self->h)) != P2P_OK)
        return st;
    return p2p_method_scratch(m, &self->f);
}

/* z = x - step F(at), with the draw number given. */
static p2p_status
forward(gossip_eg *self, p2p_method_context *m, uint32_t draw, p2p_view at, p2p_vec z)
{
    p2p_status st = p2p_method_grad(m, draw, at, self->f);

    if (st == P2P_OK)
        p2p_vec_combine(z, 1, p2p_view_of(m->x), -self->p.step, p2p_view_of(self->f));
    return st;
}

/* ---- d-eg */

static p2p_status
d_eg_start(void *instance, p2p_method_context *m)
{
    gossip_eg *self = instance;
    p2p_status st = gossip_start(self, m);

    p2p_method_stages(m, 2 * (size_t)self->p.count);
    return st == P2P_OK ? p2p_method_scratch(m, &self->v) : st;
}

static p2p_status
d_eg_emit(void *instance, p2p_method_context *m, size_t stage)
{
    gossip_eg *self = instance;
    const size_t mixes = (size_t)self->p.count;
    p2p_status st = P2P_OK;

    if (stage % mixes == 0)
        st = forward(self, m, 2 * m->round + (stage > 0), p2p_view_of(stage > 0 ? self->h : m->x), self->v);
    return st == P2P_OK ? p2p_method_send(m, self->slot, p2p_view_of(self->v), 1) : st;
}

static p2p_status
d_eg_absorb(void *instance, p2p_method_context *m, size_t stage)
{
    gossip_eg *self = instance;
    const size_t mixes = (size_t)self->p.count;
    const p2p_vec half = stage < mixes ? self->h : m->x;
    p2p_status st = p2p_method_mix(m, self->slot, 0, p2p_view_of(self->v), 1, self->v);

    if (st != P2P_OK || (stage + 1) % mixes != 0)
        return st;
    p2p_vec_copy(half, p2p_view_of(self->v));
    return p2p_problem_prox(m->problem, self->p.step, half);
}

static const p2p_option d_eg_options[] = {
    { "step", P2P_OPT_REAL, "auto", "(0", NULL, "step size, below 1/L", offsetof(gossip_param, step) },
    { "mixes", P2P_OPT_INT, "4", "1", "127", "rounds of gossip after each half step", offsetof(gossip_param, count) },
    { NULL, P2P_OPT_TEXT, NULL, NULL, NULL, NULL, 0 }
};
const p2p_method_vt p2pi_method_d_eg = {
    .size = sizeof(p2p_method_vt),
    .entry = { "d-eg", "extragradient with several rounds of gossip a half step: games, to a floor, uncompressed",
               "arXiv:2010.13112", d_eg_options, sizeof(gossip_param) },
    .traits = P2P_METHOD_RAW | P2P_METHOD_OPERATOR | P2P_METHOD_PROX,
    .instance_size = sizeof(gossip_eg),
    .stages = 2,
    .start = d_eg_start,
    .emit = d_eg_emit,
    .absorb = d_eg_absorb,
};

/* ---- local-eg */

static p2p_status
local_eg_start(void *instance, p2p_method_context *m)
{
    return gossip_start(instance, m);
}

static p2p_status
local_step(gossip_eg *self, p2p_method_context *m, uint32_t draw)
{
    p2p_status st;

    if ((st = forward(self, m, draw, p2p_view_of(m->x), self->h)) != P2P_OK ||
        (st = p2p_problem_prox(m->problem, self->p.step, self->h)) != P2P_OK ||
        (st = forward(self, m, draw + 1, p2p_view_of(self->h), m->x)) != P2P_OK)
        return st;
    return p2p_problem_prox(m->problem, self->p.step, m->x);
}

static p2p_status
local_eg_emit(void *instance, p2p_method_context *m, size_t stage)
{
    gossip_eg *self = instance;
    const uint32_t local = (uint32_t)self->p.count;
    p2p_status st = P2P_OK;

    (void)stage;
    for (uint32_t i = 0; i < local && st == P2P_OK; i++)
        st = local_step(self, m, 2 * (m->round * local + i));
    return st == P2P_OK ? p2p_method_send(m, self->slot, p2p_view_of(m->x), 1) : st;
}

static p2p_status
local_eg_absorb(void *instance, p2p_method_context *m, size_t stage)
{
    const gossip_eg *self = instance;

    (void)stage;
    return p2p_method_mix(m, self->slot, 0, p2p_view_of(m->x), 1, m->x);
}

static const p2p_option local_eg_options[] = {
    { "step", P2P_OPT_REAL, "auto", "(0", NULL, "step size, below 1/L", offsetof(gossip_param, step) },
    { "local", P2P_OPT_INT, "1", "1", "1000000", "steps at home between rounds of gossip",
      offsetof(gossip_param, count) },
    { NULL, P2P_OPT_TEXT, NULL, NULL, NULL, NULL, 0 }
};
const p2p_method_vt p2pi_method_local_eg = {
    .size = sizeof(p2p_method_vt),
    .entry = { "local-eg", "extragradient steps at home, then gossip: games of alike operators, to a floor, uncompressed",
               "arXiv:2106.08315", local_eg_options, sizeof(gossip_param) },
    .traits = P2P_METHOD_RAW | P2P_METHOD_OPERATOR | P2P_METHOD_PROX,
    .instance_size = sizeof(gossip_eg),
    .stages = 1,
    .start = local_eg_start,
    .emit = local_eg_emit,
    .absorb = local_eg_absorb,
};
