/*
 * onebit: [x < 0], and two magnitudes: the mean of the entries that are not negative and that of those that are. The
 * best approximation by two values for this split, so its contraction is at least that of sign:norm=l1. 1-bit SGD is
 * ef14(onebit).
 *
 * Seide, Fu, Droppo, Li, Yu, Interspeech 2014.
 */
#include "base/sum.h"
#include "compress/kernels/compress_kernels.h"
#include "compress/pipeline/pipeline_parts.h"

#include <math.h>

typedef struct {
    int64_t code, vt;
} onebit_param;

static p2p_status
onebit_open(p2pi_quantiser *self, p2pi_arena *arena)
{
    const onebit_param *o = self->param;

    (void)arena;
    self->largest = 1;
    self->signed_scales = 1;
    self->real = p2pi_option_real(o->vt, self->shape.type);
    self->constants = (p2pi_part_constants){ P2P_CONTRACTIVE, NAN, 1 / (double)self->shape.dim, NAN, NAN };
    return p2pi_option_code(o->code, "onebit", self->largest, &self->code);
}

static size_t
onebit_scales(const p2pi_quantiser *self, size_t k)
{
    (void)self;
    (void)k;
    return 2;
}

/* Canonical sums of the two parts, each numbered by itself. */
static void
onebit_measure(p2pi_quantiser *self, const p2p_env *env, p2p_view y, double *scale)
{
    double sum[2][16] = { { 0 } };
    size_t count[2] = { 0, 0 };

    (void)env;
    for (size_t i = 0; i < y.dim; i++) {
        double v = p2p_vec_get(y, i);
        int side = v < 0;

        sum[side][count[side]++ % 16] += v;
    }
    for (int side = 0; side < 2; side++)
        scale[side] =
            p2pi_real_near(self->real, count[side] > 0 ? p2pi_sum_fold(sum[side]) / (double)count[side] : 0);
}

static void
onebit_dequantise(const p2pi_quantiser *self, const p2p_env *env, const double *scale, const uint32_t *symbol,
                  size_t at, p2p_vec y)
{
    (void)self;
    (void)env;
    (void)at;
    p2pi_select(symbol, scale[0], scale[1], y);
}

static double
onebit_nominal(const p2pi_quantiser *self, size_t k, int zero)
{
    (void)zero;
    return (double)k + 2 * 8 * (double)p2pi_real_bytes(self->real);
}

static const p2pi_quantiser_vt onebit_quantiser = {
    .open = onebit_open,
    .scales = onebit_scales,
    .measure = onebit_measure,
    .quantise = p2pi_quantise_signs,
    .dequantise = onebit_dequantise,
    .nominal = onebit_nominal,
};

static const p2p_option onebit_options[] = { P2PI_OPTION_CODE(onebit_param, code), P2PI_OPTION_VT(onebit_param, vt),
                                             P2PI_OPTIONS_END };

const p2pi_compressor_vt p2pi_compressor_onebit = {
    .size = sizeof(p2pi_compressor_vt),
    .entry = { "onebit", "one bit an entry, and the means of both signs", "Interspeech 2014", onebit_options,
               sizeof(onebit_param) },
    .family = 21,
    .quantiser = &onebit_quantiser,
};
