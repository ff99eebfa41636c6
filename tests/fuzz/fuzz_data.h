/* What the data targets share. */
#ifndef FUZZ_DATA_H
#define FUZZ_DATA_H

#include <stddef.h>
#include <stdint.h>

/**
 * Read the bytes as a data file: format is "libsvm:", "csv:", ... Aborts unless what is read is well-formed, equals
 * what its shards hold together, and has finite values.
 */
void fuzz_data(const char *format, const uint8_t *bytes, size_t len);

#endif
