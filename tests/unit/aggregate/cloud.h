/* Vectors for the tests of rules: honest ones around a common centre, liars far from it, in either type. */
#ifndef CLOUD_H
#define CLOUD_H

#include <p2popt/aggregator.h>
#include <stddef.h>

enum { CLOUD_MAX = 64 };

typedef struct {
    size_t count, dim; /* row 0 is own */
    p2p_dtype type;
    void *data[CLOUD_MAX];
    p2p_view row[CLOUD_MAX];
    double weight[CLOUD_MAX]; /* of sum 1 */
} cloud;

/** count rows: ||centre|| about 0.5, ||row - centre|| about 0.1, uneven weights; entries are floats in any type. */
cloud cloud_new(size_t count, size_t dim, p2p_dtype type, unsigned seed);
void cloud_free(cloud *self);

/** The same numbers in the other type. */
cloud cloud_convert(const cloud *self, p2p_dtype type);

/** The last liars rows are moved by offset in every entry. */
void cloud_lie(cloud *self, size_t liars, double offset);

/** rows[i] moves to place order[i]; weights go along. */
void cloud_permute(cloud *self, const size_t *order);

/** mean_i of entry i over rows 0 .. count - 1. */
void cloud_mean(const cloud *self, size_t count, double *mean);

/** Apply a rule once, opened for this cloud; z has room for dim doubles, converted. Fails the test on an error. */
void cloud_apply(const cloud *self, const char *spec, double *z);

/** ||x - y|| */
double cloud_distance(size_t dim, const double *x, const double *y);

/** Every rule of the registry, for f liars, and each pre-aggregator before a rule. NULL past the last. */
const char *cloud_spec(size_t i, size_t f);

#endif
