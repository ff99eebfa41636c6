/*
 * Sources that take tau steps of the node's own from x and say how far they came:
 *
 *     y = x;  tau times: y <- y - lr (g_i(y) - correction);   v = x - y
 *
 *     delta      no correction
 *     gate       c_i;  then c_i <- c_i + (q_i - out) / (tau lr)
 *     scaffold   c_i - c;  w_i = v / (tau lr) - c goes along;  then c_i <- c_i + w_i, c <- c + mean w
 *
 * The agreed out is a direction for the optimiser, whose step is glr.
 *
 * McMahan et al., AISTATS 2017 (local-sgd); Haddadpour et al., arXiv:2007.01154 (fedcom, fedcomgate); Basu et al.,
 * arXiv:1906.02367 (qsparse-local); Karimireddy et al., arXiv:1910.06378 (scaffold).
 */
#include "method/training.h"

static double
global_rate(const p2pi_training *self)
{
    return self->p.glr;
}

/* v = x - y; q and out are scratch until the message is sent. */
static p2p_status
walk(p2pi_training *self, p2p_method_context *m, p2p_view own, p2p_view common)
{
    const uint32_t tau = (uint32_t)self->p.tau;
    const p2p_vec y = self->q, g = self->out;

    p2p_vec_copy(y, p2p_view_of(m->x));
    for (uint32_t k = 0; k < tau; k++) {
        p2p_status st = p2pi_clipped_gradient(&self->p, m, m->round * tau + k, p2p_view_of(y), g);

        if (st != P2P_OK)
            return st;
        p2p_vec_axpy(y, -self->lr, p2p_view_of(g));
        if (own.data != NULL)
            p2p_vec_axpy(y, self->lr, own);
        if (common.data != NULL)
            p2p_vec_axpy(y, -self->lr, common);
    }
    p2p_vec_sub(self->v, p2p_view_of(m->x), p2p_view_of(y));
    return P2P_OK;
}

static const p2p_view none;

static p2p_status
delta_emit(p2pi_training *self, p2p_method_context *m)
{
    return walk(self, m, none, none);
}

const p2pi_source p2pi_source_delta = { .emit = delta_emit, .rate = global_rate };

/* ---- gate */

static p2p_status
gate_start(p2pi_training *self, p2p_method_context *m)
{
    return p2p_method_vector(m, "c", &self->c);
}

static p2p_status
gate_emit(p2pi_training *self, p2p_method_context *m)
{
    return walk(self, m, p2p_view_of(self->c), none);
}

static void
gate_done(p2pi_training *self, p2p_method_context *m)
{
    const double a = 1 / ((double)self->p.tau * self->lr);

    (void)m;
    p2p_vec_combine3(self->c, 1, p2p_view_of(self->c), a, p2p_view_of(self->q), -a, p2p_view_of(self->out));
}

const p2pi_source p2pi_source_gate = {
    .start = gate_start, .emit = gate_emit, .done = gate_done, .rate = global_rate, .needs_sent = 1
};

/* ---- scaffold */

static p2p_status
scaffold_start(p2pi_training *self, p2p_method_context *m)
{
    p2p_status st = p2p_method_vector(m, "c", &self->c);

    return st == P2P_OK ? p2p_method_vector(m, "c-all", &self->c_all) : st;
}

static p2p_status
scaffold_emit(p2pi_training *self, p2p_method_context *m)
{
    p2p_status st = walk(self, m, p2p_view_of(self->c), p2p_view_of(self->c_all));

    if (st == P2P_OK)
        p2p_vec_combine(self->w, 1 / ((double)self->p.tau * self->lr), p2p_view_of(self->v), -1,
                        p2p_view_of(self->c_all));
    return st;
}

static void
scaffold_done(p2pi_training *self, p2p_method_context *m)
{
    (void)m;
    p2p_vec_axpy(self->c, 1, p2p_view_of(self->w));
    p2p_vec_axpy(self->c_all, 1, p2p_view_of(self->w_all));
}

const p2pi_source p2pi_source_scaffold = {
    .start = scaffold_start, .emit = scaffold_emit, .done = scaffold_done, .rate = global_rate
};
