/* From a message to values: everything is read and checked into scratch first, then given to the target. */
#include "compress/pipeline/pipeline.h"

#include "compress/coding/varint.h"
#include "compress/frames/reals_frame.h"
#include "compress/kernels/compress_kernels.h"

#include <math.h>

/* What was read; scales, the support and most symbols are in the pipeline's scratch. */
typedef struct {
    int zero;
    size_t n;              /* values */
    size_t symbols;        /* that stand for them */
    const uint32_t *index; /* their places; NULL: 0 .. n-1 */
    const uint8_t *reals;  /* where no quantiser made symbols of them */
    p2pi_fields fields;    /* their symbols, if these were left in the message */
} message;

static p2p_status
refuse(const char *what)
{
    return p2p_fail(P2P_EPROTO, "message: %s", what);
}

static p2p_status
read_count(const p2pi_pipeline_work *p, const p2pi_codec *c, unsigned flags, const uint8_t **at, const uint8_t *end,
           size_t *n)
{
    size_t least = p->s != NULL && p->s->least > 1 ? p->s->least : 1;
    size_t most = p->s != NULL ? p->s->most : c->shape.dim - 1;
    uint64_t count;

    *n = p->most;
    if (!(flags & P2PI_FLAG_SPARSE))
        return P2P_OK;
    if (!p2pi_varint_read(at, end, most, &count) || count < least)
        return p2p_fail(P2P_EPROTO, "message: number of values missing or out of range: expected %zu to %zu", least,
                        most);
    *n = (size_t)count;
    return P2P_OK;
}

static p2p_status
read_params(const p2pi_pipeline_work *p, const uint8_t **at, const uint8_t *end, uint32_t *largest)
{
    p2pi_quantiser *q = p->q;
    uint64_t value;

    for (size_t i = q->params - q->sent_params; i < q->params; i++) {
        if (!p2pi_varint_read(at, end, UINT32_MAX, &value))
            return refuse("a parameter is cut short");
        q->param_value[i] = (uint32_t)value;
    }
    *largest = q->largest;
    return q->vt->accept == NULL || q->vt->accept(q, largest)
               ? P2P_OK
               : refuse("a parameter is beyond what the compressor has");
}

static p2p_status
read_scales(const p2pi_pipeline_work *p, const p2pi_codec *c, size_t n, int trusted, const uint8_t **at,
            const uint8_t *end)
{
    size_t scales = p2pi_quantiser_scales(p->q, p2pi_pipeline_inputs(p, c, n)), width = p2pi_real_bytes(p->real);

    if (scales > (size_t)(end - *at) / width)
        return refuse("scales are cut short");
    for (size_t i = 0; i < scales; i++, *at += width) {
        p->scale[i] = p2pi_real_load(p->real, *at);
        if (!trusted &&
            !((p->scale[i] >= 0 || p->q->signed_scales) && isfinite(p2pi_quantiser_reach(p->q, p->scale[i]))))
            return p2p_fail(P2P_EPROTO, "message: scale %zu is %g: expected a number%s within the range of %s", i,
                            p->scale[i], p->q->signed_scales ? "" : " of at least 0", p2p_dtype_name(c->shape.type));
    }
    return P2P_OK;
}

static p2p_status
read_reals(const p2pi_pipeline_work *p, size_t n, p2p_dtype type, int trusted, const uint8_t **at, const uint8_t *end)
{
    size_t left = (size_t)(end - *at), bad;

    if (n > left / p2pi_real_bytes(p->real))
        return refuse("values are cut short");
    if (!trusted && (bad = p2pi_reals_first_bad(p->real, *at, n, type)) < n)
        return p2p_fail(P2P_EPROTO, "message: value %zu is not finite", bad);
    *at += n * p2pi_real_bytes(p->real);
    return P2P_OK;
}

/* A part of the symbols, from where they are. */
static const uint32_t *
symbols_of(const p2pi_pipeline_work *p, const message *m, size_t at, size_t n, uint32_t *unpacked)
{
    if (m->fields.stream == NULL)
        return p->symbol + at;
    p2pi_fields_symbols(&m->fields, at, n, unpacked);
    return unpacked;
}

static p2p_status
check_symbols(const p2pi_pipeline_work *p, const message *m)
{
    uint32_t unpacked[P2PI_CHUNK];

    for (size_t at = 0; at < m->symbols; at += P2PI_CHUNK) {
        size_t n = m->symbols - at < P2PI_CHUNK ? m->symbols - at : P2PI_CHUNK;
        const uint32_t *symbol = symbols_of(p, m, at, n, unpacked);
        size_t bad = p->q->vt->first_bad(p->q, symbol, n);

        if (bad < n)
            return p2p_fail(P2P_EPROTO, "message: symbol %zu is %u, which no value has", at + bad, symbol[bad]);
    }
    return P2P_OK;
}

/* Symbols of fixed width stay where they are, unless the dense list must be made of them. */
static p2p_status
read_symbols(const p2pi_pipeline_work *p, int dense_support, uint32_t largest, int trusted, const uint8_t **at,
             const uint8_t *end, message *m)
{
    p2p_status st = P2P_OK;

    m->symbols = p2pi_quantiser_symbols(p->q, m->n);
    if (!dense_support && p->q->vt->restore == NULL)
        st = p2pi_value_fields(at, end, m->symbols, largest, trusted, &m->fields);
    if (st == P2P_OK && m->fields.stream == NULL)
        st = p2pi_value_read(at, end, m->symbols, largest - (uint32_t)dense_support, p->symbol);
    return st == P2P_OK && !trusted && p->q->vt->first_bad != NULL ? check_symbols(p, m) : st;
}

