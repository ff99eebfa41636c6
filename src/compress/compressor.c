/* The public door: checks that every compressor needs, made once, around a codec in an arena. */
#include <p2popt/compressor.h>

#include "base/fail.h"
#include "base/flush.h"
#include "compress/collective.h"
#include "compress/operand.h"

#include <stdlib.h>
#include <string.h>

struct p2p_compressor {
    p2pi_arena *arena;
    p2pi_codec *codec;
    char spec[1024];
};

p2p_status
p2p_compressor_new(p2p_compressor **out, const char *spec, const p2p_shape *shape)
{
    p2p_compressor *self;
    p2p_status st;

    *out = NULL;
    if (shape->dim < 1 || shape->dim > UINT32_MAX)
        return p2p_fail(P2P_EINVAL, "compressor: dimension %zu: expected 1 to 4294967295", shape->dim);
    if ((shape->type != P2P_F32 && shape->type != P2P_F64) || shape->nodes < 1)
        return p2p_fail(P2P_EINVAL, "compressor: element type %d and %zu nodes: expected f32 or f64, and at least 1",
                        (int)shape->type, shape->nodes);
    if ((self = calloc(1, sizeof *self)) == NULL)
        return p2pi_fail_memory("compressor", sizeof *self);
    if ((st = p2pi_arena_new(&self->arena)) != P2P_OK ||
        (st = p2pi_codec_open(&self->codec, spec, shape, self->arena)) != P2P_OK)
        goto fail;
    p2pi_codec_format(self->codec, self->spec, sizeof self->spec);
    *out = self;
    return P2P_OK;
fail:
    p2p_compressor_destroy(&self);
    return st;
}

void
p2p_compressor_destroy(p2p_compressor **self)
{
    if (*self == NULL)
        return;
    p2pi_arena_destroy(&(*self)->arena);
    free(*self);
    *self = NULL;
}

const char *
p2p_compressor_spec(const p2p_compressor *self)
{
    return self->spec;
}

const p2p_compressor_constants *
p2p_compressor_constants_of(const p2p_compressor *self)
{
    return &self->codec->plan.constants;
}

p2pi_codec *
p2pi_compressor_codec(p2p_compressor *self)
{
    return self->codec;
}

size_t
p2p_compressor_bound(const p2p_compressor *self)
{
    return self->codec->plan.bound;
}

int
p2p_compressor_state(const p2p_compressor *self, size_t index, const char **name, p2p_vec *value)
{
    const p2pi_plan *plan = &self->codec->plan;

    if (index >= plan->states)
        return 0;
    *name = plan->state[index].name;
    *value = plan->state[index].value;
    return 1;
}

static p2p_status
check_vector(const p2p_compressor *self, size_t dim, p2p_dtype type)
{
    const p2p_shape *shape = &self->codec->shape;

    if (dim == shape->dim && type == shape->type)
        return P2P_OK;
    return p2p_fail(P2P_EINVAL, "compressor %s: a vector of %zu %s: expected %zu %s", self->spec, dim,
                    p2p_dtype_name(type), shape->dim, p2p_dtype_name(shape->type));
}

static p2p_status
check_room(const p2p_compressor *self, size_t cap, size_t needed)
{
    if (cap >= needed)
        return P2P_OK;
    return p2p_fail(P2P_ENOSPC, "compressor %s: a buffer of %zu bytes: expected at least %zu", self->spec, cap,
                    needed);
}

p2p_status
p2p_compressor_encode(p2p_compressor *self, p2p_view x, const p2p_env *env, uint8_t *buf, size_t cap, size_t *len)
{
    unsigned flush;
    p2p_status st;

    *len = 0;
    if ((st = check_vector(self, x.dim, x.type)) != P2P_OK ||
        (st = check_room(self, cap, p2p_compressor_bound(self))) != P2P_OK)
        return st;
    flush = p2pi_flush_enter();
    st = self->codec->scheme->encode(self->codec, x, env, buf, len);
    p2pi_flush_leave(flush);
    return st == P2P_OK ? P2P_OK : p2pi_fail_context(st, "compressor %s", self->spec);
}

static p2p_status
decode(p2p_compressor *self, const p2p_env *env, const uint8_t *buf, size_t len, const p2pi_target *t)
{
    unsigned flush = p2pi_flush_enter();
    p2p_status st = self->codec->scheme->decode(self->codec, env, buf, len, t);

    p2pi_flush_leave(flush);
    return st == P2P_OK ? P2P_OK : p2pi_fail_context(st, "compressor %s", self->spec);
}

p2p_status
p2p_compressor_decode(p2p_compressor *self, const p2p_env *env, const uint8_t *buf, size_t len, p2p_vec y)
{
    p2pi_target t = { y, 0, 1, 1, 0 };
    p2p_status st = check_vector(self, y.dim, y.type);

    return st == P2P_OK ? decode(self, env, buf, len, &t) : st;
}

p2p_status
p2p_compressor_axpy(p2p_compressor *self, const p2p_env *env, const uint8_t *buf, size_t len, int trusted, double a,
                    p2p_vec y)
{
    p2pi_target t = { y, 1, a, 1, trusted };
    p2p_status st = check_vector(self, y.dim, y.type);

    return st == P2P_OK ? decode(self, env, buf, len, &t) : st;
}

p2p_status
p2p_compressor_check(p2p_compressor *self, const p2p_env *env, const uint8_t *buf, size_t len)
{
    p2pi_target t = { { NULL, 0, P2P_F32 }, 0, 1, 1, 0 };

    return decode(self, env, buf, len, &t);
}

double
p2p_compressor_nominal_bits(const p2p_compressor *self, const uint8_t *buf, size_t len)
{
    return self->codec->scheme->nominal(self->codec, buf, len);
}

p2p_status
p2p_compressor_frame(p2p_compressor *self, const p2p_env *env, const uint8_t *lean, size_t len, uint8_t *buf,
                     size_t cap, size_t *frame_len)
{
    p2p_status st;

    *frame_len = 0;
    if ((st = check_room(self, cap, len + P2P_FRAME_EXTRA)) != P2P_OK ||
        (st = p2p_compressor_check(self, env, lean, len)) != P2P_OK)
        return st;
    return p2pi_codec_frame(self->codec, env, lean, len, buf, frame_len);
}

p2p_status
p2p_compressor_unframe(p2p_compressor *self, const p2p_env *env, const uint8_t *frame, size_t len, uint8_t *buf,
                       size_t cap, size_t *lean_len)
{
    size_t found;
    p2p_status st;

    *lean_len = 0;
    if ((st = check_room(self, cap, len)) != P2P_OK)
        return st;
    if ((st = p2pi_codec_unframe(self->codec, env, frame, len, buf, &found)) != P2P_OK)
        return p2pi_fail_context(st, "compressor %s", self->spec);
    if ((st = p2p_compressor_check(self, env, buf, found)) == P2P_OK)
        *lean_len = found;
    return st;
}
