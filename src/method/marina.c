/*
 * MARINA: the hub's estimate G moves by compressed differences, and is set anew in some rounds.
 *
 *     round 0, or with probability p by a coin that all toss alike:  g_i(x) as it is;     G = mean
 *     else, from all workers or from r drawn alike by all:           C(g_i(x) - g_i(x'))  G <- G + mean
 *
 * x' is the model of the round before. With a batch both gradients of a difference are over one draw of rows.
 *
 * Source: Gorbunov, Burlachenko, Li, Richtarik, "MARINA: faster non-convex distributed learning with compression",
 * ICML 2021, arXiv:2102.07845.
 */
#include "method/server.h"

#include <math.h>

static p2p_status
difference_start(p2pi_server *self, p2p_method_context *m)
{
    p2p_status st;

    if ((st = p2pi_server_participants(self, m)) != P2P_OK)
        return st;
    if ((st = p2p_method_slot(m, P2P_SLOT_COMPRESSED, &self->up)) != P2P_OK ||
        (st = p2p_method_slot(m, P2P_SLOT_RAW, &self->dense)) != P2P_OK ||
        (st = p2p_method_vector(m, "G", &self->G)) != P2P_OK)
        return st;
    return p2p_method_vector(m, "before", &self->before);
}

static int
is_fresh(const p2pi_server *self, const p2p_method_context *m)
{
    return m->round == 0 || p2pi_exchange_hub_coin(m->exchange, 0, self->p.p);
}

static p2p_status
send_difference(p2pi_server *self, p2p_method_context *m, p2p_view x)
{
    p2p_status st;

    if ((st = p2p_method_grad(m, m->round, x, self->v)) != P2P_OK ||
        (st = p2p_method_grad(m, m->round, p2p_view_of(self->before), self->g)) != P2P_OK)
        return st;
    p2p_vec_sub(self->v, p2p_view_of(self->v), p2p_view_of(self->g));
    return p2p_method_send(m, self->up, p2p_view_of(self->v), 1);
}

static p2p_status
difference_message(p2pi_server *self, p2p_method_context *m, p2p_view x)
{
    p2p_status st = P2P_OK;

    if (is_fresh(self, m)) {
        if ((st = p2pi_grad_full(m, x, self->v)) == P2P_OK)
            st = p2p_method_send(m, self->dense, p2p_view_of(self->v), 1);
    } else if (self->p.part > 0 && !p2pi_exchange_draw_participants(m->exchange, (size_t)self->p.part))
        p2pi_exchange_hold(m->exchange, self->up);
    else
        st = send_difference(self, m, x);
    p2p_vec_copy(self->before, x);
    return st;
}

static p2p_status
difference_estimate(p2pi_server *self, p2p_method_context *m)
{
    p2p_status st;

    if (!p2pi_is_hub(m))
        return P2P_OK;
    if (is_fresh(self, m))
        return p2pi_server_mean(m, self->dense, self->G);
    if ((st = p2pi_server_mean(m, self->up, self->q)) == P2P_OK)
        p2p_vec_axpy(self->G, 1, p2p_view_of(self->q));
    return st;
}

static const p2pi_estimator difference = { difference_start, difference_message, difference_estimate };

/* ---- rows */

static double
with_convexity(double factor, double p, const p2p_setting *at)
{
    return at->convexity > 0 ? fmin(factor, p * at->smoothness / (2 * at->convexity)) : factor;
}

static double
choose_marina(p2pi_server_param *p, const p2p_setting *at, const p2p_compressor_constants *c)
{
    const double omega = p2pi_omega(c);

    p2pi_if_auto(&p->p, p2pi_payload_share(at, c));
    return with_convexity(1 / (1 + sqrt(2 * (1 - p->p) * omega / (p->p * (double)at->nodes))), p->p, at);
}

/* The rows' constants are taken to be those of the nodes. */
static double
choose_vr_marina(p2pi_server_param *p, const p2p_setting *at, const p2p_compressor_constants *c)
{
    const double omega = p2pi_omega(c);

    p2pi_if_auto(&p->p, fmin(p2pi_payload_share(at, c), 0.1));
    return with_convexity(1 / (1 + sqrt(2 * (1 - p->p) * (1 + 2 * omega) / (p->p * (double)at->nodes))), p->p, at);
}

static double
choose_pp_marina(p2pi_server_param *p, const p2p_setting *at, const p2p_compressor_constants *c)
{
    const double omega = p2pi_omega(c), n = (double)at->nodes;
    double r;

    if (p->part == 0)
        p->part = (int64_t)(at->nodes + 1) / 2;
    r = (double)p->part;
    p2pi_if_auto(&p->p, fmin(1, p2pi_payload_share(at, c) * r / n));
    return with_convexity(1 / (1 + sqrt(2 * (1 - p->p) * (1 + omega) / (p->p * r))), p->p, at);
}

#define P                                                                                                            \
    {                                                                                                                \
        "p", P2P_OPT_REAL, "auto", "(0", "1", "probability of a round without compression",                          \
            offsetof(p2pi_server_param, p)                                                                           \
    }

static const p2p_option marina_options[] = { P2PI_SERVER_STEP, P, P2PI_SERVER_DOWN_MODE, P2PI_SERVER_END };
static const p2p_option pp_options[] = { P2PI_SERVER_STEP,
                                         P,
                                         { "part", P2P_OPT_INT, "0", "0", NULL, "workers of a round; 0: half of them",
                                           offsetof(p2pi_server_param, part) },
                                         P2PI_SERVER_DOWN_MODE,
                                         P2PI_SERVER_END };

P2PI_SERVER_ROW(marina, "marina",
                "difference, sgd, dense down: compressed differences, anew with probability p; exact",
                "arXiv:2102.07845", marina_options, P2P_METHOD_EXACT, &difference, &p2pi_link_dense, P2P_UNBIASED,
                "unbiased; use 3pcv5", choose_marina, 0);
P2PI_SERVER_ROW(vr_marina, "vr-marina", "difference over a batch, sgd, dense down: variance-reduced marina; exact",
                "arXiv:2102.07845", marina_options, P2P_METHOD_EXACT, &difference, &p2pi_link_dense, P2P_UNBIASED,
                "unbiased; use 3pcv5", choose_vr_marina, 0);
P2PI_SERVER_ROW(pp_marina, "pp-marina", "difference of some workers, sgd, dense down: partial participation; exact",
                "arXiv:2102.07845", pp_options, P2P_METHOD_EXACT, &difference, &p2pi_link_dense, P2P_UNBIASED,
                "unbiased", choose_pp_marina, 0);
