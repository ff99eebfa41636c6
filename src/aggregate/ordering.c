/* Shell's sort with Ciura's gaps: no memory, short, and quick for the few hundred rows a rule sees. */
#include "aggregate/ordering.h"

static const size_t gaps[] = { 35426, 15746, 6998, 3110, 1382, 614, 273, 121, 53, 23, 10, 4, 1 };

enum { GAPS = sizeof gaps / sizeof *gaps };

void
p2pi_order(size_t count, const double *key, size_t *index)
{
    for (size_t i = 0; i < count; i++)
        index[i] = i;
    for (size_t g = 0; g < GAPS; g++)
        for (size_t i = gaps[g]; i < count; i++) {
            size_t moving = index[i], at = i;

            for (; at >= gaps[g]; at -= gaps[g]) {
                size_t other = index[at - gaps[g]];

                if (key[other] < key[moving] || (key[other] == key[moving] && other < moving))
                    break;
                index[at] = other;
            }
            index[at] = moving;
        }
}

void
p2pi_sort(size_t count, double *value)
{
    for (size_t g = 0; g < GAPS; g++)
        for (size_t i = gaps[g]; i < count; i++) {
            double moving = value[i];
            size_t at = i;

            for (; at >= gaps[g] && value[at - gaps[g]] > moving; at -= gaps[g])
                value[at] = value[at - gaps[g]];
            value[at] = moving;
        }
}

void
p2pi_sort_indices(size_t count, size_t *index)
{
    for (size_t g = 0; g < GAPS; g++)
        for (size_t i = gaps[g]; i < count; i++) {
            size_t moving = index[i], at = i;

            for (; at >= gaps[g] && index[at - gaps[g]] > moving; at -= gaps[g])
                index[at] = index[at - gaps[g]];
            index[at] = moving;
        }
}
