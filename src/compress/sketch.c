/*
 * sketch: the count sketch. Each of `rows` hash functions gives every entry a column and a sign, and a cell is the
 * sum of sign x_i of the entries it gets. An entry is estimated by sign times cell, in each row: their mean (k=0),
 * which is unbiased with omega = (d - 1)/(rows cols), or the median, of which the k largest are kept (k > 0): heavy
 * hitters, found with probability 1 - exp(-c rows) if x_i^2 is above a constant times ||x||^2/cols.
 *
 * Hash functions are those of the seed, the same in every round and at every node, so cells of several nodes add.
 *
 * Charikar, Chen, Farach-Colton 2002; Ivkin et al., arXiv:1903.04488.
 */
#include "compress/compress_draws.h"
#include "compress/pipeline_parts.h"
#include "compress/projection.h"
#include "compress/top_selection.h"

#include <math.h>
#include <string.h>

enum { ROWS_MOST = 64 };

typedef struct {
    p2p_count cols, k;
    int64_t rows, vt;
} sketch_param;

typedef struct {
    size_t rows, cols, k; /* k = 0: all entries, means */
    uint32_t *hash;       /* rows x dim: 2 column + [sign is +] */
    uint64_t seed;
    int built;
    double *estimate;
    uint32_t *index;
    p2pi_top top;
} sketch;

static void
build(sketch *w, size_t d, const p2p_env *env)
{
    if (w->built && w->seed == env->seed)
        return;
    for (size_t j = 0; j < w->rows; j++) {
        p2p_random r = p2p_random_open(env->seed, (uint32_t)j, 0, P2P_STREAM_SHARED);
        uint32_t *hash = w->hash + j * d;

        p2p_random_words(&r, d, hash);
        for (size_t i = 0; i < d; i++) {
            uint32_t column = (uint32_t)((double)(hash[i] >> 8) * 0x1p-24 * (double)w->cols);

            hash[i] = 2 * column + (hash[i] & 1);
        }
    }
    w->seed = env->seed;
    w->built = 1;
}

static void
sketch_project(p2pi_projection *self, const p2p_env *env, const double *x, double *out)
{
    sketch *w = self->own;
    size_t d = self->shape.dim;

    build(w, d, env);
    memset(out, 0, self->frame.count * sizeof *out);
    for (size_t j = 0; j < w->rows; j++) {
        const uint32_t *hash = w->hash + j * d;
        double *cell = out + j * w->cols;

        for (size_t i = 0; i < d; i++)
            cell[hash[i] / 2] += hash[i] & 1 ? x[i] : -x[i];
    }
}

static double
estimate_in(const sketch *w, size_t d, const double *cells, size_t j, size_t i)
{
    uint32_t hash = w->hash[j * d + i];
    double cell = cells[j * w->cols + hash / 2];

    return hash & 1 ? cell : -cell;
}

static double
median_of(double *v, size_t n)
{
    for (size_t i = 1; i < n; i++)
        for (size_t j = i; j > 0 && v[j - 1] > v[j]; j--) {
            double t = v[j];

            v[j] = v[j - 1];
            v[j - 1] = t;
        }
    return n % 2 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2;
}

static void
means(const sketch *w, size_t d, const double *cells, double *y)
{
    for (size_t i = 0; i < d; i++) {
        double sum = 0;

        for (size_t j = 0; j < w->rows; j++)
            sum += estimate_in(w, d, cells, j, i);
        y[i] = sum / (double)w->rows;
    }
}

static void
heavy_hitters(sketch *w, size_t d, const double *cells, double *y)
{
    double row[ROWS_MOST];

    for (size_t i = 0; i < d; i++) {
        for (size_t j = 0; j < w->rows; j++)
            row[j] = estimate_in(w, d, cells, j, i);
        w->estimate[i] = median_of(row, w->rows) + 0.0;
    }
    p2pi_top_select(&w->top, (p2p_view){ w->estimate, d, P2P_F64 }, w->k, w->index);
    memset(y, 0, d * sizeof *y);
    for (size_t j = 0; j < w->k; j++)
        y[w->index[j]] = w->estimate[w->index[j]];
}

