/* The k largest entries of a vector, ties to the lower index. */
#ifndef P2PI_TOP_SELECTION_H
#define P2PI_TOP_SELECTION_H

#include "base/arena.h"
#include "compress/kernels/top_collect.h"

#include <p2popt/vector.h>
#include <stdint.h>

/** Scratch for vectors of at most dim entries. */
typedef struct {
    const p2pi_top_collect_kernel *collect;
    uint32_t *candidate; /* indices that may be among the k largest */
    uint64_t *key;       /* their magnitudes, in an order-preserving pattern */
} p2pi_top;

/** P2P_ENOMEM. */
p2p_status p2pi_top_open(p2pi_top *self, size_t dim, p2pi_arena *arena);

/**
 * Indices of the k entries of largest magnitude, ascending; any exact algorithm gives these.
 *
 * @param x every entry finite, no -0.
 * @param k 1 .. x.dim.
 */
void p2pi_top_select(p2pi_top *self, p2p_view x, size_t k, uint32_t *index);

#endif
