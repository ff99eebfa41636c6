/* Streams of Philox words, and what is made of them. */
#include <p2popt/random.h>

#include "base/clones.h"
#include "base/philox.h"

#include <math.h>
#include <string.h>

p2p_random
p2p_random_open(uint64_t seed, uint32_t node, uint32_t round, uint32_t stream)
{
    p2p_random r = { seed, node, round, stream, 0 };
    return r;
}

/* At most count words of the block that the position is inside of. */
static size_t
part_of_a_block(p2p_random *r, size_t count, uint32_t *out)
{
    uint32_t block[4];
    size_t skip = r->next % 4, n = count < 4 - skip ? count : 4 - skip;

    p2pi_philox_blocks(r, r->next / 4, 1, block);
    memcpy(out, block + skip, n * sizeof *out);
    r->next += n;
    return n;
}

void
p2p_random_words(p2p_random *r, size_t count, uint32_t *out)
{
    size_t done = r->next % 4 != 0 && count > 0 ? part_of_a_block(r, count, out) : 0;
    size_t blocks = (count - done) / 4;

    p2pi_philox_blocks(r, r->next / 4, blocks, out + done);
    r->next += 4 * blocks;
    done += 4 * blocks;
    if (done < count)
        part_of_a_block(r, count - done, out + done);
}

/* Words are drawn in chunks of this size, so that conversions run over a small buffer: whole groups of any kernel. */
enum { CHUNK = 768 };

P2PI_CLONES static void
to_doubles(size_t n, const uint32_t *words, double *out)
{
    for (size_t i = 0; i < n; i++)
        out[i] = (double)(int32_t)(words[i] >> 8) * 0x1p-24;
}

P2PI_CLONES static void
to_floats(size_t n, const uint32_t *words, float *out)
{
    for (size_t i = 0; i < n; i++)
        out[i] = (float)(int32_t)(words[i] >> 8) * 0x1p-24f;
}

void
p2p_random_uniform(p2p_random *r, size_t count, double *out)
{
    uint32_t words[CHUNK];

    while (count > 0) {
        size_t n = count < CHUNK ? count : CHUNK;

        p2p_random_words(r, n, words);
        to_doubles(n, words, out);
        out += n;
        count -= n;
    }
}

void
p2p_random_uniformf(p2p_random *r, size_t count, float *out)
{
    uint32_t words[CHUNK];

    while (count > 0) {
        size_t n = count < CHUNK ? count : CHUNK;

        p2p_random_words(r, n, words);
        to_floats(n, words, out);
        out += n;
        count -= n;
    }
}

void
p2p_random_normal(p2p_random *r, size_t count, double *out)
{
    double u[CHUNK];

    for (size_t done = 0; done < count; done += CHUNK) {
        size_t n = count - done < CHUNK ? count - done : CHUNK;

        p2p_random_uniform(r, n + n % 2, u);
        for (size_t i = 0; i < n; i += 2) {
            double radius = sqrt(-2.0 * log(1.0 - u[i])), angle = 2.0 * M_PI * u[i + 1];

            out[done + i] = radius * cos(angle);
            if (i + 1 < n)
                out[done + i + 1] = radius * sin(angle);
        }
    }
}

void
p2p_random_permutation(p2p_random *r, size_t count, size_t *out)
{
    double u[CHUNK];

    for (size_t i = 0; i < count; i++)
        out[i] = i;
    for (size_t i = count; i-- > 1;) {
        size_t at = (count - 1 - i) % CHUNK, j, kept = out[i];

        if (at == 0)
            p2p_random_uniform(r, i < CHUNK ? i : CHUNK, u);
        j = (size_t)(u[at] * (double)(i + 1));
        out[i] = out[j];
        out[j] = kept;
    }
    if (count == 1)
        r->next++;
}
