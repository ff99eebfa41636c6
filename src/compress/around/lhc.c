/*
 * lhc(C): lossless homomorphic compression of what C keeps: which entries are not 0, and a sketch of them (peeling.h)
 * that adds up. A relay adds sketches without decoding; of the sum, the entries of all nodes are read back.
 *
 *     stage   MAX   arith=int: the exponent of the largest entry, which agrees on the fixed point
 *     stage   MAX   a bit an entry
 *     stage   SUM   the cells
 *     out     the mean, read back
 *
 * arith=int adds integers modulo 2^64, so that sums are exact and the same in any order: entries are multiples of
 * 2^-62 of the largest one, times the nodes. arith=float adds reals.
 *
 * A message alone is sketched until it can be read back: another salt, then more cells; if it would be as long as the
 * vector, the vector is sent. Layout: u8 form; plain: reals. Else varint entries, u8 salt, varint rows, i16 exponent
 * (int), the index section, cells.
 *
 * Li, Xu, Chen, Dwivedula, Wu, He, Akella, Kim, arXiv:2402.07529.
 */
#include "compress/around/lhc.h"

#include "base/cursor.h"
#include "base/fail.h"
#include "compress/coding/bits.h"
#include "compress/coding/index_section.h"
#include "compress/coding/varint.h"
#include "compress/frames/reals_frame.h"
#include "compress/kernels/compress_kernels.h"
#include "compress/operand.h"
#include "compress/pipeline/memory_scheme.h"
#include "compress/pipeline/pipeline.h"

#include <math.h>
#include <string.h>

enum { ZERO = 0, PLAIN = 1, SKETCH = 2, SALTS = 256, SALTS_A_SIZE = 2 };
enum { FIXED_POINT = 62 };

/* ---- opening */

/* Entries that the operand may keep. */
static size_t
most_entries(const p2pi_codec *operand)
{
    const p2pi_pipeline_work *p = operand->work;

    return operand->scheme == &p2pi_pipeline && p->s != NULL ? p->s->most : operand->shape.dim;
}

static size_t
rows_for(const p2pi_lhc *w, double entries)
{
    const double rows = ceil(ceil(w->o->cells * entries) / (double)(P2PI_PEEL_TABLES * w->lanes));

    return rows < 1 ? 1 : rows < UINT32_MAX ? (size_t)rows : UINT32_MAX;
}

static size_t
cell_bytes(const p2pi_lhc *w)
{
    return w->integers ? sizeof(uint64_t) : p2p_dtype_size(w->x.type);
}

static size_t
plain_bytes(const p2pi_lhc *w)
{
    return w->x.dim * p2p_dtype_size(w->x.type);
}

/* Whether a sketch is worth it. */
static int
is_shorter(const p2pi_lhc *w, size_t rows)
{
    return rows < plain_bytes(w) / (P2PI_PEEL_TABLES * w->lanes * cell_bytes(w));
}

static p2p_status
take_memory(p2pi_lhc *w, const p2pi_codec *c, p2pi_arena *arena)
{
    const size_t d = c->shape.dim;
    const p2pi_peel_tables reduced = p2pi_lhc_tables(w, w->rows, 0);
    size_t cells = plain_bytes(w) / cell_bytes(w);

    if (w->rows > 0 && p2pi_peel_cells(reduced) > cells)
        cells = p2pi_peel_cells(reduced);
    w->index = p2pi_arena_array(arena, d, sizeof *w->index);
    w->all = p2pi_arena_array(arena, d, sizeof *w->all);
    w->real = p2pi_arena_array(arena, d, sizeof *w->real);
    w->integer = p2pi_arena_array(arena, d, sizeof *w->integer);
    w->real_cell = p2pi_arena_array(arena, cells, sizeof *w->real_cell);
    w->integer_cell = p2pi_arena_array(arena, cells, sizeof *w->integer_cell);
    w->message = p2pi_arena_array(arena, c->operand[0]->plan.bound, 1);
    if (!w->index || !w->all || !w->real || !w->integer || !w->real_cell || !w->integer_cell || !w->message ||
        p2pi_take_vector(&w->x, c, arena) != P2P_OK || p2pi_take_vector(&w->kept, c, arena) != P2P_OK)
        return P2P_ENOMEM;
    return p2pi_peeling_open(&w->peeling, d, cells, arena);
}

