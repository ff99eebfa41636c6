/* Swarms of real processes over sockets: alike with the simulator, and what happens when some go wrong. */
#include "processes.h"

#include <math.h>
#include <signal.h>
#include <unistd.h>

static crowd c;

#define KEYS(...) ((const char *const[]){ __VA_ARGS__, NULL })

static void
expect_ok(size_t rank)
{
    ck_said(&c.seen, c.status[rank] == P2P_OK, "node %zu: %s", rank, c.sentence[rank]);
}

/* All came to this end, after one round, near the optimum of the marked nodes. */
static void
expect(const int *present, p2p_end end, double distance)
{
    size_t first = present && !present[0];

    for (size_t i = 0; i < c.n; i++) {
        if (present != NULL && !present[i])
            continue;
        expect_ok(i);
        ck_said(&c.seen, c.seen.end[i] == end, "node %zu ended by %d", i, (int)c.seen.end[i]);
        ck_said(&c.seen, c.seen.round[i] == c.seen.round[first], "node %zu after %u rounds", i, c.seen.round[i]);
        ck_said(&c.seen, distance_of(&c.seen, i, c.n, present) <= distance, "node %zu is %g from the optimum", i,
                distance_of(&c.seen, i, c.n, present));
    }
}

START_TEST(processes_do_what_the_simulator_does)
{
    static const struct {
        const char *scheme;
        int secure;
    } ways[] = { { "tcp", 1 }, { "tcp", 0 }, { "ipc", 1 }, { "ipc", 0 } };
    const char *const *keys = KEYS("rounds=400", "tolerance=1e-12", "compressor=qinf:bits=2", "seed=5");
    p2p_swarm *s = swarm_of(8, keys);
    static const p2p_sim_links ideal;
    static outcome simulated;

    ck_ok(simulate(s, &ideal, &simulated));
    crowd_prepare(&c, 8, ways[_i].scheme, ways[_i].secure, keys);
    crowd_start_all(&c);
    crowd_until_over(&c);
    expect(NULL, P2P_END_TOLERANCE, 1e-4);
    ck_assert_mem_eq(c.seen.x, simulated.x, sizeof simulated.x);
    ck_assert_mem_eq(c.seen.round, simulated.round, sizeof simulated.round);
    ck_assert_mem_eq(c.seen.bits, simulated.bits, sizeof simulated.bits);
    crowd_finish(&c);
    p2p_swarm_destroy(&s);
}
END_TEST

START_TEST(processes_find_the_rounds_of_a_schedule)
{
    static const char *const ways[][3] = {
        { "topology=one-peer", "method=gt", "compressor=identity" },
        { "topology=matchings:exponential", "method=beer", "compressor=qinf:bits=2" },
        { "topology=erdos-renyi:p=0.4,redraw=yes", "method=dgd:order=atc", "compressor=identity" },
        { "topology=directed-exponential", "method=sgp", "compressor=identity" },
    };
    const char *const *keys = KEYS("rounds=1000", ways[_i][0], ways[_i][1], ways[_i][2]);
    p2p_swarm *s = swarm_of(8, keys);
    static const p2p_sim_links ideal;
    static outcome simulated;

    ck_ok(simulate(s, &ideal, &simulated));
    crowd_prepare(&c, 8, "tcp", 1, keys);
    crowd_start_all(&c);
    crowd_until_over(&c);
    expect(NULL, P2P_END_ROUNDS, _i < 2 ? 1e-4 : 1);
    ck_assert_mem_eq(c.seen.x, simulated.x, sizeof simulated.x);
    ck_assert_mem_eq(c.seen.bits, simulated.bits, sizeof simulated.bits);
    crowd_finish(&c);
    p2p_swarm_destroy(&s);
}
END_TEST

/* Largest difference of an entry between two nodes' results. */
static double
spread(void)
{
    double most = 0;

    for (size_t i = 0; i < c.n; i++)
        for (size_t k = 0; k < SWARM_DIM; k++)
            most = fmax(most, fabs(c.seen.x[i][k] - c.seen.x[0][k]));
    return most;
}

