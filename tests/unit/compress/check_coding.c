/* The lossless stage on random lists: what is written is read back, has the promised size, and is refused when cut.
 */
#include "runner.h"

#include "compress/coding/index_section.h"
#include "compress/coding/integer_codes.h"
#include "compress/coding/range_coder.h"
#include "compress/coding/trits.h"
#include "compress/coding/value_section.h"
#include "compress/coding/varint.h"

#include <p2popt/random.h>
#include <stdlib.h>

enum { MOST = 3000, BYTES = 1 << 16, LISTS = 60 };

static uint8_t bytes[BYTES];
static uint32_t list[MOST], back[MOST];

static uint32_t
draw(p2p_random *r, uint32_t below)
{
    double u;

    p2p_random_uniform(r, 1, &u);
    return (uint32_t)(u * below);
}

/* ---- bits and integers */

START_TEST(bit_widths_up_to_56)
{
    p2p_random r = p2p_random_open(1, 0, 0, 0);
    p2pi_bit_writer w = p2pi_bit_writer_of(bytes);
    uint64_t value[57];
    p2pi_bit_reader reader;
    const uint8_t *next;

    for (unsigned width = 0; width <= 56; width++) {
        value[width] = ((uint64_t)draw(&r, UINT32_MAX) << 32 | draw(&r, UINT32_MAX)) & ((UINT64_C(1) << width) - 1);
        p2pi_put_bits(&w, value[width], width);
    }
    reader = p2pi_bit_reader_of(bytes, (size_t)(p2pi_bits_end(&w) - bytes));
    for (unsigned width = 0; width <= 56; width++)
        ck_assert_uint_eq(p2pi_get_bits(&reader, width), value[width]);
    ck_assert(p2pi_bits_close(&reader, &next) && next == w.at);
}
END_TEST

START_TEST(padding_and_missing_bits_are_seen)
{
    const uint8_t dirty[] = { 0xFF }, clean[] = { 0x07 };
    p2pi_bit_reader r = p2pi_bit_reader_of(dirty, 1);
    const uint8_t *next;

    p2pi_get_bits(&r, 3);
    ck_assert(!p2pi_bits_close(&r, &next));
    r = p2pi_bit_reader_of(clean, 1);
    p2pi_get_bits(&r, 3);
    ck_assert(p2pi_bits_close(&r, &next));
    r = p2pi_bit_reader_of(clean, 1);
    p2pi_get_bits(&r, 9);
    ck_assert(!p2pi_bits_close(&r, &next));
}
END_TEST

START_TEST(integer_codes_read_back)
{
    static const uint64_t values[] = {
        1, 2, 3, 4, 255, 256, 65535, UINT64_C(1) << 31, UINT32_MAX, UINT64_C(1) << 32
    };
    size_t n = sizeof values / sizeof *values;
    p2pi_bit_writer w = p2pi_bit_writer_of(bytes);
    p2pi_bit_reader r;
    uint64_t bits = 0;

    for (size_t i = 0; i < n; i++) {
        p2pi_put_gamma(&w, values[i]);
        p2pi_put_delta(&w, values[i]);
        p2pi_put_rice(&w, values[i], 30);
        bits += p2pi_gamma_bits(values[i]) + p2pi_delta_bits(values[i]) + (values[i] >> 30) + 31;
    }
    ck_assert_uint_eq((uint64_t)(w.at - bytes) * 8 + w.fill, bits);
    r = p2pi_bit_reader_of(bytes, (size_t)(p2pi_bits_end(&w) - bytes));
    for (size_t i = 0; i < n; i++) {
        ck_assert_uint_eq(p2pi_get_gamma(&r, 32), values[i]);
        ck_assert_uint_eq(p2pi_get_delta(&r), values[i]);
        ck_assert_uint_eq(p2pi_get_rice(&r, 30, UINT64_C(1) << 32), values[i]);
    }
}
END_TEST

