/*
 * maxnorm, multiscale: quantisers whose codes add. All nodes share the scale w, the largest of their norms, and count
 * entries in steps of w/S:
 *
 *     stage 0   MAX   w = max_i norm(x_i), rounded up
 *     stage 1   MIN   multiscale: for each entry the largest level count S_t at which (|x|/w) S_t <= S_0 at all nodes
 *     last      SUM   c_i = sign(x_i) floor((|x_i|/w) S_t + u)
 *     out       (w/S_t) (sum of c_i)/n
 *
 * Sums of integers are the same in any order: all nodes hold the same bits. In a message alone the norm is the
 * sender's own, and each entry's symbol has its code and its t. k > 0: first k coordinates that all nodes draw alike,
 * times d/k.
 *
 * Unbiased; the variance of an entry is at most (w/S_0)^2/4. Vineeth S, "Unbiased single-scale and multi-scale
 * quantizers for distributed optimization", 2021; the scale is chosen before rounding, which keeps it unbiased.
 */
#include "compress/quantisers/max_norm.h"

#include "compress/kernels/compress_kernels.h"
#include "compress/operand.h"
#include "compress/pipeline/memory_scheme.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LEVELS_MOST = 1 << 20, COMP_COORDINATES = 2 };
enum { NORM_2, NORM_INF };

/* ---- coordinates */

static p2p_status
coordinates_open(p2pi_sparsifier *self, p2pi_arena *arena)
{
    p2pi_max_norm *w = (p2pi_max_norm *)self->param;
    size_t k = p2p_count_of(w->o->k, self->shape.dim);

    self->least = self->most = k;
    self->constants = (p2pi_part_constants){ P2P_SPARSE | P2P_RANDOM | P2P_SHARED, NAN, NAN, NAN, NAN };
    if (w->o->scale) {
        self->constants.traits |= P2P_UNBIASED;
        self->constants.omega = (double)self->shape.dim / (double)k - 1;
    }
    return p2pi_subset_open(&w->subset, self->shape.dim, k, arena);
}

static size_t
coordinates_pick(p2pi_sparsifier *self, p2p_view x, const p2p_env *env, uint32_t *index, double *factor)
{
    p2pi_max_norm *w = (p2pi_max_norm *)self->param;
    p2p_random r = p2pi_draw_shared(env, w->comp + COMP_COORDINATES);

    p2pi_subset_draw(&w->subset, &r, self->most, index);
    *factor = w->o->scale ? (double)x.dim / (double)self->most : 1;
    return self->most;
}

/* ---- codes */

static p2p_status
codes_open(p2pi_quantiser *self, p2pi_arena *arena)
{
    const p2pi_max_norm *w = self->param;
    const double b = (double)self->shape.dim, s = w->level[0];
    const uint64_t symbols = (2 * (uint64_t)w->level[0] + 1) * w->count;

    (void)arena;
    if (symbols > UINT32_MAX)
        return p2p_fail(P2P_EINVAL, "compressor \"multiscale\": %zu scales of up to %u levels: too many symbols",
                        w->count, w->level[0]);
    self->params = 2;
    self->param_value[0] = w->level[0];
    self->param_value[1] = (uint32_t)w->count;
    self->signed_codes = w->count == 1;
    self->largest = (uint32_t)symbols - 1;
    self->real = p2pi_option_real(w->o->vt, self->shape.type);
    self->constants = (p2pi_part_constants){ P2P_UNBIASED | P2P_RANDOM, 0, NAN, NAN, NAN };
    self->constants.omega = fmin(b / (4 * s * s), w->o->norm == NORM_2 ? sqrt(b) / s : (1 + sqrt(b)) / (2 * s));
    return p2pi_option_code(w->o->code, w->count == 1 ? "maxnorm" : "multiscale", self->largest, &self->code);
}

static void
codes_measure(p2pi_quantiser *self, const p2p_env *env, p2p_view y, double *scale)
{
    const p2pi_max_norm *w = self->param;

    (void)env;
    *scale = p2pi_real_up(self->real, w->o->norm == NORM_2 ? p2p_vec_norm2(y) : p2p_vec_norminf(y));
}

uint32_t
p2pi_max_norm_scale(const p2pi_max_norm *w, double share)
{
    size_t t = w->count - 1;

    while (t > 0 && !(share * w->level[t] <= w->level[0]))
        t--;
    return (uint32_t)t;
}

static uint32_t
code_of(double v, double share, double levels, double u)
{
    uint32_t c = (uint32_t)floor(share * levels + u);

    return c == 0 ? 0 : 2 * c - (v < 0);
}

double
p2pi_max_norm_value(const p2pi_max_norm *w, double norm, uint32_t t, uint32_t code)
{
    double c = (double)((code + 1) / 2);

    return norm / w->level[t] * (code & 1 ? -c : c);
}

