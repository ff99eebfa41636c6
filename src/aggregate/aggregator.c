/* The public face of the rules: checks every rule needs are made once, here, and rows that lie openly are dropped. */
#include <p2popt/aggregator.h>

#include "aggregate/chain.h"
#include "aggregate/columns.h"
#include "base/fail.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What pre-aggregators make: their matrix and the rows that the next member sees. */
typedef struct {
    p2pi_rows rows;
    double *matrix, *weight;
    void **row;
} mixture;

struct p2p_aggregator {
    p2pi_arena *arena;
    p2pi_chain chain;
    size_t count; /* most neighbours */
    p2pi_rows rows;
    p2pi_scratch scratch;
    mixture mixed; /* no memory in a chain of one */
    size_t *refused, refused_count;
};

/* Arrays for the most rows there can be and one more, which centred clipping adds. */
static int
take_lists(p2p_aggregator *self, size_t rows)
{
    p2pi_scratch *s = &self->scratch;

    self->rows.row = p2pi_arena_array(self->arena, rows, sizeof *self->rows.row);
    self->rows.weight = p2pi_arena_array(self->arena, rows, sizeof *self->rows.weight);
    self->refused = p2pi_arena_array(self->arena, rows, sizeof *self->refused);
    s->coefficient = p2pi_arena_array(self->arena, rows, sizeof *s->coefficient);
    s->number = p2pi_arena_array(self->arena, rows, sizeof *s->number);
    s->index = p2pi_arena_array(self->arena, rows, sizeof *s->index);
    s->row = p2pi_arena_array(self->arena, rows, sizeof *s->row);
    return self->rows.row && self->rows.weight && self->refused && s->coefficient && s->number && s->index && s->row;
}

static int
take_mixture(p2p_aggregator *self, size_t rows)
{
    size_t size = p2p_dtype_size(self->rows.type);
    mixture *m = &self->mixed;

    m->rows.row = p2pi_arena_array(self->arena, rows, sizeof *m->rows.row);
    m->rows.weight = p2pi_arena_array(self->arena, rows, sizeof *m->rows.weight);
    m->weight = p2pi_arena_array(self->arena, rows, sizeof *m->weight);
    m->row = p2pi_arena_array(self->arena, rows, sizeof *m->row);
    m->matrix = p2pi_arena_array(self->arena, rows, rows * sizeof *m->matrix);
    if (!m->rows.row || !m->rows.weight || !m->weight || !m->row || !m->matrix)
        return 0;
    for (size_t i = 0; i < rows; i++)
        if ((m->row[i] = p2pi_arena_array(self->arena, self->rows.dim, size)) == NULL)
            return 0;
    return 1;
}

/* What the members' tables ask for; a chain of one mixes nothing. */
static p2p_status
take_memory(p2p_aggregator *self)
{
    size_t rows = self->count + 2, matrices = 0, mixes = self->chain.count > 1;
    p2pi_scratch *s = &self->scratch;
    unsigned traits = 0;
    int ok;

    for (size_t i = 0; i < self->chain.count; i++) {
        const p2pi_aggregator_vt *vt = self->chain.member[i].vt;

        traits |= vt->traits;
        matrices = vt->matrices > matrices ? vt->matrices : matrices;
    }
    ok = take_lists(self, rows) && (!mixes || take_mixture(self, rows));
    if (ok && matrices > 0)
        ok = (s->pair = p2pi_arena_array(self->arena, rows, matrices * rows * sizeof *s->pair)) != NULL;
    if (ok && (mixes || (traits & P2PI_RULE_BLOCKS)))
        ok = (s->block = p2pi_arena_array(self->arena, rows, 2 * P2PI_STRIDE * sizeof *s->block)) != NULL;
    if (ok && (traits & P2PI_RULE_MEMORY)) {
        s->memory.dim = self->rows.dim;
        s->memory.type = self->rows.type;
        ok =
            (s->memory.data = p2pi_arena_array(self->arena, self->rows.dim, p2p_dtype_size(self->rows.type))) != NULL;
    }
    return ok ? P2P_OK : P2P_ENOMEM;
}

