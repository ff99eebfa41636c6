/* Rules that work on each coordinate by itself: their columns are sorted by a network, many at a time. */
#ifndef P2PI_SORTED_COLUMNS_H
#define P2PI_SORTED_COLUMNS_H

#include "aggregate/columns.h"

/**
 * The median of each column of a block of coordinates; an even count averages the two in the middle.
 * sorted: rows x P2PI_STRIDE.
 */
void p2pi_sorted_median(const p2pi_rows *rows, size_t at, double *sorted, double *median);

/**
 * z = per coordinate, the mean of what is left of rows first, first + 1, ... without the cut smallest and the cut
 * largest; with own, row 0 joins the mean. sorted: rows x P2PI_STRIDE.
 */
void p2pi_sorted_trimmed(const p2pi_rows *rows, size_t first, size_t cut, int own, double *sorted, p2p_vec z);

/**
 * z = per coordinate, the mean of all but the cut values farthest from the median; of two at one distance the later
 * row goes first. block: twice rows x P2PI_STRIDE.
 */
void p2pi_sorted_near_median(const p2pi_rows *rows, size_t cut, double *block, p2p_vec z);

#endif
