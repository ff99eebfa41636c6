/* Rounds from reports in any order, with nodes that end, fail and get lost. */
#include "monitor.h"
#include "runner.h"

#include <math.h>

enum { NODES = 3, DIM = 2 };

static monitor *m;
static figures seen[8];
static size_t count;

static void
on_round(void *user, const figures *f)
{
    (void)user;
    ck_assert_uint_lt(count, 8);
    seen[count++] = *f;
}

static void
open_monitor(void)
{
    monitor_config config = { .nodes = NODES, .dim = DIM, .type = P2P_F64, .optimum = NAN, .on_round = on_round };

    count = 0;
    ck_ok(monitor_new(&m, &config));
}

static void
close_monitor(void)
{
    monitor_destroy(&m);
    ck_assert_ptr_null(m);
}

static void
report(size_t rank, uint32_t round, double a, double b, p2p_end end)
{
    double x[DIM] = { a, b };
    p2p_report r = { .rank = rank, .round = round, .x = { x, DIM, P2P_F64 }, .bits_sent = 10 * (rank + 1),
                     .residual = NAN, .seconds = (double)rank, .end = end };

    monitor_report(m, &r);
}

START_TEST(a_round_is_measured_when_the_last_node_has_reported_it)
{
    report(0, 1, 1, 0, P2P_END_NONE);
    report(2, 1, 4, 3, P2P_END_NONE);
    ck_assert_uint_eq(count, 0);
    report(1, 1, 1, 0, P2P_END_NONE);
    ck_assert_uint_eq(count, 1);
    ck_assert_uint_eq(seen[0].round, 1);
    ck_assert_uint_eq(seen[0].nodes, NODES);
    /* The mean is (2, 1): the distances are sqrt(2), sqrt(2), sqrt(8). */
    ck_assert_double_eq_tol(seen[0].consensus_distance, sqrt(12), 1e-14);
    ck_assert_double_eq(seen[0].bits, 20);
    ck_assert_double_eq(seen[0].seconds, 2);
    ck_assert(isnan(seen[0].value));
    ck_assert(isnan(seen[0].residual));
}
END_TEST

START_TEST(rounds_close_in_order_though_nodes_run_ahead)
{
    for (uint32_t round = 1; round <= 3; round++)
        report(0, round, 0, 0, P2P_END_NONE);
    for (uint32_t round = 1; round <= 2; round++)
        report(1, round, 0, 0, P2P_END_NONE);
    ck_assert_uint_eq(count, 0);
    report(2, 1, 0, 0, P2P_END_NONE);
    report(2, 2, 0, 0, P2P_END_NONE);
    ck_assert_uint_eq(count, 2);
    ck_assert_uint_eq(seen[0].round, 1);
    ck_assert_uint_eq(seen[1].round, 2);
    ck_assert_uint_eq(monitor_last(m)->round, 2);
}
END_TEST

START_TEST(a_lost_node_is_not_waited_for)
{
    report(0, 5, 1, 1, P2P_END_NONE);
    report(1, 5, 3, 3, P2P_END_NONE);
    monitor_lose(m, 2, 0.5);
    ck_assert_uint_eq(count, 1);
    ck_assert_uint_eq(seen[0].nodes, 2);
    ck_assert_double_eq_tol(seen[0].consensus_distance, 2, 1e-14);
}
END_TEST

START_TEST(a_round_of_lost_nodes_alone_is_not_measured)
{
    report(0, 5, 1, 1, P2P_END_NONE);
    monitor_lose(m, 0, NAN);
    monitor_lose(m, 1, NAN);
    monitor_lose(m, 2, NAN);
    ck_assert_uint_eq(count, 0);
}
END_TEST

START_TEST(a_failed_nodes_last_report_counts_for_nothing)
{
    report(0, 5, 1, 1, P2P_END_ROUNDS);
    report(1, 5, 1, 1, P2P_END_ROUNDS);
    report(2, 5, 100, 100, P2P_END_FAILED);
    ck_assert_uint_eq(count, 1);
    ck_assert_uint_eq(seen[0].nodes, 2);
    ck_assert_double_eq(seen[0].consensus_distance, 0);
    ck_assert_uint_eq(monitor_finished(m), 2);
    ck_assert_int_eq(monitor_end(m), P2P_END_ROUNDS);
}
END_TEST

START_TEST(the_solution_is_the_mean_of_final_iterates)
{
    double mean[DIM];

    ck_assert(!monitor_solution(m, mean));
    report(2, 9, 0.3, 3, P2P_END_STOPPED);
    report(0, 9, 0.1, 1, P2P_END_STOPPED);
    report(1, 9, 0.2, 2, P2P_END_STOPPED);
    ck_assert(monitor_solution(m, mean));
    /* Added in the order of ranks, whatever the order of arrival. */
    ck_assert_double_eq(mean[0], (0.1 + 0.2 + 0.3) * (1 / 3.0));
    ck_assert_double_eq(mean[1], (1.0 + 2.0 + 3.0) * (1 / 3.0));
    ck_assert_int_eq(monitor_end(m), P2P_END_STOPPED);
}
END_TEST

START_TEST(a_second_report_of_a_round_is_not_counted_twice)
{
    report(0, 1, 0, 0, P2P_END_NONE);
    report(0, 1, 1, 1, P2P_END_ROUNDS);
    report(1, 1, 1, 1, P2P_END_ROUNDS);
    ck_assert_uint_eq(count, 0);
    report(2, 1, 1, 1, P2P_END_ROUNDS);
    ck_assert_uint_eq(count, 1);
    ck_assert_uint_eq(seen[0].nodes, NODES);
    ck_assert_double_eq(seen[0].consensus_distance, 0);
    report(2, 1, 7, 7, P2P_END_ROUNDS);
    ck_assert_uint_eq(count, 1);
}
END_TEST

START_TEST(reports_of_strangers_are_ignored)
{
    double x[1] = { 0 };
    p2p_report r = { .rank = 0, .round = 1, .x = { x, 1, P2P_F64 } };

    report(NODES, 1, 0, 0, P2P_END_NONE);
    monitor_report(m, &r);
    report(1, 1, 0, 0, P2P_END_NONE);
    report(2, 1, 0, 0, P2P_END_NONE);
    ck_assert_uint_eq(count, 0);
}
END_TEST

Suite *
monitor_suite(void)
{
    Suite *s = suite_create("monitor");
    TCase *t = tcase_create("rounds");

    tcase_add_checked_fixture(t, open_monitor, close_monitor);
    tcase_add_test(t, a_round_is_measured_when_the_last_node_has_reported_it);
    tcase_add_test(t, rounds_close_in_order_though_nodes_run_ahead);
    tcase_add_test(t, a_lost_node_is_not_waited_for);
    tcase_add_test(t, a_round_of_lost_nodes_alone_is_not_measured);
    tcase_add_test(t, a_failed_nodes_last_report_counts_for_nothing);
    tcase_add_test(t, the_solution_is_the_mean_of_final_iterates);
    tcase_add_test(t, a_second_report_of_a_round_is_not_counted_twice);
    tcase_add_test(t, reports_of_strangers_are_ignored);
    suite_add_tcase(s, t);
    return s;
}
