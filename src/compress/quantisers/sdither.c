/*
 * sdither: sparse dithering. step = 2 ||x|| sqrt(nu / d) and q = floor(|x| / step + 1/2); the scale that is sent is
 * the least-squares one, <|x|, q> / <q, q>, decoded scale sign(x) q. Contractive with delta >= 1 - nu: the error is
 * at most d (step/2)^2 before the scale is improved. round=random replaces the 1/2 by a dither and sends step:
 * unbiased with omega <= nu for any nu. Few codes are not 0, at most d/(4 nu) units of them, and entropy coding makes
 * them cheap.
 *
 * Albasyoni, Safaryan, Condat, Richtarik, arXiv:2010.03246.
 */
#include "base/sum.h"
#include "compress/coding/bits.h"
#include "compress/compress_draws.h"
#include "compress/kernels/compress_kernels.h"
#include "compress/pipeline/pipeline_parts.h"

#include <math.h>

enum { ROUND_NEAR, ROUND_RANDOM };

static const double most_steps = 1 << 29;

typedef struct {
    double nu;
    int64_t round, code, dither, vt;
} sdither_param;

static p2p_status
sdither_open(p2pi_quantiser *self, p2pi_arena *arena)
{
    const sdither_param *o = self->param;
    /* |x| <= ||x||, a wire format rounds step by less than a hundredth, and rounding goes up by less than 1. */
    double d = (double)self->shape.dim, largest = 1.01 * sqrt(d / o->nu) / 2 + 1;
    double *step = p2pi_arena_take(arena, sizeof *step);

    if (step == NULL)
        return P2P_ENOMEM;
    self->work = step;
    if (o->round == ROUND_NEAR && (o->nu > 1 || p2pi_option_dither(o->dither) != 24))
        return p2p_fail(P2P_EINVAL, "compressor \"sdither\": dither, and nu above 1, are for round=random");
    if (largest > most_steps)
        return p2p_fail(P2P_EINVAL, "compressor \"sdither\": nu=%g: expected at least %g for dimension %zu", o->nu,
                        d / (3.9 * most_steps * most_steps), self->shape.dim);
    self->signed_codes = 1;
    self->largest = 2 * (uint32_t)largest;
    self->real = p2pi_option_real(o->vt, self->shape.type);
    self->constants = (p2pi_part_constants){ 0, NAN, NAN, NAN, NAN };
    if (o->round == ROUND_RANDOM) {
        self->constants.traits = P2P_UNBIASED | P2P_RANDOM;
        self->constants.omega = o->nu;
    } else if (o->nu < 1) {
        self->constants.traits = P2P_CONTRACTIVE;
        self->constants.delta = 1 - o->nu;
    }
    return p2pi_option_code(o->code, "sdither", self->largest, &self->code);
}

/* Symbols for the step that was measured. */
static void
sdither_quantise(p2pi_quantiser *self, const p2p_env *env, const double *scale, size_t at, p2p_view y,
                 uint32_t *symbol)
{
    const sdither_param *o = self->param;
    const double *step = self->work;
    double dither[P2PI_CHUNK];
    p2p_vec u = { dither, y.dim, P2P_F64 };

    (void)scale;
    if (!(*step > 0)) {
        memset(symbol, 0, y.dim * sizeof *symbol);
        return;
    }
    if (o->round == ROUND_RANDOM)
        p2pi_draw_dithers_at(env, self->comp, p2pi_option_dither(o->dither), at, u);
    else
        p2p_vec_fill(u, 0.5);
    p2pi_magnitude_steps(y, *step, dither, symbol);
}

/* Canonical sums in parts: chunks have a multiple of 16 entries. */
static double
least_squares_scale(p2pi_quantiser *self, const p2p_env *env, p2p_view y)
{
    uint32_t symbol[P2PI_CHUNK];
    double product[16] = { 0 }, square[16] = { 0 }, squares;

    for (size_t at = 0; at < y.dim; at += P2PI_CHUNK) {
        p2p_view part = p2pi_part_of(y, at, y.dim - at < P2PI_CHUNK ? y.dim - at : P2PI_CHUNK);

        sdither_quantise(self, env, NULL, at, part, symbol);
        for (size_t i = 0; i < part.dim; i++) {
            double q = (symbol[i] + 1) / 2;

            product[i % 16] += fabs(p2p_vec_get(part, i)) * q;
            square[i % 16] += q * q;
        }
    }
    squares = p2pi_sum_fold(square);
    return squares > 0 ? p2pi_sum_fold(product) / squares : *(const double *)self->work;
}

static void
sdither_measure(p2pi_quantiser *self, const p2p_env *env, p2p_view y, double *scale)
{
    const sdither_param *o = self->param;
    double *step = self->work;

    *step = p2pi_real_near(self->real, p2p_vec_norm2(y) * (2 * sqrt(o->nu / (double)y.dim)));
    *scale = *step;
    if (o->round == ROUND_NEAR && isfinite(*step))
        *scale = p2pi_real_near(self->real, least_squares_scale(self, env, y));
}

/* Of the largest code that a message of any number of values can have. */
static double
sdither_reach(const p2pi_quantiser *self, double scale)
{
    double storage;
    p2p_vec y = { &storage, 1, self->shape.type };

    p2pi_dequantise(&self->largest, scale, 1, y);
    return p2p_vec_get(p2p_view_of(y), 0);
}

static double
sdither_nominal(const p2pi_quantiser *self, size_t k, int zero)
{
    return 8 * (double)p2pi_real_bytes(self->real) + (zero ? 0 : (double)k * p2pi_bit_length(self->largest));
}

static const p2pi_quantiser_vt sdither_quantiser = {
    .open = sdither_open,
    .scales = p2pi_one_scale,
    .measure = sdither_measure,
    .quantise = sdither_quantise,
    .reach = sdither_reach,
    .dequantise = p2pi_dequantise_codes,
    .nominal = sdither_nominal,
};

static const p2p_option sdither_options[] = {
    { "nu", P2P_OPT_REAL, "0.25", "(0", "1e4", "error, or variance, of ||x||^2; at most 1 with round=near",
      offsetof(sdither_param, nu) },
    { "round", P2P_OPT_CHOICE, "near", "near|random", NULL, "random is unbiased", offsetof(sdither_param, round) },
    P2PI_OPTION_CODE(sdither_param, code),
    P2PI_OPTION_DITHER(sdither_param, dither),
    P2PI_OPTION_VT(sdither_param, vt),
    P2PI_OPTIONS_END
};

const p2pi_compressor_vt p2pi_compressor_sdither = {
    .size = sizeof(p2pi_compressor_vt),
    .entry = { "sdither", "sparse dithering: steps relative to ||x|| / sqrt d", "arXiv:2010.03246", sdither_options,
               sizeof(sdither_param) },
    .family = 28,
    .quantiser = &sdither_quantiser,
};
