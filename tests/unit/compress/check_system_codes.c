/* fastsgd, hdc, lhc and codes of a law: what their papers promise. */
#include "runner.h"

#include "compress/around/peeling.h"
#include "compress/coding/gap_classes.h"

#include <math.h>
#include <p2popt/compressor.h>
#include <p2popt/random.h>
#include <stdio.h>
#include <stdlib.h>

enum { D = 20000 };

static double x[D], y[D];
static uint8_t bytes[1 << 20];
static const p2p_env env = { 5, 0, 0, 0, 1 };

static void
draw(size_t n, double scale)
{
    p2p_random r = p2p_random_open(5, 0, 0, 0);

    p2p_random_normal(&r, n, x);
    for (size_t i = 0; i < n; i++)
        x[i] *= scale;
}

/* Encode and decode x; returns bits as papers count them. */
static double
pass(const char *spec, size_t n, const p2p_env *e, size_t *len)
{
    const p2p_shape shape = { n, P2P_F64, 1 };
    p2p_compressor *c;
    double bits;

    ck_ok(p2p_compressor_new(&c, spec, &shape));
    ck_assert_uint_le(p2p_compressor_bound(c), sizeof bytes);
    ck_ok(p2p_compressor_encode(c, (p2p_view){ x, n, P2P_F64 }, e, bytes, sizeof bytes, len));
    ck_ok(p2p_compressor_decode(c, e, bytes, *len, (p2p_vec){ y, n, P2P_F64 }));
    bits = p2p_compressor_nominal_bits(c, bytes, *len);
    p2p_compressor_destroy(&c);
    return bits;
}

/* ---- gaps in classes */

/* The fewest bits over every choice of classes up to the longest gap. */
static uint64_t
fewest_bits(const unsigned *length, size_t n, unsigned longest)
{
    uint64_t best = UINT64_MAX;

    for (uint32_t set = 1; set < UINT32_C(1) << longest; set++) {
        const unsigned classes = (unsigned)__builtin_popcount(set), flag = classes > 2 ? 2 : classes - 1;
        uint64_t bits = flag * (uint64_t)n;

        if (classes > P2PI_GAP_CLASSES_MAX || !(set >> (longest - 1) & 1))
            continue;
        for (size_t j = 0; j < n; j++)
            bits += (unsigned)__builtin_ctz(set >> (length[j] - 1)) + length[j];
        best = bits < best ? bits : best;
    }
    return best;
}

START_TEST(gap_classes_are_the_best_there_are)
{
    enum { KEYS = 60, WIDTHS = 9 };
    p2p_random r = p2p_random_open(9, (uint32_t)_i, 0, 0);
    uint32_t index[KEYS], again[KEYS], next = 0;
    unsigned length[KEYS], longest = 1;
    double u[KEYS];
    p2pi_gap_classes classes;
    p2pi_msb_writer w = p2pi_msb_writer_of(bytes);
    p2pi_msb_reader reader;
    const uint8_t *end;

    p2p_random_uniform(&r, KEYS, u);
    for (size_t j = 0; j < KEYS; j++) {
        length[j] = 1 + (unsigned)(u[j] * u[j] * WIDTHS);
        longest = length[j] > longest ? length[j] : longest;
        next += UINT32_C(1) << (length[j] - 1);
        index[j] = next++;
    }
    classes = p2pi_gap_classes_of(index, KEYS);
    ck_assert(p2pi_gap_classes_valid(&classes));
    ck_assert_uint_eq(classes.bits, fewest_bits(length, KEYS, longest));
    p2pi_gap_classes_write(&classes, index, KEYS, &w);
    end = p2pi_msb_end(&w);
    ck_assert_uint_eq((size_t)(end - bytes), (classes.bits + 7) / 8);
    reader = p2pi_msb_reader_of(bytes, end);
    ck_assert(p2pi_gap_classes_read(&classes, &reader, KEYS, next, again) && p2pi_msb_close(&reader, &end));
    ck_assert_mem_eq(index, again, sizeof index);
    /* The last key is the last place there is. */
    reader = p2pi_msb_reader_of(bytes, end);
    ck_assert(!p2pi_gap_classes_read(&classes, &reader, KEYS, next - 1, again));
}
END_TEST

