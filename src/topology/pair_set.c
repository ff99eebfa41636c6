/* Open addressing, at most half full. A removed pair leaves a mark that searches pass over. */
#include "topology/pair_set.h"

#include "base/fail.h"

#include <stdlib.h>

/* As a loop cannot be a pair, these two are none. */
static const uint64_t EMPTY = 0, REMOVED = UINT64_MAX;

p2p_status
p2pi_pair_set_new(p2pi_pair_set *out, size_t pairs)
{
    size_t slots = 16;

    while (slots < 2 * pairs)
        slots *= 2;
    out->mask = slots - 1;
    out->slots = calloc(slots, sizeof *out->slots);
    return out->slots ? P2P_OK : p2pi_fail_memory("set of edges", slots * sizeof *out->slots);
}

void
p2pi_pair_set_clear(p2pi_pair_set *self)
{
    free(self->slots);
    self->slots = NULL;
}

static uint64_t
pair_of(uint32_t u, uint32_t v)
{
    return u < v ? (uint64_t)u << 32 | v : (uint64_t)v << 32 | u;
}

/* Slot of the pair, or the empty one that ends its search. */
static uint64_t *
find(const p2pi_pair_set *self, uint64_t pair)
{
    size_t at = (size_t)(pair * UINT64_C(0x9E3779B97F4A7C15) >> 20) & self->mask;

    while (self->slots[at] != EMPTY && self->slots[at] != pair)
        at = (at + 1) & self->mask;
    return &self->slots[at];
}

int
p2pi_pair_set_has(const p2pi_pair_set *self, uint32_t u, uint32_t v)
{
    return *find(self, pair_of(u, v)) != EMPTY;
}

int
p2pi_pair_set_add(p2pi_pair_set *self, uint32_t u, uint32_t v)
{
    uint64_t pair = pair_of(u, v), *slot = find(self, pair);
    int fresh = *slot == EMPTY;

    *slot = pair;
    return fresh;
}

void
p2pi_pair_set_remove(p2pi_pair_set *self, uint32_t u, uint32_t v)
{
    *find(self, pair_of(u, v)) = REMOVED;
}
