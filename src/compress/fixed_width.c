/*
 * Up to width 8, eight symbols are `width` whole bytes and fit a 64-bit word: one store or load for all of them.
 * Wider symbols go one by one.
 */
#include "compress/fixed_width.h"

#include "base/clones.h"
#include "compress/bits.h"

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

P2PI_CLONES static uint8_t *
pack_fixed(uint8_t *at, const uint32_t *symbol, size_t n, unsigned width)
{
    p2pi_bit_writer w;
    size_t i = 0;

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
    return pack_fixed(at, symbol, n, width);
}

void
p2pi_fixed_unpack(const uint8_t *bytes, size_t len, size_t n, unsigned width, uint32_t *symbol)
{
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
