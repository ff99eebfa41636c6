#include "compress/coding/law_code.h"

#include "base/cursor.h"
#include "base/fail.h"
#include "compress/coding/varint.h"

#include <math.h>
#include <zlib.h>

enum { PARAMETERS = 2, CHECK = 4 };

/* Where codes stand among the symbols 0 .. alphabet - 1. */
typedef struct {
    unsigned alphabet;
    uint32_t centre; /* as in p2pi_value_code */
} layout;

static unsigned
distance_of(layout l, uint32_t symbol)
{
    if (l.centre == 0)
        return (symbol + 1) / 2;
    return symbol + 1 < l.centre ? l.centre - 1 - symbol : symbol + 1 - l.centre;
}

/* Codes in ascending order take the places 0 .. alphabet - 1. */
static unsigned
place_of(layout l, uint32_t symbol)
{
    if (l.centre > 0)
        return symbol;
    return symbol % 2 == 0 ? l.alphabet / 2 + symbol / 2 : l.alphabet / 2 - (symbol + 1) / 2;
}

/* ---- choosing */

static p2pi_gennorm_wire
fit(const p2pi_symbol_counts *c, layout l, p2pi_code code)
{
    double mean = 0, mean_square = 0;
    p2pi_gennorm law;
    p2pi_gennorm_wire wire;

    for (uint32_t s = 0; s <= c->largest; s++) {
        const double v = distance_of(l, s), share = c->count[s] / (double)c->n;

        mean += v * share;
        mean_square += v * v * share;
    }
    law = p2pi_gennorm_fit(mean, mean_square);
    if (code == P2PI_CODE_LAPLACE)
        law = (p2pi_gennorm){ 1, mean };
    else if (code == P2PI_CODE_NORMAL)
        law = (p2pi_gennorm){ 2, sqrt(2 * mean_square) };
    wire = p2pi_gennorm_round(law);
    if (code != P2PI_CODE_GENNORM)
        wire.shape = code == P2PI_CODE_LAPLACE ? P2PI_GENNORM_LAPLACE : P2PI_GENNORM_NORMAL;
    return wire;
}

/* Code lengths by symbol. Ties between equal counts go by the code, as papers number them. */
static void
lengths_of(p2pi_gennorm_wire wire, layout l, uint8_t *length)
{
    uint32_t count[2 * P2PI_ALPHABET];
    uint8_t by_place[P2PI_ALPHABET];
    const unsigned below = l.centre > 0 ? l.centre - 1 : l.alphabet / 2, above = l.alphabet - 1 - below;
    const unsigned farthest = below > above ? below : above;

    p2pi_gennorm_counts(p2pi_gennorm_of(wire), farthest, count);
    p2pi_huffman_lengths(count + farthest - below, l.alphabet, by_place);
    for (uint32_t s = 0; s < l.alphabet; s++)
        length[s] = by_place[place_of(l, s)];
}

static uint64_t
size_with(p2pi_value_code *out, const p2pi_symbol_counts *c, layout l, p2pi_code code)
{
    uint64_t bits = 8 * (PARAMETERS + CHECK + p2pi_varint_bytes(l.alphabet) + p2pi_varint_bytes(l.centre));

    out->law = fit(c, l, code);
    out->centre = l.centre;
    lengths_of(out->law, l, out->length);
    for (uint32_t s = 0; s <= c->largest; s++)
        bits += (uint64_t)c->count[s] * out->length[s];
    return bits;
}

static uint32_t
median_of(const p2pi_symbol_counts *c)
{
    uint64_t up_to = c->count[0];
    uint32_t s = 0;

    while (2 * up_to < c->n)
        up_to += c->count[++s];
    return s;
}

static layout
zigzag_of(const p2pi_symbol_counts *c)
{
    return (layout){ (c->largest + 1) / 2 * 2 + 1, 0 };
}

/* Codes that are not zigzag have their zero about the middle symbol. */
static layout
plain_of(const p2pi_symbol_counts *c)
{
    return (layout){ c->largest + 1, median_of(c) + 1 };
}

