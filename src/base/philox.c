/* The plain kernel, and the choice of one. */
#include "base/philox.h"

#include "base/processor.h"

#include <Random123/philox.h>
#include <string.h>

static void
plain_blocks(const p2p_random *r, uint64_t first, size_t count, uint32_t *words)
{
    philox4x32_key_t key = { { (uint32_t)r->seed, (uint32_t)(r->seed >> 32) } };

    for (size_t i = 0; i < count; i++) {
        philox4x32_ctr_t counter = { { (uint32_t)(first + i), r->stream, r->round, r->node } };
        philox4x32_ctr_t block = philox4x32(counter, key);

        memcpy(words + 4 * i, block.v, sizeof block.v);
    }
}

const p2pi_philox_kernel p2pi_philox_kernels[] = {
    { "plain", p2pi_runs_everywhere, plain_blocks },
#ifdef __x86_64__
    { "avx2", p2pi_has_avx2, p2pi_philox_avx2 },
    { "avx512", p2pi_has_avx512, p2pi_philox_avx512 },
#endif
    { NULL, NULL, NULL },
};

/* A vector kernel takes as long for one block as for a whole group: below this many the plain one is quicker. */
enum { FEW = 6 };

static const p2pi_philox_kernel *in_use;

static const p2pi_philox_kernel *
fastest(void)
{
    const p2pi_philox_kernel *best = p2pi_philox_kernels;

    for (const p2pi_philox_kernel *k = best; k->name != NULL; k++)
        if (k->runs_here())
            best = k;
    return best;
}

void
p2pi_philox_use(const p2pi_philox_kernel *kernel)
{
    __atomic_store_n(&in_use, kernel != NULL ? kernel : fastest(), __ATOMIC_RELAXED);
}

void
p2pi_philox_blocks(const p2p_random *r, uint64_t first, size_t count, uint32_t *words)
{
    const p2pi_philox_kernel *kernel = __atomic_load_n(&in_use, __ATOMIC_RELAXED);

    if (kernel == NULL) { /* two threads that come here at once choose the same */
        kernel = fastest();
        __atomic_store_n(&in_use, kernel, __ATOMIC_RELAXED);
    }
    (count < FEW ? plain_blocks : kernel->blocks)(r, first, count, words);
}
