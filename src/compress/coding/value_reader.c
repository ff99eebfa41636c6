/* Reading value sections: every count and parameter is checked before it is used. */
#include "compress/coding/value_section.h"

#include "compress/coding/integer_codes.h"
#include "compress/coding/law_code.h"
#include "compress/coding/range_coder.h"
#include "compress/coding/trits.h"
#include "compress/coding/varint.h"
#include "compress/kernels/fixed_width.h"

static p2p_status
refuse(const char *what)
{
    return p2p_fail(P2P_EPROTO, "value section: %s", what);
}

static p2p_status
read_fields(const uint8_t **at, const uint8_t *end, size_t n, unsigned width, p2pi_fields *fields)
{
    uint64_t bits = (uint64_t)n * width;
    size_t bytes = (size_t)((bits + 7) / 8);

    if (bytes > (size_t)(end - *at))
        return refuse("cut short");
    if (bits % 8 != 0 && (*at)[bytes - 1] >> bits % 8 != 0)
        return refuse("padding bits are not zero");
    *fields = (p2pi_fields){ *at, bytes, width };
    *at += bytes;
    return P2P_OK;
}

static p2p_status
read_fixed(const uint8_t **at, const uint8_t *end, size_t n, unsigned width, uint32_t *symbol)
{
    p2pi_fields fields;
    p2p_status st = read_fields(at, end, n, width, &fields);

    if (st == P2P_OK)
        p2pi_fields_symbols(&fields, 0, n, symbol);
    return st;
}

void
p2pi_fields_symbols(const p2pi_fields *fields, size_t from, size_t n, uint32_t *symbol)
{
    size_t begin = from / 8 * fields->width;

    p2pi_fixed_unpack(fields->stream + begin, fields->len - begin, n, fields->width, symbol);
}

static p2p_status
read_integers(const uint8_t **at, const uint8_t *end, size_t n, p2pi_code code, unsigned parameter, uint32_t largest,
              uint32_t *symbol)
{
    p2pi_bit_reader r = p2pi_bit_reader_of(*at, (size_t)(end - *at));

    if (n > r.end)
        return refuse("cut short");
    for (size_t i = 0; i < n; i++) {
        uint64_t v = code == P2PI_CODE_GAMMA   ? p2pi_get_gamma(&r, 32) - 1
                     : code == P2PI_CODE_DELTA ? p2pi_get_delta(&r) - 1
                                               : p2pi_get_rice(&r, parameter, largest);

        if (v > UINT32_MAX)
            return refuse("bits that are no code, or a symbol above 2^32 - 1");
        symbol[i] = (uint32_t)v;
    }
    return p2pi_bits_close(&r, at) ? P2P_OK : refuse("cut short, or its padding is not zero");
}

/* An alphabet's table of `width`-bit numbers, padded to a byte. */
static int
read_table(const uint8_t **at, const uint8_t *end, unsigned width, uint16_t *table, size_t *alphabet)
{
    p2pi_bit_reader r;
    uint64_t a;

    if (!p2pi_varint_read(at, end, P2PI_ALPHABET, &a))
        return 0;
    r = p2pi_bit_reader_of(*at, (size_t)(end - *at));
    for (size_t s = 0; s < a; s++)
        table[s] = (uint16_t)p2pi_get_bits(&r, width);
    *alphabet = (size_t)a;
    return p2pi_bits_close(&r, at);
}

static p2p_status
read_huffman(const uint8_t **at, const uint8_t *end, size_t n, uint32_t *symbol)
{
    uint16_t table[P2PI_ALPHABET];
    uint8_t length[P2PI_ALPHABET];
    p2pi_huffman_decoder d;
    p2pi_bit_reader r;
    size_t alphabet;

    if (!read_table(at, end, 4, table, &alphabet))
        return refuse("the table of Huffman code lengths is malformed");
    for (size_t s = 0; s < alphabet; s++)
        length[s] = (uint8_t)table[s];
    if (!p2pi_huffman_decoder_fill(&d, length, alphabet))
        return refuse("the Huffman code lengths are not a complete code");
    r = p2pi_bit_reader_of(*at, (size_t)(end - *at));
    if (n > r.end)
        return refuse("cut short");
    if (!p2pi_huffman_read(&d, &r, n, symbol))
        return refuse("bits that are no Huffman code");
    return p2pi_bits_close(&r, at) ? P2P_OK : refuse("cut short, or its padding is not zero");
}

