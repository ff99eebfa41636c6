/* Drawing from a stream without a logarithm or any other function of libm: the same choices on every machine. */
#ifndef P2PI_DRAWS_H
#define P2PI_DRAWS_H

#include <p2popt/random.h>

/** Words of a stream, fetched in batches. */
typedef struct {
    p2p_random *stream;
    uint32_t words[64];
    unsigned used, have;
} p2pi_draws;

p2pi_draws p2pi_draws_of(p2p_random *stream);

/** 0 .. bound - 1, each equally likely; bound >= 1. */
uint32_t p2pi_draw_below(p2pi_draws *self, uint32_t bound);

/** Whether an event of this probability happens, to 2^-32. */
int p2pi_draw_event(p2pi_draws *self, double probability);

/** Failures before the first success of trials that succeed with one probability. */
typedef struct {
    double bit[40];
    int bits;
} p2pi_geometric;

p2pi_geometric p2pi_geometric_of(double probability);
uint64_t p2pi_draw_geometric(p2pi_draws *self, const p2pi_geometric *g);

#endif