/* Node 2 takes ten times as long for a gradient: the others finish their rounds when it is at a tenth of its own. */
START_TEST(nobody_waits_for_a_slow_process)
{
    enum { N = 6, ROUNDS = 200 };

    crowd_prepare(&c, N, "tcp", 1,
                  KEYS("rounds=200", "method=pairwise:decay=0.5", "compressor=identity", "topology=exponential"));
    for (size_t i = 0; i < N; i++)
        c.pause[i] = i == 2 ? 0.03 : 0.003;
    crowd_start_all(&c);
    for (size_t i = 0; i < N; i++)
        if (i != 2)
            crowd_until_round(&c, i, ROUNDS - 1);
    ck_said(&c.seen, c.round[2] < ROUNDS / 2, "the slow node is at round %u", c.round[2]);
    crowd_until_over(&c);
    for (size_t i = 0; i < N; i++) {
        expect_ok(i);
        ck_said(&c.seen, c.seen.end[i] == P2P_END_ROUNDS, "node %zu ended by %d", i, (int)c.seen.end[i]);
        ck_said(&c.seen, c.seen.round[i] == ROUNDS, "node %zu after %u rounds", i, c.seen.round[i]);
    }
    ck_said(&c.seen, spread() < 0.1, "the nodes are %g apart", spread());
    crowd_finish(&c);
}
END_TEST

START_TEST(asynchronous_processes_go_on_without_a_killed_one)
{
    crowd_prepare(&c, 5, "tcp", 1,
                  KEYS("rounds=400", "method=pairwise:decay=0.5", "compressor=identity", "topology=complete",
                       "round-timeout=2"));
    for (size_t i = 0; i < 5; i++)
        c.pause[i] = 0.003;
    crowd_start_all(&c);
    crowd_until_round(&c, 3, 20);
    crowd_signal(&c, 3, SIGKILL);
    crowd_until_over(&c);
    for (size_t i = 0; i < 5; i++)
        if (i != 3) {
            expect_ok(i);
            ck_said(&c.seen, c.seen.round[i] == 400, "node %zu after %u rounds", i, c.seen.round[i]);
        }
    crowd_finish(&c);
}
END_TEST

START_TEST(a_request_stops_an_asynchronous_swarm)
{
    crowd_prepare(&c, 4, "ipc", 0,
                  KEYS("rounds=4000000000", "method=pairwise", "compressor=identity", "topology=ring"));
    for (size_t i = 0; i < 4; i++)
        c.pause[i] = 0.001;
    crowd_start_all(&c);
    crowd_until_round(&c, 1, 20);
    crowd_signal(&c, 1, SIGTERM);
    crowd_until_over(&c);
    for (size_t i = 0; i < 4; i++) {
        expect_ok(i);
        ck_said(&c.seen, c.seen.end[i] == P2P_END_STOPPED, "node %zu ended by %d", i, (int)c.seen.end[i]);
    }
    crowd_finish(&c);
}
END_TEST

START_TEST(a_killed_process_leaves_the_others_running)
{
    const int present[8] = { 1, 1, 1, 0, 1, 1, 1, 1 };

    crowd_prepare(&c, 8, "tcp", 1,
                  KEYS("rounds=1000000", "tolerance=1e-13", "method=cold:step=0.02", "round-timeout=8"));
    crowd_start_all(&c);
    crowd_until_round(&c, 3, 20);
    crowd_signal(&c, 3, SIGKILL);
    crowd_until_over(&c);
    expect(present, P2P_END_TOLERANCE, 1e-3);
    ck_log(&c.seen, "node 3 is absent from round");
    ck_log(&c.seen, "7 of 8 nodes are in reach");
    crowd_finish(&c);
}
END_TEST

/* Let all of them run on for a while, then stop. */
static void
run_on(size_t rank, uint32_t rounds)
{
    crowd_until_round(&c, rank, c.round[rank] + rounds);
    crowd_signal(&c, rank, SIGTERM);
    crowd_until_over(&c);
}

START_TEST(a_process_that_is_started_again_joins)
{
    crowd_prepare(&c, 8, "tcp", 1, KEYS("rounds=4000000000", "round-timeout=8"));
    crowd_start_all(&c);
    crowd_until_round(&c, 3, 20);
    crowd_signal(&c, 3, SIGKILL);
    crowd_until_log(&c, "node 2: node 3 is absent");
    crowd_until_log(&c, "node 4: node 3 is absent");
    crowd_start(&c, 3, NULL);
    crowd_until_log(&c, "node 2: node 3 is back from round");
    crowd_until_log(&c, "node 4: node 3 is back from round");
    run_on(2, 500);
    expect(NULL, P2P_END_STOPPED, 1e-6);
    ck_log(&c.seen, "node 3: joining a swarm that is in its rounds");
    crowd_finish(&c);
}
END_TEST

