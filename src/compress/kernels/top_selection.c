/*
 * Selection in one read of a long vector: a sample gives a magnitude that a few more than k entries reach, these are
 * collected, and the k-th largest among them is found digit by digit. If the sample misled (too few reach it), every
 * entry is a candidate.
 */
#include "compress/kernels/top_selection.h"

#include <math.h>
#include <string.h>

enum { SAMPLE_MAX = 16384, SAMPLED_DIM = 4096, DIGIT_BITS = 8, DIGITS = 1 << DIGIT_BITS };

p2p_status
p2pi_top_open(p2pi_top *self, size_t dim, p2pi_arena *arena)
{
    self->collect = p2pi_top_collect_fastest();
    self->candidate = p2pi_arena_array(arena, dim, sizeof *self->candidate);
    self->key = p2pi_arena_array(arena, dim, sizeof *self->key);
    return self->candidate != NULL && self->key != NULL ? P2P_OK : P2P_ENOMEM;
}

/* Bits of a key that may be set. */
static unsigned
key_bits(p2p_dtype type)
{
    return type == P2P_F32 ? 31 : 63;
}

static void
sample_keys(p2p_view x, size_t m, uint64_t *key)
{
    size_t stride = x.dim / m;

    for (size_t j = 0; j < m; j++)
        key[j] = x.type == P2P_F32 ? p2pi_top_key_f32(((const float *)x.data)[j * stride])
                                   : p2pi_top_key_f64(((const double *)x.data)[j * stride]);
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
likely_threshold(p2p_view x, size_t k, uint64_t *key)
{
    size_t m = x.dim / 4 < SAMPLE_MAX ? x.dim / 4 : SAMPLE_MAX, ties;
    double expected = (double)k / (double)x.dim * (double)m, rank = ceil(expected + 4 * sqrt(expected) + 4);

    if (rank >= (double)m)
        return 0;
    sample_keys(x, m, key);
    return kth_largest(key, m, (size_t)rank, key_bits(x.type), &ties);
}

static size_t
collect(p2pi_top *self, p2p_view x, uint64_t least)
{
    return x.type == P2P_F32 ? self->collect->f32(x.dim, x.data, least, self->candidate, self->key)
                             : self->collect->f64(x.dim, x.data, least, self->candidate, self->key);
}

void
p2pi_top_select(p2pi_top *self, p2p_view x, size_t k, uint32_t *index)
{
    uint64_t threshold = x.dim >= SAMPLED_DIM ? likely_threshold(x, k, self->key) : 0;
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