void
p2pi_max_norm_quantise(const p2pi_max_norm *w, const p2p_env *env, double norm, size_t at, p2p_view y,
                       const uint32_t *given, uint32_t *scale, uint32_t *code)
{
    p2pi_chunk chunk;
    p2p_vec u = p2pi_chunk_vec(&chunk, y.dim, y.type);

    p2pi_draw_dithers_at(env, w->comp, p2pi_option_dither(w->o->dither), at, u);
    for (size_t i = 0; i < y.dim; i++) {
        double v = p2p_vec_get(y, i), share = norm > 0 ? fabs(v) / norm : 0;

        scale[i] = given != NULL ? given[i] : p2pi_max_norm_scale(w, share);
        code[i] = norm > 0 ? code_of(v, share, w->level[scale[i]], p2p_vec_get(p2p_view_of(u), i)) : 0;
    }
}

static void
codes_quantise(p2pi_quantiser *self, const p2p_env *env, const double *scale, size_t at, p2p_view y, uint32_t *symbol)
{
    const p2pi_max_norm *w = self->param;
    uint32_t own[P2PI_CHUNK];

    p2pi_max_norm_quantise(w, env, *scale, at, y, NULL, own, symbol);
    for (size_t i = 0; i < y.dim; i++)
        symbol[i] = symbol[i] * (uint32_t)w->count + own[i];
}

static void
codes_dequantise(const p2pi_quantiser *self, const p2p_env *env, const double *scale, const uint32_t *symbol,
                 size_t at, p2p_vec y)
{
    const p2pi_max_norm *w = self->param;
    const uint32_t count = (uint32_t)w->count;

    (void)env;
    (void)at;
    for (size_t i = 0; i < y.dim; i++)
        p2p_vec_set(y, i, p2pi_max_norm_value(w, *scale, symbol[i] % count, symbol[i] / count));
}

static double
codes_nominal(const p2pi_quantiser *self, size_t k, int zero)
{
    const p2pi_max_norm *w = self->param;
    double norm = 8 * (double)p2pi_real_bytes(self->real);

    return zero ? norm : norm + (double)k * (p2pi_bit_length(2 * w->level[0]) + p2pi_bit_length(w->count - 1));
}

static const p2pi_sparsifier_vt coordinates_vt = { .open = coordinates_open, .pick = coordinates_pick };
static const p2pi_quantiser_vt codes_vt = {
    .open = codes_open,
    .scales = p2pi_one_scale,
    .measure = codes_measure,
    .quantise = codes_quantise,
    .dequantise = codes_dequantise,
    .nominal = codes_nominal,
};
static const p2pi_compressor_vt coordinates = { .entry = { .name = "k" },
                                                .family = 3,
                                                .sparsifier = &coordinates_vt };
static const p2pi_compressor_vt single_codes = { .entry = { .name = "maxnorm" },
                                                 .family = 30,
                                                 .quantiser = &codes_vt };
static const p2pi_compressor_vt multi_codes = { .entry = { .name = "multiscale" },
                                                .family = 31,
                                                .quantiser = &codes_vt };

/* ---- opening */

static int
ascending(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return (x > y) - (x < y);
}

static p2p_status
read_levels(p2pi_max_norm *w, const char *text)
{
    const char *at = text;

    while (*at != '\0') {
        char *end;
        unsigned long level = strtoul(at, &end, 10);

        if (*at < '0' || *at > '9' || level < 1 || level > LEVELS_MOST || w->count == P2PI_SCALES_MOST ||
            (*end != '/' && *end != '\0') || (*end == '/' && end[1] == '\0'))
            break;
        w->level[w->count++] = (uint32_t)level;
        at = *end == '/' ? end + 1 : end;
    }
    qsort(w->level, w->count, sizeof *w->level, ascending);
    for (size_t t = 1; t < w->count; t++)
        if (w->level[t] == w->level[t - 1])
            w->count = 0;
    if (*at == '\0' && w->count > 0)
        return P2P_OK;
    return p2p_fail(P2P_EINVAL,
                    "compressor \"multiscale\": levels=%.80s: expected up to %d different numbers from 1 to %d, such "
                    "as 7/31/127",
                    text, P2PI_SCALES_MOST, LEVELS_MOST);
}