START_TEST(codes_beyond_their_limits_are_refused)
{
    const uint8_t zeros[16] = { 0 };
    p2pi_bit_writer w = p2pi_bit_writer_of(bytes);
    p2pi_bit_reader r = p2pi_bit_reader_of(zeros, sizeof zeros);

    ck_assert(p2pi_get_gamma(&r, 32) == P2PI_BAD_CODE);
    r = p2pi_bit_reader_of(zeros, sizeof zeros);
    ck_assert(p2pi_get_delta(&r) == P2PI_BAD_CODE);
    r = p2pi_bit_reader_of(zeros, 0);
    ck_assert(p2pi_get_rice(&r, 0, 1000) == P2PI_BAD_CODE);
    p2pi_put_rice(&w, 101, 0);
    p2pi_bits_end(&w);
    r = p2pi_bit_reader_of(bytes, 13);
    ck_assert(p2pi_get_rice(&r, 0, 100) == P2PI_BAD_CODE);
    r = p2pi_bit_reader_of(bytes, 13);
    ck_assert(p2pi_get_rice(&r, 0, 101) == 101);
    /* gamma(34) in front of 33 low bits: a delta code of a 34-bit number. */
    w = p2pi_bit_writer_of(bytes);
    p2pi_put_gamma(&w, 34);
    p2pi_put_bits(&w, 0, 33);
    p2pi_bits_end(&w);
    r = p2pi_bit_reader_of(bytes, 8);
    ck_assert(p2pi_get_delta(&r) == P2PI_BAD_CODE);
}
END_TEST

START_TEST(varints_are_shortest)
{
    static const uint64_t values[] = { 0, 127, 128, 16383, 16384, UINT32_MAX };
    static const uint8_t long_zero[] = { 0x80, 0x00 }, endless[] = { 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01 };
    const uint8_t *at;
    uint64_t v;

    for (size_t i = 0; i < 6; i++) {
        size_t len = (size_t)(p2pi_varint_write(bytes, values[i]) - bytes);

        ck_assert_uint_eq(len, p2pi_varint_bytes(values[i]));
        at = bytes;
        ck_assert(p2pi_varint_read(&at, bytes + len, UINT32_MAX, &v) && v == values[i] && at == bytes + len);
        at = bytes;
        ck_assert(!p2pi_varint_read(&at, bytes + len - 1, UINT32_MAX, &v));
        at = bytes;
        ck_assert(values[i] == 0 || !p2pi_varint_read(&at, bytes + len, values[i] - 1, &v));
    }
    at = long_zero;
    ck_assert(!p2pi_varint_read(&at, long_zero + 2, 1000, &v));
    at = endless;
    ck_assert(!p2pi_varint_read(&at, endless + 6, UINT64_MAX, &v));
}
END_TEST

/* ---- sections */

START_TEST(index_sections_read_back)
{
    p2p_random r = p2p_random_open(7, (uint32_t)_i, 0, 0);
    size_t d = 1 + draw(&r, MOST - 1), k = 0;
    uint32_t keep = 1 + draw(&r, 100), of = keep + draw(&r, 900);

    for (uint32_t i = 0; i < d; i++)
        if (draw(&r, of) < keep)
            list[k++] = i;
    if (k == 0)
        list[k++] = (uint32_t)d - 1;
    for (p2pi_index_mode mode = P2PI_INDEX_ALL; mode <= P2PI_INDEX_AUTO; mode++) {
        p2pi_index_code code;
        const uint8_t *at = bytes, *end;

        if (mode == P2PI_INDEX_ALL && k < d)
            continue;
        code = p2pi_index_choose(list, k, d, mode);
        memset(bytes, 0xEE, sizeof bytes);
        end = p2pi_index_write(bytes, list, k, d, &code);
        ck_assert_uint_eq((size_t)(end - bytes), p2pi_index_bytes(&code));
        ck_assert_uint_le((size_t)(end - bytes), p2pi_index_bound(k, d, mode));
        ck_ok(p2pi_index_read(&at, end, k, d, back));
        ck_assert(at == end);
        ck_assert_mem_eq(list, back, k * sizeof *list);
        for (const uint8_t *cut = bytes; cut < end; cut++) {
            at = bytes;
            ck_assert(p2pi_index_read(&at, cut, k, d, back) == P2P_EPROTO);
        }
    }
}
END_TEST

