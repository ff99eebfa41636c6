/* Data sets in memory. */
#include "problem/dataset.h"

#include "base/fail.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int
by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Distinct labels are kept sorted; data sets list few, so a search by halves and a shift are cheap. */
p2pi_classes
p2pi_classes_of(const double *labels, size_t count)
{
    const p2pi_classes none = { 0, 0, 0 };
    double distinct[P2PI_CLASSES_MAX];
    p2pi_classes classes;
    size_t n = 0;

    for (size_t i = 0; i < count; i++) {
        if (labels[i] != floor(labels[i]) || fabs(labels[i]) > 1e9)
            return none;
        if (n > 0 && bsearch(&labels[i], distinct, n, sizeof *distinct, by_value) != NULL)
            continue;
        if (n == P2PI_CLASSES_MAX)
            return none;
        size_t at = n++;
        for (; at > 0 && distinct[at - 1] > labels[i]; at--)
            distinct[at] = distinct[at - 1];
        distinct[at] = labels[i];
    }
    if (n == 0)
        return none;
    classes = (p2pi_classes){ n, distinct[0], distinct[n - 1] };
    return classes;
}

static int
within(const p2pi_classes *c, double low, double high)
{
    return c->count > 0 && (c->low == low || c->low == high) && (c->high == low || c->high == high);
}

static p2p_status
refuse(const p2pi_classes *c, const char *expected)
{
    if (c->count == 0)
        return p2p_fail(P2P_EINVAL, "labels: not integers, or more than %d distinct ones: expected %s",
                        P2PI_CLASSES_MAX, expected);
    return p2p_fail(P2P_EINVAL, "labels: %zu distinct from %g to %g: expected %s", c->count, c->low, c->high,
                    expected);
}

p2p_status
p2pi_classes_signs(const p2pi_classes *self, double *scale, double *shift)
{
    *scale = 1;
    *shift = 0;
    if (self->count <= 2 && within(self, -1, 1))
        return P2P_OK;
    *scale = 2;
    *shift = -1;
    if (self->count <= 2 && within(self, 0, 1))
        return P2P_OK;
    *shift = -3;
    if (self->count <= 2 && within(self, 1, 2))
        return P2P_OK;
    return refuse(self, "two classes: -1 and +1, 0 and 1, or 1 and 2");
}

p2p_status
p2pi_classes_numbers(const p2pi_classes *self, size_t *count, double *scale, double *shift)
{
    char expected[128];
    double most;

    *scale = 1;
    *shift = self->low >= 1 ? -1 : 0;
    if (self->count == 2 && self->low == -1 && self->high == 1) {
        *scale = 0.5;
        *shift = 0.5;
    }
    most = self->high * *scale + *shift + 1;
    if (self->count > 0 && self->low * *scale + *shift >= 0) {
        if (*count == 0 && (double)self->count == most)
            *count = self->count;
        if ((double)*count >= most)
            return P2P_OK;
    }
    if (*count == 0)
        return refuse(self, "0 to K-1 or 1 to K, none missing (or classes=K)");
    snprintf(expected, sizeof expected, "0 to %zu or 1 to %zu, as classes=%zu says", *count - 1, *count, *count);
    return refuse(self, expected);
}

int
p2pi_dense_pays(size_t rows, size_t cols, size_t entries)
{
    return (double)entries > 0.4 * (double)rows * (double)cols;
}

