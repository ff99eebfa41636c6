/* The construction with its ties, canonical codes, and the decoder's table. */
#include "compress/coding/huffman.h"

/* Ascending; at most P2PI_ALPHABET keys, so that plain Shell sort with gaps 3 h + 1 is quick enough. */
static void
sort_keys(uint64_t *key, size_t n)
{
    size_t gap = 1;

    while (gap < n / 3)
        gap = 3 * gap + 1;
    for (; gap > 0; gap /= 3)
        for (size_t i = gap; i < n; i++) {
            uint64_t moved = key[i];
            size_t j = i;

            for (; j >= gap && key[j - gap] > moved; j -= gap)
                key[j] = key[j - gap];
            key[j] = moved;
        }
}

/* Leaves in order of (count, symbol) and joined nodes in order of creation are both sorted already, and every leaf
 * has a smaller number than every joined node: the smaller of two heads, the leaf in a tie, is what a heap gives. */
typedef struct {
    uint64_t leaf[P2PI_ALPHABET];       /* count << 16 | symbol */
    uint64_t joined[P2PI_ALPHABET];     /* counts */
    uint16_t parent[2 * P2PI_ALPHABET]; /* of leaves by place, then of joined nodes: a place among the joined */
    size_t leaves, next_leaf, made, next_joined;
} tree;

static uint64_t
take_smallest(tree *t)
{
    uint64_t count;

    if (t->next_leaf < t->leaves &&
        (t->next_joined == t->made || t->leaf[t->next_leaf] >> 16 <= t->joined[t->next_joined])) {
        t->parent[t->next_leaf] = (uint16_t)t->made;
        count = t->leaf[t->next_leaf++] >> 16;
    } else {
        t->parent[P2PI_ALPHABET + t->next_joined] = (uint16_t)t->made;
        count = t->joined[t->next_joined++];
    }
    return count;
}

/* Lengths of one tree; returns the longest. */
static unsigned
build(tree *t, const uint32_t *count, size_t alphabet, unsigned halvings, uint8_t *length)
{
    uint16_t depth[P2PI_ALPHABET];
    unsigned longest = 0;

    t->leaves = t->next_leaf = t->made = t->next_joined = 0;
    for (size_t s = 0; s < alphabet; s++) {
        uint64_t c = count[s];

        /* (c + 1) >> 1, halvings times over */
        if (c > 0)
            t->leaf[t->leaves++] = ((c + (UINT64_C(1) << halvings) - 1) >> halvings) << 16 | s;
    }
    if (t->leaves == 1) {
        length[t->leaf[0] & 0xFFFF] = 1;
        return 1;
    }
    sort_keys(t->leaf, t->leaves);
    while (t->made < t->leaves - 1) {
        uint64_t sum = take_smallest(t);

        sum += take_smallest(t);
        t->joined[t->made++] = sum;
    }
    depth[t->made - 1] = 0;
    for (size_t i = t->made - 1; i-- > 0;)
        depth[i] = (uint16_t)(depth[t->parent[P2PI_ALPHABET + i]] + 1);
    for (size_t i = 0; i < t->leaves; i++) {
        unsigned l = depth[t->parent[i]] + 1u;

        length[t->leaf[i] & 0xFFFF] = (uint8_t)(l > UINT8_MAX ? UINT8_MAX : l);
        longest = l > longest ? l : longest;
    }
    return longest;
}

void
p2pi_huffman_lengths(const uint32_t *count, size_t alphabet, uint8_t *length)
{
    tree t;
    unsigned halvings = 0;

    memset(length, 0, alphabet);
    while (build(&t, count, alphabet, halvings, length) > P2PI_HUFFMAN_LONGEST)
        halvings++;
}

/* The first code of every length, codes increasing by (length, symbol). Returns what is left of the code space in
 * units of 2^-15: 0 for a complete code, negative for too many codes. */
