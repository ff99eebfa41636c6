/* Edges that go and come back: what both ends must hold alike is set to 0 or sent whole. */
#include "base/fail.h"
#include "exchange/exchange_state.h"
#include "exchange/gossip_kernels.h"

#include <string.h>

static void
reset_duals(p2p_exchange *self, size_t neighbour)
{
    for (p2p_edge_duals *d = self->duals; d != NULL; d = d->next) {
        p2p_vec_zero(exchange_dual(self, d, neighbour));
        for (size_t j = 0; j < self->at.degree; j++)
            self->target[j] = exchange_dual(self, d, j).data;
        p2pi_gossip_sum(self->at.degree, self->target, exchange_dual_sum(self, d));
    }
}

void
p2pi_exchange_drop(p2p_exchange *self, size_t neighbour)
{
    self->alive[neighbour] = 0;
    self->heard[neighbour] = 0;
    reset_duals(self, neighbour);
}

void
p2pi_exchange_changed(p2p_exchange *self)
{
    self->changes++;
}

uint64_t
p2pi_exchange_changes(const p2p_exchange *self)
{
    return self->changes;
}

int
p2pi_exchange_dropped(const p2p_exchange *self, size_t neighbour)
{
    return !self->alive[neighbour];
}

size_t
p2pi_exchange_shared_size(const p2p_exchange *self)
{
    size_t count = 0;

    for (const p2p_estimate *e = self->estimates; e != NULL; e = e->next)
        count++;
    return count * exchange_bytes(self);
}

void
p2pi_exchange_shared_export(const p2p_exchange *self, uint8_t *out)
{
    for (const p2p_estimate *e = self->estimates; e != NULL; e = e->next, out += exchange_bytes(self))
        memcpy(out, exchange_own_estimate(self, e).data, exchange_bytes(self));
}

/* The scratch of the pool is aligned; the bytes may not be. */
static p2p_status
check_vector(const p2p_exchange *self, const uint8_t *bytes, size_t index)
{
    p2p_vec v = exchange_vec(self, p2pi_pool_scratch(self->pool));
    size_t bad;

    memcpy(v.data, bytes, exchange_bytes(self));
    if ((bad = p2p_vec_first_nonfinite(p2p_view_of(v))) < v.dim)
        return p2p_fail(P2P_EPROTO, "shared state: entry %zu of estimate %zu is not finite", bad, index);
    return P2P_OK;
}

p2p_status
p2pi_exchange_restore(p2p_exchange *self, size_t neighbour, const uint8_t *bytes, size_t len)
{
    size_t vector = exchange_bytes(self), index = 0;
    p2p_status st;

    if (len != p2pi_exchange_shared_size(self))
        return p2p_fail(P2P_EPROTO, "shared state: %zu bytes, expected %zu", len, p2pi_exchange_shared_size(self));
    for (; index * vector < len; index++)
        if ((st = check_vector(self, bytes + index * vector, index)) != P2P_OK)
            return st;
    for (p2p_estimate *e = self->estimates; e != NULL; e = e->next, bytes += vector)
        memcpy(exchange_neighbour_estimate(self, e, neighbour).data, bytes, vector);
    reset_duals(self, neighbour);
    self->alive[neighbour] = 1;
    if (self->liar != NULL)
        p2pi_liar_restored(self, neighbour);
    return P2P_OK;
}
