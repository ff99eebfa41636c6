/* Making an exchange, its state, and the stage: sending, receiving, and who was heard. */
#include "exchange/exchange.h"

#include "base/cursor.h"
#include "base/fail.h"
#include "exchange/all_reduce.h"
#include "exchange/exchange_state.h"
#include "exchange/gossip_kernels.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- making */

static p2p_status
open_compressor(p2p_exchange *self, const char *spec)
{
    p2p_status st;

    if ((st = p2pi_pool_compressor(self->pool, spec, &self->shape, &self->compressor)) != P2P_OK)
        return st;
    self->compressor_spec = p2pi_arena_text(self->arena, spec);
    return self->compressor_spec ? P2P_OK : P2P_ENOMEM;
}

static p2p_status
take_memory(p2p_exchange *self)
{
    size_t degree = self->at.degree;

    self->alive = p2pi_arena_array(self->arena, 4, degree + 1);
    self->source = p2pi_arena_array(self->arena, degree + 1, sizeof *self->source);
    self->weight = p2pi_arena_array(self->arena, degree + 1, sizeof *self->weight);
    self->target = p2pi_arena_array(self->arena, degree + 1, sizeof *self->target);
    if (!self->alive || !self->source || !self->weight || !self->target)
        return P2P_ENOMEM;
    self->heard = self->alive + degree + 1;
    self->delivered = self->heard + degree + 1;
    self->refused = self->delivered + degree + 1;
    memset(self->alive, 1, degree);
    return P2P_OK;
}

/* Weights of one's own for each round. */
static p2p_status
follow_schedule(p2p_exchange *self, const p2p_topology *schedule)
{
    if (schedule == NULL || p2p_topology_traits(schedule) == 0)
        return P2P_OK;
    self->schedule = schedule;
    self->round_weights = p2pi_arena_array(self->arena, self->at.degree + 1, sizeof *self->round_weights);
    self->sends = p2pi_arena_array(self->arena, self->at.degree + 1, 1);
    if (self->round_weights == NULL || self->sends == NULL)
        return P2P_ENOMEM;
    memcpy(self->round_weights, self->at.weights, self->at.degree * sizeof *self->round_weights);
    self->at.weights = self->round_weights;
    return P2P_OK;
}

static p2p_status
add_part(p2p_exchange *self, const char *name, void *data, size_t bytes)
{
    if (data == NULL)
        return P2P_ENOMEM;
    if (name == NULL)
        return P2P_OK;
    if (self->part_count == P2PI_PARTS_MAX)
        return p2p_fail(P2P_ENOSPC, "a method may have at most %d named parts of state", P2PI_PARTS_MAX);
    for (size_t i = 0; i < self->part_count; i++)
        if (strcmp(self->parts[i].name, name) == 0)
            return p2p_fail(P2P_EINVAL, "two parts of the state have the name \"%s\"", name);
    self->parts[self->part_count++] = (p2pi_part){ name, data, bytes };
    return P2P_OK;
}

/* A rule that remembers its last answer adds it to the state. */
static p2p_status
open_rule(p2p_exchange *self, const char *spec)
{
    p2p_status st = p2p_aggregator_new(&self->rule, spec, self->at.degree, self->shape.dim, self->shape.type);
    p2p_vec memory;

    if (st != P2P_OK)
        return st == P2P_EINVAL ? p2pi_fail_context(st, "node %u", (unsigned)self->rank) : st;
    if ((self->rule_spec = p2pi_arena_text(self->arena, p2p_aggregator_spec(self->rule))) == NULL)
        return P2P_ENOMEM;
    memory = p2p_aggregator_memory(self->rule);
    if (memory.data != NULL)
        return add_part(self, "aggregator", memory.data, exchange_bytes(self));
    if (strcmp(self->rule_spec, "mean") == 0)
        p2p_aggregator_destroy(&self->rule);
    return P2P_OK;
}

static p2pi_pattern
pattern_of(const p2p_topology *topology)
{
    size_t nodes, edges;

    if (topology == NULL || p2p_topology_traits(topology) != 0)
        return P2PI_PATTERN_GOSSIP;
    nodes = p2p_topology_size(topology);
    edges = p2p_topology_edges(topology);
    if (edges + 1 == nodes && p2p_topology_at(topology, 0).degree + 1 == nodes)
        return P2PI_PATTERN_HUB;
    return edges == nodes * (nodes - 1) / 2 ? P2PI_PATTERN_REPLICATED : P2PI_PATTERN_GOSSIP;
}

