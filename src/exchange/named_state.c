/* The named parts of a method's state that an exchange keeps. */
#include "base/fail.h"
#include "exchange/all_reduce.h"
#include "exchange/exchange_state.h"

#include <stdio.h>
#include <string.h>

p2p_status
p2pi_exchange_add_part(p2p_exchange *self, const char *name, void *data, size_t bytes)
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

p2p_status
p2pi_exchange_vector(p2p_exchange *self, const char *name, p2p_vec *out)
{
    *out = exchange_vec(self, p2pi_arena_take(self->arena, exchange_bytes(self)));
    return p2pi_exchange_add_part(self, name, out->data, exchange_bytes(self));
}

p2p_status
p2pi_exchange_vector_of(p2p_exchange *self, const char *name, size_t dim, p2p_vec *out)
{
    const size_t size = p2p_dtype_size(self->shape.type);

    *out = (p2p_vec){ p2pi_arena_array(self->arena, dim, size), dim, self->shape.type };
    return p2pi_exchange_add_part(self, name, out->data, dim * size);
}

p2p_status
p2pi_exchange_indices(p2p_exchange *self, size_t count, size_t **out)
{
    *out = p2pi_arena_array(self->arena, count, sizeof **out);
    return *out != NULL ? P2P_OK : P2P_ENOMEM;
}

p2p_status
p2pi_exchange_scalar(p2p_exchange *self, const char *name, double *where)
{
    return p2pi_exchange_add_part(self, name, where, sizeof *where);
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
    return p2pi_exchange_add_part(self, name, e->vectors, count * exchange_stride(self));
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
    return p2pi_exchange_add_part(self, name, d->vectors, count * exchange_stride(self));
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

/* ---- all of it */

static p2p_status
visit_compressor(const exchange_slot *slot, size_t number, p2pi_memory_fn *visit, void *user)
{
    const p2p_compressor *compressor =
        slot->reduce != NULL ? p2pi_all_reduce_compressor(slot->reduce) : slot->compressor;
    char name[P2P_TEXT_MAX];
    const char *part;
    p2p_status st = P2P_OK;
    p2p_vec value;

    for (size_t i = 0; compressor != NULL && st == P2P_OK; i++) {
        if (!p2p_compressor_state(compressor, i, &part, &value))
            break;
        snprintf(name, sizeof name, "slot%zu.%s", number, part);
        st = visit(user, name, value.data, value.dim * p2p_dtype_size(value.type));
    }
    return st;
}

p2p_status
p2pi_exchange_memory(p2p_exchange *self, p2pi_memory_fn *visit, void *user)
{
    p2p_status st = P2P_OK;

    for (size_t i = 0; i < self->part_count && st == P2P_OK; i++)
        st = visit(user, self->parts[i].name, self->parts[i].data, self->parts[i].bytes);
    for (size_t i = 0; i < self->slot_count && st == P2P_OK; i++) {
        st = visit(user, "doublings", &self->slots[i].doublings, sizeof self->slots[i].doublings);
        if (st == P2P_OK)
            st = visit_compressor(&self->slots[i], i, visit, user);
    }
    if (st == P2P_OK && (st = visit(user, "bits", &self->bits, sizeof self->bits)) == P2P_OK &&
        (st = visit(user, "bits.nominal", &self->bits_nominal, sizeof self->bits_nominal)) == P2P_OK &&
        (st = visit(user, "vectors", &self->vectors, sizeof self->vectors)) == P2P_OK)
        st = visit(user, "overloads", &self->overloads, sizeof self->overloads);
    return st;
}
