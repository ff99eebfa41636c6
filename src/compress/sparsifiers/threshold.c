/*
 * threshold: keep the entries with |x_i| >= lambda times the scale of the round, or >= rel max |x|.
 *
 * Absolute: Delta^2 = d lambda^2 s^2, since what is lost is below lambda s each. Relative: contractive with
 * delta = 1 / (1 + (d - 1) rel^2), reached by one entry of 1 and the others just below rel.
 *
 * Dutta et al., arXiv:1911.08250; Sahu et al., arXiv:2108.00951.
 */
#include "compress/kernels/compress_kernels.h"
#include "compress/pipeline/pipeline_parts.h"

#include <math.h>

typedef struct {
    double lambda, rel;
    int64_t index, vt;
} threshold_param;

static p2p_status
threshold_open(p2pi_sparsifier *self, p2pi_arena *arena)
{
    const threshold_param *o = self->param;
    double d = (double)self->shape.dim;

    (void)arena;
    self->most = self->shape.dim;
    self->sent = 1;
    self->index = p2pi_option_index(o->index);
    self->real = p2pi_option_real(o->vt, self->shape.type);
    self->needs_scale = o->rel == 0;
    if (self->needs_scale)
        self->constants =
            (p2pi_part_constants){ P2P_ABSOLUTE | P2P_SPARSE, NAN, NAN, d * o->lambda * o->lambda, INFINITY };
    else
        self->constants =
            (p2pi_part_constants){ P2P_CONTRACTIVE | P2P_SPARSE, NAN, 1 / (1 + (d - 1) * o->rel * o->rel), NAN, NAN };
    return P2P_OK;
}

static size_t
threshold_pick(p2pi_sparsifier *self, p2p_view x, const p2p_env *env, uint32_t *index, double *factor)
{
    const threshold_param *o = self->param;
    double least = o->rel == 0 ? o->lambda * env->scale : o->rel * p2p_vec_norminf(x);

    (void)factor;
    return p2pi_reaching(x, least, index);
}

static const p2pi_sparsifier_vt threshold_sparsifier = { .open = threshold_open, .pick = threshold_pick };

static const p2p_option threshold_options[] = {
    { "lambda", P2P_OPT_REAL, "1", "(0", NULL, "least magnitude, times the scale of the round",
      offsetof(threshold_param, lambda) },
    { "rel", P2P_OPT_REAL, "0", "0", "1", "least share of the largest magnitude; 0: lambda instead",
      offsetof(threshold_param, rel) },
    P2PI_OPTION_INDEX(threshold_param, index),
    P2PI_OPTION_VT(threshold_param, vt),
    P2PI_OPTIONS_END
};

const p2pi_compressor_vt p2pi_compressor_threshold = {
    .size = sizeof(p2pi_compressor_vt),
    .entry = { "threshold", "keep what reaches a magnitude", "arXiv:2108.00951", threshold_options,
               sizeof(threshold_param) },
    .family = 7,
    .sparsifier = &threshold_sparsifier,
};