static p2p_status
build(p2p_aggregator *self, const char *spec)
{
    p2p_status st;

    if ((st = p2pi_arena_new(&self->arena)) != P2P_OK ||
        (st = p2pi_chain_parse(&self->chain, self->arena, spec)) != P2P_OK)
        return st;
    if (self->count > 0 && (st = p2pi_chain_check(&self->chain, P2P_EINVAL, self->count + 1, 1, 0)) != P2P_OK)
        return st;
    return take_memory(self);
}

p2p_status
p2p_aggregator_new(p2p_aggregator **out, const char *spec, size_t count, size_t dim, p2p_dtype type)
{
    p2p_aggregator *self;
    p2p_status st;

    *out = NULL;
    if (dim == 0)
        return p2p_fail(P2P_EINVAL, "aggregator \"%s\": dimension 0: expected at least 1", spec);
    if (count > UINT32_MAX)
        return p2p_fail(P2P_EINVAL, "aggregator \"%s\": %zu vectors: expected fewer than 2^32", spec, count);
    if ((self = calloc(1, sizeof *self)) == NULL)
        return p2pi_fail_memory("aggregator", sizeof *self);
    self->count = count;
    self->rows.dim = dim;
    self->rows.type = type;
    if ((st = build(self, spec)) != P2P_OK) {
        p2p_aggregator_destroy(&self);
        return st;
    }
    *out = self;
    return P2P_OK;
}

void
p2p_aggregator_destroy(p2p_aggregator **self)
{
    if (*self == NULL)
        return;
    p2pi_arena_destroy(&(*self)->arena);
    free(*self);
    *self = NULL;
}

const char *
p2p_aggregator_spec(const p2p_aggregator *self)
{
    return self->chain.spec;
}

void
p2p_aggregator_round(p2p_aggregator *self, uint64_t seed, uint32_t round)
{
    self->rows.seed = seed;
    self->rows.round = round;
}

p2p_vec
p2p_aggregator_memory(p2p_aggregator *self)
{
    return self->scratch.memory;
}

size_t
p2p_aggregator_refused(const p2p_aggregator *self, const size_t **senders)
{
    *senders = self->refused;
    return self->refused_count;
}

static int
fits(const p2p_aggregator *self, size_t dim, p2p_dtype type)
{
    return dim == self->rows.dim && type == self->rows.type;
}

static p2p_status
check_shapes(const p2p_aggregator *self, p2p_view own, size_t count, const p2p_view *vectors, p2p_vec z)
{
    if (count > self->count)
        return p2p_fail(P2P_EINVAL, "aggregator \"%s\": %zu vectors: opened for at most %zu", self->chain.spec, count,
                        self->count);
    if (count == 0 && own.data == NULL)
        return p2p_fail(P2P_EINVAL, "aggregator \"%s\": there is no vector", self->chain.spec);
    if ((own.data != NULL && !fits(self, own.dim, own.type)) || !fits(self, z.dim, z.type))
        return p2p_fail(P2P_EINVAL, "aggregator \"%s\": own and result must have %zu entries of %s", self->chain.spec,
                        self->rows.dim, p2p_dtype_name(self->rows.type));
    for (size_t j = 0; j < count; j++)
        if (!fits(self, vectors[j].dim, vectors[j].type))
            return p2p_fail(P2P_EINVAL, "aggregator \"%s\": vector %zu has %zu entries of %s, expected %zu of %s",
                            self->chain.spec, j, vectors[j].dim, p2p_dtype_name(vectors[j].type), self->rows.dim,
                            p2p_dtype_name(self->rows.type));
    return P2P_OK;
}

static p2p_status
check_weights(const p2p_aggregator *self, size_t count, const double *weights)
{
    double sum = 0;

    for (size_t j = 0; j <= count; j++) {
        if (!(weights[j] >= 0 && weights[j] <= 1))
            return p2p_fail(P2P_EINVAL, "aggregator \"%s\": weight %zu is %g: expected 0 to 1", self->chain.spec, j,
                            weights[j]);
        sum += weights[j];
    }
    if (fabs(sum - 1) > 1e-9)
        return p2p_fail(P2P_EINVAL, "aggregator \"%s\": the weights sum to %.12g: expected 1", self->chain.spec, sum);
    return P2P_OK;
}

