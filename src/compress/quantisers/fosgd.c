/*
 * fosgd: flattened one-bit. N the least power of two not below d, z = (H D x, padded) / sqrt N with the
 * Walsh-Hadamard matrix H and random signs D that all nodes share; sent are the N signs of z + lambda (2 u - 1), u a
 * dither; decoded D H (+-lambda) / sqrt N.
 *
 *     mode=max   lambda = max |z|, rounded up: unbiased, error N lambda^2 - ||x||^2, about 2 ln(2 N) ||x||^2 once
 *                flattened and N ||x||^2 at worst
 *     mode=rel   lambda = c ||x|| / sqrt N: error at most c^2 ||x||^2, bias only where |z| > lambda
 *     mode=abs   lambda = c times the scale of the round: nothing but bits, which add
 *
 * Stollenwerk, Jacques, arXiv:2405.11095.
 */
#include "compress/compress_draws.h"
#include "compress/kernels/compress_kernels.h"
#include "compress/kernels/hadamard.h"
#include "compress/pipeline/pipeline_parts.h"

#include <math.h>

enum { MODE_MAX, MODE_REL, MODE_ABS };

typedef struct {
    double c;
    int64_t mode, code, dither, vt;
} fosgd_param;

typedef struct {
    double *z;        /* N: flattened */
    double *restored; /* N */
    void *value;      /* restored entries */
} flattening;

static p2p_status
fosgd_open(p2pi_quantiser *self, p2pi_arena *arena)
{
    const fosgd_param *o = self->param;
    size_t n = p2pi_power_of_two(self->shape.dim);
    flattening *w = p2pi_arena_take(arena, sizeof *w);

    if (w == NULL || (w->z = p2pi_arena_array(arena, n, sizeof *w->z)) == NULL ||
        (w->restored = p2pi_arena_array(arena, n, sizeof *w->restored)) == NULL ||
        (w->value = p2pi_arena_array(arena, self->shape.dim, p2p_dtype_size(self->shape.type))) == NULL)
        return P2P_ENOMEM;
    self->work = w;
    self->largest = 1;
    self->needs_scale = o->mode == MODE_ABS;
    if (o->mode == MODE_ABS && o->vt != 0)
        return p2p_fail(P2P_EINVAL, "compressor \"fosgd\": vt is for a scale that travels: mode=abs sends none");
    self->real = p2pi_option_real(o->vt, self->shape.type);
    self->constants = (p2pi_part_constants){ P2P_RANDOM, NAN, NAN, NAN, NAN };
    if (o->mode == MODE_MAX) {
        self->constants.traits |= P2P_UNBIASED;
        self->constants.omega = (double)n - 1;
    } else if (o->mode == MODE_ABS)
        self->constants.traits |= P2P_ADDITIVE;
    return p2pi_option_code(o->code, "fosgd", self->largest, &self->code);
}

static size_t
fosgd_scales(const p2pi_quantiser *self, size_t k)
{
    (void)k;
    return ((const fosgd_param *)self->param)->mode != MODE_ABS;
}

static size_t
fosgd_symbols(const p2pi_quantiser *self, size_t k)
{
    (void)self;
    return p2pi_power_of_two(k);
}

static double
fosgd_lambda(const p2pi_quantiser *self, const p2p_env *env, const double *scale)
{
    const fosgd_param *o = self->param;

    return o->mode == MODE_ABS ? o->c * env->scale : *scale;
}

