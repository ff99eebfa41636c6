/* Matrices of all pairs of rows. */
#ifndef P2PI_PAIRED_COLUMNS_H
#define P2PI_PAIRED_COLUMNS_H

#include "aggregate/columns.h"

/** pair[i * count + j] = ||v_i - v_j||^2, from differences: products would cancel. block: rows x P2PI_STRIDE. */
void p2pi_paired_distances(const p2pi_rows *rows, double *block, double *pair);

/**
 * pair[i * count + j] = (v_i - z)'(v_j - z), z the coordinate-wise median of the rows. A far liar hardly moves z, so
 * what these products say about the honest rows does not cancel. block: twice rows x P2PI_STRIDE.
 */
void p2pi_paired_products(const p2pi_rows *rows, double *block, double *pair);

#endif
