/* Loops over the bit patterns of floats: powers of two, and floats of fewer bits. */
#ifndef P2PI_FLOAT_KERNELS_H
#define P2PI_FLOAT_KERNELS_H

#include <p2popt/vector.h>
#include <stddef.h>
#include <stdint.h>

/** The largest exponent field of a finite number: 254 or 2046. */
static inline uint32_t
p2pi_top_exponent(p2p_dtype type)
{
    return type == P2P_F32 ? 254 : 2046;
}

/**
 * Symbols of powers of two: 0 for y_j = 0, else 1 + 2 E + [y_j < 0], E the exponent field of |y_j|, one more where
 * the fraction of the mantissa is above u_j; at most the top exponent. u is of y's type.
 */
void p2pi_exponents(p2p_view y, p2p_view u, uint32_t *symbol);

/** The smallest E among symbols that are not 0; UINT32_MAX if there is none. */
uint32_t p2pi_least_exponent(const uint32_t *symbol, size_t n);

/** Symbols that are not 0 counted from a lowest exponent. */
void p2pi_exponents_from(uint32_t *symbol, size_t n, uint32_t lowest);

/** y_j = the power of two of a symbol that is counted from `lowest`. */
void p2pi_powers_of_two(const uint32_t *symbol, uint32_t lowest, p2p_vec y);

/** A binary float format of few bits; patterns up to `top` without the sign are finite. */
typedef struct {
    int exponent_bits, mantissa_bits, bias;
    uint32_t top;
} p2pi_small_float;

/** The value of a pattern without a sign. */
double p2pi_small_float_value(const p2pi_small_float *format, uint32_t pattern);

/**
 * Patterns of y_j / scale, sign at the top: floor(t + u_j) in units of the last place, u = NULL: nearest, ties to
 * even; what is too large becomes the largest.
 */
void p2pi_small_floats(const p2pi_small_float *format, p2p_view y, double scale, const double *u, uint32_t *symbol);

/** y_j = scale times the value of a pattern. */
void p2pi_from_small_floats(const p2pi_small_float *format, const uint32_t *symbol, double scale, p2p_vec y);

#endif
