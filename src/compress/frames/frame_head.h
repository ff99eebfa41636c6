/*
 * The 16 bytes that every frame begins with:
 *
 *     0 magic C5   1 version 1   2 family   3 inner family   4 element type | reals << 4   5 flags   6 0 0
 *     8 u32 dimension   12 u32 bytes of the body
 */
#ifndef P2PI_FRAME_HEAD_H
#define P2PI_FRAME_HEAD_H

#include "compress/kernels/reals.h"

enum { P2PI_FRAME_HEAD = 16, P2PI_FRAME_FLAGS = 5 /* where they stand */ };

typedef struct {
    uint8_t family, inner, flags;
    p2p_dtype type;
    p2pi_real real;
    size_t dim;
} p2pi_frame_head;

void p2pi_frame_head_write(const p2pi_frame_head *head, size_t body, uint8_t *buf);

/** Bytes of a frame, as the 16 at its beginning say, whatever they are. */
size_t p2pi_frame_head_length(const uint8_t *buf);

/** Whether a frame begins like this and has as many bytes as it says, whatever its flags; P2P_EPROTO. */
p2p_status p2pi_frame_head_check(const p2pi_frame_head *head, const uint8_t *frame, size_t len);

/** A frame whose body is the lean message itself, and back; no flags. P2P_EPROTO. */
void p2pi_frame_wrap(const p2pi_frame_head *head, const uint8_t *lean, size_t len, uint8_t *buf, size_t *frame_len);
p2p_status p2pi_frame_unwrap(const p2pi_frame_head *head, const uint8_t *frame, size_t len, uint8_t *buf,
                             size_t *lean_len);

#endif