/* Geometric symbols, from nearly all zero to wide. */
static size_t
draw_symbols(uint32_t seed, uint32_t limit)
{
    static const double means[] = { 0.05, 0.5, 2, 10, 300, 30000 };
    p2p_random r = p2p_random_open(8, seed, 0, 0);
    size_t n = 1 + draw(&r, MOST - 1);
    double u;

    for (size_t i = 0; i < n; i++) {
        p2p_random_uniform(&r, 1, &u);
        list[i] = (uint32_t)(-log(1 - u) * means[seed % 6]);
        list[i] = list[i] < limit ? list[i] : limit - 1;
    }
    return n;
}

static void
check_values(size_t n, p2pi_code mode)
{
    p2pi_symbol_counts counts;
    p2pi_value_code code;
    const uint8_t *at = bytes, *end;

    p2pi_symbols_count(&counts, list, n, mode);
    p2pi_value_choose(&code, &counts, list, mode);
    memset(bytes, 0xEE, sizeof bytes);
    end = p2pi_value_write(bytes, &counts, list, &code);
    if (mode < P2PI_CODE_TRIT)
        ck_assert_uint_eq((size_t)(end - bytes), code.bytes);
    ck_assert_uint_le((size_t)(end - bytes), p2pi_value_bound(n, counts.largest, mode));
    ck_ok(p2pi_value_read(&at, end, n, UINT32_MAX, back));
    ck_assert(at == end);
    ck_assert_mem_eq(list, back, n * sizeof *list);
    for (const uint8_t *cut = bytes; cut < end; cut += 1 + (end - bytes) / 50) {
        at = bytes;
        ck_assert(p2pi_value_read(&at, cut, n, UINT32_MAX, back) == P2P_EPROTO);
    }
}

START_TEST(value_sections_read_back)
{
    size_t n = draw_symbols((uint32_t)_i, UINT32_MAX);
    p2pi_symbol_counts counts;

    p2pi_symbols_count(&counts, list, n, P2PI_CODE_BEST);
    for (p2pi_code mode = P2PI_CODE_AUTO; mode <= P2PI_CODE_RANGE; mode++)
        if (mode < P2PI_CODE_HUFFMAN || counts.counted)
            check_values(n, mode);
    n = draw_symbols((uint32_t)_i, 3);
    check_values(n, P2PI_CODE_TRIT);
    check_values(n, P2PI_CODE_TRITZ);
}
END_TEST

START_TEST(the_choice_is_the_shortest)
{
    size_t n = draw_symbols((uint32_t)_i, P2PI_ALPHABET), least = SIZE_MAX;
    p2pi_symbol_counts counts;
    p2pi_value_code code;

    p2pi_symbols_count(&counts, list, n, P2PI_CODE_BEST);
    for (p2pi_code mode = P2PI_CODE_FIXED; mode <= P2PI_CODE_RANGE; mode++) {
        p2pi_value_choose(&code, &counts, list, mode);
        least = code.bytes < least ? code.bytes : least;
    }
    p2pi_value_choose(&code, &counts, list, P2PI_CODE_BEST);
    ck_assert_uint_eq(code.bytes, least);
}
END_TEST

START_TEST(huffman_lengths_stop_at_15)
{
    uint32_t count[40];
    uint8_t length[40];
    uint64_t space = 0;

    /* Fibonacci counts make the deepest trees. */
    for (size_t s = 0; s < 40; s++)
        count[s] = s < 2 ? 1 : count[s - 1] + count[s - 2];
    p2pi_huffman_lengths(count, 40, length);
    for (size_t s = 0; s < 40; s++) {
        ck_assert(length[s] >= 1 && length[s] <= P2PI_HUFFMAN_LONGEST);
        space += UINT64_C(1) << (P2PI_HUFFMAN_LONGEST - length[s]);
    }
    ck_assert_uint_eq(space, UINT64_C(1) << P2PI_HUFFMAN_LONGEST);
}
END_TEST

