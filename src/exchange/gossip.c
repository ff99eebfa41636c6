/* What a node computes from messages and estimates: the same operations in the same order on every transport. */
#include "exchange/exchange_state.h"
#include "exchange/gossip_kernels.h"

#include <assert.h>
#include <string.h>

/* Whether every message of the slot has its reals somewhere. */
static int
is_dense(const exchange_slot *slot)
{
    return (slot->plain || slot->decoded != NULL) && !(slot->kind & P2P_SLOT_SILENT);
}

p2p_status
p2pi_exchange_add_message(const p2p_exchange *self, const exchange_slot *slot, size_t neighbour, double a, p2p_vec y)
{
    const int own = neighbour == self->at.degree;
    p2pi_message message = own ? slot->own : slot->received[neighbour];
    p2p_env env = exchange_env(self, slot, own ? self->rank : self->at.peers[neighbour], message.doublings);

    if (message.len == 0)
        return P2P_OK;
    if (slot->plain || slot->decoded != NULL) {
        p2pi_gossip_update(y, a, exchange_reals(self, slot, neighbour));
        return P2P_OK;
    }
    return p2p_compressor_axpy(slot->compressor, &env, message.bytes, message.len, 1, a, y);
}

/* ---- estimates and duals */

p2p_view
p2pi_exchange_own(const p2p_exchange *self, const p2p_estimate *e)
{
    return p2p_view_of(exchange_own_estimate(self, e));
}

p2p_view
p2pi_exchange_duals_sum(const p2p_exchange *self, const p2p_edge_duals *duals)
{
    return p2p_view_of(exchange_dual_sum(self, duals));
}

p2p_status
p2pi_exchange_update(p2p_exchange *self, p2p_estimate *e, size_t slot, double a)
{
    const exchange_slot *s = &self->slots[slot];
    p2p_status st = p2pi_exchange_add_message(self, s, self->at.degree, a, exchange_own_estimate(self, e));

    for (size_t j = 0; j < self->at.degree && st == P2P_OK; j++)
        if (self->heard[j])
            st = p2pi_exchange_add_message(self, s, j, a, exchange_neighbour_estimate(self, e, j));
    return st == P2P_OK && self->liar != NULL ? p2pi_liar_update(self, e, slot, a) : st;
}

/* The Laplacian of vectors whose addresses are in self->source, with duals if there are any. */
static void
laplacian(const p2p_exchange *self, const void *own, double c, p2p_edge_duals *duals, p2p_vec s)
{
    size_t degree = self->at.degree;

    if (duals == NULL) {
        p2pi_gossip_laplacian(own, degree, self->source, self->at.weights, s);
        return;
    }
    for (size_t j = 0; j < degree; j++)
        self->target[j] = exchange_dual(self, duals, j).data;
    p2pi_gossip_laplacian_dual(own, degree, self->source, self->at.weights, c, self->target,
                               exchange_dual_sum(self, duals), s);
}

void
p2pi_exchange_estimate_laplacian(const p2p_exchange *self, const p2p_estimate *e, double c, p2p_edge_duals *duals,
                                 p2p_vec s)
{
    const void *own = exchange_own_estimate(self, e).data;

    /* At an end of a stage the live edges are those that were heard; before it they are those of the stage before. */
    for (size_t j = 0; j < self->at.degree; j++)
        self->source[j] = self->alive[j] ? exchange_neighbour_estimate(self, e, j).data : own;
    laplacian(self, own, c, duals, s);
}

void
p2pi_exchange_slot_laplacian(const p2p_exchange *self, size_t slot, double c, p2p_edge_duals *duals, p2p_vec s)
{
    const exchange_slot *at = &self->slots[slot];
    const void *own = exchange_reals(self, at, self->at.degree);

    assert(is_dense(at));
    for (size_t j = 0; j < self->at.degree; j++)
        self->source[j] = self->heard[j] ? exchange_reals(self, at, j) : own;
    laplacian(self, own, c, duals, s);
}

/* ---- mixing */

/*
 * z = a y + b sum_j w_ij q_j of dense messages, in ascending order of j, own term in its place. Returns 0 if an entry
 * of the result is not finite.
 */
static int
mix_dense(const p2p_exchange *self, const exchange_slot *slot, const void *own, double a, p2p_view y, double b,
          p2p_vec z)
{
    size_t at = 0;

    for (size_t j = 0; j <= self->at.degree; j++) {
        if (j == self->before) {
            self->source[at] = own;
            self->weight[at++] = self->at.self_weight;
        }
        if (j < self->at.degree && self->at.weights[j] != 0) {
            self->source[at] = self->heard[j] ? exchange_reals(self, slot, j) : own;
            self->weight[at++] = self->at.weights[j];
        }
    }
    return p2pi_gossip_mix(a, y, b, at, self->source, self->weight, z);
}

