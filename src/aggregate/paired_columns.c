#include "aggregate/paired_columns.h"

#include "aggregate/sorted_columns.h"
#include "base/clones.h"

#include <string.h>

typedef double lanes __attribute__((vector_size(64), may_alias));

enum { LANES = 8, TILE = 4 };

static inline __attribute__((always_inline)) double
fold(const lanes *a)
{
    return (((*a)[0] + (*a)[4]) + ((*a)[2] + (*a)[6])) + (((*a)[1] + (*a)[5]) + ((*a)[3] + (*a)[7]));
}

/*
 * pair[t] += the pair (x, row t of y) of a block, for width rows: squared distance or inner product. Several at once,
 * so that the additions of one do not wait for each other.
 */
static inline __attribute__((always_inline)) void
add_pairs(int product, size_t width, const double *x, const double *y, double *pair)
{
    lanes sum[TILE] = { { 0 } };

    for (size_t k = 0; k < P2PI_COLUMNS; k += LANES) {
        lanes a = *(const lanes *)(x + k);

        for (size_t t = 0; t < width; t++) {
            lanes b = *(const lanes *)(y + t * P2PI_STRIDE + k);

            sum[t] += product ? a * b : (a - b) * (a - b);
        }
    }
    for (size_t t = 0; t < width; t++)
        pair[t] += fold(&sum[t]);
}

/* The upper triangle, with the diagonal if product. */
static inline __attribute__((always_inline)) void
add_triangle(int product, size_t count, const double *block, double *pair)
{
    for (size_t i = 0; i < count; i++) {
        const double *x = block + i * P2PI_STRIDE;
        size_t j = product ? i : i + 1;

        for (; j + TILE <= count; j += TILE)
            add_pairs(product, TILE, x, block + j * P2PI_STRIDE, pair + i * count + j);
        for (; j < count; j++)
            add_pairs(product, 1, x, block + j * P2PI_STRIDE, pair + i * count + j);
    }
}

P2PI_CLONES static void
paired_add_distances(size_t count, const double *block, double *pair)
{
    add_triangle(0, count, block, pair);
}

P2PI_CLONES static void
paired_add_products(size_t count, const double *block, double *pair)
{
    add_triangle(1, count, block, pair);
}

static void
mirror(size_t count, double *pair)
{
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < i; j++)
            pair[i * count + j] = pair[j * count + i];
}

void
p2pi_paired_distances(const p2pi_rows *rows, double *block, double *pair)
{
    memset(pair, 0, rows->count * rows->count * sizeof *pair);
    for (size_t at = 0; at < rows->dim; at += P2PI_COLUMNS) {
        p2pi_columns_load_all(rows, at, block);
        paired_add_distances(rows->count, block, pair);
    }
    mirror(rows->count, pair);
}

P2PI_CLONES static void
paired_subtract(size_t count, const double *centre, double *block)
{
    for (size_t j = 0; j < count; j++)
        for (size_t k = 0; k < P2PI_COLUMNS; k++)
            block[j * P2PI_STRIDE + k] -= centre[k];
}

void
p2pi_paired_products(const p2pi_rows *rows, double *block, double *pair)
{
    double *sorted = block + rows->count * P2PI_STRIDE, centre[P2PI_COLUMNS];

    memset(pair, 0, rows->count * rows->count * sizeof *pair);
    for (size_t at = 0; at < rows->dim; at += P2PI_COLUMNS) {
        p2pi_columns_load_all(rows, at, block);
        memcpy(sorted, block, rows->count * P2PI_STRIDE * sizeof *block);
        p2pi_sorted_block(rows->count, sorted);
        p2pi_sorted_median(rows->count, sorted, centre);
        paired_subtract(rows->count, centre, block);
        paired_add_products(rows->count, block, pair);
    }
    mirror(rows->count, pair);
}
