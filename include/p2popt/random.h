/* Counter-based random numbers: every word is a function of (seed, node, round, stream, index). */
#ifndef P2POPT_RANDOM_H
#define P2POPT_RANDOM_H

#include <p2popt/status.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Streams keep unrelated uses of randomness apart; compressors add 16 * part + 256 * slot to theirs. */
enum {
    P2P_STREAM_DATA = 0,
    P2P_STREAM_BATCH = 1,
    P2P_STREAM_COMPRESS = 2,
    P2P_STREAM_TOPOLOGY = 3,
    P2P_STREAM_ATTACK = 4,
    P2P_STREAM_METHOD = 5,
    P2P_STREAM_CHANNEL = 6,
    P2P_STREAM_INIT = 7,
    P2P_STREAM_SHARED = 8
};

/** Node number of what every node must draw alike (stream P2P_STREAM_SHARED). */
#define P2P_NODE_SHARED UINT32_C(0xFFFFFFFF)

/**
 * A reading position in one stream. Plain data: copy it to fork, assign to rewind.
 *
 * Source: Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC 2011: Philox4x32-10,
 * key = seed, counter = (block, stream, round, node).
 */
typedef struct {
    uint64_t seed;
    uint32_t node, round, stream;
    uint64_t next; /* index of the next 32-bit word */
} p2p_random;

/** Start at word 0 of the stream. */
P2P_API p2p_random p2p_random_open(uint64_t seed, uint32_t node, uint32_t round, uint32_t stream);

/** The next count words. */
P2P_API void p2p_random_words(p2p_random *r, size_t count, uint32_t *out);

/** count doubles in [0, 1): the top 24 bits of one word each, times 2^-24 (exact in float too). */
P2P_API void p2p_random_uniform(p2p_random *r, size_t count, double *out);

/** As p2p_random_uniform, as floats: the same values. */
P2P_API void p2p_random_uniformf(p2p_random *r, size_t count, float *out);

/** count standard normals by Box-Muller on consecutive pairs of uniforms; an odd count discards one. */
P2P_API void p2p_random_normal(p2p_random *r, size_t count, double *out);

/** A permutation of 0 .. count-1 (Fisher-Yates from the last index down); count - 1 words, at least one. */
P2P_API void p2p_random_permutation(p2p_random *r, size_t count, size_t *out);

#ifdef __cplusplus
}
#endif
#endif