static p2p_status
read_body(p2pi_pipeline_work *p, const p2pi_codec *c, const p2p_env *env, unsigned flags, const uint8_t *at,
          const uint8_t *end, int trusted, message *m)
{
    int dense_support = p->s == NULL && (flags & P2PI_FLAG_SPARSE);
    uint32_t largest = 0;
    p2p_status st;
    double factor;

    if ((st = read_count(p, c, flags, &at, end, &m->n)) != P2P_OK)
        return st;
    if (p->s != NULL && !p->s->sent && !p->s->everything) {
        p2p_view none = { NULL, c->shape.dim, c->shape.type };

        m->n = p->s->vt->pick(p->s, none, env, p->index, &factor);
    }
    if (p->q != NULL && m->n > 0 && (st = read_params(p, &at, end, &largest)) != P2P_OK)
        return st;
    if (p->q != NULL && (st = read_scales(p, c, m->n, trusted, &at, end)) != P2P_OK)
        return st;
    if ((flags & P2PI_FLAG_SPARSE) && (st = p2pi_index_read(&at, end, m->n, c->shape.dim, p->index)) != P2P_OK)
        return st;
    m->index = p->s != NULL && !p->s->everything ? p->index : NULL;
    m->reals = at;
    if (p->q == NULL)
        st = read_reals(p, m->n, c->shape.type, trusted, &at, end);
    else if (m->n > 0)
        st = read_symbols(p, dense_support, largest, trusted, &at, end, m);
    if (st != P2P_OK)
        return st;
    if (at != end)
        return refuse("bytes are left over");
    if (dense_support) {
        p2pi_symbols_expand(p->symbol, p->index, m->n, c->shape.dim);
        m->n = c->shape.dim;
    }
    return P2P_OK;
}

p2p_status
p2pi_pipeline_check_flags(const p2pi_pipeline_work *p, unsigned flags)
{
    int zero = flags == P2PI_FLAG_ZERO && !p->fixed_layout;
    int sparse_form = p->sparse_form && flags == (p->flags | P2PI_FLAG_SPARSE);

    if (flags == p->flags || zero || sparse_form)
        return P2P_OK;
    return p2p_fail(P2P_EPROTO, "message: flags 0x%02x: expected 0x%02x%s", flags, p->flags,
                    p->fixed_layout ? "" : " or 0x08 (zero)");
}

static p2p_status
read_message(p2pi_codec *c, const p2p_env *env, const uint8_t *buf, size_t len, int trusted, message *m)
{
    p2pi_pipeline_work *p = c->work;
    p2p_status st;

    if (len == 0)
        return refuse("empty");
    if ((st = p2pi_pipeline_check_flags(p, buf[0])) != P2P_OK)
        return st;
    m->zero = buf[0] == P2PI_FLAG_ZERO;
    if (m->zero)
        return len == 1 ? P2P_OK : refuse("bytes behind a zero vector");
    return read_body(p, c, env, buf[0], buf + 1, buf + len, trusted, m);
}

/* ---- giving */

static void
give_chunk(const p2pi_target *t, const uint32_t *index, size_t at, p2p_vec v)
{
    p2p_vec y = t->y;

    if (index != NULL) {
        p2pi_target_scatter(t, index + at, v);
        return;
    }
    if (t->factor != 1)
        p2p_vec_scale(v, t->factor);
    y.data = (char *)y.data + at * p2p_dtype_size(y.type);
    y.dim = v.dim;
    if (t->add)
        p2p_vec_axpy(y, t->a, p2p_view_of(v));
    else
        p2p_vec_copy(y, p2p_view_of(v));
}

static void
give(const p2pi_pipeline_work *p, const p2p_env *env, const message *m, const p2pi_target *t)
{
    size_t width = p2pi_real_bytes(p->real);
    uint32_t unpacked[P2PI_CHUNK];
    p2pi_chunk chunk;
    p2p_view all = { NULL, 0, t->y.type };

    if (p->q != NULL && p->q->vt->restore != NULL && m->n > 0)
        all = p->q->vt->restore(p->q, env, p->scale, p->symbol, m->n);

    if (!t->add && (m->zero || m->index != NULL))
        p2p_vec_zero(t->y);
    for (size_t at = 0; at < m->n; at += P2PI_CHUNK) {
        p2p_vec v = p2pi_chunk_vec(&chunk, m->n - at < P2PI_CHUNK ? m->n - at : P2PI_CHUNK, t->y.type);

        if (all.data != NULL)
            p2p_vec_copy(v, p2pi_part_of(all, at, v.dim));
        else if (p->q != NULL)
            p->q->vt->dequantise(p->q, env, p->scale, symbols_of(p, m, at, v.dim, unpacked), at, v);
        else
            p2pi_reals_load(p->real, m->reals + at * width, v);
        give_chunk(t, m->index, at, v);
    }
}

p2p_status
p2pi_pipeline_decode(p2pi_codec *c, const p2p_env *env, const uint8_t *buf, size_t len, const p2pi_target *t)
{
    p2pi_pipeline_work *p = c->work;
    message m = { 0 };
    p2p_status st;

    if ((st = p2pi_pipeline_check_env(p, env)) == P2P_OK &&
        (st = read_message(c, env, buf, len, t->trusted, &m)) == P2P_OK && t->y.data != NULL)
        give(p, env, &m, t);
    return st;
}
