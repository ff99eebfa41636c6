/* The compressors that contract tests and the fuzz target run: every registered one, and combinations worth trying. */
#ifndef COMPRESSOR_SPECS_H
#define COMPRESSOR_SPECS_H

#include <stddef.h>

/** Spec i; NULL past the last. Each opens for any shape. Static storage. */
const char *compressor_spec_at(size_t i);

size_t compressor_spec_count(void);

#endif
