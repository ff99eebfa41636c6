/* Stages that go one way on a star, and sums over all workers. */
#include "base/fail.h"
#include "exchange/exchange_state.h"
#include "exchange/gossip_kernels.h"

#include <assert.h>

p2pi_pattern
p2pi_exchange_pattern(const p2p_exchange *self)
{
    return self->pattern;
}

void
p2pi_exchange_direct(p2p_exchange *self, p2pi_direction direction)
{
    assert(self->stage_count == 0);
    self->direction = direction;
}

p2p_status
p2pi_exchange_sum(const p2p_exchange *self, size_t slot, p2p_vec z, size_t *count)
{
    const exchange_slot *s = &self->slots[slot];
    p2p_status st = P2P_OK;

    *count = 1;
    p2p_vec_zero(z);
    for (size_t j = 0; j <= self->at.degree && st == P2P_OK; j++) {
        if (j == self->before)
            st = exchange_add_message(self, s, self->at.degree, 1, z);
        if (st != P2P_OK || j == self->at.degree || !self->heard[j])
            continue;
        st = exchange_add_message(self, s, j, 1, z);
        ++*count;
    }
    return st;
}

void
p2pi_exchange_estimate_sum(const p2p_exchange *self, const p2p_estimate *e, p2p_vec z)
{
    p2p_vec_zero(z);
    for (size_t j = 0; j <= self->at.degree; j++) {
        if (j == self->before)
            p2p_vec_axpy(z, 1, p2p_view_of(exchange_own_estimate(self, e)));
        if (j < self->at.degree && self->heard[j])
            p2p_vec_axpy(z, 1, p2p_view_of(exchange_neighbour_estimate(self, e, j)));
    }
}

p2p_status
p2pi_exchange_take_from_hub(const p2p_exchange *self, size_t slot, p2p_vec x)
{
    if (!self->heard[0])
        return p2p_fail(P2P_EIO, "the hub, node 0, is lost: a star has no rounds without it");
    p2p_vec_zero(x);
    return exchange_add_message(self, &self->slots[slot], 0, 1, x);
}
