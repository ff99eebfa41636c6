/* Edges that go and come back: the sum of the duals stays zero, and what is left is solved exactly. */
#include "trial.h"

#include <math.h>

static const char *const methods[][2] = {
    { "cold", "topk:k=2" },    { "cold", "qinf:bits=2" }, { "dyna-cold:decay=0.997", "binary" },
    { "lead", "qinf:bits=2" }, { "nids", "identity" },    { "extra", "identity" },
};
enum { METHODS = 6 };

static trial t;

static void
open_ring(void)
{
    trial_open(&t, "ring", 8, "quadratic:dim=20", P2P_F64, 1);
}

static void
close_ring(void)
{
    trial_close(&t);
}

/* ||sum of d_i|| over max ||d_i||, of the nodes that are in. */
static double
dual_imbalance(const char *name, const int *is_in)
{
    double sum[TRIAL_DIM] = { 0 }, norm = 0, largest = 0;

    for (size_t i = 0; i < t.n; i++) {
        const double *d = trial_state(&t, i, name, p2p_topology_at(t.topology, i).degree);
        double square = 0;

        if (is_in != NULL && !is_in[i])
            continue;
        for (size_t k = 0; k < t.d; k++) {
            sum[k] += d[k];
            square += d[k] * d[k];
        }
        largest = fmax(largest, sqrt(square));
    }
    for (size_t k = 0; k < t.d; k++)
        norm += sum[k] * sum[k];
    return largest > 0 ? sqrt(norm) / largest : 0;
}

static const char *
dual_name(const char *method)
{
    return strcmp(method, "nids") == 0 || strcmp(method, "extra") == 0 ? "p" : "d";
}

START_TEST(duals_sum_to_zero_at_any_time)
{
    const char *name = dual_name(methods[_i][0]);

    ck_ok(trial_start(&t, methods[_i][0], methods[_i][1]));
    for (uint32_t k = 0; k < 400; k++) {
        ck_ok(lockstep_round(&t.swarm, k));
        ck_assert_double_le(dual_imbalance(name, NULL), 1e-12);
    }
}
END_TEST

/* d_ij at i is the exact negative of d_ji at j, and both copies of an estimate are the same bits. */
START_TEST(both_ends_hold_the_same)
{
    ck_ok(trial_start(&t, "cold", "qinf:bits=2"));
    ck_ok(lockstep_rounds(&t.swarm, 0, 100));
    for (size_t i = 0; i < t.n; i++) {
        p2p_neighbourhood at = p2p_topology_at(t.topology, i);

        for (size_t n = 0; n < at.degree; n++) {
            p2p_neighbourhood there = p2p_topology_at(t.topology, at.peers[n]);
            const double *mine = trial_state(&t, i, "d", n), *theirs;
            size_t back = 0;

            while (there.peers[back] != i)
                back++;
            theirs = trial_state(&t, at.peers[n], "d", back);
            for (size_t k = 0; k < t.d; k++)
                ck_assert(mine[k] == -theirs[k]);
            ck_assert_mem_eq(trial_state(&t, i, "e", 1 + n), trial_state(&t, at.peers[n], "e", 0),
                             t.d * sizeof(double));
        }
    }
}
END_TEST

START_TEST(a_dropped_edge_leaves_an_exact_swarm)
{
    const char *name = dual_name(methods[_i][0]);

    ck_ok(trial_start(&t, methods[_i][0], methods[_i][1]));
    ck_ok(lockstep_rounds(&t.swarm, 0, 60));
    lockstep_drop(&t.swarm, 2, 3);
    ck_assert_double_le(dual_imbalance(name, NULL), 1e-12);
    for (uint32_t k = 60; k < 8000 && lockstep_error(&t.swarm, t.optimum) > 1e-8; k++)
        ck_ok(lockstep_round(&t.swarm, k));
    ck_assert_double_le(dual_imbalance(name, NULL), 1e-12);
    ck_assert_double_lt(lockstep_error(&t.swarm, t.optimum), 1e-8);
}
END_TEST

