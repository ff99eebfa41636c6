/*
 * Error feedback, m_i = C(e_i + v_i), e_i <- e_i + v_i - m_i, of less noisy v_i than the gradient:
 *
 *     ec-sgd         v_i = g_i(x), for quantisers with an absolute error too
 *     ec-lsvrg       v_i = b_i(x) - b_i(w_i) + g_i(w_i), b_i over a batch; then w_i <- x with probability p, by a
 * coin of the worker's own ec-sgd-diana   v_i = g_i(x) - h_i + h;  s_i = Q(g_i(x) - h_i), sent too;  h_i <- h_i + lam
 * s_i;  h = mean h_i comes down with x
 *
 * Sources: Danilova, Gorbunov, MOTOR 2022, arXiv:2203.02383 (ec-sgd, ec-lsvrg); Gorbunov, Kovalev, Makarenko,
 * Richtarik, NeurIPS 2020, arXiv:2010.12292 (ec-sgd-diana).
 */
#include "method/server.h"

/* ---- loopless variance reduction */

static p2p_status
loopless_start(p2pi_server *self, p2p_method_context *m)
{
    const size_t samples = p2p_problem_samples(m->problem);
    p2p_status st;

    p2pi_if_auto(&self->p.p, samples > 0 ? 1 / (double)samples : 1);
    if ((st = p2pi_error_feedback.start(self, m)) != P2P_OK ||
        (st = p2p_method_vector(m, "w", &self->before)) != P2P_OK)
        return st;
    return p2p_method_vector(m, "own", &self->own);
}

/* w_i = x, and the gradient there. */
static p2p_status
look_back_from(p2pi_server *self, p2p_method_context *m, p2p_view x)
{
    p2p_vec_copy(self->before, x);
    return p2pi_grad_full(m, x, self->own);
}

static p2p_status
loopless_message(p2pi_server *self, p2p_method_context *m, p2p_view x)
{
    p2p_status st = m->round == 0 ? look_back_from(self, m, x) : P2P_OK;

    if (st != P2P_OK || (st = p2p_method_grad(m, m->round, x, self->v)) != P2P_OK ||
        (st = p2p_method_grad(m, m->round, p2p_view_of(self->before), self->g)) != P2P_OK)
        return st;
    p2p_vec_combine3(self->v, 1, p2p_view_of(self->v), -1, p2p_view_of(self->g), 1, p2p_view_of(self->own));
    if (p2pi_exchange_own_coin(m->exchange, self->p.p) && (st = look_back_from(self, m, x)) != P2P_OK)
        return st;
    p2p_vec_axpy(self->v, 1, p2p_view_of(self->e));
    return p2p_method_send(m, self->up, p2p_view_of(self->v), 1);
}

static p2p_status
loopless_estimate(p2pi_server *self, p2p_method_context *m)
{
    return p2pi_error_feedback.estimate(self, m);
}

static const p2pi_estimator loopless = { loopless_start, loopless_message, loopless_estimate };

/* ---- bias correction; h is H */

static p2p_status
corrected_start(p2pi_server *self, p2p_method_context *m)
{
    const p2p_compressor_constants *c;
    p2p_status st;

    p2pi_unwrap(&self->p.shift);
    if ((st = p2pi_error_feedback.start(self, m)) != P2P_OK ||
        (st = p2pi_exchange_slot_with(m->exchange, 0, self->p.shift.s, 1, &self->extra)) != P2P_OK ||
        (st = p2p_method_vector(m, "H", &self->H)) != P2P_OK)
        return st;
    c = p2pi_exchange_slot_constants(m->exchange, self->extra);
    if (!(c->traits & (P2P_UNBIASED | P2P_LOSSLESS)))
        return p2p_fail(P2P_ENOTSUP, "method \"%s\": shift=%s is not unbiased", m->setting->method, self->p.shift.s);
    p2pi_if_auto(&self->p.lam, 1 / (1 + p2pi_omega(c)));
    return p2p_method_estimate(m, "h", &self->h);
}

static p2p_status
corrected_message(p2pi_server *self, p2p_method_context *m, p2p_view x)
{
    p2p_status st = p2p_method_grad(m, m->round, x, self->g);

    if (st != P2P_OK)
        return st;
    p2p_vec_sub(self->g, p2p_view_of(self->g), p2p_estimate_own(m, self->h));
    p2p_vec_combine3(self->v, 1, p2p_view_of(self->e), 1, p2p_view_of(self->g), 1, p2p_view_of(self->H));
    st = p2p_method_send(m, self->up, p2p_view_of(self->v), 1);
    return st == P2P_OK ? p2p_method_send(m, self->extra, p2p_view_of(self->g), 1) : st;
}

