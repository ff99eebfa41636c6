/* Wire formats: every pattern of the short ones, rounding to nearest even and up, what does not fit. */
#include "runner.h"

#include "compress/kernels/reals.h"

#include <math.h>

static const p2pi_real formats[] = { P2PI_REAL_F32, P2PI_REAL_F64, P2PI_REAL_F16, P2PI_REAL_BF16 };

START_TEST(short_patterns_survive)
{
    p2pi_real format = _i ? P2PI_REAL_BF16 : P2PI_REAL_F16;

    for (unsigned pattern = 0; pattern < 65536; pattern++) {
        uint8_t bytes[2] = { (uint8_t)pattern, (uint8_t)(pattern >> 8) }, again[2];
        double v = p2pi_real_load(format, bytes);

        if (isnan(v))
            continue;
        p2pi_real_store(format, v, again);
        ck_assert_msg(again[0] == bytes[0] && again[1] == bytes[1], "pattern %04x, %g", pattern, v);
        ck_assert(p2pi_real_near(format, v) == v);
    }
}
END_TEST

START_TEST(halves_round_to_even)
{
    ck_assert(p2pi_real_near(P2PI_REAL_F16, 1 + 0x1p-11) == 1);
    ck_assert(p2pi_real_near(P2PI_REAL_F16, 1 + 3 * 0x1p-11) == 1 + 0x1p-9);
    ck_assert(p2pi_real_near(P2PI_REAL_F16, 1 + 0x1.01p-11) == 1 + 0x1p-10);
    ck_assert(p2pi_real_near(P2PI_REAL_F16, 65519) == 65504);
    ck_assert(isinf(p2pi_real_near(P2PI_REAL_F16, 65520)));
    ck_assert(p2pi_real_near(P2PI_REAL_F16, 0x1p-25) == 0);
    ck_assert(p2pi_real_near(P2PI_REAL_F16, 0x1.8p-24) == 0x1p-23);
    ck_assert(p2pi_real_near(P2PI_REAL_F16, -0x1.8p-24) == -0x1p-23);
    ck_assert(p2pi_real_near(P2PI_REAL_BF16, 1 + 0x1p-8) == 1);
    ck_assert(p2pi_real_near(P2PI_REAL_BF16, 1 + 3 * 0x1p-8) == 1 + 0x1p-6);
    ck_assert(isinf(p2pi_real_near(P2PI_REAL_BF16, 3.4e38)));
    ck_assert(isinf(p2pi_real_near(P2PI_REAL_BF16, 1e300)));
    ck_assert(isinf(p2pi_real_near(P2PI_REAL_F32, 1e39)));
}
END_TEST

START_TEST(rounding_up_is_the_next_number)
{
    p2pi_real format = formats[_i];

    for (double v = 1e-4; v < 1e4; v *= 1.37) {
        double up = p2pi_real_up(format, v), near = p2pi_real_near(format, v);

        ck_assert(up >= v && up - v <= 2 * p2pi_real_unit(format) * v);
        ck_assert(near == up || near < v);
        ck_assert(p2pi_real_up(format, up) == up);
    }
    ck_assert(p2pi_real_up(format, 0) == 0);
    ck_assert(isinf(p2pi_real_up(P2PI_REAL_F16, 65505)));
}
END_TEST

START_TEST(entries_that_do_not_fit_are_found)
{
    double x[4] = { 1, -2, 1e300, 3 };
    float f[4];
    uint8_t bytes[32];
    p2p_view view = { x, 4, P2P_F64 };
    p2p_vec y = { f, 4, P2P_F32 };

    ck_assert_uint_eq(p2pi_reals_store(P2PI_REAL_F32, view, bytes), 2);
    ck_assert_uint_eq(p2pi_reals_store(P2PI_REAL_F64, view, bytes), 4);
    ck_assert_uint_eq(p2pi_reals_first_bad(P2PI_REAL_F64, bytes, 4, P2P_F64), 4);
    ck_assert_uint_eq(p2pi_reals_first_bad(P2PI_REAL_F64, bytes, 4, P2P_F32), 2);
    p2pi_reals_load(P2PI_REAL_F64, bytes, y);
    ck_assert(f[1] == -2 && isinf(f[2]));
    x[3] = NAN;
    p2pi_reals_store(P2PI_REAL_F64, view, bytes);
    ck_assert_uint_eq(p2pi_reals_first_bad(P2PI_REAL_F64, bytes, 4, P2P_F64), 3);
}
END_TEST

Suite *
reals_suite(void)
{
    Suite *suite = suite_create("reals");
    TCase *tc = tcase_create("formats");

    tcase_add_loop_test(tc, short_patterns_survive, 0, 2);
    tcase_add_test(tc, halves_round_to_even);
    tcase_add_loop_test(tc, rounding_up_is_the_next_number, 0, 4);
    tcase_add_test(tc, entries_that_do_not_fit_are_found);
    suite_add_tcase(suite, tc);
    return suite;
}
