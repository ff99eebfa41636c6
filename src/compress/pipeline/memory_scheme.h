/*
 * What schemes with a memory share: vectors of the codec's shape, entries of the plan, and a pipeline of two private
 * parts for those that pick by a rule of their own what to send of what they owe.
 */
#ifndef P2PI_MEMORY_SCHEME_H
#define P2PI_MEMORY_SCHEME_H

#include "compress/pipeline/pipeline_parts.h"

/**
 * Open the pipeline of two private parts as the codec's operand, with `own` as their parameter, and take its plan,
 * with no constants and no state.
 */
p2p_status p2pi_private_pipeline(p2pi_codec *c, p2pi_arena *arena, const p2pi_compressor_vt *picks,
                                 const p2pi_compressor_vt *codes, void *own);

/** What the private sparsifier opens with: any number of entries, whose indices travel. */
p2p_status p2pi_private_open(p2pi_sparsifier *self, p2pi_arena *arena);

/** A vector of the codec's shape and type, zero. */
p2p_status p2pi_take_vector(p2p_vec *v, const p2pi_codec *c, p2pi_arena *arena);

/** Add a state entry to the plan. */
void p2pi_keep_state(p2pi_codec *c, const char *name, p2p_vec value);

#endif
