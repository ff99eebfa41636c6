/*
 * powersgd, powersgd+, acpsgd: a step of power iteration a round, from the factor of the round before.
 *
 *     powersgd    P = orth(V Q), Q = V' P, out = P Q'; Q is kept (warm=1) or drawn anew (warm=0)
 *     powersgd+   the same, and every tau rounds the whole of V, from which Q is the right singular basis
 *     acpsgd      even rounds Q = orth(Q), P = V Q; odd rounds P = orth(P), Q = V' P
 *
 * None has a contraction that holds for every V, since Q may be orthogonal to it; kept, Q follows the leading
 * subspace.
 *
 * Vogels, Karimireddy, Jaggi, arXiv:1905.13727; Xie, Chen, Yuan, arXiv:2509.11254 (powersgd+); Zhang et al., ICDCS
 * 2023, arXiv:2306.08881 (acpsgd).
 */
#include "compress/linear/low_rank.h"
#include "compress/pipeline/pipeline_parts.h"

#include <string.h>

typedef struct {
    p2pi_low_rank_param common;
    int64_t warm, tau;
} powersgd_param;

static void
draw_factors(p2pi_low_rank *self, const p2p_env *env)
{
    p2pi_low_rank_normals(env, 0, 0, self->rows, self->rank, self->p);
    p2pi_low_rank_normals(env, 1, 0, self->cols, self->rank, self->q);
}

/* ---- a step of power iteration: P, then Q */

static size_t
both_factors(const p2pi_low_rank *self, const p2p_env *env, size_t stage)
{
    (void)env;
    return stage < 2 ? self->rank * (stage == 0 ? self->rows : self->cols) : 0;
}

static void
emit_step(p2pi_low_rank *self, const p2p_env *env, size_t stage, double *out)
{
    const powersgd_param *o = self->param;

    if (stage == 1) {
        p2pi_low_rank_transposed_times(self, self->p, out);
        return;
    }
    if (!o->warm)
        p2pi_low_rank_normals(env, 1, env->round + 1, self->cols, self->rank, self->q);
    p2pi_low_rank_times(self, self->q, out);
}

static void
absorb_step(p2pi_low_rank *self, const p2p_env *env, size_t stage, const double *mean)
{
    memcpy(stage == 0 ? self->p : self->q, mean, both_factors(self, env, stage) * sizeof *mean);
    if (stage == 0)
        p2pi_orthonormalise(self->p, self->rows, self->rank);
}

/* ---- P in even rounds, Q in odd ones */

static int
renews_p(const p2pi_low_rank *self, const p2p_env *env)
{
    (void)self;
    return env->round % 2 == 0;
}

static size_t
one_factor(const p2pi_low_rank *self, const p2p_env *env, size_t stage)
{
    return stage == 0 ? self->rank * (renews_p(self, env) ? self->rows : self->cols) : 0;
}

static void
emit_factor(p2pi_low_rank *self, const p2p_env *env, size_t stage, double *out)
{
    (void)stage;
    if (renews_p(self, env)) {
        p2pi_orthonormalise(self->q, self->cols, self->rank);
        p2pi_low_rank_times(self, self->q, out);
    } else {
        p2pi_orthonormalise(self->p, self->rows, self->rank);
        p2pi_low_rank_transposed_times(self, self->p, out);
    }
}

static void
absorb_factor(p2pi_low_rank *self, const p2p_env *env, size_t stage, const double *mean)
{
    memcpy(renews_p(self, env) ? self->p : self->q, mean, one_factor(self, env, stage) * sizeof *mean);
}

/* ---- whole matrices */

static void
right_basis(p2pi_low_rank *self)
{
    p2pi_svd *svd = self->own;

    p2pi_svd_of(svd, self, 0);
    memcpy(self->q, svd->right_t, self->rank * self->cols * sizeof *self->q);
}

#define POWER .start = draw_factors, .count = both_factors, .emit = emit_step, .absorb = absorb_step

static const p2pi_low_rank_vt power = { POWER };
static const p2pi_low_rank_vt refreshed_power = { POWER, .refresh = right_basis };
static const p2pi_low_rank_vt alternating = {
    .start = draw_factors, .count = one_factor, .emit = emit_factor, .absorb = absorb_factor, .ends_in_p = renews_p
};

static void
keep(p2pi_codec *c, const char *name, double *data, size_t n)
{
    c->plan.state[c->plan.states++] = (p2pi_codec_state){ name, { data, n, P2P_F64 } };
}

