#include "compress/projection.h"

#include "compress/bits.h"
#include "compress/compress_kernels.h"

#include <math.h>
#include <string.h>

p2p_status
p2pi_projection_plan(p2pi_codec *c, p2pi_arena *arena, p2pi_projection *self)
{
    p2pi_reals_frame *f = &self->frame;
    p2pi_stage *s = &c->plan.stage[0];

    c->work = self;
    self->x = p2pi_arena_array(arena, c->shape.dim, sizeof *self->x);
    self->reals = p2pi_arena_array(arena, f->count, sizeof *self->reals);
    self->value = p2pi_arena_array(arena, c->shape.dim, sizeof(double));
    if (self->x == NULL || self->reals == NULL || self->value == NULL)
        return P2P_ENOMEM;
    c->plan.bound = p2pi_reals_frame_bytes(f) + P2PI_BITS_SPARE;
    c->plan.constants.bits_nominal = (double)f->count * 8 * (double)p2pi_real_bytes(f->real);
    c->plan.moment = c->plan.constants.traits & P2P_UNBIASED ? 1 + c->plan.constants.omega : NAN;
    c->plan.gain = c->plan.constants.traits & P2P_UNBIASED ? 1 : NAN;
    c->plan.stages = 1;
    *s = (p2pi_stage){ P2PI_REDUCE_NONE, 0, 0, 0 };
    if (f->real == p2pi_real_of(c->shape.type))
        *s = (p2pi_stage){ P2PI_REDUCE_SUM, f->count, 0, f->count * p2pi_real_bytes(f->real) };
    return P2P_OK;
}

/* Entries as doubles, clean; the reals of their projection. */
static p2p_status
project(p2pi_projection *self, p2p_view x, const p2p_env *env)
{
    p2p_vec clean = { self->value, x.dim, x.type };
    size_t bad = p2p_vec_first_nonfinite(x);

    if (bad < x.dim)
        return p2p_fail(P2P_EINVAL, "entry %zu is not finite (%g)", bad, p2p_vec_get(x, bad));
    p2pi_clean(x, clean);
    for (size_t i = 0; i < x.dim; i++)
        self->x[i] = p2p_vec_get(p2p_view_of(clean), i);
    self->vt->project(self, env, self->x, self->reals);
    return P2P_OK;
}

static p2p_vec
reals_of(const p2pi_projection *self)
{
    return (p2p_vec){ self->reals, self->frame.count, P2P_F64 };
}

/* What the reals restore to, as entries. An entry that overflows its type is the sender's fault. */
static p2p_status
restore(p2pi_projection *self, const p2p_env *env, p2p_vec *value)
{
    size_t bad;

    *value = (p2p_vec){ self->value, self->shape.dim, self->shape.type };
    self->vt->restore(self, env, self->reals, self->x);
    for (size_t i = 0; i < value->dim; i++)
        p2p_vec_set(*value, i, self->x[i]);
    if ((bad = p2p_vec_first_nonfinite(p2p_view_of(*value))) < value->dim)
        return p2p_fail(P2P_EPROTO, "message: entry %zu would not be finite", bad);
    return P2P_OK;
}

p2p_status
p2pi_projection_encode(p2pi_codec *c, p2p_view x, const p2p_env *env, uint8_t *buf, size_t *len)
{
    p2pi_projection *self = c->work;
    p2p_status st = project(self, x, env);

    return st == P2P_OK ? p2pi_reals_frame_write(&self->frame, p2p_view_of(reals_of(self)), buf, len) : st;
}

p2p_status
p2pi_projection_decode(p2pi_codec *c, const p2p_env *env, const uint8_t *buf, size_t len, const p2pi_target *t)
{
    p2pi_projection *self = c->work;
    p2p_status st = p2pi_reals_frame_read(&self->frame, buf, len, reals_of(self));
    p2p_vec value;

    if (st != P2P_OK || (st = restore(self, env, &value)) != P2P_OK)
        return st;
    p2pi_target_give(t, value);
    return P2P_OK;
}

double
p2pi_projection_nominal(const p2pi_codec *c, const uint8_t *buf, size_t len)
{
    (void)buf;
    (void)len;
    return c->plan.constants.bits_nominal;
}

/* ---- collective execution */

p2p_status
p2pi_projection_emit(p2pi_codec *c, size_t stage, p2p_view x, const p2p_env *env, uint8_t *buf)
{
    p2pi_projection *self = c->work;
    p2p_status st = project(self, x, env);
    size_t stored;

    (void)stage;
    if (st != P2P_OK)
        return st;
    stored = p2pi_reals_store(self->frame.real, p2p_view_of(reals_of(self)), buf);
    if (stored < self->frame.count)
        return p2pi_real_fits(self->frame.real, INFINITY, "value", self->reals[stored]);
    return P2P_OK;
}

/* self->x keeps x for the residual until finish. */
p2p_status
p2pi_projection_absorb(p2pi_codec *c, size_t stage, const p2p_env *env, const uint8_t *buf)
{
    p2pi_projection *self = c->work;
    const p2pi_reals_frame *f = &self->frame;
    size_t bad = p2pi_reals_first_bad(f->real, buf, f->count, f->type);

    (void)stage;
    (void)env;
    if (bad < f->count)
        return p2p_fail(P2P_EPROTO, "reduced stage: sum %zu is not finite", bad);
    p2pi_reals_load(f->real, buf, reals_of(self));
    for (size_t i = 0; i < f->count; i++)
        self->reals[i] /= (double)c->shape.nodes;
    self->reduced = 1;
    return P2P_OK;
}

p2p_status
p2pi_projection_finish(p2pi_codec *c, const p2p_env *env, p2p_vec y, p2p_vec residual)
{
    p2pi_projection *self = c->work;
    p2p_vec value;
    p2p_status st;

    if (!self->reduced)
        return p2p_fail(P2P_EINVAL, "collective execution: finish before anything was absorbed");
    self->reduced = 0;
    for (size_t i = 0; i < residual.dim && residual.data != NULL; i++)
        p2p_vec_set(residual, i, self->x[i]);
    if ((st = restore(self, env, &value)) != P2P_OK)
        return st;
    p2p_vec_copy(y, p2p_view_of(value));
    if (residual.data == NULL)
        return P2P_OK;
    /* x less its own projection, restored. */
    for (size_t i = 0; i < residual.dim; i++)
        self->x[i] = p2p_vec_get(p2p_view_of(residual), i);
    self->vt->project(self, env, self->x, self->reals);
    if ((st = restore(self, env, &value)) == P2P_OK)
        p2p_vec_axpy(residual, -1, p2p_view_of(value));
    return st;
}
