/*
 * What a worker sends of its gradient g, and what the hub makes of it:
 *
 *     estimator         v_i          sent          then                     G
 *     plain             g            m_i = C(v_i)                           mean m_i, or the aggregator's
 *     error feedback    e_i + g      m_i = C(v_i)  e_i <- v_i - m_i         mean m_i, or the aggregator's
 *     shift(lam, nu)    g - h_i      m_i = C(v_i)  h_i <- h_i + lam m_i     mean h_i + nu mean m_i, h_i as before
 *
 * The hub keeps each h_i, so that a mean is over those that are there; a worker that is lost is left out. With part=r
 * only r workers send in a round, drawn alike by all; the means of m_i are over them, and with pp=1 that of h_i too.
 */
#include "method/server.h"

#include <string.h>

/* ---- plain */

static p2p_status
plain_start(p2pi_server *self, p2p_method_context *m)
{
    const int ruled = strcmp(p2pi_exchange_aggregator_spec(m->exchange), "mean") != 0;
    p2p_status st = p2p_method_slot(m, P2P_SLOT_COMPRESSED | (ruled ? P2P_SLOT_AGGREGATE : 0), &self->up);

    return st == P2P_OK ? p2p_method_scratch(m, &self->G) : st;
}

static p2p_status
plain_message(p2pi_server *self, p2p_method_context *m, p2p_view x)
{
    p2p_status st = p2p_method_grad(m, m->round, x, self->v);

    return st == P2P_OK ? p2p_method_send(m, self->up, p2p_view_of(self->v), 1) : st;
}

static p2p_status
plain_estimate(p2pi_server *self, p2p_method_context *m)
{
    size_t count;

    return p2pi_is_hub(m) ? p2pi_exchange_combine(m->exchange, self->up, self->G, &count) : P2P_OK;
}

const p2pi_estimator p2pi_plain = { plain_start, plain_message, plain_estimate };

/* ---- error feedback */

static p2p_status
feedback_start(p2pi_server *self, p2p_method_context *m)
{
    p2p_status st = plain_start(self, m);

    return st == P2P_OK ? p2p_method_vector(m, "e", &self->e) : st;
}

static p2p_status
feedback_message(p2pi_server *self, p2p_method_context *m, p2p_view x)
{
    p2p_status st = p2p_method_grad(m, m->round, x, self->v);

    if (st != P2P_OK)
        return st;
    p2p_vec_axpy(self->v, 1, p2p_view_of(self->e));
    return p2p_method_send(m, self->up, p2p_view_of(self->v), 1);
}

static p2p_status
feedback_estimate(p2pi_server *self, p2p_method_context *m)
{
    p2p_status st = p2p_method_sent(m, self->up, self->q);

    if (st != P2P_OK)
        return st;
    p2p_vec_sub(self->e, p2p_view_of(self->v), p2p_view_of(self->q));
    return plain_estimate(self, m);
}

const p2pi_estimator p2pi_error_feedback = { feedback_start, feedback_message, feedback_estimate };

/* ---- shift */

static p2p_status
shift_start(p2pi_server *self, p2p_method_context *m)
{
    p2p_status st = plain_start(self, m);

    if (st == P2P_OK)
        st = p2pi_server_participants(self, m);
    return st == P2P_OK ? p2p_method_estimate(m, "h", &self->h) : st;
}

static p2p_status
shift_message(p2pi_server *self, p2p_method_context *m, p2p_view x)
{
    p2p_status st;

    if (self->p.part > 0 && !p2pi_exchange_draw_participants(m->exchange, (size_t)self->p.part)) {
        p2pi_exchange_hold(m->exchange, self->up);
        return P2P_OK;
    }
    if ((st = p2p_method_grad(m, m->round, x, self->v)) != P2P_OK)
        return st;
    return p2p_method_send_innovation(m, self->up, self->h, p2p_view_of(self->v), 1);
}

static p2p_status
shift_estimate(p2pi_server *self, p2p_method_context *m)
{
    const int present = self->p.part > 0 && self->p.pp == 1;
    p2p_status st;

    if (p2pi_is_hub(m)) {
        if ((st = p2pi_server_mean(m, self->up, self->G)) != P2P_OK)
            return st;
        p2pi_exchange_estimate_mean(m->exchange, self->h, present, self->q);
        p2p_vec_axpby(self->G, 1, p2p_view_of(self->q), self->p.nu);
    }
    return p2p_estimate_update(m, self->h, self->up, self->p.lam);
}

const p2pi_estimator p2pi_shift = { shift_start, shift_message, shift_estimate };
