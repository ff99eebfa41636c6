/* Slots: what a node may send in a stage, and how it is compressed. */
#include "base/fail.h"
#include "exchange/exchange_state.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

/*
 * A payload is used in one of three ways. Plain reals are read where they lie. Sparse ones are added straight from
 * their bytes, in O(entries sent). Dense ones with codes are decoded once on arrival: that is also their check, and
 * unpacking codes costs more than any pass over the vector. Plain ones for a mean are looked through as they are
 * mixed: reading a long vector for a look alone would cost a tenth of a round.
 */

static int
is_plain(const p2p_compressor *c)
{
    return strcmp(p2p_compressor_spec(c), "identity") == 0;
}

static p2p_status
take_room(p2p_exchange *self, exchange_slot *slot)
{
    const size_t count = self->at.degree + 1;
    const int sparse = (p2p_compressor_constants_of(slot->compressor)->traits & P2P_SPARSE) != 0;
    const int aggregate = (slot->kind & P2P_SLOT_AGGREGATE) != 0;

    slot->buffer = p2pi_arena_take(self->arena, p2p_compressor_bound(slot->compressor));
    slot->received = p2pi_arena_array(self->arena, count, sizeof *slot->received);
    if (slot->buffer == NULL || slot->received == NULL)
        return P2P_ENOMEM;
    if (aggregate && (slot->vectors = p2pi_arena_array(self->arena, count, sizeof *slot->vectors)) == NULL)
        return P2P_ENOMEM;
    slot->late = aggregate && slot->plain && self->rule == NULL && !self->rule_at_hub;
    if ((!aggregate || self->rule == NULL) && (slot->plain || sparse))
        return P2P_OK;
    slot->decoded = p2pi_arena_array(self->arena, count, exchange_stride(self));
    return slot->decoded ? P2P_OK : P2P_ENOMEM;
}

/* A slot of bytes that no compressor of the exchange makes. */
static p2p_status
byte_slot(p2p_exchange *self, unsigned kind, size_t bound, size_t *slot)
{
    exchange_slot *s = &self->slots[self->slot_count];

    s->kind = kind;
    s->scale = 1;
    s->buffer = p2pi_arena_take(self->arena, bound);
    s->received = p2pi_arena_array(self->arena, self->at.degree + 1, sizeof *s->received);
    if (s->buffer == NULL || s->received == NULL)
        return P2P_ENOMEM;
    if (self->bound < bound)
        self->bound = bound;
    *slot = self->slot_count++;
    return P2P_OK;
}

p2p_status
p2pi_exchange_reduced_slot(p2p_exchange *self, struct p2pi_all_reduce *reduce, size_t bound, size_t *slot)
{
    p2p_status st;

    if (self->slot_count == P2PI_SLOTS_MAX)
        return p2p_fail(P2P_ENOSPC, "a method may have at most %d slots", P2PI_SLOTS_MAX);
    if ((st = byte_slot(self, EXCHANGE_SLOT_REDUCED, bound, slot)) == P2P_OK)
        self->slots[*slot].reduce = reduce;
    return st;
}

static p2p_status
add_slot(p2p_exchange *self, unsigned kind, p2p_compressor *compressor, uint32_t stream, size_t *slot)
{
    exchange_slot *s = &self->slots[self->slot_count];
    p2p_status st;
    size_t bound;

    s->kind = kind;
    s->compressor = compressor;
    s->stream = stream;
    s->plain = is_plain(s->compressor);
    bound = p2p_compressor_bound(s->compressor);
    if ((st = take_room(self, s)) != P2P_OK)
        return st;
    if (bound > self->bound)
        self->bound = bound;
    *slot = self->slot_count++;
    return P2P_OK;
}

