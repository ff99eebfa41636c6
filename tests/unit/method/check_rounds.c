/* Methods on graphs that change with the round, and on directed ones. */
#include "trial.h"

#include <math.h>

static trial t;

static const struct {
    const char *topology, *method, *compressor;
} exact[] = {
    { "one-peer", "gt", "identity" },
    { "matchings", "gt", "identity" },
    { "erdos-renyi:p=0.3,redraw=yes", "gt:order=diging", "identity" },
    { "matchings", "beer:step=0.1/L,gossip=0.4", "qinf:bits=2" },
    { "one-peer", "beer:step=0.1/L,gossip=0.4", "topk:k=4" },
    { "erdos-renyi:p=0.3,redraw=yes", "cgt:step=0.1/L,gossip=0.4", "qinf:bits=2" },
};

START_TEST(trackers_reach_the_optimum_on_any_rounds)
{
    trial_open(&t, exact[_i].topology, 8, "quadratic:dim=20", P2P_F64, 1);
    ck_ok(trial_start(&t, exact[_i].method, exact[_i].compressor));
    trial_reach(&t, 1e-10, 6000);
    trial_close(&t);
}
END_TEST

static const struct {
    const char *topology, *method, *compressor, *what;
} unfit[] = {
    { "one-peer", "cold", "qinf:bits=2", "method \"cold\" ties its duals to one symmetric W" },
    { "matchings", "dyna-cold:decay=0.99", "binary", "changes from round to round" },
    { "matchings", "lead", "qinf:bits=2", "use gt, cgt, beer, choco or dgd" },
    { "erdos-renyi:p=0.5,redraw=yes", "nids", "identity", "method \"nids\" ties its duals" },
    { "one-peer", "extra", "identity", "method \"extra\" ties its duals" },
    { "directed-ring", "dgd", "identity", "weights whose rows and columns sum to 1" },
    { "directed-ring", "cold", "identity", "use sgp" },
    { "one-peer", "pairwise", "identity", "method \"pairwise\" knows no common rounds" },
    { "ring", "one-peer", "identity", "use topology one-peer or matchings, or method dgd" },
};

START_TEST(what_cannot_work_is_refused)
{
    trial_open(&t, unfit[_i].topology, 8, "quadratic:dim=20", P2P_F64, 1);
    ck_fails(trial_start(&t, unfit[_i].method, unfit[_i].compressor), P2P_ENOTSUP, unfit[_i].what);
    trial_close(&t);
}
END_TEST

START_TEST(a_rule_that_compares_needs_more_than_one)
{
    trial_open(&t, "matchings", 8, "quadratic:dim=20", P2P_F64, 1);
    t.aggregator = "trimmed-mean:f=1";
    ck_fails(trial_start(&t, "dgd", "identity"), P2P_ENOTSUP, "a node hears at most one in a round");
    trial_close(&t);
}
END_TEST

/* Sum over the nodes of entry k of a named part of the state. */
static double
total(const char *name, size_t k)
{
    double sum = 0;

    for (size_t i = 0; i < t.n; i++)
        sum += trial_state(&t, i, name, 0)[k];
    return sum;
}

START_TEST(shares_of_the_push_sum_stay_n)
{
    trial_open(&t, "directed-exponential", 8, "quadratic:dim=20", P2P_F64, 1);
    ck_ok(trial_start(&t, "sgp:step=0.05/L", "identity"));
    for (uint32_t k = 0; k < 100; k++) {
        ck_ok(lockstep_round(&t.swarm, k));
        ck_assert(fabs(total("w", 0) - 8) < 1e-12);
    }
    trial_close(&t);
}
END_TEST

/* With a decaying step the push ends at the optimum, on a graph whose rows do not sum to 1. */
START_TEST(push_finds_the_optimum_of_an_uneven_graph)
{
    static const uint32_t arcs[] = { 0, 1, 1, 2, 2, 3, 3, 0, 0, 2, 0, 3 };

    trial_open(&t, "complete", 4, "quadratic:dim=20", P2P_F64, 1);
    p2p_topology_destroy(&t.topology);
    ck_ok(p2p_topology_from_arcs(&t.topology, 4, 6, arcs));
    ck_ok(p2p_topology_measure(t.topology, &t.figures));
    ck_ok(trial_start(&t, "sgp:step=0.2/L,decay=0.02", "identity"));
    trial_reach(&t, 1e-2, 20000);
    trial_close(&t);
}
END_TEST

START_TEST(one_peer_averages_eight_nodes_in_three_rounds)
{
    double before, spread = 0;

    trial_open(&t, "one-peer", 8, "quadratic:dim=20", P2P_F64, 1);
    ck_ok(trial_start(&t, "one-peer:step=1e-300", "identity"));
    for (size_t i = 0; i < 8; i++) {
        p2p_view x = p2pi_engine_iterate(t.swarm.engines[i]);

        ((double *)x.data)[0] = (double)i;
    }
    ck_ok(lockstep_rounds(&t.swarm, 0, 3));
    before = p2p_vec_get(p2pi_engine_iterate(t.swarm.engines[0]), 0);
    ck_assert(fabs(before - 3.5) < 1e-15);
    for (size_t i = 0; i < 8; i++)
        spread = fmax(spread, fabs(p2p_vec_get(p2pi_engine_iterate(t.swarm.engines[i]), 0) - before));
    ck_assert(spread < 1e-15);
    trial_close(&t);
}
END_TEST

