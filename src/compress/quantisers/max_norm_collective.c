/* maxnorm and multiscale over all nodes: the largest norm, the smallest scales, the sum of the codes. */
#include "compress/quantisers/max_norm.h"

#include "compress/frames/stage_fields.h"
#include "compress/kernels/compress_kernels.h"
#include "compress/kernels/fixed_width.h"

#include <math.h>
#include <string.h>

/* Sums that do not fit 32 bits: messages only. */
void
p2pi_max_norm_stages(p2pi_codec *c, const p2pi_max_norm *w)
{
    const uint64_t largest = 2 * (uint64_t)w->level[0] * c->shape.nodes;
    p2pi_stage *stage = c->plan.stage;

    c->plan.stages = 1;
    stage[0] = (p2pi_stage){ P2PI_REDUCE_NONE, 0, 0, 0 };
    if (largest > UINT32_MAX)
        return;
    stage[0] = (p2pi_stage){ P2PI_REDUCE_MAX, 1, 0, p2p_dtype_size(c->shape.type) };
    if (w->count > 1)
        stage[c->plan.stages++] = p2pi_fields_stage(P2PI_REDUCE_MIN, w->y.dim, (uint32_t)w->count - 1);
    stage[c->plan.stages++] = p2pi_fields_stage(P2PI_REDUCE_SUM, w->y.dim, (uint32_t)largest);
}

static size_t
part_at(const p2pi_max_norm *w, size_t at)
{
    return w->y.dim - at < P2PI_CHUNK ? w->y.dim - at : P2PI_CHUNK;
}

static p2p_status
emit_norm(p2pi_codec *c, p2p_view x, const p2p_env *env, uint8_t *buf)
{
    p2pi_max_norm *w = c->work;
    p2pi_pipeline_work *p = c->operand[0]->work;
    p2pi_pipeline_content m;
    p2p_status st = p2pi_pipeline_prepare(p, x, env, &m);

    w->sums = NULL;
    if (st != P2P_OK)
        return st;
    p2p_vec_copy(w->x, x);
    p2p_vec_copy(w->y, m.values);
    p2p_vec_set((p2p_vec){ buf, 1, x.type }, 0, p->scale[0]);
    return P2P_OK;
}

static void
emit_scales(const p2pi_max_norm *w, const p2pi_stage *stage, uint8_t *buf)
{
    uint32_t scale[P2PI_CHUNK];

    for (size_t at = 0, n; at < w->y.dim; at += n) {
        n = part_at(w, at);
        for (size_t i = 0; i < n; i++) {
            double v = fabs(p2p_vec_get(p2p_view_of(w->y), at + i));

            scale[i] = p2pi_max_norm_scale(w, w->norm > 0 ? v / w->norm : 0);
        }
        p2pi_fields_put(stage, at, n, scale, buf);
    }
}

/* Codes from 0: c + S_0. */
static void
emit_codes(p2pi_max_norm *w, const p2pi_stage *stage, const p2p_env *env, uint8_t *buf)
{
    uint32_t field[P2PI_CHUNK];

    for (size_t at = 0, n; at < w->y.dim; at += n) {
        n = part_at(w, at);
        p2pi_max_norm_quantise(w, env, w->norm, at, p2pi_part_of(p2p_view_of(w->y), at, n), w->scale + at,
                               w->scale + at, w->code + at);
        for (size_t i = 0; i < n; i++) {
            uint32_t code = w->code[at + i], magnitude = (code + 1) / 2;

            field[i] = code & 1 ? w->level[0] - magnitude : w->level[0] + magnitude;
        }
        p2pi_fields_put(stage, at, n, field, buf);
    }
}

p2p_status
p2pi_max_norm_emit(p2pi_codec *c, size_t stage, p2p_view x, const p2p_env *env, uint8_t *buf)
{
    p2pi_max_norm *w = c->work;

    if (stage == 0)
        return emit_norm(c, x, env, buf);
    if (stage + 1 < c->plan.stages)
        emit_scales(w, &c->plan.stage[stage], buf);
    else
        emit_codes(w, &c->plan.stage[stage], env, buf);
    return P2P_OK;
}

