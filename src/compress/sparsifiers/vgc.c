/*
 * vgc: variance-based compression. r += g and v += g^2; entries with r_i^2 > alpha v_i are sent, as powers of two
 * within 2^7 of the largest: 4 bits for sign and exponent, and one parameter for the largest exponent T. What is sent
 * starts again from 0 (ef=1: from the rounding error), and v decays by zeta where nothing was sent.
 *
 * The memory is a delay, not a loss; no constant bounds it.
 *
 * Tsuzuku, Imachi, Akiba, arXiv:1802.06058.
 */
#include "compress/kernels/compress_kernels.h"
#include "compress/operand.h"
#include "compress/pipeline/memory_scheme.h"

#include <math.h>

enum { STEPS = 7, NEGATIVE = 8, ORIGIN = 2048 /* of the exponent that travels */ };

typedef struct {
    double alpha, zeta;
    int64_t ef;
} vgc_param;

typedef struct {
    const vgc_param *o;
    p2p_vec r, v; /* kept */
    p2p_vec next_r, next_v;
    p2p_vec sent;
    int top; /* T */
} variance;

/* The exponent of the power of two nearest to v, at most top. */
static int
nearest_exponent(double v, int top)
{
    int e;
    double m = frexp(fabs(v), &e);

    e = e - 1 + (m >= 0.75);
    return e < top ? e : top;
}

/* ---- the parts */

/* Candidates, in place, and their largest exponent. */
static size_t
candidates(variance *w, p2p_view r, uint32_t *index)
{
    size_t k = 0;
    int e;

    w->top = -ORIGIN;
    for (size_t i = 0; i < r.dim; i++) {
        double value = p2p_vec_get(r, i);

        if (!(value * value > w->o->alpha * p2p_vec_get(p2p_view_of(w->next_v), i)))
            continue;
        frexp(fabs(value), &e);
        w->top = e - 1 > w->top ? e - 1 : w->top;
        index[k++] = (uint32_t)i;
    }
    return k;
}

/* x is r. */
static size_t
certain_pick(p2pi_sparsifier *self, p2p_view x, const p2p_env *env, uint32_t *index, double *factor)
{
    variance *w = (variance *)self->param;
    size_t n = candidates(w, x, index), k = 0;

    (void)env;
    (void)factor;
    for (size_t j = 0; j < n; j++)
        if (w->top - nearest_exponent(p2p_vec_get(x, index[j]), w->top) <= STEPS)
            index[k++] = index[j];
    return k;
}

static p2p_status
powers_open(p2pi_quantiser *self, p2pi_arena *arena)
{
    (void)arena;
    self->params = self->sent_params = 1;
    self->largest = STEPS | NEGATIVE;
    self->constants = (p2pi_part_constants){ 0, NAN, NAN, NAN, NAN };
    return p2pi_option_code(P2PI_CODE_AUTO, "vgc", self->largest, &self->code);
}

static void
powers_measure(p2pi_quantiser *self, const p2p_env *env, p2p_view y, double *scale)
{
    const variance *w = self->param;

    (void)env;
    (void)y;
    (void)scale;
    self->param_value[0] = (uint32_t)(w->top + ORIGIN);
}

static void
powers_quantise(p2pi_quantiser *self, const p2p_env *env, const double *scale, size_t at, p2p_view y,
                uint32_t *symbol)
{
    int top = (int)self->param_value[0] - ORIGIN;

    (void)env;
    (void)scale;
    (void)at;
    for (size_t i = 0; i < y.dim; i++) {
        double v = p2p_vec_get(y, i);

        symbol[i] = (uint32_t)(top - nearest_exponent(v, top)) | (v < 0 ? NEGATIVE : 0);
    }
}

static int
powers_accept(const p2pi_quantiser *self, uint32_t *largest)
{
    int top = (int)self->param_value[0] - ORIGIN;

    *largest = STEPS | NEGATIVE;
    return self->param_value[0] < 2 * ORIGIN && top < (self->shape.type == P2P_F32 ? 128 : 1024);
}

static void
powers_dequantise(const p2pi_quantiser *self, const p2p_env *env, const double *scale, const uint32_t *symbol,
                  size_t at, p2p_vec y)
{
    int top = (int)self->param_value[0] - ORIGIN;

    (void)env;
    (void)scale;
    (void)at;
    for (size_t i = 0; i < y.dim; i++)
        p2p_vec_set(y, i, ldexp(symbol[i] & NEGATIVE ? -1 : 1, top - (int)(symbol[i] & STEPS)));
}

