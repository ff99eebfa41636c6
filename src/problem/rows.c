/*
 * Row products. A gradient reads each row twice, A x then A' s; doing both for a block of rows while it is in the
 * cache reads memory once, which two calls of a BLAS matrix-vector product cannot. Sums are canonical, so that a
 * gradient is the same on every machine.
 */
#include "problem/rows.h"

#include "base/clones.h"
#include "base/lanczos.h"
#include "base/sum.h"

#include <cblas.h>
#include <string.h>

/* Eight sums run side by side, entry i in lane i mod 8, at any width that the processor has; what is left over is a
 * ninth. */
enum { LANES = 8 };
typedef double lanes __attribute__((vector_size(LANES * sizeof(double))));

static inline double
fold(const double v[LANES])
{
    return ((v[0] + v[4]) + (v[2] + v[6])) + ((v[1] + v[5]) + (v[3] + v[7]));
}

/* u[k] = row k times x, for four rows at a time: they share the loads of x. */
P2PI_CLONES static void
rows_dot4(size_t n, const double *const row[4], const double *x, double *u)
{
    const double *a0 = row[0], *a1 = row[1], *a2 = row[2], *a3 = row[3];
    lanes s0 = { 0 }, s1 = { 0 }, s2 = { 0 }, s3 = { 0 };
    double sum[4][LANES], rest[4] = { 0 };
    size_t i;

    for (i = 0; i + LANES <= n; i += LANES) {
        lanes at, v0, v1, v2, v3;

        memcpy(&at, x + i, sizeof at);
        memcpy(&v0, a0 + i, sizeof v0);
        memcpy(&v1, a1 + i, sizeof v1);
        memcpy(&v2, a2 + i, sizeof v2);
        memcpy(&v3, a3 + i, sizeof v3);
        s0 += v0 * at;
        s1 += v1 * at;
        s2 += v2 * at;
        s3 += v3 * at;
    }
    for (; i < n; i++) {
        rest[0] += a0[i] * x[i];
        rest[1] += a1[i] * x[i];
        rest[2] += a2[i] * x[i];
        rest[3] += a3[i] * x[i];
    }
    memcpy(sum[0], &s0, sizeof s0);
    memcpy(sum[1], &s1, sizeof s1);
    memcpy(sum[2], &s2, sizeof s2);
    memcpy(sum[3], &s3, sizeof s3);
    for (size_t k = 0; k < 4; k++)
        u[k] = fold(sum[k]) + rest[k];
}

static double
sparse_dot(size_t n, const double *a, const uint32_t *columns, const double *x)
{
    double sum;

    P2PI_SUM(sum, n, i, a[i] * x[columns[i]]);
    return sum;
}

/* The last group repeats a row to be four. */
static void
dense_times(const p2pi_rows *a, p2pi_pick pick, const double *x, double *u)
{
    for (size_t i = 0; i < pick.count; i += 4) {
        const size_t n = pick.count - i < 4 ? pick.count - i : 4;
        const double *row[4];
        double four[4];

        for (size_t k = 0; k < 4; k++)
            row[k] = a->values + p2pi_pick_at(&pick, i + (k < n ? k : 0)) * a->cols;
        rows_dot4(a->cols, row, x, four);
        memcpy(u + i, four, n * sizeof *u);
    }
}

static void
sparse_times(const p2pi_rows *a, p2pi_pick pick, const double *x, double *u)
{
    for (size_t i = 0; i < pick.count; i++) {
        size_t j = p2pi_pick_at(&pick, i);

        u[i] = sparse_dot(a->starts[j + 1] - a->starts[j], a->values + a->starts[j], a->columns + a->starts[j], x);
    }
}

void
p2pi_rows_times(const p2pi_rows *a, p2pi_pick pick, const double *x, double *u)
{
    if (a->columns == NULL)
        dense_times(a, pick, x, u);
    else
        sparse_times(a, pick, x, u);
    for (size_t i = 0; a->ones && i < pick.count; i++)
        u[i] += x[a->cols];
}

/* Four rows at a time load and store g once; each entry still takes its terms row after row. */
P2PI_CLONES static void
rows_add4(size_t n, const double *const a[4], const double s[4], double *restrict g)
{
    const double *restrict a0 = a[0], *restrict a1 = a[1], *restrict a2 = a[2], *restrict a3 = a[3];

    for (size_t i = 0; i < n; i++)
        g[i] = (((g[i] + s[0] * a0[i]) + s[1] * a1[i]) + s[2] * a2[i]) + s[3] * a3[i];
}

static void
dense_add(size_t n, const double *restrict a, double s, double *restrict g)
{
    for (size_t i = 0; i < n; i++)
        g[i] += s * a[i];
}

