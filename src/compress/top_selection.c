/*
 * Selection in one read of a long vector: a sample gives a magnitude that a few more than k entries reach, these are
 * collected, and the k-th largest among them is found digit by digit. If the sample misled (too few reach it), every
 * entry is a candidate. The magnitude of a float is its pattern without the sign; patterns order like magnitudes.
 */
#include "compress/top_selection.h"

#include <math.h>
#include <string.h>

enum { SAMPLE = 4096, DIGIT_BITS = 8, DIGITS = 1 << DIGIT_BITS };

p2p_status
p2pi_top_open(p2pi_top *self, size_t dim, p2pi_arena *arena)
{
    self->candidate = p2pi_arena_array(arena, dim, sizeof *self->candidate);
    self->key = p2pi_arena_array(arena, dim, sizeof *self->key);
    return self->candidate != NULL && self->key != NULL ? P2P_OK : P2P_ENOMEM;
}

static inline uint64_t
key_of_f32(float v)
{
    uint32_t bits;

    memcpy(&bits, &v, sizeof bits);
    return (uint64_t)bits << 33; /* without the sign, at the top of the word */
}

static inline uint64_t
key_of_f64(double v)
{
    uint64_t bits;

    memcpy(&bits, &v, sizeof bits);
    return bits << 1;
}

/* Bits of a key that may be set. */
static unsigned
key_bits(p2p_dtype type)
{
    return type == P2P_F32 ? 31 : 63;
}

static size_t
sample_keys(p2p_view x, uint64_t *key)
{
    size_t stride = x.dim / SAMPLE;

    for (size_t j = 0; j < SAMPLE; j++)
        key[j] = x.type == P2P_F32 ? key_of_f32(((const float *)x.data)[j * stride])
                                   : key_of_f64(((const double *)x.data)[j * stride]);
    return SAMPLE;
}

/*
 * The k-th largest of m keys. Keys above it are all to be taken; *ties of those equal to it.
 *
 * The leading digits of the answer are fixed one after the other; `rank` is its rank among keys that share them.
 */
static uint64_t
kth_largest(const uint64_t *key, size_t m, size_t k, unsigned bits, size_t *ties)
{
    uint64_t prefix = 0, mask = 0;
    size_t rank = k;

    for (int shift = 64 - DIGIT_BITS; shift > 63 - (int)bits - DIGIT_BITS; shift -= DIGIT_BITS) {
        size_t count[DIGITS] = { 0 };
        unsigned digit = DIGITS - 1;

        for (size_t j = 0; j < m; j++)
            if ((key[j] & mask) == prefix)
                count[key[j] >> shift & (DIGITS - 1)]++;
        for (; count[digit] < rank; digit--)
            rank -= count[digit];
        prefix |= (uint64_t)digit << shift;
        mask |= (uint64_t)(DIGITS - 1) << shift;
        /* Every key with this prefix is taken: the smallest such pattern will do as the threshold. */
        if (count[digit] == rank)
            break;
    }
    *ties = rank;
    return prefix;
}

/* A magnitude that k entries most likely reach, and not many more. */
static uint64_t
likely_threshold(p2p_view x, size_t k)
{
    uint64_t key[SAMPLE];
    size_t m = sample_keys(x, key), ties;
    double expected = (double)k / (double)x.dim * (double)m, rank = ceil(expected + 4 * sqrt(expected) + 4);

    return rank >= (double)m ? 0 : kth_largest(key, m, (size_t)rank, key_bits(x.type), &ties);
}

/* Branch-free: every entry is written, and kept by moving on. */
static size_t
collect(p2pi_top *self, p2p_view x, uint64_t least)
{
    size_t m = 0;

    if (x.type == P2P_F32)
        for (size_t i = 0; i < x.dim; i++) {
            uint64_t key = key_of_f32(((const float *)x.data)[i]);

            self->candidate[m] = (uint32_t)i;
            self->key[m] = key;
            m += key >= least;
        }
    else
        for (size_t i = 0; i < x.dim; i++) {
            uint64_t key = key_of_f64(((const double *)x.data)[i]);

            self->candidate[m] = (uint32_t)i;
            self->key[m] = key;
            m += key >= least;
        }
    return m;
}

void
p2pi_top_select(p2pi_top *self, p2p_view x, size_t k, uint32_t *index)
{
    uint64_t threshold = x.dim >= 4 * SAMPLE ? likely_threshold(x, k) : 0;
    size_t m = collect(self, x, threshold), ties, taken = 0;

    if (m < k)
        m = collect(self, x, 0);
    threshold = kth_largest(self->key, m, k, key_bits(x.type), &ties);
    for (size_t j = 0; j < m && taken < k; j++) {
        /* With the digits that were not looked at, "equal" is: has the prefix. */
        int above = self->key[j] > threshold;

        if (!above && self->key[j] == threshold && ties > 0) {
            ties--;
            above = 1;
        }
        index[taken] = self->candidate[j];
        taken += (size_t)above;
    }
}