static void
sketch_restore(p2pi_projection *self, const p2p_env *env, const double *in, double *y)
{
    sketch *w = self->own;

    build(w, self->shape.dim, env);
    if (w->k == 0)
        means(w, self->shape.dim, in, y);
    else
        heavy_hitters(w, self->shape.dim, in, y);
}

static const p2pi_projection_vt count_sketch = { sketch_project, sketch_restore };

static p2p_status
sketch_plan(p2pi_codec *c, p2pi_arena *arena)
{
    const sketch_param *o = c->part[0].param;
    size_t d = c->shape.dim;
    p2pi_projection *self = p2pi_arena_take(arena, sizeof *self);
    sketch *w = p2pi_arena_take(arena, sizeof *w);
    p2p_status st;

    if (self == NULL || w == NULL)
        return P2P_ENOMEM;
    w->rows = (size_t)o->rows;
    w->cols = o->cols.share > 0 ? p2p_count_of(o->cols, d) : (size_t)o->cols.count;
    w->k = o->k.share > 0 || o->k.count > 0 ? p2p_count_of(o->k, d) : 0;
    self->vt = &count_sketch;
    self->shape = c->shape;
    self->own = w;
    self->frame = (p2pi_reals_frame){ .family = 50,
                                      .flags = 2,
                                      .type = c->shape.type,
                                      .real = p2pi_option_real(o->vt, c->shape.type),
                                      .dim = d,
                                      .params = 2,
                                      .param = { (uint32_t)w->rows, (uint32_t)w->cols },
                                      .count = w->rows * w->cols };
    w->hash = p2pi_arena_array(arena, w->rows * d, sizeof *w->hash);
    w->estimate = p2pi_arena_array(arena, d, sizeof *w->estimate);
    w->index = p2pi_arena_array(arena, d, sizeof *w->index);
    if (w->hash == NULL || w->estimate == NULL || w->index == NULL)
        return P2P_ENOMEM;
    if (w->k > 0 && (st = p2pi_top_open(&w->top, d, arena)) != P2P_OK)
        return st;
    c->plan.constants =
        (p2p_compressor_constants){ .traits = P2P_SHARED, .omega = NAN, .delta = NAN, .error2 = NAN, .range = NAN };
    if (w->k == 0) {
        c->plan.constants.traits |= P2P_UNBIASED | P2P_LINEAR;
        c->plan.constants.omega = ((double)d - 1) / (double)(w->rows * w->cols);
    }
    return p2pi_projection_plan(c, arena, self);
}

static const p2pi_scheme sketch_scheme = {
    .plan = sketch_plan,
    .encode = p2pi_projection_encode,
    .decode = p2pi_projection_decode,
    .nominal = p2pi_projection_nominal,
    .emit = p2pi_projection_emit,
    .absorb = p2pi_projection_absorb,
    .finish = p2pi_projection_finish,
};

static const p2p_option sketch_options[] = {
    { "rows", P2P_OPT_INT, "5", "1", "64", "hash functions", offsetof(sketch_param, rows) },
    { "cols", P2P_OPT_COUNT, "1%", "1", "100%", "cells of each: a count, or a share of the dimension",
      offsetof(sketch_param, cols) },
    { "k", P2P_OPT_COUNT, "1%", "0", "100%", "heavy hitters kept; 0: all entries, by means",
      offsetof(sketch_param, k) },
    P2PI_OPTION_VT(sketch_param, vt),
    P2PI_OPTIONS_END
};

const p2pi_compressor_vt p2pi_compressor_sketch = {
    .size = sizeof(p2pi_compressor_vt),
    .entry = { "sketch", "count sketch: sums of entries under random signs", "arXiv:1903.04488", sketch_options,
               sizeof(sketch_param) },
    .family = 50,
    .scheme = &sketch_scheme,
};
