/* LEB128 numbers below 2^35: seven bits a byte, least significant group first, shortest form only. */
#ifndef P2PI_VARINT_H
#define P2PI_VARINT_H

#include <stddef.h>
#include <stdint.h>

enum { P2PI_VARINT_MAX = 5 };

static inline size_t
p2pi_varint_bytes(uint64_t v)
{
    size_t bytes = 1;

    for (; v >= 128; v >>= 7)
        bytes++;
    return bytes;
}

static inline uint8_t *
p2pi_varint_write(uint8_t *at, uint64_t v)
{
    for (; v >= 128; v >>= 7)
        *at++ = (uint8_t)(v | 128);
    *at++ = (uint8_t)v;
    return at;
}

/** Whether a number of at most `limit` in shortest form stands at *at, which moves behind it. */
static inline int
p2pi_varint_read(const uint8_t **at, const uint8_t *end, uint64_t limit, uint64_t *v)
{
    *v = 0;
    for (unsigned i = 0; i < P2PI_VARINT_MAX && *at < end; i++) {
        uint8_t byte = *(*at)++;

        *v |= (uint64_t)(byte & 127) << 7 * i;
        if (byte < 128)
            return (i == 0 || byte != 0) && *v <= limit;
    }
    return 0;
}

#endif