static void
fosgd_measure(p2pi_quantiser *self, const p2p_env *env, p2p_view y, double *scale)
{
    const fosgd_param *o = self->param;
    const flattening *w = self->work;
    size_t n = p2pi_power_of_two(y.dim);
    p2p_random signs = p2pi_draw_shared(env, self->comp);

    for (size_t i = 0; i < n; i++)
        w->z[i] = i < y.dim ? p2p_vec_get(y, i) : 0;
    p2pi_random_signs(&signs, 1, n, w->z);
    p2pi_hadamard(n, w->z);
    p2p_vec_scale((p2p_vec){ w->z, n, P2P_F64 }, 1 / sqrt((double)n));
    if (o->mode == MODE_MAX)
        *scale = p2pi_real_up(self->real, p2p_vec_norminf((p2p_view){ w->z, n, P2P_F64 }));
    else if (o->mode == MODE_REL)
        *scale = p2pi_real_up(self->real, o->c * p2p_vec_norm2(y) / sqrt((double)n));
}

/* The signs of what was flattened; y has no entries, only their number. */
static void
fosgd_quantise(p2pi_quantiser *self, const p2p_env *env, const double *scale, size_t at, p2p_view y, uint32_t *symbol)
{
    const fosgd_param *o = self->param;
    const flattening *w = self->work;
    const double lambda = fosgd_lambda(self, env, scale);
    double u[P2PI_CHUNK];

    p2pi_draw_dithers_at(env, self->comp, p2pi_option_dither(o->dither), at, (p2p_vec){ u, y.dim, P2P_F64 });
    for (size_t i = 0; i < y.dim; i++)
        symbol[i] = w->z[at + i] + lambda * (2 * u[i] - 1) < 0;
}

/* Of all N values at one place. */
static double
fosgd_reach(const p2pi_quantiser *self, double scale)
{
    double v = scale * sqrt((double)p2pi_power_of_two(self->shape.dim));

    return self->shape.type == P2P_F32 ? (double)(float)v : v;
}

static p2p_view
fosgd_restore(p2pi_quantiser *self, const p2p_env *env, const double *scale, const uint32_t *symbol, size_t k)
{
    const flattening *w = self->work;
    size_t n = p2pi_power_of_two(k);
    double lambda = fosgd_lambda(self, env, scale);
    p2p_random signs = p2pi_draw_shared(env, self->comp);
    p2p_vec value = { w->value, k, self->shape.type };

    p2pi_select(symbol, lambda, -lambda, (p2p_vec){ w->restored, n, P2P_F64 });
    p2pi_hadamard(n, w->restored);
    p2pi_random_signs(&signs, 1 / sqrt((double)n), n, w->restored);
    for (size_t i = 0; i < k; i++)
        p2p_vec_set(value, i, w->restored[i]);
    return p2p_view_of(value);
}

static double
fosgd_nominal(const p2pi_quantiser *self, size_t k, int zero)
{
    (void)zero;
    return (double)p2pi_power_of_two(k) + (double)fosgd_scales(self, k) * 8 * (double)p2pi_real_bytes(self->real);
}

static const p2pi_quantiser_vt fosgd_quantiser = {
    .open = fosgd_open,
    .scales = fosgd_scales,
    .symbols = fosgd_symbols,
    .measure = fosgd_measure,
    .quantise = fosgd_quantise,
    .reach = fosgd_reach,
    .restore = fosgd_restore,
    .nominal = fosgd_nominal,
};

static const p2p_option fosgd_options[] = {
    { "mode", P2P_OPT_CHOICE, "max", "max|rel|abs", NULL, "dither level: largest, relative to the norm, or given",
      offsetof(fosgd_param, mode) },
    { "c", P2P_OPT_REAL, "3", "(0", "100", "factor of the level with mode=rel and abs", offsetof(fosgd_param, c) },
    P2PI_OPTION_CODE(fosgd_param, code),
    P2PI_OPTION_DITHER(fosgd_param, dither),
    P2PI_OPTION_VT(fosgd_param, vt),
    P2PI_OPTIONS_END
};

const p2pi_compressor_vt p2pi_compressor_fosgd = {
    .size = sizeof(p2pi_compressor_vt),
    .entry = { "fosgd", "one dithered bit an entry after flattening", "arXiv:2405.11095", fosgd_options,
               sizeof(fosgd_param) },
    .family = 32,
    .quantiser = &fosgd_quantiser,
};
