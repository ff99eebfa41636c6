/* The integers of a stage of collective execution, a chunk at a time. */
#ifndef P2PI_STAGE_FIELDS_H
#define P2PI_STAGE_FIELDS_H

#include "compress/compressor_table.h"

/**
 * Integers at .. at + n - 1 of the stage's bytes, and no byte beside them; `at` is a multiple of 8, n at most
 * P2PI_CHUNK, and a multiple of 8 unless they are the last.
 */
void p2pi_fields_put(const p2pi_stage *stage, size_t at, size_t n, const uint32_t *value, uint8_t *bytes);
void p2pi_fields_get(const p2pi_stage *stage, size_t at, size_t n, const uint8_t *bytes, uint32_t *value);

/** A stage of `count` integers up to `largest`. */
p2pi_stage p2pi_fields_stage(p2pi_reduction reduction, size_t count, uint32_t largest);

#endif