static p2p_status
corrected_estimate(p2pi_server *self, p2p_method_context *m)
{
    p2p_status st = p2pi_error_feedback.estimate(self, m);

    return st == P2P_OK ? p2p_estimate_update(m, self->h, self->extra, self->p.lam) : st;
}

static const p2pi_estimator corrected = { corrected_start, corrected_message, corrected_estimate };

static p2p_status
both_start(p2pi_server *self, p2p_method_context *m)
{
    const unsigned raw = P2P_SLOT_RAW | P2PI_SLOT_FROM_HUB;
    p2p_status st = p2pi_exchange_slot(m->exchange, raw, &self->down);

    return st == P2P_OK ? p2pi_exchange_slot(m->exchange, raw, &self->down_dense) : st;
}

static p2p_status
both_cast(p2pi_server *self, p2p_method_context *m)
{
    p2p_status st;

    if (p2pi_is_hub(m)) {
        p2p_vec_axpy(m->x, -self->p.step, p2p_view_of(self->G));
        p2pi_exchange_estimate_mean(m->exchange, self->h, 0, self->H);
    }
    st = p2pi_server_cast(m, self->down, m->x);
    return st == P2P_OK ? p2pi_server_cast(m, self->down_dense, self->H) : st;
}

static p2p_status
both_apply(p2pi_server *self, p2p_method_context *m)
{
    p2p_status st = p2pi_server_take(m, self->down, m->x);

    return st == P2P_OK ? p2pi_server_take(m, self->down_dense, self->H) : st;
}

static const p2pi_link model_and_shift = { both_start, NULL, both_cast, both_apply };

/* ---- rows; those of rows are taken to be those of the nodes */

static double
choose_ec(p2pi_server_param *p, const p2p_setting *at, const p2p_compressor_constants *c)
{
    (void)p;
    (void)at;
    (void)c;
    return 0.25;
}

static double
choose_lsvrg(p2pi_server_param *p, const p2p_setting *at, const p2p_compressor_constants *c)
{
    return choose_ec(p, at, c) / 3;
}

static double
choose_corrected(p2pi_server_param *p, const p2p_setting *at, const p2p_compressor_constants *c)
{
    (void)p;
    (void)at;
    return p2pi_delta(c) / 10;
}

static const p2p_option ec_options[] = { P2PI_SERVER_STEP, P2PI_SERVER_DOWN_MODE, P2PI_SERVER_END };
static const p2p_option lsvrg_options[] = { P2PI_SERVER_STEP,
                                            { "p", P2P_OPT_REAL, "auto", "(0", "1", "probability that w moves",
                                              offsetof(p2pi_server_param, p) },
                                            P2PI_SERVER_DOWN_MODE,
                                            P2PI_SERVER_END };
static const p2p_option corrected_options[] = {
    P2PI_SERVER_STEP,
    { "lam|alpha", P2P_OPT_REAL, "auto", "(0", "1", "how far the shifts follow", offsetof(p2pi_server_param, lam) },
    { "shift", P2P_OPT_TEXT, "qinf:bits=4", NULL, NULL, "unbiased compressor of the shifts",
      offsetof(p2pi_server_param, shift) },
    P2PI_SERVER_END
};

#define ABSOLUTE P2P_ABSOLUTE | P2P_CONTRACTIVE, "contractive, or of an absolute error; use diana, or scaled() of it"

P2PI_SERVER_ROW(ec_sgd, "ec-sgd",
                "ef, sgd, dense down: error feedback for absolute compressors; down to a noise floor",
                "arXiv:2203.02383", ec_options, P2P_METHOD_ABSOLUTE, &p2pi_error_feedback, &p2pi_link_dense, ABSOLUTE,
                choose_ec, 0);
P2PI_SERVER_ROW(ec_lsvrg, "ec-lsvrg", "ef of a loopless svrg gradient, sgd, dense down: no noise from sampling",
                "arXiv:2203.02383", lsvrg_options, P2P_METHOD_ABSOLUTE, &loopless, &p2pi_link_dense, ABSOLUTE,
                choose_lsvrg, 0);
P2PI_SERVER_ROW(ec_sgd_diana, "ec-sgd-diana", "ef-shift, sgd, dense down: error feedback without bias; exact",
                "arXiv:2010.12292", corrected_options, P2P_METHOD_EXACT, &corrected, &model_and_shift,
                P2P_CONTRACTIVE, "contractive; use diana, or scaled() of it", choose_corrected, 0);
