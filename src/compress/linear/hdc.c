/*
 * hdc: superposed rows. x is a matrix, row by row; each row is multiplied entry by entry by its key, a random vector
 * of signs, and `ratio` rows are added up:
 *
 *     m_g = sum of B_l W_l over the rows l of group g;   decoded: row l is B_l m_g
 *
 * The other rows of the group are noise: unbiased over the keys, omega = ratio - 1. keys=own: each node has keys of
 * its own, so that the mean of what several nodes send has less of it. keys=shared: all have the same, and messages
 * add.
 *
 * Rosato, Panella, Osipov, Kleyko, arXiv:2106.09831.
 */
#include "compress/kernels/compress_kernels.h"
#include "compress/linear/projection.h"
#include "compress/pipeline/pipeline_parts.h"

#include <p2popt/random.h>

#include <math.h>
#include <string.h>

enum { KEYS_OWN, KEYS_SHARED };
enum { KEYS_ROUND = 1 };

typedef struct {
    int64_t rows, ratio, keys, vt;
} hdc_param;

typedef struct {
    size_t cols, ratio;
    int shared;
} superposition;

static p2p_random
open_keys(const superposition *w, const p2p_env *env)
{
    return p2p_random_open(env->seed, w->shared ? 0 : env->node, KEYS_ROUND, P2P_STREAM_SHARED);
}

/* Where the entry goes. */
static size_t
cell_of(const superposition *w, size_t i)
{
    return i / (w->cols * w->ratio) * w->cols + i % w->cols;
}

static void
hdc_project(p2pi_projection *self, const p2p_env *env, const double *x, double *out)
{
    const superposition *w = self->own;
    p2p_random r = open_keys(w, env);
    uint32_t word[P2PI_CHUNK];

    memset(out, 0, self->frame.count * sizeof *out);
    for (size_t at = 0; at < self->shape.dim; at += P2PI_CHUNK) {
        size_t n = self->shape.dim - at < P2PI_CHUNK ? self->shape.dim - at : P2PI_CHUNK;

        p2p_random_words(&r, n, word);
        for (size_t i = 0; i < n; i++)
            out[cell_of(w, at + i)] += word[i] >> 31 ? -x[at + i] : x[at + i];
    }
}

static void
hdc_restore(p2pi_projection *self, const p2p_env *env, const double *in, double *y)
{
    const superposition *w = self->own;
    p2p_random r = open_keys(w, env);
    uint32_t word[P2PI_CHUNK];

    for (size_t at = 0; at < self->shape.dim; at += P2PI_CHUNK) {
        size_t n = self->shape.dim - at < P2PI_CHUNK ? self->shape.dim - at : P2PI_CHUNK;

        p2p_random_words(&r, n, word);
        for (size_t i = 0; i < n; i++) {
            double m = in[cell_of(w, at + i)];

            y[at + i] = word[i] >> 31 ? -m : m;
        }
    }
}

static const p2pi_projection_vt superpose = { .project = hdc_project, .restore = hdc_restore };

static p2p_status
hdc_plan(p2pi_codec *c, p2pi_arena *arena)
{
    const hdc_param *o = c->part[0].param;
    const size_t d = c->shape.dim, rows = (size_t)o->rows < d ? (size_t)o->rows : d;
    p2pi_projection *self = p2pi_arena_take(arena, sizeof *self);
    superposition *w = p2pi_arena_take(arena, sizeof *w);
    p2p_status st;

    if (self == NULL || w == NULL)
        return P2P_ENOMEM;
    if (o->ratio > o->rows)
        return p2p_fail(P2P_EINVAL, "compressor \"hdc\": ratio=%lld: expected at most the %lld rows",
                        (long long)o->ratio, (long long)o->rows);
    w->cols = (d - 1) / rows + 1;
    w->ratio = (size_t)o->ratio;
    w->shared = o->keys == KEYS_SHARED;
    self->vt = &superpose;
    self->shape = c->shape;
    self->own = w;
    self->frame = (p2pi_reals_frame){ .family = 73,
                                      .flags = 2,
                                      .type = c->shape.type,
                                      .real = p2pi_option_real(o->vt, c->shape.type),
                                      .dim = d,
                                      .params = 3,
                                      .param = { (uint32_t)rows, (uint32_t)w->ratio, (uint32_t)o->keys },
                                      .count = ((rows - 1) / w->ratio + 1) * w->cols };
    c->plan.constants = (p2p_compressor_constants){
        .traits = P2P_UNBIASED, .omega = (double)w->ratio - 1, .delta = NAN, .error2 = NAN, .range = NAN
    };
    if (w->shared)
        c->plan.constants.traits |= P2P_SHARED | P2P_LINEAR;
    if ((st = p2pi_projection_plan(c, arena, self)) == P2P_OK && !w->shared)
        c->plan.stage[0] = (p2pi_stage){ P2PI_REDUCE_NONE, 0, 0, 0 };
    return st;
}

static const p2pi_scheme hdc_scheme = {
    .plan = hdc_plan,
    .encode = p2pi_projection_encode,
    .decode = p2pi_projection_decode,
    .nominal = p2pi_projection_nominal,
    .emit = p2pi_projection_emit,
    .absorb = p2pi_projection_absorb,
    .finish = p2pi_projection_finish,
};

static const p2p_option hdc_options[] = {
    { "rows", P2P_OPT_INT, "16", "1", "4294967295", "rows of the matrix; at most the dimension",
      offsetof(hdc_param, rows) },
    { "ratio", P2P_OPT_INT, "2", "1", "4294967295", "rows in one sum; at most the rows", offsetof(hdc_param, ratio) },
    { "keys", P2P_OPT_CHOICE, "own", "own|shared", NULL, "signs of each node, or of all", offsetof(hdc_param, keys) },
    P2PI_OPTION_VT(hdc_param, vt),
    P2PI_OPTIONS_END
};

const p2pi_compressor_vt p2pi_compressor_hdc = {
    .size = sizeof(p2pi_compressor_vt),
    .entry = { "hdc", "rows under random signs, several in one sum", "arXiv:2106.09831", hdc_options,
               sizeof(hdc_param) },
    .family = 73,
    .scheme = &hdc_scheme,
};
