/*
 * Canonical sums: sixteen double accumulators, term i goes to accumulator i mod 16 in index order, then
 * a[j] += a[j + 8], + 4, + 2, + 1. The same bits on every machine, and two AVX-512 registers wide.
 */
#ifndef P2PI_SUM_H
#define P2PI_SUM_H

#include <stddef.h>

static inline double
p2pi_sum_fold(double *a)
{
    for (size_t half = 8; half > 0; half /= 2)
        for (size_t j = 0; j < half; j++)
            a[j] += a[j + half];
    return a[0];
}

/** result = canonical sum over i = 0 .. n-1 of the expression term, which uses the variable named by i. */
#define P2PI_SUM(result, n, i, term)                                                                              \
    do {                                                                                                          \
        double sum_a[16] = { 0 };                                                                                 \
        size_t sum_n = (n), sum_base;                                                                             \
        for (sum_base = 0; sum_base + 16 <= sum_n; sum_base += 16)                                                \
            for (size_t sum_j = 0; sum_j < 16; sum_j++) {                                                         \
                const size_t i = sum_base + sum_j;                                                                \
                sum_a[sum_j] += (term);                                                                           \
            }                                                                                                     \
        for (size_t i = sum_base; i < sum_n; i++)                                                                 \
            sum_a[i - sum_base] += (term);                                                                        \
        (result) = p2pi_sum_fold(sum_a);                                                                          \
    } while (0)

#endif
