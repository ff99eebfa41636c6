/* Subsets are the tail of the stream's permutation, dithers are the words that the rules name. */
#include "runner.h"

#include "compress/compress_draws.h"

#include <stdlib.h>

static int
ascending(const void *a, const void *b)
{
    size_t x = *(const size_t *)a, y = *(const size_t *)b;

    return (x > y) - (x < y);
}

START_TEST(subsets_are_tails_of_permutations)
{
    static const size_t dims[] = { 1, 2, 63, 64, 65, 500 };
    size_t dim = dims[_i], permutation[500];
    uint32_t index[500];
    p2pi_arena *arena;
    p2pi_subset subset;

    ck_ok(p2pi_arena_new(&arena));
    ck_ok(p2pi_subset_open(&subset, dim, dim, arena));
    /* Each draw must leave the tables as it found them. */
    for (uint32_t round = 0; round < 20; round++)
        for (size_t k = 1; k <= dim; k += 1 + dim / 7) {
            p2p_env env = { 9, 4, round, 2, 1 };
            p2p_random a = p2pi_draw(&env, 1), b = p2p_random_open(9, 4, round, 2 + 16 + 512);

            p2p_random_permutation(&b, dim, permutation);
            qsort(permutation + dim - k, k, sizeof *permutation, ascending);
            p2pi_subset_draw(&subset, &a, k, index);
            for (size_t j = 0; j < k; j++)
                ck_assert_uint_eq(index[j], permutation[dim - k + j]);
        }
    p2pi_arena_destroy(&arena);
}
END_TEST

START_TEST(dithers_take_parts_of_words)
{
    static const unsigned widths[] = { 24, 16, 8 };
    unsigned bits = widths[_i];
    size_t a_word = bits == 24 ? 1 : 32 / bits;
    p2p_env env = { 5, 1, 2, 0, 1 };
    p2p_random a = p2pi_draw_shared(&env, 0), b = p2p_random_open(5, P2P_NODE_SHARED, 2, 8);
    uint32_t words[100];
    double u[100];

    p2p_random_words(&b, 100, words);
    /* In two chunks, as long vectors are. */
    p2pi_draw_dithers(&a, bits, (p2p_vec){ u, 60, P2P_F64 });
    p2pi_draw_dithers(&a, bits, (p2p_vec){ u + 60, 39, P2P_F64 });
    for (size_t i = 0; i < 99; i++) {
        uint32_t part = words[i / a_word] >> i % a_word * (bits % 32);

        if (bits == 24)
            ck_assert(u[i] == (words[i] >> 8) * 0x1p-24);
        else
            ck_assert(u[i] == ((part & ((1u << bits) - 1)) + 0.5) / (double)(1u << bits));
    }
}
END_TEST

Suite *
compress_draws_suite(void)
{
    Suite *suite = suite_create("draws");
    TCase *tc = tcase_create("streams");

    tcase_add_loop_test(tc, subsets_are_tails_of_permutations, 0, 6);
    tcase_add_loop_test(tc, dithers_take_parts_of_words, 0, 3);
    suite_add_tcase(suite, tc);
    return suite;
}
