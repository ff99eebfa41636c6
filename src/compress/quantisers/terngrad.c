/*
 * terngrad: with r = ||x||_inf, rounded up, and a dither u: c_i = sign(x_i) min(floor(|x_i| / r + u_i), 1), decoded
 * r c_i. Unbiased; omega = (sqrt d - 1)/2 is reached where one entry is 1 + sqrt d times the others. clip > 0 cuts
 * the entries off at clip standard deviations first (the paper: 2.5), which is biased.
 *
 * Wen et al., arXiv:1705.07878.
 */
#include "base/sum.h"
#include "compress/compress_draws.h"
#include "compress/kernels/compress_kernels.h"
#include "compress/pipeline/pipeline_parts.h"

#include <math.h>

typedef struct {
    double clip;
    int64_t mirror, code, dither, vt;
} terngrad_param;

static p2p_status
terngrad_open(p2pi_quantiser *self, p2pi_arena *arena)
{
    const terngrad_param *o = self->param;
    double *limit = p2pi_arena_take(arena, sizeof *limit);

    if (limit == NULL)
        return P2P_ENOMEM;
    self->work = limit;
    self->largest = 2;
    self->signed_codes = 1;
    self->real = p2pi_option_real(o->vt, self->shape.type);
    self->constants = (p2pi_part_constants){ P2P_RANDOM, NAN, NAN, NAN, NAN };
    if (o->clip == 0) {
        self->constants.traits |= P2P_UNBIASED;
        self->constants.omega = (sqrt((double)self->shape.dim) - 1) / 2;
    }
    return p2pi_option_code(o->code, "terngrad", self->largest, &self->code);
}

static double
deviation(p2p_view y)
{
    double d = (double)y.dim, mean, squares;

    P2PI_SUM(mean, y.dim, i, p2p_vec_get(y, i));
    mean /= d;
    P2PI_SUM(squares, y.dim, i, (p2p_vec_get(y, i) - mean) * (p2p_vec_get(y, i) - mean));
    return sqrt(squares / d);
}

/* Of the clipped entries: the largest is the limit, where that is smaller. */
static void
terngrad_measure(p2pi_quantiser *self, const p2p_env *env, p2p_view y, double *scale)
{
    const terngrad_param *o = self->param;
    double *limit = self->work, largest = p2p_vec_norminf(y);

    (void)env;
    if (o->clip > 0) {
        *limit = o->clip * deviation(y);
        *limit = y.type == P2P_F32 ? (double)(float)*limit : *limit;
        largest = fmin(largest, *limit);
    }
    *scale = p2pi_real_up(self->real, largest);
}

/* 1 - u, on the grid of u: an entry is kept where u < |x| / r, as in other programs with the same random numbers. */
static void
mirror(unsigned bits, p2p_vec u)
{
    const double top = 1 - ldexp(1, -(int)bits);

    for (size_t i = 0; i < u.dim; i++)
        p2p_vec_set(u, i, top - p2p_vec_get(p2p_view_of(u), i));
}

static void
terngrad_quantise(p2pi_quantiser *self, const p2p_env *env, const double *scale, size_t at, p2p_view y,
                  uint32_t *symbol)
{
    const terngrad_param *o = self->param;
    const double *limit = self->work;
    p2pi_chunk clipped, dithers;
    p2p_vec v = p2pi_chunk_vec(&clipped, y.dim, y.type), u = p2pi_chunk_vec(&dithers, y.dim, y.type);

    if (!(*scale > 0)) {
        memset(symbol, 0, y.dim * sizeof *symbol);
        return;
    }
    if (o->clip > 0) {
        p2pi_clip(y, *limit, v);
        y = p2p_view_of(v);
    }
    p2pi_draw_dithers_at(env, self->comp, p2pi_option_dither(o->dither), at, u);
    if (o->mirror)
        mirror(p2pi_option_dither(o->dither), u);
    p2pi_quantise(y, *scale, 1, p2p_view_of(u), symbol);
}

static double
terngrad_nominal(const p2pi_quantiser *self, size_t k, int zero)
{
    return 8 * (double)p2pi_real_bytes(self->real) + (zero ? 0 : (double)k * log2(3));
}

static const p2pi_quantiser_vt terngrad_quantiser = {
    .open = terngrad_open,
    .scales = p2pi_one_scale,
    .measure = terngrad_measure,
    .quantise = terngrad_quantise,
    .dequantise = p2pi_dequantise_codes,
    .nominal = terngrad_nominal,
};

static const p2p_option terngrad_options[] = {
    { "clip", P2P_OPT_REAL, "0", "0", "100", "cut entries off at this many standard deviations; 0: do not",
      offsetof(terngrad_param, clip) },
    { "mirror", P2P_OPT_BOOL, "0", NULL, NULL, "dithers 1 - u in the place of u", offsetof(terngrad_param, mirror) },
    P2PI_OPTION_CODE(terngrad_param, code),
    P2PI_OPTION_DITHER(terngrad_param, dither),
    P2PI_OPTION_VT(terngrad_param, vt),
    P2PI_OPTIONS_END
};

const p2pi_compressor_vt p2pi_compressor_terngrad = {
    .size = sizeof(p2pi_compressor_vt),
    .entry = { "terngrad", "-1, 0 or 1 times the largest magnitude, at random", "arXiv:1705.07878", terngrad_options,
               sizeof(terngrad_param) },
    .family = 22,
    .quantiser = &terngrad_quantiser,
};
