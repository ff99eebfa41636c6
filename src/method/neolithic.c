/*
 * NEOLITHIC: several passes of compression each way, each of what the ones before have left, and a Nesterov step.
 *
 *     passes(v):  q = 0; R times: q <- q + C(v - q)
 *     up          u_i = g_i(y) + e_i;  q_i = passes(u_i);  e_i <- u_i - q_i
 *     down        u = mean q_i + e;    q = passes(u);      e <- u - q
 *     all         x' = y - step q;     y = x' + momentum (x' - x)
 *
 * With an unbiased compressor there is no error feedback; each pass is divided by 1 + omega and the sum by
 * 1 - (omega/(1 + omega))^R, which makes it unbiased. The R passes are R messages of a stage.
 *
 * Sources: Huang, Chen, Yin, Yuan, NeurIPS 2022, arXiv:2206.03665; He, Huang, Chen, Yin, Yuan, arXiv:2305.07612.
 */
#include "method/server.h"

#include <math.h>

/* What a pass is multiplied by, in v - q and in the sum. */
static double
share_of_pass(const p2pi_server *self)
{
    return 1 / (1 + self->p.omega);
}

static double
share_of_sum(const p2pi_server *self)
{
    const double left = pow(self->p.omega / (1 + self->p.omega), (double)self->p.passes);

    return self->p.omega > 0 ? share_of_pass(self) / (1 - left) : 1;
}

/* v - share q after each pass; what is sent is the last of it. sum: of the q. */
static p2p_status
pass(p2pi_server *self, p2p_method_context *m, size_t slot, p2p_vec v, p2p_vec sum)
{
    p2p_status st;

    if ((st = p2p_method_send(m, slot, p2p_view_of(v), 1)) != P2P_OK ||
        (st = p2p_method_sent(m, slot, self->q)) != P2P_OK)
        return st;
    p2p_vec_axpy(v, -share_of_pass(self), p2p_view_of(self->q));
    p2p_vec_axpy(sum, 1, p2p_view_of(self->q));
    return P2P_OK;
}

/* ---- up */

static p2p_status
passes_start(p2pi_server *self, p2p_method_context *m)
{
    p2p_status st;

    for (uint32_t r = 0; r < self->p.passes; r++)
        if ((st = p2pi_exchange_slot_with(m->exchange, 0, p2pi_exchange_compressor_spec(m->exchange), r,
                                          &self->level[r])) != P2P_OK)
            return st;
    if ((st = p2p_method_scratch(m, &self->G)) != P2P_OK || (st = p2p_method_scratch(m, &self->at)) != P2P_OK)
        return st;
    return p2p_method_vector(m, "e", &self->e);
}

static p2p_status
passes_message(p2pi_server *self, p2p_method_context *m, p2p_view y)
{
    p2p_status st = p2p_method_grad(m, m->round, y, self->v);

    p2p_vec_axpy(self->v, 1, p2p_view_of(self->e));
    p2p_vec_copy(self->g, p2p_view_of(self->v));
    p2p_vec_zero(self->at);
    for (uint32_t r = 0; r < self->p.passes && st == P2P_OK; r++)
        st = pass(self, m, self->level[r], self->v, self->at);
    if (st == P2P_OK && self->p.ef)
        p2p_vec_combine(self->e, 1, p2p_view_of(self->g), -share_of_sum(self), p2p_view_of(self->at));
    return st;
}

static p2p_status
passes_estimate(p2pi_server *self, p2p_method_context *m)
{
    p2p_status st = P2P_OK;

    if (!p2pi_is_hub(m))
        return P2P_OK;
    p2p_vec_zero(self->G);
    for (uint32_t r = 0; r < self->p.passes && st == P2P_OK; r++)
        if ((st = p2pi_server_mean(m, self->level[r], self->q)) == P2P_OK)
            p2p_vec_axpy(self->G, share_of_sum(self), p2p_view_of(self->q));
    return st;
}

static const p2pi_estimator passes = { passes_start, passes_message, passes_estimate };

/* ---- down; w is y */

