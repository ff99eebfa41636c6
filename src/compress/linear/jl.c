/*
 * jl: a random projection to m reals that all nodes of a round share (Johnson-Lindenstrauss).
 *
 *     rademacher   A of random signs: A x / sqrt m, decoded A' y / sqrt m; omega = (d - 1)/m, for every x
 *     srht         z = H D x / sqrt N with the Walsh-Hadamard matrix H of N = the power of two not below d and random
 * signs D; N/m times m of its entries; decoded D H y / sqrt N; omega <= N/m - 1, d log d work instead of d m
 *
 * Linear and unbiased. Johnson, Lindenstrauss 1984; Achlioptas 2003; Ailon, Chazelle 2009.
 */
#include "base/sum.h"
#include "compress/compress_draws.h"
#include "compress/kernels/hadamard.h"
#include "compress/linear/projection.h"
#include "compress/pipeline/pipeline_parts.h"

#include <math.h>
#include <string.h>

enum { RADEMACHER, SRHT };
enum { SUBSET = 1 /* added to comp for the stream of the entries that are kept */ };

typedef struct {
    int64_t m, kind, vt;
} jl_param;

typedef struct {
    double *row; /* N, or a row of A that is d long */
    uint32_t *kept;
    p2pi_subset subset;
} transform;

/* ---- rademacher */

static void
next_signs(p2p_random *r, size_t d, double *row)
{
    for (size_t i = 0; i < d; i++)
        row[i] = 1;
    p2pi_random_signs(r, 1, d, row);
}

static void
rademacher_project(p2pi_projection *self, const p2p_env *env, const double *x, double *out)
{
    const transform *w = self->own;
    p2p_random r = p2pi_draw_shared(env, self->comp);
    size_t d = self->shape.dim, m = self->frame.count;

    for (size_t j = 0; j < m; j++) {
        next_signs(&r, d, w->row);
        P2PI_SUM(out[j], d, i, w->row[i] * x[i]);
        out[j] /= sqrt((double)m);
    }
}

static void
rademacher_restore(p2pi_projection *self, const p2p_env *env, const double *in, double *y)
{
    const transform *w = self->own;
    p2p_random r = p2pi_draw_shared(env, self->comp);
    size_t d = self->shape.dim, m = self->frame.count;

    memset(y, 0, d * sizeof *y);
    for (size_t j = 0; j < m; j++) {
        double scaled = in[j] / sqrt((double)m);

        next_signs(&r, d, w->row);
        for (size_t i = 0; i < d; i++)
            y[i] += w->row[i] * scaled;
    }
}

/* ---- srht */

static void
draw_kept(p2pi_projection *self, const p2p_env *env)
{
    transform *w = self->own;
    p2p_random r = p2pi_draw_shared(env, self->comp + SUBSET);

    p2pi_subset_draw(&w->subset, &r, self->frame.count, w->kept);
}

static void
srht_project(p2pi_projection *self, const p2p_env *env, const double *x, double *out)
{
    transform *w = self->own;
    p2p_random signs = p2pi_draw_shared(env, self->comp);
    size_t d = self->shape.dim, n = p2pi_power_of_two(d), m = self->frame.count;
    double factor = 1 / sqrt((double)n);

    draw_kept(self, env);
    memcpy(w->row, x, d * sizeof *x);
    memset(w->row + d, 0, (n - d) * sizeof *x);
    p2pi_random_signs(&signs, 1, n, w->row);
    p2pi_hadamard(n, w->row);
    for (size_t j = 0; j < m; j++)
        out[j] = w->row[w->kept[j]] * factor * ((double)n / (double)m);
}

static void
srht_restore(p2pi_projection *self, const p2p_env *env, const double *in, double *y)
{
    transform *w = self->own;
    p2p_random signs = p2pi_draw_shared(env, self->comp);
    size_t d = self->shape.dim, n = p2pi_power_of_two(d);

    draw_kept(self, env);
    memset(w->row, 0, n * sizeof *w->row);
    for (size_t j = 0; j < self->frame.count; j++)
        w->row[w->kept[j]] = in[j];
    p2pi_hadamard(n, w->row);
    p2pi_random_signs(&signs, 1 / sqrt((double)n), n, w->row);
    memcpy(y, w->row, d * sizeof *y);
}

/* ---- opening */

static const p2pi_projection_vt transforms[] = {
    [RADEMACHER] = { .project = rademacher_project, .restore = rademacher_restore },
    [SRHT] = { .project = srht_project, .restore = srht_restore },
};

static p2p_status
jl_plan(p2pi_codec *c, p2pi_arena *arena)
{
    const jl_param *o = c->part[0].param;
    size_t d = c->shape.dim, n = p2pi_power_of_two(d), m = (size_t)o->m;
    p2pi_projection *self = p2pi_arena_take(arena, sizeof *self);
    transform *w = p2pi_arena_take(arena, sizeof *w);
    p2p_status st;

    if (self == NULL || w == NULL)
        return P2P_ENOMEM;
    m = m < d ? m : d;
    self->vt = &transforms[o->kind];
    self->shape = c->shape;
    self->comp = c->comp;
    self->own = w;
    self->frame = (p2pi_reals_frame){ .family = 51,
                                      .flags = 2,
                                      .type = c->shape.type,
                                      .real = p2pi_option_real(o->vt, c->shape.type),
                                      .dim = d,
                                      .params = 2,
                                      .param = { (uint32_t)m, (uint32_t)o->kind },
                                      .count = m };
    if ((w->row = p2pi_arena_array(arena, n, sizeof *w->row)) == NULL ||
        (w->kept = p2pi_arena_array(arena, m, sizeof *w->kept)) == NULL)
        return P2P_ENOMEM;
    if (o->kind == SRHT && (st = p2pi_subset_open(&w->subset, n, m, arena)) != P2P_OK)
        return st;
    c->plan.constants = (p2p_compressor_constants){
        .traits = P2P_UNBIASED | P2P_LINEAR | P2P_SHARED | P2P_RANDOM, .delta = NAN, .error2 = NAN, .range = NAN
    };
    c->plan.constants.omega = o->kind == RADEMACHER ? ((double)d - 1) / (double)m : (double)n / (double)m - 1;
    return p2pi_projection_plan(c, arena, self);
}

static const p2pi_scheme jl_scheme = {
    .plan = jl_plan,
    .encode = p2pi_projection_encode,
    .decode = p2pi_projection_decode,
    .nominal = p2pi_projection_nominal,
    .emit = p2pi_projection_emit,
    .absorb = p2pi_projection_absorb,
    .finish = p2pi_projection_finish,
};

static const p2p_option jl_options[] = {
    { "m", P2P_OPT_INT, "16", "1", "4294967295", "reals sent; at most the dimension", offsetof(jl_param, m) },
    { "kind", P2P_OPT_CHOICE, "rademacher", "rademacher|srht", NULL, "the projection", offsetof(jl_param, kind) },
    P2PI_OPTION_VT(jl_param, vt),
    P2PI_OPTIONS_END
};

const p2pi_compressor_vt p2pi_compressor_jl = {
    .size = sizeof(p2pi_compressor_vt),
    .entry = { "jl", "random projection to m reals", "Johnson, Lindenstrauss 1984", jl_options, sizeof(jl_param) },
    .family = 51,
    .scheme = &jl_scheme,
};
