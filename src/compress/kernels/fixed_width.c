/*
 * Eight symbols are `width` whole bytes: up to width 8 one 64-bit word, up to 16 two of them. Symbols of 16 bits are
 * stored and loaded as they are; wider ones go one by one.
 */
#include "compress/kernels/fixed_width.h"

#include "base/clones.h"
#include "compress/coding/bits.h"

P2PI_CLONES static uint32_t
largest_of(const uint32_t *symbol, size_t n)
{
    uint32_t largest = 0;

    for (size_t i = 0; i < n; i++)
        largest = symbol[i] > largest ? symbol[i] : largest;
    return largest;
}

uint32_t
p2pi_largest_symbol(const uint32_t *symbol, size_t n)
{
    return largest_of(symbol, n);
}

P2PI_CLONES static uint32_t
count_equal(const uint32_t *symbol, size_t n, uint32_t v)
{
    uint32_t count = 0;

    for (size_t i = 0; i < n; i++)
        count += symbol[i] == v;
    return count;
}

uint32_t
p2pi_symbols_equal(const uint32_t *symbol, size_t n, uint32_t v)
{
    return count_equal(symbol, n, v);
}

P2PI_CLONES static uint32_t
count_bit(const uint32_t *symbol, size_t n, unsigned bit)
{
    uint32_t count = 0;

    for (size_t i = 0; i < n; i++)
        count += symbol[i] >> bit & 1;
    return count;
}

uint32_t
p2pi_symbols_with_bit(const uint32_t *symbol, size_t n, unsigned bit)
{
    return count_bit(symbol, n, bit);
}

P2PI_CLONES static uint32_t
count_reaching(const uint32_t *symbol, size_t n, uint32_t v)
{
    uint32_t count = 0;

    for (size_t i = 0; i < n; i++)
        count += symbol[i] >= v;
    return count;
}

uint32_t
p2pi_symbols_from(const uint32_t *symbol, size_t n, uint32_t v)
{
    return count_reaching(symbol, n, v);
}

/* Two words that hold eight symbols of 9 to 15 bits: the first half of them begins the first word. */
static inline void
join_halves(uint64_t first, uint64_t second, unsigned width, uint64_t word[2])
{
    word[0] = p2pi_little64(first | second << 4 * width);
    word[1] = p2pi_little64(second >> (64 - 4 * width));
}

static inline uint64_t
four(const uint32_t *s, unsigned width)
{
    return s[0] | (uint64_t)s[1] << width | (uint64_t)s[2] << 2 * width | (uint64_t)s[3] << 3 * width;
}

P2PI_CLONES static uint8_t *
pack_halfwords(uint8_t *at, const uint32_t *symbol, size_t n)
{
    P2PI_INDEPENDENT
    for (size_t i = 0; i < n; i++) {
        uint16_t v = p2pi_little16((uint16_t)symbol[i]);

        memcpy(at + 2 * i, &v, sizeof v);
    }
    return at + 2 * n;
}

P2PI_CLONES static void
unpack_halfwords(const uint8_t *bytes, size_t n, uint32_t *symbol)
{
    P2PI_INDEPENDENT
    for (size_t i = 0; i < n; i++) {
        uint16_t v;

        memcpy(&v, bytes + 2 * i, sizeof v);
        symbol[i] = p2pi_little16(v);
    }
}

P2PI_CLONES static uint8_t *
pack_fixed(uint8_t *at, const uint32_t *symbol, size_t n, unsigned width)
{
    p2pi_bit_writer w;
    size_t i = 0;

    if (width > 8 && width < 16)
        for (; i + 8 <= n; i += 8, at += width) {
            uint64_t word[2];

            join_halves(four(symbol + i, width), four(symbol + i + 4, width), width, word);
            memcpy(at, word, sizeof word);
        }
    if (width <= 8)
        for (; i + 8 <= n; i += 8, at += width) {
            const uint32_t *s = symbol + i;
            uint32_t low = s[0] | s[1] << width | s[2] << 2 * width | s[3] << 3 * width;
            uint32_t high = s[4] | s[5] << width | s[6] << 2 * width | s[7] << 3 * width;
            uint64_t word = p2pi_little64(low | (uint64_t)high << 4 * width);

            memcpy(at, &word, sizeof word);
        }
    w = p2pi_bit_writer_of(at);
    for (; i < n; i++)
        p2pi_put_bits(&w, symbol[i], width);
    return p2pi_bits_end(&w);
}

P2PI_CLONES static void
unpack_fixed(const uint8_t *bytes, size_t len, size_t n, unsigned width, uint32_t *symbol)
{
    const uint64_t mask = (UINT64_C(1) << width) - 1;
    p2pi_bit_reader r;
    size_t i = 0;

    if (width > 8 && width < 16)
        for (; i + 8 <= n && len >= 16; i += 8, bytes += width, len -= width) {
            uint64_t word[2], second;

            memcpy(word, bytes, sizeof word);
            word[0] = p2pi_little64(word[0]);
            second = word[0] >> 4 * width | p2pi_little64(word[1]) << (64 - 4 * width);
            for (unsigned j = 0; j < 4; j++) {
                symbol[i + j] = (uint32_t)(word[0] >> j * width & mask);
                symbol[i + 4 + j] = (uint32_t)(second >> j * width & mask);
            }
        }
    if (width <= 8)
        for (; i + 8 <= n && len >= 8; i += 8, bytes += width, len -= width) {
            uint64_t word;

            memcpy(&word, bytes, sizeof word);
            word = p2pi_little64(word);
            for (unsigned j = 0; j < 8; j++)
                symbol[i + j] = (uint32_t)(word >> j * width & mask);
        }
    r = p2pi_bit_reader_of(bytes, len);
    for (; i < n; i++)
        symbol[i] = (uint32_t)p2pi_get_bits(&r, width);
}

uint8_t *
p2pi_fixed_pack(uint8_t *at, const uint32_t *symbol, size_t n, unsigned width)
{
    return width == 16 ? pack_halfwords(at, symbol, n) : pack_fixed(at, symbol, n, width);
}

void
p2pi_fixed_unpack(const uint8_t *bytes, size_t len, size_t n, unsigned width, uint32_t *symbol)
{
    if (width == 16)
        unpack_halfwords(bytes, n, symbol);
    else
        unpack_fixed(bytes, len, n, width, symbol);
}

/* What is written, spare bytes included, ends before what is read next. */
uint8_t *
p2pi_fixed_narrow(uint8_t *bytes, size_t n, unsigned from, unsigned to)
{
    enum { PART = 1024 };
    const size_t all = (n * from + 7) / 8;
    uint32_t symbol[PART];
    uint8_t *end = bytes;

    for (size_t at = 0; at < n; at += PART) {
        size_t part = n - at < PART ? n - at : PART, begin = at / 8 * from;

        unpack_fixed(bytes + begin, all - begin, part, from, symbol);
        end = pack_fixed(end, symbol, part, to);
    }
    return end;
}