p2p_status
p2pi_exchange_slot(p2p_exchange *self, unsigned kind, size_t *slot)
{
    const int compressed = kind != P2P_SLOT_SCALAR && (kind & P2P_SLOT_COMPRESSED);
    p2p_compressor *compressor = self->compressor;
    p2p_status st = P2P_OK;

    if (self->slot_count == P2PI_SLOTS_MAX)
        return p2p_fail(P2P_ENOSPC, "a method may have at most %d slots", P2PI_SLOTS_MAX);
    if (kind == P2P_SLOT_SCALAR)
        return byte_slot(self, kind, sizeof(double), slot);
    if ((kind & P2P_SLOT_AGGREGATE) && (kind & P2P_SLOT_SILENT))
        return p2p_fail(P2P_EINVAL, "a slot for an aggregator carries a vector in every round");
    if (!compressed)
        st = p2pi_exchange_find_compressor(self, "identity", &compressor);
    else if (self->compressed_count > 0) /* memory between rounds is a slot's own */
        st = p2pi_exchange_find_compressor(self, self->compressor_spec, &compressor);
    if (st != P2P_OK)
        return st;
    return add_slot(self, kind, compressor, compressed ? (uint32_t)self->compressed_count++ : 0, slot);
}

p2p_status
p2pi_exchange_slot_with(p2p_exchange *self, unsigned kind, const char *spec, uint32_t stream, size_t *slot)
{
    p2p_compressor *compressor;
    p2p_status st;

    if (self->slot_count == P2PI_SLOTS_MAX)
        return p2p_fail(P2P_ENOSPC, "a method may have at most %d slots", P2PI_SLOTS_MAX);
    if ((st = p2pi_exchange_find_compressor(self, spec, &compressor)) != P2P_OK)
        return st;
    return add_slot(self, kind | P2P_SLOT_COMPRESSED, compressor, stream, slot);
}

p2p_status
p2pi_exchange_slot_wide(p2p_exchange *self, unsigned kind, const char *spec, uint32_t stream, size_t dim,
                        size_t *slot)
{
    const p2p_shape shape = { dim, self->shape.type, self->shape.nodes };
    p2p_compressor *compressor;
    p2p_status st;

    if (self->slot_count == P2PI_SLOTS_MAX)
        return p2p_fail(P2P_ENOSPC, "a method may have at most %d slots", P2PI_SLOTS_MAX);
    if ((st = p2pi_pool_compressor(self->pool, spec, &shape, &compressor)) != P2P_OK ||
        (st = byte_slot(self, kind | P2P_SLOT_COMPRESSED, p2p_compressor_bound(compressor), slot)) != P2P_OK)
        return st;
    self->slots[*slot].compressor = compressor;
    self->slots[*slot].stream = stream;
    return P2P_OK;
}

p2p_status
p2pi_exchange_constants(p2p_exchange *self, const char *spec, const p2p_compressor_constants **out)
{
    p2p_compressor *compressor;
    p2p_status st = p2pi_exchange_find_compressor(self, spec, &compressor);

    if (st == P2P_OK)
        *out = p2p_compressor_constants_of(compressor);
    return st;
}

const p2p_compressor_constants *
p2pi_exchange_slot_constants(const p2p_exchange *self, size_t slot)
{
    return p2p_compressor_constants_of(self->slots[slot].compressor);
}

p2p_status
p2pi_exchange_scale_compressor(p2p_exchange *self)
{
    char spec[2 * P2P_TEXT_MAX];

    if (self->compressed_count > 0)
        return p2p_fail(P2P_EINVAL, "compressor %s: in use, it cannot be replaced by a scaled one",
                        self->compressor_spec);
    snprintf(spec, sizeof spec, "scaled(%s)", self->compressor_spec);
    return p2pi_exchange_open_compressor(self, spec);
}

const p2p_compressor_constants *
p2pi_exchange_compressor(const p2p_exchange *self)
{
    return p2p_compressor_constants_of(self->compressor);
}

const char *
p2pi_exchange_compressor_spec(const p2p_exchange *self)
{
    return p2p_compressor_spec(self->compressor);
}

const char *
p2pi_exchange_aggregator_spec(const p2p_exchange *self)
{
    return self->rule_spec;
}

p2p_status
p2pi_exchange_compressor_error(p2p_exchange *self, double *error)
{
    return p2pi_pool_compressor_error(self->pool, self->compressor_spec, &self->shape, error);
}

size_t
p2pi_exchange_bound(const p2p_exchange *self)
{
    return self->bound;
}
