/*
 * cnat: natural compression, every entry to a power of two. |x| = m 2^E, 1 <= m < 2, goes up to 2^(E+1) with
 * probability m - 1 (round=near: iff m >= 1.5), never beyond the largest exponent. Unbiased with omega = 1/8 whatever
 * d is; near: contractive with delta = 8/9.
 *
 * With E' the exponent field, the symbol is 0 for 0, else 1 + 2 (E' - L) + [x < 0]; L, the smallest E' there is,
 * travels (form=offset) or is 0 (form=plain: 9 bits an entry of floats, 12 of doubles, in fields).
 *
 * Horvath, Ho, Horvath, Sahu, Canini, Richtarik, arXiv:1905.10988.
 */
#include "compress/coding/bits.h"
#include "compress/compress_draws.h"
#include "compress/kernels/compress_kernels.h"
#include "compress/kernels/float_kernels.h"
#include "compress/pipeline/pipeline_parts.h"

#include <math.h>

enum { ROUND_RANDOM, ROUND_NEAR };
enum { FORM_OFFSET, FORM_PLAIN };

typedef struct {
    int64_t round, form, code, dither;
} cnat_param;

static p2p_status
cnat_open(p2pi_quantiser *self, p2pi_arena *arena)
{
    const cnat_param *o = self->param;

    (void)arena;
    if (o->round == ROUND_NEAR && p2pi_option_dither(o->dither) != 24)
        return p2p_fail(P2P_EINVAL, "compressor \"cnat\": dither is for round=random");
    self->params = self->sent_params = 1;
    self->largest = 2 + 2 * p2pi_top_exponent(self->shape.type);
    self->constants = (p2pi_part_constants){ 0, NAN, NAN, NAN, NAN };
    if (o->round == ROUND_RANDOM) {
        self->constants.traits = P2P_UNBIASED | P2P_RANDOM;
        self->constants.omega = 0.125;
    } else {
        self->constants.traits = P2P_CONTRACTIVE;
        self->constants.delta = 8.0 / 9.0;
    }
    return p2pi_option_code(o->code, "cnat", self->largest, &self->code);
}

/* Symbols counted from exponent 0. */
static void
plain_symbols(const p2pi_quantiser *self, const p2p_env *env, size_t at, p2p_view y, uint32_t *symbol)
{
    const cnat_param *o = self->param;
    p2pi_chunk chunk;
    p2p_vec u = p2pi_chunk_vec(&chunk, y.dim, y.type);

    if (o->round == ROUND_RANDOM)
        p2pi_draw_dithers_at(env, self->comp, p2pi_option_dither(o->dither), at, u);
    else
        p2p_vec_fill(u, y.type == P2P_F32 ? (double)nextafterf(0.5f, 0) : nextafter(0.5, 0));
    p2pi_exponents(y, p2p_view_of(u), symbol);
}

static void
cnat_measure(p2pi_quantiser *self, const p2p_env *env, p2p_view y, double *scale)
{
    const cnat_param *o = self->param;
    uint32_t symbol[P2PI_CHUNK], lowest = UINT32_MAX;

    (void)scale;
    for (size_t at = 0; o->form == FORM_OFFSET && at < y.dim; at += P2PI_CHUNK) {
        size_t n = y.dim - at < P2PI_CHUNK ? y.dim - at : P2PI_CHUNK;
        uint32_t e;

        plain_symbols(self, env, at, p2pi_part_of(y, at, n), symbol);
        e = p2pi_least_exponent(symbol, n);
        lowest = e < lowest ? e : lowest;
    }
    self->param_value[0] = lowest == UINT32_MAX ? 0 : lowest;
}

static void
cnat_quantise(p2pi_quantiser *self, const p2p_env *env, const double *scale, size_t at, p2p_view y, uint32_t *symbol)
{
    (void)scale;
    plain_symbols(self, env, at, y, symbol);
    p2pi_exponents_from(symbol, y.dim, self->param_value[0]);
}

static int
cnat_accept(const p2pi_quantiser *self, uint32_t *largest)
{
    uint32_t lowest = self->param_value[0], top = p2pi_top_exponent(self->shape.type);

    if (lowest > top)
        return 0;
    *largest = 2 + 2 * (top - lowest);
    return 1;
}

static void
cnat_dequantise(const p2pi_quantiser *self, const p2p_env *env, const double *scale, const uint32_t *symbol,
                size_t at, p2p_vec y)
{
    (void)env;
    (void)scale;
    (void)at;
    p2pi_powers_of_two(symbol, self->param_value[0], y);
}

static double
cnat_nominal(const p2pi_quantiser *self, size_t k, int zero)
{
    (void)zero;
    return (double)k * p2pi_bit_length(self->largest);
}

static const p2pi_quantiser_vt cnat_quantiser = {
    .open = cnat_open,
    .measure = cnat_measure,
    .quantise = cnat_quantise,
    .accept = cnat_accept,
    .dequantise = cnat_dequantise,
    .nominal = cnat_nominal,
};

static const p2p_option cnat_options[] = {
    { "round", P2P_OPT_CHOICE, "random", "random|near", NULL, "random is unbiased", offsetof(cnat_param, round) },
    { "form", P2P_OPT_CHOICE, "offset", "offset|plain", NULL, "exponents from the smallest there is, or from 0",
      offsetof(cnat_param, form) },
    P2PI_OPTION_CODE(cnat_param, code),
    P2PI_OPTION_DITHER(cnat_param, dither),
    P2PI_OPTIONS_END
};

const p2pi_compressor_vt p2pi_compressor_cnat = {
    .size = sizeof(p2pi_compressor_vt),
    .entry = { "cnat", "natural compression: powers of two", "arXiv:1905.10988", cnat_options, sizeof(cnat_param) },
    .family = 25,
    .quantiser = &cnat_quantiser,
};
