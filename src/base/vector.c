/*
 * Vector kernels for both element types. Elementwise loops and canonical sums are our own, not BLAS: rounding must
 * not depend on the processor, because both ends of an edge repeat each other's arithmetic.
 */
#include <p2popt/vector.h>

#include "base/clones.h"
#include "base/sum.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* Independent maxima and tests run side by side in as many lanes. */
enum { LANES = 64 };

#define REAL float
#define ABS(x) fabsf(x)
#define FN(name) name##_f32
#include "base/vector_kernels.inc"
#undef REAL
#undef ABS
#undef FN
#define REAL double
#define ABS(x) fabs(x)
#define FN(name) name##_f64
#include "base/vector_kernels.inc"
#undef REAL
#undef ABS
#undef FN

P2PI_CLONES static void
widen(size_t n, const float *x, double *y)
{
    for (size_t i = 0; i < n; i++)
        y[i] = x[i];
}

P2PI_CLONES static void
narrow(size_t n, const double *x, float *y)
{
    for (size_t i = 0; i < n; i++)
        y[i] = (float)x[i];
}

/* Call the kernel of the type. */
#define BOTH(type, f32_call, f64_call) ((type) == P2P_F32 ? (f32_call) : (f64_call))

size_t
p2p_dtype_size(p2p_dtype type)
{
    return type == P2P_F32 ? sizeof(float) : sizeof(double);
}

const char *
p2p_dtype_name(p2p_dtype type)
{
    return type == P2P_F32 ? "f32" : "f64";
}

void
p2p_vec_zero(p2p_vec y)
{
    memset(y.data, 0, y.dim * p2p_dtype_size(y.type));
}

void
p2p_vec_fill(p2p_vec y, double a)
{
    BOTH(y.type, fill_f32(y.dim, (float)a, y.data), fill_f64(y.dim, a, y.data));
}

void
p2p_vec_copy(p2p_vec y, p2p_view x)
{
    assert(y.dim == x.dim && y.type == x.type);
    if (y.data != x.data)
        memcpy(y.data, x.data, y.dim * p2p_dtype_size(y.type));
}

void
p2p_vec_scale(p2p_vec y, double a)
{
    BOTH(y.type, scale_f32(y.dim, (float)a, y.data), scale_f64(y.dim, a, y.data));
}

void
p2p_vec_axpy(p2p_vec y, double a, p2p_view x)
{
    assert(y.dim == x.dim && y.type == x.type);
    BOTH(y.type, axpy_f32(y.dim, (float)a, x.data, y.data), axpy_f64(y.dim, a, x.data, y.data));
}

void
p2p_vec_axpby(p2p_vec y, double a, p2p_view x, double b)
{
    p2p_vec_combine(y, a, x, b, p2p_view_of(y));
}

void
p2p_vec_combine(p2p_vec z, double a, p2p_view x, double b, p2p_view y)
{
    assert(z.dim == x.dim && z.type == x.type && z.dim == y.dim && z.type == y.type);
    BOTH(z.type, combine_f32(z.dim, (float)a, x.data, (float)b, y.data, z.data),
         combine_f64(z.dim, a, x.data, b, y.data, z.data));
}

void
p2p_vec_combine3(p2p_vec z, double a, p2p_view x, double b, p2p_view y, double c, p2p_view w)
{
    assert(z.dim == x.dim && z.type == x.type && z.dim == y.dim && z.type == y.type && z.dim == w.dim &&
           z.type == w.type);
    BOTH(z.type, combine3_f32(z.dim, (float)a, x.data, (float)b, y.data, (float)c, w.data, z.data),
         combine3_f64(z.dim, a, x.data, b, y.data, c, w.data, z.data));
}

void
p2p_vec_sub(p2p_vec z, p2p_view x, p2p_view y)
{
    assert(z.dim == x.dim && z.type == x.type && z.dim == y.dim && z.type == y.type);
    BOTH(z.type, sub_f32(z.dim, x.data, y.data, z.data), sub_f64(z.dim, x.data, y.data, z.data));
}

double
p2p_vec_dot(p2p_view x, p2p_view y)
{
    assert(x.dim == y.dim && x.type == y.type);
    return BOTH(x.type, dot_f32(x.dim, x.data, y.data), dot_f64(x.dim, x.data, y.data));
}

double
p2p_vec_norm2(p2p_view x)
{
    double sum = BOTH(x.type, squares_f32(x.dim, x.data), squares_f64(x.dim, x.data)), largest;
    int exponent;
    double scaled = 0;

    if (sum > 0x1p-960 && sum < 0x1p1000)
        return sqrt(sum);
    largest = p2p_vec_norminf(x);
    if (largest == 0 || !isfinite(largest))
        return sqrt(sum);
    frexp(largest, &exponent);
    P2PI_SUM(scaled, x.dim, i,
             ldexp(p2p_vec_get(x, i), -exponent) * ldexp(p2p_vec_get(x, i), -exponent));
    return ldexp(sqrt(scaled), exponent);
}

double
p2p_vec_norm1(p2p_view x)
{
    return BOTH(x.type, norm1_f32(x.dim, x.data), norm1_f64(x.dim, x.data));
}

double
p2p_vec_norminf(p2p_view x)
{
    return BOTH(x.type, norminf_f32(x.dim, x.data), norminf_f64(x.dim, x.data));
}

double
p2p_vec_distance(p2p_view x, p2p_view y)
{
    assert(x.dim == y.dim && x.type == y.type);
    return BOTH(x.type, distance_f32(x.dim, x.data, y.data), distance_f64(x.dim, x.data, y.data));
}

size_t
p2p_vec_first_nonfinite(p2p_view x)
{
    return BOTH(x.type, first_nonfinite_f32(x.dim, x.data), first_nonfinite_f64(x.dim, x.data));
}

double
p2p_vec_get(p2p_view x, size_t i)
{
    return x.type == P2P_F32 ? (double)((const float *)x.data)[i] : ((const double *)x.data)[i];
}

void
p2p_vec_set(p2p_vec y, size_t i, double value)
{
    if (y.type == P2P_F32)
        ((float *)y.data)[i] = (float)value;
    else
        ((double *)y.data)[i] = value;
}

void
p2p_vec_convert(p2p_vec y, p2p_view x)
{
    assert(y.dim == x.dim);
    if (y.type == x.type) {
        p2p_vec_copy(y, x);
        return;
    }
    BOTH(y.type, narrow(y.dim, x.data, y.data), widen(y.dim, x.data, y.data));
}
