/*
 * Messages of schemes that send a fixed number of reals under a few parameters: frames as they are, in the full form.
 *
 *     the head of every frame; varint np, parameters; varint 0; varint n; n reals
 */
#ifndef P2PI_REALS_FRAME_H
#define P2PI_REALS_FRAME_H

#include "compress/compressor_table.h"
#include "compress/frames/frame_head.h"

enum { P2PI_FRAME_PARAMS = 4 };

/** All that such a message says beside its reals. */
typedef struct {
    uint8_t family, flags;
    p2p_dtype type;
    p2pi_real real;
    size_t dim;
    size_t params;
    uint32_t param[P2PI_FRAME_PARAMS];
    size_t count; /* reals */
} p2pi_reals_frame;

/** Bytes of the whole message. */
size_t p2pi_reals_frame_bytes(const p2pi_reals_frame *f);

/** Write what stands before the reals; returns where these go. */
uint8_t *p2pi_reals_frame_begin(const p2pi_reals_frame *f, uint8_t *buf);

/**
 * Write a message of the given values, count of them, rounded to the wire format.
 *
 * @return P2P_EINVAL for a value that does not fit it.
 */
p2p_status p2pi_reals_frame_write(const p2pi_reals_frame *f, p2p_view values, uint8_t *buf, size_t *len);

/** The values of a message, if it is exactly what f says and every real is finite as an entry; P2P_EPROTO. */
p2p_status p2pi_reals_frame_read(const p2pi_reals_frame *f, const uint8_t *buf, size_t len, p2p_vec values);

/*
 * The same reals in a stage of collective execution, without a head: written by each node, P2P_EINVAL for one that
 * does not fit; and their mean from the sum over the nodes, P2P_EPROTO for a sum that is not finite.
 */
p2p_status p2pi_reals_stage_write(p2pi_real real, p2p_view values, uint8_t *buf);
p2p_status p2pi_reals_stage_mean(p2pi_real real, p2p_shape shape, const uint8_t *buf, p2p_vec mean);

/** Give decoded values of a scheme to a target, scaled and added as it asks. */
void p2pi_target_give(const p2pi_target *t, p2p_vec values);

/** Give values of the entries `index` to it. A target that is not added to is zero before. Scales the values. */
void p2pi_target_scatter(const p2pi_target *t, const uint32_t *index, p2p_vec values);

#endif
