/* Each loop twice, from float_kernels.inc. */
#include "compress/kernels/float_kernels.h"

#include "base/clones.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define REAL float
#define BITS uint32_t
#define MANTISSA 23
#define TOP 254
#define FN(name) float_##name##_f32
#include "compress/kernels/float_kernels.inc"
#undef REAL
#undef BITS
#undef MANTISSA
#undef TOP
#undef FN
#define REAL double
#define BITS uint64_t
#define MANTISSA 52
#define TOP 2046
#define FN(name) float_##name##_f64
#include "compress/kernels/float_kernels.inc"

#define BOTH(type, f32_call, f64_call) ((type) == P2P_F32 ? (f32_call) : (f64_call))

void
p2pi_exponents(p2p_view y, p2p_view u, uint32_t *symbol)
{
    BOTH(y.type, float_exponents_f32(y.dim, y.data, u.data, symbol),
         float_exponents_f64(y.dim, y.data, u.data, symbol));
}

P2PI_CLONES static uint32_t
least_symbol(const uint32_t *symbol, size_t n)
{
    uint32_t least = UINT32_MAX;

    /* 0 becomes the largest. */
    for (size_t i = 0; i < n; i++)
        least = symbol[i] - 1 < least ? symbol[i] - 1 : least;
    return least;
}

uint32_t
p2pi_least_exponent(const uint32_t *symbol, size_t n)
{
    uint32_t least = least_symbol(symbol, n);

    return least == UINT32_MAX ? least : least / 2;
}

P2PI_CLONES static void
count_from(uint32_t *symbol, size_t n, uint32_t lowest)
{
    P2PI_INDEPENDENT
    for (size_t i = 0; i < n; i++)
        symbol[i] -= symbol[i] > 0 ? 2 * lowest : 0;
}

void
p2pi_exponents_from(uint32_t *symbol, size_t n, uint32_t lowest)
{
    count_from(symbol, n, lowest);
}

void
p2pi_powers_of_two(const uint32_t *symbol, uint32_t lowest, p2p_vec y)
{
    BOTH(y.type, float_powers_of_two_f32(y.dim, symbol, lowest, y.data),
         float_powers_of_two_f64(y.dim, symbol, lowest, y.data));
}

static uint32_t
sign_of(const p2pi_small_float *f)
{
    return UINT32_C(1) << (f->exponent_bits + f->mantissa_bits);
}

double
p2pi_small_float_value(const p2pi_small_float *format, uint32_t pattern)
{
    double storage;
    p2p_vec y = { &storage, 1, P2P_F64 };

    p2pi_from_small_floats(format, &pattern, 1, y);
    return storage;
}

/* The inverse of the smallest number of the format; 0 where entries have none that is smaller than its normal ones.
 */
static double
small_unit(const p2pi_small_float *f, p2p_dtype type)
{
    double unit = ldexp(1, f->mantissa_bits + f->bias - 1);

    return type == P2P_F32 && unit > FLT_MAX ? 0 : unit;
}

void
p2pi_small_floats(const p2pi_small_float *f, p2p_view y, double scale, const double *u, uint32_t *symbol)
{
    const double unit = small_unit(f, y.type);

    if (scale == 1 && u == NULL)
        BOTH(y.type,
             float_nearest_floats_f32(y.dim, f->mantissa_bits, f->bias, f->top, sign_of(f), y.data, (float)unit,
                                      symbol),
             float_nearest_floats_f64(y.dim, f->mantissa_bits, f->bias, f->top, sign_of(f), y.data, unit, symbol));
    else
        BOTH(y.type,
             float_small_floats_f32(y.dim, f->mantissa_bits, f->bias, f->top, sign_of(f), y.data, scale, u, symbol),
             float_small_floats_f64(y.dim, f->mantissa_bits, f->bias, f->top, sign_of(f), y.data, scale, u, symbol));
}

void
p2pi_from_small_floats(const p2pi_small_float *f, const uint32_t *symbol, double scale, p2p_vec y)
{
    BOTH(y.type, float_from_small_floats_f32(y.dim, f->mantissa_bits, f->bias, sign_of(f), symbol, scale, y.data),
         float_from_small_floats_f64(y.dim, f->mantissa_bits, f->bias, sign_of(f), symbol, scale, y.data));
}
