#include "method/mean_over_nodes.h"

enum { UP, DOWN };

int
p2pi_has_hub(const p2p_method_context *m)
{
    return p2pi_exchange_pattern(m->exchange) == P2PI_PATTERN_HUB;
}

int
p2pi_is_hub(const p2p_method_context *m)
{
    return !p2pi_has_hub(m) || m->setting->rank == 0;
}

p2p_status
p2pi_need_hub(const p2p_method_context *m)
{
    const p2pi_pattern pattern = p2pi_exchange_pattern(m->exchange);

    if (pattern == P2PI_PATTERN_HUB || pattern == P2PI_PATTERN_REPLICATED)
        return P2P_OK;
    return p2p_fail(
        P2P_ENOTSUP,
        "method \"%s\" needs a hub: use topology star, or complete, where every node repeats the hub's step",
        m->setting->method);
}

p2p_status
p2pi_mean_start(p2pi_mean *self, p2p_method_context *m, unsigned kind)
{
    p2p_status st;

    if ((st = p2pi_need_hub(m)) != P2P_OK || (st = p2p_method_slot(m, kind, &self->up)) != P2P_OK ||
        (st = p2p_method_slot(m, P2P_SLOT_RAW, &self->down)) != P2P_OK)
        return st;
    return p2p_method_scratch(m, &self->mean);
}

size_t
p2pi_mean_parts(const p2p_method_context *m)
{
    return p2pi_has_hub(m) ? 2 : 1;
}

p2p_status
p2pi_mean_emit(p2pi_mean *self, p2p_method_context *m, size_t part, p2p_view own)
{
    if (p2pi_has_hub(m))
        p2pi_exchange_direct(m->exchange, part == UP ? P2PI_TO_HUB : P2PI_FROM_HUB);
    if (part == UP)
        return p2p_method_send(m, self->up, own, 1);
    if (p2pi_is_hub(m))
        return p2p_method_send(m, self->down, p2p_view_of(self->mean), 1);
    p2pi_exchange_hold(m->exchange, self->down);
    return P2P_OK;
}

p2p_status
p2pi_mean_absorb(p2pi_mean *self, p2p_method_context *m, size_t part)
{
    size_t count;

    if (part == DOWN)
        return p2pi_is_hub(m) ? P2P_OK : p2pi_exchange_take_from_hub(m->exchange, self->down, self->mean);
    if (!p2pi_is_hub(m))
        return P2P_OK;
    return p2pi_exchange_combine(m->exchange, self->up, self->mean, &count);
}
