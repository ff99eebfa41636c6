/*
 * binary, levels: quantisers of a bounded range under the scale s of the round, which both ends know and nobody
 * sends. These are the contractive-in-range quantisers of Dyna-COLD: with s above the largest innovation the next is
 * smaller, and s shrinks every round.
 *
 *     binary   z = [x < 0], decoded +- s/2;                                error at most s/2 where |x| <= s
 *     levels   cells of width w = 2^(1-bits) on [-1, 1], clipped: k = floor(x / s / w), decoded (k + 1/2) w s
 *
 * Codes of several nodes add. Zhang, You, Xie, arXiv:2105.06697.
 */
#include "compress/kernels/compress_kernels.h"
#include "compress/pipeline/pipeline_parts.h"

#include <math.h>

typedef struct {
    int64_t bits, code;
} bounded_param;

/* binary is one bit, with cells of width 1 centred at +-1/2. */
static p2p_status
open_bounded(p2pi_quantiser *self, const char *name, unsigned bits)
{
    const bounded_param *o = self->param;

    self->largest = (UINT32_C(1) << bits) - 1;
    self->needs_scale = 1;
    self->constants = (p2pi_part_constants){ P2P_ABSOLUTE | P2P_ADDITIVE, NAN, NAN,
                                             (double)self->shape.dim * ldexp(1, -2 * (int)bits), 1 };
    return p2pi_option_code(o->code, name, self->largest, &self->code);
}

/* ---- binary */

static p2p_status
binary_open(p2pi_quantiser *self, p2pi_arena *arena)
{
    (void)arena;
    return open_bounded(self, "binary", 1);
}

static void
binary_dequantise(const p2pi_quantiser *self, const p2p_env *env, const double *scale, const uint32_t *symbol,
                  size_t at, p2p_vec y)
{
    (void)self;
    (void)scale;
    (void)at;
    p2pi_select(symbol, env->scale * 0.5, env->scale * -0.5, y);
}

static double
binary_nominal(const p2pi_quantiser *self, size_t k, int zero)
{
    (void)self;
    (void)zero;
    return (double)k;
}

static void
binary_affine(const p2pi_quantiser *self, const p2p_env *env, double *offset, double *step)
{
    (void)self;
    *offset = env->scale * 0.5;
    *step = -env->scale;
}

/* ---- levels */

static p2p_status
levels_open(p2pi_quantiser *self, p2pi_arena *arena)
{
    const bounded_param *o = self->param;

    (void)arena;
    self->params = 1;
    self->param_value[0] = (uint32_t)o->bits;
    return open_bounded(self, "levels", (unsigned)o->bits);
}

static void
levels_quantise(p2pi_quantiser *self, const p2p_env *env, const double *scale, size_t at, p2p_view y,
                uint32_t *symbol)
{
    const bounded_param *o = self->param;

    (void)scale;
    (void)at;
    p2pi_cells(y, env->scale, (unsigned)o->bits, symbol);
}

static void
levels_dequantise(const p2pi_quantiser *self, const p2p_env *env, const double *scale, const uint32_t *symbol,
                  size_t at, p2p_vec y)
{
    const bounded_param *o = self->param;

    (void)scale;
    (void)at;
    p2pi_from_cells(symbol, env->scale, (unsigned)o->bits, y);
}

static double
levels_nominal(const p2pi_quantiser *self, size_t k, int zero)
{
    const bounded_param *o = self->param;

    (void)zero;
    return (double)k * (double)o->bits;
}

static void
levels_affine(const p2pi_quantiser *self, const p2p_env *env, double *offset, double *step)
{
    const bounded_param *o = self->param;

    *step = ldexp(env->scale, 1 - (int)o->bits);
    *offset = 0.5 * *step - env->scale;
}

static const p2pi_quantiser_vt binary_quantiser = {
    .open = binary_open,
    .quantise = p2pi_quantise_signs,
    .dequantise = binary_dequantise,
    .nominal = binary_nominal,
    .affine = binary_affine,
};

static const p2pi_quantiser_vt levels_quantiser = {
    .open = levels_open,
    .quantise = levels_quantise,
    .dequantise = levels_dequantise,
    .nominal = levels_nominal,
    .affine = levels_affine,
};

static const p2p_option binary_options[] = { P2PI_OPTION_CODE(bounded_param, code), P2PI_OPTIONS_END };

static const p2p_option levels_options[] = {
    { "bits", P2P_OPT_INT, "2", "1", "16", "2^bits cells on [-1, 1] times the scale", offsetof(bounded_param, bits) },
    P2PI_OPTION_CODE(bounded_param, code),
    P2PI_OPTIONS_END
};

const p2pi_compressor_vt p2pi_compressor_binary = {
    .size = sizeof(p2pi_compressor_vt),
    .entry = { "binary", "one bit an entry under the round's scale", "arXiv:2105.06697", binary_options,
               sizeof(bounded_param) },
    .family = 33,
    .quantiser = &binary_quantiser,
};

const p2pi_compressor_vt p2pi_compressor_levels = {
    .size = sizeof(p2pi_compressor_vt),
    .entry = { "levels", "cells of equal width under the round's scale", "arXiv:2105.06697", levels_options,
               sizeof(bounded_param) },
    .family = 34,
    .quantiser = &levels_quantiser,
};