START_TEST(a_stopped_process_is_dropped_and_comes_back)
{
    crowd_prepare(&c, 6, "tcp", 0, KEYS("rounds=4000000000", "round-timeout=1"));
    crowd_start_all(&c);
    crowd_until_round(&c, 2, 20);
    crowd_signal(&c, 2, SIGSTOP);
    crowd_until_log(&c, "node 1: node 2 is absent");
    crowd_until_log(&c, "node 3: node 2 is absent");
    crowd_signal(&c, 2, SIGCONT);
    crowd_until_log(&c, "node 1: node 2 is back from round");
    crowd_until_log(&c, "node 3: node 2 is back from round");
    run_on(2, 500);
    expect(NULL, P2P_END_STOPPED, 1e-6);
    ck_log(&c.seen, "silent for 1 s");
    crowd_finish(&c);
}
END_TEST

START_TEST(a_request_stops_all_after_one_round)
{
    crowd_prepare(&c, 8, "tcp", 1, KEYS("rounds=4000000000"));
    crowd_start_all(&c);
    crowd_until_round(&c, 5, 10);
    crowd_signal(&c, 5, SIGTERM);
    crowd_until_over(&c);
    expect(NULL, P2P_END_STOPPED, 1e300);
    crowd_finish(&c);
}
END_TEST

START_TEST(a_request_before_the_first_round_stops_all)
{
    crowd_prepare(&c, 4, "ipc", 0, KEYS("rounds=10"));
    for (size_t i = 0; i < 3; i++)
        crowd_start(&c, i, NULL);
    crowd_until_log(&c, "waiting for");
    crowd_signal(&c, 1, SIGTERM);
    while (!c.over[1])
        crowd_listen(&c);
    expect_ok(1);
    ck_assert_int_eq(c.seen.end[1], P2P_END_STOPPED);
    ck_assert_uint_eq(c.seen.round[1], 0);
    crowd_signal(&c, 0, SIGKILL);
    crowd_signal(&c, 2, SIGKILL);
    crowd_finish(&c);
}
END_TEST

/* The stranger takes node 2's place with a key of its own, and gets nowhere; then node 2 comes. */
START_TEST(a_key_that_is_not_in_the_swarm_is_refused)
{
    p2p_identity own;
    oddity stranger = { .identity = &own };

    ck_ok(p2p_identity_new(&own));
    crowd_prepare(&c, 8, "tcp", 1, KEYS("rounds=300"));
    for (size_t i = 0; i < 8; i++)
        if (i != 2)
            crowd_start(&c, i, NULL);
    crowd_start(&c, 2, &stranger);
    while (!c.over[2])
        crowd_listen(&c);
    ck_assert_int_eq(c.status[2], P2P_EREFUSED);
    ck_said(&c.seen, strstr(c.sentence[2], "its swarm description does not have this node's key") != NULL, "%s",
            c.sentence[2]);
    ck_said(&c.seen, strstr(c.sentence[2], "node 2: refused by node ") != NULL, "%s", c.sentence[2]);
    crowd_start(&c, 2, NULL);
    crowd_until_over(&c);
    expect(NULL, P2P_END_ROUNDS, 1e-3);
    ck_log(&c.seen, "a stranger at 127.0.0.1 was turned away");
    ck_log(&c.seen, own.public_key);
    crowd_finish(&c);
}
END_TEST

START_TEST(another_compressor_is_refused_by_name)
{
    oddity odd = { .keys = KEYS("rounds=300", "compressor=qinf:bits=4") };

    crowd_prepare(&c, 8, "tcp", 1, KEYS("rounds=300", "compressor=qinf:bits=3"));
    for (size_t i = 0; i < 8; i++)
        if (i != 2)
            crowd_start(&c, i, NULL);
    crowd_start(&c, 2, &odd);
    while (!c.over[2])
        crowd_listen(&c);
    ck_assert_int_eq(c.status[2], P2P_EREFUSED);
    ck_said(&c.seen, strstr(c.sentence[2], "node 2: refused by node ") != NULL, "%s", c.sentence[2]);
    ck_said(&c.seen, strstr(c.sentence[2], "compressor differs: node ") != NULL, "%s", c.sentence[2]);
    ck_said(&c.seen, strstr(c.sentence[2], "\"qinf:bits=3\"") != NULL, "%s", c.sentence[2]);
    ck_said(&c.seen, strstr(c.sentence[2], "\"qinf:bits=4\"") != NULL, "%s", c.sentence[2]);
    crowd_start(&c, 2, NULL);
    crowd_until_over(&c);
    expect(NULL, P2P_END_ROUNDS, 1e-3);
    crowd_finish(&c);
}
END_TEST

