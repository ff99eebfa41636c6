/*
 * adacomp: with the residual R, G = R + g and H = R + factor g; in bins of consecutive entries, those whose |H_i|
 * reaches the largest |G| of their bin are sent, as sign(G_i) s, s the mean of the bins' largest; R <- G - what is
 * sent. How much is sent follows from the activity of each bin.
 *
 * Chen et al., AAAI 2018, arXiv:1712.02679.
 */
#include "compress/kernels/compress_kernels.h"
#include "compress/operand.h"
#include "compress/pipeline/memory_scheme.h"

#include "base/sum.h"

#include <math.h>

typedef struct {
    double factor;
    int64_t bin;
} adacomp_param;

typedef struct {
    const adacomp_param *o;
    p2p_vec residual, whole, half; /* R, G, H */
    double *largest;               /* of each bin */
    size_t bins;
    double scale;
} binning;

/* ---- the parts */

/* x is G. */
static size_t
bins_pick(p2pi_sparsifier *self, p2p_view x, const p2p_env *env, uint32_t *index, double *factor)
{
    binning *w = (binning *)self->param;
    size_t bin = (size_t)w->o->bin, k = 0;
    double sum;

    (void)env;
    (void)factor;
    for (size_t b = 0; b < w->bins; b++) {
        size_t begin = b * bin, end = begin + bin < x.dim ? begin + bin : x.dim;

        w->largest[b] = p2p_vec_norminf(p2pi_part_of(x, begin, end - begin));
        for (size_t i = begin; i < end && w->largest[b] > 0; i++)
            if (fabs(p2p_vec_get(p2p_view_of(w->half), i)) >= w->largest[b])
                index[k++] = (uint32_t)i;
    }
    P2PI_SUM(sum, w->bins, i, w->largest[i]);
    w->scale = sum / (double)w->bins;
    return k;
}

static p2p_status
signs_open(p2pi_quantiser *self, p2pi_arena *arena)
{
    (void)arena;
    self->largest = 1;
    self->constants = (p2pi_part_constants){ 0, NAN, NAN, NAN, NAN };
    return p2pi_option_code(P2PI_CODE_AUTO, "adacomp", self->largest, &self->code);
}

static void
signs_measure(p2pi_quantiser *self, const p2p_env *env, p2p_view y, double *scale)
{
    const binning *w = self->param;

    (void)env;
    (void)y;
    *scale = p2pi_real_near(self->real, w->scale);
}

static void
signs_dequantise(const p2pi_quantiser *self, const p2p_env *env, const double *scale, const uint32_t *symbol,
                 size_t at, p2p_vec y)
{
    (void)self;
    (void)env;
    (void)at;
    p2pi_select(symbol, *scale, -*scale, y);
}

static double
signs_nominal(const p2pi_quantiser *self, size_t k, int zero)
{
    (void)zero;
    return (double)k + 8 * (double)p2pi_real_bytes(self->real);
}

static const p2pi_sparsifier_vt bins_vt = { .open = p2pi_private_open, .pick = bins_pick };
static const p2pi_quantiser_vt signs_vt = {
    .open = signs_open,
    .scales = p2pi_one_scale,
    .measure = signs_measure,
    .quantise = p2pi_quantise_signs,
    .dequantise = signs_dequantise,
    .nominal = signs_nominal,
};
static const p2pi_compressor_vt bins = { .entry = { .name = "adacomp" }, .family = 13, .sparsifier = &bins_vt };
static const p2pi_compressor_vt signs = { .entry = { .name = "adacomp" }, .quantiser = &signs_vt };

/* ---- the scheme */

static p2p_status
adacomp_plan(p2pi_codec *c, p2pi_arena *arena)
{
    binning *w = p2pi_arena_take(arena, sizeof *w);
    p2p_status st;

    if (w == NULL)
        return P2P_ENOMEM;
    c->work = w;
    w->o = c->part[0].param;
    w->bins = (c->shape.dim - 1) / (size_t)w->o->bin + 1;
    if ((w->largest = p2pi_arena_array(arena, w->bins, sizeof *w->largest)) == NULL ||
        p2pi_take_vector(&w->residual, c, arena) != P2P_OK || p2pi_take_vector(&w->whole, c, arena) != P2P_OK ||
        p2pi_take_vector(&w->half, c, arena) != P2P_OK)
        return P2P_ENOMEM;
    if ((st = p2pi_private_pipeline(c, arena, &bins, &signs, w)) != P2P_OK)
        return st;
    p2pi_keep_state(c, "R", w->residual);
    return P2P_OK;
}

static p2p_status
adacomp_encode(p2pi_codec *c, p2p_view x, const p2p_env *env, uint8_t *buf, size_t *len)
{
    binning *w = c->work;
    p2pi_target rest = { w->residual, 1, -1, 1, 1 };
    p2p_status st;

    p2p_vec_combine(w->whole, 1, p2p_view_of(w->residual), 1, x);
    p2p_vec_combine(w->half, 1, p2p_view_of(w->residual), w->o->factor, x);
    if ((st = p2pi_operand_encode(c, p2p_view_of(w->whole), env, buf, len)) != P2P_OK)
        return st;
    p2p_vec_copy(w->residual, p2p_view_of(w->whole));
    return p2pi_operand_decode(c, env, buf, *len, &rest);
}

static const p2pi_scheme adacomp_scheme = {
    .plan = adacomp_plan,
    .encode = adacomp_encode,
    .decode = p2pi_operand_decode,
    .frame = p2pi_operand_frame,
    .unframe = p2pi_operand_unframe,
    .nominal = p2pi_operand_nominal,
};

static const p2p_option adacomp_options[] = {
    { "bin", P2P_OPT_INT, "50", "1", "16384", "consecutive entries of a bin", offsetof(adacomp_param, bin) },
    { "factor", P2P_OPT_REAL, "2", "1", "8", "weight of the new gradient against what is owed",
      offsetof(adacomp_param, factor) },
    P2PI_OPTIONS_END
};

const p2pi_compressor_vt p2pi_compressor_adacomp = {
    .size = sizeof(p2pi_compressor_vt),
    .entry = { "adacomp", "the most active entries of each bin, with a memory", "arXiv:1712.02679", adacomp_options,
               sizeof(adacomp_param) },
    .family = 13,
    .scheme = &adacomp_scheme,
};
