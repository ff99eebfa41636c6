/*
 * Stages in two passes over memory: those within blocks that fit the nearest cache, then the others on tiles of
 * columns of the matrix whose rows are the blocks.
 */
#include "compress/kernels/hadamard.h"

#include "base/clones.h"

#include <string.h>

enum { BLOCK = 4096, ROWS = 256, TILE = 32, FIRST = 8 };

size_t
p2pi_power_of_two(size_t d)
{
    size_t n = 1;

    while (n < d)
        n *= 2;
    return n;
}

/* The stages below FIRST, on FIRST entries at a time: all in registers. */
P2PI_CLONES static void
first_stages(size_t n, double *x)
{
    for (size_t i = 0; i < n; i += FIRST) {
        double *y = x + i;
        double a0 = y[0] + y[1], a1 = y[0] - y[1], a2 = y[2] + y[3], a3 = y[2] - y[3];
        double a4 = y[4] + y[5], a5 = y[4] - y[5], a6 = y[6] + y[7], a7 = y[6] - y[7];
        double b0 = a0 + a2, b1 = a1 + a3, b2 = a0 - a2, b3 = a1 - a3;
        double b4 = a4 + a6, b5 = a5 + a7, b6 = a4 - a6, b7 = a5 - a7;

        y[0] = b0 + b4;
        y[1] = b1 + b5;
        y[2] = b2 + b6;
        y[3] = b3 + b7;
        y[4] = b0 - b4;
        y[5] = b1 - b5;
        y[6] = b2 - b6;
        y[7] = b3 - b7;
    }
}

/* The stages from h = first on. */
P2PI_CLONES static void
stages_from(size_t first, size_t n, double *x)
{
    for (size_t h = first; h < n; h *= 2)
        for (size_t i = 0; i < n; i += 2 * h) {
            double *a = x + i, *b = a + h;

            P2PI_INDEPENDENT
            for (size_t j = 0; j < h; j++) {
                double sum = a[j] + b[j], difference = a[j] - b[j];

                a[j] = sum;
                b[j] = difference;
            }
        }
}

/* The next stages of `rows` blocks of `size` entries, on copies: columns that are a power of two apart share a few
 * places of the cache. */
static void
join_blocks(size_t rows, size_t size, double *x)
{
    double tile[ROWS * TILE];

    for (size_t c = 0; c < size; c += TILE) {
        for (size_t r = 0; r < rows; r++)
            memcpy(tile + r * TILE, x + r * size + c, TILE * sizeof *tile);
        stages_from(TILE, rows * TILE, tile);
        for (size_t r = 0; r < rows; r++)
            memcpy(x + r * size + c, tile + r * TILE, TILE * sizeof *tile);
    }
}

void
p2pi_hadamard(size_t n, double *x)
{
    size_t block = n < BLOCK ? n : BLOCK;

    if (n < FIRST) {
        stages_from(1, n, x);
        return;
    }
    for (size_t i = 0; i < n; i += block) {
        first_stages(block, x + i);
        stages_from(FIRST, block, x + i);
    }
    for (size_t size = block, rows; size < n; size *= rows) {
        rows = n / size < ROWS ? n / size : ROWS;
        for (size_t i = 0; i < n; i += rows * size)
            join_blocks(rows, size, x + i);
    }
}

P2PI_CLONES static void
turn(size_t n, const uint32_t *word, double factor, double *x)
{
    P2PI_INDEPENDENT
    for (size_t i = 0; i < n; i++)
        x[i] *= word[i / 32] >> i % 32 & 1 ? -factor : factor;
}

void
p2pi_random_signs(p2p_random *r, double factor, size_t n, double *x)
{
    enum { WORDS = 64 };
    uint32_t word[WORDS];

    for (size_t at = 0; at < n; at += 32 * WORDS) {
        size_t part = n - at < 32 * WORDS ? n - at : 32 * WORDS;

        p2p_random_words(r, (part + 31) / 32, word);
        turn(part, word, factor, x + at);
    }
}
