/*
 * Kernels over blocks of coordinates. Rows are read in blocks of P2PI_COLUMNS entries and computed on as doubles
 * whatever their type, so that every rule is written once and a block stays in the caches. Every sum has one order:
 * within a block lanes that are folded in halves, then block after block.
 */
#ifndef P2PI_COLUMNS_H
#define P2PI_COLUMNS_H

#include "aggregate/rule.h"

enum { P2PI_COLUMNS = 256 };

/* Entries from row to row of a block: a cache line more than the columns, so that rows spread over the cache's sets. */
#define P2PI_STRIDE_OF(real) (P2PI_COLUMNS + 64 / sizeof(real))
#define P2PI_STRIDE P2PI_STRIDE_OF(double)

/** Index of the first entry that is NaN, infinite or too large to be squared; dim if there is none. */
size_t p2pi_columns_unsound(p2p_view x);

/**
 * The P2PI_COLUMNS entries of row j from coordinate at on, in the rows' type. At the row's end, where there are
 * fewer, they are copied to spare and zeros put behind them.
 */
const void *p2pi_columns_at(const p2pi_rows *rows, size_t j, size_t at, double *spare);

/** The same entries of every row as doubles, P2PI_STRIDE apart; less those of centre, unless it is NULL. */
void p2pi_columns_load(const p2pi_rows *rows, size_t at, const double *centre, double *block);

/** z's entries from at on become those of the block. */
void p2pi_columns_store(p2p_vec z, size_t at, const double *block);

/** z = sum_j c_j v_j; rows of coefficient 0 are not read. z may be a row. */
void p2pi_columns_blend(const p2pi_rows *rows, const double *c, p2p_vec z);

/** z = x + sum_{j >= 1} c_j (v_j - x), x = row 0. z may be a row. */
void p2pi_columns_pull(const p2pi_rows *rows, const double *c, p2p_vec z);

/** r_i = ||v_i - sum_j c_j v_j||^2 for every row, in one pass. */
void p2pi_columns_spread(const p2pi_rows *rows, const double *c, double *r);

/** r_i = ||v_i - row 0||^2 for every row; coefficient is overwritten. */
void p2pi_columns_from_first(const p2pi_rows *rows, double *coefficient, double *r);

/** Output i of count = sum_j matrix[i * rows->count + j] v_j. Outputs may be rows. block: rows x P2PI_STRIDE. */
void p2pi_columns_transform(const p2pi_rows *rows, const double *matrix, size_t count, double *block,
                            void *const *out);

#endif