/* The others find the optimum of what is left, whether the lost node had a say for 60 rounds or to the end. */
START_TEST(a_lost_node_leaves_the_optimum_of_the_others)
{
    const char *const *method = methods[_i / 2];
    const uint32_t lost = _i % 2 ? 12000 : 60;
    int is_in[8] = { 1, 1, 1, 1, 1, 0, 1, 1 };
    double worst = INFINITY;

    ck_ok(trial_start(&t, method[0], method[1]));
    ck_ok(lockstep_rounds(&t.swarm, 0, lost));
    lockstep_drop(&t.swarm, 4, 5);
    lockstep_drop(&t.swarm, 5, 6);
    trial_optimum(&t, is_in);
    for (uint32_t k = lost; k < lost + 8000 && worst > 1e-8; k++) {
        const p2p_view best = { t.optimum, t.d, P2P_F64 };

        ck_ok(lockstep_round(&t.swarm, k));
        worst = 0;
        for (size_t i = 0; i < t.n; i++)
            if (is_in[i])
                worst = fmax(worst, p2p_vec_distance(p2pi_engine_iterate(t.swarm.engines[i]), best));
    }
    ck_assert_double_le(worst, 1e-8);
}
END_TEST

/* A range that shrank to rounding long ago grows as far as the change asks for, and shrinks again. */
START_TEST(a_node_that_comes_back_late_counts_in_full)
{
    int is_in[8] = { 1, 1, 1, 1, 1, 0, 1, 1 };
    double alone;

    ck_ok(trial_start(&t, "dyna-cold:decay=0.99", "binary"));
    ck_ok(lockstep_rounds(&t.swarm, 0, 80000));
    ck_assert_double_lt(lockstep_error(&t.swarm, t.optimum), 1e-12);
    lockstep_drop(&t.swarm, 4, 5);
    lockstep_drop(&t.swarm, 5, 6);
    ck_ok(lockstep_rounds(&t.swarm, 80000, 88000));
    trial_optimum(&t, is_in);
    alone = p2p_vec_distance(p2pi_engine_iterate(t.swarm.engines[0]), (p2p_view){ t.optimum, t.d, P2P_F64 });
    ck_assert_double_lt(alone, 1e-10);
    ck_ok(lockstep_restore(&t.swarm, 4, 5));
    ck_ok(lockstep_restore(&t.swarm, 5, 6));
    ck_ok(lockstep_rounds(&t.swarm, 88000, 96000));
    trial_optimum(&t, NULL);
    ck_assert_double_lt(lockstep_error(&t.swarm, t.optimum), 1e-12);
    ck_assert_ptr_null(p2pi_engine_warning(t.swarm.engines[0]));
}
END_TEST

START_TEST(a_restored_edge_is_used_again)
{
    ck_ok(trial_start(&t, methods[_i][0], methods[_i][1]));
    ck_ok(lockstep_rounds(&t.swarm, 0, 30));
    lockstep_drop(&t.swarm, 2, 3);
    lockstep_drop(&t.swarm, 6, 7);
    ck_ok(lockstep_rounds(&t.swarm, 30, 50));
    ck_ok(lockstep_restore(&t.swarm, 2, 3));
    ck_assert_int_eq(p2pi_engine_dropped(t.swarm.engines[2], 1), 0);
    ck_ok(lockstep_rounds(&t.swarm, 50, 60));
    ck_ok(lockstep_restore(&t.swarm, 6, 7));
    for (uint32_t k = 60; k < 8000 && lockstep_error(&t.swarm, t.optimum) > 1e-8; k++) {
        ck_ok(lockstep_round(&t.swarm, k));
        ck_assert_double_le(dual_imbalance(dual_name(methods[_i][0]), NULL), 1e-12);
    }
    ck_assert_double_lt(lockstep_error(&t.swarm, t.optimum), 1e-8);
}
END_TEST

static int
lose_one_way(void *user, uint32_t round, size_t from, size_t to)
{
    (void)user;
    return !(round == 20 && from == 3 && to == 2);
}

/* A message that one end misses: that end drops the edge at once; when both have restored it all is well. */
START_TEST(a_lost_message_drops_the_edge)
{
    ck_ok(trial_start(&t, methods[_i][0], methods[_i][1]));
    t.swarm.arrives = lose_one_way;
    ck_ok(lockstep_rounds(&t.swarm, 0, 21));
    ck_assert_int_eq(p2pi_engine_dropped(t.swarm.engines[2], 1), 1);
    ck_assert_int_eq(p2pi_engine_dropped(t.swarm.engines[3], 0), 0);
    lockstep_drop(&t.swarm, 2, 3);
    ck_ok(lockstep_restore(&t.swarm, 2, 3));
    for (uint32_t k = 21; k < 8000 && lockstep_error(&t.swarm, t.optimum) > 1e-8; k++)
        ck_ok(lockstep_round(&t.swarm, k));
    ck_assert_double_le(dual_imbalance(dual_name(methods[_i][0]), NULL), 1e-12);
    ck_assert_double_lt(lockstep_error(&t.swarm, t.optimum), 1e-8);
}
END_TEST

