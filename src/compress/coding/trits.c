#include "compress/coding/trits.h"

enum { ZERO = 121, LARGEST = 242, RUN_BASE = 241, LONGEST_RUN = 14 };

/* Symbol <-> trit q + 1, both ways: 0, -1, +1 are the trits 1, 0, 2. */
static const uint8_t swap[3] = { 1, 0, 2 };

void
p2pi_trits_pack(const uint32_t *symbol, size_t n, uint8_t *bytes)
{
    size_t m = p2pi_trit_bytes(n);

    for (size_t j = 0; j < m; j++) {
        unsigned byte = 0;

        for (size_t part = 0; part < 5; part++) {
            size_t i = part * m + j;

            byte = 3 * byte + (i < n ? swap[symbol[i]] : 1);
        }
        bytes[j] = (uint8_t)byte;
    }
}

/* The five symbols of byte j of m; whether those beyond n are zeros. */
static int
unpack_byte(unsigned byte, size_t j, size_t m, size_t n, uint32_t *symbol)
{
    int clean = 1;

    for (size_t part = 5; part-- > 0; byte /= 3) {
        size_t i = part * m + j;

        if (i < n)
            symbol[i] = swap[byte % 3];
        else
            clean &= byte % 3 == 1;
    }
    return clean;
}

int
p2pi_trits_unpack(const uint8_t *bytes, size_t n, uint32_t *symbol)
{
    size_t m = p2pi_trit_bytes(n);
    int good = 1;

    for (size_t j = 0; j < m; j++)
        good &= unpack_byte(bytes[j], j, m, n, symbol) & (bytes[j] <= LARGEST);
    return good;
}

size_t
p2pi_trits_shorten(uint8_t *bytes, size_t count)
{
    size_t out = 0, run;

    for (size_t i = 0; i < count; i += run) {
        for (run = 0; i + run < count && bytes[i + run] == ZERO && run < LONGEST_RUN; run++)
            continue;
        if (run >= 2)
            bytes[out++] = (uint8_t)(RUN_BASE + run);
        else {
            bytes[out++] = bytes[i];
            run = 1;
        }
    }
    return out;
}

static size_t
run_of(uint8_t byte)
{
    return byte > LARGEST ? (size_t)byte - RUN_BASE : 1;
}

size_t
p2pi_trits_length(const uint8_t *bytes, size_t count, size_t limit)
{
    size_t length = 0;

    for (size_t i = 0; i < count && length <= limit; i++)
        length += run_of(bytes[i]);
    return length;
}

int
p2pi_trits_expand(const uint8_t *bytes, size_t count, size_t n, uint32_t *symbol)
{
    size_t m = p2pi_trit_bytes(n), j = 0;
    int good = 1;

    for (size_t i = 0; i < count; i++)
        for (size_t run = run_of(bytes[i]); run > 0; run--, j++)
            good &= unpack_byte(bytes[i] > LARGEST ? (unsigned)ZERO : bytes[i], j, m, n, symbol);
    return good;
}
