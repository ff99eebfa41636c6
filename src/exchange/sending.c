/* Beginning a stage, and what a node sends in it. */
#include "base/fail.h"
#include "exchange/exchange_state.h"
#include "exchange/gossip_kernels.h"

#include <assert.h>
#include <string.h>

void
p2pi_exchange_begin(p2p_exchange *self, uint32_t round)
{
    if (self->schedule != NULL && !(self->begun && round == self->round))
        p2p_topology_round(self->schedule, self->rank, round, &self->at.self_weight, self->round_weights,
                           self->sends);
    self->begun = 1;
    self->round = round;
    self->stage_count = 0;
    self->direction = P2PI_TO_ALL;
    self->partial = 0;
    memset(self->delivered, 0, self->at.degree);
    memset(self->refused, 0, self->at.degree);
    for (size_t i = 0; i < self->slot_count; i++) {
        self->slots[i].own = (p2pi_message){ NULL, 0, 0 };
        memset(self->slots[i].received, 0, self->at.degree * sizeof(p2pi_message));
    }
}

/* Whether the direction of the stage lets a message pass. */
static int
passes(const p2p_exchange *self, uint32_t from, uint32_t to)
{
    if (!exchange_takes_part(self, from))
        return 0;
    switch (self->direction) {
    case P2PI_TO_HUB:
        return to == 0;
    case P2PI_FROM_HUB:
        return from == 0;
    case P2PI_TO_NEXT:
        return to == (from + 1) % self->shape.nodes;
    default:
        return 1;
    }
}

int
p2pi_exchange_sends(const p2p_exchange *self, size_t neighbour)
{
    return passes(self, self->rank, self->at.peers[neighbour]) &&
           (self->schedule == NULL || exchange_is_tracked(self) || self->sends[neighbour]);
}

int
p2pi_exchange_hears(const p2p_exchange *self, size_t neighbour)
{
    return passes(self, self->at.peers[neighbour], self->rank) &&
           (self->schedule == NULL || exchange_is_tracked(self) || self->at.weights[neighbour] > 0);
}

static int
has_receivers(const p2p_exchange *self)
{
    for (size_t j = 0; j < self->at.degree; j++)
        if (p2pi_exchange_sends(self, j))
            return 1;
    return self->schedule == NULL && self->at.degree == 0;
}

void
p2pi_exchange_place(p2p_exchange *self, size_t index, uint8_t *buffer)
{
    assert(index < P2PI_SLOTS_MAX);
    self->placed[index] = buffer;
}

/* A hub's message where every node is the hub: for itself alone. */
static int
is_kept(const p2p_exchange *self, const exchange_slot *slot)
{
    return (slot->kind & P2PI_SLOT_FROM_HUB) && self->pattern != P2PI_PATTERN_HUB;
}

static uint8_t *
buffer_of(const p2p_exchange *self, const exchange_slot *slot)
{
    if (is_kept(self, slot))
        return slot->buffer;
    return self->placed[self->stage_count] ? self->placed[self->stage_count] : slot->buffer;
}

/* Papers count a bit for "I speak" where nodes may be silent, and a hub's message to itself. */
static void
count_bits(p2p_exchange *self, const exchange_slot *slot, int silent)
{
    if (has_receivers(self))
        self->bits += 8 * slot->own.len;
    else if (self->direction != P2PI_TO_HUB)
        return;
    self->bits_nominal += (slot->kind & P2P_SLOT_SILENT) != 0;
    if (slot->kind == P2P_SLOT_SCALAR || slot->kind == EXCHANGE_SLOT_REDUCED)
        self->bits_nominal += 8 * (double)slot->own.len;
    else if (!silent)
        self->bits_nominal += p2p_compressor_nominal_bits(slot->compressor, slot->own.bytes, slot->own.len);
}

