#include "aggregate/columns.h"

#include "base/clones.h"

#include <string.h>

/* The largest magnitudes whose squared differences still add up to a finite number. */
#define REAL float
#define LARGEST 1e18f
#define FN(name) name##_f32
#include "aggregate/columns.inc"
#undef REAL
#undef LARGEST
#undef FN
#define REAL double
#define LARGEST 1e150
#define FN(name) name##_f64
#include "aggregate/columns.inc"
#undef REAL
#undef LARGEST
#undef FN

size_t
p2pi_columns_unsound(p2p_view x)
{
    return x.type == P2P_F32 ? unsound_f32(x.dim, x.data) : unsound_f64(x.dim, x.data);
}

static void
load(const p2pi_rows *rows, size_t j, size_t at, size_t n, double *block)
{
    if (rows->type == P2P_F32)
        load_f32(n, (const float *)rows->row[j] + at, block);
    else
        load_f64(n, (const double *)rows->row[j] + at, block);
}

static void
store(p2p_vec z, size_t at, size_t n, const double *block)
{
    if (z.type == P2P_F32)
        store_f32(n, block, (float *)z.data + at);
    else
        store_f64(n, block, (double *)z.data + at);
}

static size_t
columns_left(size_t dim, size_t at)
{
    return dim - at < P2PI_COLUMNS ? dim - at : P2PI_COLUMNS;
}

P2PI_CLONES static void
add_scaled(size_t n, double c, const double *v, double *sum)
{
    for (size_t i = 0; i < n; i++)
        sum[i] += c * v[i];
}

P2PI_CLONES static void
add_scaled_difference(size_t n, double c, const double *v, const double *x, double *sum)
{
    for (size_t i = 0; i < n; i++)
        sum[i] += c * (v[i] - x[i]);
}

void
p2pi_columns_blend(const p2pi_rows *rows, const double *c, p2p_vec z)
{
    double v[P2PI_COLUMNS], sum[P2PI_COLUMNS];

    for (size_t at = 0; at < rows->dim; at += P2PI_COLUMNS) {
        size_t n = columns_left(rows->dim, at);

        memset(sum, 0, sizeof sum);
        for (size_t j = 0; j < rows->count; j++)
            if (c[j] != 0) {
                load(rows, j, at, n, v);
                add_scaled(n, c[j], v, sum);
            }
        store(z, at, n, sum);
    }
}

void
p2pi_columns_pull(const p2pi_rows *rows, const double *c, p2p_vec z)
{
    double v[P2PI_COLUMNS], x[P2PI_COLUMNS], sum[P2PI_COLUMNS];

    for (size_t at = 0; at < rows->dim; at += P2PI_COLUMNS) {
        size_t n = columns_left(rows->dim, at);

        load(rows, 0, at, n, x);
        memcpy(sum, x, sizeof sum);
        for (size_t j = 1; j < rows->count; j++)
            if (c[j] != 0) {
                load(rows, j, at, n, v);
                add_scaled_difference(n, c[j], v, x, sum);
            }
        store(z, at, n, sum);
    }
}