static p2p_status
plan_with(p2pi_codec *c, p2pi_arena *arena, p2pi_max_norm *w, const p2pi_compressor_vt *codes)
{
    const int all = w->o->k.count == 0 && w->o->k.share == 0;
    p2pi_pipeline_work *p;
    p2p_status st;

    c->work = w;
    w->comp = c->comp;
    if ((st = p2pi_private_pipeline(c, arena, all ? NULL : &coordinates, codes, w)) != P2P_OK)
        return st;
    p = c->operand[0]->work;
    c->plan.constants = c->operand[0]->plan.constants;
    c->plan.moment = c->operand[0]->plan.moment;
    c->plan.gain = c->operand[0]->plan.gain;
    w->scale = p2pi_arena_array(arena, p->most, sizeof *w->scale);
    w->code = p2pi_arena_array(arena, p->most, sizeof *w->code);
    w->y = (p2p_vec){ p2pi_arena_array(arena, p->most, p2p_dtype_size(c->shape.type)), p->most, c->shape.type };
    if (w->scale == NULL || w->code == NULL || w->y.data == NULL || p2pi_take_vector(&w->x, c, arena) != P2P_OK)
        return P2P_ENOMEM;
    p2pi_max_norm_stages(c, w);
    return P2P_OK;
}

static p2p_status
max_norm_plan(p2pi_codec *c, p2pi_arena *arena)
{
    p2pi_max_norm *w = p2pi_arena_take(arena, sizeof *w);

    if (w == NULL)
        return P2P_ENOMEM;
    w->o = c->part[0].param;
    w->level[w->count++] = (uint32_t)w->o->level;
    return plan_with(c, arena, w, &single_codes);
}

static p2p_status
multiscale_plan(p2pi_codec *c, p2pi_arena *arena)
{
    p2pi_max_norm *w = p2pi_arena_take(arena, sizeof *w);
    p2p_status st;

    if (w == NULL)
        return P2P_ENOMEM;
    w->o = c->part[0].param;
    if ((st = read_levels(w, w->o->levels.s)) != P2P_OK)
        return st;
    return plan_with(c, arena, w, &multi_codes);
}

#define SCHEME(plan_fn)                                                                                              \
    {                                                                                                                \
        .plan = (plan_fn), .encode = p2pi_operand_encode, .decode = p2pi_operand_decode,                             \
        .frame = p2pi_operand_frame, .unframe = p2pi_operand_unframe, .nominal = p2pi_operand_nominal,               \
        .emit = p2pi_max_norm_emit, .absorb = p2pi_max_norm_absorb, .finish = p2pi_max_norm_finish                   \
    }

static const p2pi_scheme max_norm_scheme = SCHEME(max_norm_plan);
static const p2pi_scheme multiscale_scheme = SCHEME(multiscale_plan);

#define OPTIONS_COMMON                                                                                               \
    { "norm",                                                                                                        \
      P2P_OPT_CHOICE,                                                                                                \
      "2",                                                                                                           \
      "2|inf",                                                                                                       \
      NULL,                                                                                                          \
      "Euclidean or largest magnitude",                                                                              \
      offsetof(p2pi_max_norm_param, norm) },                                                                         \
        { "k",                                                                                                       \
          P2P_OPT_COUNT,                                                                                             \
          "0",                                                                                                       \
          "0",                                                                                                       \
          "100%",                                                                                                    \
          "entries that all nodes draw alike, and that are sent; 0: all",                                            \
          offsetof(p2pi_max_norm_param, k) },                                                                        \
        { "scale",                                                                                                   \
          P2P_OPT_BOOL,                                                                                              \
          "1",                                                                                                       \
          NULL,                                                                                                      \
          NULL,                                                                                                      \
          "multiply these by d/k: unbiased",                                                                         \
          offsetof(p2pi_max_norm_param, scale) },                                                                    \
        P2PI_OPTION_CODE(p2pi_max_norm_param, code), P2PI_OPTION_DITHER(p2pi_max_norm_param, dither),                \
        P2PI_OPTION_VT(p2pi_max_norm_param, vt), P2PI_OPTIONS_END

static const p2p_option max_norm_options[] = { { "levels", P2P_OPT_INT, "8", "1", "1048576",
                                                 "steps between 0 and the norm",
                                                 offsetof(p2pi_max_norm_param, level) },
                                               OPTIONS_COMMON };

static const p2p_option multiscale_options[] = { { "levels", P2P_OPT_TEXT, "7/31/127", NULL, NULL,
                                                   "steps between 0 and the norm of each scale",
                                                   offsetof(p2pi_max_norm_param, levels) },
                                                 OPTIONS_COMMON };

const p2pi_compressor_vt p2pi_compressor_maxnorm = {
    .size = sizeof(p2pi_compressor_vt),
    .entry = { "maxnorm", "steps of the largest norm of all nodes; codes add", "Vineeth S, 2021", max_norm_options,
               sizeof(p2pi_max_norm_param) },
    .family = 30,
    .scheme = &max_norm_scheme,
};

const p2pi_compressor_vt p2pi_compressor_multiscale = {
    .size = sizeof(p2pi_compressor_vt),
    .entry = { "multiscale", "maxnorm with finer steps for small entries", "Vineeth S, 2021", multiscale_options,
               sizeof(p2pi_max_norm_param) },
    .family = 31,
    .scheme = &multiscale_scheme,
};