/* ---- fastsgd */

START_TEST(fastsgd_keeps_to_its_bounds)
{
    size_t len, kept = 0;
    double bits;

    draw(D, 0.01);
    for (size_t i = 0; i < D; i += 7)
        x[i] = 0;
    bits = pass("fastsgd:base=1.5,tau=14", D, &env, &len);
    for (size_t i = 0; i < D; i++) {
        kept += y[i] != 0;
        if (y[i] != 0)
            ck_assert_double_le(fabs(y[i] - x[i]), (sqrt(1.5) - 1) * fabs(x[i]) * (1 + 1e-12));
        else
            ck_assert_double_le(fabs(x[i]), pow(1.5, -14.5) * (1 + 1e-12));
    }
    ck_assert_uint_eq(kept, 13305);
    ck_assert_double_eq_tol(bits / (double)kept, 5.51, 0.005);
    /* Streams end at bytes: at most 7 bits more each. */
    ck_assert(8 * (double)len >= bits && 8 * (double)len <= bits + 21);
}
END_TEST

START_TEST(fastsgd_says_more_about_fewer)
{
    double before = INFINITY;

    draw(D, 0.01);
    for (int tau = 16; tau >= 9; tau--) {
        char spec[64];
        size_t len;
        double bits;

        snprintf(spec, sizeof spec, "fastsgd:tau=%d", tau);
        bits = pass(spec, D, &env, &len);
        ck_assert_double_lt(bits, before);
        before = bits;
    }
}
END_TEST

/* ---- hdc */

static double
crosstalk(unsigned ratio, uint32_t nodes)
{
    static double sum[D];
    double error = 0, norm = 0;
    char spec[64];

    snprintf(spec, sizeof spec, "hdc:rows=12,ratio=%u", ratio);
    memset(sum, 0, sizeof sum);
    for (uint32_t node = 0; node < nodes; node++) {
        p2p_env e = { 5, node, node, 0, 1 };
        size_t len;

        pass(spec, 12 * 1500, &e, &len);
        for (size_t i = 0; i < 12 * 1500; i++)
            sum[i] += y[i] / nodes;
    }
    for (size_t i = 0; i < 12 * 1500; i++) {
        error += (sum[i] - x[i]) * (sum[i] - x[i]);
        norm += x[i] * x[i];
    }
    return sqrt(error / norm);
}

START_TEST(hdc_has_the_noise_of_the_other_rows)
{
    static const unsigned ratios[] = { 1, 2, 4, 12 };

    draw(12 * 1500, 1);
    for (size_t i = 0; i < 4; i++)
        ck_assert_double_eq_tol(crosstalk(ratios[i], 1), sqrt(ratios[i] - 1.0), 0.05 * sqrt(ratios[i]));
    ck_assert_double_eq_tol(crosstalk(4, 16), sqrt(3.0 / 16), 0.02);
}
END_TEST

/* ---- peeling */

/* How many of eight random sets of entries can be read from so many cells for each. */
static unsigned
readable_sets(double cells)
{
    enum { ENTRIES = 6000, SPACE = 60000 };
    static uint32_t index[ENTRIES];
    const size_t rows = (size_t)(cells * ENTRIES / P2PI_PEEL_TABLES);
    p2pi_peeling peeling;
    p2pi_arena *arena;
    unsigned readable = 0;

    ck_ok(p2pi_arena_new(&arena));
    ck_ok(p2pi_peeling_open(&peeling, ENTRIES, P2PI_PEEL_TABLES * rows, arena));
    for (uint32_t set = 0; set < 8; set++) {
        p2p_random r = p2p_random_open(set, 0, 0, 0);
        uint32_t word[ENTRIES];

        p2p_random_words(&r, ENTRIES, word);
        for (uint32_t j = 0; j < ENTRIES; j++)
            index[j] = j * (SPACE / ENTRIES) + word[j] % (SPACE / ENTRIES);
        readable += p2pi_peeling_plan(&peeling, (p2pi_peel_tables){ set, rows, 1 }, index, ENTRIES) == 0;
    }
    p2pi_arena_destroy(&arena);
    return readable;
}

