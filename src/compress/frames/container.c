#include "compress/frames/container.h"

#include "compress/coding/varint.h"
#include "compress/operand.h"

#include <string.h>

size_t
p2pi_container_bound(size_t frames, size_t bytes)
{
    return P2PI_FRAME_HEAD + P2PI_VARINT_MAX + frames * (P2PI_VARINT_MAX + P2P_FRAME_EXTRA) + bytes;
}

static p2pi_frame_head
head_of(uint8_t family, const p2p_shape *shape)
{
    return (p2pi_frame_head){ family, 0, 0, shape->type, p2pi_real_of(shape->type), shape->dim };
}

p2pi_container_writer
p2pi_container_begin(uint8_t *buf, uint8_t family, const p2p_shape *shape, size_t frames)
{
    p2pi_container_writer w = { buf, p2pi_varint_write(buf + P2PI_FRAME_HEAD, frames), head_of(family, shape) };

    return w;
}

/* The frame is written behind the longest length, then moved to behind its own. */
p2p_status
p2pi_container_add(p2pi_container_writer *w, p2pi_codec *c, const p2p_env *env, const uint8_t *message, size_t len)
{
    uint8_t *frame = w->at + P2PI_VARINT_MAX;
    size_t frame_len;
    p2p_status st = p2pi_codec_frame(c, env, message, len, frame, &frame_len);

    if (st != P2P_OK)
        return st;
    w->at = p2pi_varint_write(w->at, frame_len);
    memmove(w->at, frame, frame_len);
    w->at += frame_len;
    return P2P_OK;
}

size_t
p2pi_container_end(p2pi_container_writer *w)
{
    size_t len = (size_t)(w->at - w->buf);

    p2pi_frame_head_write(&w->head, len - P2PI_FRAME_HEAD, w->buf);
    return len;
}

p2p_status
p2pi_container_open(p2pi_container_reader *r, const uint8_t *buf, size_t len, uint8_t family, const p2p_shape *shape,
                    size_t frames)
{
    p2pi_frame_head head = head_of(family, shape);
    p2p_status st = p2pi_frame_head_check(&head, buf, len);
    uint64_t count;

    *r = (p2pi_container_reader){ buf + P2PI_FRAME_HEAD, buf + len };
    if (st != P2P_OK)
        return st;
    if (buf[P2PI_FRAME_FLAGS] != 0)
        return p2p_fail(P2P_EPROTO, "container: flags 0x%02x: expected 0", buf[P2PI_FRAME_FLAGS]);
    if (!p2pi_varint_read(&r->at, r->end, UINT32_MAX, &count) || count != frames)
        return p2p_fail(P2P_EPROTO, "container: number of frames missing, or not the %zu of the configuration",
                        frames);
    return P2P_OK;
}

p2p_status
p2pi_container_next(p2pi_container_reader *r, p2pi_codec *c, const p2p_env *env, uint8_t *room, size_t *len)
{
    const uint8_t *frame;
    uint64_t bytes;

    if (!p2pi_varint_read(&r->at, r->end, UINT32_MAX, &bytes) || bytes > (uint64_t)(r->end - r->at))
        return p2p_fail(P2P_EPROTO, "container: a frame is cut short");
    frame = r->at;
    r->at += bytes;
    if (bytes > c->plan.bound + P2P_FRAME_EXTRA)
        return p2p_fail(P2P_EPROTO, "container: a frame of %llu bytes: expected at most %zu",
                        (unsigned long long)bytes, c->plan.bound + P2P_FRAME_EXTRA);
    return p2pi_codec_unframe(c, env, frame, (size_t)bytes, room, len);
}

p2p_status
p2pi_container_close(const p2pi_container_reader *r)
{
    return r->at == r->end ? P2P_OK : p2p_fail(P2P_EPROTO, "container: bytes are left over");
}
