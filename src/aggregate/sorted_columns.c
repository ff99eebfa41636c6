#include "aggregate/sorted_columns.h"

#include "base/clones.h"

#include <math.h>
#include <string.h>

/* Columns sorted together: eight cache lines of each row, so that the rows of a panel fit the first cache. */
#define PANEL(real) (512 / sizeof(real))

#define REAL float
#define FN(name) name##_f32
#include "aggregate/sorted_columns.inc"
#undef REAL
#undef FN
#define REAL double
#define FN(name) name##_f64
#include "aggregate/sorted_columns.inc"
#undef REAL
#undef FN

/* The mean that sorted_middle's sum is one of. */
static void
middle_mean(const p2pi_rows *rows, size_t at, size_t first, size_t cut, int own, double *sorted, double *mean)
{
    double number = (double)(rows->count - first - 2 * cut + (own != 0));

    if (rows->type == P2P_F32)
        sorted_middle_f32(rows, at, first, cut, own, (float *)sorted, mean);
    else
        sorted_middle_f64(rows, at, first, cut, own, sorted, mean);
    for (size_t k = 0; k < P2PI_COLUMNS; k++)
        mean[k] /= number;
}

void
p2pi_sorted_median(const p2pi_rows *rows, size_t at, double *sorted, double *median)
{
    middle_mean(rows, at, 0, (rows->count - 1) / 2, 0, sorted, median);
}

void
p2pi_sorted_trimmed(const p2pi_rows *rows, size_t first, size_t cut, int own, double *sorted, p2p_vec z)
{
    double mean[P2PI_COLUMNS];

    for (size_t at = 0; at < rows->dim; at += P2PI_COLUMNS) {
        middle_mean(rows, at, first, cut, own, sorted, mean);
        p2pi_columns_store(z, at, mean);
    }
}

P2PI_CLONES static void
sorted_distances_to(const double *centre, size_t count, const double *value, double *distance)
{
    for (size_t j = 0; j < count; j++)
        for (size_t k = 0; k < P2PI_COLUMNS; k++)
            distance[j * P2PI_STRIDE + k] = fabs(value[j * P2PI_STRIDE + k] - centre[k]);
}

/* Eight values side by side, and what a comparison of them gives: all bits or none. */
typedef double lanes __attribute__((vector_size(64), may_alias));
typedef int64_t masks __attribute__((vector_size(64), may_alias));

/*
 * One pass that leaves out the value of largest distance in each column; the rest keep their order and move up.
 * The value on its way out is carried down the rows, and handed on to a row at no smaller distance.
 */
P2PI_CLONES static void
sorted_drop_farthest(size_t count, double *distance, double *value)
{
    for (size_t k = 0; k < P2PI_COLUMNS; k += 8) {
        masks out_distance = *(masks *)(distance + k), out_value = *(masks *)(value + k);

        for (size_t at = k; at < (count - 1) * P2PI_STRIDE; at += P2PI_STRIDE) {
            masks d = *(masks *)(distance + at + P2PI_STRIDE), v = *(masks *)(value + at + P2PI_STRIDE);
            masks farther = (lanes)d >= (lanes)out_distance;

            *(masks *)(distance + at) = (farther & out_distance) | (~farther & d);
            *(masks *)(value + at) = (farther & out_value) | (~farther & v);
            out_distance = (farther & d) | (~farther & out_distance);
            out_value = (farther & v) | (~farther & out_value);
        }
    }
}

void
p2pi_sorted_near_median(const p2pi_rows *rows, size_t cut, double *block, p2p_vec z)
{
    size_t count = rows->count;
    double *distance = block + count * P2PI_STRIDE, centre[P2PI_COLUMNS];

    for (size_t at = 0; at < rows->dim; at += P2PI_COLUMNS) {
        p2pi_sorted_median(rows, at, distance, centre);
        p2pi_columns_load(rows, at, NULL, block);
        sorted_distances_to(centre, count, block, distance);
        for (size_t gone = 0; gone < cut; gone++)
            sorted_drop_farthest(count - gone, distance, block);
        sorted_sum_f64(NULL, count - cut, block, centre);
        for (size_t k = 0; k < P2PI_COLUMNS; k++)
            centre[k] /= (double)(count - cut);
        p2pi_columns_store(z, at, centre);
    }
}
