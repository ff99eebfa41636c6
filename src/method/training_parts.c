/*
 * What a node has to say of its gradient g, and what stays behind:
 *
 *     source             v                                       is a step
 *     gradient           g(x)
 *     momentum           m = b m + (1 - b) g(x)
 *     global momentum    lr g(x - lambda e) + b (x_before - x)   yes
 *     local momentum     lr m,  m = b m + g(x - lambda e)        yes
 *
 *     feedback           u             after sending q = C(u)
 *     none               v
 *     error feedback     e + v         e = u - q
 *     dgc                r             s = b s + v, r += s; then r = 0, and s with a mask, where q is not 0
 */
#include "method/training.h"
#include "method/training_kernels.h"

#include <math.h>

/* ---- sources */

static p2p_status
gradient_emit(p2pi_training *self, p2p_method_context *m)
{
    return p2pi_clipped_gradient(&self->p, m, m->round, p2p_view_of(m->x), self->v);
}

const p2pi_source p2pi_source_gradient = { .emit = gradient_emit };

static p2p_status
momentum_start(p2pi_training *self, p2p_method_context *m)
{
    return p2p_method_vector(m, "momentum", &self->momentum);
}

static p2p_status
momentum_emit(p2pi_training *self, p2p_method_context *m)
{
    p2p_status st = gradient_emit(self, m);

    if (st != P2P_OK)
        return st;
    p2p_vec_axpby(self->momentum, 1 - self->p.momentum, p2p_view_of(self->v), self->p.momentum);
    p2p_vec_copy(self->v, p2p_view_of(self->momentum));
    return P2P_OK;
}

const p2pi_source p2pi_source_momentum = { .start = momentum_start, .emit = momentum_emit };

/* At x - lambda e. */
static p2p_status
detached_gradient(p2pi_training *self, p2p_method_context *m)
{
    if (!(self->p.lambda > 0) || self->e.data == NULL)
        return gradient_emit(self, m);
    p2p_vec_combine(self->q, 1, p2p_view_of(m->x), -self->p.lambda, p2p_view_of(self->e));
    return p2pi_clipped_gradient(&self->p, m, m->round, p2p_view_of(self->q), self->v);
}

static p2p_status
global_start(p2pi_training *self, p2p_method_context *m)
{
    p2p_status st = p2p_method_vector(m, "before", &self->before);

    if (st == P2P_OK)
        p2p_vec_copy(self->before, p2p_view_of(m->x));
    return st;
}

static p2p_status
global_emit(p2pi_training *self, p2p_method_context *m)
{
    const double b = self->p.momentum;
    p2p_status st = detached_gradient(self, m);

    if (st == P2P_OK)
        p2p_vec_combine3(self->v, self->lr, p2p_view_of(self->v), b, p2p_view_of(self->before), -b,
                         p2p_view_of(m->x));
    return st;
}

static void
global_done(p2pi_training *self, p2p_method_context *m)
{
    p2p_vec_copy(self->before, p2p_view_of(m->x));
}

const p2pi_source p2pi_source_global_momentum = {
    .start = global_start, .emit = global_emit, .done = global_done, .is_step = 1
};

static p2p_status
local_emit(p2pi_training *self, p2p_method_context *m)
{
    p2p_status st = detached_gradient(self, m);

    if (st != P2P_OK)
        return st;
    p2p_vec_axpby(self->momentum, 1, p2p_view_of(self->v), self->p.momentum);
    p2p_vec_zero(self->v);
    p2p_vec_axpy(self->v, self->lr, p2p_view_of(self->momentum));
    return P2P_OK;
}

const p2pi_source p2pi_source_local_momentum = { .start = momentum_start, .emit = local_emit, .is_step = 1 };

/* ---- feedback */

const p2pi_feedback p2pi_feedback_none;

static p2p_status
ef_start(p2pi_training *self, p2p_method_context *m)
{
    return p2p_method_vector(m, "e", &self->e);
}

static void
ef_before(p2pi_training *self)
{
    p2p_vec_axpy(self->v, 1, p2p_view_of(self->e));
}

static void
ef_after(p2pi_training *self)
{
    p2p_vec_sub(self->e, p2p_view_of(self->v), p2p_view_of(self->q));
}

const p2pi_feedback p2pi_feedback_ef = { ef_start, ef_before, ef_after };

static p2p_status
dgc_start(p2pi_training *self, p2p_method_context *m)
{
    p2p_status st = p2p_method_vector(m, "u", &self->u);

    self->p.clip /= sqrt((double)m->setting->nodes);
    return st == P2P_OK ? p2p_method_vector(m, "e", &self->e) : st;
}

static void
dgc_before(p2pi_training *self)
{
    const double b = self->p.momentum;

    if (self->p.nesterov) {
        p2p_vec_combine(self->u, b, p2p_view_of(self->u), b, p2p_view_of(self->v));
        p2p_vec_combine3(self->e, 1, p2p_view_of(self->e), 1, p2p_view_of(self->u), 1, p2p_view_of(self->v));
    } else {
        p2p_vec_axpby(self->u, 1, p2p_view_of(self->v), b);
        p2p_vec_axpy(self->e, 1, p2p_view_of(self->u));
    }
    p2p_vec_copy(self->v, p2p_view_of(self->e));
}

static void
dgc_after(p2pi_training *self)
{
    p2pi_clear_where_sent(p2p_view_of(self->q), self->e);
    if (self->p.mask)
        p2pi_clear_where_sent(p2p_view_of(self->q), self->u);
}

const p2pi_feedback p2pi_feedback_dgc = { dgc_start, dgc_before, dgc_after };
