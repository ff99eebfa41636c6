/*
 * Acceleration: shifts h_i learnt at a slow point w, and an accelerated step at every node from the hub's G.
 *
 *     q_i = C(g_i(at) - h_i), s_i = C(g_i(w) - h_i), sent;   G = mean h_i + mean q_i, down;   h_i <- h_i + lam s_i
 *
 *     adiana   at = th z + w/2 + (1/2 - th) y;  y' = at - step G;  z <- beta z + (1 - beta) at + (gz/step) (y' - at)
 *              w <- y, the old one, with probability p;  y <- y'.  The iterate is y.
 *     canita   at = th u + (1 - th) w;  u <- u - (eta/th) G;  w <- th u + (1 - th) w with probability p
 *              th = 3 (1 + b)/(k + 9 (1 + b + omega)) in round k, eta grows up to a bound.  The iterate is w.
 *
 * Both start with all points at x_0. All toss the same coin.
 *
 * Sources: Li, Kovalev, Qian, Richtarik, ICML 2020, arXiv:2002.11364 (adiana); Li, Richtarik, NeurIPS 2021,
 * arXiv:2107.09461 (canita).
 */
#include "method/server.h"

#include <math.h>

enum { ADIANA, CANITA };

/* ---- the estimator */

static p2p_status
two_shifts_start(p2pi_server *self, p2p_method_context *m)
{
    p2p_status st;

    if ((st = p2p_method_slot(m, P2P_SLOT_COMPRESSED, &self->up)) != P2P_OK ||
        (st = p2p_method_slot(m, P2P_SLOT_COMPRESSED, &self->extra)) != P2P_OK ||
        (st = p2p_method_scratch(m, &self->G)) != P2P_OK)
        return st;
    return p2p_method_estimate(m, "h", &self->h);
}

static p2p_status
send_shifted(p2pi_server *self, p2p_method_context *m, size_t slot, p2p_view at)
{
    p2p_status st = p2p_method_grad(m, m->round, at, self->v);

    return st == P2P_OK ? p2p_method_send_innovation(m, slot, self->h, p2p_view_of(self->v), 1) : st;
}

static p2p_view
slow_point(const p2pi_server *self, const p2p_method_context *m)
{
    return self->row->variant == CANITA ? p2p_view_of(m->x) : p2p_view_of(self->w);
}

static p2p_status
two_shifts_message(p2pi_server *self, p2p_method_context *m, p2p_view at)
{
    p2p_status st = send_shifted(self, m, self->up, at);

    return st == P2P_OK ? send_shifted(self, m, self->extra, slow_point(self, m)) : st;
}

static p2p_status
two_shifts_estimate(p2pi_server *self, p2p_method_context *m)
{
    p2p_status st;

    if (p2pi_is_hub(m)) {
        if ((st = p2pi_server_mean(m, self->up, self->G)) != P2P_OK)
            return st;
        p2pi_exchange_estimate_mean(m->exchange, self->h, 0, self->q);
        p2p_vec_axpy(self->G, 1, p2p_view_of(self->q));
    }
    return p2p_estimate_update(m, self->h, self->extra, self->p.lam);
}

static const p2pi_estimator two_shifts = { two_shifts_start, two_shifts_message, two_shifts_estimate };

/* ---- the link */

static double
canita_b(const p2pi_server *self, const p2p_setting *at)
{
    const double omega = self->p.omega;

    return fmin(omega, sqrt(omega / (double)at->nodes) * (1 + omega));
}

static double
theta(const p2pi_server *self, const p2p_method_context *m, uint32_t round)
{
    const double b = canita_b(self, m->setting);

    return 3 * (1 + b) / ((double)round + 9 * (1 + b + self->p.omega));
}

/* Where gradients of the round are taken. */
static void
mix(p2pi_server *self, p2p_method_context *m, uint32_t round)
{
    const p2p_view z = p2p_view_of(self->z);
    double th;

    if (self->row->variant == ADIANA) {
        p2p_vec_combine3(self->at, self->p.theta, z, 0.5, p2p_view_of(self->w), 0.5 - self->p.theta,
                         p2p_view_of(m->x));
        return;
    }
    th = theta(self, m, round);
    p2p_vec_combine(self->at, th, z, 1 - th, p2p_view_of(m->x));
}

/* canita's bound on eta, with beta as in the paper. */
static double
most_eta(const p2pi_server *self, const p2p_setting *at)
{
    const double b = canita_b(self, at), omega = self->p.omega;
    const double beta =
        48 * omega * (1 + omega) * (1 + b + 2 * (1 + omega)) / ((double)at->nodes * (1 + b) * (1 + b));

    return self->p.step / (beta + 1.5);
}

static double
first_eta(const p2pi_server *self, const p2p_setting *at)
{
    const double b = canita_b(self, at), sum = 1 + b + self->p.omega;

    return fmin(most_eta(self, at), self->p.step / (9 * sum * sum / (2 * (1 + b)) + 1.5));
}

static p2p_status
accelerated_start(p2pi_server *self, p2p_method_context *m)
{
    p2p_status st;

    if ((st = p2pi_exchange_slot(m->exchange, P2P_SLOT_RAW | P2PI_SLOT_FROM_HUB, &self->down)) != P2P_OK ||
        (st = p2p_method_vector(m, "z", &self->z)) != P2P_OK ||
        (st = p2p_method_vector(m, "at", &self->at)) != P2P_OK ||
        (st = p2p_method_scalar(m, "eta", &self->eta)) != P2P_OK)
        return st;
    p2p_vec_copy(self->z, p2p_view_of(m->x));
    if (self->row->variant == ADIANA) {
        if ((st = p2p_method_vector(m, "w", &self->w)) != P2P_OK)
            return st;
        p2p_vec_copy(self->w, p2p_view_of(m->x));
    } else
        self->eta = first_eta(self, m->setting);
    mix(self, m, 0);
    return P2P_OK;
}

