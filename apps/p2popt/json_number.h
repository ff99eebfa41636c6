/* Numbers in JSON, which has no NaN and no infinity. */
#ifndef JSON_NUMBER_H
#define JSON_NUMBER_H

#include <jansson.h>
#include <math.h>

/** The number, or null if it is not finite. */
static inline json_t *
json_number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

#endif
