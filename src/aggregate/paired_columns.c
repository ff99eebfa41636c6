#include "aggregate/paired_columns.h"

#include "aggregate/sorted_columns.h"
#include "base/clones.h"

#include <string.h>

enum { TILE = 4 };

/* Vectors are handed to inline functions by address: how they are passed by value depends on the processor. */
typedef double eight __attribute__((vector_size(64), may_alias));
typedef float eight_floats __attribute__((vector_size(32), may_alias));

#define INLINE static inline __attribute__((always_inline))

INLINE void
widen_f64(const eight *sum, eight *wide)
{
    *wide = *sum;
}

INLINE void
widen_f32(const float *sum, eight *wide)
{
    *wide = __builtin_convertvector(*(const eight_floats *)sum, eight) +
            __builtin_convertvector(*(const eight_floats *)(sum + 8), eight);
}

/* pair[t] += the sum of sum[t]'s eight lanes, for t < width: neighbours first, then pairs of them, then halves. */
INLINE void
add_folded(size_t width, const eight *sum, double *pair)
{
    eight ab = __builtin_shufflevector(sum[0], sum[1], 0, 8, 2, 10, 4, 12, 6, 14) +
               __builtin_shufflevector(sum[0], sum[1], 1, 9, 3, 11, 5, 13, 7, 15);
    eight cd = __builtin_shufflevector(sum[2], sum[3], 0, 8, 2, 10, 4, 12, 6, 14) +
               __builtin_shufflevector(sum[2], sum[3], 1, 9, 3, 11, 5, 13, 7, 15);
    eight abcd = __builtin_shufflevector(ab, cd, 0, 1, 8, 9, 4, 5, 12, 13) +
                 __builtin_shufflevector(ab, cd, 2, 3, 10, 11, 6, 7, 14, 15);

    for (size_t t = 0; t < width; t++)
        pair[t] += abcd[t] + abcd[t + TILE];
}

#define REAL float
#define FN(name) name##_f32
#include "aggregate/paired_columns.inc"
#undef REAL
#undef FN
#define REAL double
#define FN(name) name##_f64
#include "aggregate/paired_columns.inc"
#undef REAL
#undef FN

static void
add_block(const p2pi_rows *rows, size_t at, const double *centre, double *block, double *pair)
{
    if (rows->type == P2P_F32)
        add_block_f32(rows, at, centre, (float *)block, pair);
    else
        add_block_f64(rows, at, centre, block, pair);
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
    for (size_t at = 0; at < rows->dim; at += P2PI_COLUMNS)
        add_block(rows, at, NULL, block, pair);
    mirror(rows->count, pair);
}

void
p2pi_paired_products(const p2pi_rows *rows, double *block, double *pair)
{
    double *sorted = block + rows->count * P2PI_STRIDE, centre[P2PI_COLUMNS];

    memset(pair, 0, rows->count * rows->count * sizeof *pair);
    for (size_t at = 0; at < rows->dim; at += P2PI_COLUMNS) {
        p2pi_sorted_median(rows, at, sorted, centre);
        add_block(rows, at, centre, block, pair);
    }
    mirror(rows->count, pair);
}
