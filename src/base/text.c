#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void
p2pi_text_vappend(char *text, size_t cap, const char *format, va_list args)
{
    size_t used = strlen(text);

    vsnprintf(text + used, cap - used, format, args);
}

void
p2pi_text_append(char *text, size_t cap, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    p2pi_text_vappend(text, cap, format, args);
    va_end(args);
}

void
p2pi_text_real(char *text, size_t cap, double value)
{
    int digits;

    for (digits = 6; digits <= 17; digits++) {
        snprintf(text, cap, "%.*g", digits, value);
        if (strtod(text, NULL) == value)
            return;
    }
}
