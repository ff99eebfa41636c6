/*
 * The self-describing frame: 16 bytes of header, then the lean form with what the configuration implies filled in.
 *
 *     0 magic C5   1 version 1   2 family   3 inner family   4 element type | reals << 4   5 flags   6 0 0
 *     8 u32 dimension   12 u32 bytes of the body
 *     body: varint np, np parameters; varint ns, ns scales; varint n; index section; value section or reals
 */
#include "compress/pipeline.h"

#include "base/cursor.h"
#include "compress/varint.h"

enum { MAGIC = 0xC5, VERSION = 1, HEADER = 16 };

static p2p_status
refuse(const char *what)
{
    return p2p_fail(P2P_EPROTO, "frame: %s", what);
}

static void
write_header(const p2pi_pipeline_work *p, const p2pi_codec *c, unsigned flags, size_t body, uint8_t *buf)
{
    p2pi_writer w = p2pi_writer_of(buf, HEADER);

    p2pi_write_uint(&w, MAGIC, 1);
    p2pi_write_uint(&w, VERSION, 1);
    p2pi_write_uint(&w, p->family, 1);
    p2pi_write_uint(&w, p->inner, 1);
    p2pi_write_uint(&w, (unsigned)c->shape.type | (unsigned)p->real << 4, 1);
    p2pi_write_uint(&w, flags, 1);
    p2pi_write_uint(&w, 0, 2);
    p2pi_write_uint(&w, c->shape.dim, 4);
    p2pi_write_uint(&w, body, 4);
}

/* Numbers that the configuration implies for a message, n of which stand before its values. */
typedef struct {
    size_t params, scales, n;
} implied;

/* Values where the message does not tell: all entries, or the support that env gives. */
static size_t
implied_values(p2pi_pipeline_work *p, const p2pi_codec *c, const p2p_env *env)
{
    p2p_view none = { NULL, c->shape.dim, c->shape.type };
    double factor;

    if (p->s == NULL || p->s->everything)
        return c->shape.dim;
    return p->s->vt->pick(p->s, none, env, p->index, &factor);
}

/* n is what a message with a support says of itself. */
static implied
implied_by(p2pi_pipeline_work *p, const p2pi_codec *c, const p2p_env *env, unsigned flags, size_t n)
{
    size_t values = flags & P2PI_FLAG_SPARSE ? n : implied_values(p, c, env);
    size_t inputs = p2pi_pipeline_inputs(p, c, values);
    implied i = { 0, 0, values };

    if (p->q != NULL && inputs > 0) {
        i.params = p->q->params;
        i.scales = p2pi_quantiser_scales(p->q, inputs);
        i.n = flags & P2PI_FLAG_SPARSE ? n : p2pi_quantiser_symbols(p->q, values);
    }
    return i;
}

p2p_status
p2pi_pipeline_frame(p2pi_codec *c, const p2p_env *env, const uint8_t *lean, size_t len, uint8_t *buf,
                    size_t *frame_len)
{
    p2pi_pipeline_work *p = c->work;
    const uint8_t *from = lean + 1, *end = lean + len;
    uint8_t *at = buf + HEADER;
    uint64_t n = 0;
    implied i;

    if (!(lean[0] & P2PI_FLAG_ZERO)) {
        if ((lean[0] & P2PI_FLAG_SPARSE) && !p2pi_varint_read(&from, end, UINT32_MAX, &n))
            return refuse("the lean form has no number of values");
        i = implied_by(p, c, env, lean[0], (size_t)n);
        at = p2pi_varint_write(at, i.params);
        for (size_t j = 0; j < i.params; j++) {
            uint64_t value = p->q->param_value[j];

            if (j >= i.params - p->q->sent_params && !p2pi_varint_read(&from, end, UINT32_MAX, &value))
                return refuse("the lean form has no parameter");
            at = p2pi_varint_write(at, value);
        }
        at = p2pi_varint_write(at, i.scales);
        memcpy(at, from, i.scales * p2pi_real_bytes(p->real));
        at += i.scales * p2pi_real_bytes(p->real);
        from += i.scales * p2pi_real_bytes(p->real);
        at = p2pi_varint_write(at, i.n);
        memcpy(at, from, (size_t)(end - from));
        at += end - from;
    }
    write_header(p, c, lean[0], (size_t)(at - buf) - HEADER, buf);
    *frame_len = (size_t)(at - buf);
    return P2P_OK;
}