static void
sparse_add(size_t n, const double *a, const uint32_t *columns, double s, double *g)
{
    for (size_t i = 0; i < n; i++)
        g[columns[i]] += s * a[i];
}

static void
add_dense_rows(const p2pi_rows *a, p2pi_pick pick, const double *s, double *g)
{
    size_t i = 0;

    for (; i + 4 <= pick.count; i += 4) {
        const double *row[4];
        double factor[4];

        for (size_t k = 0; k < 4; k++) {
            row[k] = a->values + p2pi_pick_at(&pick, i + k) * a->cols;
            factor[k] = s[i + k];
        }
        rows_add4(a->cols, row, factor, g);
    }
    for (; i < pick.count; i++)
        dense_add(a->cols, a->values + p2pi_pick_at(&pick, i) * a->cols, s[i], g);
}

static void
add_sparse_rows(const p2pi_rows *a, p2pi_pick pick, const double *s, double *g)
{
    for (size_t i = 0; i < pick.count; i++) {
        size_t j = p2pi_pick_at(&pick, i);

        sparse_add(a->starts[j + 1] - a->starts[j], a->values + a->starts[j], a->columns + a->starts[j], s[i], g);
    }
}

void
p2pi_rows_add(const p2pi_rows *a, p2pi_pick pick, const double *s, double *g)
{
    if (a->columns == NULL)
        add_dense_rows(a, pick, s, g);
    else
        add_sparse_rows(a, pick, s, g);
    for (size_t i = 0; a->ones && i < pick.count; i++)
        g[a->cols] += s[i];
}

size_t
p2pi_rows_block(const p2pi_rows *a)
{
    const size_t cache = 128 * 1024;
    size_t rows = cache / (sizeof(double) * (a->cols + 1));

    if (a->columns != NULL || rows > P2PI_BLOCK)
        return P2PI_BLOCK;
    return rows < 4 ? 4 : rows;
}

/* ---- the Gram matrix */

size_t
p2pi_rows_gram_work(const p2pi_rows *a)
{
    return (a->columns == NULL ? P2PI_BLOCK * a->cols : 0) + p2pi_rows_width(a);
}

static void
dense_gram(const p2pi_rows *a, size_t first, size_t count, const double *w, double *h, size_t ld, double *work)
{
    const double *rows = a->values + first * a->cols;
    const int d = (int)a->cols;

    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < a->cols; k++)
            work[i * a->cols + k] = w[i] * rows[i * a->cols + k];
    cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, d, d, (int)count, 1.0, rows, d, work, d, 1.0, h, (int)ld);
}

static void
sparse_gram(const p2pi_rows *a, size_t first, size_t count, const double *w, double *h, size_t ld)
{
    for (size_t i = 0; i < count; i++) {
        const size_t at = a->starts[first + i], n = a->starts[first + i + 1] - at;

        for (size_t p = at; p < at + n; p++)
            sparse_add(n, a->values + at, a->columns + at, w[i] * a->values[p], h + a->columns[p] * ld);
    }
}

/* Row and column of the ones: A' w, and the sum of w in the corner. */
static void
ones_gram(const p2pi_rows *a, size_t first, size_t count, const double *w, double *h, size_t ld, double *work)
{
    const size_t d = a->cols;

    memset(work, 0, (d + 1) * sizeof *work);
    p2pi_rows_add(a, (p2pi_pick){ NULL, first, count }, w, work);
    for (size_t k = 0; k < d; k++) {
        h[d * ld + k] += work[k];
        h[k * ld + d] += work[k];
    }
    h[d * ld + d] += work[d];
}

void
p2pi_rows_gram(const p2pi_rows *a, size_t first, size_t count, const double *w, double *h, size_t ld, double *work)
{
    if (a->columns == NULL)
        dense_gram(a, first, count, w, h, ld, work);
    else
        sparse_gram(a, first, count, w, h, ld);
    if (a->ones)
        ones_gram(a, first, count, w, h, ld, work);
}

/* y = A'A v / m */
static void
apply_gram(void *user, const double *v, double *y)
{
    const p2pi_rows *a = user;
    const size_t block = p2pi_rows_block(a), d = p2pi_rows_width(a);
    double u[P2PI_BLOCK];

    memset(y, 0, d * sizeof *y);
    for (size_t first = 0; first < a->rows; first += block) {
        p2pi_pick pick = { NULL, first, a->rows - first < block ? a->rows - first : block };

        p2pi_rows_times(a, pick, v, u);
        p2pi_rows_add(a, pick, u, y);
    }
    for (size_t i = 0; i < d; i++)
        y[i] /= (double)a->rows;
}

p2p_status
p2pi_rows_largest(const p2pi_rows *a, double *value)
{
    p2pi_rows copy = *a;

    return p2pi_lanczos_largest(p2pi_rows_width(a), apply_gram, &copy, 0, value);
}
