#include "compress/collective.h"

#include "base/flush.h"
#include "compress/frames/stage_fields.h"
#include "compress/kernels/compress_kernels.h"

#include <assert.h>
#include <string.h>

size_t
p2pi_collective_stages(p2p_compressor *self, const p2p_env *env, const p2pi_stage **stages)
{
    p2pi_codec *c = p2pi_compressor_codec(self);

    if (c->scheme->stages != NULL)
        c->scheme->stages(c, env);
    *stages = c->plan.stage;
    return c->plan.stages;
}

size_t
p2pi_collective_most(p2p_compressor *self)
{
    const p2pi_codec *c = p2pi_compressor_codec(self);

    return c->scheme->stages != NULL ? P2PI_STAGES_MAX : c->plan.stages;
}

p2p_status
p2pi_collective_emit(p2p_compressor *self, size_t stage, p2p_view x, const p2p_env *env, uint8_t *buf)
{
    p2pi_codec *c = p2pi_compressor_codec(self);
    unsigned flush;
    p2p_status st;

    if (c->plan.stage[stage].reduction == P2PI_REDUCE_NONE)
        return p2p_fail(P2P_ENOTSUP,
                        "compressor %s: its messages cannot be reduced: expected a linear or additive one",
                        p2p_compressor_spec(self));
    flush = p2pi_flush_enter();
    st = c->scheme->emit(c, stage, x, env, buf);
    p2pi_flush_leave(flush);
    return st;
}

p2p_status
p2pi_collective_absorb(p2p_compressor *self, size_t stage, const p2p_env *env, const uint8_t *buf)
{
    p2pi_codec *c = p2pi_compressor_codec(self);

    return c->scheme->absorb(c, stage, env, buf);
}

p2p_status
p2pi_collective_finish(p2p_compressor *self, const p2p_env *env, p2p_vec y, p2p_vec residual)
{
    p2pi_codec *c = p2pi_compressor_codec(self);
    unsigned flush = p2pi_flush_enter();
    p2p_status st = c->scheme->finish(c, env, y, residual);

    p2pi_flush_leave(flush);
    return st;
}

/* ---- reductions */

static void
reduce_integers(p2pi_reduction op, size_t n, uint32_t *a, const uint32_t *b)
{
    for (size_t i = 0; i < n; i++)
        a[i] = op == P2PI_REDUCE_SUM ? a[i] + b[i] : (b[i] > a[i]) == (op == P2PI_REDUCE_MAX) ? b[i] : a[i];
}

static void
reduce_reals(p2pi_reduction op, p2p_vec a, p2p_view b)
{
    if (op == P2PI_REDUCE_SUM) {
        p2p_vec_axpy(a, 1, b);
        return;
    }
    for (size_t i = 0; i < a.dim; i++) {
        double x = p2p_vec_get(p2p_view_of(a), i), y = p2p_vec_get(b, i);

        p2p_vec_set(a, i, (y > x) == (op == P2PI_REDUCE_MAX) ? y : x);
    }
}

/* One chunk. */
static void
reduce_packed(const p2pi_stage *stage, size_t at, size_t n, uint8_t *into, const uint8_t *other)
{
    uint32_t a[P2PI_CHUNK], b[P2PI_CHUNK];

    p2pi_fields_get(stage, at, n, into, a);
    p2pi_fields_get(stage, at, n, other, b);
    reduce_integers(stage->reduction, n, a, b);
    p2pi_fields_put(stage, at, n, a, into);
}

static void
reduce_floats(const p2pi_stage *stage, p2p_dtype type, size_t n, uint8_t *into, const uint8_t *other)
{
    p2pi_chunk a, b;
    p2p_vec sum = p2pi_chunk_vec(&a, n, type);

    memcpy(&a, into, n * p2p_dtype_size(type));
    memcpy(&b, other, n * p2p_dtype_size(type));
    reduce_reals(stage->reduction, sum, p2p_view_of(p2pi_chunk_vec(&b, n, type)));
    memcpy(into, &a, n * p2p_dtype_size(type));
}

void
p2pi_stage_reduce(const p2pi_stage *stage, p2p_dtype type, size_t from, size_t count, uint8_t *into,
                  const uint8_t *other)
{
    assert(stage->width == 0 || from % 8 == 0);
    for (size_t done = 0; done < count; done += P2PI_CHUNK) {
        size_t n = count - done < P2PI_CHUNK ? count - done : P2PI_CHUNK;
        size_t at = (from + done) * p2p_dtype_size(type);

        if (stage->width > 0)
            reduce_packed(stage, from + done, n, into, other);
        else
            reduce_floats(stage, type, n, into + at, other + at);
    }
}
