/* lhc over all nodes. A cell modulo 2^64 travels as three numbers of 22 bits, whose sums have room for the carries.
 */
#include "compress/around/lhc.h"
#include "compress/coding/bits.h"
#include "compress/frames/reals_frame.h"
#include "compress/frames/stage_fields.h"
#include "compress/kernels/compress_kernels.h"

#include "base/fail.h"

#include <math.h>

enum { LIMBS = 3, LIMB_BITS = 22, LIMB_MOST = (1 << LIMB_BITS) - 1 };
enum { EXPONENT_ORIGIN = 1200, EXPONENT_MOST = 2 * EXPONENT_ORIGIN };

/* Stages by what they carry; arith=float has no exponent. */
enum { EXPONENT, SUPPORT, CELLS };

static size_t
kind_of(const p2pi_lhc *w, size_t stage)
{
    return w->integers ? stage : stage + 1;
}

void
p2pi_lhc_plan_stages(p2pi_codec *c, const p2pi_lhc *w)
{
    const size_t cells = p2pi_peel_cells(p2pi_lhc_tables(w, w->rows, 0));
    const uint64_t largest = (uint64_t)LIMB_MOST * c->shape.nodes;
    p2pi_stage *stage = c->plan.stage;

    c->plan.stages = 1;
    stage[0] = (p2pi_stage){ P2PI_REDUCE_NONE, 0, 0, 0 };
    if (w->rows == 0 || (w->integers && largest > UINT32_MAX))
        return;
    c->plan.stages = 0;
    if (w->integers)
        stage[c->plan.stages++] = p2pi_fields_stage(P2PI_REDUCE_MAX, 1, EXPONENT_MOST);
    stage[c->plan.stages++] = p2pi_fields_stage(P2PI_REDUCE_MAX, c->shape.dim, 1);
    stage[c->plan.stages++] = w->integers
                                  ? p2pi_fields_stage(P2PI_REDUCE_SUM, LIMBS * cells, (uint32_t)largest)
                                  : (p2pi_stage){ P2PI_REDUCE_SUM, cells, 0, cells * p2p_dtype_size(c->shape.type) };
}

static size_t
part_at(size_t count, size_t at)
{
    return count - at < P2PI_CHUNK ? count - at : P2PI_CHUNK;
}

/* ---- this node's part */

static void
emit_exponent(const p2pi_lhc *w, const p2pi_stage *stage, uint8_t *buf)
{
    const double largest = p2p_vec_norminf(p2p_view_of(w->kept));
    uint32_t field = 0;
    int e;

    frexp(largest, &e);
    if (largest > 0)
        field = (uint32_t)(e + EXPONENT_ORIGIN);
    p2pi_fields_put(stage, 0, 1, &field, buf);
}

static void
emit_support(const p2pi_lhc *w, const p2pi_stage *stage, uint8_t *buf)
{
    uint32_t field[P2PI_CHUNK];

    for (size_t at = 0, n; at < w->x.dim; at += n) {
        n = part_at(w->x.dim, at);
        for (size_t i = 0; i < n; i++)
            field[i] = p2p_vec_get(p2p_view_of(w->kept), at + i) != 0;
        p2pi_fields_put(stage, at, n, field, buf);
    }
}

static void
put_limbs(const p2pi_lhc *w, const p2pi_stage *stage, uint8_t *buf)
{
    uint32_t field[P2PI_CHUNK];

    for (size_t at = 0, n; at < stage->count; at += n) {
        n = part_at(stage->count, at);
        for (size_t i = 0; i < n; i++)
            field[i] = (uint32_t)(w->integer_cell[(at + i) / LIMBS] >> (at + i) % LIMBS * LIMB_BITS) & LIMB_MOST;
        p2pi_fields_put(stage, at, n, field, buf);
    }
}

static p2p_status
emit_cells(p2pi_lhc *w, const p2pi_stage *stage, uint64_t seed, uint8_t *buf)
{
    const p2pi_peel_tables t = p2pi_lhc_tables(w, w->rows, seed);

    p2pi_peeling_plan(&w->peeling, t, w->index, w->count);
    p2pi_lhc_clear(w, t);
    p2pi_lhc_fill(w, w->exponent);
    if (!w->integers)
        return p2pi_reals_stage_write(p2pi_real_of(w->x.type), (p2p_view){ w->real_cell, stage->count, P2P_F64 },
                                      buf);
    put_limbs(w, stage, buf);
    return P2P_OK;
}

p2p_status
p2pi_lhc_emit(p2pi_codec *c, size_t stage, p2p_view x, const p2p_env *env, uint8_t *buf)
{
    p2pi_lhc *w = c->work;
    const p2pi_stage *s = &c->plan.stage[stage];
    p2p_status st = P2P_OK;

    if (stage == 0) {
        w->absorbed = 0;
        st = p2pi_lhc_take(c, x, env);
    }
    if (st != P2P_OK)
        return st;
    if (kind_of(w, stage) == EXPONENT)
        emit_exponent(w, s, buf);
    else if (kind_of(w, stage) == SUPPORT)
        emit_support(w, s, buf);
    else
        st = emit_cells(w, s, env->seed, buf);
    return st;
}

