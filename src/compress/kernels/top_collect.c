/* The plain kernels, and the choice of one. */
#include "compress/kernels/top_collect.h"

#include "base/processor.h"

/* Branch-free: every entry is written, and kept by moving on. */
#define COLLECT(n, x, lowest, candidate, key, KEY)                                                                   \
    size_t m = 0;                                                                                                    \
                                                                                                                     \
    for (size_t i = 0; i < (n); i++) {                                                                               \
        (candidate)[m] = (uint32_t)i;                                                                                \
        (key)[m] = KEY((x)[i]);                                                                                      \
        m += (key)[m] >= (lowest);                                                                                   \
    }                                                                                                                \
    return m

static size_t
plain_f32(size_t n, const float *x, uint64_t lowest, uint32_t *candidate, uint64_t *key)
{
    COLLECT(n, x, lowest, candidate, key, p2pi_top_key_f32);
}

static size_t
plain_f64(size_t n, const double *x, uint64_t lowest, uint32_t *candidate, uint64_t *key)
{
    COLLECT(n, x, lowest, candidate, key, p2pi_top_key_f64);
}

const p2pi_top_collect_kernel p2pi_top_collect_kernels[] = {
    { "plain", p2pi_runs_everywhere, plain_f32, plain_f64 },
#ifdef __x86_64__
    { "avx2", p2pi_has_avx2, p2pi_top_collect_f32_avx2, p2pi_top_collect_f64_avx2 },
    { "avx512", p2pi_has_avx512, p2pi_top_collect_f32_avx512, p2pi_top_collect_f64_avx512 },
#endif
    { NULL, NULL, NULL, NULL },
};

const p2pi_top_collect_kernel *
p2pi_top_collect_fastest(void)
{
    const p2pi_top_collect_kernel *best = p2pi_top_collect_kernels;

    for (const p2pi_top_collect_kernel *k = best; k->name != NULL; k++)
        if (k->runs_here())
            best = k;
    return best;
}
