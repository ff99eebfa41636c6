/* The class of a compressor in words: what methods may rely on. */
#ifndef COMPRESSOR_CLASS_H
#define COMPRESSOR_CLASS_H

#include <p2popt.h>
#include <stddef.h>

/** "unbiased (omega 1.25), sparse, random", or without the numbers; "none of the classes". */
void compressor_class_text(const p2p_compressor_constants *k, int numbers, char *text, size_t cap);

/** The words of a registry entry at its default options; a wrapper's around topk, or else randk. */
void compressor_class_of_entry(const char *name, char *text, size_t cap);

#endif
