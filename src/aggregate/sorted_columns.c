#include "aggregate/sorted_columns.h"

#include "base/clones.h"

#include <math.h>
#include <string.h>

enum { PANEL = 64 }; /* columns sorted together: the rows of a panel fit the first cache */

/* Put the smaller of each two values above the larger. */
static inline __attribute__((always_inline)) void
compare_exchange(double *upper, double *lower)
{
    for (size_t k = 0; k < PANEL; k++) {
        double a = upper[k], b = lower[k];

        upper[k] = a < b ? a : b;
        lower[k] = a < b ? b : a;
    }
}

/* Batcher's odd-even merge sort (Knuth, The Art of Computer Programming 3, 5.2.2, algorithm M) for any count. */
P2PI_CLONES static void
sorted_panel(size_t count, double *panel)
{
    for (size_t p = 1; p < count; p *= 2)
        for (size_t k = p; k > 0; k /= 2)
            for (size_t j = k % p; j + k < count; j += 2 * k)
                for (size_t i = j; i < j + k && i + k < count; i++)
                    if (i / (2 * p) == (i + k) / (2 * p))
                        compare_exchange(panel + i * P2PI_STRIDE, panel + (i + k) * P2PI_STRIDE);
}

void
p2pi_sorted_block(size_t count, double *block)
{
    for (size_t at = 0; at < P2PI_COLUMNS; at += PANEL)
        sorted_panel(count, block + at);
}

/* mean = (own + rows from .. from + count - 1 of the block) / number; own may be NULL. */
P2PI_CLONES static void
sorted_mean_of_rows(const double *own, size_t count, const double *block, double number, double *mean)
{
    if (own != NULL)
        memcpy(mean, own, P2PI_COLUMNS * sizeof *mean);
    else
        memset(mean, 0, P2PI_COLUMNS * sizeof *mean);
    for (size_t j = 0; j < count; j++)
        for (size_t k = 0; k < P2PI_COLUMNS; k++)
            mean[k] += block[j * P2PI_STRIDE + k];
    for (size_t k = 0; k < P2PI_COLUMNS; k++)
        mean[k] /= number;
}

void
p2pi_sorted_median(size_t count, const double *block, double *median)
{
    size_t cut = (count - 1) / 2, left = count - 2 * cut;

    sorted_mean_of_rows(NULL, left, block + cut * P2PI_STRIDE, (double)left, median);
}

void
p2pi_sorted_trimmed(const p2pi_rows *rows, size_t first, size_t cut, int own, double *block, p2p_vec z)
{
    double x[P2PI_COLUMNS], mean[P2PI_COLUMNS];
    size_t count = rows->count - first, left = count - 2 * cut;

    for (size_t at = 0; at < rows->dim; at += P2PI_COLUMNS) {
        for (size_t j = 0; j < count; j++)
            p2pi_columns_load(rows, first + j, at, block + j * P2PI_STRIDE);
        if (own)
            p2pi_columns_load(rows, 0, at, x);
        if (cut > 0)
            p2pi_sorted_block(count, block);
        sorted_mean_of_rows(own ? x : NULL, left, block + cut * P2PI_STRIDE, (double)(left + (own != 0)), mean);
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

/*
 * One pass that leaves out the value of largest distance in each column; the rest keep their order and move up.
 * The value on its way out is carried down the rows, and handed on to a row at no smaller distance.
 */
P2PI_CLONES static void
sorted_drop_farthest(size_t count, double *distance, double *value)
{
    double out_distance[P2PI_COLUMNS], out_value[P2PI_COLUMNS];

    memcpy(out_distance, distance, sizeof out_distance);
    memcpy(out_value, value, sizeof out_value);
    for (size_t j = 1; j < count; j++) {
        double *d = distance + j * P2PI_STRIDE, *v = value + j * P2PI_STRIDE;

        for (size_t k = 0; k < P2PI_COLUMNS; k++) {
            double d_k = d[k], v_k = v[k], d_out = out_distance[k], v_out = out_value[k];
            int farther = d_k >= d_out;

            (d - P2PI_STRIDE)[k] = farther ? d_out : d_k;
            (v - P2PI_STRIDE)[k] = farther ? v_out : v_k;
            out_distance[k] = farther ? d_k : d_out;
            out_value[k] = farther ? v_k : v_out;
        }
    }
}

void
p2pi_sorted_near_median(const p2pi_rows *rows, size_t cut, double *block, p2p_vec z)
{
    double *distance = block + rows->count * P2PI_STRIDE, centre[P2PI_COLUMNS];
    size_t count = rows->count;

    for (size_t at = 0; at < rows->dim; at += P2PI_COLUMNS) {
        p2pi_columns_load_all(rows, at, block);
        memcpy(distance, block, count * P2PI_STRIDE * sizeof *block);
        p2pi_sorted_block(count, distance);
        p2pi_sorted_median(count, distance, centre);
        sorted_distances_to(centre, count, block, distance);
        for (size_t gone = 0; gone < cut; gone++)
            sorted_drop_farthest(count - gone, distance, block);
        sorted_mean_of_rows(NULL, count - cut, block, (double)(count - cut), centre);
        p2pi_columns_store(z, at, centre);
    }
}
