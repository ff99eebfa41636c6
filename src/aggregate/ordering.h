/* Sorting a few numbers, always to the same answer: equal keys keep the order of their indices. */
#ifndef P2PI_ORDERING_H
#define P2PI_ORDERING_H

#include <stddef.h>

/** index = 0 .. count-1 in ascending order of key[index]; of equal keys the lower index first. */
void p2pi_order(size_t count, const double *key, size_t *index);

/** Sort values ascending. */
void p2pi_sort(size_t count, double *value);

/** Sort the first count indices ascending. */
void p2pi_sort_indices(size_t count, size_t *index);

#endif
