/*
 * The self-describing frame: its head, then the lean form with what the configuration implies filled in.
 *
 *     varint np, np parameters; varint ns, ns scales; varint n; index section; value section or reals
 */
#include "compress/pipeline/pipeline.h"

#include "compress/coding/varint.h"
#include "compress/frames/frame_head.h"

static p2p_status
refuse(const char *what)
{
    return p2p_fail(P2P_EPROTO, "frame: %s", what);
}

static p2pi_frame_head
head_of(const p2pi_pipeline_work *p, const p2pi_codec *c, unsigned flags)
{
    return (p2pi_frame_head){ p->family, p->inner, (uint8_t)flags, c->shape.type, p->real, c->shape.dim };
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
    uint8_t *at = buf + P2PI_FRAME_HEAD;
    p2pi_frame_head head;
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
    head = head_of(p, c, lean[0]);
    p2pi_frame_head_write(&head, (size_t)(at - buf) - P2PI_FRAME_HEAD, buf);
    *frame_len = (size_t)(at - buf);
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
    p2pi_frame_head head = head_of(p, c, 0);
    p2p_status st = p2pi_frame_head_check(&head, frame, len);

    if (st != P2P_OK || (st = p2pi_pipeline_check_flags(p, frame[P2PI_FRAME_FLAGS])) != P2P_OK)
        return st;
    if (frame[P2PI_FRAME_FLAGS] & P2PI_FLAG_ZERO) {
        if (len != P2PI_FRAME_HEAD)
            return refuse("a body behind a zero vector");
        buf[0] = P2PI_FLAG_ZERO;
        *lean_len = 1;
        return P2P_OK;
    }
    return strip_body(p, c, env, frame[P2PI_FRAME_FLAGS], frame + P2PI_FRAME_HEAD, frame + len, buf, lean_len);
}
