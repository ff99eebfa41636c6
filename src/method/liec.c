/*
 * LIEC-SGD: what a message has lost is made up for at once, in the worker's own model x_i.
 *
 *     m_i = C(g_i(x_i)), sent;  r_i = g_i - m_i;  u = mean m_i + e;  v = C(u), down;  e <- u - v
 *     x_i <- x_i - step (v + r_i)
 *
 * In the last of every `period` rounds g_i and x_i are sent as they are instead, and v = mean g_i + e and the mean of
 * x_i come down; e <- 0 and x_i <- mean x_i - step v. mean x_i - step e moves by the exact mean gradient in every
 * round.
 *
 * Source: Cheng et al., "Communication-efficient distributed learning with local immediate error compensation", 2024,
 * arXiv:2402.11857.
 */
#include "method/server.h"

static int
is_meeting(const p2pi_server *self, const p2p_method_context *m)
{
    return (m->round + 1) % (uint32_t)self->p.period == 0;
}

static p2p_status
immediate_start(p2pi_server *self, p2p_method_context *m)
{
    p2p_status st;

    if ((st = p2p_method_slot(m, P2P_SLOT_COMPRESSED, &self->up)) != P2P_OK ||
        (st = p2p_method_slot(m, P2P_SLOT_RAW, &self->dense)) != P2P_OK ||
        (st = p2p_method_slot(m, P2P_SLOT_RAW, &self->extra)) != P2P_OK ||
        (st = p2p_method_scratch(m, &self->G)) != P2P_OK || (st = p2p_method_scratch(m, &self->e)) != P2P_OK)
        return st;
    return p2p_method_scratch(m, &self->w);
}

static p2p_status
immediate_message(p2pi_server *self, p2p_method_context *m, p2p_view x)
{
    p2p_status st = p2p_method_grad(m, m->round, x, self->g);

    if (st != P2P_OK)
        return st;
    if (!is_meeting(self, m))
        return p2p_method_send(m, self->up, p2p_view_of(self->g), 1);
    if ((st = p2p_method_send(m, self->dense, p2p_view_of(self->g), 1)) != P2P_OK)
        return st;
    return p2p_method_send(m, self->extra, x, 1);
}

/* G = mean of the messages, w = that of the models, e = r_i. */
static p2p_status
immediate_estimate(p2pi_server *self, p2p_method_context *m)
{
    p2p_status st;

    if (is_meeting(self, m)) {
        if (!p2pi_is_hub(m))
            return P2P_OK;
        st = p2pi_server_mean(m, self->dense, self->G);
        return st == P2P_OK ? p2pi_server_mean(m, self->extra, self->w) : st;
    }
    if ((st = p2p_method_sent(m, self->up, self->q)) != P2P_OK)
        return st;
    p2p_vec_sub(self->e, p2p_view_of(self->g), p2p_view_of(self->q));
    return p2pi_is_hub(m) ? p2pi_server_mean(m, self->up, self->G) : P2P_OK;
}

static const p2pi_estimator immediate = { immediate_start, immediate_message, immediate_estimate };

static p2p_status
meeting_start(p2pi_server *self, p2p_method_context *m)
{
    const unsigned raw = P2P_SLOT_RAW | P2PI_SLOT_FROM_HUB;
    p2p_status st;

    if ((st = p2pi_server_down_slot(self, m, 0, &self->down)) != P2P_OK ||
        (st = p2pi_exchange_slot(m->exchange, raw, &self->down_dense)) != P2P_OK ||
        (st = p2pi_exchange_slot(m->exchange, raw, &self->level[0])) != P2P_OK)
        return st;
    return p2p_method_vector(m, "e", &self->e_down);
}

static p2p_status
meeting_cast(p2pi_server *self, p2p_method_context *m)
{
    p2p_status st;

    if (p2pi_is_hub(m))
        p2p_vec_combine(self->v, 1, p2p_view_of(self->G), 1, p2p_view_of(self->e_down));
    if (!is_meeting(self, m))
        return p2pi_server_cast(m, self->down, self->v);
    st = p2pi_server_cast(m, self->down_dense, self->v);
    return st == P2P_OK ? p2pi_server_cast(m, self->level[0], self->w) : st;
}

static p2p_status
meeting_apply(p2pi_server *self, p2p_method_context *m)
{
    const int meeting = is_meeting(self, m);
    p2p_status st = p2pi_server_take(m, meeting ? self->down_dense : self->down, self->q);

    if (st != P2P_OK || (meeting && (st = p2pi_server_take(m, self->level[0], m->x)) != P2P_OK))
        return st;
    if (p2pi_is_hub(m))
        p2p_vec_sub(self->e_down, p2p_view_of(self->v), p2p_view_of(self->q));
    if (!meeting)
        p2p_vec_axpy(self->q, 1, p2p_view_of(self->e));
    p2p_vec_axpy(m->x, -self->p.step, p2p_view_of(self->q));
    return P2P_OK;
}

static const p2pi_link meeting = { meeting_start, NULL, meeting_cast, meeting_apply };

static double
choose_liec(p2pi_server_param *p, const p2p_setting *at, const p2p_compressor_constants *c)
{
    (void)p;
    (void)at;
    return p2pi_delta(c) / 4;
}

static const p2p_option liec_options[] = { P2PI_SERVER_STEP,
                                           { "period", P2P_OPT_INT, "32", "1", "1000000",
                                             "rounds from one without compression to the next",
                                             offsetof(p2pi_server_param, period) },
                                           P2PI_SERVER_DOWN,
                                           P2PI_SERVER_END };

P2PI_SERVER_ROW(liec_sgd, "liec-sgd",
                "plain, local step with what was lost, error feedback down; down to a noise floor",
                "arXiv:2402.11857", liec_options, 0, &immediate, &meeting, P2P_CONTRACTIVE,
                "contractive; use artemis, or scaled() of it", choose_liec, 0);