START_TEST(without_shared_state_a_lost_message_is_forgotten)
{
    ck_ok(trial_start(&t, "dgd", "identity"));
    t.swarm.arrives = lose_one_way;
    ck_ok(lockstep_rounds(&t.swarm, 0, 22));
    ck_assert_int_eq(p2pi_engine_dropped(t.swarm.engines[2], 1), 0);
    ck_assert_uint_eq(p2pi_engine_shared_size(t.swarm.engines[2]), 0);
}
END_TEST

/* A node that starts anew in round 40 with nothing but its data. */
START_TEST(a_node_may_join_late)
{
    double *const *agreed, *const *mine;
    p2pi_engine *old;
    lockstep fresh;
    size_t count;

    ck_ok(trial_start(&t, methods[_i][0], methods[_i][1]));
    ck_ok(lockstep_rounds(&t.swarm, 0, 40));
    fresh = t.swarm;
    memset(&t.swarm, 0, sizeof t.swarm);
    ck_ok(trial_start(&t, methods[_i][0], methods[_i][1]));
    old = fresh.engines[4];
    fresh.engines[4] = t.swarm.engines[4];
    t.swarm.engines[4] = old;
    count = p2pi_engine_agreement(fresh.engines[3], &agreed);
    ck_assert_uint_eq(p2pi_engine_agreement(fresh.engines[4], &mine), count);
    for (size_t v = 0; v < count; v++)
        *mine[v] = *agreed[v];
    lockstep_drop(&fresh, 3, 4);
    lockstep_drop(&fresh, 4, 5);
    ck_ok(lockstep_restore(&fresh, 3, 4));
    ck_ok(lockstep_restore(&fresh, 4, 5));
    for (uint32_t k = 40; k < 8000 && lockstep_error(&fresh, t.optimum) > 1e-8; k++)
        ck_ok(lockstep_round(&fresh, k));
    ck_assert_double_lt(lockstep_error(&fresh, t.optimum), 1e-8);
    old = fresh.engines[4];
    fresh.engines[4] = t.swarm.engines[4];
    t.swarm.engines[4] = old;
    lockstep_clear(&fresh);
}
END_TEST

START_TEST(bad_shared_state_is_refused)
{
    double shared[TRIAL_DIM] = { 0 };
    const size_t bytes = 20 * sizeof(double);

    ck_ok(trial_start(&t, "cold", "topk:k=2"));
    ck_assert_uint_eq(p2pi_engine_shared_size(t.swarm.engines[0]), bytes);
    p2pi_engine_drop(t.swarm.engines[0], 0);
    ck_fails(p2pi_engine_restore(t.swarm.engines[0], 0, (uint8_t *)shared, bytes - 1), P2P_EPROTO,
             "159 bytes, expected 160");
    shared[7] = NAN;
    ck_fails(p2pi_engine_restore(t.swarm.engines[0], 0, (uint8_t *)shared, bytes), P2P_EPROTO,
             "entry 7 of estimate 0 is not finite");
    ck_assert_int_eq(p2pi_engine_dropped(t.swarm.engines[0], 0), 1);
    shared[7] = 0;
    ck_ok(p2pi_engine_restore(t.swarm.engines[0], 0, (uint8_t *)shared, bytes));
}
END_TEST

Suite *
edges_suite(void)
{
    Suite *suite = suite_create("edges");
    TCase *tc = tcase_create("edges");

    tcase_set_timeout(tc, 120);
    tcase_add_checked_fixture(tc, open_ring, close_ring);
    tcase_add_loop_test(tc, duals_sum_to_zero_at_any_time, 0, METHODS);
    tcase_add_test(tc, both_ends_hold_the_same);
    tcase_add_loop_test(tc, a_dropped_edge_leaves_an_exact_swarm, 0, METHODS);
    tcase_add_loop_test(tc, a_lost_node_leaves_the_optimum_of_the_others, 0, 2 * METHODS);
    tcase_add_test(tc, a_node_that_comes_back_late_counts_in_full);
    tcase_add_loop_test(tc, a_restored_edge_is_used_again, 0, METHODS);
    tcase_add_loop_test(tc, a_lost_message_drops_the_edge, 0, METHODS);
    tcase_add_test(tc, without_shared_state_a_lost_message_is_forgotten);
    tcase_add_loop_test(tc, a_node_may_join_late, 0, METHODS);
    tcase_add_test(tc, bad_shared_state_is_refused);
    suite_add_tcase(suite, tc);
    return suite;
}
