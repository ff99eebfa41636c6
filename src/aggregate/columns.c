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
    return x.type == P2P_F32 ? columns_unsound_f32(x.dim, x.data) : columns_unsound_f64(x.dim, x.data);
}

static size_t
columns_left(size_t dim, size_t at)
{
    return dim - at < P2PI_COLUMNS ? dim - at : P2PI_COLUMNS;
}

void
p2pi_columns_load(const p2pi_rows *rows, size_t j, size_t at, double *block)
{
    size_t n = columns_left(rows->dim, at);

    if (rows->type == P2P_F32)
        columns_load_f32(n, (const float *)rows->row[j] + at, block);
    else
        columns_load_f64(n, (const double *)rows->row[j] + at, block);
    memset(block + n, 0, (P2PI_COLUMNS - n) * sizeof *block);
}

void
p2pi_columns_load_all(const p2pi_rows *rows, size_t at, double *block)
{
    for (size_t j = 0; j < rows->count; j++)
        p2pi_columns_load(rows, j, at, block + j * P2PI_STRIDE);
}

void
p2pi_columns_store(p2p_vec z, size_t at, const double *block)
{
    size_t n = columns_left(z.dim, at);

    if (z.type == P2P_F32)
        columns_store_f32(n, block, (float *)z.data + at);
    else
        columns_store_f64(n, block, (double *)z.data + at);
}

P2PI_CLONES static void
columns_add_scaled(double c, const double *v, double *sum)
{
    for (size_t i = 0; i < P2PI_COLUMNS; i++)
        sum[i] += c * v[i];
}

P2PI_CLONES static void
columns_add_scaled_difference(double c, const double *v, const double *x, double *sum)
{
    for (size_t i = 0; i < P2PI_COLUMNS; i++)
        sum[i] += c * (v[i] - x[i]);
}

P2PI_CLONES static double
columns_squared_distance(const double *x, const double *y)
{
    double lane[8] = { 0 };

    for (size_t i = 0; i < P2PI_COLUMNS; i += 8)
        for (size_t k = 0; k < 8; k++)
            lane[k] += (x[i + k] - y[i + k]) * (x[i + k] - y[i + k]);
    for (size_t half = 4; half > 0; half /= 2)
        for (size_t k = 0; k < half; k++)
            lane[k] += lane[k + half];
    return lane[0];
}

/* One block of sum_j c_j v_j; v is room for one row. */
static void
blend_block(const p2pi_rows *rows, const double *c, size_t at, double *v, double *sum)
{
    memset(sum, 0, P2PI_COLUMNS * sizeof *sum);
    for (size_t j = 0; j < rows->count; j++)
        if (c[j] != 0) {
            p2pi_columns_load(rows, j, at, v);
            columns_add_scaled(c[j], v, sum);
        }
}

void
p2pi_columns_blend(const p2pi_rows *rows, const double *c, p2p_vec z)
{
    double v[P2PI_COLUMNS], sum[P2PI_COLUMNS];

    for (size_t at = 0; at < rows->dim; at += P2PI_COLUMNS) {
        blend_block(rows, c, at, v, sum);
        p2pi_columns_store(z, at, sum);
    }
}

void
p2pi_columns_pull(const p2pi_rows *rows, const double *c, p2p_vec z)
{
    double v[P2PI_COLUMNS], x[P2PI_COLUMNS], sum[P2PI_COLUMNS];

    for (size_t at = 0; at < rows->dim; at += P2PI_COLUMNS) {
        p2pi_columns_load(rows, 0, at, x);
        memcpy(sum, x, sizeof sum);
        for (size_t j = 1; j < rows->count; j++)
            if (c[j] != 0) {
                p2pi_columns_load(rows, j, at, v);
                columns_add_scaled_difference(c[j], v, x, sum);
            }
        p2pi_columns_store(z, at, sum);
    }
}

void
p2pi_columns_spread(const p2pi_rows *rows, const double *c, double *r)
{
    double v[P2PI_COLUMNS], centre[P2PI_COLUMNS];

    memset(r, 0, rows->count * sizeof *r);
    for (size_t at = 0; at < rows->dim; at += P2PI_COLUMNS) {
        blend_block(rows, c, at, v, centre);
        for (size_t j = 0; j < rows->count; j++) {
            p2pi_columns_load(rows, j, at, v);
            r[j] += columns_squared_distance(v, centre);
        }
    }
}

void
p2pi_columns_from_first(const p2pi_rows *rows, double *coefficient, double *r)
{
    memset(coefficient, 0, rows->count * sizeof *coefficient);
    coefficient[0] = 1;
    p2pi_columns_spread(rows, coefficient, r);
}

void
p2pi_columns_transform(const p2pi_rows *rows, const double *matrix, size_t count, double *block, void *const *out)
{
    double sum[P2PI_COLUMNS];

    for (size_t at = 0; at < rows->dim; at += P2PI_COLUMNS) {
        p2pi_columns_load_all(rows, at, block);
        for (size_t i = 0; i < count; i++) {
            p2p_vec z = { out[i], rows->dim, rows->type };

            memset(sum, 0, sizeof sum);
            for (size_t j = 0; j < rows->count; j++)
                if (matrix[i * rows->count + j] != 0)
                    columns_add_scaled(matrix[i * rows->count + j], block + j * P2PI_STRIDE, sum);
            p2pi_columns_store(z, at, sum);
        }
    }
}
