/*
 * btopk, brandk: keep whole blocks of `block` consecutive entries (the last may be shorter), the k of largest sum of
 * squares or k at random. With B blocks, btopk is contractive with delta = k/B; brandk times B/k is unbiased with
 * omega = B/k - 1, unscaled contractive with delta = k/B. Indices within a block cost a bit each; brandk sends none.
 *
 * Vogels, Karimireddy, Jaggi, arXiv:1905.13727 (as a baseline).
 */
#include "compress/compress_draws.h"
#include "compress/kernels/compress_kernels.h"
#include "compress/kernels/top_selection.h"
#include "compress/pipeline/pipeline_parts.h"

#include <math.h>

typedef struct {
    p2p_count k;
    int64_t block, scale, shared, index, vt;
} block_param;

typedef struct {
    size_t block, blocks, kept;
    uint32_t *chosen; /* kept blocks, ascending */
    double *energy;   /* of each block */
    p2pi_top top;
    p2pi_subset subset;
} blocks;

static p2p_status
open_blocks(p2pi_sparsifier *self, p2pi_arena *arena)
{
    const block_param *o = self->param;
    size_t d = self->shape.dim, last;
    blocks *w = p2pi_arena_take(arena, sizeof *w);

    if (w == NULL)
        return P2P_ENOMEM;
    self->work = w;
    w->block = (size_t)o->block;
    w->blocks = (d - 1) / w->block + 1;
    w->kept = p2p_count_of(o->k, w->blocks);
    last = d - (w->blocks - 1) * w->block;
    self->least = (w->kept - 1) * w->block + last;
    self->most = w->kept < w->blocks ? w->kept * w->block : d;
    self->real = p2pi_option_real(o->vt, self->shape.type);
    w->chosen = p2pi_arena_array(arena, w->kept, sizeof *w->chosen);
    return w->chosen != NULL ? P2P_OK : P2P_ENOMEM;
}

static size_t
entries_of(const blocks *w, size_t d, uint32_t *index)
{
    size_t n = 0;

    for (size_t j = 0; j < w->kept; j++) {
        size_t begin = w->chosen[j] * w->block, end = begin + w->block < d ? begin + w->block : d;

        for (size_t i = begin; i < end; i++)
            index[n++] = (uint32_t)i;
    }
    return n;
}

/* ---- btopk */

static p2p_status
btopk_open(p2pi_sparsifier *self, p2pi_arena *arena)
{
    const block_param *o = self->param;
    p2p_status st = open_blocks(self, arena);
    blocks *w = self->work;

    if (st != P2P_OK)
        return st;
    self->sent = 1;
    self->index = p2pi_option_index(o->index);
    self->constants =
        (p2pi_part_constants){ P2P_CONTRACTIVE | P2P_SPARSE, NAN, (double)w->kept / (double)w->blocks, NAN, NAN };
    if ((w->energy = p2pi_arena_array(arena, w->blocks, sizeof *w->energy)) == NULL)
        return P2P_ENOMEM;
    return p2pi_top_open(&w->top, w->blocks, arena);
}

static size_t
btopk_pick(p2pi_sparsifier *self, p2p_view x, const p2p_env *env, uint32_t *index, double *factor)
{
    blocks *w = self->work;

    (void)env;
    (void)factor;
    for (size_t b = 0; b < w->blocks; b++) {
        size_t begin = b * w->block;
        p2p_view part = p2pi_part_of(x, begin, x.dim - begin < w->block ? x.dim - begin : w->block);

        w->energy[b] = p2p_vec_dot(part, part);
    }
    p2pi_top_select(&w->top, (p2p_view){ w->energy, w->blocks, P2P_F64 }, w->kept, w->chosen);
    return entries_of(w, x.dim, index);
}

/* ---- brandk */

static p2p_status
brandk_open(p2pi_sparsifier *self, p2pi_arena *arena)
{
    const block_param *o = self->param;
    p2p_status st = open_blocks(self, arena);
    blocks *w = self->work;

    if (st != P2P_OK)
        return st;
    self->constants = (p2pi_part_constants){ P2P_SPARSE | P2P_RANDOM | P2P_SHARED, NAN, NAN, NAN, NAN };
    if (o->shared)
        self->constants.traits |= P2P_LINEAR;
    if (o->scale) {
        self->constants.traits |= P2P_UNBIASED;
        self->constants.omega = (double)w->blocks / (double)w->kept - 1;
    } else {
        self->constants.traits |= P2P_CONTRACTIVE;
        self->constants.delta = (double)w->kept / (double)w->blocks;
    }
    return p2pi_subset_open(&w->subset, w->blocks, w->kept, arena);
}

static size_t
brandk_pick(p2pi_sparsifier *self, p2p_view x, const p2p_env *env, uint32_t *index, double *factor)
{
    const block_param *o = self->param;
    blocks *w = self->work;
    p2p_random r = o->shared ? p2pi_draw_shared(env, self->comp) : p2pi_draw(env, self->comp);

    p2pi_subset_draw(&w->subset, &r, w->kept, w->chosen);
    *factor = o->scale ? (double)w->blocks / (double)w->kept : 1;
    return entries_of(w, x.dim, index);
}

#define OPTION_BLOCK                                                                                                 \
    {                                                                                                                \
        "block", P2P_OPT_INT, "16", "1", "16777216", "entries of a block", offsetof(block_param, block)              \
    }
#define OPTION_KEPT                                                                                                  \
    {                                                                                                                \
        "k", P2P_OPT_COUNT, "10%", "1", "100%", "blocks kept: a count, or a share of them", offsetof(block_param, k) \
    }

static const p2pi_sparsifier_vt btopk_sparsifier = { .open = btopk_open, .pick = btopk_pick };
static const p2pi_sparsifier_vt brandk_sparsifier = { .open = brandk_open, .pick = brandk_pick };

static const p2p_option btopk_options[] = { OPTION_BLOCK, OPTION_KEPT, P2PI_OPTION_INDEX(block_param, index),
                                            P2PI_OPTION_VT(block_param, vt), P2PI_OPTIONS_END };

static const p2p_option brandk_options[] = {
    OPTION_BLOCK,
    OPTION_KEPT,
    { "scale", P2P_OPT_BOOL, "1", NULL, NULL, "multiply by blocks/k: unbiased", offsetof(block_param, scale) },
    { "shared", P2P_OPT_BOOL, "0", NULL, NULL, "the same blocks for all nodes", offsetof(block_param, shared) },
    P2PI_OPTION_VT(block_param, vt),
    P2PI_OPTIONS_END
};

const p2pi_compressor_vt p2pi_compressor_btopk = {
    .size = sizeof(p2pi_compressor_vt),
    .entry = { "btopk", "keep the k blocks of largest norm", "arXiv:1905.13727", btopk_options, sizeof(block_param) },
    .family = 5,
    .sparsifier = &btopk_sparsifier,
};

const p2pi_compressor_vt p2pi_compressor_brandk = {
    .size = sizeof(p2pi_compressor_vt),
    .entry = { "brandk", "keep k random blocks", "arXiv:1905.13727", brandk_options, sizeof(block_param) },
    .family = 6,
    .sparsifier = &brandk_sparsifier,
};
