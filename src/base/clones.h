/* A function compiled for several processors, chosen when the program is loaded. No arithmetic differs between them:
 * loops keep the order of their sums, and -ffp-contract=off keeps products and sums apart. */
#ifndef P2PI_CLONES_H
#define P2PI_CLONES_H

#if defined(__x86_64__) && defined(__gnu_linux__)
#define P2PI_CLONES __attribute__((target_clones("default", "avx2", "arch=x86-64-v4")))
#else
#define P2PI_CLONES
#endif

#endif
