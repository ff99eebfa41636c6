/* From a vector to a message: clean, pick, quantise, see whether it decodes to zero, write. */
#include "compress/pipeline/pipeline.h"

#include "compress/coding/varint.h"
#include "compress/kernels/compress_kernels.h"

#include <math.h>

static p2p_status
refuse_nonfinite(p2p_view x)
{
    size_t i = p2p_vec_first_nonfinite(x);

    return p2p_fail(P2P_EINVAL, "entry %zu is not finite (%g)", i, p2p_vec_get(x, i));
}

static p2p_status
clean(const p2pi_pipeline_work *p, p2p_view *x)
{
    int found = p2pi_scan(*x);

    if (found & P2PI_SCAN_NONFINITE)
        return refuse_nonfinite(*x);
    if (found & P2PI_SCAN_UNCLEAN) {
        p2p_vec copy = { p->clean, x->dim, x->type };

        p2pi_clean(*x, copy);
        *x = p2p_view_of(copy);
    }
    return P2P_OK;
}

static void
pick(p2pi_pipeline_work *p, p2p_view x, const p2p_env *env, p2pi_pipeline_content *m)
{
    p2p_vec kept = { p->value, 0, x.type };
    double factor = 1;

    m->flags = p->flags;
    m->n = x.dim;
    m->values = x;
    if (p->s == NULL || p->s->everything)
        return;
    m->n = kept.dim = p->s->vt->pick(p->s, x, env, p->index, &factor);
    p2pi_gather(x, p->index, factor, kept);
    m->values = p2p_view_of(kept);
}

/* A norm that the wire format or the decoder cannot hold is the caller's to mend. */
static p2p_status
measure(const p2pi_pipeline_work *p, const p2p_env *env, p2pi_pipeline_content *m)
{
    m->scales = p2pi_quantiser_scales(p->q, m->n);
    m->symbols = p2pi_quantiser_symbols(p->q, m->n);
    if (p->q->vt->measure != NULL)
        p->q->vt->measure(p->q, env, m->values, p->scale);
    for (size_t i = 0; i < m->scales; i++)
        if (!isfinite(p->scale[i]) || !isfinite(p2pi_quantiser_reach(p->q, p->scale[i])))
            return p2p_fail(P2P_EINVAL, "the norm of the entries does not fit a scale in %s for entries in %s",
                            p2pi_real_name(p->real), p2p_dtype_name(m->values.type));
    return P2P_OK;
}

p2p_status
p2pi_pipeline_prepare(p2pi_pipeline_work *p, p2p_view x, const p2p_env *env, p2pi_pipeline_content *m)
{
    p2p_status st;

    memset(m, 0, sizeof *m);
    if ((st = clean(p, &x)) != P2P_OK || (st = p2pi_pipeline_check_env(p, env)) != P2P_OK)
        return st;
    pick(p, x, env, m);
    return p->q != NULL && m->n > 0 ? measure(p, env, m) : P2P_OK;
}

size_t
p2pi_pipeline_symbols(const p2pi_pipeline_work *p, const p2p_env *env, const p2pi_pipeline_content *m, size_t at,
                      uint32_t *symbol)
{
    size_t n = m->symbols - at < P2PI_CHUNK ? m->symbols - at : P2PI_CHUNK;
    p2p_view part = { NULL, n, m->values.type };

    if (p->q->vt->restore == NULL)
        part = p2pi_part_of(m->values, at, n);
    p->q->vt->quantise(p->q, env, p->scale, at, part, symbol);
    return n;
}

void
p2pi_pipeline_quantise(const p2pi_pipeline_work *p, const p2p_env *env, const p2pi_pipeline_content *m)
{
    for (size_t at = 0; at < m->symbols;)
        at += p2pi_pipeline_symbols(p, env, m, at, p->symbol + at);
}

static int
reals_are_zero(const p2pi_pipeline_work *p, p2p_view values)
{
    for (size_t i = 0; i < values.dim; i++)
        if (p2pi_real_near(p->real, p2p_vec_get(values, i)) != 0)
            return 0;
    return 1;
}

/* Decodes until a value is not zero: usually one chunk. */
static int
codes_are_zero(const p2pi_pipeline_work *p, const p2p_env *env, const p2pi_pipeline_content *m)
{
    uint32_t symbol[P2PI_CHUNK];
    p2pi_chunk chunk;

    if (p->q->vt->restore != NULL) {
        p2pi_pipeline_quantise(p, env, m);
        return m->n == 0 || p2p_vec_norminf(p->q->vt->restore(p->q, env, p->scale, p->symbol, m->n)) == 0;
    }
    for (size_t at = 0, n; at < m->n; at += n) {
        p2p_vec v;

        n = p2pi_pipeline_symbols(p, env, m, at, symbol);
        v = p2pi_chunk_vec(&chunk, n, m->values.type);
        p->q->vt->dequantise(p->q, env, p->scale, symbol, at, v);
        if (p2p_vec_norminf(p2p_view_of(v)) != 0)
            return 0;
    }
    return 1;
}

/* ---- writing */

uint8_t *
p2pi_pipeline_write_head(const p2pi_pipeline_work *p, const p2pi_pipeline_content *m, uint8_t *at)
{
    *at++ = (uint8_t)m->flags;
    if (m->flags & P2PI_FLAG_SPARSE)
        at = p2pi_varint_write(at, m->n);
    for (size_t i = 0; p->q != NULL && m->n > 0 && i < p->q->sent_params; i++)
        at = p2pi_varint_write(at, p->q->param_value[p->q->params - p->q->sent_params + i]);
    for (size_t i = 0; i < m->scales; i++, at += p2pi_real_bytes(p->real))
        p2pi_real_store(p->real, p->scale[i], at);
    return at;
}

static p2p_status
write_reals(const p2pi_pipeline_work *p, const p2pi_pipeline_content *m, size_t dim, uint8_t *buf, size_t *len)
{
    uint8_t *at = p2pi_pipeline_write_head(p, m, buf);
    size_t stored;

    if ((m->flags & P2PI_FLAG_SPARSE) && m->n > 0) {
        p2pi_index_code code = p2pi_index_choose(p->index, m->n, dim, p->s->index);

        at = p2pi_index_write(at, p->index, m->n, dim, &code);
    }
    stored = p2pi_reals_store(p->real, m->values, at);
    if (stored < m->n)
        return p2pi_real_fits(p->real, INFINITY, "value", p2p_vec_get(m->values, stored));
    *len = (size_t)(at - buf) + m->n * p2pi_real_bytes(p->real);
    return P2P_OK;
}

p2p_status
p2pi_pipeline_encode(p2pi_codec *c, p2p_view x, const p2p_env *env, uint8_t *buf, size_t *len)
{
    p2pi_pipeline_work *p = c->work;
    p2pi_pipeline_content m;
    p2p_status st = p2pi_pipeline_prepare(p, x, env, &m);

    if (st != P2P_OK)
        return st;
    if (!p->fixed_layout && (p->q != NULL ? codes_are_zero(p, env, &m) : reals_are_zero(p, m.values))) {
        buf[0] = P2PI_FLAG_ZERO;
        *len = 1;
        return P2P_OK;
    }
    if (p->q == NULL)
        return write_reals(p, &m, x.dim, buf, len);
    if (!p2pi_pipeline_write_fields(p, env, &m, x.dim, buf, len))
        p2pi_pipeline_write_symbols(p, env, &m, x.dim, buf, len);
    return P2P_OK;
}
