/* Low rank over all nodes: each stage is a sum of reals, and the factors are of the mean of the nodes' matrices. */
#include "compress/linear/low_rank.h"

#include <string.h>

static size_t
count_of(const p2pi_low_rank *self, const p2p_env *env, size_t stage)
{
    if (p2pi_low_rank_is_whole(self, env))
        return stage == 0 ? self->shape.dim : 0;
    return self->vt->count(self, env, stage);
}

/* A narrow wire format has no sums. */
void
p2pi_low_rank_stages(p2pi_codec *c, const p2p_env *env)
{
    const p2pi_low_rank *self = c->work;
    const p2pi_real real = self->factors.real;
    size_t count;

    c->plan.stages = 1;
    c->plan.stage[0] = (p2pi_stage){ P2PI_REDUCE_NONE, 0, 0, 0 };
    if (real != p2pi_real_of(c->shape.type))
        return;
    for (size_t i = 0; (count = count_of(self, env, i)) > 0; i++) {
        c->plan.stage[i] = (p2pi_stage){ P2PI_REDUCE_SUM, count, 0, count * p2pi_real_bytes(real) };
        c->plan.stages = i + 1;
    }
}

static int
is_last(const p2pi_codec *c, size_t stage)
{
    return stage + 1 == c->plan.stages;
}

p2p_status
p2pi_low_rank_emit(p2pi_codec *c, size_t stage, p2p_view x, const p2p_env *env, uint8_t *buf)
{
    p2pi_low_rank *self = c->work;
    const size_t count = c->plan.stage[stage].count;
    p2p_status st;

    if (stage == 0 && (st = p2pi_low_rank_take(self, x, env)) != P2P_OK)
        return st;
    self->absorbed = 0;
    if (p2pi_low_rank_is_whole(self, env))
        memcpy(self->reals, self->v, count * sizeof *self->reals);
    else
        self->vt->emit(self, env, stage, self->reals);
    if (is_last(c, stage))
        memcpy(self->mine, self->reals, count * sizeof *self->mine);
    return p2pi_reals_stage_write(self->factors.real, (p2p_view){ self->reals, count, P2P_F64 }, buf);
}

p2p_status
p2pi_low_rank_absorb(p2pi_codec *c, size_t stage, const p2p_env *env, const uint8_t *buf)
{
    p2pi_low_rank *self = c->work;
    const size_t count = c->plan.stage[stage].count;
    p2p_status st =
        p2pi_reals_stage_mean(self->factors.real, c->shape, buf, (p2p_vec){ self->reals, count, P2P_F64 });

    if (st != P2P_OK)
        return st;
    if (!p2pi_low_rank_is_whole(self, env))
        self->vt->absorb(self, env, stage, self->reals);
    self->absorbed = is_last(c, stage);
    return P2P_OK;
}

/* What this node's own part of the last stage gives. */
static void
own_product(p2pi_low_rank *self, const p2p_env *env, p2p_vec value)
{
    const int of_p = self->vt->ends_in_p != NULL && self->vt->ends_in_p(self, env);

    p2pi_low_rank_multiply(self, of_p ? self->mine : self->p, of_p ? self->q : self->mine, value);
}

/* to = V - what is in value. */
static void
take_off(const p2pi_low_rank *self, p2p_view value, p2p_vec to)
{
    for (size_t i = 0; i < to.dim; i++)
        p2p_vec_set(to, i, self->v[i] - p2p_vec_get(value, i));
}

static void
finish_whole(p2pi_low_rank *self, p2p_vec y, p2p_vec residual)
{
    for (size_t i = 0; i < y.dim; i++)
        p2p_vec_set(y, i, self->reals[i]);
    p2p_vec_zero(self->e);
    if (residual.data != NULL)
        p2p_vec_zero(residual);
    if (self->vt->refresh == NULL || self->whole)
        return;
    memcpy(self->v, self->reals, y.dim * sizeof *self->v);
    self->vt->refresh(self);
}

p2p_status
p2pi_low_rank_finish(p2pi_codec *c, const p2p_env *env, p2p_vec y, p2p_vec residual)
{
    p2pi_low_rank *self = c->work;
    p2p_vec value = { self->value, y.dim, y.type };

    if (!self->absorbed)
        return p2p_fail(P2P_EINVAL, "collective execution: finish before every stage was absorbed");
    self->absorbed = 0;
    if (p2pi_low_rank_is_whole(self, env)) {
        finish_whole(self, y, residual);
        return P2P_OK;
    }
    p2pi_low_rank_multiply(self, self->p, self->q, y);
    own_product(self, env, value);
    if (residual.data != NULL)
        take_off(self, p2p_view_of(value), residual);
    if (self->memory != P2PI_MEMORY_NONE)
        take_off(self, p2p_view_of(self->memory == P2PI_MEMORY_OWN ? value : y), self->e);
    return P2P_OK;
}
