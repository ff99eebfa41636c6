/* Rules that work on each coordinate by itself: their columns are sorted by a network, eight and more at a time. */
#ifndef P2PI_SORTED_COLUMNS_H
#define P2PI_SORTED_COLUMNS_H

#include "aggregate/columns.h"

/** Sort each column of a block of count rows, ascending downwards. */
void p2pi_sorted_block(size_t count, double *block);

/** The median of each column of a sorted block; an even count averages the two in the middle. */
void p2pi_sorted_median(size_t count, const double *block, double *median);

/**
 * z = per coordinate, the mean of what is left of rows first, first + 1, ... without the cut smallest and the cut
 * largest; with own, row 0 joins the mean. block: rows x P2PI_STRIDE.
 */
void p2pi_sorted_trimmed(const p2pi_rows *rows, size_t first, size_t cut, int own, double *block, p2p_vec z);

/**
 * z = per coordinate, the mean of all but the cut values farthest from the median; of two at one distance the later
 * row goes first. block: twice rows x P2PI_STRIDE.
 */
void p2pi_sorted_near_median(const p2pi_rows *rows, size_t cut, double *block, p2p_vec z);

#endif
