/* Little-endian reading and writing of bytes; the first short read or write fails the cursor for good. */
#ifndef P2PI_CURSOR_H
#define P2PI_CURSOR_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct {
    const uint8_t *at, *end;
    int failed;
} p2pi_reader;

typedef struct {
    uint8_t *at, *end;
    int failed;
} p2pi_writer;

static inline p2pi_reader
p2pi_reader_of(const uint8_t *bytes, size_t len)
{
    p2pi_reader r = { bytes, bytes + len, 0 };
    return r;
}

static inline p2pi_writer
p2pi_writer_of(uint8_t *bytes, size_t cap)
{
    p2pi_writer w = { bytes, bytes + cap, 0 };
    return w;
}

static inline size_t
p2pi_reader_left(const p2pi_reader *r)
{
    return (size_t)(r->end - r->at);
}

/** len bytes in place, or NULL and failed. */
static inline const uint8_t *
p2pi_read_bytes(p2pi_reader *r, size_t len)
{
    const uint8_t *at = r->at;

    if (r->failed || len > p2pi_reader_left(r)) {
        r->failed = 1;
        return NULL;
    }
    r->at += len;
    return at;
}

/** A little-endian unsigned number of width 1 to 8 bytes; 0 if failed. */
static inline uint64_t
p2pi_read_uint(p2pi_reader *r, size_t width)
{
    const uint8_t *p = p2pi_read_bytes(r, width);
    uint64_t v = 0;

    for (size_t i = 0; p != NULL && i < width; i++)
        v |= (uint64_t)p[i] << (8 * i);
    return v;
}

static inline double
p2pi_read_double(p2pi_reader *r)
{
    uint64_t bits = p2pi_read_uint(r, 8);
    double v;

    memcpy(&v, &bits, sizeof v);
    return v;
}

static inline void
p2pi_write_bytes(p2pi_writer *w, const void *bytes, size_t len)
{
    if (w->failed || len > (size_t)(w->end - w->at)) {
        w->failed = 1;
        return;
    }
    memcpy(w->at, bytes, len);
    w->at += len;
}

static inline void
p2pi_write_uint(p2pi_writer *w, uint64_t v, size_t width)
{
    uint8_t p[8];

    for (size_t i = 0; i < width; i++)
        p[i] = (uint8_t)(v >> (8 * i));
    p2pi_write_bytes(w, p, width);
}

static inline void
p2pi_write_double(p2pi_writer *w, double v)
{
    uint64_t bits;

    memcpy(&bits, &v, sizeof bits);
    p2pi_write_uint(w, bits, 8);
}

#endif
