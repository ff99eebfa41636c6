#include "topology/draws.h"

p2pi_draws
p2pi_draws_of(p2p_random *stream)
{
    p2pi_draws self = { .stream = stream };

    return self;
}

static uint32_t
word(p2pi_draws *self)
{
    if (self->used == self->have) {
        self->have = sizeof self->words / sizeof *self->words;
        self->used = 0;
        p2p_random_words(self->stream, self->have, self->words);
    }
    return self->words[self->used++];
}

/* Lemire, "Fast random integer generation in an interval", ACM TOMACS 29(1), 2019. */
uint32_t
p2pi_draw_below(p2pi_draws *self, uint32_t bound)
{
    uint64_t product = (uint64_t)word(self) * bound;
    uint32_t uneven = (uint32_t)-bound % bound;

    while ((uint32_t)product < uneven)
        product = (uint64_t)word(self) * bound;
    return (uint32_t)(product >> 32);
}

int
p2pi_draw_event(p2pi_draws *self, double probability)
{
    return (double)word(self) < probability * 0x1p32;
}

/*
 * The binary digits of a geometric variable are independent: with q the probability of failure, digit k is 1 with
 * probability q^(2^k) / (1 + q^(2^k)). So it needs no logarithm.
 */
p2pi_geometric
p2pi_geometric_of(double probability)
{
    p2pi_geometric g = { .bits = 0 };
    double power = 1 - probability;

    while (power > 0x1p-33 && g.bits < 40) {
        g.bit[g.bits++] = power / (1 + power);
        power *= power;
    }
    return g;
}

uint64_t
p2pi_draw_geometric(p2pi_draws *self, const p2pi_geometric *g)
{
    uint64_t value = 0;

    for (int k = 0; k < g->bits; k++)
        value |= (uint64_t)p2pi_draw_event(self, g->bit[k]) << k;
    return value;
}
