/*
 * Frames of several frames: the head of every frame; varint number of frames; for each a varint length and the
 * frame.
 */
#ifndef P2PI_CONTAINER_H
#define P2PI_CONTAINER_H

#include "compress/compressor_table.h"
#include "compress/frames/frame_head.h"

/** Bytes of a container around frames of `bytes` together. */
size_t p2pi_container_bound(size_t frames, size_t bytes);

typedef struct {
    uint8_t *buf, *at;
    p2pi_frame_head head;
} p2pi_container_writer;

p2pi_container_writer p2pi_container_begin(uint8_t *buf, uint8_t family, const p2p_shape *shape, size_t frames);
/** Add a codec's message as a frame. */
p2p_status p2pi_container_add(p2pi_container_writer *w, p2pi_codec *c, const p2p_env *env, const uint8_t *message,
                              size_t len);
/** Bytes of the whole. */
size_t p2pi_container_end(p2pi_container_writer *w);

typedef struct {
    const uint8_t *at, *end;
} p2pi_container_reader;

/** Check what stands before the frames; P2P_EPROTO. */
p2p_status p2pi_container_open(p2pi_container_reader *r, const uint8_t *buf, size_t len, uint8_t family,
                               const p2p_shape *shape, size_t frames);
/** The next frame as a message of the codec; room has the frame's bytes. P2P_EPROTO. */
p2p_status p2pi_container_next(p2pi_container_reader *r, p2pi_codec *c, const p2p_env *env, uint8_t *room,
                               size_t *len);
/** P2P_EPROTO if there is more. */
p2p_status p2pi_container_close(const p2pi_container_reader *r);

#endif
