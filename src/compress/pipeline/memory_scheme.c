#include "compress/pipeline/memory_scheme.h"

#include "compress/pipeline/pipeline.h"

#include <math.h>

p2p_status
p2pi_private_pipeline(p2pi_codec *c, p2pi_arena *arena, const p2pi_compressor_vt *picks,
                      const p2pi_compressor_vt *codes, void *own)
{
    p2pi_codec *inner = p2pi_arena_take(arena, sizeof *inner);
    p2p_status st;

    if (inner == NULL)
        return P2P_ENOMEM;
    inner->scheme = &p2pi_pipeline;
    inner->shape = c->shape;
    inner->comp = c->comp;
    inner->part[0] = (p2pi_choice){ picks, own };
    inner->part[1] = (p2pi_choice){ codes, own };
    if ((st = inner->scheme->plan(inner, arena)) != P2P_OK)
        return st;
    c->operand[0] = inner;
    c->plan = inner->plan;
    c->plan.moment = c->plan.gain = NAN;
    c->plan.constants.traits = P2P_STATEFUL | P2P_SPARSE;
    c->plan.constants.omega = c->plan.constants.delta = c->plan.constants.error2 = c->plan.constants.range = NAN;
    return P2P_OK;
}

p2p_status
p2pi_private_open(p2pi_sparsifier *self, p2pi_arena *arena)
{
    (void)arena;
    self->most = self->shape.dim;
    self->sent = 1;
    self->index = P2PI_INDEX_AUTO;
    self->constants = (p2pi_part_constants){ P2P_SPARSE, NAN, NAN, NAN, NAN };
    return P2P_OK;
}

p2p_status
p2pi_take_vector(p2p_vec *v, const p2pi_codec *c, p2pi_arena *arena)
{
    *v = (p2p_vec){ p2pi_arena_array(arena, c->shape.dim, p2p_dtype_size(c->shape.type)), c->shape.dim,
                    c->shape.type };
    return v->data != NULL ? P2P_OK : P2P_ENOMEM;
}

void
p2pi_keep_state(p2pi_codec *c, const char *name, p2p_vec value)
{
    c->plan.state[c->plan.states++] = (p2pi_codec_state){ name, value };
}