static long
first_codes(const uint8_t *length, size_t alphabet, uint32_t first[P2PI_HUFFMAN_LONGEST + 2])
{
    uint32_t used[P2PI_HUFFMAN_LONGEST + 1] = { 0 };
    long left = 1l << P2PI_HUFFMAN_LONGEST;

    for (size_t s = 0; s < alphabet; s++)
        used[length[s]]++;
    first[1] = 0;
    for (unsigned l = 1; l <= P2PI_HUFFMAN_LONGEST; l++) {
        first[l + 1] = (first[l] + used[l]) << 1;
        left -= (long)used[l] << (P2PI_HUFFMAN_LONGEST - l);
    }
    return left;
}

static unsigned
longest_of(const uint8_t *length, size_t alphabet)
{
    unsigned longest = 0;

    for (size_t s = 0; s < alphabet; s++)
        longest = length[s] > longest ? length[s] : longest;
    return longest;
}

static uint32_t
reversed(uint32_t code, unsigned length)
{
    uint32_t r = 0;

    for (unsigned i = 0; i < length; i++)
        r |= (code >> i & 1) << (length - 1 - i);
    return r;
}

void
p2pi_huffman_encoder_fill(p2pi_huffman_encoder *e, size_t alphabet)
{
    uint32_t next[P2PI_HUFFMAN_LONGEST + 2];

    first_codes(e->length, alphabet, next);
    e->longest = longest_of(e->length, alphabet);
    for (size_t s = 0; s < alphabet; s++)
        if (e->length[s] > 0)
            e->bits[s] = (uint16_t)reversed(next[e->length[s]]++, e->length[s]);
}

int
p2pi_huffman_decoder_fill(p2pi_huffman_decoder *d, const uint8_t *length, size_t alphabet)
{
    uint32_t next[P2PI_HUFFMAN_LONGEST + 2];
    long left = first_codes(length, alphabet, next);
    size_t used = 0;

    d->longest = longest_of(length, alphabet);
    for (size_t s = 0; s < alphabet; s++)
        used += length[s] > 0;
    if (alphabet == 0 || length[alphabet - 1] == 0 || (left != 0 && !(used == 1 && d->longest == 1)))
        return 0;
    memset(d->table, 0, sizeof d->table[0] << d->longest);
    for (size_t s = 0; s < alphabet; s++)
        if (length[s] > 0)
            for (uint32_t word = reversed(next[length[s]]++, length[s]); word < 1u << d->longest;
                 word += 1u << length[s])
                d->table[word] = (uint16_t)(length[s] << 10 | s);
    return 1;
}

/* Groups of codes that certainly fit a word share one store. */
void
p2pi_huffman_write(const p2pi_huffman_encoder *e, p2pi_bit_writer *w, const uint32_t *symbol, size_t n)
{
    size_t group = P2PI_BITS_ONCE / e->longest;

    for (size_t i = 0; i < n; i += group) {
        size_t end = n - i < group ? n : i + group;
        uint64_t word = 0;
        unsigned fill = 0;

        for (size_t j = i; j < end; j++) {
            word |= (uint64_t)e->bits[symbol[j]] << fill;
            fill += e->length[symbol[j]];
        }
        p2pi_put_bits(w, word, fill);
    }
}

/* An entry of 0 takes no bits and is no code: the rest of the group is then wrong too, and the whole is refused. */
int
p2pi_huffman_read(const p2pi_huffman_decoder *d, p2pi_bit_reader *r, size_t n, uint32_t *symbol)
{
    const uint64_t mask = (UINT64_C(1) << d->longest) - 1;
    size_t group = P2PI_BITS_ONCE / d->longest;
    unsigned shortest = P2PI_HUFFMAN_LONGEST;

    for (size_t i = 0; i < n; i += group) {
        size_t end = n - i < group ? n : i + group;
        uint64_t word = p2pi_peek_bits(r);

        for (size_t j = i; j < end; j++) {
            unsigned entry = d->table[word & mask], length = entry >> 10;

            symbol[j] = entry & (P2PI_ALPHABET - 1);
            word >>= length;
            r->at += length;
            shortest = length < shortest ? length : shortest;
        }
    }
    return shortest > 0;
}