static p2p_status
absorb_norm(p2pi_max_norm *w, p2p_dtype type, const uint8_t *buf)
{
    double norm;
    p2p_vec one = { &norm, 1, type };

    memcpy(&norm, buf, p2p_dtype_size(type));
    w->norm = p2p_vec_get(p2p_view_of(one), 0);
    memset(w->scale, 0, w->y.dim * sizeof *w->scale);
    if (!(w->norm >= 0) || isinf(w->norm))
        return p2p_fail(P2P_EPROTO, "reduced stage: the largest norm is %g", w->norm);
    return P2P_OK;
}

/* Integers of a stage, none above the largest. */
static p2p_status
take_fields(const p2pi_max_norm *w, const p2pi_stage *stage, const uint8_t *buf, uint32_t largest, uint32_t *to)
{
    uint32_t field[P2PI_CHUNK], found;

    for (size_t at = 0, n; at < w->y.dim; at += n) {
        n = part_at(w, at);
        p2pi_fields_get(stage, at, n, buf, field);
        if ((found = p2pi_largest_symbol(field, n)) > largest)
            return p2p_fail(P2P_EPROTO, "reduced stage: an integer is %u: expected 0 to %u", found, largest);
        if (to != NULL)
            memcpy(to + at, field, n * sizeof *to);
    }
    return P2P_OK;
}

p2p_status
p2pi_max_norm_absorb(p2pi_codec *c, size_t stage, const p2p_env *env, const uint8_t *buf)
{
    p2pi_max_norm *w = c->work;
    const p2pi_stage *s = &c->plan.stage[stage];
    p2p_status st;

    (void)env;
    if (stage == 0)
        return absorb_norm(w, c->shape.type, buf);
    if (stage + 1 < c->plan.stages)
        return take_fields(w, s, buf, (uint32_t)w->count - 1, w->scale);
    st = take_fields(w, s, buf, 2 * w->level[0] * (uint32_t)c->shape.nodes, NULL);
    w->sums = st == P2P_OK ? buf : NULL;
    return st;
}

/* to += a v, where the quantised entries at .. belong. */
static void
add_part(const p2pi_pipeline_work *p, p2p_vec to, size_t at, double a, p2p_view v)
{
    if (p->s != NULL)
        p2pi_scatter_add(to, p->index + at, a, v);
    else
        p2p_vec_axpy((p2p_vec){ (char *)to.data + at * p2p_dtype_size(to.type), v.dim, to.type }, a, v);
}

p2p_status
p2pi_max_norm_finish(p2pi_codec *c, const p2p_env *env, p2p_vec y, p2p_vec residual)
{
    p2pi_max_norm *w = c->work;
    const p2pi_pipeline_work *p = c->operand[0]->work;
    const double nodes = (double)c->shape.nodes, offset = nodes * w->level[0];
    uint32_t field[P2PI_CHUNK];
    p2pi_chunk chunk;

    (void)env;
    if (w->sums == NULL)
        return p2p_fail(P2P_EINVAL, "collective execution: finish before every stage was absorbed");
    p2p_vec_zero(y);
    if (residual.data != NULL)
        p2p_vec_copy(residual, p2p_view_of(w->x));
    for (size_t at = 0, n; at < w->y.dim; at += n) {
        n = part_at(w, at);
        p2p_vec v = p2pi_chunk_vec(&chunk, n, y.type);

        p2pi_fields_get(&c->plan.stage[c->plan.stages - 1], at, n, w->sums, field);
        for (size_t i = 0; i < n; i++)
            p2p_vec_set(v, i, w->norm / w->level[w->scale[at + i]] * ((double)field[i] - offset) / nodes);
        add_part(p, y, at, 1, p2p_view_of(v));
        for (size_t i = 0; i < n; i++)
            p2p_vec_set(v, i, p2pi_max_norm_value(w, w->norm, w->scale[at + i], w->code[at + i]));
        if (residual.data != NULL)
            add_part(p, residual, at, -1, p2p_view_of(v));
    }
    w->sums = NULL;
    return P2P_OK;
}