uint64_t
p2pi_law_size(p2pi_value_code *out, const p2pi_symbol_counts *c, p2pi_code code)
{
    const uint64_t zigzag = size_with(out, c, zigzag_of(c), code), plain = size_with(out, c, plain_of(c), code);

    return zigzag <= plain ? size_with(out, c, zigzag_of(c), code) : plain;
}

uint64_t
p2pi_law_bound(size_t n)
{
    return 8 * (PARAMETERS + CHECK + 2 * P2PI_VARINT_MAX) + n * (uint64_t)P2PI_HUFFMAN_LONGEST;
}

/* ---- writing and reading */

static uint32_t
check_of(const uint8_t *length, unsigned alphabet)
{
    return (uint32_t)crc32(0, length, alphabet);
}

uint8_t *
p2pi_law_write(uint8_t *at, const p2pi_symbol_counts *c, const uint32_t *symbol, const p2pi_value_code *code)
{
    const layout l = code->centre > 0 ? plain_of(c) : zigzag_of(c);
    p2pi_huffman_encoder e;
    p2pi_bit_writer bits;
    p2pi_writer w;

    *at++ = code->law.shape;
    *at++ = (uint8_t)code->law.scale;
    at = p2pi_varint_write(p2pi_varint_write(at, l.alphabet), l.centre);
    w = p2pi_writer_of(at, CHECK);
    p2pi_write_uint(&w, check_of(code->length, l.alphabet), CHECK);
    memcpy(e.length, code->length, l.alphabet);
    p2pi_huffman_encoder_fill(&e, l.alphabet);
    bits = p2pi_bit_writer_of(w.at);
    p2pi_huffman_write(&e, &bits, symbol, c->n);
    return p2pi_bits_end(&bits);
}

static p2p_status
refuse(const char *what)
{
    return p2p_fail(P2P_EPROTO, "value section: %s", what);
}

/* The law and its layout, *at behind them. */
static int
read_law(const uint8_t **at, const uint8_t *end, p2pi_gennorm_wire *wire, layout *l)
{
    uint64_t alphabet, centre;

    if (end - *at < PARAMETERS)
        return 0;
    *wire = (p2pi_gennorm_wire){ (*at)[0], (int8_t)(*at)[1] };
    *at += PARAMETERS;
    if (wire->shape >= P2PI_GENNORM_SHAPES || !p2pi_varint_read(at, end, P2PI_ALPHABET, &alphabet) ||
        !p2pi_varint_read(at, end, alphabet, &centre) || alphabet == 0 || (centre == 0 && alphabet % 2 == 0))
        return 0;
    *l = (layout){ (unsigned)alphabet, (uint32_t)centre };
    return 1;
}

p2p_status
p2pi_law_read(const uint8_t **at, const uint8_t *end, size_t n, uint32_t *symbol)
{
    p2pi_gennorm_wire wire;
    uint8_t length[P2PI_ALPHABET];
    p2pi_huffman_decoder d;
    p2pi_bit_reader r;
    p2pi_reader check;
    layout l;

    if (!read_law(at, end, &wire, &l))
        return refuse("the parameters of a law are missing or out of range");
    lengths_of(wire, l, length);
    check = p2pi_reader_of(*at, (size_t)(end - *at));
    if (p2pi_read_uint(&check, CHECK) != check_of(length, l.alphabet) || check.failed)
        return refuse("a law has other code lengths here than at the sender: code=huffman sends them");
    *at = check.at;
    if (!p2pi_huffman_decoder_fill(&d, length, l.alphabet))
        return refuse("a law's code lengths are not a complete code");
    r = p2pi_bit_reader_of(*at, (size_t)(end - *at));
    if (n > r.end)
        return refuse("cut short");
    if (!p2pi_huffman_read(&d, &r, n, symbol))
        return refuse("bits that are no code of the law");
    return p2pi_bits_close(&r, at) ? P2P_OK : refuse("cut short, or its padding is not zero");
}