static p2p_view
accelerated_point(const p2pi_server *self, const p2p_method_context *m)
{
    (void)m;
    return p2p_view_of(self->at);
}

static p2p_status
accelerated_cast(p2pi_server *self, p2p_method_context *m)
{
    return p2pi_server_cast(m, self->down, self->G);
}

static void
adiana_step(p2pi_server *self, p2p_method_context *m)
{
    const p2p_view G = p2p_view_of(self->q), at = p2p_view_of(self->at);
    const double beta = self->p.beta;

    p2p_vec_combine3(self->z, beta, p2p_view_of(self->z), 1 - beta, at, -self->p.gz, G);
    if (p2pi_exchange_hub_coin(m->exchange, 0, self->p.p))
        p2p_vec_copy(self->w, p2p_view_of(m->x));
    p2p_vec_combine(m->x, 1, at, -self->p.step, G);
}

static void
canita_step(p2pi_server *self, p2p_method_context *m)
{
    const double th = theta(self, m, m->round), b = canita_b(self, m->setting);

    p2p_vec_axpy(self->z, -self->eta / th, p2p_view_of(self->q));
    if (p2pi_exchange_hub_coin(m->exchange, 0, 1 / (1 + b)))
        p2p_vec_axpby(m->x, th, p2p_view_of(self->z), 1 - th);
    self->eta =
        fmin((1 + 1 / ((double)m->round + 9 * (1 + b + self->p.omega))) * self->eta, most_eta(self, m->setting));
}

static p2p_status
accelerated_apply(p2pi_server *self, p2p_method_context *m)
{
    p2p_status st = p2pi_server_take(m, self->down, self->q);

    if (st != P2P_OK)
        return st;
    if (self->row->variant == ADIANA)
        adiana_step(self, m);
    else
        canita_step(self, m);
    mix(self, m, m->round + 1);
    return P2P_OK;
}

static const p2pi_link accelerated = { accelerated_start, accelerated_point, accelerated_cast, accelerated_apply };

/* ---- rows */

/* What depends on the step follows a given one. */
static double
choose_adiana(p2pi_server_param *p, const p2p_setting *at, const p2p_compressor_constants *c)
{
    const double omega = p2pi_omega(c), n = (double)at->nodes, mu = at->convexity;
    double factor = 0.5, eta;

    p2pi_if_auto(&p->lam, 1 / (1 + omega));
    p2pi_if_auto(&p->p, omega > 0 ? fmin(1, fmax(1, sqrt(n / (32 * omega)) - 1) / (2 * (1 + omega))) : 1);
    if (omega > 0)
        factor = fmin(factor, n / (64 * omega * pow(2 * p->p * (omega + 1) + 1, 2)));
    eta = !p2p_is_auto(p->step) ? p->step : at->smoothness > 0 ? factor / at->smoothness : 0;
    p2pi_if_auto(&p->theta, fmin(0.25, sqrt(eta * mu / p->p)));
    p2pi_if_auto(&p->gz, p->theta > 0 ? eta / (2 * (p->theta + eta * mu)) : eta);
    p2pi_if_auto(&p->beta, 1 - p->gz * mu);
    return factor;
}

static double
choose_canita(p2pi_server_param *p, const p2p_setting *at, const p2p_compressor_constants *c)
{
    (void)at;
    p2pi_if_auto(&p->omega, p2pi_omega(c));
    p->lam = 1 / (1 + p->omega);
    return 1;
}

static const p2p_option adiana_options[] = {
    P2PI_SERVER_STEP,
    { "p", P2P_OPT_REAL, "auto", "(0", "1", "probability that w moves", offsetof(p2pi_server_param, p) },
    { "lam|alpha", P2P_OPT_REAL, "auto", "(0", "1", "how far the shifts follow", offsetof(p2pi_server_param, lam) },
    { "theta", P2P_OPT_REAL, "auto", "(0", "0.5", "weight of z", offsetof(p2pi_server_param, theta) },
    { "gz", P2P_OPT_REAL, "auto", "(0", NULL, "step of z", offsetof(p2pi_server_param, gz) },
    { "beta", P2P_OPT_REAL, "auto", "0", "1", "how much of z stays", offsetof(p2pi_server_param, beta) },
    P2PI_SERVER_END
};
static const p2p_option canita_options[] = {
    { "step", P2P_OPT_REAL, "auto", "(0", NULL, "1/L of the paper's schedule", offsetof(p2pi_server_param, step) },
    { "omega", P2P_OPT_REAL, "auto", "0", NULL, "variance of the compressor", offsetof(p2pi_server_param, omega) },
    P2PI_SERVER_END
};

P2PI_SERVER_ROW(adiana, "adiana", "two shifts, nesterov, dense down: accelerated diana, for strongly convex problems",
                "arXiv:2002.11364", adiana_options, 0, &two_shifts, &accelerated, P2P_UNBIASED,
                "unbiased; use ef21 or ef-bv", choose_adiana, ADIANA);
P2PI_SERVER_ROW(canita, "canita", "two shifts, anita, dense down: accelerated, and needs no strong convexity",
                "arXiv:2107.09461", canita_options, 0, &two_shifts, &accelerated, P2P_UNBIASED,
                "unbiased; use ef21 or ef-bv", choose_canita, CANITA);
