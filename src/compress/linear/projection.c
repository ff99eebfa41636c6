#include "compress/linear/projection.h"

#include "compress/coding/bits.h"
#include "compress/kernels/compress_kernels.h"

#include <math.h>
#include <string.h>

/* Reals of a stage of collective execution. */
static p2p_vec
part_of(const p2pi_projection *self, size_t stage)
{
    const size_t early = self->frame.count - self->late;

    return stage == 0 ? (p2p_vec){ self->reals, early, P2P_F64 }
                      : (p2p_vec){ self->reals + early, self->late, P2P_F64 };
}

static p2pi_stage
sum_of(const p2pi_projection *self, size_t stage)
{
    const size_t count = part_of(self, stage).dim;

    return (p2pi_stage){ P2PI_REDUCE_SUM, count, 0, count * p2pi_real_bytes(self->frame.real) };
}

/* What rounding reals to a narrow format adds to the error: they have 1 + omega times the energy of x. */
static double
rounded_omega(double omega, double unit)
{
    const double error = sqrt(omega) + unit * sqrt(1 + omega);

    return error * error;
}

p2p_status
p2pi_projection_plan(p2pi_codec *c, p2pi_arena *arena, p2pi_projection *self)
{
    p2pi_reals_frame *f = &self->frame;
    p2pi_stage *s = &c->plan.stage[0];
    p2p_compressor_constants *k = &c->plan.constants;

    c->work = self;
    self->x = p2pi_arena_array(arena, c->shape.dim, sizeof *self->x);
    self->reals = p2pi_arena_array(arena, f->count, sizeof *self->reals);
    self->value = p2pi_arena_array(arena, c->shape.dim, sizeof(double));
    if (self->x == NULL || self->reals == NULL || self->value == NULL)
        return P2P_ENOMEM;
    c->plan.bound = p2pi_reals_frame_bytes(f) + P2PI_BITS_SPARE;
    if (f->real != p2pi_real_of(c->shape.type))
        k->omega = rounded_omega(k->omega, p2pi_real_unit(f->real));
    k->bits_nominal = (double)f->count * 8 * (double)p2pi_real_bytes(f->real);
    c->plan.moment = k->traits & P2P_UNBIASED ? 1 + k->omega : NAN;
    c->plan.gain = k->traits & P2P_UNBIASED ? 1 : NAN;
    c->plan.stages = 1;
    *s = (p2pi_stage){ P2PI_REDUCE_NONE, 0, 0, 0 };
    if (f->real != p2pi_real_of(c->shape.type))
        return P2P_OK;
    *s = sum_of(self, 0);
    if (self->late > 0)
        c->plan.stage[c->plan.stages++] = sum_of(self, 1);
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

/* Take off the memory what receivers restore from a message. */
static p2p_status
settle(p2pi_projection *self, const p2p_env *env)
{
    p2p_vec value;
    p2p_status st;

    if (self->vt->settle == NULL)
        return P2P_OK;
    if ((st = restore(self, env, &value)) != P2P_OK)
        return st;
    self->vt->settle(self, env, self->x);
    return P2P_OK;
}

p2p_status
p2pi_projection_encode(p2pi_codec *c, p2p_view x, const p2p_env *env, uint8_t *buf, size_t *len)
{
    p2pi_projection *self = c->work;
    p2p_vec reals = reals_of(self);
    p2p_status st = project(self, x, env);

    if (st != P2P_OK)
        return st;
    if (self->vt->gather != NULL)
        self->vt->gather(self, self->reals);
    if (self->vt->project_late != NULL)
        self->vt->project_late(self, env, self->x, self->reals);
    if ((st = p2pi_reals_frame_write(&self->frame, p2p_view_of(reals), buf, len)) != P2P_OK ||
        (st = p2pi_reals_frame_read(&self->frame, buf, *len, reals)) != P2P_OK)
        return st;
    return settle(self, env);
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
    p2p_status st;

    if (stage == 0) {
        self->reduced = 0;
        if ((st = project(self, x, env)) != P2P_OK)
            return st;
    } else
        self->vt->project_late(self, env, self->x, self->reals);
    return p2pi_reals_stage_write(self->frame.real, p2p_view_of(part_of(self, stage)), buf);
}

/* self->x keeps x until finish. */
p2p_status
p2pi_projection_absorb(p2pi_codec *c, size_t stage, const p2p_env *env, const uint8_t *buf)
{
    p2pi_projection *self = c->work;
    p2p_status st = p2pi_reals_stage_mean(self->frame.real, c->shape, buf, part_of(self, stage));

    (void)env;
    if (st != P2P_OK)
        return st;
    self->reduced++;
    if (stage == 0 && self->vt->gather != NULL)
        self->vt->gather(self, self->reals);
    return P2P_OK;
}

p2p_status
p2pi_projection_finish(p2pi_codec *c, const p2p_env *env, p2p_vec y, p2p_vec residual)
{
    p2pi_projection *self = c->work;
    p2p_vec value;
    p2p_status st;

    if (self->reduced < c->plan.stages)
        return p2p_fail(P2P_EINVAL, "collective execution: finish before every stage was absorbed");
    self->reduced = 0;
    for (size_t i = 0; i < residual.dim && residual.data != NULL; i++)
        p2p_vec_set(residual, i, self->x[i]);
    if ((st = restore(self, env, &value)) != P2P_OK)
        return st;
    p2p_vec_copy(y, p2p_view_of(value));
    if (self->vt->settle != NULL)
        self->vt->settle(self, env, self->x);
    if (residual.data == NULL)
        return P2P_OK;
    /* x less its own projection, restored. */
    for (size_t i = 0; i < residual.dim; i++)
        self->x[i] = p2p_vec_get(p2p_view_of(residual), i);
    self->vt->project(self, env, self->x, self->reals);
    if (self->vt->project_late != NULL)
        self->vt->project_late(self, env, self->x, self->reals);
    if ((st = restore(self, env, &value)) == P2P_OK)
        p2p_vec_axpy(residual, -1, p2p_view_of(value));
    return st;
}
