/* Stages that go one way on a star, and sums over all workers. */
#include "base/fail.h"
#include "exchange/exchange_state.h"
#include "exchange/gossip_kernels.h"

#include <p2popt/random.h>

#include <assert.h>
#include <string.h>

p2pi_pattern
p2pi_exchange_pattern(const p2p_exchange *self)
{
    return self->pattern;
}

static int
coin(const p2p_exchange *self, uint32_t node, unsigned word, double p)
{
    p2p_random draw = p2p_random_open(self->seed, node, self->round, P2P_STREAM_METHOD);
    double u;

    draw.next = word;
    p2p_random_uniform(&draw, 1, &u);
    return u < p;
}

int
p2pi_exchange_hub_coin(const p2p_exchange *self, unsigned word, double p)
{
    return coin(self, P2P_NODE_SHARED, word, p);
}

void
p2pi_exchange_shared_words(const p2p_exchange *self, size_t count, uint32_t *words)
{
    p2p_random draw = p2p_random_open(self->seed, P2P_NODE_SHARED, self->round, P2P_STREAM_SHARED);

    p2p_random_words(&draw, count, words);
}

int
p2pi_exchange_own_coin(const p2p_exchange *self, double p)
{
    return coin(self, self->rank, 0, p);
}

int
p2pi_exchange_first_coin(const p2p_exchange *self, double p)
{
    return coin(self, 0, 0, p);
}

p2p_status
p2pi_exchange_participants(p2p_exchange *self)
{
    self->takes_part = p2pi_arena_array(self->arena, self->shape.nodes, 1);
    self->nodes_drawn = p2pi_arena_array(self->arena, self->shape.nodes, sizeof *self->nodes_drawn);
    return self->takes_part != NULL && self->nodes_drawn != NULL ? P2P_OK : P2P_ENOMEM;
}

int
p2pi_exchange_draw_participants(p2p_exchange *self, size_t count)
{
    const size_t nodes = self->shape.nodes;
    p2p_random draw = p2p_random_open(self->seed, P2P_NODE_SHARED, self->round, P2P_STREAM_TOPOLOGY);

    assert(self->stage_count == 0 && count <= nodes);
    p2p_random_permutation(&draw, nodes, self->nodes_drawn);
    memset(self->takes_part, 0, nodes);
    for (size_t i = nodes - count; i < nodes; i++)
        self->takes_part[self->nodes_drawn[i]] = 1;
    self->partial = 1;
    return self->takes_part[self->rank];
}

void
p2pi_exchange_direct(p2p_exchange *self, p2pi_direction direction)
{
    assert(self->stage_count == 0 || self->direction == direction);
    self->direction = direction;
}

p2p_status
p2pi_exchange_sum(const p2p_exchange *self, size_t slot, p2p_vec z, size_t *count)
{
    const exchange_slot *s = &self->slots[slot];
    p2p_status st = P2P_OK;

    *count = 0;
    p2p_vec_zero(z);
    for (size_t j = 0; j <= self->at.degree && st == P2P_OK; j++) {
        if (j == self->before && exchange_takes_part(self, self->rank)) {
            st = p2pi_exchange_add_message(self, s, self->at.degree, 1, z);
            ++*count;
        }
        if (st != P2P_OK || j == self->at.degree || !self->heard[j])
            continue;
        st = p2pi_exchange_add_message(self, s, j, 1, z);
        ++*count;
    }
    return st;
}

/* Those that were heard and this node's own, aligned, in the order of the nodes: the same at every node. */
static size_t
list_in_order(const p2p_exchange *self, const exchange_slot *slot)
{
    size_t count = 0;

    for (size_t j = 0; j <= self->at.degree; j++) {
        const size_t heard = j < self->at.degree && self->heard[j];

        if (j == self->before && exchange_takes_part(self, self->rank))
            slot->vectors[count++] = p2p_view_of(exchange_decoded(self, slot, self->at.degree));
        if (heard)
            slot->vectors[count++] = p2p_view_of(exchange_decoded(self, slot, j));
    }
    return count;
}

p2p_status
p2pi_exchange_combine(p2p_exchange *self, size_t slot, p2p_vec z, size_t *count)
{
    const exchange_slot *s = &self->slots[slot];
    p2p_status st;

    if (self->rule == NULL) {
        if ((st = p2pi_exchange_sum(self, slot, z, count)) == P2P_OK && *count > 0)
            p2p_vec_scale(z, 1 / (double)*count);
        return st;
    }
    assert(s->kind & P2P_SLOT_AGGREGATE);
    for (size_t j = 0; s->plain && j <= self->at.degree; j++)
        if (j == self->at.degree ? s->own.len > 0 : self->heard[j])
            memcpy(exchange_decoded(self, s, j).data, exchange_reals(self, s, j), exchange_bytes(self));
    if ((*count = list_in_order(self, s)) == 0)
        return P2P_OK;
    for (size_t i = 0; i < *count; i++)
        self->weight[i] = 1 / (double)*count;
    return p2pi_exchange_apply_rule(self, s->vectors[0], *count - 1, s->vectors + 1, z);
}

