/*
 * How the hub steps with its estimate G, and what it tells the workers:
 *
 *     dense      x <- x - step G                                                      x
 *     artemis    q = C(G - H);  x <- x - step (H + q);  H <- H + alpha-down q         q
 *     mcm        x <- x - step G;  q = C(x - H);  w = H + q;  H <- H + alpha-down q   q; gradients are taken at w
 *     dore       r = -step G + eta e;  q = C(r);  e <- r - q;  x <- x + beta q        q
 *     ef21       q = C(G - H);  H <- H + q;  x <- x - step H                          q; G itself in round 0
 *
 * H starts at 0, with mcm at x_0. All nodes have the same H.
 */
#include "method/server.h"

#include <math.h>

/* x <- x - step v, then the proximal point of a common regulariser, for rows that may meet one. */
static p2p_status
step_along(p2pi_server *self, p2p_method_context *m, p2p_vec v)
{
    p2p_vec_axpy(m->x, -self->p.step, p2p_view_of(v));
    return p2p_problem_prox(m->problem, self->p.step, m->x);
}

/* ---- dense */

static p2p_status
dense_start(p2pi_server *self, p2p_method_context *m)
{
    return p2p_method_slot(m, P2P_SLOT_RAW, &self->down);
}

static p2p_status
dense_cast(p2pi_server *self, p2p_method_context *m)
{
    p2p_status st = p2pi_is_hub(m) ? step_along(self, m, self->G) : P2P_OK;

    return st == P2P_OK && p2pi_has_hub(m) ? p2pi_server_cast(m, self->down, m->x) : st;
}

static p2p_status
dense_apply(p2pi_server *self, p2p_method_context *m)
{
    return p2pi_is_hub(m) ? P2P_OK : p2pi_exchange_take_from_hub(m->exchange, self->down, m->x);
}

const p2pi_link p2pi_link_dense = { dense_start, NULL, dense_cast, dense_apply };

/* ---- artemis */

static p2p_status
tracking_start(p2pi_server *self, p2p_method_context *m)
{
    p2p_status st = p2pi_server_down_slot(self, m, 0, &self->down);

    return st == P2P_OK ? p2p_method_vector(m, "H", &self->H) : st;
}

static p2p_status
artemis_cast(p2pi_server *self, p2p_method_context *m)
{
    if (p2pi_is_hub(m))
        p2p_vec_sub(self->v, p2p_view_of(self->G), p2p_view_of(self->H));
    return p2pi_server_cast(m, self->down, self->v);
}

static p2p_status
artemis_apply(p2pi_server *self, p2p_method_context *m)
{
    p2p_status st = p2pi_server_take(m, self->down, self->q);

    if (st != P2P_OK)
        return st;
    p2p_vec_combine(self->v, 1, p2p_view_of(self->H), 1, p2p_view_of(self->q));
    p2p_vec_axpy(m->x, -self->p.step, p2p_view_of(self->v));
    p2p_vec_axpy(self->H, self->p.alpha_down, p2p_view_of(self->q));
    return P2P_OK;
}

const p2pi_link p2pi_link_artemis = { tracking_start, NULL, artemis_cast, artemis_apply };

/* ---- mcm: a worker's iterate is w */

static p2p_status
mcm_start(p2pi_server *self, p2p_method_context *m)
{
    p2p_status st = tracking_start(self, m);

    if (st != P2P_OK || (st = p2p_method_vector(m, "w", &self->w)) != P2P_OK)
        return st;
    p2pi_if_auto(&self->p.alpha_down, self->p.omega_down > 0 ? fmin(1, 1 / (8 * self->p.omega_down)) : 1);
    p2p_vec_copy(self->H, p2p_view_of(m->x));
    p2p_vec_copy(self->w, p2p_view_of(m->x));
    return P2P_OK;
}

static p2p_view
mcm_point(const p2pi_server *self, const p2p_method_context *m)
{
    (void)m;
    return p2p_view_of(self->w);
}

static p2p_status
mcm_cast(p2pi_server *self, p2p_method_context *m)
{
    if (p2pi_is_hub(m)) {
        p2p_status st = step_along(self, m, self->G);

        if (st != P2P_OK)
            return st;
        p2p_vec_sub(self->v, p2p_view_of(m->x), p2p_view_of(self->H));
    }
    return p2pi_server_cast(m, self->down, self->v);
}

static p2p_status
mcm_apply(p2pi_server *self, p2p_method_context *m)
{
    p2p_status st = p2pi_server_take(m, self->down, self->q);

    if (st != P2P_OK)
        return st;
    p2p_vec_combine(self->w, 1, p2p_view_of(self->H), 1, p2p_view_of(self->q));
    p2p_vec_axpy(self->H, self->p.alpha_down, p2p_view_of(self->q));
    if (!p2pi_is_hub(m))
        p2p_vec_copy(m->x, p2p_view_of(self->w));
    return P2P_OK;
}

const p2pi_link p2pi_link_mcm = { mcm_start, mcm_point, mcm_cast, mcm_apply };

/* ---- dore */

static p2p_status
dore_start(p2pi_server *self, p2p_method_context *m)
{
    p2p_status st = p2pi_server_down_slot(self, m, 0, &self->down);

    return st == P2P_OK ? p2p_method_vector(m, "e-down", &self->e_down) : st;
}

static p2p_status
dore_cast(p2pi_server *self, p2p_method_context *m)
{
    if (p2pi_is_hub(m))
        p2p_vec_combine(self->v, -self->p.step, p2p_view_of(self->G), self->p.eta, p2p_view_of(self->e_down));
    return p2pi_server_cast(m, self->down, self->v);
}

static p2p_status
dore_apply(p2pi_server *self, p2p_method_context *m)
{
    p2p_status st = p2pi_server_take(m, self->down, self->q);

    if (st != P2P_OK)
        return st;
    if (p2pi_is_hub(m))
        p2p_vec_sub(self->e_down, p2p_view_of(self->v), p2p_view_of(self->q));
    p2p_vec_axpy(m->x, self->p.beta, p2p_view_of(self->q));
    return P2P_OK;
}

const p2pi_link p2pi_link_dore = { dore_start, NULL, dore_cast, dore_apply };

/* ---- ef21 */

static p2p_status
ef21_start(p2pi_server *self, p2p_method_context *m)
{
    p2p_status st = tracking_start(self, m);

    if (st != P2P_OK)
        return st;
    return p2pi_exchange_slot(m->exchange, P2P_SLOT_RAW | P2PI_SLOT_FROM_HUB, &self->down_dense);
}

static size_t
ef21_slot(const p2pi_server *self, const p2p_method_context *m)
{
    return m->round == 0 ? self->down_dense : self->down;
}

static p2p_status
ef21_cast(p2pi_server *self, p2p_method_context *m)
{
    if (p2pi_is_hub(m))
        p2p_vec_sub(self->v, p2p_view_of(self->G), p2p_view_of(self->H));
    return p2pi_server_cast(m, ef21_slot(self, m), self->v);
}

static p2p_status
ef21_apply(p2pi_server *self, p2p_method_context *m)
{
    p2p_status st = p2pi_server_take(m, ef21_slot(self, m), self->q);

    if (st != P2P_OK)
        return st;
    p2p_vec_axpy(self->H, 1, p2p_view_of(self->q));
    return step_along(self, m, self->H);
}

const p2pi_link p2pi_link_ef21 = { ef21_start, NULL, ef21_cast, ef21_apply };
