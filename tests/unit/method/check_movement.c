/* The residual and the divergence guard on movements that are known. */
#include "method/movement.h"
#include "runner.h"

#include <p2popt/random.h>

#include <math.h>
#include <stdlib.h>

static p2pi_movement p;
static double before[4], x[4];

static p2p_view
at(void)
{
    return (p2p_view){ x, 4, P2P_F64 };
}

static void
start(double scale)
{
    memset(x, 0, sizeof x);
    p2pi_movement_start(&p, (p2p_vec){ before, 4, P2P_F64 }, scale, 1);
}

static p2p_status
move(uint32_t round, double by)
{
    p2pi_movement_begin(&p, round, at());
    x[round % 4] += by;
    return p2pi_movement_end(&p, at());
}

/* f = h/2 x^2, gradient steps: m = step h |x|, rho = 1 - step h, f(x) = h/2 x^2. */
START_TEST(a_quadratic_is_told_from_its_movement)
{
    const double h = 2, step = 0.05;
    double distance = 3;
    uint32_t k;

    start(1);
    for (k = 0; k < 32; k++) {
        ck_assert_double_nan(p2pi_movement_residual(&p, step));
        ck_ok(move(k, step * h * distance));
        distance *= 1 - step * h;
    }
    for (; k < 60; k++) {
        double gap = 0.5 * h * distance * distance, residual = p2pi_movement_residual(&p, step);

        /* twice the gap of a quadratic; m is the largest of the last eight, up to (1 - step h)^-8 = 2.3 of the latest
         */
        ck_assert_double_ge(residual, 2 * gap);
        ck_assert_double_le(residual, 12 * gap);
        ck_ok(move(k, step * h * distance));
        distance *= 1 - step * h;
    }
}
END_TEST

START_TEST(a_dip_does_not_lower_it)
{
    double usual;

    start(1);
    for (uint32_t k = 0; k < 40; k++)
        ck_ok(move(k, 1e-3 * pow(0.9, k)));
    usual = p2pi_movement_residual(&p, 1);
    ck_ok(move(40, 1e-12));
    ck_ok(move(41, 0));
    ck_assert_double_ge(p2pi_movement_residual(&p, 1), 0.5 * usual);
}
END_TEST

START_TEST(movement_that_does_not_shrink_is_far_from_the_end)
{
    start(1);
    for (uint32_t k = 0; k < 40; k++)
        ck_ok(move(k, 1e-6));
    ck_assert_double_eq_tol(p2pi_movement_residual(&p, 0.5), (1e-6 / 0.5) * (1e-6 * 1e6), 1e-12);
    ck_assert_double_eq_tol(p2pi_movement_residual(&p, 0), 1, 1e-9);
}
END_TEST

/* A rate of 5e-4 under noise of 30 %: no window of a fixed 32 rounds could tell it. */
START_TEST(slow_rates_are_seen_through_noise)
{
    const double h = 0.01, step = 0.05;
    p2p_random random = p2p_random_open(3, 0, 0, P2P_STREAM_METHOD);
    double distance = 1;

    start(1);
    for (uint32_t k = 0; k < 20000; k++) {
        double gap = 0.5 * h * distance * distance, noise;

        if (k > 1000) {
            ck_assert_double_ge(p2pi_movement_residual(&p, step), gap);
            ck_assert_double_le(p2pi_movement_residual(&p, step), 40 * gap);
        }
        p2p_random_normal(&random, 1, &noise);
        ck_ok(move(k, step * h * distance * exp(0.3 * noise)));
        distance *= 1 - step * h;
    }
}
END_TEST

START_TEST(growth_is_divergence)
{
    uint32_t k = 0;

    start(1);
    while (k < 100 && move(k, pow(2, k)) == P2P_OK)
        k++;
    ck_assert_uint_eq(k, 20); /* 2^20 > 1e6 */
    ck_assert_ptr_nonnull(strstr(p2p_last_error(), "moves by 1.05e+06 a round, after 1 at the least"));
}
END_TEST

/* Far from the action the first movements are tiny, and so are those of a run that has converged. */
START_TEST(growth_from_nothing_is_not)
{
    start(1);
    for (uint32_t k = 0; k < 60; k++)
        ck_ok(move(k, 1e-16 * pow(2, k)));
    start(0);
    for (uint32_t k = 0; k < 60; k++)
        ck_ok(move(k, pow(2, k)));
}
END_TEST

START_TEST(not_finite_is_divergence)
{
    start(1);
    ck_fails(move(0, INFINITY), P2P_EDIVERGED, "not finite");
}
END_TEST

/* Long vectors are looked at every fourth round; rates count rounds, not looks. */
START_TEST(long_vectors_are_looked_at_less_often)
{
    enum { DIM = 5000 };
    double *room = calloc(DIM, sizeof *room), *y = calloc(DIM, sizeof *y), distance = 1;
    p2p_view view = { y, DIM, P2P_F64 };

    p2pi_movement_start(&p, (p2p_vec){ room, DIM, P2P_F64 }, 1, 1);
    for (uint32_t k = 0; k < 128; k++) {
        ck_assert_double_nan(p2pi_movement_residual(&p, 1));
        p2pi_movement_begin(&p, k, view);
        y[0] += 0.05 * distance;
        ck_ok(p2pi_movement_end(&p, view));
        distance *= 0.95;
        if (k == 124)
            break;
    }
    ck_assert_double_ge(p2pi_movement_residual(&p, 0.05), 0.5 * distance * distance);
    ck_assert_double_le(p2pi_movement_residual(&p, 0.05), 100 * 0.5 * distance * distance);
    free(room);
    free(y);
}
END_TEST

Suite *
movement_suite(void)
{
    Suite *suite = suite_create("movement");
    TCase *tc = tcase_create("movement");

    tcase_add_test(tc, a_quadratic_is_told_from_its_movement);
    tcase_add_test(tc, a_dip_does_not_lower_it);
    tcase_add_test(tc, movement_that_does_not_shrink_is_far_from_the_end);
    tcase_add_test(tc, slow_rates_are_seen_through_noise);
    tcase_add_test(tc, growth_is_divergence);
    tcase_add_test(tc, growth_from_nothing_is_not);
    tcase_add_test(tc, not_finite_is_divergence);
    tcase_add_test(tc, long_vectors_are_looked_at_less_often);
    suite_add_tcase(suite, tc);
    return suite;
}
