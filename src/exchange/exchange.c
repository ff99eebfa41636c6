/* Making an exchange, and what it counts. */
#include "exchange/exchange.h"

#include "base/fail.h"
#include "base/spec.h"
#include "compress/layered_spec.h"
#include "exchange/all_reduce.h"
#include "exchange/exchange_state.h"

#include <stdlib.h>
#include <string.h>

p2p_status
p2pi_exchange_find_compressor(p2p_exchange *self, const char *spec, p2p_compressor **out)
{
    char text[P2PI_SPEC_MAX];
    p2p_status st;

    if (self->layers == NULL)
        return p2pi_pool_compressor(self->pool, spec, &self->shape, out);
    if ((st = p2pi_compressor_layered(spec, self->layers, text, sizeof text)) != P2P_OK)
        return st;
    return p2pi_pool_compressor(self->pool, text, &self->shape, out);
}

p2p_status
p2pi_exchange_open_compressor(p2p_exchange *self, const char *spec)
{
    p2p_status st;

    if ((st = p2pi_exchange_find_compressor(self, spec, &self->compressor)) != P2P_OK)
        return st;
    self->compressor_spec = p2pi_arena_text(self->arena, p2p_compressor_spec(self->compressor));
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

/* A rule that remembers its last answer adds it to the state. */
static p2p_status
open_rule(p2p_exchange *self, const char *spec)
{
    const int elsewhere = self->rule_at_hub && self->pattern == P2PI_PATTERN_HUB && self->rank != 0;
    const size_t degree = elsewhere ? self->shape.nodes - 1 : self->at.degree;
    p2p_status st = p2p_aggregator_new(&self->rule, spec, degree, self->shape.dim, self->shape.type);
    p2p_vec memory;

    if (st != P2P_OK)
        return st == P2P_EINVAL ? p2pi_fail_context(st, "node %u", (unsigned)self->rank) : st;
    if ((self->rule_spec = p2pi_arena_text(self->arena, p2p_aggregator_spec(self->rule))) == NULL)
        return P2P_ENOMEM;
    memory = p2p_aggregator_memory(self->rule);
    if (elsewhere)
        p2p_aggregator_destroy(&self->rule);
    else if (memory.data != NULL)
        return p2pi_exchange_add_part(self, "aggregator", memory.data, exchange_bytes(self));
    else if (strcmp(self->rule_spec, "mean") == 0)
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
    self->rule_at_hub = config->rule_at_hub;
    self->trial = config->trial;
    self->pattern = pattern_of(self->topology);
    while (self->before < self->at.degree && self->at.peers[self->before] < self->rank)
        self->before++;
    self->last_estimate = &self->estimates;
    self->last_duals = &self->duals;
    if ((st = p2pi_arena_new(&self->arena)) != P2P_OK)
        return st;
    if (config->layers != NULL && (self->layers = p2pi_arena_text(self->arena, config->layers)) == NULL)
        return P2P_ENOMEM;
    self->pool = config->pool;
    if (self->pool == NULL) {
        if ((st = p2pi_pool_new(&self->own_pool)) != P2P_OK)
            return st;
        self->pool = self->own_pool;
    }
    if ((st = p2pi_pool_reserve(self->pool, exchange_bytes(self))) != P2P_OK || (st = take_memory(self)) != P2P_OK ||
        (st = follow_schedule(self, config->schedule)) != P2P_OK ||
        (st = p2pi_exchange_open_compressor(self, config->compressor)) != P2P_OK ||
        (st = p2pi_liar_open(self)) != P2P_OK)
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
    for (size_t i = 0; i < (*self)->slot_count; i++)
        if ((*self)->slots[i].reduce != NULL)
            p2pi_all_reduce_close((*self)->slots[i].reduce);
    p2pi_liar_close(*self);
    p2p_aggregator_destroy(&(*self)->rule);
    p2pi_pool_destroy(&(*self)->own_pool);
    p2pi_arena_destroy(&(*self)->arena);
    free(*self);
    *self = NULL;
}

uint64_t
p2pi_exchange_seed(const p2p_exchange *self)
{
    return self->seed;
}

int
p2pi_exchange_reduces(const p2p_exchange *self)
{
    for (size_t i = 0; i < self->slot_count; i++)
        if (self->slots[i].reduce != NULL)
            return 1;
    return 0;
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
