/* Sizes of the codes from symbol counts, the choice, writing; reading is in value_reader.c. */
#include "compress/coding/value_section.h"

#include "compress/coding/integer_codes.h"
#include "compress/coding/law_code.h"
#include "compress/coding/range_coder.h"
#include "compress/coding/rice_parameter.h"
#include "compress/coding/trits.h"
#include "compress/coding/varint.h"
#include "compress/kernels/fixed_width.h"

#include <assert.h>

/* A list is counted in parts that fit the nearest cache, by comparing where symbols are few. */
enum { COUNTED_AT_ONCE = 4096, FEW_SYMBOLS = 8 };

/* Four tables, so that equal neighbours do not wait for one another. */
static void
tabulate(const uint32_t *symbol, size_t n, size_t alphabet, uint32_t *count)
{
    uint32_t lane[3][P2PI_ALPHABET];
    size_t i;

    for (i = 0; i < 3; i++)
        memset(lane[i], 0, alphabet * sizeof *lane[i]);
    for (i = 0; i + 4 <= n; i += 4) {
        count[symbol[i]]++;
        lane[0][symbol[i + 1]]++;
        lane[1][symbol[i + 2]]++;
        lane[2][symbol[i + 3]]++;
    }
    for (; i < n; i++)
        count[symbol[i]]++;
    for (i = 0; i < alphabet; i++)
        count[i] += lane[0][i] + lane[1][i] + lane[2][i];
}

/* A comparison of all with each symbol but the first, which is what is left. */
static void
compare(const uint32_t *symbol, size_t n, uint32_t largest, uint32_t *count)
{
    uint32_t zeros = (uint32_t)n;

    for (uint32_t v = 1; v <= largest; v++) {
        uint32_t equal = p2pi_symbols_equal(symbol, n, v);

        count[v] += equal;
        zeros -= equal;
    }
    count[0] += zeros;
}

void
p2pi_symbols_start(p2pi_symbol_counts *c, p2pi_code code)
{
    memset(c, 0, sizeof *c);
    c->sized = c->counted = code != P2PI_CODE_FIXED && code != P2PI_CODE_TRIT && code != P2PI_CODE_TRITZ;
}

/* From the table, before symbols come that it has no room for. */
static void
leave_table(p2pi_symbol_counts *c)
{
    for (uint32_t v = 0; v < P2PI_ALPHABET; v++) {
        for (unsigned b = 0; v >> b > 0; b++)
            c->with_bit[b] += (v >> b & 1) * (uint64_t)c->count[v];
        c->of_length[p2pi_bit_length(v + 1)] += c->count[v];
    }
    c->counted = 0;
}

/* Bit by bit: the sizes of gamma, delta and Rice codes follow from these counts. */
static void
weigh(p2pi_symbol_counts *c, const uint32_t *symbol, size_t n, uint32_t largest)
{
    const unsigned length = p2pi_bit_length(largest), longest = p2pi_bit_length((uint64_t)largest + 1);
    uint32_t above = (uint32_t)n;

    for (unsigned b = 0; b < length; b++)
        c->with_bit[b] += p2pi_symbols_with_bit(symbol, n, b);
    for (unsigned l = 1; l <= longest; l++) {
        uint32_t next = l == 32  ? p2pi_symbols_equal(symbol, n, UINT32_MAX)
                        : l > 32 ? 0
                                 : p2pi_symbols_from(symbol, n, (UINT32_C(1) << l) - 1);

        c->of_length[l] += above - next;
        above = next;
    }
}

void
p2pi_symbols_add(p2pi_symbol_counts *c, const uint32_t *symbol, size_t n)
{
    uint32_t largest = p2pi_largest_symbol(symbol, n);

    c->n += n;
    c->largest = largest > c->largest ? largest : c->largest;
    if (!c->sized)
        return;
    if (c->counted && largest >= P2PI_ALPHABET)
        leave_table(c);
    if (!c->counted)
        weigh(c, symbol, n, largest);
    else if (largest < FEW_SYMBOLS)
        compare(symbol, n, largest, c->count);
    else
        tabulate(symbol, n, (size_t)largest + 1, c->count);
}