static void
add_row(p2pi_rows *rows, p2p_view v, double weight)
{
    rows->row[rows->count] = v.data;
    rows->weight[rows->count++] = weight;
}

/* The rows that the rule may see. */
static p2p_status
screen(p2p_aggregator *self, p2p_view own, size_t count, const p2p_view *vectors, const double *weights)
{
    double alike = 1.0 / (double)(count + (own.data != NULL));
    size_t bad;

    self->rows.count = 0;
    self->rows.own = own.data != NULL;
    self->refused_count = 0;
    if (self->rows.own) {
        if ((bad = p2pi_columns_unsound(own)) < own.dim)
            return p2p_fail(P2P_EINVAL, "aggregator \"%s\": entry %zu of the own vector is %g", self->chain.spec, bad,
                            p2p_vec_get(own, bad));
        add_row(&self->rows, own, weights ? weights[0] : alike);
    }
    for (size_t j = 0; j < count; j++)
        if (p2pi_columns_unsound(vectors[j]) < vectors[j].dim)
            self->refused[self->refused_count++] = j;
        else
            add_row(&self->rows, vectors[j], weights ? weights[1 + j] : alike);
    return P2P_OK;
}

/* Run a pre-aggregator: its outputs take the place of the rows. */
static void
mix(p2p_aggregator *self, const p2pi_chain_member *member, const p2pi_rows *in)
{
    mixture *mixed = &self->mixed;
    size_t outputs = p2pi_chain_outputs(member, in->count);
    p2pi_rows out = *in;

    member->vt->mix(member->param, in, &self->scratch, mixed->matrix, mixed->weight);
    p2pi_columns_transform(in, mixed->matrix, outputs, self->scratch.block, mixed->row);
    out.count = outputs;
    out.own = in->own && !(member->vt->traits & P2PI_RULE_MIXES_OWN);
    out.row = mixed->rows.row;
    out.weight = mixed->rows.weight;
    memcpy(out.weight, mixed->weight, outputs * sizeof *out.weight);
    for (size_t i = 0; i < outputs; i++)
        out.row[i] = mixed->row[i];
    mixed->rows = out;
}

static void
run(p2p_aggregator *self, p2p_vec z)
{
    p2pi_rows *rows = &self->rows;

    for (size_t i = 0; i < self->chain.count; i++) {
        const p2pi_chain_member *member = &self->chain.member[i];

        rows->liars = p2pi_chain_liars(member, self->refused_count);
        if (member->vt->apply != NULL)
            member->vt->apply(member->param, rows, &self->scratch, z);
        else
            mix(self, member, rows);
        rows = i + 1 < self->chain.count ? &self->mixed.rows : rows;
    }
}

static p2p_status
check_rows(const p2p_aggregator *self)
{
    const p2pi_rows *rows = &self->rows;
    double total = 0;

    if (rows->count == 0)
        return p2p_fail(P2P_ENOTSUP, "aggregator \"%s\": all vectors were refused", self->chain.spec);
    for (size_t j = 0; j < rows->count; j++)
        total += rows->weight[j];
    if (!rows->own && total == 0)
        return p2p_fail(P2P_ENOTSUP, "aggregator \"%s\": every vector that is left has weight 0", self->chain.spec);
    return p2pi_chain_check(&self->chain, P2P_ENOTSUP, rows->count, rows->own, self->refused_count);
}

p2p_status
p2p_aggregator_apply(p2p_aggregator *self, p2p_view own, size_t count, const p2p_view *vectors, const double *weights,
                     p2p_vec z)
{
    p2p_status st;

    if ((st = check_shapes(self, own, count, vectors, z)) != P2P_OK ||
        (weights != NULL && (st = check_weights(self, count, weights)) != P2P_OK) ||
        (st = screen(self, own, count, vectors, weights)) != P2P_OK)
        return st;
    if (self->rows.own && self->rows.count == 1) {
        p2p_vec_copy(z, own);
        return P2P_OK;
    }
    if ((st = check_rows(self)) != P2P_OK)
        return st;
    run(self, z);
    return P2P_OK;
}
