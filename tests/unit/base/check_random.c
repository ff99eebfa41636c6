/* Philox streams against Random123's known answers and against each other. */
#include "base/philox.h"
#include "runner.h"

#include <math.h>
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

/* The kernel of this test's loop, in use until the end of the test's process; NULL if it does not run here. */
static const p2pi_philox_kernel *
use_kernel(int index)
{
    const p2pi_philox_kernel *kernel = &p2pi_philox_kernels[index];

    if (!kernel->runs_here())
        return NULL;
    p2pi_philox_use(kernel);
    return kernel;
}

static int
kernel_count(void)
{
    int count = 0;

    while (p2pi_philox_kernels[count].name != NULL)
        count++;
    return count;
}

START_TEST(kernels_are_equal)
{
    enum { BLOCKS = 300 };
    static const uint64_t starts[] = { 0, 1, 12345, UINT32_MAX - 100, (UINT64_C(1) << 32) - 1 };
    const p2pi_philox_kernel *kernel = use_kernel(_i);
    uint32_t plain[4 * BLOCKS], fast[4 * BLOCKS + 1];
    p2p_random r = p2p_random_open(UINT64_C(0xFEDCBA9876543210), 11, 22, 33);

    for (size_t s = 0; kernel != NULL && s < sizeof starts / sizeof *starts; s++) {
        p2pi_philox_kernels[0].blocks(&r, starts[s], BLOCKS, plain);
        for (size_t count = 0; count <= BLOCKS; count++) {
            fast[4 * count] = 0xA5A5A5A5;
            kernel->blocks(&r, starts[s], count, fast);
            ck_assert_mem_eq(fast, plain, 4 * count * sizeof *fast);
            ck_assert_uint_eq(fast[4 * count], 0xA5A5A5A5);
        }
    }
}
END_TEST

START_TEST(words_start_anywhere)
{
    enum { COUNT = 1000 };
    uint32_t whole[COUNT], part[COUNT];
    p2p_random r = p2p_random_open(7, 1, 2, 3), s;

    p2pi_philox_kernels[0].blocks(&r, 0, COUNT / 4, whole);
    for (size_t start = 0; use_kernel(_i) != NULL && start < 9; start++)
        for (size_t count = 0; count < COUNT - start; count += count < 40 ? 1 : 61) {
            s = r;
            s.next = start;
            p2p_random_words(&s, count, part);
            ck_assert_mem_eq(part, whole + start, count * sizeof *part);
            ck_assert_uint_eq(s.next, start + count);
        }
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
    enum { COUNT = 2001 };
    double u[COUNT];
    float f[COUNT];
    uint32_t words[COUNT];
    p2p_random r = p2p_random_open(7, 1, 2, 3), s = r, t = r;

    p2p_random_words(&t, COUNT, words);
    p2p_random_uniform(&r, COUNT, u);
    p2p_random_uniformf(&s, COUNT, f);
    for (size_t i = 0; i < COUNT; i++) {
        ck_assert(u[i] == (words[i] >> 8) / 16777216.0);
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

START_TEST(normals_follow_the_uniforms)
{
    enum { COUNT = 2000 };
    static double z[COUNT], u[COUNT];
    p2p_random r = p2p_random_open(7, 1, 2, 3), s = r;

    p2p_random_normal(&r, COUNT, z);
    p2p_random_uniform(&s, COUNT, u);
    for (size_t i = 0; i < COUNT; i += 2) {
        double radius = sqrt(-2.0 * log(1.0 - u[i])), angle = 2.0 * M_PI * u[i + 1];

        ck_assert(z[i] == radius * cos(angle) && z[i + 1] == radius * sin(angle));
    }
}
END_TEST

START_TEST(a_permutation_is_fisher_and_yates)
{
    static const size_t counts[] = { 1, 2, 100, 768, 769, 770, 2000 };
    size_t count = counts[_i], p[2000], expected[2000];
    double u[2000];
    p2p_random r = p2p_random_open(1, 0, 0, 0), s = r;

    p2p_random_permutation(&r, count, p);
    p2p_random_uniform(&s, count > 1 ? count - 1 : 1, u);
    for (size_t i = 0; i < count; i++)
        expected[i] = i;
    for (size_t i = count - 1, drawn = 0; i > 0; i--, drawn++) {
        size_t j = (size_t)(u[drawn] * (double)(i + 1)), kept = expected[i];

        expected[i] = expected[j];
        expected[j] = kept;
    }
    ck_assert_mem_eq(p, expected, count * sizeof *p);
    ck_assert_uint_eq(r.next, s.next);
}
END_TEST

Suite *
random_suite(void)
{
    Suite *suite = suite_create("random");
    TCase *tc = tcase_create("philox");

    tcase_add_loop_test(tc, known_answers_of_random123, 0, 3);
    tcase_add_loop_test(tc, kernels_are_equal, 0, kernel_count());
    tcase_add_loop_test(tc, words_start_anywhere, 0, kernel_count());
    tcase_add_test(tc, pieces_equal_the_whole);
    tcase_add_test(tc, uniforms_are_exact_in_float);
    tcase_add_test(tc, an_odd_count_of_normals_discards_one);
    tcase_add_test(tc, normals_follow_the_uniforms);
    tcase_add_loop_test(tc, a_permutation_is_fisher_and_yates, 0, 7);
    suite_add_tcase(suite, tc);
    return suite;
}