static double
powers_nominal(const p2pi_quantiser *self, size_t k, int zero)
{
    (void)self;
    (void)zero;
    return 8 + 4 * (double)k;
}

static const p2pi_sparsifier_vt certain_vt = { .open = p2pi_private_open, .pick = certain_pick };
static const p2pi_quantiser_vt powers_vt = {
    .open = powers_open,
    .measure = powers_measure,
    .quantise = powers_quantise,
    .accept = powers_accept,
    .dequantise = powers_dequantise,
    .nominal = powers_nominal,
};
static const p2pi_compressor_vt certain = { .entry = { .name = "vgc" }, .family = 14, .sparsifier = &certain_vt };
static const p2pi_compressor_vt powers = { .entry = { .name = "vgc" }, .quantiser = &powers_vt };

/* ---- the scheme */

static p2p_status
vgc_plan(p2pi_codec *c, p2pi_arena *arena)
{
    variance *w = p2pi_arena_take(arena, sizeof *w);
    p2p_status st;

    if (w == NULL)
        return P2P_ENOMEM;
    c->work = w;
    w->o = c->part[0].param;
    if (p2pi_take_vector(&w->r, c, arena) != P2P_OK || p2pi_take_vector(&w->v, c, arena) != P2P_OK ||
        p2pi_take_vector(&w->next_r, c, arena) != P2P_OK || p2pi_take_vector(&w->next_v, c, arena) != P2P_OK ||
        p2pi_take_vector(&w->sent, c, arena) != P2P_OK)
        return P2P_ENOMEM;
    if ((st = p2pi_private_pipeline(c, arena, &certain, &powers, w)) != P2P_OK)
        return st;
    p2pi_keep_state(c, "r", w->r);
    p2pi_keep_state(c, "v", w->v);
    return P2P_OK;
}

static void
move_on(variance *w)
{
    for (size_t i = 0; i < w->r.dim; i++) {
        double sent = p2p_vec_get(p2p_view_of(w->sent), i), r = p2p_vec_get(p2p_view_of(w->next_r), i);

        p2p_vec_set(w->v, i, sent != 0 ? 0 : w->o->zeta * p2p_vec_get(p2p_view_of(w->next_v), i));
        p2p_vec_set(w->r, i, w->o->ef ? r - sent : sent != 0 ? 0 : r);
    }
}

static p2p_status
vgc_encode(p2pi_codec *c, p2p_view x, const p2p_env *env, uint8_t *buf, size_t *len)
{
    variance *w = c->work;
    p2pi_target sent = { w->sent, 0, 1, 1, 1 };
    p2p_status st;

    p2p_vec_combine(w->next_r, 1, p2p_view_of(w->r), 1, x);
    for (size_t i = 0; i < x.dim; i++) {
        double g = p2p_vec_get(x, i);

        p2p_vec_set(w->next_v, i, p2p_vec_get(p2p_view_of(w->v), i) + g * g);
    }
    if ((st = p2pi_operand_encode(c, p2p_view_of(w->next_r), env, buf, len)) != P2P_OK ||
        (st = p2pi_operand_decode(c, env, buf, *len, &sent)) != P2P_OK)
        return st;
    move_on(w);
    return P2P_OK;
}

static const p2pi_scheme vgc_scheme = {
    .plan = vgc_plan,
    .encode = vgc_encode,
    .decode = p2pi_operand_decode,
    .frame = p2pi_operand_frame,
    .unframe = p2pi_operand_unframe,
    .nominal = p2pi_operand_nominal,
};

static const p2p_option vgc_options[] = {
    { "alpha", P2P_OPT_REAL, "1.5", "0.5", "16", "how certain the sign of a sum must be",
      offsetof(vgc_param, alpha) },
    { "zeta", P2P_OPT_REAL, "0.999", "0.9", "1", "decay of the second moment where nothing is sent",
      offsetof(vgc_param, zeta) },
    { "ef", P2P_OPT_BOOL, "0", NULL, NULL, "keep the rounding error of what is sent", offsetof(vgc_param, ef) },
    P2PI_OPTIONS_END
};

const p2pi_compressor_vt p2pi_compressor_vgc = {
    .size = sizeof(p2pi_compressor_vt),
    .entry = { "vgc", "sums of gradients whose sign is certain, as powers of two", "arXiv:1802.06058", vgc_options,
               sizeof(vgc_param) },
    .family = 14,
    .scheme = &vgc_scheme,
};