static p2p_status
set_up(p2p_exchange *self, const p2pi_exchange_config *config)
{
    p2p_status st;

    self->shape = (p2p_shape){ config->dim, config->type, config->nodes };
    self->seed = config->seed;
    self->rank = (uint32_t)config->rank;
    self->at = config->neighbourhood;
    self->topology = config->schedule;
    self->pattern = pattern_of(self->topology);
    while (self->before < self->at.degree && self->at.peers[self->before] < self->rank)
        self->before++;
    self->last_estimate = &self->estimates;
    self->last_duals = &self->duals;
    if ((st = p2pi_arena_new(&self->arena)) != P2P_OK)
        return st;
    self->pool = config->pool;
    if (self->pool == NULL) {
        if ((st = p2pi_pool_new(&self->own_pool)) != P2P_OK)
            return st;
        self->pool = self->own_pool;
    }
    if ((st = p2pi_pool_reserve(self->pool, exchange_bytes(self))) != P2P_OK || (st = take_memory(self)) != P2P_OK ||
        (st = follow_schedule(self, config->schedule)) != P2P_OK ||
        (st = open_compressor(self, config->compressor)) != P2P_OK)
        return st;
    return open_rule(self, config->aggregator);
}

p2p_status
p2pi_exchange_new(p2p_exchange **out, const p2pi_exchange_config *config)
{
    p2p_status st;

    if ((*out = calloc(1, sizeof **out)) == NULL)
        return p2pi_fail_memory("exchange", sizeof **out);
    if ((st = set_up(*out, config)) != P2P_OK)
        p2pi_exchange_destroy(out);
    return st;
}

void
p2pi_exchange_destroy(p2p_exchange **self)
{
    if (*self == NULL)
        return;
    if ((*self)->reduce != NULL)
        p2pi_all_reduce_close((*self)->reduce);
    p2p_aggregator_destroy(&(*self)->rule);
    p2pi_pool_destroy(&(*self)->own_pool);
    p2pi_arena_destroy(&(*self)->arena);
    free(*self);
    *self = NULL;
}

/*
 * ---- slots
 *
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
    slot->late = aggregate && self->rule == NULL;
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
p2pi_exchange_reduced_slot(p2p_exchange *self, size_t bound, size_t *slot)
{
    assert(self->slot_count < P2PI_SLOTS_MAX);
    return byte_slot(self, EXCHANGE_SLOT_REDUCED, bound, slot);
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
    if ((kind & P2P_SLOT_AGGREGATE) && kind != P2P_SLOT_AGGREGATE)
        return p2p_fail(P2P_EINVAL, "a slot for an aggregator carries raw vectors");
    if (!compressed)
        st = p2pi_pool_compressor(self->pool, "identity", &self->shape, &compressor);
    else if (self->compressed_count > 0) /* memory between rounds is a slot's own */
        st = p2pi_pool_compressor(self->pool, self->compressor_spec, &self->shape, &compressor);
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
    if ((st = p2pi_pool_compressor(self->pool, spec, &self->shape, &compressor)) != P2P_OK)
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
    p2p_status st = p2pi_pool_compressor(self->pool, spec, &self->shape, &compressor);

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
    return open_compressor(self, spec);
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

/* ---- named state */

p2p_status
p2pi_exchange_vector(p2p_exchange *self, const char *name, p2p_vec *out)
{
    *out = exchange_vec(self, p2pi_arena_take(self->arena, exchange_bytes(self)));
    return add_part(self, name, out->data, exchange_bytes(self));
}

p2p_status
p2pi_exchange_vector_of(p2p_exchange *self, const char *name, size_t dim, p2p_vec *out)
{
    const size_t size = p2p_dtype_size(self->shape.type);

    *out = (p2p_vec){ p2pi_arena_array(self->arena, dim, size), dim, self->shape.type };
    return add_part(self, name, out->data, dim * size);
}

p2p_status
p2pi_exchange_scalar(p2p_exchange *self, const char *name, double *where)
{
    return add_part(self, name, where, sizeof *where);
}

p2p_status
p2pi_exchange_estimate(p2p_exchange *self, const char *name, p2p_estimate **out)
{
    size_t count = 1 + self->at.degree;
    p2p_estimate *e = p2pi_arena_take(self->arena, sizeof *e);

    if (e == NULL || (e->vectors = p2pi_arena_array(self->arena, count, exchange_stride(self))) == NULL ||
        (e->heard = p2pi_arena_array(self->arena, count, sizeof *e->heard)) == NULL)
        return P2P_ENOMEM;
    *self->last_estimate = *out = e;
    self->last_estimate = &e->next;
    return add_part(self, name, e->vectors, count * exchange_stride(self));
}

