/*
 * topk: keep the k entries of largest magnitude; ties go to the lower index, zeros of the lowest indices fill up.
 *
 * Contractive with delta = k/d, tight on equal magnitudes: the entries that are dropped have at most the mean energy.
 *
 * Alistarh et al., arXiv:1809.10505; Stich, Cordonnier, Jaggi, arXiv:1809.07599; Aji, Heafield, arXiv:1704.05021.
 */
#include "compress/kernels/top_selection.h"
#include "compress/pipeline/pipeline_parts.h"

#include <math.h>

typedef struct {
    p2p_count k;
    int64_t index, vt;
} topk_param;

static p2p_status
topk_open(p2pi_sparsifier *self, p2pi_arena *arena)
{
    const topk_param *o = self->param;
    size_t k = p2p_count_of(o->k, self->shape.dim);

    self->least = self->most = k;
    self->sent = 1;
    self->index = p2pi_option_index(o->index);
    self->real = p2pi_option_real(o->vt, self->shape.type);
    self->constants =
        (p2pi_part_constants){ P2P_CONTRACTIVE | P2P_SPARSE, NAN, (double)k / (double)self->shape.dim, NAN, NAN };
    if ((self->work = p2pi_arena_take(arena, sizeof(p2pi_top))) == NULL)
        return P2P_ENOMEM;
    return p2pi_top_open(self->work, self->shape.dim, arena);
}

static size_t
topk_pick(p2pi_sparsifier *self, p2p_view x, const p2p_env *env, uint32_t *index, double *factor)
{
    (void)env;
    (void)factor;
    p2pi_top_select(self->work, x, self->most, index);
    return self->most;
}

static const p2pi_sparsifier_vt topk_sparsifier = { .open = topk_open, .pick = topk_pick };

static const p2p_option topk_options[] = { { "k", P2P_OPT_COUNT, "1%", "1", "100%",
                                             "entries kept: a count, or a share of the dimension",
                                             offsetof(topk_param, k) },
                                           P2PI_OPTION_INDEX(topk_param, index),
                                           P2PI_OPTION_VT(topk_param, vt),
                                           P2PI_OPTIONS_END };

const p2pi_compressor_vt p2pi_compressor_topk = {
    .size = sizeof(p2pi_compressor_vt),
    .entry = { "topk", "keep the k entries of largest magnitude", "arXiv:1809.07599", topk_options,
               sizeof(topk_param) },
    .family = 2,
    .sparsifier = &topk_sparsifier,
};
