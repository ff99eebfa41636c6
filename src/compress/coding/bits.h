/*
 * Bit streams: each byte is filled from its least significant bit, a number is put least significant bit first, so
 * that a reader loads 64 bits and shifts. A stream ends at a byte boundary; the padding bits are zero.
 *
 * The writer stores whole 64-bit words: it may touch P2PI_BITS_SPARE bytes beyond what it has written.
 */
#ifndef P2PI_BITS_H
#define P2PI_BITS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { P2PI_BITS_SPARE = 8, P2PI_BITS_ONCE = 56 /* most bits of one put or get */ };

static inline uint16_t
p2pi_little16(uint16_t v)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    return (uint16_t)(v << 8 | v >> 8);
#else
    return v;
#endif
}

static inline uint64_t
p2pi_little64(uint64_t v)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    return __builtin_bswap64(v);
#else
    return v;
#endif
}

/** Bits needed for v; 0 for 0. */
static inline unsigned
p2pi_bit_length(uint64_t v)
{
    return v ? 64 - (unsigned)__builtin_clzll(v) : 0;
}

typedef struct {
    uint8_t *at;   /* the first byte that is not complete */
    uint64_t word; /* its bits so far */
    unsigned fill; /* how many: 0 .. 7 */
} p2pi_bit_writer;

static inline p2pi_bit_writer
p2pi_bit_writer_of(uint8_t *at)
{
    p2pi_bit_writer w = { at, 0, 0 };
    return w;
}

/** The low `bits` bits of v; the higher ones are zero. */
static inline void
p2pi_put_bits(p2pi_bit_writer *w, uint64_t v, unsigned bits)
{
    uint64_t stored;

    w->word |= v << w->fill;
    w->fill += bits;
    stored = p2pi_little64(w->word);
    memcpy(w->at, &stored, sizeof stored);
    w->at += w->fill / 8;
    w->word >>= w->fill / 8 * 8;
    w->fill %= 8;
}

static inline void
p2pi_put_zeros(p2pi_bit_writer *w, uint64_t count)
{
    for (; count > P2PI_BITS_ONCE; count -= P2PI_BITS_ONCE)
        p2pi_put_bits(w, 0, P2PI_BITS_ONCE);
    p2pi_put_bits(w, 0, (unsigned)count);
}

/** Pad to a byte boundary; the end of the stream. */
static inline uint8_t *
p2pi_bits_end(p2pi_bit_writer *w)
{
    if (w->fill > 0)
        *w->at++ = (uint8_t)w->word;
    w->word = 0;
    w->fill = 0;
    return w->at;
}

typedef struct {
    const uint8_t *bytes;
    uint64_t at, end; /* in bits */
} p2pi_bit_reader;

static inline p2pi_bit_reader
p2pi_bit_reader_of(const uint8_t *bytes, size_t len)
{
    p2pi_bit_reader r = { bytes, 0, (uint64_t)len * 8 };
    return r;
}

/** The bits from position at on where fewer than eight bytes are left; zeros beyond the end. */
static inline uint64_t
p2pi_last_bits(const p2pi_bit_reader *r)
{
    uint64_t v = 0;

    for (uint64_t byte = r->at / 8, i = 0; byte < r->end / 8; byte++, i++)
        v |= (uint64_t)r->bytes[byte] << 8 * i;
    return v >> r->at % 8;
}

/** The next bits, at least 57 of them valid; zeros beyond the end. */
static inline uint64_t
p2pi_peek_bits(const p2pi_bit_reader *r)
{
    uint64_t v;

    if (r->at + 64 > r->end)
        return p2pi_last_bits(r);
    memcpy(&v, r->bytes + r->at / 8, sizeof v);
    return p2pi_little64(v) >> r->at % 8;
}

/** The next `bits` bits, at most P2PI_BITS_ONCE. Beyond the end they are zero and `at` passes `end`. */
static inline uint64_t
p2pi_get_bits(p2pi_bit_reader *r, unsigned bits)
{
    uint64_t v = p2pi_peek_bits(r) & ((UINT64_C(1) << bits) - 1);

    r->at += bits;
    return v;
}

/**
 * Length of the run of zeros before the next one, which is taken as well.
 *
 * @return the length; more than limit if the run is longer or the stream ends in it.
 */
static inline uint64_t
p2pi_get_zeros(p2pi_bit_reader *r, uint64_t limit)
{
    uint64_t zeros = 0, word;

    while ((word = p2pi_peek_bits(r) & ((UINT64_C(1) << P2PI_BITS_ONCE) - 1)) == 0) {
        zeros += P2PI_BITS_ONCE;
        r->at += P2PI_BITS_ONCE;
        if (zeros > limit || r->at >= r->end)
            return limit + 1;
    }
    r->at += (unsigned)__builtin_ctzll(word) + 1;
    return zeros + (unsigned)__builtin_ctzll(word);
}

/** Whether every bit was there and the padding is zero; *next is the byte behind the stream. */
static inline int
p2pi_bits_close(p2pi_bit_reader *r, const uint8_t **next)
{
    unsigned padding = (unsigned)(-r->at % 8);

    if (r->at > r->end || p2pi_get_bits(r, padding) != 0)
        return 0;
    *next = r->bytes + r->at / 8;
    return 1;
}

#endif
