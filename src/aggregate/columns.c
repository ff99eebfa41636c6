#include "aggregate/columns.h"

#include "base/clones.h"
#include "base/sum.h"

#include <math.h>
#include <string.h>

/* LARGEST is the largest magnitude whose squared differences still add up to a finite number. */
#define REAL float
#define ABS(x) fabsf(x)
#define LARGEST 1e18f
#define FN(name) name##_f32
#include "aggregate/columns.inc"
#undef REAL
#undef ABS
#undef LARGEST
#undef FN
#define REAL double
#define ABS(x) fabs(x)
#define LARGEST 1e150
#define FN(name) name##_f64
#include "aggregate/columns.inc"
#undef REAL
#undef ABS
#undef LARGEST
#undef FN

/* Call the kernel of the type. */
#define BOTH(type, f32_call, f64_call) ((type) == P2P_F32 ? (f32_call) : (f64_call))

size_t
p2pi_columns_unsound(p2p_view x)
{
    return BOTH(x.type, columns_unsound_f32(x.dim, x.data), columns_unsound_f64(x.dim, x.data));
}

static size_t
columns_left(size_t dim, size_t at)
{
    return dim - at < P2PI_COLUMNS ? dim - at : P2PI_COLUMNS;
}

const void *
p2pi_columns_at(const p2pi_rows *rows, size_t j, size_t at, double *spare)
{
    size_t n = columns_left(rows->dim, at), size = p2p_dtype_size(rows->type);
    const char *from = (const char *)rows->row[j] + at * size;

    /* A walk over blocks visits many rows in turn, more than the processor follows on its own. */
    for (size_t byte = P2PI_COLUMNS * size; byte < 2 * P2PI_COLUMNS * size && at + 2 * P2PI_COLUMNS <= rows->dim;
         byte += 64)
        __builtin_prefetch(from + byte);
    if (n == P2PI_COLUMNS)
        return from;
    memcpy(spare, from, n * size);
    memset((char *)spare + n * size, 0, (P2PI_COLUMNS - n) * size);
    return spare;
}

static void
load_row(const p2pi_rows *rows, size_t j, size_t at, const double *centre, double *block)
{
    double spare[P2PI_COLUMNS];
    const void *v = p2pi_columns_at(rows, j, at, spare);

    BOTH(rows->type, columns_load_f32(v, centre, block), columns_load_f64(v, centre, block));
}

void
p2pi_columns_load(const p2pi_rows *rows, size_t at, const double *centre, double *block)
{
    for (size_t j = 0; j < rows->count; j++)
        load_row(rows, j, at, centre, block + j * P2PI_STRIDE);
}

void
p2pi_columns_store(p2p_vec z, size_t at, const double *block)
{
    size_t n = columns_left(z.dim, at);

    BOTH(z.type, columns_store_f32(n, block, (float *)z.data + at),
         columns_store_f64(n, block, (double *)z.data + at));
}

/* One block of sum_j c_j v_j. */
static void
blend_block(const p2pi_rows *rows, const double *c, size_t at, double *sum)
{
    double spare[P2PI_COLUMNS];

    memset(sum, 0, P2PI_COLUMNS * sizeof *sum);
    for (size_t j = 0; j < rows->count; j++)
        if (c[j] != 0) {
            const void *v = p2pi_columns_at(rows, j, at, spare);

            BOTH(rows->type, columns_add_f32(c[j], v, sum), columns_add_f64(c[j], v, sum));
        }
}

void
p2pi_columns_blend(const p2pi_rows *rows, const double *c, p2p_vec z)
{
    double sum[P2PI_COLUMNS];

    for (size_t at = 0; at < rows->dim; at += P2PI_COLUMNS) {
        blend_block(rows, c, at, sum);
        p2pi_columns_store(z, at, sum);
    }
}

void
p2pi_columns_pull(const p2pi_rows *rows, const double *c, p2p_vec z)
{
    double x[P2PI_COLUMNS], sum[P2PI_COLUMNS], spare[P2PI_COLUMNS];

    for (size_t at = 0; at < rows->dim; at += P2PI_COLUMNS) {
        load_row(rows, 0, at, NULL, x);
        memcpy(sum, x, sizeof sum);
        for (size_t j = 1; j < rows->count; j++)
            if (c[j] != 0) {
                const void *v = p2pi_columns_at(rows, j, at, spare);

                BOTH(rows->type, columns_add_difference_f32(c[j], v, x, sum),
                     columns_add_difference_f64(c[j], v, x, sum));
            }
        p2pi_columns_store(z, at, sum);
    }
}

void
p2pi_columns_spread(const p2pi_rows *rows, const double *c, double *r)
{
    double centre[P2PI_COLUMNS], spare[P2PI_COLUMNS];

    memset(r, 0, rows->count * sizeof *r);
    for (size_t at = 0; at < rows->dim; at += P2PI_COLUMNS) {
        blend_block(rows, c, at, centre);
        for (size_t j = 0; j < rows->count; j++) {
            const void *v = p2pi_columns_at(rows, j, at, spare);

            r[j] += BOTH(rows->type, columns_distance_f32(v, centre), columns_distance_f64(v, centre));
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

enum { GROUP = 4 };

/* sum += c_0 v_0, then c_1 v_1, ...: several rows while the sum is in a register. */
P2PI_CLONES static void
columns_add_group(const double *c, const double *const *v, double *sum)
{
    P2PI_INDEPENDENT
    for (size_t k = 0; k < P2PI_COLUMNS; k++) {
        double s = sum[k];

        s += c[0] * v[0][k];
        s += c[1] * v[1][k];
        s += c[2] * v[2][k];
        s += c[3] * v[3][k];
        sum[k] = s;
    }
}

/* sum = sum_j c_j times row j of a loaded block. */
static void
combine_block(size_t count, const double *c, const double *block, double *sum)
{
    const double *v[GROUP];
    double chosen[GROUP];
    size_t filled = 0;

    memset(sum, 0, P2PI_COLUMNS * sizeof *sum);
    for (size_t j = 0; j < count; j++) {
        if (c[j] == 0)
            continue;
        chosen[filled] = c[j];
        v[filled++] = block + j * P2PI_STRIDE;
        if (filled == GROUP) {
            columns_add_group(chosen, v, sum);
            filled = 0;
        }
    }
    if (filled == 0)
        return;
    for (; filled < GROUP; filled++) {
        chosen[filled] = 0;
        v[filled] = block;
    }
    columns_add_group(chosen, v, sum);
}

void
p2pi_columns_transform(const p2pi_rows *rows, const double *matrix, size_t count, double *block, void *const *out)
{
    double sum[P2PI_COLUMNS];

    for (size_t at = 0; at < rows->dim; at += P2PI_COLUMNS) {
        p2pi_columns_load(rows, at, NULL, block);
        for (size_t i = 0; i < count; i++) {
            p2p_vec z = { out[i], rows->dim, rows->type };

            combine_block(rows->count, matrix + i * rows->count, block, sum);
            p2pi_columns_store(z, at, sum);
        }
    }
}
