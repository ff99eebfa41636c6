/* Messages of neighbours: checked, taken in, and who was heard. */
#include "base/fail.h"
#include "exchange/all_reduce.h"
#include "exchange/exchange_state.h"

#include <assert.h>
#include <math.h>

static p2p_status
accept_scalar(p2pi_message message)
{
    double value = message.len == sizeof value ? exchange_scalar(message) : 0;

    if (message.len != sizeof value)
        return p2p_fail(P2P_EPROTO, "a number of %zu bytes: expected %zu", message.len, sizeof value);
    if (!isfinite(value) || value <= 0)
        return p2p_fail(P2P_EPROTO, "a number that should be above 0 is %g", value);
    return P2P_OK;
}

static p2p_status
check_range(const exchange_slot *slot, unsigned doublings)
{
    const unsigned traits = p2p_compressor_constants_of(slot->compressor)->traits;
    const unsigned most = traits & P2P_ABSOLUTE ? P2P_DOUBLINGS_MAX : 0;

    if (doublings > most)
        return p2p_fail(P2P_EPROTO, "a range doubled %u times: expected at most %u", doublings, most);
    return P2P_OK;
}

static p2p_status
accept(p2p_exchange *self, const exchange_slot *slot, size_t neighbour, p2pi_message message)
{
    p2p_env env = exchange_env(self, slot, self->at.peers[neighbour], message.doublings);
    const uint8_t *bytes = message.bytes;
    const size_t len = message.len;
    p2p_status st;

    if (len == 0 && (slot->kind & (P2P_SLOT_SILENT | P2PI_SLOT_OPTIONAL)))
        return P2P_OK;
    if (!p2pi_exchange_hears(self, neighbour))
        return len == 0 ? P2P_OK
                        : p2p_fail(P2P_EPROTO, "a vector over an edge that round %u does not use", self->round);
    if (slot->kind == P2P_SLOT_SCALAR)
        return accept_scalar(message);
    if (slot->kind == EXCHANGE_SLOT_REDUCED)
        return p2pi_all_reduce_accept(slot->reduce, self->at.peers[neighbour], message);
    if ((st = check_range(slot, message.doublings)) != P2P_OK)
        return st;
    if (slot->late && len == 1 + exchange_bytes(self) && bytes[0] == 0)
        return P2P_OK;
    if (slot->decoded == NULL || slot->plain)
        return p2p_compressor_check(slot->compressor, &env, bytes, len);
    return p2p_compressor_decode(slot->compressor, &env, bytes, len, exchange_decoded(self, slot, neighbour));
}

p2p_status
p2pi_exchange_deliver(p2p_exchange *self, size_t neighbour, size_t index, p2pi_message message)
{
    exchange_slot *s;
    p2p_status st;

    assert(neighbour < self->at.degree);
    if (index >= self->stage_count)
        return p2p_fail(P2P_EPROTO, "message %zu of a stage that has %zu", index, self->stage_count);
    if (!self->alive[neighbour])
        return P2P_OK;
    s = &self->slots[self->stage[index]];
    if (s->received[neighbour].bytes != NULL)
        return p2p_fail(P2P_EPROTO, "message %zu of the stage came twice", index);
    if ((st = accept(self, s, neighbour, message)) != P2P_OK)
        return st;
    s->received[neighbour] = message;
    self->delivered[neighbour]++;
    return P2P_OK;
}

int
p2pi_exchange_refused(const p2p_exchange *self, size_t neighbour)
{
    return self->refused[neighbour];
}

p2p_status
p2pi_exchange_close(p2p_exchange *self)
{
    for (size_t j = 0; j < self->at.degree; j++) {
        int all = self->alive[j] && self->delivered[j] == self->stage_count;

        self->heard[j] = all && p2pi_exchange_hears(self, j);
        if (self->alive[j] && !all && exchange_is_tracked(self))
            p2pi_exchange_drop(self, j);
    }
    return self->liar != NULL ? p2pi_liar_overhear(self) : P2P_OK;
}

/* Outside of stages. */
p2p_status
p2pi_exchange_read(p2p_exchange *self, size_t neighbour, const uint8_t *bytes, size_t len, p2p_vec x)
{
    const exchange_slot *s = &self->slots[0];
    p2p_env env = exchange_env(self, s, self->at.peers[neighbour], 0);

    return p2p_compressor_decode(s->compressor, &env, bytes, len, x);
}