p2p_status
p2pi_exchange_duals(p2p_exchange *self, const char *name, p2p_edge_duals **out)
{
    size_t count = self->at.degree + 1;
    p2p_edge_duals *d = p2pi_arena_take(self->arena, sizeof *d);

    if (d == NULL || (d->vectors = p2pi_arena_array(self->arena, count, exchange_stride(self))) == NULL)
        return P2P_ENOMEM;
    *self->last_duals = *out = d;
    self->last_duals = &d->next;
    return add_part(self, name, d->vectors, count * exchange_stride(self));
}

p2p_status
p2pi_exchange_agree_max(p2p_exchange *self, double *where)
{
    if (self->agreed_count == P2PI_AGREED_MAX)
        return p2p_fail(P2P_ENOSPC, "a method may agree on at most %d numbers", P2PI_AGREED_MAX);
    self->agreed[self->agreed_count++] = where;
    return P2P_OK;
}

size_t
p2pi_exchange_agreed(p2p_exchange *self, double *const **values)
{
    *values = self->agreed;
    return self->agreed_count;
}

size_t
p2pi_exchange_parts(const p2p_exchange *self)
{
    return self->part_count;
}

p2pi_part
p2pi_exchange_part(const p2p_exchange *self, size_t index)
{
    return self->parts[index];
}

/* ---- sending */

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

/* Both ends hold something of each other that every message moves. */
static int
is_tracked(const p2p_exchange *self)
{
    return self->estimates != NULL || self->duals != NULL;
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
           (self->schedule == NULL || is_tracked(self) || self->sends[neighbour]);
}

int
p2pi_exchange_hears(const p2p_exchange *self, size_t neighbour)
{
    return passes(self, self->at.peers[neighbour], self->rank) &&
           (self->schedule == NULL || is_tracked(self) || self->at.weights[neighbour] > 0);
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

    assert(slot < self->slot_count && s->own.bytes == NULL);
    s->scale = scale;
    return s->plain ? send_plain(self, slot, x, NULL) : send_encoded(self, slot, x);
}

p2p_status
p2pi_exchange_send_innovation(p2p_exchange *self, size_t slot, const p2p_estimate *e, p2p_view y, double scale)
{
    exchange_slot *s = &self->slots[slot];
    p2p_vec q;

    assert(slot < self->slot_count && s->own.bytes == NULL);
    s->scale = scale;
    if (s->plain)
        return send_plain(self, slot, y, e);
    q = exchange_vec(self, p2pi_pool_scratch(self->pool));
    p2p_vec_sub(q, y, p2pi_exchange_own(self, e));
    return send_encoded(self, slot, p2p_view_of(q));
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

static double
scalar_of(p2pi_message message)
{
    p2pi_reader r = p2pi_reader_of(message.bytes, message.len);

    return p2pi_read_double(&r);
}

double
p2pi_exchange_mix_scalar(const p2p_exchange *self, size_t slot)
{
    const exchange_slot *s = &self->slots[slot];
    const double own = scalar_of(s->own);
    double sum = 0;

    for (size_t j = 0; j <= self->at.degree; j++) {
        if (j == self->before)
            sum += self->at.self_weight * own;
        if (j < self->at.degree)
            sum += self->at.weights[j] * (self->heard[j] ? scalar_of(s->received[j]) : own);
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

/* ---- receiving */

static p2p_status
accept_scalar(p2pi_message message)
{
    double value = message.len == sizeof value ? scalar_of(message) : 0;

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
        return p2pi_all_reduce_accept(self->reduce, self->at.peers[neighbour], message);
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

void
p2pi_exchange_close(p2p_exchange *self)
{
    for (size_t j = 0; j < self->at.degree; j++) {
        int all = self->alive[j] && self->delivered[j] == self->stage_count;

        self->heard[j] = all && p2pi_exchange_hears(self, j);
        if (self->alive[j] && !all && is_tracked(self))
            p2pi_exchange_drop(self, j);
    }
}

/* ---- outside of stages */

p2p_status
p2pi_exchange_read(p2p_exchange *self, size_t neighbour, const uint8_t *bytes, size_t len, p2p_vec x)
{
    const exchange_slot *s = &self->slots[0];
    p2p_env env = exchange_env(self, s, self->at.peers[neighbour], 0);

    return p2p_compressor_decode(s->compressor, &env, bytes, len, x);
}

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

/* ---- counts */

uint64_t
p2pi_exchange_bits(const p2p_exchange *self)
{
    return self->bits;
}

double
p2pi_exchange_bits_nominal(const p2p_exchange *self)
{
    return self->bits_nominal;
}

double
p2pi_exchange_vectors(const p2p_exchange *self)
{
    return self->vectors;
}

uint64_t
p2pi_exchange_overloads(const p2p_exchange *self)
{
    return self->overloads;
}
