/*
 * permk: every node sends its own part of the coordinates, times the number of nodes, so that the mean over nodes is
 * exact where all hold the same vector. pi is a permutation of the d coordinates and sigma one of the n nodes, both
 * shared; node j owns p = sigma(j), the positions floor(p d / n) .. floor((p + 1) d / n) - 1 of pi.
 *
 * With part=rank pi is drawn as of node 0, and node j owns part j in every round: the form of arXiv:2302.07615.
 *
 * Unbiased with omega = n - 1. Where a node is missing its part is missing.
 *
 * Szlendak, Tyurin, Richtarik, arXiv:2110.03300.
 */
#include "compress/compress_draws.h"
#include "compress/pipeline/pipeline_parts.h"

#include <math.h>
#include <stdlib.h>

enum { SIGMA = 8 /* added to comp for the stream of sigma */ };

typedef struct {
    int64_t vt, part;
} permk_param;

enum { DRAWN, RANK };

typedef struct {
    size_t *order; /* of the coordinates, then of the nodes */
    size_t *owner;
} parts;

static p2p_status
permk_open(p2pi_sparsifier *self, p2pi_arena *arena)
{
    const permk_param *o = self->param;
    size_t d = self->shape.dim, n = self->shape.nodes;
    parts *w = p2pi_arena_take(arena, sizeof *w);

    if (w == NULL || (w->order = p2pi_arena_array(arena, d, sizeof *w->order)) == NULL ||
        (w->owner = p2pi_arena_array(arena, n, sizeof *w->owner)) == NULL)
        return P2P_ENOMEM;
    self->work = w;
    self->least = d / n;
    self->most = (d - 1) / n + 1;
    self->real = p2pi_option_real(o->vt, self->shape.type);
    self->constants =
        (p2pi_part_constants){ P2P_UNBIASED | P2P_SPARSE | P2P_SHARED | P2P_RANDOM, (double)n - 1, NAN, NAN, NAN };
    return P2P_OK;
}

static int
ascending(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return (x > y) - (x < y);
}

/* The permutation, and which part of it the node owns. */
static size_t
draw_parts(const p2pi_sparsifier *self, size_t dim, const p2p_env *env)
{
    const permk_param *o = self->param;
    const parts *w = self->work;
    const size_t n = self->shape.nodes;
    p2p_random pi = p2pi_draw_shared(env, self->comp), sigma = p2pi_draw_shared(env, self->comp + SIGMA);

    if (o->part == RANK) {
        pi.node = 0;
        p2p_random_permutation(&pi, dim, w->order);
        return env->node % n;
    }
    p2p_random_permutation(&pi, dim, w->order);
    p2p_random_permutation(&sigma, n, w->owner);
    return w->owner[env->node % n];
}

static size_t
permk_pick(p2pi_sparsifier *self, p2p_view x, const p2p_env *env, uint32_t *index, double *factor)
{
    const parts *w = self->work;
    const size_t n = self->shape.nodes, part = draw_parts(self, x.dim, env);
    size_t begin, end;

    begin = part * x.dim / n;
    end = (part + 1) * x.dim / n;
    for (size_t i = begin; i < end; i++)
        index[i - begin] = (uint32_t)w->order[i];
    qsort(index, end - begin, sizeof *index, ascending);
    *factor = (double)n;
    return end - begin;
}

static const p2pi_sparsifier_vt permk_sparsifier = { .open = permk_open, .pick = permk_pick };

static const p2p_option permk_options[] = { { "part", P2P_OPT_CHOICE, "drawn", "drawn|rank", NULL,
                                              "a node's part: another in each round, or that of its rank",
                                              offsetof(permk_param, part) },
                                            P2PI_OPTION_VT(permk_param, vt),
                                            P2PI_OPTIONS_END };

const p2pi_compressor_vt p2pi_compressor_permk = {
    .size = sizeof(p2pi_compressor_vt),
    .entry = { "permk", "each node its own part of the entries", "arXiv:2110.03300", permk_options,
               sizeof(permk_param) },
    .family = 4,
    .sparsifier = &permk_sparsifier,
};
