/*
 * sign: one bit an entry, [x < 0], times one magnitude: the mean of |x| (norm=l1), ||x|| / sqrt d (norm=l2), or the
 * scale of the round that both ends know (norm=none: additive, a majority vote is the sign of the sum).
 *
 * l1 is contractive with delta(x) = ||x||_1^2 / (d ||x||^2) >= 1/d, about 2/pi on Gaussian vectors. l2 keeps the norm
 * and is not contractive: a vector of one entry has error 2 - 2/sqrt d. It is for methods that normalise.
 *
 * Bernstein et al., arXiv:1802.04434; Karimireddy et al., arXiv:1901.09847.
 */
#include "compress/kernels/compress_kernels.h"
#include "compress/pipeline/pipeline_parts.h"

#include <math.h>

enum { NORM_L1, NORM_L2, NORM_NONE };

typedef struct {
    int64_t norm, code, vt;
} sign_param;

static p2p_status
sign_open(p2pi_quantiser *self, p2pi_arena *arena)
{
    const sign_param *o = self->param;

    (void)arena;
    self->largest = 1;
    self->needs_scale = o->norm == NORM_NONE;
    if (o->norm == NORM_NONE && o->vt != 0)
        return p2p_fail(P2P_EINVAL, "compressor \"sign\": vt is for a scale that travels: norm=none sends none");
    self->real = p2pi_option_real(o->vt, self->shape.type);
    self->constants = (p2pi_part_constants){ 0, NAN, NAN, NAN, NAN };
    if (o->norm == NORM_L1) {
        self->constants.traits = P2P_CONTRACTIVE;
        self->constants.delta = 1 / (double)self->shape.dim;
    } else if (o->norm == NORM_NONE)
        self->constants.traits = P2P_ADDITIVE;
    return p2pi_option_code(o->code, "sign", self->largest, &self->code);
}

static size_t
sign_scales(const p2pi_quantiser *self, size_t k)
{
    (void)k;
    return ((const sign_param *)self->param)->norm != NORM_NONE;
}

static void
sign_measure(p2pi_quantiser *self, const p2p_env *env, p2p_view y, double *scale)
{
    const sign_param *o = self->param;
    double d = (double)y.dim;

    (void)env;
    if (o->norm != NORM_NONE)
        *scale = p2pi_real_near(self->real, o->norm == NORM_L1 ? p2p_vec_norm1(y) / d : p2p_vec_norm2(y) / sqrt(d));
}

static void
sign_dequantise(const p2pi_quantiser *self, const p2p_env *env, const double *scale, const uint32_t *symbol,
                size_t at, p2p_vec y)
{
    double magnitude = self->needs_scale ? env->scale : *scale;

    (void)at;
    p2pi_select(symbol, magnitude, -magnitude, y);
}

static double
sign_nominal(const p2pi_quantiser *self, size_t k, int zero)
{
    (void)zero;
    return (double)k + (double)sign_scales(self, k) * 8 * (double)p2pi_real_bytes(self->real);
}

static void
sign_affine(const p2pi_quantiser *self, const p2p_env *env, double *offset, double *step)
{
    (void)self;
    *offset = env->scale;
    *step = -2 * env->scale;
}

static const p2pi_quantiser_vt sign_quantiser = {
    .open = sign_open,
    .scales = sign_scales,
    .measure = sign_measure,
    .quantise = p2pi_quantise_signs,
    .dequantise = sign_dequantise,
    .nominal = sign_nominal,
    .affine = sign_affine,
};

static const p2p_option sign_options[] = { { "norm", P2P_OPT_CHOICE, "l1", "l1|l2|none", NULL,
                                             "magnitude: mean of |x|, norm / sqrt d, or the round's scale",
                                             offsetof(sign_param, norm) },
                                           P2PI_OPTION_CODE(sign_param, code),
                                           P2PI_OPTION_VT(sign_param, vt),
                                           P2PI_OPTIONS_END };

const p2pi_compressor_vt p2pi_compressor_sign = {
    .size = sizeof(p2pi_compressor_vt),
    .entry = { "sign", "one bit an entry, times one magnitude", "arXiv:1901.09847", sign_options,
               sizeof(sign_param) },
    .family = 20,
    .quantiser = &sign_quantiser,
};