/* The swarm is in its rounds when the odd one knocks at node 4, as node 3 which was killed. */
START_TEST(a_running_swarm_refuses_at_once)
{
    const int present[6] = { 1, 1, 1, 0, 1, 1 };
    oddity odd = { .keys = KEYS("rounds=1000000", "tolerance=1e-13", "method=cold:step=0.005", "seed=77") };

    crowd_prepare(&c, 6, "tcp", 1, KEYS("rounds=1000000", "tolerance=1e-13", "method=cold:step=0.005"));
    crowd_start_all(&c);
    crowd_until_round(&c, 3, 5);
    crowd_signal(&c, 3, SIGKILL);
    crowd_until_log(&c, "node 4: node 3 is absent");
    crowd_start(&c, 3, &odd);
    while (!c.over[3])
        crowd_listen(&c);
    ck_assert_int_eq(c.status[3], P2P_EREFUSED);
    ck_said(&c.seen, strstr(c.sentence[3], "seed differs: node ") != NULL, "%s", c.sentence[3]);
    crowd_until_over(&c);
    expect(present, P2P_END_TOLERANCE, 1e-2);
    crowd_finish(&c);
}
END_TEST

START_TEST(who_is_missing_is_named)
{
    crowd_prepare(&c, 5, "tcp", 1, KEYS("rounds=300", "connect-timeout=1"));
    for (size_t i = 0; i < 5; i++)
        if (i != 3)
            crowd_start(&c, i, NULL);
    crowd_until_over(&c);
    for (size_t i = 0; i < 5; i++)
        if (i != 3) {
            ck_assert_int_eq(c.status[i], P2P_ETIMEDOUT);
            ck_said(&c.seen, strstr(c.sentence[i], "the swarm is not complete after 1 s: node ") != NULL, "%s",
                    c.sentence[i]);
        }
    ck_said(&c.seen, strstr(c.sentence[2], c.endpoint[3]) != NULL, "%s", c.sentence[2]);
    crowd_finish(&c);
}
END_TEST

/* Node 1 has both of its neighbours, which wait for node 3: neither is lost, however long that takes. */
START_TEST(who_waits_for_another_is_not_lost)
{
    crowd_prepare(&c, 4, "ipc", 0, KEYS("rounds=300", "topology=ring", "round-timeout=2"));
    for (size_t i = 0; i < 3; i++)
        crowd_start(&c, i, NULL);
    crowd_until_log(&c, "node 0: waiting for node 3");
    crowd_until_log(&c, "node 2: waiting for node 3");
    sleep(4);
    crowd_start(&c, 3, NULL);
    crowd_until_over(&c);
    expect(NULL, P2P_END_ROUNDS, 1e-3);
    crowd_finish(&c);
}
END_TEST

START_TEST(two_nodes_minus_one_says_so)
{
    crowd_prepare(&c, 2, "tcp", 1,
                  KEYS("rounds=4000000000", "topology=path", "connect-timeout=1", "round-timeout=2"));
    crowd_start_all(&c);
    crowd_until_round(&c, 1, 10);
    crowd_signal(&c, 1, SIGKILL);
    crowd_until_over(&c);
    ck_assert_int_eq(c.status[0], P2P_ETIMEDOUT);
    ck_said(&c.seen, strstr(c.sentence[0], "node 0: alone after round ") != NULL, "%s", c.sentence[0]);
    ck_said(&c.seen, strstr(c.sentence[0], "node 1: ") != NULL, "%s", c.sentence[0]);
    crowd_finish(&c);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("swarms of processes");
    TCase *tc = tcase_create("swarms");

    tcase_set_timeout(tc, 300);
    tcase_add_loop_test(tc, processes_do_what_the_simulator_does, 0, 4);
    tcase_add_loop_test(tc, processes_find_the_rounds_of_a_schedule, 0, 4);
    tcase_add_test(tc, nobody_waits_for_a_slow_process);
    tcase_add_test(tc, asynchronous_processes_go_on_without_a_killed_one);
    tcase_add_test(tc, a_request_stops_an_asynchronous_swarm);
    tcase_add_test(tc, a_killed_process_leaves_the_others_running);
    tcase_add_test(tc, a_process_that_is_started_again_joins);
    tcase_add_test(tc, a_stopped_process_is_dropped_and_comes_back);
    tcase_add_test(tc, a_request_stops_all_after_one_round);
    tcase_add_test(tc, a_request_before_the_first_round_stops_all);
    tcase_add_test(tc, a_key_that_is_not_in_the_swarm_is_refused);
    tcase_add_test(tc, another_compressor_is_refused_by_name);
    tcase_add_test(tc, a_running_swarm_refuses_at_once);
    tcase_add_test(tc, who_is_missing_is_named);
    tcase_add_test(tc, who_waits_for_another_is_not_lost);
    tcase_add_test(tc, two_nodes_minus_one_says_so);
    suite_add_tcase(suite, tc);
    return run_suites(1, &suite);
}