void
p2pi_exchange_estimate_mean(const p2p_exchange *self, const p2p_estimate *e, int took_part, p2p_vec z)
{
    const uint8_t *counts = took_part ? self->heard : self->alive;
    size_t count = 0;

    p2p_vec_zero(z);
    for (size_t j = 0; j <= self->at.degree; j++) {
        if (j == self->before && (!took_part || exchange_takes_part(self, self->rank))) {
            p2p_vec_axpy(z, 1, p2p_view_of(exchange_own_estimate(self, e)));
            count++;
        }
        if (j == self->at.degree || !counts[j])
            continue;
        p2p_vec_axpy(z, 1, p2p_view_of(exchange_neighbour_estimate(self, e, j)));
        count++;
    }
    if (count > 0)
        p2p_vec_scale(z, 1 / (double)count);
}

p2p_status
p2pi_exchange_estimate_combine(p2p_exchange *self, const p2p_estimate *e, p2p_vec z)
{
    size_t count = 0;

    if (self->rule == NULL) {
        p2pi_exchange_estimate_mean(self, e, 0, z);
        return P2P_OK;
    }
    for (size_t j = 0; j <= self->at.degree; j++) {
        if (j == self->before)
            e->heard[count++] = p2p_view_of(exchange_own_estimate(self, e));
        if (j < self->at.degree && self->alive[j])
            e->heard[count++] = p2p_view_of(exchange_neighbour_estimate(self, e, j));
    }
    for (size_t i = 0; i < count; i++)
        self->weight[i] = 1 / (double)count;
    return p2pi_exchange_apply_rule(self, e->heard[0], count - 1, e->heard + 1, z);
}

static p2p_status
scatter(const p2p_exchange *self, const exchange_slot *slot, size_t neighbour, double decay, double a,
        const size_t *index, p2p_vec q, p2p_vec e)
{
    p2p_status st;

    p2p_vec_zero(q);
    if ((st = p2pi_exchange_add_message(self, slot, neighbour, 1, q)) != P2P_OK)
        return st;
    p2p_vec_scale(e, decay);
    for (size_t i = 0; i < q.dim; i++)
        p2p_vec_set(e, index[i], p2p_vec_get(p2p_view_of(e), index[i]) + a * p2p_vec_get(p2p_view_of(q), i));
    return P2P_OK;
}

p2p_status
p2pi_exchange_estimate_scatter(p2p_exchange *self, p2p_estimate *e, size_t slot, double decay, double a,
                               const size_t *index, p2p_vec q)
{
    const exchange_slot *s = &self->slots[slot];
    p2p_status st = scatter(self, s, self->at.degree, decay, a, index, q, exchange_own_estimate(self, e));

    for (size_t j = 0; j < self->at.degree && st == P2P_OK; j++)
        if (self->heard[j])
            st = scatter(self, s, j, decay, a, index, q, exchange_neighbour_estimate(self, e, j));
    return st;
}

static p2p_status
set_estimate(const p2p_exchange *self, const exchange_slot *s, size_t neighbour, p2p_vec e)
{
    if ((neighbour == self->at.degree ? s->own.len : s->received[neighbour].len) == 0)
        return P2P_OK;
    p2p_vec_zero(e);
    return p2pi_exchange_add_message(self, s, neighbour, 1, e);
}

p2p_status
p2pi_exchange_estimate_set(p2p_exchange *self, p2p_estimate *e, size_t slot)
{
    const exchange_slot *s = &self->slots[slot];
    p2p_status st = set_estimate(self, s, self->at.degree, exchange_own_estimate(self, e));

    for (size_t j = 0; j < self->at.degree && st == P2P_OK; j++)
        if (self->heard[j])
            st = set_estimate(self, s, j, exchange_neighbour_estimate(self, e, j));
    return st;
}

static p2p_status
need_hub(const p2p_exchange *self)
{
    return self->heard[0] ? P2P_OK
                          : p2p_fail(P2P_EIO, "the hub, node 0, is lost: a star has no rounds without it");
}

p2p_status
p2pi_exchange_take_from_hub(const p2p_exchange *self, size_t slot, p2p_vec x)
{
    p2p_status st = need_hub(self);

    if (st != P2P_OK)
        return st;
    p2p_vec_zero(x);
    return p2pi_exchange_add_message(self, &self->slots[slot], 0, 1, x);
}

p2p_status
p2pi_exchange_scalar_from_hub(const p2p_exchange *self, size_t slot, double *value)
{
    p2p_status st = need_hub(self);

    if (st == P2P_OK)
        *value = exchange_scalar(self->slots[slot].received[0]);
    return st;
}

double
p2pi_exchange_largest_scalar(const p2p_exchange *self, size_t slot)
{
    const exchange_slot *s = &self->slots[slot];
    double largest = exchange_scalar(s->own);

    for (size_t j = 0; j < self->at.degree; j++)
        if (self->heard[j])
            largest = fmax(largest, exchange_scalar(s->received[j]));
    return largest;
}