/* The header, against what this configuration writes. */
static p2p_status
check_header(const p2pi_pipeline_work *p, const p2pi_codec *c, const uint8_t *frame, size_t len)
{
    p2pi_reader r = p2pi_reader_of(frame, len);
    unsigned magic = (unsigned)p2pi_read_uint(&r, 1), version = (unsigned)p2pi_read_uint(&r, 1);
    unsigned family = (unsigned)p2pi_read_uint(&r, 1), inner = (unsigned)p2pi_read_uint(&r, 1);
    unsigned types = (unsigned)p2pi_read_uint(&r, 1);
    /* The flags are checked with the message. */
    unsigned reserved = (unsigned)(p2pi_read_uint(&r, 3) >> 8);
    uint64_t dim = p2pi_read_uint(&r, 4), body = p2pi_read_uint(&r, 4);

    if (r.failed)
        return refuse("shorter than its header of 16 bytes");
    if (magic != MAGIC || version != VERSION || reserved != 0)
        return p2p_fail(P2P_EPROTO, "frame: starts %02x %02x: not a frame of version 1", magic, version);
    if (body != p2pi_reader_left(&r))
        return p2p_fail(P2P_EPROTO, "frame: has %zu bytes behind its header, which says %llu", p2pi_reader_left(&r),
                        (unsigned long long)body);
    if (dim != c->shape.dim)
        return p2p_fail(P2P_EPROTO, "frame: dimension %llu: expected %zu", (unsigned long long)dim, c->shape.dim);
    if (family != p->family || inner != p->inner)
        return p2p_fail(P2P_EPROTO, "frame: family %u with %u inside: expected %u with %u", family, inner, p->family,
                        p->inner);
    if (types != ((unsigned)c->shape.type | (unsigned)p->real << 4))
        return p2p_fail(P2P_EPROTO, "frame: types 0x%02x: expected 0x%02x (%s entries, %s reals)", types,
                        (unsigned)c->shape.type | (unsigned)p->real << 4, p2p_dtype_name(c->shape.type),
                        p2pi_real_name(p->real));
    return P2P_OK;
}

/* Parameters and scales stand before the number of values that implies how many they are. */
static p2p_status
strip_body(p2pi_pipeline_work *p, p2pi_codec *c, const p2p_env *env, unsigned flags, const uint8_t *at,
           const uint8_t *end, uint8_t *buf, size_t *lean_len)
{
    const uint8_t *scale;
    uint64_t params, scales, n, value[P2PI_PARAMS_MAX];
    uint8_t *to = buf;
    size_t implied_params;
    implied i;

    if (!p2pi_varint_read(&at, end, P2PI_PARAMS_MAX, &params))
        return refuse("number of parameters missing or out of range");
    implied_params = p->q != NULL ? p->q->params - p->q->sent_params : 0;
    for (size_t j = 0; j < params; j++)
        if (!p2pi_varint_read(&at, end, UINT32_MAX, &value[j]) || p->q == NULL || j >= p->q->params ||
            (j < implied_params && value[j] != p->q->param_value[j]))
            return refuse("a parameter is not that of the configuration");
    /* At most two for a single entry (onebit). */
    if (!p2pi_varint_read(&at, end, 2 * (uint64_t)c->shape.dim, &scales) ||
        scales > (uint64_t)(end - at) / p2pi_real_bytes(p->real))
        return refuse("scales missing, too many, or cut short");
    scale = at;
    at += scales * p2pi_real_bytes(p->real);
    /* A quantiser may have up to twice as many symbols as there are entries (fosgd). */
    if (!p2pi_varint_read(&at, end, (flags & P2PI_FLAG_SPARSE ? 1 : 2) * (uint64_t)c->shape.dim, &n))
        return refuse("number of values missing or out of range");
    i = implied_by(p, c, env, flags, (size_t)n);
    if (i.params != params || i.scales != scales)
        return refuse("number of parameters or scales is not that of the configuration");
    if (n != i.n)
        return refuse("number of values is not that of the configuration");
    *to++ = (uint8_t)flags;
    if (flags & P2PI_FLAG_SPARSE)
        to = p2pi_varint_write(to, n);
    for (size_t j = implied_params; j < params; j++)
        to = p2pi_varint_write(to, value[j]);
    memcpy(to, scale, scales * p2pi_real_bytes(p->real));
    to += scales * p2pi_real_bytes(p->real);
    memcpy(to, at, (size_t)(end - at));
    *lean_len = (size_t)(to - buf) + (size_t)(end - at);
    return P2P_OK;
}

p2p_status
p2pi_pipeline_unframe(p2pi_codec *c, const p2p_env *env, const uint8_t *frame, size_t len, uint8_t *buf,
                      size_t *lean_len)
{
    p2pi_pipeline_work *p = c->work;
    p2p_status st = check_header(p, c, frame, len);

    if (st != P2P_OK || (st = p2pi_pipeline_check_flags(p, frame[5])) != P2P_OK)
        return st;
    if (frame[5] & P2PI_FLAG_ZERO) {
        if (len != HEADER)
            return refuse("a body behind a zero vector");
        buf[0] = P2PI_FLAG_ZERO;
        *lean_len = 1;
        return P2P_OK;
    }
    return strip_body(p, c, env, frame[5], frame + HEADER, frame + len, buf, lean_len);
}
