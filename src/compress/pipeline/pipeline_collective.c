/*
 * Collective execution of linear compressors (identity, shared supports: a sum of reals) and additive ones (binary,
 * levels, unscaled signs: a sum of symbols in fields wide enough for all nodes). One stage.
 */
#include "compress/pipeline/pipeline.h"

#include "compress/frames/stage_fields.h"
#include "compress/kernels/compress_kernels.h"
#include "compress/kernels/fixed_width.h"

#include <math.h>
#include <string.h>

void
p2pi_pipeline_plan_stages(p2pi_codec *c)
{
    const p2pi_pipeline_work *p = c->work;
    p2pi_stage *s = &c->plan.stage[0];
    uint64_t largest = p->q != NULL ? (uint64_t)p->q->largest * c->shape.nodes : 0;

    c->plan.stages = 1;
    *s = (p2pi_stage){ P2PI_REDUCE_NONE, 0, 0, 0 };
    /* A support for one vector alone or of any size, symbols that are not one a value, a narrow wire format, fields
     * beyond 32 bits: messages only. */
    if (!p->fixed_layout || (p->q != NULL && p->q->vt->restore != NULL) ||
        (p->s != NULL && p->s->least < p->s->most) || p->flags & P2PI_FLAG_SPARSE || largest > UINT32_MAX ||
        (p->q == NULL && p->real != p2pi_real_of(c->shape.type)))
        return;
    *s = p->q != NULL ? p2pi_fields_stage(P2PI_REDUCE_SUM, p->most, (uint32_t)largest)
                      : (p2pi_stage){ P2PI_REDUCE_SUM, p->most, 0, p->most * p2p_dtype_size(c->shape.type) };
}

static size_t
chunk_at(size_t at, size_t count)
{
    return count - at < P2PI_CHUNK ? count - at : P2PI_CHUNK;
}

/* What adds up: symbols, or signed codes counted from the least. */
static const uint32_t *
summands(const p2pi_quantiser *q, const uint32_t *symbol, size_t n, uint32_t *shifted)
{
    if (!q->signed_codes)
        return symbol;
    for (size_t i = 0; i < n; i++)
        shifted[i] = q->largest / 2 + (symbol[i] >> 1 ^ (0 - (symbol[i] & 1)));
    return shifted;
}

static void
pack_symbols(const p2pi_pipeline_work *p, const p2pi_stage *s, uint8_t *buf)
{
    uint32_t shifted[P2PI_CHUNK];

    for (size_t at = 0; at < s->count; at += P2PI_CHUNK) {
        size_t n = chunk_at(at, s->count);

        p2pi_fields_put(s, at, n, summands(p->q, p->symbol + at, n, shifted), buf);
    }
}

p2p_status
p2pi_pipeline_emit(p2pi_codec *c, size_t stage, p2p_view x, const p2p_env *env, uint8_t *buf)
{
    p2pi_pipeline_work *p = c->work;
    p2p_vec kept = { p->clean, x.dim, x.type };
    p2pi_pipeline_content m;
    p2p_status st = p2pi_pipeline_prepare(p, x, env, &m);

    if (st != P2P_OK)
        return st;
    if (p->q != NULL) {
        p2pi_pipeline_quantise(p, env, &m);
        pack_symbols(p, &c->plan.stage[stage], buf);
    } else
        p2pi_reals_store(p->real, m.values, buf);
    /* x itself, for the residual. */
    p2pi_clean(x, kept);
    return P2P_OK;
}

static p2p_status
check_sums(const p2pi_codec *c, const p2pi_stage *s, const uint8_t *buf)
{
    const p2pi_pipeline_work *p = c->work;
    uint32_t sum[P2PI_CHUNK], largest = (uint32_t)(p->q->largest * c->shape.nodes), found;

    for (size_t at = 0; at < s->count; at += P2PI_CHUNK) {
        size_t n = chunk_at(at, s->count);

        p2pi_fields_get(s, at, n, buf, sum);
        if ((found = p2pi_largest_symbol(sum, n)) > largest)
            return p2p_fail(P2P_EPROTO, "reduced stage: a sum of symbols is %u: expected 0 to %u", found, largest);
    }
    return P2P_OK;
}

