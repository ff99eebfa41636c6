/*
 * sketch: the count sketch. Each of `rows` hash functions gives every entry a column and a sign, and a cell is the
 * sum of sign x_i of the entries it gets. An entry is estimated by sign times cell, in each row: their mean (k=0),
 * which is unbiased with omega = (d - 1)/(rows cols), or the median, of which the k largest are kept (k > 0): heavy
 * hitters, found with probability 1 - exp(-c rows) if x_i^2 is above a constant times ||x||^2/cols.
 *
 * Hash functions are those of the seed, the same in every round and at every node, so cells of several nodes add.
 *
 * second=1: the exact values at the heavy hitters travel too; of several nodes, in an exchange of their own.
 * memory=1: error feedback inside the sketch, U = momentum U + S(x), A += U, y restored from A, A -= S(y).
 *
 * Charikar, Chen, Farach-Colton 2002; Ivkin et al., arXiv:1903.04488.
 */
#include "compress/compress_draws.h"
#include "compress/kernels/top_selection.h"
#include "compress/linear/projection.h"
#include "compress/pipeline/pipeline_parts.h"

#include <math.h>
#include <string.h>

enum { ROWS_MOST = 64 };

typedef struct {
    p2p_count cols, k;
    int64_t rows, second, memory, vt;
    double momentum;
} sketch_param;

typedef struct {
    size_t rows, cols, k;    /* k = 0: all entries, means */
    double momentum, *u, *a; /* memory: cells */
    double *taken;           /* cells of what was restored */
    uint32_t *hash;          /* rows x dim: 2 column + [sign is +] */
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
    memset(out, 0, w->rows * w->cols * sizeof *out);
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
pick_heavy(sketch *w, size_t d, const double *cells)
{
    double row[ROWS_MOST];

    for (size_t i = 0; i < d; i++) {
        for (size_t j = 0; j < w->rows; j++)
            row[j] = estimate_in(w, d, cells, j, i);
        w->estimate[i] = median_of(row, w->rows) + 0.0;
    }
    p2pi_top_select(&w->top, (p2p_view){ w->estimate, d, P2P_F64 }, w->k, w->index);
}

static void
heavy_hitters(sketch *w, size_t d, const double *cells, double *y)
{
    pick_heavy(w, d, cells);
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

/* The heavy hitters of the cells, by their values in x. */
static void
exact_values(p2pi_projection *self, const p2p_env *env, const double *x, double *reals)
{
    sketch *w = self->own;

    build(w, self->shape.dim, env);
    pick_heavy(w, self->shape.dim, reals);
    for (size_t j = 0; j < w->k; j++)
        reals[w->rows * w->cols + j] = x[w->index[j]];
}

static void
exact_restore(p2pi_projection *self, const p2p_env *env, const double *in, double *y)
{
    const sketch *w = self->own;

    sketch_restore(self, env, in, y);
    for (size_t j = 0; j < w->k; j++)
        y[w->index[j]] = in[w->rows * w->cols + j];
}

static void
gather_cells(p2pi_projection *self, double *cells)
{
    sketch *w = self->own;

    for (size_t i = 0; i < w->rows * w->cols; i++) {
        w->u[i] = w->momentum * w->u[i] + cells[i];
        w->a[i] += w->u[i];
        cells[i] = w->a[i];
    }
}

static void
take_off_cells(p2pi_projection *self, const p2p_env *env, const double *restored)
{
    sketch *w = self->own;

    sketch_project(self, env, restored, w->taken);
    for (size_t i = 0; i < w->rows * w->cols; i++)
        w->a[i] -= w->taken[i];
}

static const p2pi_projection_vt count_sketch = { .project = sketch_project, .restore = sketch_restore };
static const p2pi_projection_vt exact_sketch = { .project = sketch_project,
                                                 .restore = exact_restore,
                                                 .project_late = exact_values };
static const p2pi_projection_vt keeping_sketch = {
    .project = sketch_project, .restore = sketch_restore, .gather = gather_cells, .settle = take_off_cells
};

static p2p_status
check_options(const sketch *w, const sketch_param *o)
{
    if (o->second && w->k == 0)
        return p2p_fail(P2P_EINVAL, "compressor \"sketch\": second=1 sends the heavy hitters' values: write k= too");
    if (o->second && o->memory)
        return p2p_fail(P2P_EINVAL, "compressor \"sketch\": second=1 or memory=1: what a sketch remembers has no "
                                    "exact values");
    if (o->momentum > 0 && !o->memory)
        return p2p_fail(P2P_EINVAL, "compressor \"sketch\": momentum belongs to memory=1");
    return P2P_OK;
}

static p2p_status
keep_cells(p2pi_codec *c, sketch *w, double momentum, p2pi_arena *arena)
{
    const size_t cells = w->rows * w->cols;

    w->momentum = momentum;
    w->u = p2pi_arena_array(arena, cells, sizeof *w->u);
    w->a = p2pi_arena_array(arena, cells, sizeof *w->a);
    w->taken = p2pi_arena_array(arena, cells, sizeof *w->taken);
    if (w->u == NULL || w->a == NULL || w->taken == NULL)
        return P2P_ENOMEM;
    c->plan.state[c->plan.states++] = (p2pi_codec_state){ "U", { w->u, cells, P2P_F64 } };
    c->plan.state[c->plan.states++] = (p2pi_codec_state){ "A", { w->a, cells, P2P_F64 } };
    c->plan.constants.traits = P2P_SHARED | P2P_STATEFUL;
    c->plan.constants.omega = NAN;
    return P2P_OK;
}

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
    if ((st = check_options(w, o)) != P2P_OK)
        return st;
    self->vt = o->second ? &exact_sketch : o->memory ? &keeping_sketch : &count_sketch;
    self->late = o->second ? w->k : 0;
    self->shape = c->shape;
    self->own = w;
    self->frame = (p2pi_reals_frame){ .family = 50,
                                      .flags = 2,
                                      .type = c->shape.type,
                                      .real = p2pi_option_real(o->vt, c->shape.type),
                                      .dim = d,
                                      .params = 2,
                                      .param = { (uint32_t)w->rows, (uint32_t)w->cols },
                                      .count = w->rows * w->cols + self->late };
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
    if (o->memory && (st = keep_cells(c, w, o->momentum, arena)) != P2P_OK)
        return st;
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
    { "second", P2P_OPT_BOOL, "0", NULL, NULL, "send the exact values of the heavy hitters too",
      offsetof(sketch_param, second) },
    { "memory", P2P_OPT_BOOL, "0", NULL, NULL, "keep in the sketch what was not restored",
      offsetof(sketch_param, memory) },
    { "momentum", P2P_OPT_REAL, "0", "0", "1)", "of what enters the memory", offsetof(sketch_param, momentum) },
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