START_TEST(entries_are_read_back_above_the_threshold)
{
    ck_assert_uint_eq(readable_sets(1.10), 0);
    ck_assert_uint_eq(readable_sets(1.18), 0);
    ck_assert_uint_eq(readable_sets(1.27), 8);
    ck_assert_uint_eq(readable_sets(1.35), 8);
}
END_TEST

/* A message gets as many cells as it takes, even for two entries that often share all of theirs. */
START_TEST(an_lhc_message_is_what_was_kept)
{
    static double kept[D];
    static const size_t counts[] = { 1, 2, 3, 10, 500 };
    char spec[64];
    size_t len;

    draw(D, 1);
    for (uint32_t seed = 0; seed < 20; seed++) {
        const p2p_env e = { seed, 0, 0, 0, 1 };

        snprintf(spec, sizeof spec, "topk:k=%zu", counts[_i]);
        pass(spec, D, &e, &len);
        memcpy(kept, y, sizeof kept);
        snprintf(spec, sizeof spec, "topk:k=%zu+lhc:arith=int,cells=1", counts[_i]);
        pass(spec, D, &e, &len);
        ck_assert_mem_eq(kept, y, sizeof kept);
    }
}
END_TEST

/* ---- codes of a law */

/* The generalised normal law of beta = 1/2: the root of |x| is the sum of two exponentials. */
static void
draw_spikes(void)
{
    p2p_random r = p2p_random_open(7, 0, 0, 0);
    double u[3];

    for (size_t i = 0; i < D; i++) {
        p2p_random_uniform(&r, 3, u);
        x[i] = pow(log(u[0] + 0x1p-30) + log(u[1] + 0x1p-30), 2) * (u[2] < 0.5 ? -1 : 1);
    }
}

/* Its own fit is nearly as short as a table, others are longer. */
START_TEST(a_fitted_law_is_nearly_as_short_as_a_table)
{
    size_t table, fitted, laplace, normal;

    draw_spikes();
    pass("round:step=2.75,limit=31,code=huffman", D, &(p2p_env){ 5, 0, 0, 0, 1 }, &table);
    pass("round:step=2.75,limit=31,code=gennorm", D, &(p2p_env){ 5, 0, 0, 0, 1 }, &fitted);
    pass("round:step=2.75,limit=31,code=laplace", D, &(p2p_env){ 5, 0, 0, 0, 1 }, &laplace);
    pass("round:step=2.75,limit=31,code=normal", D, &(p2p_env){ 5, 0, 0, 0, 1 }, &normal);
    ck_assert_double_le(8.0 * (double)fitted / D, 8.0 * (double)table / D + 0.03);
    ck_assert_uint_lt(fitted, laplace);
    ck_assert_uint_lt(laplace, normal);
}
END_TEST

/* Of a short vector the table costs more than it saves. */
START_TEST(a_law_needs_no_table)
{
    size_t table, fitted;

    draw(200, 1);
    pass("qinf:bits=6,code=huffman", 200, &env, &table);
    pass("qinf:bits=6,code=gennorm", 200, &env, &fitted);
    ck_assert_uint_lt(fitted, table);
}
END_TEST

Suite *
system_codes_suite(void)
{
    Suite *suite = suite_create("codes of systems");
    TCase *tc = tcase_create("codes");

    tcase_add_loop_test(tc, gap_classes_are_the_best_there_are, 0, 20);
    tcase_add_test(tc, fastsgd_keeps_to_its_bounds);
    tcase_add_test(tc, fastsgd_says_more_about_fewer);
    tcase_add_test(tc, hdc_has_the_noise_of_the_other_rows);
    tcase_add_test(tc, entries_are_read_back_above_the_threshold);
    tcase_add_loop_test(tc, an_lhc_message_is_what_was_kept, 0, 5);
    tcase_add_test(tc, a_fitted_law_is_nearly_as_short_as_a_table);
    tcase_add_test(tc, a_law_needs_no_table);
    suite_add_tcase(suite, tc);
    return suite;
}
