/* What a method sees: the public functions of p2popt/method.h on the engine's exchange. */
#include "method/engine_state.h"

#include <stdarg.h>
#include <stdio.h>

/* ---- start */

p2p_status
p2p_method_vector(p2p_method_context *m, const char *name, p2p_vec *out)
{
    return p2pi_exchange_vector(m->exchange, name, out);
}

p2p_status
p2p_method_scratch(p2p_method_context *m, p2p_vec *out)
{
    return p2pi_exchange_vector(m->exchange, NULL, out);
}

p2p_status
p2p_method_estimate(p2p_method_context *m, const char *name, p2p_estimate **out)
{
    return p2pi_exchange_estimate(m->exchange, name, out);
}

p2p_status
p2p_method_edge_duals(p2p_method_context *m, const char *name, p2p_edge_duals **out)
{
    return p2pi_exchange_duals(m->exchange, name, out);
}

p2p_status
p2p_method_scalar(p2p_method_context *m, const char *name, double *where)
{
    return p2pi_exchange_scalar(m->exchange, name, where);
}

p2p_status
p2p_method_agree_max(p2p_method_context *m, double *where)
{
    return p2pi_exchange_agree_max(m->exchange, where);
}

p2p_status
p2p_method_slot(p2p_method_context *m, unsigned kind, size_t *slot)
{
    return p2pi_exchange_slot(m->exchange, kind, slot);
}

const p2p_compressor_constants *
p2p_method_compressor(const p2p_method_context *m)
{
    return p2pi_exchange_compressor(m->exchange);
}

p2p_status
p2p_method_scale_compressor(p2p_method_context *m)
{
    return p2pi_exchange_scale_compressor(m->exchange);
}

p2p_status
p2p_method_compressor_error(p2p_method_context *m, double *error)
{
    return p2pi_exchange_compressor_error(m->exchange, error);
}

void
p2p_method_warn(p2p_method_context *m, const char *format, ...)
{
    char *warning = engine_of(m)->warning;
    va_list args;

    if (warning[0] != '\0')
        return;
    va_start(args, format);
    vsnprintf(warning, ENGINE_WARNING_MAX, format, args);
    va_end(args);
}

/* ---- emit and absorb */

p2p_status
p2p_method_grad(p2p_method_context *m, uint32_t t, p2p_view x, p2p_vec g)
{
    p2pi_engine *engine = engine_of(m);
    size_t count = 0;
    p2p_status st;

    if (engine->batch.size > 0) {
        st = p2p_problem_batch(m->problem, &engine->batch, engine->seed, (uint32_t)m->setting->rank, t,
                               engine->samples, &count);
        if (st != P2P_OK)
            return st;
    }
    return p2p_problem_grad(m->problem, x, count > 0 ? engine->samples : NULL, count, g);
}

void
p2p_method_stages(p2p_method_context *m, size_t stages)
{
    p2pi_engine *engine = m->engine;

    engine->stages = stages;
}

uint64_t
p2p_method_changes(const p2p_method_context *m)
{
    return p2pi_exchange_changes(m->exchange);
}

void
p2p_method_widen(p2p_method_context *m, size_t slot, unsigned doublings)
{
    p2pi_exchange_widen(m->exchange, slot, doublings);
}

void
p2p_method_restless(p2p_method_context *m)
{
    p2pi_engine *engine = m->engine;

    p2pi_movement_restart(&engine->movement);
}

uint64_t
p2p_method_overloads(const p2p_method_context *m)
{
    return p2pi_exchange_overloads(m->exchange);
}

/* A vector that compressors refuse has an entry that is not finite. */
static p2p_status
diverged_if_refused(p2p_status st)
{
    return st == P2P_EINVAL ? P2P_EDIVERGED : st;
}

p2p_status
p2p_method_send(p2p_method_context *m, size_t slot, p2p_view x, double scale)
{
    return diverged_if_refused(p2pi_exchange_send(m->exchange, slot, x, scale));
}

p2p_status
p2p_method_send_innovation(p2p_method_context *m, size_t slot, const p2p_estimate *e, p2p_view y, double scale)
{
    return diverged_if_refused(p2pi_exchange_send_innovation(m->exchange, slot, e, y, scale));
}

void
p2p_method_silent(p2p_method_context *m, size_t slot)
{
    p2pi_exchange_silent(m->exchange, slot);
}

void
p2p_method_send_scalar(p2p_method_context *m, size_t slot, double value)
{
    p2pi_exchange_send_scalar(m->exchange, slot, value);
}

p2p_status
p2p_method_sent(p2p_method_context *m, size_t slot, p2p_vec q)
{
    return p2pi_exchange_sent(m->exchange, slot, q);
}

p2p_status
p2p_estimate_update(p2p_method_context *m, p2p_estimate *e, size_t slot, double a)
{
    return p2pi_exchange_update(m->exchange, e, slot, a);
}

p2p_view
p2p_estimate_own(const p2p_method_context *m, const p2p_estimate *e)
{
    return p2pi_exchange_own(m->exchange, e);
}

p2p_status
p2p_estimate_aggregate(p2p_method_context *m, const p2p_estimate *e, p2p_vec z)
{
    return p2pi_exchange_estimate_aggregate(m->exchange, e, z);
}

void
p2p_estimate_laplacian(const p2p_method_context *m, const p2p_estimate *e, p2p_vec s)
{
    p2pi_exchange_estimate_laplacian(m->exchange, e, 0, NULL, s);
}

void
p2p_estimate_laplacian_dual(const p2p_method_context *m, const p2p_estimate *e, double c, p2p_edge_duals *duals,
                            p2p_vec s)
{
    p2pi_exchange_estimate_laplacian(m->exchange, e, c, duals, s);
}

void
p2p_method_laplacian_dual(const p2p_method_context *m, size_t slot, double c, p2p_edge_duals *duals, p2p_vec s)
{
    p2pi_exchange_slot_laplacian(m->exchange, slot, c, duals, s);
}

p2p_view
p2p_edge_duals_sum(const p2p_method_context *m, const p2p_edge_duals *duals)
{
    return p2pi_exchange_duals_sum(m->exchange, duals);
}

p2p_status
p2p_method_mix(p2p_method_context *m, size_t slot, double a, p2p_view y, double b, p2p_vec z)
{
    return p2pi_exchange_mix(m->exchange, slot, a, y, b, z);
}

double
p2p_method_mix_scalar(const p2p_method_context *m, size_t slot)
{
    return p2pi_exchange_mix_scalar(m->exchange, slot);
}

p2p_status
p2p_method_aggregate(p2p_method_context *m, size_t slot, p2p_view own, double a, p2p_view y, p2p_vec z)
{
    return p2pi_exchange_aggregate(m->exchange, slot, own, a, y, z);
}