/* Put a message into the stage. */
static void
put(p2p_exchange *self, size_t slot, size_t len, int silent)
{
    exchange_slot *s = &self->slots[slot];

    s->own = (p2pi_message){ buffer_of(self, s), len, s->doublings };
    if (is_kept(self, s))
        return;
    count_bits(self, s, silent);
    self->stage[self->stage_count++] = slot;
}

static void
finish(p2p_exchange *self, size_t slot, size_t len, int silent)
{
    self->vectors += !is_kept(self, &self->slots[slot]);
    put(self, slot, len, silent);
}

static void
count_overloads(p2p_exchange *self, const exchange_slot *slot, p2p_view x)
{
    if (p2p_compressor_constants_of(slot->compressor)->traits & P2P_ABSOLUTE)
        self->overloads += p2pi_gossip_outside(x, exchange_range(slot, slot->doublings));
}

/* A plain payload is written in one pass where it is sent from: of x, or of y - e. */
static p2p_status
send_plain(p2p_exchange *self, size_t slot, p2p_view x, const p2p_estimate *e)
{
    uint8_t *buffer = buffer_of(self, &self->slots[slot]);
    size_t bad = e == NULL ? p2pi_gossip_copy(x, buffer + 1)
                           : p2pi_gossip_innovation(x, p2pi_exchange_own(self, e), buffer + 1);

    if (bad < x.dim)
        return p2p_fail(P2P_EINVAL, "entry %zu of the vector to send is not finite", bad);
    buffer[0] = 0;
    finish(self, slot, 1 + exchange_bytes(self), 0);
    return P2P_OK;
}

static p2p_status
send_encoded(p2p_exchange *self, size_t slot, p2p_view x)
{
    exchange_slot *s = &self->slots[slot];
    p2p_env env = exchange_env(self, s, self->rank, s->doublings);
    size_t len;
    p2p_status st;

    st = p2p_compressor_encode(s->compressor, x, &env, buffer_of(self, s), p2p_compressor_bound(s->compressor), &len);
    if (st != P2P_OK)
        return st;
    count_overloads(self, s, x);
    finish(self, slot, len, 0);
    if (s->decoded == NULL)
        return P2P_OK;
    return p2p_compressor_decode(s->compressor, &env, s->own.bytes, len, exchange_decoded(self, s, self->at.degree));
}

p2p_status
p2pi_exchange_send(p2p_exchange *self, size_t slot, p2p_view x, double scale)
{
    exchange_slot *s = &self->slots[slot];
    p2p_status st;

    assert(slot < self->slot_count && s->own.bytes == NULL);
    s->scale = scale;
    st = s->plain ? send_plain(self, slot, x, NULL) : send_encoded(self, slot, x);
    return st == P2P_OK && self->trial != NULL ? p2pi_liar_note(self, slot, x, NULL) : st;
}

p2p_status
p2pi_exchange_send_innovation(p2p_exchange *self, size_t slot, const p2p_estimate *e, p2p_view y, double scale)
{
    exchange_slot *s = &self->slots[slot];
    p2p_status st;
    p2p_vec q;

    assert(slot < self->slot_count && s->own.bytes == NULL);
    s->scale = scale;
    if (s->plain)
        st = send_plain(self, slot, y, e);
    else {
        q = exchange_vec(self, p2pi_pool_scratch(self->pool));
        p2p_vec_sub(q, y, p2pi_exchange_own(self, e));
        st = send_encoded(self, slot, p2p_view_of(q));
    }
    return st == P2P_OK && self->trial != NULL ? p2pi_liar_note(self, slot, y, e) : st;
}

void
p2pi_exchange_widen(p2p_exchange *self, size_t slot, unsigned doublings)
{
    assert(slot < self->slot_count && doublings <= P2P_DOUBLINGS_MAX);
    self->slots[slot].doublings = doublings;
}

void
p2pi_exchange_silent(p2p_exchange *self, size_t slot)
{
    assert(self->slots[slot].kind & P2P_SLOT_SILENT);
    self->slots[slot].scale = 1;
    finish(self, slot, 0, 1);
}

