/*
 * Collective execution, for all-reduce rings and replicated hubs: every node emits a stage, the buffers of all are
 * reduced, every node absorbs the result, and in the end all hold the same vector. Compressors whose only stage is
 * P2PI_REDUCE_NONE have nothing but messages.
 *
 *     for stage 0 .. stages-1:   emit (all nodes)  ->  p2pi_stage_reduce over nodes  ->  absorb (all nodes)
 *     finish
 */
#ifndef P2PI_COLLECTIVE_H
#define P2PI_COLLECTIVE_H

#include "compress/compressor_table.h"

/** The opened scheme behind a compressor. */
p2pi_codec *p2pi_compressor_codec(p2p_compressor *self);

/** Stages of the round, before its first emit; *stages is owned by self. */
size_t p2pi_collective_stages(p2p_compressor *self, const p2p_env *env, const p2pi_stage **stages);

/** Most stages that any round has. */
size_t p2pi_collective_most(p2p_compressor *self);

/**
 * This node's part of a stage.
 *
 * @param x   dim entries, in stage 0; no data in later ones.
 * @param env of this node; seed, round, slot and scale are the same at all nodes.
 * @param buf the stage's bytes.
 * @return P2P_OK; P2P_EINVAL as p2p_compressor_encode; P2P_ENOTSUP for a stage of P2PI_REDUCE_NONE.
 */
p2p_status p2pi_collective_emit(p2p_compressor *self, size_t stage, p2p_view x, const p2p_env *env, uint8_t *buf);

/**
 * into = into op other, element by element. Sums of integers are the same in any order; sums of reals are not, so
 * that all nodes must add in one.
 *
 * @param from, count the elements to reduce: a ring reduces a segment at a time. Segments of integers start at
 *                    multiples of 8 elements, which are whole bytes.
 */
void p2pi_stage_reduce(const p2pi_stage *stage, p2p_dtype type, size_t from, size_t count, uint8_t *into,
                       const uint8_t *other);

/** What the reduction delivered; buf must stay until finish. P2P_EPROTO: no nodes can have sent what adds up to it.
 */
p2p_status p2pi_collective_absorb(p2p_compressor *self, size_t stage, const p2p_env *env, const uint8_t *buf);

/** y = what all nodes hold now, the mean of C(x) over nodes; residual = x - own C(x), or no data. */
p2p_status p2pi_collective_finish(p2p_compressor *self, const p2p_env *env, p2p_vec y, p2p_vec residual);

#endif
