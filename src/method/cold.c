/*
 * COLD and Dyna-COLD, and their forms for variational inequalities: NIDS in primal-dual form on estimates that both
 * ends of an edge move by the decoded innovation.
 *
 *     y_i = x_i - step (grad f_i(x_i) + d_i)
 *     q_i = C(y_i - e_i)                          sent; Dyna-COLD: C = s_k Q(. / s_k), s_{k+1} = decay s_k
 *     e_j <- e_j + q_j                            j = i and every neighbour
 *     s_i = sum_j w_ij (e_i - e_j)
 *     d_i <- d_i + (dual / step) s_i
 *     x_i <- prox_{step r}(y_i - gossip s_i)
 *
 * cold-vi and dyna-cold-vi have 2 F_i(x_i^k) - F_i(x_i^{k-1}) for the gradient, F_i(x_i^0) in round 0, and the set of
 * the problem for r: the correction is what lets games of little or no strong monotonicity converge.
 *
 * dual = gossip is COLD. A smaller dual gain damps the loop: estimates behind a biased compressor lag by about
 * 1 / delta rounds and the dual integrates the lag, so that dual = gossip would need gossip of order delta step mu.
 *
 * Source: Zhang, You, Xie, "Innovation compression for communication-efficient distributed optimization with linear
 * convergence", IEEE TAC 68(11), 2023, arXiv:2105.06697; the optimistic operator: Malitsky, Tam, "A forward-backward
 * splitting method for monotone inclusions without cocoercivity", SIAM J. Optim. 2020, arXiv:1808.04162.
 */
#include "method/automatic.h"
#include "method/composite.h"
#include "method/range.h"

#include <math.h>

typedef struct {
    double step, gossip, dual, decay, scale;
    p2p_text prox;
} cold_param;

typedef struct {
    cold_param p;
    p2pi_prox prox;
    p2pi_range range;
    size_t slot;
    p2p_vec y;
    p2p_vec f, last; /* for variational inequalities: F_i of this round and of the one before */
    int optimistic;
    p2p_estimate *e;
    p2p_edge_duals *d;
} cold;

static p2p_status
make_state(cold *self, p2p_method_context *m)
{
    p2p_status st;

    if ((st = p2p_method_slot(m, P2P_SLOT_COMPRESSED, &self->slot)) != P2P_OK ||
        (st = p2p_method_scratch(m, &self->y)) != P2P_OK || (st = p2p_method_estimate(m, "e", &self->e)) != P2P_OK)
        return st;
    return p2p_method_edge_duals(m, "d", &self->d);
}

/* The same for variational inequalities. */
static p2p_status
make_operator_state(cold *self, p2p_method_context *m)
{
    p2p_status st;

    self->optimistic = 1;
    if ((st = p2p_method_scratch(m, &self->f)) != P2P_OK ||
        (st = p2p_method_vector(m, "last", &self->last)) != P2P_OK ||
        (st = p2p_method_grad(m, 0, p2p_view_of(m->x), self->last)) != P2P_OK)
        return st;
    return make_state(self, m);
}

static p2p_status
check_gains(const cold *self, const p2p_method_context *m)
{
    p2p_status st;

    if ((st = p2pi_check_gossip(m, self->p.gossip)) != P2P_OK)
        return st;
    if (self->p.dual > self->p.gossip)
        return p2p_fail(P2P_EINVAL, "method \"%s\": dual=%g: expected a number from 0 (excluded) to gossip = %g",
                        m->setting->method, self->p.dual, self->p.gossip);
    return P2P_OK;
}

static p2p_status
cold_absorb_with(cold *self, p2p_method_context *m)
{
    p2p_status st;

    if ((st = p2p_estimate_update(m, self->e, self->slot, 1)) != P2P_OK)
        return st;
    p2p_estimate_laplacian_dual(m, self->e, self->p.dual / self->p.step, self->d, m->x);
    p2p_vec_combine(m->x, 1, p2p_view_of(self->y), -self->p.gossip, p2p_view_of(m->x));
    return p2pi_composite_step(&self->prox, m, self->p.step, m->x);
}

/* y = the gradient, or the optimistic operator. */
static p2p_status
direction(cold *self, p2p_method_context *m)
{
    p2p_status st = p2p_method_grad(m, m->round, p2p_view_of(m->x), self->optimistic ? self->f : self->y);

    if (st != P2P_OK || !self->optimistic)
        return st;
    p2p_vec_combine(self->y, 2, p2p_view_of(self->f), -1, p2p_view_of(self->last));
    p2p_vec_copy(self->last, p2p_view_of(self->f));
    return P2P_OK;
}

