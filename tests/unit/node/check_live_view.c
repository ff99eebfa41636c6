/* News of edges: versions decide, and who is out of reach is said in words. */
#include "node/live_view.h"
#include "runner.h"

static p2p_topology *topology;
static p2pi_live_view view;

static void
setup(void)
{
    ck_ok(p2p_topology_new(&topology, "ring", NULL, 8, 1));
    p2pi_live_view_start(&view, topology);
}

static void
teardown(void)
{
    p2pi_live_view_clear(&view);
    p2p_topology_destroy(&topology);
}

static int
take(uint32_t low, uint32_t high, uint32_t version, int up)
{
    p2pi_edge news = { low, high, version, up };
    int fresh;

    ck_ok(p2pi_live_view_take(&view, &news, &fresh));
    return fresh;
}

static void
expect_reach(uint32_t from, size_t count, const char *lost)
{
    char text[64];
    size_t reached;

    ck_ok(p2pi_live_view_reach(&view, from, &reached, text, sizeof text));
    ck_assert_uint_eq(reached, count);
    ck_assert_str_eq(text, lost);
}

START_TEST(reach_follows_the_news)
{
    expect_reach(0, 8, "");
    ck_assert_int_eq(take(2, 3, 1, 0), 1);
    expect_reach(0, 8, "");
    ck_assert_int_eq(take(3, 4, 1, 0), 1);
    expect_reach(0, 7, "3");
    expect_reach(3, 1, "0-2, 4-7");
    ck_assert_int_eq(take(6, 7, 1, 0), 1);
    ck_assert_uint_eq(view.down, 3);
    expect_reach(0, 4, "3-6");
    ck_assert_int_eq(take(3, 4, 2, 1), 1);
    ck_assert_uint_eq(view.down, 2);
    expect_reach(0, 4, "3-6");
    ck_assert_int_eq(take(2, 3, 2, 1), 1);
    expect_reach(0, 8, "");
    ck_assert_uint_eq(view.down, 1);
}
END_TEST

START_TEST(old_news_are_not_fresh)
{
    ck_assert_uint_eq(p2pi_live_view_next(&view, 0, 1), 1);
    ck_assert_int_eq(take(0, 1, 4, 0), 1);
    ck_assert_int_eq(take(0, 1, 4, 0), 0);
    ck_assert_int_eq(take(0, 1, 3, 1), 0);
    ck_assert_uint_eq(view.down, 1);
    ck_assert_uint_eq(p2pi_live_view_next(&view, 0, 1), 5);
    ck_assert_int_eq(take(0, 7, 1, 1), 1);
    ck_assert_uint_eq(view.down, 1);
}
END_TEST

START_TEST(edges_that_are_not_there_are_refused)
{
    p2pi_edge news = { 0, 4, 1, 0 };
    int fresh;

    ck_fails(p2pi_live_view_take(&view, &news, &fresh), P2P_EPROTO, "edge 0-4: not in the topology");
}
END_TEST

Suite *
live_view_suite(void)
{
    Suite *suite = suite_create("live view");
    TCase *tc = tcase_create("news");

    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_add_test(tc, reach_follows_the_news);
    tcase_add_test(tc, old_news_are_not_fresh);
    tcase_add_test(tc, edges_that_are_not_there_are_refused);
    suite_add_tcase(suite, tc);
    return suite;
}
