/* A data matrix by rows, dense or sparse, and the few products that gradients are made of. */
#ifndef P2PI_ROWS_H
#define P2PI_ROWS_H

#include <p2popt/status.h>
#include <stddef.h>
#include <stdint.h>

/**
 * rows x cols doubles. Dense: row j at values + j * cols. Sparse (columns not NULL): entries starts[j] ..
 * starts[j + 1] - 1 of values and columns, columns ascending in a row. Borrows its arrays.
 */
typedef struct {
    size_t rows, cols;
    const double *values;
    const uint32_t *columns; /* NULL: dense */
    const size_t *starts;    /* rows + 1 entries; NULL: dense */
    int ones;                /* a further column of ones behind the stored ones: the intercept */
} p2pi_rows;

/** Columns with that of ones: entries of the vectors below. */
static inline size_t
p2pi_rows_width(const p2pi_rows *a)
{
    return a->cols + (a->ones != 0);
}

/**
 * Which rows an operation visits, and in what order: index[first .. first + count), or with index NULL the rows
 * first .. first + count - 1 themselves.
 */
typedef struct {
    const size_t *index;
    size_t first, count;
} p2pi_pick;

/** Row number of the pick's entry i. */
static inline size_t
p2pi_pick_at(const p2pi_pick *pick, size_t i)
{
    return pick->index ? pick->index[pick->first + i] : pick->first + i;
}

/** u[i] = a' x of the pick's row i. */
void p2pi_rows_times(const p2pi_rows *a, p2pi_pick pick, const double *x, double *u);

/** g += sum_i s[i] a of the pick's rows, row after row. */
void p2pi_rows_add(const p2pi_rows *a, p2pi_pick pick, const double *s, double *g);

/** How many rows to visit at a time so that they stay in the cache between times and add; at most P2PI_BLOCK. */
enum { P2PI_BLOCK = 64 };
size_t p2pi_rows_block(const p2pi_rows *a);

/**
 * Weighted Gram matrix: h += sum_i w[i] a a' over the rows first .. first + count - 1, count <= P2PI_BLOCK.
 *
 * @param h    width x width entries with leading dimension ld, both triangles.
 * @param work scratch of p2pi_rows_gram_work(a) doubles.
 */
void p2pi_rows_gram(const p2pi_rows *a, size_t first, size_t count, const double *w, double *h, size_t ld,
                    double *work);
size_t p2pi_rows_gram_work(const p2pi_rows *a);

/** Largest eigenvalue of A'A / rows, not below it, at most 1e-9 above (relative). P2P_ENOMEM. */
p2p_status p2pi_rows_largest(const p2pi_rows *a, double *value);

#endif
