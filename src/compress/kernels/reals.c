#include "compress/kernels/reals.h"

#include "base/clones.h"

#include <math.h>
#include <string.h>

static const struct {
    const char *name;
    size_t bytes;
    double unit;
} formats[] = {
    [P2PI_REAL_F32] = { "f32", 4, 0x1p-24 },
    [P2PI_REAL_F64] = { "f64", 8, 0x1p-53 },
    [P2PI_REAL_F16] = { "f16", 2, 0x1p-11 },
    [P2PI_REAL_BF16] = { "bf16", 2, 0x1p-8 },
};

size_t
p2pi_real_bytes(p2pi_real format)
{
    return formats[format].bytes;
}

const char *
p2pi_real_name(p2pi_real format)
{
    return formats[format].name;
}

double
p2pi_real_unit(p2pi_real format)
{
    return formats[format].unit;
}

p2pi_real
p2pi_real_of(p2p_dtype type)
{
    return type == P2P_F32 ? P2PI_REAL_F32 : P2PI_REAL_F64;
}

static uint32_t
bits_of(float v)
{
    uint32_t bits;

    memcpy(&bits, &v, sizeof bits);
    return bits;
}

static float
float_of(uint32_t bits)
{
    float v;

    memcpy(&v, &bits, sizeof v);
    return v;
}

/* Pattern of the nearest bfloat16, ties to even. The input is finite; what is too large becomes infinite. */
static uint16_t
bf16_near(float v)
{
    uint32_t bits = bits_of(v);

    return (uint16_t)((bits + 0x7FFF + (bits >> 16 & 1)) >> 16);
}

static double
bf16_value(uint16_t pattern)
{
    return (double)float_of((uint32_t)pattern << 16);
}

/* Pattern of the nearest binary16, ties to even: |v| in units of the last place, rounded by the machine's own nearest
 * even in double (the sum with 2^52 has no fraction left). The carry into the exponent is right as it stands. */
static uint16_t
f16_near(double v)
{
    uint16_t sign = signbit(v) ? 0x8000 : 0;
    double a = fabs(v);
    int exponent;

    if (a >= 65520)
        return sign | 0x7C00;
    frexp(a, &exponent);
    exponent = a < 0x1p-14 ? -14 : exponent - 1;
    a = ldexp(a, 10 - exponent) + 0x1p52 - 0x1p52;
    return (uint16_t)(sign | (uint16_t)((exponent + 14) * 1024 + (int)a));
}

static double
f16_value(uint16_t pattern)
{
    int exponent = pattern >> 10 & 31, mantissa = pattern & 1023;
    double a = exponent == 31  ? (mantissa ? NAN : INFINITY)
               : exponent == 0 ? ldexp(mantissa, -24)
                               : ldexp(mantissa + 1024, exponent - 25);

    return pattern & 0x8000 ? -a : a;
}

/* Patterns are what travels; all four formats have at most 64 bits. */
static uint64_t
pattern_near(p2pi_real format, double v)
{
    uint64_t bits;

    switch (format) {
    case P2PI_REAL_F32:
        return bits_of((float)v);
    case P2PI_REAL_F16:
        return f16_near(v);
    case P2PI_REAL_BF16:
        return isinf((float)v) ? bits_of((float)v) >> 16 : bf16_near((float)v);
    default:
        memcpy(&bits, &v, sizeof bits);
        return bits;
    }
}

static double
pattern_value(p2pi_real format, uint64_t pattern)
{
    double v;

    switch (format) {
    case P2PI_REAL_F32:
        return (double)float_of((uint32_t)pattern);
    case P2PI_REAL_F16:
        return f16_value((uint16_t)pattern);
    case P2PI_REAL_BF16:
        return bf16_value((uint16_t)pattern);
    default:
        memcpy(&v, &pattern, sizeof v);
        return v;
    }
}

double
p2pi_real_near(p2pi_real format, double v)
{
    return pattern_value(format, pattern_near(format, v));
}