static p2p_status
mix_messages(const p2p_exchange *self, const exchange_slot *slot, double b, p2p_vec z)
{
    const size_t own = self->at.degree;
    p2p_status st = P2P_OK;

    for (size_t j = 0; j <= self->at.degree && st == P2P_OK; j++) {
        if (j == self->before)
            st = p2pi_exchange_add_message(self, slot, own, b * self->at.self_weight, z);
        if (j < self->at.degree && st == P2P_OK && self->at.weights[j] != 0)
            st = p2pi_exchange_add_message(self, slot, self->heard[j] ? j : own, b * self->at.weights[j], z);
    }
    return st;
}

p2p_status
p2pi_exchange_mix(p2p_exchange *self, size_t slot, double a, p2p_view y, double b, p2p_vec z)
{
    const exchange_slot *s = &self->slots[slot];

    if (is_dense(s)) {
        mix_dense(self, s, exchange_reals(self, s, self->at.degree), a, y, b, z);
        return P2P_OK;
    }
    if (a == 0)
        p2p_vec_zero(z);
    else
        p2p_vec_combine(z, a, y, 0, y);
    return mix_messages(self, s, b, z);
}

/* Neighbours that sent reals that are not finite are not heard after all; returns how many there are. */
static size_t
refuse_nonfinite(p2p_exchange *self, const exchange_slot *slot)
{
    size_t count = 0;

    for (size_t j = 0; j < self->at.degree; j++) {
        if (!self->heard[j] ||
            p2pi_gossip_is_finite(self->shape.dim, self->shape.type, exchange_reals(self, slot, j)))
            continue;
        self->heard[j] = 0;
        self->refused[j] = 1;
        count++;
    }
    return count;
}

/* The mean, again without those who sent what it cannot take; x has been overwritten then, its message has not. */
static void
mix_late(p2p_exchange *self, const exchange_slot *slot, p2p_view own, double a, p2p_view y, p2p_vec z)
{
    if (!mix_dense(self, slot, own.data, a, y, 1, z) && refuse_nonfinite(self, slot) > 0)
        mix_dense(self, slot, exchange_reals(self, slot, self->at.degree), a, y, 1, z);
}

/* Vectors of the heard neighbours, aligned; the weights of the others go to own. Returns how many there are. */
static size_t
list_vectors(const p2p_exchange *self, const exchange_slot *slot)
{
    size_t count = 0;

    self->weight[0] = self->at.self_weight;
    for (size_t j = 0; j < self->at.degree; j++) {
        p2p_vec v = exchange_decoded(self, slot, count);

        if (!self->heard[j]) {
            self->weight[0] += self->at.weights[j];
            continue;
        }
        memcpy(v.data, exchange_reals(self, slot, j), exchange_bytes(self));
        slot->vectors[count++] = p2p_view_of(v);
        self->weight[count] = self->at.weights[j];
    }
    return count;
}

/* With fewer vectors than the rule needs for its liars, the node goes on with its own. */
p2p_status
p2pi_exchange_apply_rule(p2p_exchange *self, p2p_view own, size_t count, const p2p_view *vectors, p2p_vec z)
{
    p2p_status st;

    self->weight[0] = fmin(self->weight[0], 1); /* the weights of all others, added to it, round to more */
    p2p_aggregator_round(self->rule, self->seed, self->round);
    if ((st = p2p_aggregator_apply(self->rule, own, count, vectors, self->weight, z)) != P2P_ENOTSUP)
        return st;
    p2p_vec_copy(z, own);
    return P2P_OK;
}

p2p_status
p2pi_exchange_estimate_aggregate(p2p_exchange *self, const p2p_estimate *e, p2p_vec z)
{
    const p2p_view own = p2p_view_of(exchange_own_estimate(self, e));
    size_t count = 0;

    if (self->rule == NULL) {
        p2pi_exchange_estimate_laplacian(self, e, 0, NULL, z);
        p2p_vec_combine(z, 1, own, -1, p2p_view_of(z));
        return P2P_OK;
    }
    self->weight[0] = self->at.self_weight;
    for (size_t j = 0; j < self->at.degree; j++) {
        if (!self->alive[j]) {
            self->weight[0] += self->at.weights[j];
            continue;
        }
        e->heard[count++] = p2p_view_of(exchange_neighbour_estimate(self, e, j));
        self->weight[count] = self->at.weights[j];
    }
    return p2pi_exchange_apply_rule(self, own, count, e->heard, z);
}

p2p_status
p2pi_exchange_aggregate(p2p_exchange *self, size_t slot, p2p_view own, double a, p2p_view y, p2p_vec z)
{
    const exchange_slot *s = &self->slots[slot];
    size_t count;
    p2p_status st;

    assert(s->kind & P2P_SLOT_AGGREGATE);
    if (self->rule == NULL) {
        mix_late(self, s, own, a, y, z);
        return P2P_OK;
    }
    count = list_vectors(self, s);
    st = p2pi_exchange_apply_rule(self, own, count, s->vectors, z);
    if (st == P2P_OK && a != 0)
        p2p_vec_axpy(z, a, y);
    return st;
}
