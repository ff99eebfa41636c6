#include "compress/frames/reals_frame.h"

#include "compress/coding/varint.h"
#include "compress/kernels/compress_kernels.h"

#include <math.h>
#include <string.h>

enum { HEAD_MOST = P2PI_FRAME_HEAD + (P2PI_FRAME_PARAMS + 3) * P2PI_VARINT_MAX };

static p2pi_frame_head
head_of(const p2pi_reals_frame *f)
{
    return (p2pi_frame_head){ f->family, 0, f->flags, f->type, f->real, f->dim };
}

uint8_t *
p2pi_reals_frame_begin(const p2pi_reals_frame *f, uint8_t *buf)
{
    p2pi_frame_head head = head_of(f);
    uint8_t *at = buf + P2PI_FRAME_HEAD;

    at = p2pi_varint_write(at, f->params);
    for (size_t i = 0; i < f->params; i++)
        at = p2pi_varint_write(at, f->param[i]);
    at = p2pi_varint_write(at, 0);
    at = p2pi_varint_write(at, f->count);
    p2pi_frame_head_write(&head, (size_t)(at - buf) - P2PI_FRAME_HEAD + f->count * p2pi_real_bytes(f->real), buf);
    return at;
}

size_t
p2pi_reals_frame_bytes(const p2pi_reals_frame *f)
{
    uint8_t head[HEAD_MOST];

    return (size_t)(p2pi_reals_frame_begin(f, head) - head) + f->count * p2pi_real_bytes(f->real);
}

p2p_status
p2pi_reals_frame_write(const p2pi_reals_frame *f, p2p_view values, uint8_t *buf, size_t *len)
{
    uint8_t *at = p2pi_reals_frame_begin(f, buf);
    size_t stored = p2pi_reals_store(f->real, values, at);

    if (stored < values.dim)
        return p2pi_real_fits(f->real, INFINITY, "value", p2p_vec_get(values, stored));
    *len = p2pi_reals_frame_bytes(f);
    return P2P_OK;
}

/* There is one way to write what stands before the reals. */
p2p_status
p2pi_reals_frame_read(const p2pi_reals_frame *f, const uint8_t *buf, size_t len, p2p_vec values)
{
    uint8_t begin[HEAD_MOST];
    size_t before = (size_t)(p2pi_reals_frame_begin(f, begin) - begin), bad;
    p2pi_frame_head head = head_of(f);
    p2p_status st = p2pi_frame_head_check(&head, buf, len);

    if (st != P2P_OK)
        return st;
    if (len != p2pi_reals_frame_bytes(f))
        return p2p_fail(P2P_EPROTO, "message: %zu bytes: expected %zu", len, p2pi_reals_frame_bytes(f));
    for (size_t i = P2PI_FRAME_FLAGS; i < before; i++)
        if (buf[i] != begin[i])
            return p2p_fail(P2P_EPROTO, "message: byte %zu is 0x%02x: expected 0x%02x, as the configuration says", i,
                            buf[i], begin[i]);
    if ((bad = p2pi_reals_first_bad(f->real, buf + before, f->count, f->type)) < f->count)
        return p2p_fail(P2P_EPROTO, "message: value %zu is not finite", bad);
    p2pi_reals_load(f->real, buf + before, values);
    return P2P_OK;
}

void
p2pi_target_give(const p2pi_target *t, p2p_vec values)
{
    if (t->y.data == NULL)
        return;
    if (t->factor != 1)
        p2p_vec_scale(values, t->factor);
    if (t->add)
        p2p_vec_axpy(t->y, t->a, p2p_view_of(values));
    else
        p2p_vec_copy(t->y, p2p_view_of(values));
}

void
p2pi_target_scatter(const p2pi_target *t, const uint32_t *index, p2p_vec values)
{
    if (t->factor != 1)
        p2p_vec_scale(values, t->factor);
    if (t->add)
        p2pi_scatter_add(t->y, index, t->a, p2p_view_of(values));
    else
        p2pi_scatter(t->y, index, p2p_view_of(values));
}

p2p_status
p2pi_reals_stage_write(p2pi_real real, p2p_view values, uint8_t *buf)
{
    size_t stored = p2pi_reals_store(real, values, buf);

    return stored < values.dim ? p2pi_real_fits(real, INFINITY, "value", p2p_vec_get(values, stored)) : P2P_OK;
}

p2p_status
p2pi_reals_stage_mean(p2pi_real real, p2p_shape shape, const uint8_t *buf, p2p_vec mean)
{
    size_t bad = p2pi_reals_first_bad(real, buf, mean.dim, shape.type);

    if (bad < mean.dim)
        return p2p_fail(P2P_EPROTO, "reduced stage: sum %zu is not finite", bad);
    p2pi_reals_load(real, buf, mean);
    for (size_t i = 0; i < mean.dim; i++)
        p2p_vec_set(mean, i, p2p_vec_get(p2p_view_of(mean), i) / (double)shape.nodes);
    return P2P_OK;
}