void
p2pi_symbols_count(p2pi_symbol_counts *c, const uint32_t *symbol, size_t n, p2pi_code code)
{
    p2pi_symbols_start(c, code);
    for (size_t at = 0; at < n; at += COUNTED_AT_ONCE)
        p2pi_symbols_add(c, symbol + at, n - at < COUNTED_AT_ONCE ? n - at : COUNTED_AT_ONCE);
}

/* The sum over the list of a cost that follows from the bit length of v + 1. */
static uint64_t
sum_over(const p2pi_symbol_counts *c, uint64_t (*cost)(uint64_t v))
{
    uint64_t sum = 0;

    if (c->counted)
        for (uint64_t v = 0; v <= c->largest; v++)
            sum += c->count[v] * cost(v + 1);
    else
        for (unsigned length = 1; length <= 33; length++)
            sum += c->of_length[length] * cost(UINT64_C(1) << (length - 1));
    return sum;
}

static uint64_t
gamma_cost(uint64_t v)
{
    return p2pi_gamma_bits(v);
}

static uint64_t
delta_cost(uint64_t v)
{
    return p2pi_delta_bits(v);
}

/* The sum over the list of v >> shift. */
static uint64_t
sum_shifted(const p2pi_symbol_counts *c, unsigned shift)
{
    uint64_t sum = 0;

    if (c->counted)
        for (uint64_t v = 0; v <= c->largest; v++)
            sum += c->count[v] * (v >> shift);
    else
        for (unsigned b = shift; b < 32; b++)
            sum += c->with_bit[b] << (b - shift);
    return sum;
}

static uint64_t
rice_size(const p2pi_symbol_counts *c, unsigned *parameter)
{
    p2pi_rice_sums sums;

    p2pi_rice_start(&sums, sum_shifted(c, 0), c->n);
    for (unsigned i = 0; i < sums.candidates; i++)
        sums.bits[i] = sum_shifted(c, sums.first + i);
    return 8 + p2pi_rice_best(&sums, parameter);
}

static uint64_t
huffman_size(const p2pi_symbol_counts *c, uint8_t *length)
{
    uint64_t alphabet = (uint64_t)c->largest + 1, bits;

    p2pi_huffman_lengths(c->count, alphabet, length);
    bits = 8 * p2pi_varint_bytes(alphabet) + (4 * alphabet + 7) / 8 * 8;
    for (size_t v = 0; v < alphabet; v++)
        bits += (uint64_t)c->count[v] * length[v];
    return bits;
}

static uint64_t
range_size(const p2pi_symbol_counts *c, const uint32_t *symbol, uint16_t *frequency)
{
    uint64_t alphabet = (uint64_t)c->largest + 1, words;
    uint32_t state;

    p2pi_range_frequencies(c->count, alphabet, frequency);
    words = p2pi_range_encode(symbol, c->n, frequency, alphabet, NULL, &state);
    return 8 * (p2pi_varint_bytes(alphabet) + (13 * alphabet + 7) / 8 + p2pi_varint_bytes(words) + 4 + 2 * words);
}

/* Bits behind the mode byte. */
static uint64_t
size_of(p2pi_value_code *out, const p2pi_symbol_counts *c, const uint32_t *symbol, p2pi_code code)
{
    switch (code) {
    case P2PI_CODE_FIXED:
        out->parameter = p2pi_bit_length(c->largest);
        return 8 + (uint64_t)c->n * out->parameter;
    case P2PI_CODE_GAMMA:
        return sum_over(c, gamma_cost);
    case P2PI_CODE_DELTA:
        return sum_over(c, delta_cost);
    case P2PI_CODE_RICE:
        return rice_size(c, &out->parameter);
    case P2PI_CODE_HUFFMAN:
        return huffman_size(c, out->length);
    case P2PI_CODE_RANGE:
        return range_size(c, symbol, out->frequency);
    default:
        return p2pi_law_size(out, c, code);
    }
}