static p2p_status
read_range(const uint8_t **at, const uint8_t *end, size_t n, uint32_t *symbol)
{
    uint16_t frequency[P2PI_ALPHABET];
    size_t alphabet, sum = 0;
    const uint8_t *head;
    uint64_t words;

    if (!read_table(at, end, 13, frequency, &alphabet))
        return refuse("the table of range coder frequencies is malformed");
    for (size_t s = 0; s < alphabet; s++)
        sum += frequency[s];
    if (sum != P2PI_RANGE_TOTAL)
        return refuse("the range coder frequencies do not add up to 4096");
    if (!p2pi_varint_read(at, end, n, &words) || (uint64_t)(end - *at) < 4 + 2 * words)
        return refuse("the range coder's words are cut short");
    head = *at;
    *at += 4 + 2 * words;
    if (!p2pi_range_decode(head + 4, (size_t)words, head[0] | head[1] << 8 | head[2] << 16 | (uint32_t)head[3] << 24,
                           frequency, alphabet, n, symbol))
        return refuse("the range coder's words do not end with the symbols");
    return P2P_OK;
}

static p2p_status
read_trits(const uint8_t **at, const uint8_t *end, size_t n, int shortened, uint32_t *symbol)
{
    size_t bytes = p2pi_trit_bytes(n);
    const uint8_t *head;
    uint64_t count = bytes;

    if (shortened && !p2pi_varint_read(at, end, bytes, &count))
        return refuse("the number of trit bytes is malformed");
    if (count > (uint64_t)(end - *at))
        return refuse("trits are cut short");
    head = *at;
    *at += count;
    if (shortened ? p2pi_trits_length(head, (size_t)count, bytes) != bytes ||
                        !p2pi_trits_expand(head, (size_t)count, n, symbol)
                  : !p2pi_trits_unpack(head, n, symbol))
        return refuse("bytes that are not the trits of the message's values");
    return P2P_OK;
}

static p2p_status
read_mode(const uint8_t **at, const uint8_t *end, size_t n, uint32_t largest, uint32_t *symbol)
{
    unsigned mode, parameter = 0;

    if (*at == end)
        return refuse("missing");
    mode = *(*at)++;
    switch (mode + P2PI_CODE_MODE) {
    case P2PI_CODE_FIXED:
    case P2PI_CODE_RICE:
        if (*at == end || (parameter = *(*at)++) > 32)
            return refuse("the parameter is missing or above 32");
        return mode + P2PI_CODE_MODE == P2PI_CODE_FIXED
                   ? read_fixed(at, end, n, parameter, symbol)
                   : read_integers(at, end, n, P2PI_CODE_RICE, parameter, largest, symbol);
    case P2PI_CODE_GAMMA:
        return read_integers(at, end, n, P2PI_CODE_GAMMA, 0, largest, symbol);
    case P2PI_CODE_DELTA:
        return read_integers(at, end, n, P2PI_CODE_DELTA, 0, largest, symbol);
    case P2PI_CODE_HUFFMAN:
        return read_huffman(at, end, n, symbol);
    case P2PI_CODE_RANGE:
        return read_range(at, end, n, symbol);
    case P2PI_CODE_TRIT:
        return read_trits(at, end, n, 0, symbol);
    case P2PI_CODE_TRITZ:
        return read_trits(at, end, n, 1, symbol);
    case P2PI_CODE_GENNORM:
        return p2pi_law_read(at, end, n, symbol);
    default:
        return p2p_fail(P2P_EPROTO, "value section: mode %u: expected 1 to 8, or 10", mode);
    }
}

static p2p_status
check_largest(const uint32_t *symbol, size_t n, uint32_t largest)
{
    uint32_t found = p2pi_largest_symbol(symbol, n);

    return found <= largest ? P2P_OK
                            : p2p_fail(P2P_EPROTO, "value section: symbol %u: expected 0 to %u", found, largest);
}

p2p_status
p2pi_value_read(const uint8_t **at, const uint8_t *end, size_t n, uint32_t largest, uint32_t *symbol)
{
    p2p_status st = read_mode(at, end, n, largest, symbol);

    return st != P2P_OK ? st : check_largest(symbol, n, largest);
}

p2p_status
p2pi_value_fields(const uint8_t **at, const uint8_t *end, size_t n, uint32_t largest, int trusted,
                  p2pi_fields *fields)
{
    enum { WIDEST = 16, PART = 1024 };
    const uint8_t *stream = *at + P2PI_FIELDS_HEAD;
    uint32_t symbol[PART];
    p2p_status st;

    fields->stream = NULL;
    if (end - *at < P2PI_FIELDS_HEAD || (*at)[0] + P2PI_CODE_MODE != P2PI_CODE_FIXED || (*at)[1] > WIDEST)
        return P2P_OK;
    if ((st = read_fields(&stream, end, n, (*at)[1], fields)) != P2P_OK)
        return st;
    *at = stream;
    if (trusted || (UINT32_C(1) << fields->width) - 1 <= largest)
        return P2P_OK;
    for (size_t from = 0; from < n && st == P2P_OK; from += PART) {
        size_t part = n - from < PART ? n - from : PART;

        p2pi_fields_symbols(fields, from, part, symbol);
        st = check_largest(symbol, part, largest);
    }
    return st;
}
