/*
 * Without memory: the n-th allocation of the library fails, and all after it. Link with $(failing_memory_ldflags): the
 * linker then leads the library's calls of malloc and its kin here; those of other libraries are left alone.
 */
#ifndef FAILING_MEMORY_H
#define FAILING_MEMORY_H

/** From now on n allocations succeed, then all fail; n = -1: all succeed. */
void failing_memory_after(long n);

#endif
