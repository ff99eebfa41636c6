/* Philox4x32-10 streams on Random123's reference function. */
#include <p2popt/random.h>

#include <Random123/philox.h>
#include <math.h>

p2p_random
p2p_random_open(uint64_t seed, uint32_t node, uint32_t round, uint32_t stream)
{
    p2p_random r = { seed, node, round, stream, 0 };
    return r;
}

/* Block number `block` of the stream: four words. */
static philox4x32_ctr_t
block_at(const p2p_random *r, uint64_t block)
{
    philox4x32_ctr_t counter = { { (uint32_t)block, r->stream, r->round, r->node } };
    philox4x32_key_t key = { { (uint32_t)r->seed, (uint32_t)(r->seed >> 32) } };

    return philox4x32(counter, key);
}

void
p2p_random_words(p2p_random *r, size_t count, uint32_t *out)
{
    size_t i = 0;

    while (i < count) {
        philox4x32_ctr_t w = block_at(r, r->next / 4);
        size_t lane = r->next % 4;

        for (; lane < 4 && i < count; lane++, i++, r->next++)
            out[i] = w.v[lane];
    }
}

/* Words are drawn in chunks of this size, so that conversions run over a small buffer. */
enum { CHUNK = 256 };

void
p2p_random_uniform(p2p_random *r, size_t count, double *out)
{
    uint32_t words[CHUNK];

    while (count > 0) {
        size_t n = count < CHUNK ? count : CHUNK, i;

        p2p_random_words(r, n, words);
        for (i = 0; i < n; i++)
            out[i] = (double)(words[i] >> 8) * 0x1p-24;
        out += n;
        count -= n;
    }
}

void
p2p_random_uniformf(p2p_random *r, size_t count, float *out)
{
    uint32_t words[CHUNK];

    while (count > 0) {
        size_t n = count < CHUNK ? count : CHUNK, i;

        p2p_random_words(r, n, words);
        for (i = 0; i < n; i++)
            out[i] = (float)(words[i] >> 8) * 0x1p-24f;
        out += n;
        count -= n;
    }
}

void
p2p_random_normal(p2p_random *r, size_t count, double *out)
{
    size_t i;

    for (i = 0; i < count; i += 2) {
        double u[2], radius, angle;

        p2p_random_uniform(r, 2, u);
        radius = sqrt(-2.0 * log(1.0 - u[0]));
        angle = 2.0 * M_PI * u[1];
        out[i] = radius * cos(angle);
        if (i + 1 < count)
            out[i + 1] = radius * sin(angle);
    }
}

void
p2p_random_permutation(p2p_random *r, size_t count, size_t *out)
{
    size_t i;

    for (i = 0; i < count; i++)
        out[i] = i;
    for (i = count; i-- > 1;) {
        double u;
        size_t j, kept = out[i];

        p2p_random_uniform(r, 1, &u);
        j = (size_t)(u * (double)(i + 1));
        out[i] = out[j];
        out[j] = kept;
    }
    if (count == 1)
        r->next++;
}