static p2p_status
cold_emit_with(cold *self, p2p_method_context *m, double scale)
{
    const double step = self->p.step;
    p2p_status st;

    if ((st = direction(self, m)) != P2P_OK)
        return st;
    p2p_vec_combine3(self->y, 1, p2p_view_of(m->x), -step, p2p_view_of(self->y), -step,
                     p2p_edge_duals_sum(m, self->d));
    return p2p_method_send_innovation(m, self->slot, self->e, p2p_view_of(self->y), scale);
}

/* ---- cold */

/*
 * The step for biased compressors: stiff coordinates contract at 1 - dual gap / (gossip gap + step h), h the
 * curvature, flat ones at 1 - step mu; step = sqrt(dual gap kappa) / L balances the two.
 */
static double
biased_step(const cold *self, const p2p_method_context *m)
{
    const p2p_setting *at = m->setting;

    if (!(at->convexity > 0))
        return 1;
    return fmin(1, fmax(0.1, sqrt(self->p.dual * at->gap * at->smoothness / at->convexity)));
}

static int
is_biased(p2pi_loss loss)
{
    return loss == P2PI_CONTRACTIVE || loss == P2PI_ONE_BIT;
}

/* Automatic gossip and dual; loss tells what the compressor in force is like. */
static p2p_status
cold_gains(cold *self, p2p_method_context *m, p2pi_loss *loss)
{
    int automatic = p2p_is_auto(self->p.gossip);
    double delta;
    p2p_status st;

    if (automatic && (st = p2pi_need_figures(m, "gossip")) != P2P_OK)
        return st;
    st = automatic ? p2pi_loss_tamed(m, loss, &delta) : p2pi_loss_of(m, loss, &delta);
    if (st != P2P_OK)
        return st;
    if (automatic)
        self->p.gossip = is_biased(*loss) ? p2pi_biased_gossip(m, *loss, delta) : 0.5;
    if (p2p_is_auto(self->p.dual)) {
        double damping = *loss == P2PI_ONE_BIT ? 0.04 : is_biased(*loss) ? fmax(delta, 0.02) : 1;

        self->p.dual = damping * self->p.gossip;
    }
    return P2P_OK;
}

static p2p_status
cold_parameters(cold *self, p2p_method_context *m)
{
    p2pi_loss loss;
    p2p_status st = cold_gains(self, m, &loss);

    return st == P2P_OK ? p2pi_auto_step(m, is_biased(loss) ? biased_step(self, m) : 1, 2, &self->p.step) : st;
}

static p2p_status
cold_start(void *instance, p2p_method_context *m)
{
    cold *self = instance;
    p2p_status st;

    if ((st = p2pi_composite_start(&self->prox, &self->p.prox, m)) != P2P_OK ||
        (st = cold_parameters(self, m)) != P2P_OK || (st = check_gains(self, m)) != P2P_OK)
        return st;
    return make_state(self, m);
}

static p2p_status
cold_emit(void *instance, p2p_method_context *m, size_t stage)
{
    (void)stage;
    return cold_emit_with(instance, m, 1);
}

static p2p_status
cold_absorb(void *instance, p2p_method_context *m, size_t stage)
{
    (void)stage;
    return cold_absorb_with(instance, m);
}

static const p2p_option cold_options[] = {
    { "step", P2P_OPT_REAL, "auto", "(0", NULL, "step size, below 2/L", offsetof(cold_param, step) },
    { "gossip", P2P_OPT_REAL, "auto", "(0", NULL, "primal mixing gain, at most 1/beta",
      offsetof(cold_param, gossip) },
    { "dual", P2P_OPT_REAL, "auto", "(0", NULL, "dual gain, at most gossip", offsetof(cold_param, dual) },
    { "prox", P2P_OPT_TEXT, "none", NULL, NULL, P2PI_PROX_HELP, offsetof(cold_param, prox) },
    { NULL, P2P_OPT_TEXT, NULL, NULL, NULL, NULL, 0 }
};
const p2p_method_vt p2pi_method_cold = {
    .size = sizeof(p2p_method_vt),
    .entry = { "cold", "COLD: exact and linear with compressed innovations; any contractive or unbiased compressor",
               "arXiv:2105.06697", cold_options, sizeof(cold_param) },
    .traits = P2P_METHOD_DUAL | P2P_METHOD_EXACT | P2P_METHOD_PROX,
    .instance_size = sizeof(cold),
    .stages = 1,
    .start = cold_start,
    .emit = cold_emit,
    .absorb = cold_absorb,
};

/* ---- cold-vi: the optimistic operator bears half of the step, and a compressor takes its share of that */

