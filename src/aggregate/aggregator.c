/* The public face of the rules: checks every rule needs are made once, here, and rows that lie openly are dropped. */
#include <p2popt/aggregator.h>

#include "aggregate/aggregator_family.h"
#include "aggregate/columns.h"
#include "aggregate/rule.h"
#include "base/arena.h"
#include "base/fail.h"
#include "base/spec.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SPEC_MAX = 512 };

struct p2p_aggregator {
    p2pi_arena *arena;
    const p2pi_aggregator_vt *rule;
    void *param;
    size_t count; /* most neighbours */
    p2pi_rows rows;
    double *coefficient;
    size_t *refused, refused_count;
    char spec[SPEC_MAX];
};

static p2p_status
take_memory(p2p_aggregator *self)
{
    size_t rows = self->count + 1;

    if (rows == 0)
        return p2p_fail(P2P_EINVAL, "aggregator \"%s\": too many vectors", self->spec);
    self->rows.row = p2pi_arena_array(self->arena, rows, sizeof *self->rows.row);
    self->rows.weight = p2pi_arena_array(self->arena, rows, sizeof *self->rows.weight);
    self->coefficient = p2pi_arena_array(self->arena, rows, sizeof *self->coefficient);
    self->refused = p2pi_arena_array(self->arena, rows, sizeof *self->refused);
    return self->rows.row && self->rows.weight && self->coefficient && self->refused ? P2P_OK : P2P_ENOMEM;
}

static p2p_status
parse(p2p_aggregator *self, const char *spec)
{
    p2pi_span name, options;
    p2p_status st;
    size_t i;

    p2pi_spec_split(p2pi_span_of(spec), &name, &options);
    if ((st = p2pi_spec_find("aggregator", name, p2pi_aggregator_entry, &i)) != P2P_OK)
        return st;
    self->rule = p2pi_aggregator_table(i);
    if ((self->param = p2pi_arena_take(self->arena, self->rule->entry.param_size)) == NULL)
        return P2P_ENOMEM;
    if ((st = p2pi_spec_parse("aggregator", &self->rule->entry, options, self->param)) != P2P_OK)
        return st;
    p2pi_spec_format(&self->rule->entry, self->param, self->spec, sizeof self->spec);
    return P2P_OK;
}

p2p_status
p2p_aggregator_new(p2p_aggregator **out, const char *spec, size_t count, size_t dim, p2p_dtype type)
{
    p2p_aggregator *self;
    p2p_status st;

    *out = NULL;
    if (dim == 0)
        return p2p_fail(P2P_EINVAL, "aggregator \"%s\": dimension 0: expected at least 1", spec);
    if ((self = calloc(1, sizeof *self)) == NULL)
        return p2pi_fail_memory("aggregator", sizeof *self);
    self->count = count;
    self->rows.dim = dim;
    self->rows.type = type;
    if ((st = p2pi_arena_new(&self->arena)) != P2P_OK || (st = parse(self, spec)) != P2P_OK ||
        (st = take_memory(self)) != P2P_OK) {
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
    return self->spec;
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
        return p2p_fail(P2P_EINVAL, "aggregator \"%s\": %zu vectors: opened for at most %zu", self->spec, count,
                        self->count);
    if (count == 0 && own.data == NULL)
        return p2p_fail(P2P_EINVAL, "aggregator \"%s\": there is no vector", self->spec);
    if ((own.data != NULL && !fits(self, own.dim, own.type)) || !fits(self, z.dim, z.type))
        return p2p_fail(P2P_EINVAL, "aggregator \"%s\": own and result must have %zu entries of %s", self->spec,
                        self->rows.dim, p2p_dtype_name(self->rows.type));
    for (size_t j = 0; j < count; j++)
        if (!fits(self, vectors[j].dim, vectors[j].type))
            return p2p_fail(P2P_EINVAL, "aggregator \"%s\": vector %zu has %zu entries of %s, expected %zu of %s",
                            self->spec, j, vectors[j].dim, p2p_dtype_name(vectors[j].type), self->rows.dim,
                            p2p_dtype_name(self->rows.type));
    return P2P_OK;
}

static p2p_status
check_weights(const p2p_aggregator *self, size_t count, const double *weights)
{
    double sum = 0;

    for (size_t j = 0; j <= count; j++) {
        if (!(weights[j] >= 0 && weights[j] <= 1))
            return p2p_fail(P2P_EINVAL, "aggregator \"%s\": weight %zu is %g: expected 0 to 1", self->spec, j,
                            weights[j]);
        sum += weights[j];
    }
    if (fabs(sum - 1) > 1e-9)
        return p2p_fail(P2P_EINVAL, "aggregator \"%s\": the weights sum to %.12g: expected 1", self->spec, sum);
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
            return p2p_fail(P2P_EINVAL, "aggregator \"%s\": entry %zu of the own vector is %g", self->spec, bad,
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

p2p_status
p2p_aggregator_apply(p2p_aggregator *self, p2p_view own, size_t count, const p2p_view *vectors,
                     const double *weights, p2p_vec z)
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
    if (self->rows.count == 0)
        return p2p_fail(P2P_EINVAL, "aggregator \"%s\": all %zu vectors were refused", self->spec, count);
    return self->rule->apply(self->param, &self->rows, self->coefficient, z);
}
