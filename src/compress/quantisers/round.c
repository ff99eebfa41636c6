/*
 * round: steps of a width that both ends know, c = clip(floor(x / (step s) + 1/2), -limit, limit), decoded step s c;
 * s is the scale of the round. round=random replaces the 1/2 by a dither: unbiased within the range. Codes of several
 * nodes add.
 *
 * In range (|x| <= step (limit + 1/2) s) the error is at most d (step s)^2 / 4.
 */
#include "compress/compress_draws.h"
#include "compress/kernels/compress_kernels.h"
#include "compress/pipeline/pipeline_parts.h"

#include <math.h>

enum { ROUND_NEAR, ROUND_RANDOM };

typedef struct {
    double step;
    int64_t limit, round, code, dither;
} round_param;

static p2p_status
round_open(p2pi_quantiser *self, p2pi_arena *arena)
{
    const round_param *o = self->param;
    double d = (double)self->shape.dim;

    (void)arena;
    if (o->round == ROUND_NEAR && p2pi_option_dither(o->dither) != 24)
        return p2p_fail(P2P_EINVAL, "compressor \"round\": dither is for round=random");
    self->largest = 2 * (uint32_t)o->limit;
    self->signed_codes = 1;
    self->needs_scale = 1;
    self->constants = (p2pi_part_constants){ P2P_ABSOLUTE | P2P_ADDITIVE, NAN, NAN, d * o->step * o->step / 4,
                                             o->step * ((double)o->limit + (o->round == ROUND_NEAR ? 0.5 : 0)) };
    if (o->round == ROUND_RANDOM)
        self->constants.traits |= P2P_RANDOM;
    return p2pi_option_code(o->code, "round", self->largest, &self->code);
}

static void
round_quantise(p2pi_quantiser *self, const p2p_env *env, const double *scale, size_t at, p2p_view y, uint32_t *symbol)
{
    const round_param *o = self->param;
    double dither[P2PI_CHUNK];
    p2p_vec u = { dither, y.dim, P2P_F64 };

    (void)scale;
    if (o->round == ROUND_RANDOM)
        p2pi_draw_dithers_at(env, self->comp, p2pi_option_dither(o->dither), at, u);
    else
        p2p_vec_fill(u, 0.5);
    p2pi_steps(y, o->step * env->scale, dither, (uint32_t)o->limit, symbol);
}

static void
round_dequantise(const p2pi_quantiser *self, const p2p_env *env, const double *scale, const uint32_t *symbol,
                 size_t at, p2p_vec y)
{
    const round_param *o = self->param;

    (void)scale;
    (void)at;
    p2pi_dequantise(symbol, o->step * env->scale, 1, y);
}

static double
round_nominal(const p2pi_quantiser *self, size_t k, int zero)
{
    (void)zero;
    return (double)k * log2((double)self->largest + 1);
}

static void
round_affine(const p2pi_quantiser *self, const p2p_env *env, double *offset, double *step)
{
    const round_param *o = self->param;

    *step = o->step * env->scale;
    *offset = -(double)o->limit * *step;
}

static const p2pi_quantiser_vt round_quantiser = {
    .open = round_open,
    .quantise = round_quantise,
    .dequantise = round_dequantise,
    .nominal = round_nominal,
    .affine = round_affine,
};

static const p2p_option round_options[] = {
    { "step", P2P_OPT_REAL, "1", "(0", "1e9", "width of a step, times the scale of the round",
      offsetof(round_param, step) },
    { "limit", P2P_OPT_INT, "127", "1", "1048576", "most steps from 0", offsetof(round_param, limit) },
    { "round", P2P_OPT_CHOICE, "near", "near|random", NULL, "random is unbiased in range",
      offsetof(round_param, round) },
    P2PI_OPTION_CODE(round_param, code),
    P2PI_OPTION_DITHER(round_param, dither),
    P2PI_OPTIONS_END
};

const p2pi_compressor_vt p2pi_compressor_round = {
    .size = sizeof(p2pi_compressor_vt),
    .entry = { "round", "steps of a fixed width under the round's scale", "arXiv:2105.06697", round_options,
               sizeof(round_param) },
    .family = 35,
    .quantiser = &round_quantiser,
};
