/* The stop agreement on a whole graph: everybody ends after the same round, and nobody before all were calm. */
#include "node/stop.h"
#include "runner.h"
#include "wire/header.h"

enum { MOST = 12 };

typedef struct {
    uint32_t n, diameter;
    int edge[MOST][MOST];
} graph;

static graph
path(uint32_t n)
{
    graph g = { .n = n, .diameter = n - 1 };

    for (uint32_t i = 0; i + 1 < n; i++)
        g.edge[i][i + 1] = g.edge[i + 1][i] = 1;
    return g;
}

static graph
ring(uint32_t n)
{
    graph g = path(n);

    g.diameter = n / 2;
    g.edge[0][n - 1] = g.edge[n - 1][0] = 1;
    return g;
}

/* Run rounds until every node has ended; node i is calm from round calm_from[i] on, and asked to stop in asked[i]. */
static void
simulate(const graph *g, const uint32_t *calm_from, const uint32_t *asked, uint32_t *ended, p2pi_stop *s)
{
    for (uint32_t i = 0; i < g->n; i++) {
        p2pi_stop_start(&s[i]);
        ended[i] = 0;
    }
    for (uint32_t k = 0; k < 200; k++) {
        p2pi_stop sent[MOST];

        memcpy(sent, s, sizeof sent);
        for (uint32_t i = 0; i < g->n; i++) {
            if (ended[i] > 0)
                continue;
            for (uint32_t j = 0; j < g->n; j++)
                if (g->edge[i][j])
                    p2pi_stop_fold(&s[i], sent[j].calm, sent[j].stop, sent[j].asked);
            p2pi_stop_close(&s[i], k + 1, k >= calm_from[i], k == asked[i], g->diameter);
            if (s[i].stop <= k + 1)
                ended[i] = k + 1;
        }
    }
}

START_TEST(all_end_together_after_all_were_calm)
{
    graph graphs[] = { ring(8), path(7), ring(3), path(2) };
    const graph *g = &graphs[_i];
    uint32_t calm[MOST], asked[MOST], ended[MOST];
    p2pi_stop s[MOST];

    for (uint32_t last = 0; last < g->n; last++) {
        for (uint32_t i = 0; i < g->n; i++) {
            calm[i] = i == last ? 40 : 5 + i;
            asked[i] = P2PI_NEVER;
        }
        simulate(g, calm, asked, ended, s);
        for (uint32_t i = 0; i < g->n; i++) {
            ck_assert_uint_eq(ended[i], ended[0]);
            ck_assert_int_eq(s[i].asked, 0);
        }
        ck_assert_uint_gt(ended[0], 40);
        ck_assert_uint_le(ended[0], 40 + 2 * g->diameter + 2);
    }
}
END_TEST

START_TEST(a_request_reaches_all)
{
    graph graphs[] = { ring(8), path(7), ring(3), path(2) };
    const graph *g = &graphs[_i];
    uint32_t calm[MOST], asked[MOST], ended[MOST];
    p2pi_stop s[MOST];

    for (uint32_t who = 0; who < g->n; who++) {
        for (uint32_t i = 0; i < g->n; i++) {
            calm[i] = P2PI_NEVER;
            asked[i] = i == who ? 10 : i == (who + 1) % g->n ? 11 : P2PI_NEVER;
        }
        simulate(g, calm, asked, ended, s);
        for (uint32_t i = 0; i < g->n; i++) {
            ck_assert_uint_eq(ended[i], 11 + g->diameter);
            ck_assert_int_eq(s[i].asked, 1);
        }
    }
}
END_TEST

START_TEST(nobody_ends_while_one_is_restless)
{
    graph g = ring(8);
    uint32_t calm[MOST] = { 0 }, asked[MOST], ended[MOST];
    p2pi_stop s[MOST];

    memset(asked, 0xff, sizeof asked);
    calm[3] = P2PI_NEVER;
    simulate(&g, calm, asked, ended, s);
    for (uint32_t i = 0; i < g.n; i++)
        ck_assert_uint_eq(ended[i], 0);
}
END_TEST

START_TEST(a_node_alone_ends_at_once)
{
    p2pi_stop s;

    p2pi_stop_start(&s);
    p2pi_stop_close(&s, 1, 0, 0, 0);
    ck_assert_uint_eq(s.stop, P2PI_NEVER);
    p2pi_stop_close(&s, 2, 1, 0, 0);
    ck_assert_uint_eq(s.stop, 2);
}
END_TEST

START_TEST(the_earlier_round_wins)
{
    p2pi_stop s;

    p2pi_stop_start(&s);
    p2pi_stop_hear(&s, 30, 1);
    p2pi_stop_hear(&s, 40, 0);
    ck_assert(s.stop == 30 && s.asked == 1);
    p2pi_stop_hear(&s, 30, 0);
    ck_assert(s.stop == 30 && s.asked == 0);
    p2pi_stop_hear(&s, 30, 1);
    ck_assert(s.stop == 30 && s.asked == 0);
    p2pi_stop_close(&s, P2PI_NEVER - 2, 0, 1, 1000);
    ck_assert(s.stop == 30);
}
END_TEST

Suite *
stop_suite(void)
{
    Suite *suite = suite_create("stop");
    TCase *tc = tcase_create("agreement");

    tcase_add_loop_test(tc, all_end_together_after_all_were_calm, 0, 4);
    tcase_add_loop_test(tc, a_request_reaches_all, 0, 4);
    tcase_add_test(tc, nobody_ends_while_one_is_restless);
    tcase_add_test(tc, a_node_alone_ends_at_once);
    tcase_add_test(tc, the_earlier_round_wins);
    suite_add_tcase(suite, tc);
    return suite;
}
