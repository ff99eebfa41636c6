/*
 * fp: floats of fewer bits, binary16, bfloat16 and the two 8-bit formats of the OCP specification: nearest, ties to
 * even, or at random between the two neighbours; denormals of the format are kept, what is too large becomes the
 * largest. scale=max divides by max |x| / largest first, so that the format's range is used. Relative error of a
 * normal number at most 2^-(mantissa bits + 1).
 *
 * Micikevicius et al., arXiv:2209.05433; OCP 8-bit floating point specification, 2023.
 */
#include "compress/compress_draws.h"
#include "compress/kernels/compress_kernels.h"
#include "compress/kernels/float_kernels.h"
#include "compress/pipeline/pipeline_parts.h"

#include <math.h>

enum { TYPE_F16, TYPE_BF16, TYPE_E4M3, TYPE_E5M2 };
enum { ROUND_NEAR, ROUND_RANDOM };
enum { SCALE_NONE, SCALE_MAX };

/* e4m3 has no infinity: only its last pattern is not a number. */
static const p2pi_small_float formats[] = {
    [TYPE_F16] = { 5, 10, 15, 0x7BFF },
    [TYPE_BF16] = { 8, 7, 127, 0x7F7F },
    [TYPE_E4M3] = { 4, 3, 7, 0x7E },
    [TYPE_E5M2] = { 5, 2, 15, 0x7B },
};

typedef struct {
    int64_t type, round, scale, code, dither, vt;
} fp_param;

static const p2pi_small_float *
format_of(const p2pi_quantiser *self)
{
    return &formats[((const fp_param *)self->param)->type];
}

/* A contraction of every vector only where the range is that of the entries. */
static void
fp_constants(p2pi_quantiser *self, const fp_param *o)
{
    self->constants = (p2pi_part_constants){ o->round == ROUND_RANDOM ? P2P_RANDOM : 0, NAN, NAN, NAN, NAN };
    if (o->type == TYPE_BF16 && self->shape.type == P2P_F32 && o->round == ROUND_NEAR) {
        self->constants.traits = P2P_CONTRACTIVE;
        self->constants.delta = 1 - ldexp(1, -16);
    }
}

static p2p_status
fp_open(p2pi_quantiser *self, p2pi_arena *arena)
{
    const fp_param *o = self->param;
    const p2pi_small_float *f = format_of(self);

    (void)arena;
    if (o->round == ROUND_NEAR && p2pi_option_dither(o->dither) != 24)
        return p2p_fail(P2P_EINVAL, "compressor \"fp\": dither is for round=random");
    if (o->scale == SCALE_NONE && o->vt != 0)
        return p2p_fail(P2P_EINVAL, "compressor \"fp\": vt is for a scale that travels: scale=none sends none");
    self->params = 1;
    self->param_value[0] = (uint32_t)o->type;
    self->largest = (UINT32_C(2) << (f->exponent_bits + f->mantissa_bits)) - 1;
    self->real = p2pi_option_real(o->vt, self->shape.type);
    fp_constants(self, o);
    return p2pi_option_code(o->code, "fp", self->largest, &self->code);
}

static size_t
fp_scales(const p2pi_quantiser *self, size_t k)
{
    (void)k;
    return ((const fp_param *)self->param)->scale == SCALE_MAX;
}

static void
fp_measure(p2pi_quantiser *self, const p2p_env *env, p2p_view y, double *scale)
{
    const p2pi_small_float *f = format_of(self);

    (void)env;
    if (fp_scales(self, y.dim) > 0)
        *scale = p2pi_real_up(self->real, p2p_vec_norminf(y) / p2pi_small_float_value(f, f->top));
}

static void
fp_quantise(p2pi_quantiser *self, const p2p_env *env, const double *scale, size_t at, p2p_view y, uint32_t *symbol)
{
    const fp_param *o = self->param;
    double dither[P2PI_CHUNK], divisor = fp_scales(self, y.dim) > 0 && *scale > 0 ? *scale : 1;
    p2p_vec u = { dither, y.dim, P2P_F64 };

    if (o->round == ROUND_RANDOM)
        p2pi_draw_dithers_at(env, self->comp, p2pi_option_dither(o->dither), at, u);
    p2pi_small_floats(format_of(self), y, divisor, o->round == ROUND_RANDOM ? dither : NULL, symbol);
}

static size_t
fp_first_bad(const p2pi_quantiser *self, const uint32_t *symbol, size_t n)
{
    const p2pi_small_float *f = format_of(self);
    const uint32_t magnitude = self->largest >> 1;

    for (size_t i = 0; i < n; i++)
        if ((symbol[i] & magnitude) > f->top)
            return i;
    return n;
}

/* Of the largest number. */
static double
fp_reach(const p2pi_quantiser *self, double scale)
{
    const p2pi_small_float *f = format_of(self);
    double v = scale * p2pi_small_float_value(f, f->top);

    return self->shape.type == P2P_F32 ? (double)(float)v : v;
}

static void
fp_dequantise(const p2pi_quantiser *self, const p2p_env *env, const double *scale, const uint32_t *symbol, size_t at,
              p2p_vec y)
{
    (void)env;
    (void)at;
    p2pi_from_small_floats(format_of(self), symbol, fp_scales(self, y.dim) > 0 ? *scale : 1, y);
}

static double
fp_nominal(const p2pi_quantiser *self, size_t k, int zero)
{
    const p2pi_small_float *f = format_of(self);

    (void)zero;
    return (double)k * (1 + f->exponent_bits + f->mantissa_bits) +
           (double)fp_scales(self, k) * 8 * (double)p2pi_real_bytes(self->real);
}

static const p2pi_quantiser_vt fp_quantiser = {
    .open = fp_open,
    .scales = fp_scales,
    .measure = fp_measure,
    .quantise = fp_quantise,
    .first_bad = fp_first_bad,
    .reach = fp_reach,
    .dequantise = fp_dequantise,
    .nominal = fp_nominal,
};

static const p2p_option fp_options[] = {
    { "type", P2P_OPT_CHOICE, "f16", "f16|bf16|e4m3|e5m2", NULL, "the format", offsetof(fp_param, type) },
    { "round", P2P_OPT_CHOICE, "near", "near|random", NULL, "random is unbiased within the range",
      offsetof(fp_param, round) },
    { "scale", P2P_OPT_CHOICE, "none", "none|max", NULL, "max: the largest magnitude becomes the format's largest",
      offsetof(fp_param, scale) },
    P2PI_OPTION_CODE(fp_param, code),
    P2PI_OPTION_DITHER(fp_param, dither),
    P2PI_OPTION_VT(fp_param, vt),
    P2PI_OPTIONS_END
};

const p2pi_compressor_vt p2pi_compressor_fp = {
    .size = sizeof(p2pi_compressor_vt),
    .entry = { "fp", "floats of 16 or 8 bits", "arXiv:2209.05433", fp_options, sizeof(fp_param) },
    .family = 37,
    .quantiser = &fp_quantiser,
};