/* The shortest of some codes, in units of bits (auto) or whole bytes (best). */
static void
choose_shortest(p2pi_value_code *out, const p2pi_symbol_counts *c, const uint32_t *symbol, const p2pi_code *codes,
                size_t count, uint64_t unit)
{
    uint64_t least = UINT64_MAX;
    unsigned width = p2pi_bit_length(c->largest), rice = 0;

    for (size_t i = 0; i < count; i++) {
        uint64_t size;

        if (codes[i] >= P2PI_CODE_HUFFMAN && !c->counted)
            continue;
        size = (size_of(out, c, symbol, codes[i]) + unit - 1) / unit;
        if (codes[i] == P2PI_CODE_RICE)
            rice = out->parameter;
        if (size < least) {
            least = size;
            out->code = codes[i];
        }
    }
    out->parameter = out->code == P2PI_CODE_RICE ? rice : width;
    out->bytes = 1 + (size_t)((least * unit + 7) / 8);
}

void
p2pi_value_choose(p2pi_value_code *out, const p2pi_symbol_counts *c, const uint32_t *symbol, p2pi_code code)
{
    static const p2pi_code quick[] = { P2PI_CODE_FIXED, P2PI_CODE_GAMMA, P2PI_CODE_RICE, P2PI_CODE_HUFFMAN },
                           all[] = { P2PI_CODE_FIXED, P2PI_CODE_GAMMA,   P2PI_CODE_DELTA,
                                     P2PI_CODE_RICE,  P2PI_CODE_HUFFMAN, P2PI_CODE_RANGE };

    if (code == P2PI_CODE_AUTO)
        choose_shortest(out, c, symbol, quick, 4, 1);
    else if (code == P2PI_CODE_BEST)
        choose_shortest(out, c, symbol, all, 6, 8);
    else if (code == P2PI_CODE_TRIT || code == P2PI_CODE_TRITZ) {
        out->code = code;
        out->bytes = 0; /* nothing compares it */
    } else {
        assert(code < P2PI_CODE_HUFFMAN || c->counted);
        choose_shortest(out, c, symbol, &code, 1, 1);
    }
}

size_t
p2pi_value_bound(size_t n, uint32_t largest, p2pi_code code)
{
    uint64_t width = p2pi_bit_length(largest), next = (uint64_t)largest + 1, alphabet = next, bits;

    switch (code) {
    case P2PI_CODE_GAMMA:
        bits = n * (uint64_t)p2pi_gamma_bits(next);
        break;
    case P2PI_CODE_DELTA:
        bits = n * (uint64_t)p2pi_delta_bits(next);
        break;
    /* The parameter is at least as good as floor(log2 mean), whose quotients add up to less than 2 n. */
    case P2PI_CODE_RICE:
        bits = 8 + n * (3 + width);
        break;
    case P2PI_CODE_HUFFMAN:
        bits = 8 * P2PI_VARINT_MAX + 4 * alphabet + 7 + n * (uint64_t)P2PI_HUFFMAN_LONGEST;
        break;
    /* A symbol costs at most 12 bits, and what is left in the state is less than a word. */
    case P2PI_CODE_RANGE:
        bits = 16 * P2PI_VARINT_MAX + 13 * alphabet + 7 + 64 + n * (uint64_t)P2PI_RANGE_SHIFT;
        break;
    case P2PI_CODE_TRIT:
    case P2PI_CODE_TRITZ:
        bits = 8 * (uint64_t)(P2PI_VARINT_MAX + p2pi_trit_bytes(n));
        break;
    case P2PI_CODE_GENNORM:
    case P2PI_CODE_LAPLACE:
    case P2PI_CODE_NORMAL:
        bits = p2pi_law_bound(n);
        break;
    default:
        bits = 8 + n * width;
        break;
    }
    return 1 + (size_t)((bits + 7) / 8);
}