p2p_status
p2pi_pipeline_absorb(p2pi_codec *c, size_t stage, const p2p_env *env, const uint8_t *buf)
{
    p2pi_pipeline_work *p = c->work;
    const p2pi_stage *s = &c->plan.stage[stage];
    p2p_status st = P2P_OK;
    size_t bad;

    (void)env;
    if (p->q != NULL)
        st = check_sums(c, s, buf);
    else if ((bad = p2pi_reals_first_bad(p->real, buf, s->count, c->shape.type)) < s->count)
        st = p2p_fail(P2P_EPROTO, "reduced stage: sum %zu is not finite", bad);
    p->reduced = st == P2P_OK ? buf : NULL;
    return st;
}

/* Values at .. at + v.dim of the mean. */
static void
mean_values(const p2pi_codec *c, const p2p_env *env, size_t at, p2p_vec v)
{
    const p2pi_pipeline_work *p = c->work;
    const p2pi_stage *s = &c->plan.stage[0];
    const double nodes = (double)c->shape.nodes;
    uint32_t sum[P2PI_CHUNK];
    double offset, step;

    if (p->q == NULL) {
        p2pi_reals_load(p->real, p->reduced + at * p2pi_real_bytes(p->real), v);
        for (size_t i = 0; i < v.dim; i++)
            p2p_vec_set(v, i, p2p_vec_get(p2p_view_of(v), i) / nodes);
        return;
    }
    p2pi_fields_get(s, at, v.dim, p->reduced, sum);
    p->q->vt->affine(p->q, env, &offset, &step);
    for (size_t i = 0; i < v.dim; i++)
        p2p_vec_set(v, i, offset + step * (sum[i] / nodes));
}

/* This node's own contribution. */
static void
own_values(const p2pi_codec *c, const p2p_env *env, size_t at, p2p_vec v)
{
    const p2pi_pipeline_work *p = c->work;

    if (p->q != NULL)
        p->q->vt->dequantise(p->q, env, p->scale, p->symbol + at, at, v);
    else
        p2p_vec_copy(v,
                     p2pi_part_of((p2p_view){ p->s->everything ? p->clean : p->value, p->most, v.type }, at, v.dim));
}

/* y_(place) += a v, where the values at .. belong. */
static void
add_values(const p2pi_pipeline_work *p, p2p_vec y, size_t at, double a, p2p_vec v)
{
    p2p_vec part = { (char *)y.data + at * p2p_dtype_size(y.type), v.dim, y.type };

    if (p->s != NULL && !p->s->everything)
        p2pi_scatter_add(y, p->index + at, a, p2p_view_of(v));
    else
        p2p_vec_axpy(part, a, p2p_view_of(v));
}

p2p_status
p2pi_pipeline_finish(p2pi_codec *c, const p2p_env *env, p2p_vec y, p2p_vec residual)
{
    const p2pi_pipeline_work *p = c->work;
    p2p_view x = { p->clean, y.dim, y.type };
    p2pi_chunk chunk;

    if (p->reduced == NULL)
        return p2p_fail(P2P_EINVAL, "collective execution: finish before anything was absorbed");
    p2p_vec_zero(y);
    if (residual.data != NULL)
        p2p_vec_copy(residual, x);
    for (size_t at = 0; at < p->most; at += P2PI_CHUNK) {
        p2p_vec v = p2pi_chunk_vec(&chunk, chunk_at(at, p->most), y.type);

        mean_values(c, env, at, v);
        add_values(p, y, at, 1, v);
        if (residual.data != NULL) {
            own_values(c, env, at, v);
            add_values(p, residual, at, -1, v);
        }
    }
    return P2P_OK;
}
