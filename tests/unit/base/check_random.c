/* Philox streams against Random123's known answers and against each other. */
#include "runner.h"

#include <p2popt/random.h>

START_TEST(known_answers_of_random123)
{
    static const struct {
        uint64_t seed;
        uint32_t node, round, stream, first, words[4];
    } known[] = {
        { 0, 0, 0, 0, 0, { 0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8 } },
        { UINT64_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX, { 0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd } },
        { UINT64_C(0x299f31d0a4093822), 0x03707344, 0x13198a2e, 0x85a308d3, 0x243f6a88,
          { 0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1 } },
    };
    uint32_t words[4];
    p2p_random r = p2p_random_open(known[_i].seed, known[_i].node, known[_i].round, known[_i].stream);

    r.next = 4 * (uint64_t)known[_i].first;
    p2p_random_words(&r, 4, words);
    ck_assert_mem_eq(words, known[_i].words, sizeof words);
}
END_TEST

START_TEST(pieces_equal_the_whole)
{
    uint32_t whole[1000], pieces[1000];
    p2p_random r = p2p_random_open(7, 1, 2, 3), s = r;
    size_t at = 0, n;

    p2p_random_words(&r, 1000, whole);
    for (n = 1; at < 1000; at += n, n = n % 13 + 1)
        p2p_random_words(&s, at + n > 1000 ? 1000 - at : n, pieces + at);
    ck_assert_mem_eq(whole, pieces, sizeof whole);
}
END_TEST

START_TEST(uniforms_are_exact_in_float)
{
    double u[501];
    float f[501];
    p2p_random r = p2p_random_open(7, 1, 2, 3), s = r;

    p2p_random_uniform(&r, 501, u);
    p2p_random_uniformf(&s, 501, f);
    for (size_t i = 0; i < 501; i++) {
        ck_assert(u[i] == (double)f[i]);
        ck_assert(u[i] >= 0 && u[i] < 1);
    }
}
END_TEST

START_TEST(an_odd_count_of_normals_discards_one)
{
    double five[5], six[6];
    p2p_random r = p2p_random_open(7, 1, 2, 3), s = r;

    p2p_random_normal(&r, 5, five);
    p2p_random_normal(&s, 6, six);
    ck_assert_mem_eq(five, six, sizeof five);
    ck_assert_uint_eq(r.next, s.next);
}
END_TEST

START_TEST(a_permutation_has_every_index_once)
{
    size_t p[100], seen[100] = { 0 };
    p2p_random r = p2p_random_open(1, 0, 0, 0);

    p2p_random_permutation(&r, 100, p);
    for (size_t i = 0; i < 100; i++)
        seen[p[i]]++;
    for (size_t i = 0; i < 100; i++)
        ck_assert_uint_eq(seen[i], 1);
    ck_assert_uint_eq(r.next, 99);
}
END_TEST

Suite *
random_suite(void)
{
    Suite *suite = suite_create("random");
    TCase *tc = tcase_create("philox");

    tcase_add_loop_test(tc, known_answers_of_random123, 0, 3);
    tcase_add_test(tc, pieces_equal_the_whole);
    tcase_add_test(tc, uniforms_are_exact_in_float);
    tcase_add_test(tc, an_odd_count_of_normals_discards_one);
    tcase_add_test(tc, a_permutation_has_every_index_once);
    suite_add_tcase(suite, tc);
    return suite;
}