static p2p_status
lhc_plan(p2pi_codec *c, p2pi_arena *arena)
{
    p2pi_lhc *w = p2pi_arena_take(arena, sizeof *w);
    const p2pi_plan *inner = &c->operand[0]->plan;
    const size_t d = c->shape.dim;
    p2p_status st;

    if (w == NULL)
        return P2P_ENOMEM;
    c->work = w;
    w->o = c->part[0].param;
    if ((inner->constants.traits & P2P_STATEFUL) && !(inner->constants.traits & P2P_ADAPTIVE))
        return p2p_fail(P2P_EINVAL, "compressor \"lhc\": a compressor with memory inside; memory goes outside, as in "
                                    "ef14(lhc(C))");
    w->lanes = (size_t)w->o->lanes;
    w->integers = w->o->arith == 0 ? c->shape.type == P2P_F32 : w->o->arith == 1;
    w->x = (p2p_vec){ NULL, d, c->shape.type };
    w->rows =
        rows_for(w, fmin((double)d, (double)most_entries(c->operand[0]) * (double)c->shape.nodes) + P2PI_LHC_SLACK);
    w->rows = is_shorter(w, w->rows) ? w->rows : 0;
    if ((st = take_memory(w, c, arena)) != P2P_OK)
        return st;
    c->plan = *inner;
    c->plan.bound =
        1 + 2 * P2PI_VARINT_MAX + 1 + 2 + p2pi_index_bound(d, d, P2PI_INDEX_AUTO) + plain_bytes(w) + P2PI_BITS_SPARE;
    c->plan.constants.traits &= ~(unsigned)(P2P_LINEAR | P2P_ADDITIVE | P2P_SHARED);
    c->plan.constants.bits_nominal = NAN;
    p2pi_lhc_plan_stages(c, w);
    return P2P_OK;
}

/* ---- what is sent */

p2p_status
p2pi_lhc_take(p2pi_codec *c, p2p_view x, const p2p_env *env)
{
    p2pi_lhc *w = c->work;
    p2pi_target kept = { w->kept, 0, 1, 1, 1 };
    size_t len;
    p2p_status st = p2pi_operand_encode(c, x, env, w->message, &len);

    if (st != P2P_OK || (st = p2pi_operand_decode(c, env, w->message, len, &kept)) != P2P_OK)
        return st;
    p2p_vec_copy(w->x, x);
    w->count = p2pi_reaching(p2p_view_of(w->kept), 0, w->index);
    return P2P_OK;
}

int
p2pi_lhc_exponent(double largest, size_t nodes)
{
    int e;

    frexp(largest, &e);
    return FIXED_POINT - (int)p2pi_bit_length(nodes - 1) - e;
}

void
p2pi_lhc_fill(p2pi_lhc *w, int exponent)
{
    for (size_t j = 0; j < w->count; j++) {
        const double v = p2p_vec_get(p2p_view_of(w->kept), w->index[j]);

        if (w->integers)
            w->integer[j] = (int64_t)rint(ldexp(v, exponent));
        else
            w->real[j] = v;
    }
    if (w->integers)
        p2pi_peeling_add_integers(&w->peeling, w->integer, w->integer_cell);
    else
        p2pi_peeling_add_reals(&w->peeling, w->real, w->real_cell);
}

void
p2pi_lhc_clear(p2pi_lhc *w, p2pi_peel_tables t)
{
    memset(w->real_cell, 0, p2pi_peel_cells(t) * sizeof *w->real_cell);
    memset(w->integer_cell, 0, p2pi_peel_cells(t) * sizeof *w->integer_cell);
}

size_t
p2pi_lhc_read_back(p2pi_lhc *w, int exponent, double factor)
{
    if (!w->integers)
        p2pi_peeling_take_reals(&w->peeling, w->real_cell, w->real);
    else
        p2pi_peeling_take_integers(&w->peeling, w->integer_cell, w->integer);
    for (size_t j = 0; j < w->peeling.count; j++) {
        const double v = (w->integers ? ldexp((double)w->integer[j], -exponent) : w->real[j]) * factor;

        w->real[j] = w->x.type == P2P_F32 ? (double)(float)v : v;
        if (!isfinite(w->real[j]))
            return j;
    }
    return w->peeling.count;
}

/* ---- messages */

/* Tables of which the entries can be read back, smaller than the vector. */
static int
find_tables(p2pi_lhc *w, uint64_t seed, unsigned *salt, p2pi_peel_tables *t)
{
    for (*salt = 0; *salt < SALTS; ++*salt) {
        const unsigned tried = *salt / SALTS_A_SIZE;

        *t = p2pi_lhc_tables(w, rows_for(w, (double)w->count * (1 + 0.1 * tried) + tried), seed + *salt);
        if (!is_shorter(w, t->rows))
            return 0;
        if (p2pi_peeling_plan(&w->peeling, *t, w->index, w->count) == 0)
            return 1;
    }
    return 0;
}

