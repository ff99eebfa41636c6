/*
 * Stages in two passes over memory: those within blocks that fit the nearest cache, then the others on tiles of
 * columns of the matrix whose rows are the blocks.
 */
#include "compress/hadamard.h"

#include "base/clones.h"

enum { BLOCK = 4096, TILE = 64, FIRST = 8 };

size_t
p2pi_power_of_two(size_t d)
{
    size_t n = 1;

    while (n < d)
        n *= 2;
    return n;
}

static inline void
butterfly(double *a, double *b)
{
    double sum = *a + *b, difference = *a - *b;

    *a = sum;
    *b = difference;
}

/* The stages below FIRST, on FIRST entries at a time. */
P2PI_CLONES static void
first_stages(size_t n, double *x)
{
    for (size_t i = 0; i < n; i += FIRST)
        for (size_t h = 1; h < FIRST; h *= 2)
            for (size_t j = 0; j < FIRST; j += 2 * h)
                for (size_t k = j; k < j + h; k++)
                    butterfly(&x[i + k], &x[i + k + h]);
}

/* All stages of the transform of `rows` vectors that lie beside one another, width entries of each. */
P2PI_CLONES static void
column_stages(size_t rows, size_t stride, size_t width, double *x)
{
    for (size_t h = 1; h < rows; h *= 2)
        for (size_t i = 0; i < rows; i += 2 * h)
            for (size_t r = i; r < i + h; r++) {
                double *a = x + r * stride, *b = a + h * stride;

                P2PI_INDEPENDENT
                for (size_t c = 0; c < width; c++) {
                    double sum = a[c] + b[c], difference = a[c] - b[c];

                    a[c] = sum;
                    b[c] = difference;
                }
            }
}

static void
block(size_t n, double *x)
{
    if (n < FIRST) {
        column_stages(n, 1, 1, x);
        return;
    }
    first_stages(n, x);
    column_stages(n / FIRST, FIRST, FIRST, x);
}

void
p2pi_hadamard(size_t n, double *x)
{
    if (n <= BLOCK) {
        block(n, x);
        return;
    }
    for (size_t i = 0; i < n; i += BLOCK)
        block(BLOCK, x + i);
    for (size_t c = 0; c < BLOCK; c += TILE)
        column_stages(n / BLOCK, BLOCK, TILE, x + c);
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
