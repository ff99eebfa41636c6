/*
 * ndither, edither: exponential dithering. With r the norm, rounded up, and t = |x|/r between the neighbours
 * l_j <= t < l_(j+1) of the levels 0, base^(1-s), .., 1/base, 1: up with probability (t - l_j)/(l_(j+1) - l_j), which
 * is unbiased; round=near: up iff that is at least 1/2. Decoded r sign(x) l_c. ndither, natural dithering, has
 * base 2.
 *
 * omega = (b + 1/b + 2)/4 - 1 + a min(1, a), a = sqrt d b^(1-s).
 *
 * Horvath et al., arXiv:1905.10988; Beznosikov, Horvath, Richtarik, Safaryan, arXiv:2002.12410 (general base).
 */
#include "compress/coding/bits.h"
#include "compress/compress_draws.h"
#include "compress/kernels/compress_kernels.h"
#include "compress/pipeline/pipeline_parts.h"

#include <math.h>

enum { ROUND_RANDOM, ROUND_NEAR };
enum { NORM_2, NORM_INF };

/* Both members' options; ndither leaves base and round at these. */
typedef struct {
    double base;
    int64_t levels, norm, round, code, dither, vt;
} dithering_param;

static void
dithering_constants(p2pi_quantiser *self, const dithering_param *o, double base)
{
    double a = sqrt((double)self->shape.dim) * pow(base, 1 - (double)o->levels);

    self->constants = (p2pi_part_constants){ 0, NAN, NAN, NAN, NAN };
    if (o->round == ROUND_NEAR)
        return;
    self->constants.traits = P2P_UNBIASED | P2P_RANDOM;
    self->constants.omega = (base + 1 / base + 2) / 4 - 1 + a * fmin(1, a);
}

static p2p_status
open_dithering(p2pi_quantiser *self, p2pi_arena *arena, const char *name, double base)
{
    const dithering_param *o = self->param;
    p2pi_ladder *ladder = p2pi_arena_take(arena, sizeof *ladder);

    if (ladder == NULL)
        return P2P_ENOMEM;
    if (o->round == ROUND_NEAR && p2pi_option_dither(o->dither) != 24)
        return p2p_fail(P2P_EINVAL, "compressor \"%s\": dither is for round=random", name);
    self->work = ladder;
    ladder->count = (uint32_t)o->levels;
    ladder->level[o->levels] = 1;
    for (size_t j = (size_t)o->levels; j > 1; j--)
        ladder->level[j - 1] = ladder->level[j] / base;
    self->params = 1;
    self->param_value[0] = (uint32_t)o->levels;
    self->signed_codes = 1;
    self->largest = 2 * (uint32_t)o->levels;
    self->real = p2pi_option_real(o->vt, self->shape.type);
    dithering_constants(self, o, base);
    return p2pi_option_code(o->code, name, self->largest, &self->code);
}

static p2p_status
ndither_open(p2pi_quantiser *self, p2pi_arena *arena)
{
    return open_dithering(self, arena, "ndither", 2);
}

static p2p_status
edither_open(p2pi_quantiser *self, p2pi_arena *arena)
{
    return open_dithering(self, arena, "edither", ((const dithering_param *)self->param)->base);
}

static void
dithering_measure(p2pi_quantiser *self, const p2p_env *env, p2p_view y, double *scale)
{
    const dithering_param *o = self->param;

    (void)env;
    *scale = p2pi_real_up(self->real, o->norm == NORM_2 ? p2p_vec_norm2(y) : p2p_vec_norminf(y));
}

static void
dithering_quantise(p2pi_quantiser *self, const p2p_env *env, const double *scale, size_t at, p2p_view y,
                   uint32_t *symbol)
{
    const dithering_param *o = self->param;
    double dither[P2PI_CHUNK];
    p2p_vec u = { dither, y.dim, P2P_F64 };

    if (!(*scale > 0)) {
        memset(symbol, 0, y.dim * sizeof *symbol);
        return;
    }
    if (o->round == ROUND_RANDOM)
        p2pi_draw_dithers_at(env, self->comp, p2pi_option_dither(o->dither), at, u);
    else
        p2p_vec_fill(u, nextafter(0.5, 0));
    p2pi_climb(self->work, y, *scale, dither, symbol);
}

static void
dithering_dequantise(const p2pi_quantiser *self, const p2p_env *env, const double *scale, const uint32_t *symbol,
                     size_t at, p2p_vec y)
{
    (void)env;
    (void)at;
    p2pi_from_ladder(self->work, symbol, *scale, y);
}

static double
dithering_nominal(const p2pi_quantiser *self, size_t k, int zero)
{
    const dithering_param *o = self->param;

    return 8 * (double)p2pi_real_bytes(self->real) + (zero ? 0 : (double)k * (1 + log2((double)o->levels + 1)));
}

static const p2pi_quantiser_vt ndither_quantiser = {
    .open = ndither_open,
    .scales = p2pi_one_scale,
    .measure = dithering_measure,
    .quantise = dithering_quantise,
    .dequantise = dithering_dequantise,
    .nominal = dithering_nominal,
};

static const p2pi_quantiser_vt edither_quantiser = {
    .open = edither_open,
    .scales = p2pi_one_scale,
    .measure = dithering_measure,
    .quantise = dithering_quantise,
    .dequantise = dithering_dequantise,
    .nominal = dithering_nominal,
};

#define OPTION_LEVELS                                                                                                \
    {                                                                                                                \
        "levels", P2P_OPT_INT, "8", "1", "63", "levels above 0", offsetof(dithering_param, levels)                   \
    }
#define OPTION_NORM                                                                                                  \
    {                                                                                                                \
        "norm", P2P_OPT_CHOICE, "2", "2|inf", NULL, "Euclidean or largest magnitude",                                \
            offsetof(dithering_param, norm)                                                                          \
    }
#define OPTION_ROUND                                                                                                 \
    {                                                                                                                \
        "round", P2P_OPT_CHOICE, "random", "random|near", NULL, "random is unbiased",                                \
            offsetof(dithering_param, round)                                                                         \
    }

static const p2p_option ndither_options[] = { OPTION_LEVELS,
                                              OPTION_NORM,
                                              OPTION_ROUND,
                                              P2PI_OPTION_CODE(dithering_param, code),
                                              P2PI_OPTION_DITHER(dithering_param, dither),
                                              P2PI_OPTION_VT(dithering_param, vt),
                                              P2PI_OPTIONS_END };

static const p2p_option edither_options[] = { OPTION_LEVELS,
                                              { "base", P2P_OPT_REAL, "2", "(1", "16", "ratio of neighbouring levels",
                                                offsetof(dithering_param, base) },
                                              OPTION_NORM,
                                              OPTION_ROUND,
                                              P2PI_OPTION_CODE(dithering_param, code),
                                              P2PI_OPTION_DITHER(dithering_param, dither),
                                              P2PI_OPTION_VT(dithering_param, vt),
                                              P2PI_OPTIONS_END };

const p2pi_compressor_vt p2pi_compressor_ndither = {
    .size = sizeof(p2pi_compressor_vt),
    .entry = { "ndither", "natural dithering: powers of two under a norm", "arXiv:1905.10988", ndither_options,
               sizeof(dithering_param) },
    .family = 26,
    .quantiser = &ndither_quantiser,
};

const p2pi_compressor_vt p2pi_compressor_edither = {
    .size = sizeof(p2pi_compressor_vt),
    .entry = { "edither", "exponential dithering: powers of a base under a norm", "arXiv:2002.12410", edither_options,
               sizeof(dithering_param) },
    .family = 27,
    .quantiser = &edither_quantiser,
};
