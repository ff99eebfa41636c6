/* Minibatch rules: which local samples step t looks at. */
#include "problem/problems.h"

#include "base/fail.h"

#include <p2popt/random.h>

#include <string.h>

/* idx_j = floor(u_j m), u = uniform(seed, node, t, batch) */
static void
draw_with_replacement(size_t m, uint64_t seed, uint32_t node, uint32_t t, size_t *idx, size_t count)
{
    p2p_random r = p2p_random_open(seed, node, t, P2P_STREAM_BATCH);

    for (size_t j = 0; j < count; j++) {
        double u;

        p2p_random_uniform(&r, 1, &u);
        idx[j] = (size_t)(u * (double)m);
    }
}

/* The epoch's permutation, kept because an epoch's steps share it. */
static const size_t *
permutation_of(p2p_problem *self, uint64_t seed, uint32_t node, uint32_t epoch)
{
    p2p_random r = p2p_random_open(seed, node, epoch, P2P_STREAM_BATCH);

    if (!self->have_epoch || self->epoch != epoch || self->epoch_seed != seed || self->epoch_node != node) {
        p2p_random_permutation(&r, self->samples, self->permutation);
        self->epoch_seed = seed;
        self->epoch_node = node;
        self->epoch = epoch;
        self->have_epoch = 1;
    }
    return self->permutation;
}

p2p_status
p2p_problem_batch(p2p_problem *self, const p2p_batch *batch, uint64_t seed, uint32_t node, uint32_t t, size_t *idx,
                  size_t *count)
{
    const size_t m = self->samples, size = batch->size;
    size_t steps;

    *count = 0;
    if (size == 0 || size == m)
        return P2P_OK;
    if (m == 0)
        return p2p_fail(P2P_EINVAL, "problem \"%s\": batch of %zu: it has no samples to draw from", self->spec, size);
    if (size > m && batch->shuffle)
        return p2p_fail(P2P_EINVAL,
                        "problem \"%s\": batch of %zu by shuffle: expected at most the node's %zu samples",
                        self->spec, size, m);
    if (size > m)
        return P2P_OK;
    *count = size;
    if (!batch->shuffle) {
        draw_with_replacement(m, seed, node, t, idx, size);
        return P2P_OK;
    }
    steps = m / size;
    memcpy(idx, permutation_of(self, seed, node, (uint32_t)(t / steps)) + t % steps * size, size * sizeof *idx);
    return P2P_OK;
}