START_TEST(incomplete_huffman_codes_are_refused)
{
    static const uint8_t bad[][4] = {
        { 0, 0, 0, 0 }, { 2, 2, 2, 0 }, { 2, 2, 2, 3 }, { 1, 1, 1, 1 }, { 0, 0, 0, 2 }
    };
    static const uint8_t good[][4] = { { 2, 2, 2, 2 }, { 1, 2, 3, 3 }, { 0, 0, 0, 1 }, { 0, 0, 1, 1 } };
    p2pi_huffman_decoder *d = malloc(sizeof *d);

    for (size_t i = 0; i < 5; i++)
        ck_assert_msg(!p2pi_huffman_decoder_fill(d, bad[i], 4), "lengths %zu", i);
    for (size_t i = 0; i < 4; i++)
        ck_assert_msg(p2pi_huffman_decoder_fill(d, good[i], 4), "lengths %zu", i);
    free(d);
}
END_TEST

START_TEST(tables_that_lie_are_refused)
{
    /* mode, then bytes that look like the start of a section of 4 symbols */
    static const struct {
        const char *bytes;
        size_t len;
        const char *why;
    } bad[] = {
        { "\x00", 1, "mode 0" },
        { "\x09", 1, "mode 9" },
        { "\x01", 1, "parameter" },
        { "\x01\x21\0\0\0\0", 6, "parameter" },
        { "\x04\x21\0\0\0\0", 6, "parameter" },
        { "\x01\x01\xFF", 3, "padding" },
        { "\x02\x00", 2, "no code" },
        { "\x02", 1, "cut short" },
        { "\x02\x00\x00\x00\x00\x00\x00\x00\x00", 9, "no code" },
        { "\x05\x00", 2, "complete code" },
        { "\x05\x82\x08", 3, "malformed" },
        { "\x05\x02\x21\x00", 4, "complete code" },
        { "\x06\x01\x00\x10\x00", 5, "words are cut short" },
        { "\x06\x01\xFF\x0F\x00\x00\x00\x01\x00", 9, "add up" },
        { "\x06\x01\x00\x10\x00\x00\x00\x00\x00", 9, "do not end" },
        { "\x06\x01\x00\x10\x01\x00\x00\x01\x00\x00\x00", 11, "do not end" },
        { "\x07\xF3", 2, "not the trits" },
        { "\x07", 1, "cut short" },
        { "\x08\x01\xFF", 3, "not the trits" },
        { "\x08\x02\x79\x79", 4, "malformed" },
        { "\x07\x00", 2, "not the trits" },
    };
    const uint8_t *at = (const uint8_t *)bad[_i].bytes;

    ck_fails(p2pi_value_read(&at, at + bad[_i].len, 4, UINT32_MAX, back), P2P_EPROTO, bad[_i].why);
}
END_TEST

START_TEST(runs_of_trits_are_shortened)
{
    uint8_t packed[] = { 121, 121, 5, 121, 121, 121, 121, 121, 121, 121, 121, 121, 121, 121, 121, 121, 121, 121, 9 };
    static const uint8_t wanted[] = { 243, 5, 255, 121, 9 };

    ck_assert_uint_eq(p2pi_trits_shorten(packed, 19), 5);
    ck_assert_mem_eq(packed, wanted, 5);
    ck_assert_uint_eq(p2pi_trits_length(packed, 5, 100), 19);
    ck_assert_uint_gt(p2pi_trits_length(packed, 5, 10), 10);
}
END_TEST

Suite *
coding_suite(void)
{
    Suite *suite = suite_create("coding");
    TCase *tc = tcase_create("bits");

    tcase_add_test(tc, bit_widths_up_to_56);
    tcase_add_test(tc, padding_and_missing_bits_are_seen);
    tcase_add_test(tc, integer_codes_read_back);
    tcase_add_test(tc, codes_beyond_their_limits_are_refused);
    tcase_add_test(tc, varints_are_shortest);
    suite_add_tcase(suite, tc);
    tc = tcase_create("sections");
    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(tc, index_sections_read_back, 0, LISTS);
    tcase_add_loop_test(tc, value_sections_read_back, 0, LISTS);
    tcase_add_loop_test(tc, the_choice_is_the_shortest, 0, LISTS);
    tcase_add_test(tc, huffman_lengths_stop_at_15);
    tcase_add_test(tc, incomplete_huffman_codes_are_refused);
    tcase_add_loop_test(tc, tables_that_lie_are_refused, 0, 21);
    tcase_add_test(tc, runs_of_trits_are_shortened);
    suite_add_tcase(suite, tc);
    return suite;
}
