#include "base/flush.h"

#if defined(__SSE2__)
#include <xmmintrin.h>

enum { FTZ_DAZ = 0x8040 };

unsigned
p2pi_flush_enter(void)
{
    unsigned before = _mm_getcsr();

    _mm_setcsr(before | FTZ_DAZ);
    return before;
}

void
p2pi_flush_leave(unsigned before)
{
    _mm_setcsr((_mm_getcsr() & ~(unsigned)FTZ_DAZ) | (before & FTZ_DAZ));
}

#elif defined(__aarch64__)

enum { FZ = 1u << 24 };

unsigned
p2pi_flush_enter(void)
{
    unsigned long before;

    __asm__ volatile("mrs %0, fpcr" : "=r"(before));
    __asm__ volatile("msr fpcr, %0" : : "r"(before | FZ));
    return (unsigned)before;
}

void
p2pi_flush_leave(unsigned before)
{
    unsigned long now;

    __asm__ volatile("mrs %0, fpcr" : "=r"(now));
    __asm__ volatile("msr fpcr, %0" : : "r"((now & ~(unsigned long)FZ) | (before & FZ)));
}

#else

unsigned
p2pi_flush_enter(void)
{
    return 0;
}

void
p2pi_flush_leave(unsigned before)
{
    (void)before;
}

#endif
