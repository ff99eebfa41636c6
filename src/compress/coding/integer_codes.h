/*
 * Codes of integers in a bit stream.
 *
 * Elias, "Universal codeword sets and representations of the integers", IEEE Trans. Information Theory 1975 (gamma,
 * delta); Rice and Plaunt 1971. With n = floor(log2 v) and "low n bits" = v - 2^n:
 *
 *     gamma(v), v >= 1     n zeros, a one, low n bits
 *     delta(v), v >= 1     gamma(n + 1), low n bits
 *     rice(v, p), v >= 0   v >> p zeros, a one, low p bits of v
 */
#ifndef P2PI_INTEGER_CODES_H
#define P2PI_INTEGER_CODES_H

#include "compress/coding/bits.h"

/** No value: the bits are not a code of the kind, or the number is beyond its limit. */
#define P2PI_BAD_CODE UINT64_MAX

static inline unsigned
p2pi_gamma_bits(uint64_t v)
{
    return 2 * p2pi_bit_length(v) - 1;
}

static inline unsigned
p2pi_delta_bits(uint64_t v)
{
    return p2pi_gamma_bits(p2pi_bit_length(v)) + p2pi_bit_length(v) - 1;
}

/* Most codes fit one store; the zeros of a long one go first. */
static inline void
p2pi_put_gamma(p2pi_bit_writer *w, uint64_t v)
{
    unsigned n = p2pi_bit_length(v) - 1, zeros = 2 * n + 1 <= P2PI_BITS_ONCE ? n : 0;

    p2pi_put_bits(w, 0, n - zeros);
    p2pi_put_bits(w, (1 | (v ^ (UINT64_C(1) << n)) << 1) << zeros, zeros + n + 1);
}

static inline void
p2pi_put_delta(p2pi_bit_writer *w, uint64_t v)
{
    unsigned n = p2pi_bit_length(v) - 1;

    p2pi_put_gamma(w, n + 1);
    p2pi_put_bits(w, v ^ (UINT64_C(1) << n), n);
}

static inline void
p2pi_put_rice(p2pi_bit_writer *w, uint64_t v, unsigned p)
{
    uint64_t quotient = v >> p, low = 1 | (v & ((UINT64_C(1) << p) - 1)) << 1;
    unsigned zeros = quotient + p + 1 <= P2PI_BITS_ONCE ? (unsigned)quotient : 0;

    p2pi_put_zeros(w, quotient - zeros);
    p2pi_put_bits(w, low << zeros, zeros + p + 1);
}

/** At most `limit` <= 32 low bits. */
static inline uint64_t
p2pi_get_gamma(p2pi_bit_reader *r, unsigned limit)
{
    uint64_t word = p2pi_peek_bits(r), n;

    /* Up to 27 zeros, the whole code is in the word. */
    if (word << 36 != 0) {
        n = (unsigned)__builtin_ctzll(word);
        if (n > limit)
            return P2PI_BAD_CODE;
        r->at += 2 * n + 1;
        return UINT64_C(1) << n | (word >> (n + 1) & ((UINT64_C(1) << n) - 1));
    }
    n = p2pi_get_zeros(r, limit);
    return n > limit ? P2PI_BAD_CODE : UINT64_C(1) << n | p2pi_get_bits(r, (unsigned)n);
}

static inline uint64_t
p2pi_get_delta(p2pi_bit_reader *r)
{
    uint64_t n = p2pi_get_gamma(r, 5) - 1;

    return n > 32 ? P2PI_BAD_CODE : UINT64_C(1) << n | p2pi_get_bits(r, (unsigned)n);
}

/** limit: bound of the value; the run of zeros is at most limit >> p, p <= 32. */
static inline uint64_t
p2pi_get_rice(p2pi_bit_reader *r, unsigned p, uint64_t limit)
{
    uint64_t word = p2pi_peek_bits(r), quotient;

    /* Up to 23 zeros, the whole code is in the word. */
    if (word << 40 != 0) {
        quotient = (unsigned)__builtin_ctzll(word);
        r->at += quotient + 1 + p;
        word >>= quotient + 1;
    } else {
        quotient = p2pi_get_zeros(r, limit >> p);
        word = p2pi_peek_bits(r);
        r->at += p;
    }
    return quotient > limit >> p ? P2PI_BAD_CODE : quotient << p | (word & ((UINT64_C(1) << p) - 1));
}

#endif
