/* Bit streams whose bytes are filled from the most significant bit, numbers most significant bit first. */
#ifndef P2PI_MSB_BITS_H
#define P2PI_MSB_BITS_H

#include <stddef.h>
#include <stdint.h>

typedef struct {
    uint8_t *at;
    uint64_t word; /* bits that are not written yet, the last one lowest */
    unsigned fill; /* how many: 0 .. 7 */
} p2pi_msb_writer;

static inline p2pi_msb_writer
p2pi_msb_writer_of(uint8_t *at)
{
    p2pi_msb_writer w = { at, 0, 0 };
    return w;
}

/** The low `bits` bits of v, at most 56; the higher ones are zero. */
static inline void
p2pi_msb_put(p2pi_msb_writer *w, uint64_t v, unsigned bits)
{
    w->word = w->word << bits | v;
    for (w->fill += bits; w->fill >= 8; w->fill -= 8)
        *w->at++ = (uint8_t)(w->word >> (w->fill - 8));
}

/** Pad with zeros to a byte boundary; the end of the stream. */
static inline uint8_t *
p2pi_msb_end(p2pi_msb_writer *w)
{
    if (w->fill > 0)
        p2pi_msb_put(w, 0, 8 - w->fill);
    return w->at;
}

typedef struct {
    const uint8_t *at, *end;
    uint64_t word; /* bits that were loaded and not taken, the last one lowest */
    unsigned fill;
    int failed; /* more was asked for than there is */
} p2pi_msb_reader;

static inline p2pi_msb_reader
p2pi_msb_reader_of(const uint8_t *at, const uint8_t *end)
{
    p2pi_msb_reader r = { at, end, 0, 0, 0 };
    return r;
}

/** The next `bits` bits, at most 56; zeros behind the end. */
static inline uint64_t
p2pi_msb_get(p2pi_msb_reader *r, unsigned bits)
{
    while (r->fill < bits) {
        r->failed |= r->at == r->end;
        r->word = r->word << 8 | (r->at < r->end ? *r->at++ : 0);
        r->fill += 8;
    }
    r->fill -= bits;
    return r->word >> r->fill & ((UINT64_C(1) << bits) - 1);
}

/** Whether every bit was there and the padding is zero; *next is the byte behind the stream. */
static inline int
p2pi_msb_close(p2pi_msb_reader *r, const uint8_t **next)
{
    *next = r->at;
    return !r->failed && p2pi_msb_get(r, r->fill) == 0;
}

#endif
