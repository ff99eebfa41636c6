/*
 * Kernels over blocks of coordinates. Rows are read in blocks of P2PI_COLUMNS entries and computed on as doubles
 * whatever their type, so that every rule is written once and a block stays in the first cache.
 */
#ifndef P2PI_COLUMNS_H
#define P2PI_COLUMNS_H

#include "aggregate/rule.h"

enum { P2PI_COLUMNS = 256 };

/** Index of the first entry that is NaN, infinite or too large to be squared; dim if there is none. */
size_t p2pi_columns_unsound(p2p_view x);

/** z = sum_j c_j v_j; rows of coefficient 0 are not read. z may be a row. */
void p2pi_columns_blend(const p2pi_rows *rows, const double *c, p2p_vec z);

/** z = x + sum_{j >= 1} c_j (v_j - x), x = row 0. z may be a row. */
void p2pi_columns_pull(const p2pi_rows *rows, const double *c, p2p_vec z);

#endif
