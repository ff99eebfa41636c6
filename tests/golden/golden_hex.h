/* Bytes written as hexadecimal text, and files that stand beside a case file. */
#ifndef GOLDEN_HEX_H
#define GOLDEN_HEX_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

/** Bytes of the text, at most cap; what follows is left out. */
size_t golden_hex_read(const char *text, uint8_t *bytes, size_t cap);

/** Whether the text is exactly these bytes. */
int golden_hex_is(const char *text, const uint8_t *bytes, size_t len);

/** The file of that name in the folder of path; JSON null if it cannot be read. */
json_t *golden_beside(const char *path, const char *name);

#endif