static uint8_t *
write_cells(const p2pi_lhc *w, size_t cells, uint8_t *at)
{
    if (!w->integers) {
        p2pi_reals_store(p2pi_real_of(w->x.type), (p2p_view){ w->real_cell, cells, P2P_F64 }, at);
        return at + cells * cell_bytes(w);
    }
    for (size_t i = 0; i < cells; i++, at += sizeof(uint64_t)) {
        const uint64_t v = p2pi_little64(w->integer_cell[i]);

        memcpy(at, &v, sizeof v);
    }
    return at;
}

static uint8_t *
write_sketch(p2pi_lhc *w, p2pi_peel_tables t, unsigned salt, uint8_t *at)
{
    const int exponent = p2pi_lhc_exponent(p2p_vec_norminf(p2p_view_of(w->kept)), 1);
    const p2pi_index_code code = p2pi_index_choose(w->index, w->count, w->x.dim, P2PI_INDEX_AUTO);

    *at++ = SKETCH;
    at = p2pi_varint_write(at, w->count);
    *at++ = (uint8_t)salt;
    at = p2pi_varint_write(at, t.rows);
    if (w->integers) {
        *at++ = (uint8_t)(uint16_t)exponent;
        *at++ = (uint8_t)((uint16_t)exponent >> 8);
    }
    at = p2pi_index_write(at, w->index, w->count, w->x.dim, &code);
    p2pi_lhc_clear(w, t);
    p2pi_lhc_fill(w, exponent);
    return write_cells(w, p2pi_peel_cells(t), at);
}

static p2p_status
lhc_encode(p2pi_codec *c, p2p_view x, const p2p_env *env, uint8_t *buf, size_t *len)
{
    p2pi_lhc *w = c->work;
    p2pi_peel_tables t;
    unsigned salt;
    p2p_status st = p2pi_lhc_take(c, x, env);

    if (st != P2P_OK)
        return st;
    *len = 1;
    buf[0] = ZERO;
    if (w->count == 0)
        return P2P_OK;
    if (find_tables(w, env->seed, &salt, &t)) {
        *len = (size_t)(write_sketch(w, t, salt, buf) - buf);
        return P2P_OK;
    }
    buf[0] = PLAIN;
    *len += plain_bytes(w);
    p2pi_reals_store(p2pi_real_of(x.type), p2p_view_of(w->kept), buf + 1);
    return P2P_OK;
}

static p2p_status
refuse(const char *what)
{
    return p2p_fail(P2P_EPROTO, "message: %s", what);
}

/* The cells, with all that a message says of them checked. */
static p2p_status
read_cells(p2pi_lhc *w, size_t cells, const uint8_t *at, const uint8_t *end)
{
    const p2pi_real real = p2pi_real_of(w->x.type);

    if ((size_t)(end - at) != cells * cell_bytes(w))
        return p2p_fail(P2P_EPROTO, "message: %zu bytes of cells: expected %zu", (size_t)(end - at),
                        cells * cell_bytes(w));
    if (w->integers)
        for (size_t i = 0; i < cells; i++, at += sizeof(uint64_t)) {
            memcpy(&w->integer_cell[i], at, sizeof(uint64_t));
            w->integer_cell[i] = p2pi_little64(w->integer_cell[i]);
        }
    else if (p2pi_reals_first_bad(real, at, cells, w->x.type) < cells)
        return refuse("a cell is not finite");
    else
        p2pi_reals_load(real, at, (p2p_vec){ w->real_cell, cells, P2P_F64 });
    return P2P_OK;
}

