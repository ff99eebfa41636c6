/*
 * Kernels compiled for several instruction sets, the best chosen when the library is loaded. The results must not
 * differ: elementwise loops round each element alike at any width, sums go through base/sum.h, and the whole library
 * is compiled without contraction of a * b + c (configure.ac).
 */
#ifndef P2PI_CLONES_H
#define P2PI_CLONES_H

#include "config.h"

/**
 * Before the definition of a static function. Its file belongs to libkernels.la (-O3), its name must be unique in the
 * library: clang makes a global resolver of it, and only this file can call it.
 */
#ifdef HAVE_TARGET_CLONES
#define P2PI_CLONES __attribute__((target_clones("default", "avx2", "arch=x86-64-v4")))
#else
#define P2PI_CLONES
#endif

/** Before a loop whose iterations are independent: its pointers are equal or do not overlap. */
#ifdef __clang__
#define P2PI_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define P2PI_INDEPENDENT _Pragma("GCC ivdep")
#endif

#endif