static uint8_t *
write_huffman(uint8_t *at, const p2pi_symbol_counts *c, const uint32_t *symbol, const uint8_t *length)
{
    size_t alphabet = (size_t)c->largest + 1;
    p2pi_huffman_encoder e;
    p2pi_bit_writer w;

    w = p2pi_bit_writer_of(p2pi_varint_write(at, alphabet));
    for (size_t s = 0; s < alphabet; s++)
        p2pi_put_bits(&w, length[s], 4);
    w = p2pi_bit_writer_of(p2pi_bits_end(&w));
    memcpy(e.length, length, alphabet);
    p2pi_huffman_encoder_fill(&e, alphabet);
    p2pi_huffman_write(&e, &w, symbol, c->n);
    return p2pi_bits_end(&w);
}

static uint8_t *
write_range(uint8_t *at, const p2pi_symbol_counts *c, const uint32_t *symbol, const uint16_t *frequency)
{
    size_t alphabet = (size_t)c->largest + 1, words;
    uint32_t state;
    p2pi_bit_writer w = p2pi_bit_writer_of(p2pi_varint_write(at, alphabet));

    for (size_t s = 0; s < alphabet; s++)
        p2pi_put_bits(&w, frequency[s], 13);
    words = p2pi_range_encode(symbol, c->n, frequency, alphabet, NULL, &state);
    at = p2pi_varint_write(p2pi_bits_end(&w), words);
    for (unsigned i = 0; i < 4; i++)
        *at++ = (uint8_t)(state >> 8 * i);
    p2pi_range_encode(symbol, c->n, frequency, alphabet, at + 2 * words, &state);
    return at + 2 * words;
}

/* The shortened bytes are written where the longest count would end, then moved to where their count does. */
static uint8_t *
write_tritz(uint8_t *at, const uint32_t *symbol, size_t n)
{
    uint8_t *bytes = at + P2PI_VARINT_MAX;
    size_t count;

    p2pi_trits_pack(symbol, n, bytes);
    count = p2pi_trits_shorten(bytes, p2pi_trit_bytes(n));
    at = p2pi_varint_write(at, count);
    memmove(at, bytes, count);
    return at + count;
}

void
p2pi_value_head(uint8_t *at, unsigned width)
{
    at[0] = P2PI_CODE_FIXED - P2PI_CODE_MODE;
    at[1] = (uint8_t)width;
}

uint8_t *
p2pi_value_write(uint8_t *at, const p2pi_symbol_counts *c, const uint32_t *symbol, const p2pi_value_code *code)
{
    p2pi_bit_writer w;

    *at++ = (uint8_t)((code->code < P2PI_CODE_GENNORM ? code->code : P2PI_CODE_GENNORM) - P2PI_CODE_MODE);
    switch (code->code) {
    case P2PI_CODE_GENNORM:
    case P2PI_CODE_LAPLACE:
    case P2PI_CODE_NORMAL:
        return p2pi_law_write(at, c, symbol, code);
    case P2PI_CODE_HUFFMAN:
        return write_huffman(at, c, symbol, code->length);
    case P2PI_CODE_RANGE:
        return write_range(at, c, symbol, code->frequency);
    case P2PI_CODE_TRITZ:
        return write_tritz(at, symbol, c->n);
    case P2PI_CODE_TRIT:
        p2pi_trits_pack(symbol, c->n, at);
        return at + p2pi_trit_bytes(c->n);
    case P2PI_CODE_FIXED:
        *at++ = (uint8_t)code->parameter;
        return p2pi_fixed_pack(at, symbol, c->n, code->parameter);
    case P2PI_CODE_RICE:
        *at++ = (uint8_t)code->parameter;
        break;
    default:
        break;
    }
    w = p2pi_bit_writer_of(at);
    for (size_t i = 0; i < c->n; i++)
        if (code->code == P2PI_CODE_GAMMA)
            p2pi_put_gamma(&w, (uint64_t)symbol[i] + 1);
        else if (code->code == P2PI_CODE_DELTA)
            p2pi_put_delta(&w, (uint64_t)symbol[i] + 1);
        else
            p2pi_put_rice(&w, symbol[i], code->parameter);
    return p2pi_bits_end(&w);
}
