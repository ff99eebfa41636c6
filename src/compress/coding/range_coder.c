#include "compress/coding/range_coder.h"

#include "compress/coding/huffman.h"

enum { LOWEST = 1 << 16 };

void
p2pi_range_frequencies(const uint32_t *count, size_t alphabet, uint16_t *frequency)
{
    uint64_t total = 0;
    long left = P2PI_RANGE_TOTAL;

    for (size_t s = 0; s < alphabet; s++)
        total += count[s];
    for (size_t s = 0; s < alphabet; s++) {
        uint64_t f = (uint64_t)count[s] * P2PI_RANGE_TOTAL / total;

        frequency[s] = (uint16_t)(count[s] > 0 && f == 0 ? 1 : f);
        left -= frequency[s];
    }
    /* One unit at a time, always at the largest frequency, the lowest symbol in a tie. */
    for (; left != 0; left -= left > 0 ? 1 : -1) {
        size_t largest = 0;

        for (size_t s = 1; s < alphabet; s++)
            if (frequency[s] > frequency[largest])
                largest = s;
        frequency[largest] = (uint16_t)(frequency[largest] + (left > 0 ? 1 : -1));
    }
}

static void
cumulate(const uint16_t *frequency, size_t alphabet, uint16_t *below)
{
    uint16_t sum = 0;

    for (size_t s = 0; s < alphabet; s++) {
        below[s] = sum;
        sum = (uint16_t)(sum + frequency[s]);
    }
}

size_t
p2pi_range_encode(const uint32_t *symbol, size_t n, const uint16_t *frequency, size_t alphabet, uint8_t *end,
                  uint32_t *state)
{
    uint16_t below[P2PI_ALPHABET];
    uint32_t x = LOWEST;
    size_t words = 0;

    cumulate(frequency, alphabet, below);
    while (n-- > 0) {
        uint32_t f = frequency[symbol[n]];

        if (x >= (uint64_t)f << 20) {
            if (end != NULL) {
                *--end = (uint8_t)(x >> 8);
                *--end = (uint8_t)x;
            }
            x >>= 16;
            words++;
        }
        x = (x / f << P2PI_RANGE_SHIFT) + x % f + below[symbol[n]];
    }
    *state = x;
    return words;
}

int
p2pi_range_decode(const uint8_t *bytes, size_t words, uint32_t state, const uint16_t *frequency, size_t alphabet,
                  size_t n, uint32_t *symbol)
{
    uint16_t below[P2PI_ALPHABET], at[P2PI_RANGE_TOTAL];
    uint32_t x = state;
    size_t used = 0;

    cumulate(frequency, alphabet, below);
    for (size_t s = 0; s < alphabet; s++)
        for (size_t i = 0; i < frequency[s]; i++)
            at[below[s] + i] = (uint16_t)s;
    if (x < LOWEST)
        return 0;
    for (size_t i = 0; i < n; i++) {
        uint32_t slot = x % P2PI_RANGE_TOTAL, s = at[slot];

        symbol[i] = s;
        x = frequency[s] * (x >> P2PI_RANGE_SHIFT) + slot - below[s];
        if (x < LOWEST) {
            if (used == words)
                return 0;
            x = x << 16 | bytes[2 * used] | (uint32_t)bytes[2 * used + 1] << 8;
            used++;
        }
    }
    return x == LOWEST && used == words;
}