static p2p_status
plan_with(p2pi_codec *c, p2pi_arena *arena, uint8_t family, const p2pi_low_rank_vt *vt, p2pi_low_rank **out)
{
    p2p_status st = p2pi_low_rank_plan(c, arena, family, out);

    if (st != P2P_OK)
        return st;
    (*out)->vt = vt;
    keep(c, "Q", (*out)->q, (*out)->cols * (*out)->rank);
    return P2P_OK;
}

static p2p_status
powersgd_plan(p2pi_codec *c, p2pi_arena *arena)
{
    p2pi_low_rank *self;

    return plan_with(c, arena, 40, &power, &self);
}

static p2p_status
powersgd_plus_plan(p2pi_codec *c, p2pi_arena *arena)
{
    const powersgd_param *o = c->part[0].param;
    p2pi_low_rank *self;
    p2p_status st = plan_with(c, arena, 40, &refreshed_power, &self);

    if (st != P2P_OK)
        return st;
    self->tau = (size_t)o->tau;
    if ((self->own = p2pi_arena_take(arena, sizeof(p2pi_svd))) == NULL)
        return P2P_ENOMEM;
    return p2pi_svd_open(self->own, self, arena);
}

static p2p_status
acpsgd_plan(p2pi_codec *c, p2pi_arena *arena)
{
    p2pi_low_rank *self;
    p2p_status st = plan_with(c, arena, 41, &alternating, &self);

    if (st == P2P_OK)
        keep(c, "P", self->p, self->rows * self->rank);
    return st;
}

#define SCHEME(plan_fn)                                                                                              \
    {                                                                                                                \
        .plan = (plan_fn), .encode = p2pi_low_rank_encode, .decode = p2pi_low_rank_decode,                           \
        .nominal = p2pi_low_rank_nominal, .stages = p2pi_low_rank_stages, .emit = p2pi_low_rank_emit,                \
        .absorb = p2pi_low_rank_absorb, .finish = p2pi_low_rank_finish                                               \
    }

static const p2pi_scheme powersgd_scheme = SCHEME(powersgd_plan);
static const p2pi_scheme powersgd_plus_scheme = SCHEME(powersgd_plus_plan);
static const p2pi_scheme acpsgd_scheme = SCHEME(acpsgd_plan);

#define OPTION_WARM                                                                                                  \
    {                                                                                                                \
        "warm", P2P_OPT_BOOL, "1", NULL, NULL, "start from the factor of the round before",                          \
            offsetof(powersgd_param, warm)                                                                           \
    }

static const p2p_option powersgd_options[] = { P2PI_OPTIONS_LOW_RANK, OPTION_WARM, P2PI_OPTION_MEMORY,
                                               P2PI_OPTION_VT(p2pi_low_rank_param, vt), P2PI_OPTIONS_END };

static const p2p_option powersgd_plus_options[] = {
    P2PI_OPTIONS_LOW_RANK,
    OPTION_WARM,
    { "tau", P2P_OPT_INT, "50", "1", "1000000", "rounds between whole matrices", offsetof(powersgd_param, tau) },
    P2PI_OPTION_MEMORY,
    P2PI_OPTION_VT(p2pi_low_rank_param, vt),
    P2PI_OPTIONS_END
};

static const p2p_option acpsgd_options[] = { P2PI_OPTIONS_LOW_RANK, P2PI_OPTION_MEMORY,
                                             P2PI_OPTION_VT(p2pi_low_rank_param, vt), P2PI_OPTIONS_END };

const p2pi_compressor_vt p2pi_compressor_powersgd = {
    .size = sizeof(p2pi_compressor_vt),
    .entry = { "powersgd", "two thin factors, by a step of power iteration", "arXiv:1905.13727", powersgd_options,
               sizeof(powersgd_param) },
    .family = 40,
    .scheme = &powersgd_scheme,
};

const p2pi_compressor_vt p2pi_compressor_powersgd_plus = {
    .size = sizeof(p2pi_compressor_vt),
    .entry = { "powersgd+", "powersgd, with the whole matrix every tau rounds", "arXiv:2509.11254",
               powersgd_plus_options, sizeof(powersgd_param) },
    .family = 40,
    .scheme = &powersgd_plus_scheme,
};

const p2pi_compressor_vt p2pi_compressor_acpsgd = {
    .size = sizeof(p2pi_compressor_vt),
    .entry = { "acpsgd", "two thin factors, one of them renewed in turn", "arXiv:2306.08881", acpsgd_options,
               sizeof(powersgd_param) },
    .family = 41,
    .scheme = &acpsgd_scheme,
};
