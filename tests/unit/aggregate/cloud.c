#include "cloud.h"

#include "aggregate/rule.h"
#include "base/spec.h"
#include "runner.h"

#include <math.h>
#include <p2popt/random.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void
draw_row(const double *centre, size_t dim, p2p_random *random, double *row)
{
    for (size_t k = 0; k < dim; k += 2) {
        double pair[2];

        p2p_random_normal(random, 2, pair);
        for (size_t i = k; i < k + 2 && i < dim; i++)
            row[i] =
                (double)(float)((centre ? centre[i] : 0) + (centre ? 0.1 : 0.5) * pair[i - k] / sqrt((double)dim));
    }
}

cloud
cloud_new(size_t count, size_t dim, p2p_dtype type, unsigned seed)
{
    cloud self = { .count = count, .dim = dim, .type = type };
    p2p_random random = p2p_random_open(seed, 0, 0, P2P_STREAM_DATA);
    double *centre = malloc(dim * sizeof *centre), *row = malloc(dim * sizeof *row), sum = 0;

    draw_row(NULL, dim, &random, centre);
    for (size_t j = 0; j < count; j++) {
        p2p_view from = { row, dim, P2P_F64 };
        p2p_vec to = { malloc(dim * sizeof *row), dim, type };

        draw_row(centre, dim, &random, row);
        p2p_vec_convert(to, from);
        self.data[j] = to.data;
        self.row[j] = p2p_view_of(to);
        p2p_random_uniform(&random, 1, &self.weight[j]);
        sum += self.weight[j] += 0.5;
    }
    for (size_t j = 0; j < count; j++)
        self.weight[j] /= sum;
    free(centre);
    free(row);
    return self;
}

void
cloud_free(cloud *self)
{
    for (size_t j = 0; j < self->count; j++)
        free(self->data[j]);
}

cloud
cloud_convert(const cloud *self, p2p_dtype type)
{
    cloud other = *self;

    other.type = type;
    for (size_t j = 0; j < self->count; j++) {
        p2p_vec to = { malloc(self->dim * sizeof(double)), self->dim, type };

        p2p_vec_convert(to, self->row[j]);
        other.data[j] = to.data;
        other.row[j] = p2p_view_of(to);
    }
    return other;
}

void
cloud_lie(cloud *self, size_t liars, double offset)
{
    for (size_t j = self->count - liars; j < self->count; j++) {
        p2p_vec v = { self->data[j], self->dim, self->type };

        for (size_t i = 0; i < self->dim; i++)
            p2p_vec_set(v, i, p2p_vec_get(self->row[j], i) + offset);
    }
}

void
cloud_permute(cloud *self, const size_t *order)
{
    cloud before = *self;

    for (size_t j = 0; j < self->count; j++) {
        self->data[order[j]] = before.data[j];
        self->row[order[j]] = before.row[j];
        self->weight[order[j]] = before.weight[j];
    }
}

void
cloud_mean(const cloud *self, size_t count, double *mean)
{
    for (size_t i = 0; i < self->dim; i++) {
        mean[i] = 0;
        for (size_t j = 0; j < count; j++)
            mean[i] += p2p_vec_get(self->row[j], i) / (double)count;
    }
}

void
cloud_apply(const cloud *self, const char *spec, double *z)
{
    p2p_vec out = { calloc(self->dim, sizeof(double)), self->dim, self->type }, doubles = { z, self->dim, P2P_F64 };
    p2p_aggregator *rule;

    ck_ok(p2p_aggregator_new(&rule, spec, self->count - 1, self->dim, self->type));
    ck_ok(p2p_aggregator_apply(rule, self->row[0], self->count - 1, self->row + 1, self->weight, out));
    p2p_vec_convert(doubles, p2p_view_of(out));
    p2p_aggregator_destroy(&rule);
    free(out.data);
}

double
cloud_distance(size_t dim, const double *x, const double *y)
{
    double sum = 0;

    for (size_t i = 0; i < dim; i++)
        sum += (x[i] - y[i]) * (x[i] - y[i]);
    return sqrt(sum);
}

const char *
cloud_spec(size_t i, size_t f)
{
    static char text[128];
    const p2pi_aggregator_vt *vt = p2pi_aggregator_table(i);

    if (vt == NULL)
        return NULL;
    if (vt->apply == NULL)
        snprintf(text, sizeof text, "%s|trimmed-mean:f=%zu", vt->entry.name, f);
    else if (p2pi_option_find(vt->entry.options, p2pi_span_of("f")) != NULL)
        snprintf(text, sizeof text, "%s:f=%zu", vt->entry.name, f);
    else
        snprintf(text, sizeof text, "%s", vt->entry.name);
    return text;
}