p2p_status
p2pi_data_make(p2p_data **out, p2pi_data_room *room, size_t rows, size_t cols, int dense, size_t entries)
{
    p2p_data *self;
    p2p_status st;

    *out = NULL;
    memset(room, 0, sizeof *room);
    if (dense && __builtin_mul_overflow(rows, cols, &entries))
        return p2pi_fail_memory("data", SIZE_MAX);
    if ((self = calloc(1, sizeof *self)) == NULL)
        return p2pi_fail_memory("data", sizeof *self);
    if ((st = p2pi_arena_new(&self->arena)) != P2P_OK)
        goto fail;
    st = P2P_ENOMEM;
    if ((room->values = p2pi_arena_array(self->arena, entries, sizeof *room->values)) == NULL ||
        (room->labels = p2pi_arena_array(self->arena, rows, sizeof *room->labels)) == NULL)
        goto fail;
    if (!dense && ((room->columns = p2pi_arena_array(self->arena, entries, sizeof *room->columns)) == NULL ||
                   (room->starts = p2pi_arena_array(self->arena, rows + 1, sizeof *room->starts)) == NULL))
        goto fail;
    self->rows = (p2pi_rows){ rows, cols, room->values, room->columns, room->starts, 0 };
    self->labels = room->labels;
    self->total = rows;
    *out = self;
    return P2P_OK;
fail:
    p2p_data_destroy(&self);
    return st;
}

void
p2pi_data_describe(p2p_data *self, size_t total, size_t first, const p2pi_classes *classes)
{
    const p2pi_classes *c = classes;

    self->total = total;
    self->first = first;
    self->classes = *c;
    self->notice[0] = '\0';
    if (c->count == 2 && c->high == c->low + 1 && (c->low == 0 || c->low == 1))
        snprintf(self->notice, sizeof self->notice, "labels %g and %g are taken as -1 and +1 by two-class problems",
                 c->low, c->high);
    else if (c->low == 1 && c->count > 2 && c->high == (double)c->count)
        snprintf(self->notice, sizeof self->notice, "labels 1 to %zu are taken as classes 0 to %zu", c->count,
                 c->count - 1);
}

p2p_status
p2p_data_from_dense(p2p_data **out, size_t rows, size_t features, const double *a, const double *labels)
{
    p2pi_data_room room;
    p2pi_classes classes;
    p2p_status st;

    *out = NULL;
    if (rows == 0 || features == 0)
        return p2p_fail(P2P_EINVAL, "data: %zu rows of %zu features: expected at least one of each", rows, features);
    for (size_t j = 0; j < rows; j++) {
        for (size_t k = 0; k < features; k++)
            if (!isfinite(a[j * features + k]))
                return p2p_fail(P2P_EINVAL, "data: row %zu, feature %zu: not finite", j, k);
        if (!isfinite(labels[j]))
            return p2p_fail(P2P_EINVAL, "data: label of row %zu: not finite", j);
    }
    if ((st = p2pi_data_make(out, &room, rows, features, 1, 0)) != P2P_OK)
        return st;
    memcpy(room.values, a, rows * features * sizeof *a);
    memcpy(room.labels, labels, rows * sizeof *labels);
    classes = p2pi_classes_of(labels, rows);
    p2pi_data_describe(*out, rows, 0, &classes);
    return P2P_OK;
}

void
p2p_data_destroy(p2p_data **self)
{
    if (*self == NULL)
        return;
    p2pi_arena_destroy(&(*self)->arena);
    free(*self);
    *self = NULL;
}

size_t
p2p_data_rows(const p2p_data *self)
{
    return self->rows.rows;
}

size_t
p2p_data_rows_total(const p2p_data *self)
{
    return self->total;
}

size_t
p2p_data_features(const p2p_data *self)
{
    return self->rows.cols;
}

size_t
p2p_data_classes(const p2p_data *self)
{
    return self->classes.count;
}

p2p_status
p2pi_data_flip_labels(p2p_data *self)
{
    const double sum = self->classes.count > 0 ? self->classes.low + self->classes.high : 0;
    double *flipped = p2pi_arena_array(self->arena, self->rows.rows, sizeof *flipped);

    if (flipped == NULL)
        return P2P_ENOMEM;
    for (size_t j = 0; j < self->rows.rows; j++)
        flipped[j] = sum - self->labels[j];
    self->labels = flipped;
    return P2P_OK;
}

const double *
p2p_data_labels(const p2p_data *self)
{
    return self->labels;
}

const char *
p2p_data_notice(const p2p_data *self)
{
    return self->notice;
}