/* What a harsh compressor keeps is random, whatever matters most: less gossip than for a greedy one. */
static p2p_status
cold_vi_gains(cold *self, p2p_method_context *m, p2pi_loss *loss)
{
    double delta;
    p2p_status st = p2p_is_auto(self->p.gossip) ? p2pi_loss_of(m, loss, &delta) : P2P_OK;

    if (st == P2P_OK && p2p_is_auto(self->p.gossip) && *loss == P2PI_HARSH) {
        const double gossip = 0.2 * delta / fmax(1, m->setting->beta);

        if (p2p_is_auto(self->p.dual))
            self->p.dual = 0.1 * gossip;
        st = cold_gains(self, m, loss);
        self->p.gossip = gossip;
        return st;
    }
    return st == P2P_OK ? cold_gains(self, m, loss) : st;
}

static p2p_status
cold_vi_start(void *instance, p2p_method_context *m)
{
    cold *self = instance;
    p2pi_loss loss;
    double factor;
    p2p_status st;

    if ((st = cold_vi_gains(self, m, &loss)) != P2P_OK)
        return st;
    factor = loss == P2PI_EXACT ? 0.4 : loss == P2PI_GENTLE ? 0.2 : 0.1;
    if ((st = p2pi_auto_step(m, factor, 0.5, &self->p.step)) != P2P_OK || (st = check_gains(self, m)) != P2P_OK)
        return st;
    return make_operator_state(self, m);
}

static const p2p_option cold_vi_options[] = {
    { "step", P2P_OPT_REAL, "auto", "(0", NULL, "step size, below 1/(2L)", offsetof(cold_param, step) },
    { "gossip", P2P_OPT_REAL, "auto", "(0", NULL, "primal mixing gain, at most 1/beta",
      offsetof(cold_param, gossip) },
    { "dual", P2P_OPT_REAL, "auto", "(0", NULL, "dual gain, at most gossip", offsetof(cold_param, dual) },
    { NULL, P2P_OPT_TEXT, NULL, NULL, NULL, NULL, 0 }
};
const p2p_method_vt p2pi_method_cold_vi = {
    .size = sizeof(p2p_method_vt),
    .entry = { "cold-vi", "cold for games: the optimistic operator, exact and linear with compressed innovations",
               "arXiv:2105.06697; arXiv:1808.04162", cold_vi_options, sizeof(cold_param) },
    .traits = P2P_METHOD_DUAL | P2P_METHOD_EXACT | P2P_METHOD_OPERATOR | P2P_METHOD_PROX,
    .instance_size = sizeof(cold),
    .stages = 1,
    .start = cold_vi_start,
    .emit = cold_emit,
    .absorb = cold_absorb,
};

/* ---- dyna-cold */

/* scale = 2 max over nodes of max(||x_i||_inf, step ||grad f_i(x_i)||_inf), finished by the swarm's agreement. */
static p2p_status
start_scale(cold *self, p2p_method_context *m)
{
    p2p_status st = p2p_problem_grad(m->problem, p2p_view_of(m->x), NULL, 0, self->y);

    if (st != P2P_OK)
        return st;
    self->p.scale =
        2 * fmax(p2p_vec_norminf(p2p_view_of(m->x)), self->p.step * p2p_vec_norminf(p2p_view_of(self->y)));
    return p2p_method_agree_max(m, &self->p.scale);
}

static p2p_status
start_range(cold *self, p2p_method_context *m)
{
    p2p_status st;

    if (p2p_is_auto(self->p.scale) && (st = start_scale(self, m)) != P2P_OK)
        return st;
    return p2pi_range_start(&self->range, m, self->slot);
}

static void
dyna_gains(cold *self)
{
    if (p2p_is_auto(self->p.dual))
        self->p.dual = p2p_is_auto(self->p.gossip) ? 0.1 : self->p.gossip;
    if (p2p_is_auto(self->p.gossip))
        self->p.gossip = fmax(0.2, self->p.dual);
}

static p2p_status
dyna_parameters(cold *self, p2p_method_context *m)
{
    const double mu = m->setting->convexity;
    p2p_status st;

    dyna_gains(self);
    if ((st = p2pi_auto_step(m, 1, 2, &self->p.step)) != P2P_OK || !p2p_is_auto(self->p.decay))
        return st;
    if (!(mu > 0))
        return p2p_fail(P2P_EINVAL,
                        "method \"dyna-cold\": decay=auto needs the strong convexity mu, which the problem "
                        "does not give; give a decay: 0.99 for quick problems, 0.997 for others");
    if ((st = p2pi_need_figures(m, "decay")) != P2P_OK)
        return st;
    self->p.decay = 1 - 0.7 * fmin(0.1, fmin(self->p.step * mu, self->p.dual * m->setting->gap));
    return P2P_OK;
}