/* One vector a round and node, however many may talk to each other. */
START_TEST(an_edge_that_is_not_in_use_carries_nothing)
{
    uint8_t vector[1 + 20 * sizeof(double)] = { 0 };
    size_t idle = 0;

    trial_open(&t, "one-peer", 8, "quadratic:dim=20", P2P_F64, 1);
    ck_ok(trial_start(&t, "dgd", "identity"));
    ck_ok(lockstep_rounds(&t.swarm, 0, 10));
    ck_assert(t.swarm.bits_sent == 10.0 * 8 * 20 * 64);
    ck_ok(p2pi_engine_emit(t.swarm.engines[0], 10, 0));
    while (p2p_topology_at(t.topology, 0).peers[idle] == 6) /* 0 - 2: the one that is heard in round 10 */
        idle++;
    ck_fails(lockstep_hand(t.swarm.engines[0], idle, 0, vector, sizeof vector), P2P_EPROTO,
             "an edge that round 10 does not use");
    trial_close(&t);
}
END_TEST

START_TEST(shares_that_are_not_positive_are_refused)
{
    static const uint8_t zero[8] = { 0 };

    trial_open(&t, "directed-ring", 4, "quadratic:dim=20", P2P_F64, 1);
    ck_ok(trial_start(&t, "sgp", "identity"));
    ck_ok(p2pi_engine_emit(t.swarm.engines[1], 0, 0));
    ck_fails(lockstep_hand(t.swarm.engines[1], 0, 1, zero, 8), P2P_EPROTO, "above 0 is 0");
    ck_fails(lockstep_hand(t.swarm.engines[1], 0, 1, zero, 7), P2P_EPROTO, "7 bytes: expected 8");
    trial_close(&t);
}
END_TEST

/* Entry k of the sum of all iterates. */
static double
sum_of_iterates(size_t k)
{
    double sum = 0;

    for (size_t i = 0; i < t.n; i++)
        sum += p2p_vec_get(p2pi_engine_iterate(t.swarm.engines[i]), k);
    return sum;
}

/* However late answers come, and whatever else has moved the asker meanwhile, the sum stays. */
START_TEST(meetings_keep_the_sum)
{
    uint8_t answers[8][1 + 20 * sizeof(double)], vector[1 + 20 * sizeof(double)];
    const p2pi_outgoing *out;
    size_t len[8];
    double before;

    trial_open(&t, "complete", 8, "quadratic:dim=20", P2P_F64, 1);
    ck_ok(trial_start(&t, "pairwise:step=0.1/L", "identity"));
    ck_ok(lockstep_rounds(&t.swarm, 0, 5));
    before = sum_of_iterates(3);
    for (size_t j = 1; j < 8; j++) { /* node 0 is the first neighbour of each */
        ck_ok(p2pi_engine_ask(t.swarm.engines[0], vector, &len[0]));
        ck_ok(p2pi_engine_meet(t.swarm.engines[j], 0, ldexp(0.5, -(int)j), vector, len[0], answers[j], &len[j]));
    }
    for (size_t j = 7; j > 0; j--)
        ck_ok(p2pi_engine_settle(t.swarm.engines[0], j - 1, answers[j], len[j]));
    ck_assert(fabs(sum_of_iterates(3) - before) < 1e-13);
    ck_ok(p2pi_engine_emit(t.swarm.engines[0], 5, 0));
    ck_assert_uint_eq(p2pi_engine_outgoing(t.swarm.engines[0], &out), 1);
    trial_close(&t);
}
END_TEST

START_TEST(a_vector_that_does_not_decode_moves_nobody)
{
    uint8_t vector[1 + 20 * sizeof(double)] = { 0 }, answer[sizeof vector];
    double nan = NAN, before;
    size_t len;

    trial_open(&t, "ring", 4, "quadratic:dim=20", P2P_F64, 1);
    ck_ok(trial_start(&t, "pairwise", "identity"));
    ck_ok(lockstep_rounds(&t.swarm, 0, 3));
    before = sum_of_iterates(0);
    ck_assert_int_eq(p2pi_engine_meet(t.swarm.engines[0], 0, 0.5, vector, 7, answer, &len), P2P_EPROTO);
    memcpy(vector + 1, &nan, sizeof nan);
    ck_assert_int_eq(p2pi_engine_meet(t.swarm.engines[0], 0, 0.5, vector, sizeof vector, answer, &len), P2P_EPROTO);
    ck_assert_int_eq(p2pi_engine_settle(t.swarm.engines[0], 0, vector, sizeof vector), P2P_EPROTO);
    ck_assert(sum_of_iterates(0) == before);
    trial_close(&t);
}
END_TEST

Suite *
rounds_suite(void)
{
    Suite *suite = suite_create("rounds");
    TCase *tc = tcase_create("rounds");

    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(tc, trackers_reach_the_optimum_on_any_rounds, 0, sizeof exact / sizeof *exact);
    tcase_add_loop_test(tc, what_cannot_work_is_refused, 0, sizeof unfit / sizeof *unfit);
    tcase_add_test(tc, a_rule_that_compares_needs_more_than_one);
    tcase_add_test(tc, shares_of_the_push_sum_stay_n);
    tcase_add_test(tc, push_finds_the_optimum_of_an_uneven_graph);
    tcase_add_test(tc, one_peer_averages_eight_nodes_in_three_rounds);
    tcase_add_test(tc, an_edge_that_is_not_in_use_carries_nothing);
    tcase_add_test(tc, shares_that_are_not_positive_are_refused);
    tcase_add_test(tc, meetings_keep_the_sum);
    tcase_add_test(tc, a_vector_that_does_not_decode_moves_nobody);
    suite_add_tcase(suite, tc);
    return suite;
}
