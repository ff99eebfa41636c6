/*
 * identity: every entry as a real. What everything else is measured against; with a narrower wire format the simplest
 * lossy compressor.
 */
#include "compress/pipeline/pipeline_parts.h"

#include <math.h>

typedef struct {
    int64_t vt;
} identity_param;

static p2p_status
identity_open(p2pi_sparsifier *self, p2pi_arena *arena)
{
    const identity_param *o = self->param;

    (void)arena;
    self->least = self->most = self->shape.dim;
    self->everything = 1;
    self->real = p2pi_option_real(o->vt, self->shape.type);
    self->constants =
        (p2pi_part_constants){ P2P_UNBIASED | P2P_CONTRACTIVE | P2P_LINEAR | P2P_LOSSLESS, 0, 1, NAN, NAN };
    return P2P_OK;
}

static const p2pi_sparsifier_vt identity_sparsifier = { .open = identity_open };

static const p2p_option identity_options[] = { P2PI_OPTION_VT(identity_param, vt), P2PI_OPTIONS_END };

const p2pi_compressor_vt p2pi_compressor_identity = {
    .size = sizeof(p2pi_compressor_vt),
    .entry = { "identity", "send every entry", "-", identity_options, sizeof(identity_param) },
    .family = 1,
    .sparsifier = &identity_sparsifier,
};
