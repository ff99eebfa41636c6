/*
 * Wire formats of reals: IEEE binary32, binary64, binary16, and bfloat16, little-endian.
 *
 * Encoders round first and compute from the rounded value, so that both ends decode to the same numbers.
 */
#ifndef P2PI_REALS_H
#define P2PI_REALS_H

#include <p2popt/status.h>
#include <p2popt/vector.h>
#include <stddef.h>
#include <stdint.h>

/** As in the frame's type byte. */
typedef enum { P2PI_REAL_F32, P2PI_REAL_F64, P2PI_REAL_F16, P2PI_REAL_BF16 } p2pi_real;

/** Bytes of one real: 4, 8, 2, 2. */
size_t p2pi_real_bytes(p2pi_real format);
const char *p2pi_real_name(p2pi_real format);

/** 2^-24, 2^-53, 2^-11, 2^-8: largest relative rounding error of the format's normal numbers. */
double p2pi_real_unit(p2pi_real format);

/** The format that an element type is stored in without loss. */
p2pi_real p2pi_real_of(p2p_dtype type);

/** Nearest number of the format, ties to even; infinite if v is too large for it. */
double p2pi_real_near(p2pi_real format, double v);

/** The smallest number of the format that is not below v >= 0; infinite if there is none. */
double p2pi_real_up(p2pi_real format, double v);

/** P2P_OK, or P2P_EINVAL with "WHAT V does not fit FORMAT" if the rounded value is infinite. */
p2p_status p2pi_real_fits(p2pi_real format, double rounded, const char *what, double v);

/** One number, already rounded to the format; the bytes need no alignment. */
void p2pi_real_store(p2pi_real format, double v, uint8_t *bytes);
double p2pi_real_load(p2pi_real format, const uint8_t *bytes);

/** Round x to the format and store it; returns the index of the first entry that does not fit, x.dim if all do. */
size_t p2pi_reals_store(p2pi_real format, p2p_view x, uint8_t *bytes);

/** y.dim numbers as y's type; a number beyond that type becomes infinite. */
void p2pi_reals_load(p2pi_real format, const uint8_t *bytes, p2p_vec y);

/** Index of the first of count numbers that is NaN, infinite, or infinite as an entry of type; count if none is. */
size_t p2pi_reals_first_bad(p2pi_real format, const uint8_t *bytes, size_t count, p2p_dtype type);

#endif
