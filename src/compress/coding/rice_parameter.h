/*
 * The Rice parameter of a list: with b = max(0, bitlen(floor(sum / count)) - 1), the best of max(b - 1, 0), b, b + 1;
 * ties to the smallest. Three sums in the pass that sizes the other codes too.
 */
#ifndef P2PI_RICE_PARAMETER_H
#define P2PI_RICE_PARAMETER_H

#include "compress/coding/bits.h"

typedef struct {
    unsigned first;      /* the smallest candidate */
    unsigned candidates; /* 2 or 3 */
    uint64_t count, bits[3];
} p2pi_rice_sums;

/** sum and count of the list that follows. */
static inline void
p2pi_rice_start(p2pi_rice_sums *s, uint64_t sum, uint64_t count)
{
    unsigned length = p2pi_bit_length(sum / count), b = length > 0 ? length - 1 : 0;

    s->first = b > 0 ? b - 1 : 0;
    s->candidates = b > 0 ? 3 : 2;
    s->count = count;
    s->bits[0] = s->bits[1] = s->bits[2] = 0;
}

/** Value v occurs `times` times. */
static inline void
p2pi_rice_add(p2pi_rice_sums *s, uint64_t v, uint64_t times)
{
    s->bits[0] += (v >> s->first) * times;
    s->bits[1] += (v >> (s->first + 1)) * times;
    s->bits[2] += (v >> (s->first + 2)) * times;
}

/** Bits of the whole list with the best parameter. */
static inline uint64_t
p2pi_rice_best(const p2pi_rice_sums *s, unsigned *parameter)
{
    uint64_t best = UINT64_MAX;

    for (unsigned i = 0; i < s->candidates; i++) {
        uint64_t bits = s->bits[i] + s->count * (1 + s->first + i);

        if (bits < best) {
            best = bits;
            *parameter = s->first + i;
        }
    }
    return best;
}

#endif
