/*
 * One read of a vector that keeps the entries of large magnitude. The magnitude of a float is its pattern without the
 * sign; patterns order like magnitudes. The plain kernel is replaced by a faster one where the processor has the
 * instructions; they find the same entries.
 */
#ifndef P2PI_TOP_COLLECT_H
#define P2PI_TOP_COLLECT_H

#include <p2popt/vector.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/** Patterns without the sign, at the top of the word. */
static inline uint64_t
p2pi_top_key_f32(float v)
{
    uint32_t bits;

    memcpy(&bits, &v, sizeof bits);
    return (uint64_t)bits << 33;
}

static inline uint64_t
p2pi_top_key_f64(double v)
{
    uint64_t bits;

    memcpy(&bits, &v, sizeof bits);
    return bits << 1;
}

/** candidate[0..m), key[0..m) = places and keys of the entries whose key is at least lowest, in order; returns m. */
typedef size_t p2pi_top_collect_f32_fn(size_t n, const float *x, uint64_t lowest, uint32_t *candidate, uint64_t *key);
typedef size_t p2pi_top_collect_f64_fn(size_t n, const double *x, uint64_t lowest, uint32_t *candidate,
                                       uint64_t *key);

typedef struct {
    const char *name;
    int (*runs_here)(void);
    p2pi_top_collect_f32_fn *f32;
    p2pi_top_collect_f64_fn *f64;
} p2pi_top_collect_kernel;

/** All kernels of this build, the plain one first, each faster than the one before; the last has no name. */
extern const p2pi_top_collect_kernel p2pi_top_collect_kernels[];

extern p2pi_top_collect_f32_fn p2pi_top_collect_f32_avx2, p2pi_top_collect_f32_avx512;
extern p2pi_top_collect_f64_fn p2pi_top_collect_f64_avx2, p2pi_top_collect_f64_avx512;

/** The last kernel of the list that runs here. */
const p2pi_top_collect_kernel *p2pi_top_collect_fastest(void);

#endif