/* Entries to w->all, values to w->real. */
static p2p_status
read_sketch(p2pi_lhc *w, uint64_t seed, const uint8_t *at, const uint8_t *end, size_t *count)
{
    uint64_t entries, rows;
    unsigned salt;
    int exponent = 0;
    p2pi_peel_tables t;
    p2p_status st;

    if (!p2pi_varint_read(&at, end, w->x.dim, &entries) || entries == 0 || at == end)
        return refuse("number of entries missing or out of range");
    salt = *at++;
    if (!p2pi_varint_read(&at, end, UINT32_MAX, &rows) || rows == 0 || !is_shorter(w, (size_t)rows))
        return refuse("number of rows missing or out of range");
    if (w->integers && end - at < 2)
        return refuse("the exponent is missing");
    if (w->integers) {
        exponent = (int16_t)(uint16_t)(at[0] | at[1] << 8);
        at += 2;
    }
    *count = (size_t)entries;
    t = p2pi_lhc_tables(w, (size_t)rows, seed + salt);
    if ((st = p2pi_index_read(&at, end, *count, w->x.dim, w->all)) != P2P_OK ||
        (st = read_cells(w, p2pi_peel_cells(t), at, end)) != P2P_OK)
        return st;
    if (p2pi_peeling_plan(&w->peeling, t, w->all, *count) > 0)
        return refuse("a sketch that its entries cannot be read from");
    return p2pi_lhc_read_back(w, exponent, 1) == *count ? P2P_OK : refuse("an entry would not be finite");
}

static void
give_entries(p2pi_lhc *w, size_t count, const p2pi_target *t)
{
    p2pi_chunk chunk;

    if (!t->add)
        p2p_vec_zero(t->y);
    for (size_t at = 0; at < count; at += P2PI_CHUNK) {
        p2p_vec v = p2pi_chunk_vec(&chunk, count - at < P2PI_CHUNK ? count - at : P2PI_CHUNK, t->y.type);

        for (size_t j = 0; j < v.dim; j++)
            p2p_vec_set(v, j, w->real[at + j]);
        p2pi_target_scatter(t, w->all + at, v);
    }
}

static p2p_status
lhc_decode(p2pi_codec *c, const p2p_env *env, const uint8_t *buf, size_t len, const p2pi_target *t)
{
    p2pi_lhc *w = c->work;
    const p2pi_real real = p2pi_real_of(w->x.type);
    size_t count = 0;
    p2p_status st = P2P_OK;

    if (len == 0 || buf[0] > SKETCH || (buf[0] == ZERO && len != 1))
        return refuse("empty, of an unknown form, or with bytes behind a zero vector");
    if (buf[0] == SKETCH)
        st = read_sketch(w, env->seed, buf + 1, buf + len, &count);
    else if (buf[0] == PLAIN &&
             (len != 1 + plain_bytes(w) || p2pi_reals_first_bad(real, buf + 1, w->x.dim, w->x.type) < w->x.dim))
        st = refuse("a plain vector is cut short, too long, or not finite");
    if (st != P2P_OK || t->y.data == NULL)
        return st;
    if (buf[0] == PLAIN) {
        p2pi_reals_load(real, buf + 1, w->kept);
        p2pi_target_give(t, w->kept);
    } else
        give_entries(w, count, t);
    return P2P_OK;
}

static double
lhc_nominal(const p2pi_codec *c, const uint8_t *buf, size_t len)
{
    (void)c;
    (void)buf;
    return 8 * (double)len;
}

static const p2pi_scheme lhc_scheme = {
    .plan = lhc_plan,
    .encode = lhc_encode,
    .decode = lhc_decode,
    .frame = p2pi_wrapped_frame,
    .unframe = p2pi_wrapped_unframe,
    .nominal = lhc_nominal,
    .emit = p2pi_lhc_emit,
    .absorb = p2pi_lhc_absorb,
    .finish = p2pi_lhc_finish,
};

static const p2p_option lhc_options[] = {
    { "cells", P2P_OPT_REAL, "1.3", "1", "8", "cells for each entry; entries are read back from 1.23 on",
      offsetof(p2pi_lhc_param, cells) },
    { "lanes", P2P_OPT_INT, "1", "1", "1024", "neighbouring entries that share a hash",
      offsetof(p2pi_lhc_param, lanes) },
    { "arith", P2P_OPT_CHOICE, "auto", "auto|int|float", NULL, "what cells hold; auto is int for f32",
      offsetof(p2pi_lhc_param, arith) },
    { "strict", P2P_OPT_BOOL, "0", NULL, NULL, "a sum that cannot be read back is an error, not estimated",
      offsetof(p2pi_lhc_param, strict) },
    P2PI_OPTIONS_END
};

const p2pi_compressor_vt p2pi_compressor_lhc = {
    .size = sizeof(p2pi_compressor_vt),
    .entry = { "lhc", "what another one keeps, as sketches that add up without loss", "arXiv:2402.07529", lhc_options,
               sizeof(p2pi_lhc_param) },
    .family = 74,
    .scheme = &lhc_scheme,
    .operands = 1,
    .follows = 1,
};
