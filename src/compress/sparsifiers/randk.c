/*
 * randk: keep k entries drawn uniformly without replacement. scale=1 multiplies them by d/k: unbiased, and the error
 * is exactly (d/k - 1) ||x||^2 in the mean; scale=0: contractive with exactly delta = k/d. Receivers that hold the
 * seed draw the same support, so that only values travel; shared=1 draws one support for all nodes, which makes it
 * linear.
 *
 * Wangni et al., arXiv:1710.09854; Konecny et al., arXiv:1610.05492.
 */
#include "compress/compress_draws.h"
#include "compress/pipeline/pipeline_parts.h"

#include <math.h>
#include <stdlib.h>

typedef struct {
    p2p_count k;
    int64_t scale, shared, draw, send, index, vt;
} randk_param;

static void
randk_constants(p2pi_sparsifier *self, const randk_param *o, double share)
{
    self->constants = (p2pi_part_constants){ P2P_SPARSE | P2P_RANDOM, NAN, NAN, NAN, NAN };
    if (!o->send)
        self->constants.traits |= P2P_SHARED;
    if (o->shared)
        self->constants.traits |= P2P_LINEAR;
    if (o->scale) {
        self->constants.traits |= P2P_UNBIASED;
        self->constants.omega = 1 / share - 1;
    } else {
        self->constants.traits |= P2P_CONTRACTIVE;
        self->constants.delta = share;
    }
}

enum { SHORT, WHOLE };

typedef struct {
    p2pi_subset subset;
    size_t *order; /* of a whole permutation; NULL: a part of it is enough */
} randk_work;

static p2p_status
randk_open(p2pi_sparsifier *self, p2pi_arena *arena)
{
    const randk_param *o = self->param;
    randk_work *work;
    size_t k = p2p_count_of(o->k, self->shape.dim);

    self->least = self->most = k;
    self->sent = (int)o->send;
    self->index = p2pi_option_index(o->index);
    if (!o->send && self->index != P2PI_INDEX_AUTO)
        return p2p_fail(P2P_EINVAL, "compressor \"randk\": index is for a support that travels: write send=1 too");
    self->real = p2pi_option_real(o->vt, self->shape.type);
    randk_constants(self, o, (double)k / (double)self->shape.dim);
    if ((self->work = work = p2pi_arena_take(arena, sizeof *work)) == NULL)
        return P2P_ENOMEM;
    if (o->draw == WHOLE && (work->order = p2pi_arena_array(arena, self->shape.dim, sizeof *work->order)) == NULL)
        return P2P_ENOMEM;
    return p2pi_subset_open(&work->subset, self->shape.dim, k, arena);
}

static int
ascending(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return (x > y) - (x < y);
}

static void
first_of_permutation(randk_work *work, p2p_random *r, size_t dim, size_t k, uint32_t *index)
{
    p2p_random_permutation(r, dim, work->order);
    for (size_t i = 0; i < k; i++)
        index[i] = (uint32_t)work->order[i];
    qsort(index, k, sizeof *index, ascending);
}

static size_t
randk_pick(p2pi_sparsifier *self, p2p_view x, const p2p_env *env, uint32_t *index, double *factor)
{
    const randk_param *o = self->param;
    p2p_random r = o->shared ? p2pi_draw_shared(env, self->comp) : p2pi_draw(env, self->comp);

    randk_work *work = self->work;

    if (work->order != NULL)
        first_of_permutation(work, &r, x.dim, self->most, index);
    else
        p2pi_subset_draw(&work->subset, &r, self->most, index);
    *factor = o->scale ? (double)x.dim / (double)self->most : 1;
    return self->most;
}

static const p2pi_sparsifier_vt randk_sparsifier = { .open = randk_open, .pick = randk_pick };

static const p2p_option randk_options[] = {
    { "k", P2P_OPT_COUNT, "1%", "1", "100%", "entries kept: a count, or a share of the dimension",
      offsetof(randk_param, k) },
    { "scale", P2P_OPT_BOOL, "1", NULL, NULL, "multiply by d/k: unbiased", offsetof(randk_param, scale) },
    { "shared", P2P_OPT_BOOL, "0", NULL, NULL, "one support for all nodes", offsetof(randk_param, shared) },
    { "draw", P2P_OPT_CHOICE, "short", "short|whole", NULL,
      "the last k entries of a permutation, drawn alone; or the first, drawn with all others",
      offsetof(randk_param, draw) },
    { "send", P2P_OPT_BOOL, "0", NULL, NULL, "send the support, for receivers without the seed",
      offsetof(randk_param, send) },
    P2PI_OPTION_INDEX(randk_param, index),
    P2PI_OPTION_VT(randk_param, vt),
    P2PI_OPTIONS_END
};

const p2pi_compressor_vt p2pi_compressor_randk = {
    .size = sizeof(p2pi_compressor_vt),
    .entry = { "randk", "keep k random entries", "arXiv:1710.09854", randk_options, sizeof(randk_param) },
    .family = 3,
    .sparsifier = &randk_sparsifier,
};
