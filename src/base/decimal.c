/*
 * Most numbers in data files have few digits. A mantissa below 2^53 times or over a power of ten up to 10^22 takes
 * one correctly rounded operation; the rest is left to strtod.
 *
 * Source: Clinger, "How to read floating point numbers accurately", PLDI 1990.
 */
#define _GNU_SOURCE /* strtod_l */
#include "base/decimal.h"

#include <limits.h>
#include <locale.h>
#include <stdint.h>
#include <stdlib.h>

/* What a text says: mantissa times 10^exponent, unless it has more digits than the mantissa holds. */
typedef struct {
    uint64_t mantissa;
    int exponent, digits, significant, exact;
} scan;

static const char *
scan_digits(const char *at, scan *s, int fraction)
{
    for (; *at >= '0' && *at <= '9'; at++) {
        s->digits++;
        s->significant += s->significant > 0 || *at != '0';
        if (s->significant > 19)
            s->exact = 0;
        else {
            s->mantissa = 10 * s->mantissa + (uint64_t)(*at - '0');
            s->exponent -= fraction;
        }
    }
    return at;
}

/* An exponent counts only with digits of its own: "1e" is 1, followed by an e. */
static const char *
scan_exponent(const char *at, scan *s)
{
    const char *digits = at + 1;
    int sign = 1, value = 0;

    if (*at != 'e' && *at != 'E')
        return at;
    if (*digits == '+' || *digits == '-')
        sign = *digits++ == '-' ? -1 : 1;
    if (*digits < '0' || *digits > '9')
        return at;
    for (; *digits >= '0' && *digits <= '9'; digits++)
        if (value < 100000)
            value = 10 * value + (*digits - '0');
    s->exponent += sign * value;
    return digits;
}

static double
slow(const char *text)
{
    locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    double value = strtod_l(text, NULL, plain);

    freelocale(plain);
    return value;
}

double
p2pi_decimal(const char *text, const char **end)
{
    static const double ten[] = { 1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                  1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22 };
    const int negative = *text == '-';
    const char *at = text + (negative || *text == '+');
    scan s = { .exact = 1 };
    double value;

    at = scan_digits(at, &s, 0);
    if (*at == '.')
        at = scan_digits(at + 1, &s, 1);
    if (s.digits == 0) {
        *end = text;
        return 0;
    }
    *end = at = scan_exponent(at, &s);
    if (!s.exact || s.mantissa > UINT64_C(1) << 53 || s.exponent < -22 || s.exponent > 22)
        return slow(text);
    value = (double)s.mantissa;
    value = s.exponent < 0 ? value / ten[-s.exponent] : value * ten[s.exponent];
    return negative ? -value : value;
}
