/* Which kernels written for one set of instructions this processor runs. */
#ifndef P2PI_PROCESSOR_H
#define P2PI_PROCESSOR_H

static inline int
p2pi_runs_everywhere(void)
{
    return 1;
}

#ifdef __x86_64__
static inline int
p2pi_has_avx2(void)
{
    return __builtin_cpu_supports("avx2");
}

static inline int
p2pi_has_avx512(void)
{
    return __builtin_cpu_supports("avx512f");
}
#endif

#endif