static p2p_status
dyna_cold_start(void *instance, p2p_method_context *m)
{
    cold *self = instance;
    p2p_status st;

    if ((st = p2pi_composite_start(&self->prox, &self->p.prox, m)) != P2P_OK ||
        (st = dyna_parameters(self, m)) != P2P_OK || (st = check_gains(self, m)) != P2P_OK ||
        (st = make_state(self, m)) != P2P_OK)
        return st;
    return start_range(self, m);
}

static p2p_status
dyna_cold_emit(void *instance, p2p_method_context *m, size_t stage)
{
    cold *self = instance;

    (void)stage;
    return cold_emit_with(self, m, p2pi_range_scale(&self->range, m, self->p.scale, self->p.decay));
}

static p2p_status
dyna_cold_absorb(void *instance, p2p_method_context *m, size_t stage)
{
    cold *self = instance;

    (void)stage;
    p2pi_range_watch(&self->range, m, self->p.decay);
    return cold_absorb_with(self, m);
}

static const p2p_option dyna_cold_options[] = {
    { "step", P2P_OPT_REAL, "auto", "(0", NULL, "step size, below 2/L", offsetof(cold_param, step) },
    { "gossip", P2P_OPT_REAL, "auto", "(0", NULL, "primal mixing gain, at most 1/beta",
      offsetof(cold_param, gossip) },
    { "dual", P2P_OPT_REAL, "auto", "(0", NULL, "dual gain, at most gossip", offsetof(cold_param, dual) },
    { "decay", P2P_OPT_REAL, "auto", "(1/2", "1)", "factor of the range each round", offsetof(cold_param, decay) },
    { "scale", P2P_OPT_REAL, "auto", "(0", NULL, "range of the first round", offsetof(cold_param, scale) },
    { "prox", P2P_OPT_TEXT, "none", NULL, NULL, P2PI_PROX_HELP, offsetof(cold_param, prox) },
    { NULL, P2P_OPT_TEXT, NULL, NULL, NULL, NULL, 0 }
};
const p2p_method_vt p2pi_method_dyna_cold = {
    .size = sizeof(p2p_method_vt),
    .entry = { "dyna-cold", "Dyna-COLD: exact and linear with a bit an entry, in a range that shrinks with the round",
               "arXiv:2105.06697", dyna_cold_options, sizeof(cold_param) },
    .traits = P2P_METHOD_DUAL | P2P_METHOD_RANGED | P2P_METHOD_EXACT | P2P_METHOD_PROX,
    .instance_size = sizeof(cold),
    .stages = 1,
    .start = dyna_cold_start,
    .emit = dyna_cold_emit,
    .absorb = dyna_cold_absorb,
};

/* ---- dyna-cold-vi */

static p2p_status
dyna_cold_vi_start(void *instance, p2p_method_context *m)
{
    cold *self = instance;
    p2p_status st;

    dyna_gains(self);
    if ((st = p2pi_auto_step(m, 0.1, 0.5, &self->p.step)) != P2P_OK || (st = check_gains(self, m)) != P2P_OK ||
        (st = make_operator_state(self, m)) != P2P_OK)
        return st;
    return start_range(self, m);
}

static const p2p_option dyna_cold_vi_options[] = {
    { "step", P2P_OPT_REAL, "auto", "(0", NULL, "step size, below 1/(2L)", offsetof(cold_param, step) },
    { "gossip", P2P_OPT_REAL, "auto", "(0", NULL, "primal mixing gain, at most 1/beta",
      offsetof(cold_param, gossip) },
    { "dual", P2P_OPT_REAL, "auto", "(0", NULL, "dual gain, at most gossip", offsetof(cold_param, dual) },
    { "decay", P2P_OPT_REAL, "0.99", "(1/2", "1)", "factor of the range each round", offsetof(cold_param, decay) },
    { "scale", P2P_OPT_REAL, "auto", "(0", NULL, "range of the first round", offsetof(cold_param, scale) },
    { NULL, P2P_OPT_TEXT, NULL, NULL, NULL, NULL, 0 }
};
const p2p_method_vt p2pi_method_dyna_cold_vi = {
    .size = sizeof(p2p_method_vt),
    .entry = { "dyna-cold-vi", "dyna-cold for games: a bit an entry, in a range that shrinks with the round",
               "arXiv:2105.06697; arXiv:1808.04162", dyna_cold_vi_options, sizeof(cold_param) },
    .traits = P2P_METHOD_DUAL | P2P_METHOD_RANGED | P2P_METHOD_EXACT | P2P_METHOD_OPERATOR | P2P_METHOD_PROX,
    .instance_size = sizeof(cold),
    .stages = 1,
    .start = dyna_cold_vi_start,
    .emit = dyna_cold_emit,
    .absorb = dyna_cold_absorb,
};
