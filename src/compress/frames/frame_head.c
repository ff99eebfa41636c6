#include "compress/frames/frame_head.h"

#include "base/cursor.h"

#include <string.h>

enum { MAGIC = 0xC5, VERSION = 1 };

static unsigned
types_of(const p2pi_frame_head *head)
{
    return (unsigned)head->type | (unsigned)head->real << 4;
}

void
p2pi_frame_head_write(const p2pi_frame_head *head, size_t body, uint8_t *buf)
{
    p2pi_writer w = p2pi_writer_of(buf, P2PI_FRAME_HEAD);

    p2pi_write_uint(&w, MAGIC, 1);
    p2pi_write_uint(&w, VERSION, 1);
    p2pi_write_uint(&w, head->family, 1);
    p2pi_write_uint(&w, head->inner, 1);
    p2pi_write_uint(&w, types_of(head), 1);
    p2pi_write_uint(&w, head->flags, 1);
    p2pi_write_uint(&w, 0, 2);
    p2pi_write_uint(&w, head->dim, 4);
    p2pi_write_uint(&w, body, 4);
}

size_t
p2pi_frame_head_length(const uint8_t *buf)
{
    p2pi_reader r = p2pi_reader_of(buf + P2PI_FRAME_HEAD - 4, 4);

    return P2PI_FRAME_HEAD + (size_t)p2pi_read_uint(&r, 4);
}

p2p_status
p2pi_frame_head_check(const p2pi_frame_head *head, const uint8_t *frame, size_t len)
{
    p2pi_reader r = p2pi_reader_of(frame, len);
    unsigned magic = (unsigned)p2pi_read_uint(&r, 1), version = (unsigned)p2pi_read_uint(&r, 1);
    unsigned family = (unsigned)p2pi_read_uint(&r, 1), inner = (unsigned)p2pi_read_uint(&r, 1);
    unsigned types = (unsigned)p2pi_read_uint(&r, 1), reserved = (unsigned)(p2pi_read_uint(&r, 3) >> 8);
    uint64_t dim = p2pi_read_uint(&r, 4), body = p2pi_read_uint(&r, 4);

    if (r.failed)
        return p2p_fail(P2P_EPROTO, "frame: shorter than its header of %d bytes", P2PI_FRAME_HEAD);
    if (magic != MAGIC || version != VERSION || reserved != 0)
        return p2p_fail(P2P_EPROTO, "frame: starts %02x %02x: not a frame of version 1", magic, version);
    if (body != p2pi_reader_left(&r))
        return p2p_fail(P2P_EPROTO, "frame: has %zu bytes behind its header, which says %llu", p2pi_reader_left(&r),
                        (unsigned long long)body);
    if (dim != head->dim)
        return p2p_fail(P2P_EPROTO, "frame: dimension %llu: expected %zu", (unsigned long long)dim, head->dim);
    if (family != head->family || inner != head->inner)
        return p2p_fail(P2P_EPROTO, "frame: family %u with %u inside: expected %u with %u", family, inner,
                        head->family, head->inner);
    if (types != types_of(head))
        return p2p_fail(P2P_EPROTO, "frame: types 0x%02x: expected 0x%02x (%s entries, %s reals)", types,
                        types_of(head), p2p_dtype_name(head->type), p2pi_real_name(head->real));
    return P2P_OK;
}

void
p2pi_frame_wrap(const p2pi_frame_head *head, const uint8_t *lean, size_t len, uint8_t *buf, size_t *frame_len)
{
    p2pi_frame_head_write(head, len, buf);
    memcpy(buf + P2PI_FRAME_HEAD, lean, len);
    *frame_len = P2PI_FRAME_HEAD + len;
}

p2p_status
p2pi_frame_unwrap(const p2pi_frame_head *head, const uint8_t *frame, size_t len, uint8_t *buf, size_t *lean_len)
{
    p2p_status st = p2pi_frame_head_check(head, frame, len);

    if (st == P2P_OK && frame[P2PI_FRAME_FLAGS] != head->flags)
        st = p2p_fail(P2P_EPROTO, "frame: flags 0x%02x: expected 0x%02x", frame[P2PI_FRAME_FLAGS], head->flags);
    if (st != P2P_OK)
        return st;
    *lean_len = len - P2PI_FRAME_HEAD;
    memcpy(buf, frame + P2PI_FRAME_HEAD, *lean_len);
    return P2P_OK;
}
