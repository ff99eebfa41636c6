/*
 * threelc: with M = s ||x||_inf, c = sign(x) where 2 |x| >= M and 0 elsewhere, decoded M c. Five codes a byte, runs
 * of zero bytes shortened; a larger s makes more zeros.
 *
 * s = 1 is contractive with delta = 4/(d + 3), tight. s > 1 decodes the largest entry to s times itself and is no
 * contraction by itself; 3LC runs it under error feedback, as ef14(threelc).
 *
 * Lim, Andersen, Kaminsky, arXiv:1802.07389.
 */
#include "compress/kernels/compress_kernels.h"
#include "compress/pipeline/pipeline_parts.h"

#include <math.h>

typedef struct {
    double s;
    int64_t code, vt;
} threelc_param;

static p2p_status
threelc_open(p2pi_quantiser *self, p2pi_arena *arena)
{
    const threelc_param *o = self->param;

    (void)arena;
    self->largest = 2;
    self->signed_codes = 1;
    self->real = p2pi_option_real(o->vt, self->shape.type);
    self->constants = (p2pi_part_constants){ 0, NAN, NAN, NAN, NAN };
    if (o->s == 1) {
        self->constants.traits = P2P_CONTRACTIVE;
        self->constants.delta = 4 / ((double)self->shape.dim + 3);
    }
    return p2pi_option_code(o->code == P2PI_CODE_AUTO ? P2PI_CODE_TRITZ : o->code, "threelc", self->largest,
                            &self->code);
}

static void
threelc_measure(p2pi_quantiser *self, const p2p_env *env, p2p_view y, double *scale)
{
    const threelc_param *o = self->param;

    (void)env;
    *scale = p2pi_real_near(self->real, o->s * p2p_vec_norminf(y));
}

static void
threelc_quantise(p2pi_quantiser *self, const p2p_env *env, const double *scale, size_t at, p2p_view y,
                 uint32_t *symbol)
{
    (void)self;
    (void)env;
    (void)at;
    /* Of a vector of zeros every entry reaches 0. */
    p2pi_ternary(y, *scale > 0 ? *scale / 2 : 1, symbol);
}

static double
threelc_nominal(const p2pi_quantiser *self, size_t k, int zero)
{
    return 8 * (double)p2pi_real_bytes(self->real) + (zero ? 0 : 8.0 / 5.0 * (double)k);
}

static const p2pi_quantiser_vt threelc_quantiser = {
    .open = threelc_open,
    .scales = p2pi_one_scale,
    .measure = threelc_measure,
    .quantise = threelc_quantise,
    .dequantise = p2pi_dequantise_codes,
    .nominal = threelc_nominal,
};

static const p2p_option threelc_options[] = { { "s", P2P_OPT_REAL, "1", "1", "2)",
                                                "multiplier of the largest magnitude", offsetof(threelc_param, s) },
                                              P2PI_OPTION_CODE(threelc_param, code),
                                              P2PI_OPTION_VT(threelc_param, vt),
                                              P2PI_OPTIONS_END };

const p2pi_compressor_vt p2pi_compressor_threelc = {
    .size = sizeof(p2pi_compressor_vt),
    .entry = { "threelc", "the sign of what reaches half the largest magnitude", "arXiv:1802.07389", threelc_options,
               sizeof(threelc_param) },
    .family = 36,
    .quantiser = &threelc_quantiser,
};
