/* The widths are found by dynamic programming over the histogram of gap lengths. */
#include "compress/coding/gap_classes.h"

#include "compress/coding/bits.h"

#include <string.h>

enum { LONGEST = 32 };

static unsigned
flag_bits(unsigned classes)
{
    return classes / 2;
}

static uint32_t
gap_at(const uint32_t *index, size_t j)
{
    return j == 0 ? index[0] : index[j] - index[j - 1] - 1;
}

static unsigned
length_of(uint32_t gap)
{
    return gap == 0 ? 1 : p2pi_bit_length(gap);
}

static unsigned
class_of(const p2pi_gap_classes *c, uint32_t gap)
{
    unsigned at = 0;

    while (c->width[at] < length_of(gap))
        at++;
    return at;
}

/* Bits of the gaps up to a length, with so many classes at most and the last one that wide. */
typedef struct {
    uint64_t bits;
    unsigned used, width[P2PI_GAP_CLASSES_MAX];
} partial;

/* One class more: best[w] becomes the best of those that end with it and of what there was. */
static void
add_class(partial *best, const uint64_t *up_to, unsigned top)
{
    partial before[LONGEST + 1];

    memcpy(before, best, sizeof before);
    for (unsigned from = 0; from < top; from++)
        for (unsigned w = from + 1; before[from].bits != UINT64_MAX && w <= top; w++) {
            uint64_t bits = before[from].bits + (up_to[w] - up_to[from]) * w;

            if (bits >= best[w].bits)
                continue;
            best[w] = before[from];
            best[w].bits = bits;
            best[w].width[best[w].used++] = w;
        }
}

p2pi_gap_classes
p2pi_gap_classes_of(const uint32_t *index, size_t k)
{
    uint64_t up_to[LONGEST + 1] = { 0 }; /* gaps of at most so many bits */
    partial best[LONGEST + 1];
    p2pi_gap_classes chosen = { .bits = UINT64_MAX };
    unsigned top = 1;

    for (size_t j = 0; j < k; j++)
        up_to[length_of(gap_at(index, j))]++;
    for (unsigned w = 1; w <= LONGEST; w++) {
        top = up_to[w] > 0 ? w : top;
        up_to[w] += up_to[w - 1];
        best[w] = (partial){ .bits = UINT64_MAX };
    }
    best[0] = (partial){ .bits = 0 };
    for (unsigned n = 1; n <= P2PI_GAP_CLASSES_MAX; n++) {
        uint64_t bits;

        add_class(best, up_to, top);
        bits = best[top].bits + flag_bits(n) * (uint64_t)k;
        if (n == 3 || bits >= chosen.bits)
            continue;
        chosen.count = n;
        chosen.bits = bits;
        for (unsigned i = 0; i < n; i++)
            chosen.width[i] = i < best[top].used ? best[top].width[i] : top;
    }
    return chosen;
}

int
p2pi_gap_classes_valid(const p2pi_gap_classes *c)
{
    if (c->count != 1 && c->count != 2 && c->count != 4)
        return 0;
    for (unsigned i = 0; i < c->count; i++)
        if (c->width[i] < (i == 0 ? 1 : c->width[i - 1]) || c->width[i] > LONGEST)
            return 0;
    return 1;
}

void
p2pi_gap_classes_write(const p2pi_gap_classes *c, const uint32_t *index, size_t k, p2pi_msb_writer *w)
{
    for (size_t j = 0; j < k; j++) {
        uint32_t gap = gap_at(index, j);
        unsigned class = class_of(c, gap);

        p2pi_msb_put(w, class, flag_bits(c->count));
        p2pi_msb_put(w, gap, c->width[class]);
    }
}

int
p2pi_gap_classes_read(const p2pi_gap_classes *c, p2pi_msb_reader *r, size_t k, size_t d, uint32_t *index)
{
    uint64_t next = 0;

    for (size_t j = 0; j < k; j++, next++) {
        unsigned class = (unsigned)p2pi_msb_get(r, flag_bits(c->count));
        uint64_t gap = p2pi_msb_get(r, c->width[class]);

        next += gap;
        if (class != class_of(c, (uint32_t)gap) || next >= d || r->failed)
            return 0;
        index[j] = (uint32_t)next;
    }
    return 1;
}
