/*
 * onebit-adam: Adam on the exact mean for `warm` rounds; then its second moment stays as it is and the momentum goes
 * both ways compressed:
 *
 *     u_i = b m + (1 - b) g_i + e_i,  q_i = C(u_i) up;   w = mean q_i + e,  m = C(w) down;   x -= lr m / (sqrt(v) +
 * eps)
 *
 * m is what all have decoded. Before, the same with C the identity, and v is made of what m has taken in. When v is
 * frozen it is raised to vmin times its mean: inputs that were always 0 would make huge steps otherwise.
 *
 * Tang et al., ICML 2021, arXiv:2102.02888.
 */
#include "method/optimiser_kernels.h"
#include "method/training.h"

static p2p_status
momentum_start(p2pi_training *self, p2p_method_context *m)
{
    p2p_status st = p2p_method_vector(m, "m", &self->momentum);

    return st == P2P_OK ? p2p_method_vector(m, "v", &self->second) : st;
}

static p2p_status
momentum_emit(p2pi_training *self, p2p_method_context *m)
{
    const double b = self->p.optimiser.beta;
    p2p_status st = p2pi_clipped_gradient(&self->p, m, m->round, p2p_view_of(m->x), self->v);

    if (st == P2P_OK)
        p2p_vec_axpby(self->v, b, p2p_view_of(self->momentum), 1 - b);
    return st;
}

/* The mean gradient is what makes the old momentum the new one. */
static void
take_moment(p2pi_training *self)
{
    const double b = self->p.optimiser.beta;

    p2p_vec_combine(self->q, 1 / (1 - b), p2p_view_of(self->out), -b / (1 - b), p2p_view_of(self->momentum));
    p2pi_moments(b, self->p.optimiser.beta2, p2p_view_of(self->q), self->momentum, self->second);
}

static void
step(p2pi_training *self, p2p_method_context *m)
{
    const p2p_view v = p2p_view_of(self->second);

    if (m->round < self->p.dense)
        take_moment(self);
    else if (m->round == self->p.dense)
        p2pi_raise(self->p.vmin * p2p_vec_norm1(v) / (double)v.dim, self->second);
    p2p_vec_copy(self->momentum, p2p_view_of(self->out));
    p2pi_over_root(1, p2p_view_of(self->momentum), 1, v, 0, self->p.optimiser.eps, self->q);
    p2p_vec_axpy(m->x, -self->lr, p2p_view_of(self->q));
}

static const p2pi_source common_momentum = {
    .start = momentum_start, .emit = momentum_emit, .is_step = 1, .step = step
};

static const p2p_option onebit_adam_options[] = {
    P2PI_TRAINING_STEP("1e-3"),
    { "warm", P2P_OPT_INT, "100", "1", "1e9", "rounds of plain Adam", offsetof(p2pi_training_param, dense) },
    { "beta|beta1|b1", P2P_OPT_REAL, "0.9", "0", "1)", "momentum", offsetof(p2pi_training_param, optimiser.beta) },
    { "beta2|b2", P2P_OPT_REAL, "0.999", "0", "1)", "of the second moment",
      offsetof(p2pi_training_param, optimiser.beta2) },
    { "eps", P2P_OPT_REAL, "1e-8", "0", NULL, "least denominator", offsetof(p2pi_training_param, optimiser.eps) },
    { "vmin", P2P_OPT_REAL, "0.01", "0", "1", "least second moment, of their mean",
      offsetof(p2pi_training_param, vmin) },
    P2PI_SCHEDULE_OPTIONS(p2pi_training_param, schedule),
    P2PI_TRAINING_CLIP,
    P2PI_TRAINING_UP("sign"),
    P2PI_TRAINING_DOWN("same"),
    P2PI_TRAINING_END
};

P2PI_TRAINING_ROW(onebit_adam, "onebit-adam",
                  "common momentum, ef, hub(sign, sign), adam of a frozen second moment: a bit an entry both ways",
                  "arXiv:2102.02888", onebit_adam_options, &common_momentum, &p2pi_feedback_ef, &p2pi_combine_hub);