static p2p_status
both_start(p2pi_server *self, p2p_method_context *m)
{
    p2p_status st;

    for (uint32_t r = 0; r < self->p.passes; r++)
        if ((st = p2pi_server_down_slot(self, m, r, &self->down_level[r])) != P2P_OK)
            return st;
    if ((st = p2p_method_vector(m, "e-down", &self->e_down)) != P2P_OK ||
        (st = p2p_method_vector(m, "y", &self->w)) != P2P_OK)
        return st;
    p2p_vec_copy(self->w, p2p_view_of(m->x));
    return P2P_OK;
}

static p2p_view
both_point(const p2pi_server *self, const p2p_method_context *m)
{
    (void)m;
    return p2p_view_of(self->w);
}

static p2p_status
both_cast(p2pi_server *self, p2p_method_context *m)
{
    p2p_status st = P2P_OK;

    if (!p2pi_is_hub(m)) {
        for (uint32_t r = 0; r < self->p.passes; r++)
            p2pi_exchange_hold(m->exchange, self->down_level[r]);
        return P2P_OK;
    }
    p2p_vec_combine(self->v, 1, p2p_view_of(self->G), 1, p2p_view_of(self->e_down));
    p2p_vec_copy(self->g, p2p_view_of(self->v));
    p2p_vec_zero(self->at);
    for (uint32_t r = 0; r < self->p.passes && st == P2P_OK; r++)
        st = pass(self, m, self->down_level[r], self->v, self->at);
    if (st == P2P_OK && self->p.ef)
        p2p_vec_combine(self->e_down, 1, p2p_view_of(self->g), -share_of_sum(self), p2p_view_of(self->at));
    return st;
}

static p2p_status
both_apply(p2pi_server *self, p2p_method_context *m)
{
    const double momentum = self->p.momentum;
    p2p_status st = P2P_OK;

    p2p_vec_zero(self->at);
    for (uint32_t r = 0; r < self->p.passes && st == P2P_OK; r++)
        if ((st = p2pi_server_take(m, self->down_level[r], self->q)) == P2P_OK)
            p2p_vec_axpy(self->at, 1, p2p_view_of(self->q));
    if (st != P2P_OK)
        return st;
    p2p_vec_axpy(self->w, -self->p.step * share_of_sum(self), p2p_view_of(self->at));
    p2p_vec_copy(self->q, p2p_view_of(m->x));
    p2p_vec_copy(m->x, p2p_view_of(self->w));
    p2p_vec_combine(self->w, 1 + momentum, p2p_view_of(m->x), -momentum, p2p_view_of(self->q));
    return P2P_OK;
}

static const p2pi_link both = { both_start, both_point, both_cast, both_apply };

/* ---- row */

static double
choose_neolithic(p2pi_server_param *p, const p2p_setting *at, const p2p_compressor_constants *c)
{
    const int unbiased = (c->traits & P2P_UNBIASED) != 0;
    const double step = p2p_is_auto(p->step) ? 0.25 / at->smoothness : p->step, s = sqrt(step * at->convexity);

    p->ef = !unbiased;
    p->omega = unbiased ? p2pi_omega(c) : 0;
    p2pi_if_auto(&p->momentum, at->convexity > 0 && at->smoothness > 0 ? (1 - s) / (1 + s) : 0);
    return 0.25;
}

static const p2p_option neolithic_options[] = {
    P2PI_SERVER_STEP,
    { "passes|R", P2P_OPT_INT, "4", "1", "6", "passes of compression each way", offsetof(p2pi_server_param, passes) },
    { "momentum", P2P_OPT_REAL, "auto", "0", "1)", "of the Nesterov step", offsetof(p2pi_server_param, momentum) },
    P2PI_SERVER_DOWN,
    P2PI_SERVER_END
};

P2PI_SERVER_ROW(neolithic, "neolithic", "multipass and error feedback both ways, nesterov", "arXiv:2206.03665",
                neolithic_options, 0, &passes, &both, P2P_UNBIASED | P2P_CONTRACTIVE, "unbiased or contractive",
                choose_neolithic, 0);