/* ---- of all nodes */

static p2p_status
absorb_exponent(p2pi_lhc *w, const p2pi_stage *stage, size_t nodes, const uint8_t *buf)
{
    uint32_t field;

    p2pi_fields_get(stage, 0, 1, buf, &field);
    if (field > EXPONENT_MOST)
        return p2p_fail(P2P_EPROTO, "reduced stage: an exponent is %u: expected at most %d", field, EXPONENT_MOST);
    w->exponent = p2pi_lhc_exponent(ldexp(0.5, (int)field - EXPONENT_ORIGIN), nodes);
    return P2P_OK;
}

static void
absorb_support(p2pi_lhc *w, const p2pi_stage *stage, const uint8_t *buf)
{
    uint32_t field[P2PI_CHUNK];

    w->all_count = 0;
    for (size_t at = 0, n; at < w->x.dim; at += n) {
        n = part_at(w->x.dim, at);
        p2pi_fields_get(stage, at, n, buf, field);
        for (size_t i = 0; i < n; i++)
            if (field[i] != 0)
                w->all[w->all_count++] = (uint32_t)(at + i);
    }
}

static p2p_status
get_limbs(p2pi_lhc *w, const p2pi_stage *stage, size_t nodes, const uint8_t *buf)
{
    uint32_t field[P2PI_CHUNK];

    p2pi_lhc_clear(w, p2pi_lhc_tables(w, w->rows, 0));
    for (size_t at = 0, n; at < stage->count; at += n) {
        n = part_at(stage->count, at);
        p2pi_fields_get(stage, at, n, buf, field);
        for (size_t i = 0; i < n; i++) {
            if (field[i] > (uint64_t)LIMB_MOST * nodes)
                return p2p_fail(P2P_EPROTO, "reduced stage: part %zu of the cells is %u: expected at most %llu",
                                at + i, field[i], (unsigned long long)LIMB_MOST * nodes);
            w->integer_cell[(at + i) / LIMBS] += (uint64_t)field[i] << (at + i) % LIMBS * LIMB_BITS;
        }
    }
    return P2P_OK;
}

static p2p_status
absorb_cells(p2pi_lhc *w, const p2pi_stage *stage, size_t nodes, const uint8_t *buf)
{
    const p2pi_real real = p2pi_real_of(w->x.type);
    size_t bad;

    if (w->integers)
        return get_limbs(w, stage, nodes, buf);
    if ((bad = p2pi_reals_first_bad(real, buf, stage->count, w->x.type)) < stage->count)
        return p2p_fail(P2P_EPROTO, "reduced stage: cell %zu is not finite", bad);
    p2pi_reals_load(real, buf, (p2p_vec){ w->real_cell, stage->count, P2P_F64 });
    return P2P_OK;
}

p2p_status
p2pi_lhc_absorb(p2pi_codec *c, size_t stage, const p2p_env *env, const uint8_t *buf)
{
    p2pi_lhc *w = c->work;
    const p2pi_stage *s = &c->plan.stage[stage];
    p2p_status st = P2P_OK;

    (void)env;
    if (kind_of(w, stage) == EXPONENT)
        st = absorb_exponent(w, s, c->shape.nodes, buf);
    else if (kind_of(w, stage) == SUPPORT)
        absorb_support(w, s, buf);
    else
        st = absorb_cells(w, s, c->shape.nodes, buf);
    w->absorbed += st == P2P_OK;
    return st;
}

/* The residual is what C left of x. */
p2p_status
p2pi_lhc_finish(p2pi_codec *c, const p2p_env *env, p2p_vec y, p2p_vec residual)
{
    p2pi_lhc *w = c->work;
    size_t left, bad;

    if (w->absorbed < c->plan.stages)
        return p2p_fail(P2P_EINVAL, "collective execution: finish before every stage was absorbed");
    w->absorbed = 0;
    left = p2pi_peeling_plan(&w->peeling, p2pi_lhc_tables(w, w->rows, env->seed), w->all, w->all_count);
    if (left > 0 && w->o->strict)
        return p2p_fail(P2P_EPROTO,
                        "collective execution: %zu of %zu entries cannot be read back: more cells are needed", left,
                        w->all_count);
    if ((bad = p2pi_lhc_read_back(w, w->exponent, 1 / (double)c->shape.nodes)) < w->all_count)
        return p2p_fail(P2P_EPROTO, "reduced stage: entry %u would not be finite", w->all[bad]);
    p2p_vec_zero(y);
    for (size_t j = 0; j < w->all_count; j++)
        p2p_vec_set(y, w->all[j], w->real[j]);
    if (residual.data != NULL)
        p2p_vec_combine(residual, 1, p2p_view_of(w->x), -1, p2p_view_of(w->kept));
    return P2P_OK;
}
