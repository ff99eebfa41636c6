/*
 * Philox4x32-10, many blocks at a time. The plain kernel is Random123's function; a faster one replaces it where the
 * processor has the instructions, and equals it bit by bit.
 */
#ifndef P2PI_PHILOX_H
#define P2PI_PHILOX_H

#include <p2popt/random.h>

/** words[0 .. 4 count) = blocks first, first + 1, ... of the stream; r->next is not looked at. */
typedef void p2pi_philox_fn(const p2p_random *r, uint64_t first, size_t count, uint32_t *words);

typedef struct {
    const char *name;
    int (*runs_here)(void);
    p2pi_philox_fn *blocks;
} p2pi_philox_kernel;

/** All kernels of this build, the plain one first, each faster than the one before; the last has no name. */
extern const p2pi_philox_kernel p2pi_philox_kernels[];

extern p2pi_philox_fn p2pi_philox_avx2, p2pi_philox_avx512;

/** The blocks from the kernel in use: the last of the list that runs here. */
void p2pi_philox_blocks(const p2p_random *r, uint64_t first, size_t count, uint32_t *words);

/** Use this kernel from now on in all threads (tests); NULL: choose again. It must run here. */
void p2pi_philox_use(const p2pi_philox_kernel *kernel);

#endif
