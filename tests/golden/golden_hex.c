#include "golden_hex.h"

#include <stdio.h>
#include <string.h>

size_t
golden_hex_read(const char *text, uint8_t *bytes, size_t cap)
{
    unsigned byte;
    size_t len = 0;

    for (; len < cap && sscanf(text + 2 * len, "%2x", &byte) == 1; len++)
        bytes[len] = (uint8_t)byte;
    return len;
}

int
golden_hex_is(const char *text, const uint8_t *bytes, size_t len)
{
    if (strlen(text) != 2 * len)
        return 0;
    for (size_t i = 0; i < len; i++) {
        uint8_t byte;

        if (golden_hex_read(text + 2 * i, &byte, 1) != 1 || byte != bytes[i])
            return 0;
    }
    return 1;
}

json_t *
golden_beside(const char *path, const char *name)
{
    const char *slash = strrchr(path, '/');
    char beside[4096];
    json_t *file;

    snprintf(beside, sizeof beside, "%.*s%s", slash ? (int)(slash + 1 - path) : 0, path, name);
    file = json_load_file(beside, 0, NULL);
    return file != NULL ? file : json_null();
}