double
p2pi_real_up(p2pi_real format, double v)
{
    uint64_t pattern = pattern_near(format, v);
    double near = pattern_value(format, pattern);

    return near < v ? pattern_value(format, pattern + 1) : near;
}

p2p_status
p2pi_real_fits(p2pi_real format, double rounded, const char *what, double v)
{
    if (isfinite(rounded))
        return P2P_OK;
    return p2p_fail(P2P_EINVAL, "%s %g does not fit the wire format %s of reals", what, v, formats[format].name);
}

static void
store_bytes(uint64_t pattern, size_t width, uint8_t *bytes)
{
    for (size_t i = 0; i < width; i++)
        bytes[i] = (uint8_t)(pattern >> 8 * i);
}

static uint64_t
load_bytes(const uint8_t *bytes, size_t width)
{
    uint64_t pattern = 0;

    for (size_t i = 0; i < width; i++)
        pattern |= (uint64_t)bytes[i] << 8 * i;
    return pattern;
}

void
p2pi_real_store(p2pi_real format, double v, uint8_t *bytes)
{
    store_bytes(pattern_near(format, v), formats[format].bytes, bytes);
}

double
p2pi_real_load(p2pi_real format, const uint8_t *bytes)
{
    return pattern_value(format, load_bytes(bytes, formats[format].bytes));
}

/* The formats of a machine are its memory, where it is little-endian. */
static int
is_memory(p2pi_real format, p2p_dtype type)
{
    return format == p2pi_real_of(type) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
}

size_t
p2pi_reals_store(p2pi_real format, p2p_view x, uint8_t *bytes)
{
    size_t width = formats[format].bytes;

    if (is_memory(format, x.type)) {
        memcpy(bytes, x.data, x.dim * width);
        return x.dim;
    }
    for (size_t i = 0; i < x.dim; i++) {
        double v = p2p_vec_get(x, i);
        uint64_t pattern = pattern_near(format, v);

        if (!isfinite(pattern_value(format, pattern)))
            return i;
        store_bytes(pattern, width, bytes + i * width);
    }
    return x.dim;
}

void
p2pi_reals_load(p2pi_real format, const uint8_t *bytes, p2p_vec y)
{
    size_t width = formats[format].bytes;

    if (is_memory(format, y.type))
        memcpy(y.data, bytes, y.dim * width);
    else
        for (size_t i = 0; i < y.dim; i++)
            p2p_vec_set(y, i, pattern_value(format, load_bytes(bytes + i * width, width)));
}

/* An exponent of all ones is an infinity or NaN. Loads need no alignment; the loop has no branch. */
P2PI_CLONES static int
reals_all_finite_f32(const uint8_t *bytes, size_t count)
{
    int bad = 0;

    for (size_t i = 0; i < count; i++) {
        uint32_t bits;

        memcpy(&bits, bytes + 4 * i, sizeof bits);
        bad |= (bits & 0x7F800000) == 0x7F800000;
    }
    return !bad;
}

P2PI_CLONES static int
reals_all_finite_f64(const uint8_t *bytes, size_t count)
{
    int64_t bad = 0;

    for (size_t i = 0; i < count; i++) {
        int64_t bits;

        memcpy(&bits, bytes + 8 * i, sizeof bits);
        bad |= (bits & 0x7FF0000000000000) == 0x7FF0000000000000;
    }
    return !bad;
}

size_t
p2pi_reals_first_bad(p2pi_real format, const uint8_t *bytes, size_t count, p2p_dtype type)
{
    size_t width = formats[format].bytes, i;

    if (is_memory(format, type) &&
        (type == P2P_F32 ? reals_all_finite_f32(bytes, count) : reals_all_finite_f64(bytes, count)))
        return count;
    for (i = 0; i < count; i++) {
        double v = pattern_value(format, load_bytes(bytes + i * width, width));

        if (!isfinite(v) || (type == P2P_F32 && !isfinite((float)v)))
            break;
    }
    return i;
}