void
p2pi_exchange_hold(p2p_exchange *self, size_t slot)
{
    assert(self->direction != P2PI_TO_ALL || self->partial);
    self->slots[slot].scale = 1;
    put(self, slot, 0, 1);
}

void
p2pi_exchange_skip(p2p_exchange *self, size_t slot)
{
    assert(self->slots[slot].kind & P2PI_SLOT_OPTIONAL);
    self->slots[slot].scale = 1;
    put(self, slot, 0, 1);
}

p2p_status
p2pi_exchange_try(p2p_exchange *self, size_t slot, p2p_view x, p2p_vec q)
{
    exchange_slot *s = &self->slots[slot];
    p2p_env env = exchange_env(self, s, self->rank, 0);
    p2p_status st;

    s->scale = env.scale = 1;
    st = p2p_compressor_encode(s->compressor, x, &env, buffer_of(self, s), p2p_compressor_bound(s->compressor),
                               &s->tried);
    return st == P2P_OK ? p2p_compressor_decode(s->compressor, &env, buffer_of(self, s), s->tried, q) : st;
}

void
p2pi_exchange_commit(p2p_exchange *self, size_t slot)
{
    finish(self, slot, self->slots[slot].tried, 0);
}

void
p2pi_exchange_count_nominal(p2p_exchange *self, double bits)
{
    self->bits_nominal += bits;
}

void
p2pi_exchange_send_scalar(p2p_exchange *self, size_t slot, double value)
{
    p2pi_writer w = p2pi_writer_of(buffer_of(self, &self->slots[slot]), sizeof value);

    p2pi_write_double(&w, value);
    finish(self, slot, sizeof value, 0);
}

void
p2pi_exchange_send_reduced(p2p_exchange *self, size_t slot, const uint8_t *bytes, size_t len)
{
    memcpy(buffer_of(self, &self->slots[slot]), bytes, len);
    put(self, slot, len, len == 0);
}

double
p2pi_exchange_mix_scalar(const p2p_exchange *self, size_t slot)
{
    const exchange_slot *s = &self->slots[slot];
    const double own = exchange_scalar(s->own);
    double sum = 0;

    for (size_t j = 0; j <= self->at.degree; j++) {
        if (j == self->before)
            sum += self->at.self_weight * own;
        if (j < self->at.degree)
            sum += self->at.weights[j] * (self->heard[j] ? exchange_scalar(s->received[j]) : own);
    }
    return sum;
}

size_t
p2pi_exchange_outgoing(const p2p_exchange *self)
{
    return self->stage_count;
}

p2pi_message
p2pi_exchange_message(const p2p_exchange *self, size_t index)
{
    return self->slots[self->stage[index]].own;
}

p2p_status
p2pi_exchange_sent(p2p_exchange *self, size_t slot, p2p_vec q)
{
    const exchange_slot *s = &self->slots[slot];
    p2p_env env = exchange_env(self, s, self->rank, s->own.doublings);

    if (s->own.len > 0 && (s->decoded == NULL || s->plain))
        return p2p_compressor_decode(s->compressor, &env, s->own.bytes, s->own.len, q);
    if (s->own.len > 0)
        p2p_vec_copy(q, p2p_view_of(exchange_decoded(self, s, self->at.degree)));
    else
        p2p_vec_zero(q);
    return P2P_OK;
}

/* Outside of stages. */
p2p_status
p2pi_exchange_write(p2p_exchange *self, p2p_view x, uint8_t *out, size_t *len)
{
    const exchange_slot *s = &self->slots[0];
    p2p_env env = exchange_env(self, s, self->rank, 0);
    p2p_status st = p2p_compressor_encode(s->compressor, x, &env, out, p2p_compressor_bound(s->compressor), len);

    if (st != P2P_OK)
        return st;
    self->bits += 8 * *len;
    self->bits_nominal += p2p_compressor_nominal_bits(s->compressor, out, *len);
    return P2P_OK;
}
