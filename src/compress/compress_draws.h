/*
 * What compressors draw from the streams of p2popt/random.h: stream = base + 16 comp + 256 slot, base COMPRESS with
 * the sender's number, or SHARED with P2P_NODE_SHARED for what all nodes must draw alike. comp is 0 for the first
 * part of a pipeline, 1 for the second.
 */
#ifndef P2PI_COMPRESS_DRAWS_H
#define P2PI_COMPRESS_DRAWS_H

#include "base/arena.h"

#include <p2popt/compressor.h>
#include <p2popt/random.h>

/** The stream of one part of a compressor in one message. */
p2p_random p2pi_draw(const p2p_env *env, unsigned comp);
p2p_random p2pi_draw_shared(const p2p_env *env, unsigned comp);

/** Fill u with the next dithers in [0, 1); bits 24, 16 or 8. Chunks but the last have a multiple of 4 entries. */
void p2pi_draw_dithers(p2p_random *r, unsigned bits, p2p_vec u);

/** The dithers at .. at + u.dim - 1 of one part of a compressor in one message; `at` is a multiple of 4. */
void p2pi_draw_dithers_at(const p2p_env *env, unsigned comp, unsigned bits, size_t at, p2p_vec u);

/** Scratch for drawing k of d without replacement. */
typedef struct {
    size_t dim, most;
    uint32_t *place;   /* 0 .. dim-1, put back in order after each draw */
    uint32_t *swapped; /* `most` entries */
    uint64_t *mark;    /* a bit an entry, zero between draws */
} p2pi_subset;

/** P2P_ENOMEM. */
p2p_status p2pi_subset_open(p2pi_subset *self, size_t dim, size_t most, p2pi_arena *arena);

/**
 * The last k entries of the Fisher-Yates permutation of 0 .. dim-1, ascending: k of its steps are enough.
 *
 * Cost: O(k + dim / 64).
 */
void p2pi_subset_draw(p2pi_subset *self, p2p_random *r, size_t k, uint32_t *index);

#endif
