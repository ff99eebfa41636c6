/* Decimal numbers in text, the same in every locale. */
#ifndef P2PI_DECIMAL_H
#define P2PI_DECIMAL_H

/**
 * Read a decimal number at the start of a NUL-terminated text: sign, digits, fraction, exponent; no hexadecimal, no
 * "inf" or "nan". Correctly rounded.
 *
 * @param end set behind the number; text itself if there is none.
 * @return the value; an infinity where it is beyond the doubles.
 */
double p2pi_decimal(const char *text, const char **end);

#endif
