/* Whole swarms on the simulated network: results, determinism, and every kind of fault. */
#include "node/machine_inside.h"
#include "swarms.h"
#include "wire/header.h"

#include <math.h>
#include <p2popt/random.h>

static const p2p_sim_links ideal;
static outcome out;

#define KEYS(...) ((const char *const[]){ __VA_ARGS__, NULL })

static void
expect_all(size_t n, p2p_end end, double distance)
{
    ck_assert_uint_eq(out.ended, n);
    for (size_t i = 0; i < n; i++) {
        ck_said(&out, out.end[i] == end, "node %zu ended by %d", i, (int)out.end[i]);
        ck_said(&out, out.round[i] == out.round[0], "node %zu after %u rounds", i, out.round[i]);
        ck_said(&out, out.absent[i] == 0, "node %zu has %zu absent neighbours", i, out.absent[i]);
        ck_said(&out, distance_of(&out, i, n, NULL) <= distance, "node %zu is %g from the optimum", i,
                distance_of(&out, i, n, NULL));
    }
}

START_TEST(swarms_reach_the_optimum)
{
    static const struct {
        size_t n;
        const char *topology, *method, *compressor;
    } cases[] = {
        { 8, "topology=ring", "method=cold", "compressor=qinf:bits=2" },
        { 8, "topology=ring", "method=nids", "compressor=identity" },
        { 6, "topology=star", "method=cold", "compressor=topk:k=50%" },
        { 5, "topology=path", "method=lead", "compressor=qinf:bits=4" },
        { 7, "topology=complete", "method=dyna-cold", "compressor=binary" },
        { 2, "topology=path", "method=cold", "compressor=identity" },
        { 1, "topology=complete", "method=cold", "compressor=qinf:bits=2" },
        { 1, "topology=complete", "method=nids", "compressor=identity" },
    };
    p2p_swarm *s =
        swarm_of(cases[_i].n, KEYS(cases[_i].topology, cases[_i].method, cases[_i].compressor, "rounds=600"));

    ck_ok(simulate(s, &ideal, &out));
    expect_all(cases[_i].n, P2P_END_ROUNDS, 1e-6);
    ck_assert_uint_eq(out.round[0], 600);
    p2p_swarm_destroy(&s);
}
END_TEST

/* Real messages on virtual time: who meets whom depends on nothing else. */
START_TEST(asynchronous_runs_repeat)
{
    static const p2p_sim_links links = { .latency = 0.01, .compute = 0.004 };
    p2p_swarm *s =
        swarm_of(8, KEYS("topology=exponential", "method=pairwise:decay=0.5", "compressor=identity", "rounds=500"));
    static outcome again;

    ck_ok(simulate(s, &links, &out));
    expect_all(8, P2P_END_ROUNDS, 0.3);
    ck_assert_uint_eq(out.round[0], 500);
    ck_ok(simulate(s, &links, &again));
    ck_assert_mem_eq(out.x, again.x, sizeof out.x);
    p2p_swarm_destroy(&s);
}
END_TEST

/* A vector that no round expects, from a neighbour: it counts against it, and nothing else happens. */
START_TEST(an_ask_among_common_rounds_is_bad)
{
    p2p_swarm *s = swarm_of(4, KEYS("topology=ring", "method=gt", "compressor=identity", "rounds=300"));
    p2p_node_config config = config_of(s, &out);
    p2pi_sim_run *run;
    p2pi_machine *m;

    ck_ok(p2pi_sim_run_new(&run, &config, &ideal, quadratic_of, NULL));
    m = p2pi_sim_run_machine(run, 0);
    while (p2pi_machine_round(m) < 20)
        ck_assert_int_eq(p2pi_sim_run_step(run), 1);
    for (p2pi_kind kind = P2PI_ASK; kind <= P2PI_ANSWER; kind++) {
        p2pi_header h = { .kind = kind,
                          .type = P2P_F64,
                          .fingerprint = m->fingerprint,
                          .sender = m->peers[0].rank,
                          .session = m->peers[0].session,
                          .dim = m->dim,
                          .payload = 1 + 8 * m->dim };
        p2pi_packet *packet = m->link->vt->packet(m->link, P2PI_HEADER_BYTES + h.payload);
        p2pi_link_client client = p2pi_machine_client(m);

        memset(packet->bytes, 0, packet->len);
        p2pi_header_write(&h, packet->bytes);
        client.arrived(client.user, h.sender, packet);
    }
    ck_log(&out, "ask in a swarm that has common rounds");
    while (p2pi_sim_run_step(run))
        ;
    ck_ok(p2pi_sim_run_status(run));
    ck_assert_uint_eq(out.ended, 4);
    p2pi_sim_run_destroy(&run);
    p2p_swarm_destroy(&s);
}
END_TEST

START_TEST(all_end_together_by_tolerance)
{
    p2p_swarm *s = swarm_of(9, KEYS("topology=ring", "rounds=5000", "tolerance=1e-12"));

    ck_ok(simulate(s, &ideal, &out));
    expect_all(9, P2P_END_TOLERANCE, 1e-4);
    ck_assert_uint_lt(out.round[0], 5000);
    p2p_swarm_destroy(&s);
}
END_TEST

/* Latency, bandwidth and the time of computing move the clock, not the results. */
START_TEST(links_change_the_time_alone)
{
    static const p2p_sim_links links[] = {
        { .latency = 0.01 },
        { .bandwidth = 1e5 },
        { .compute = 0.002 },
        { .latency = 0.02, .bandwidth = 1e4, .compute = 0.001 },
    };
    p2p_swarm *s = swarm_of(8, KEYS("rounds=50")), *t = swarm_of(8, KEYS("rounds=50"));
    outcome first;

    ck_ok(simulate(s, &ideal, &first));
    ck_assert(first.seconds[0] == 0);
    ck_ok(simulate(t, &links[_i], &out));
    ck_assert_mem_eq(first.x, out.x, sizeof out.x);
    ck_assert_mem_eq(first.bits, out.bits, sizeof out.bits);
    ck_assert(out.seconds[0] >= 50 * (links[_i].latency + links[_i].compute) * 0.9);
    ck_assert(out.seconds[0] > 0);
    p2p_swarm_destroy(&t);
    p2p_swarm_destroy(&s);
}
END_TEST

START_TEST(one_description_one_run)
{
    static const p2p_sim_links links = { .latency = 0.003, .bandwidth = 1e6, .compute = 0.0007 };
    p2p_swarm *s = swarm_of(8, KEYS("rounds=40", "seed=9", "report-every=7"));
    outcome first;

    ck_ok(simulate(s, &links, &first));
    ck_ok(simulate(s, &links, &out));
    ck_assert_mem_eq(&first, &out, sizeof out);
    ck_assert_uint_eq(out.reports, 8 * (5 + 1));
    p2p_swarm_destroy(&s);
}
END_TEST

START_TEST(seeds_matter)
{
    p2p_swarm *s = swarm_of(8, KEYS("rounds=3", "seed=1")), *t = swarm_of(8, KEYS("rounds=3", "seed=2"));
    outcome first;

    ck_ok(simulate(s, &ideal, &first));
    ck_ok(simulate(t, &ideal, &out));
    ck_assert_mem_ne(first.x, out.x, sizeof out.x);
    p2p_swarm_destroy(&t);
    p2p_swarm_destroy(&s);
}
END_TEST

/* ---- stopping */

typedef struct {
    outcome base; /* first: callbacks fill it */
    volatile int stop;
    uint32_t at;
} stopping;

static void
stop_at(void *user, const p2p_report *report)
{
    stopping *s = user;

    if (report->rank == 3 && report->round == s->at)
        s->stop = 1;
    if (report->end != P2P_END_NONE) {
        s->base.ended++;
        s->base.end[report->rank] = report->end;
        s->base.round[report->rank] = report->round;
    }
}

START_TEST(a_request_ends_all_after_one_round)
{
    p2p_swarm *s = swarm_of(8, KEYS("rounds=100000"));
    p2p_node_config config = config_of(s, &out);
    stopping st = { .at = 10 };

    config.on_report = stop_at;
    config.on_log = NULL;
    config.report_every = 1;
    config.user = &st;
    ck_ok(p2p_swarm_run(&config, "sim", NULL, quadratic_of, &st.stop));
    ck_assert_uint_eq(st.base.ended, 8);
    for (size_t i = 0; i < 8; i++) {
        ck_assert_int_eq(st.base.end[i], P2P_END_STOPPED);
        ck_assert_uint_eq(st.base.round[i], st.base.round[0]);
    }
    ck_assert_uint_ge(st.base.round[0], 10);
    ck_assert_uint_le(st.base.round[0], 10 + 2 * 4 + 2);
    p2p_swarm_destroy(&s);
}
END_TEST

/* ---- faults */

static p2pi_sim_run *
start(p2p_swarm *s, const p2p_sim_links *links)
{
    p2p_node_config config = config_of(s, &out);
    p2pi_sim_run *run;

    ck_ok(p2pi_sim_run_new(&run, &config, links, quadratic_of, NULL));
    return run;
}

static void
run_until(p2pi_sim_run *run, size_t rank, uint32_t round)
{
    while (p2pi_machine_round(p2pi_sim_run_machine(run, rank)) < round)
        ck_said(&out, p2pi_sim_run_step(run), "the run ended before round %u", round);
}

static void
run_out(p2pi_sim_run *run)
{
    while (p2pi_sim_run_step(run))
        continue;
}

static const p2p_sim_links usual = { .latency = 0.001, .compute = 0.0005 };

START_TEST(survivors_go_on_to_their_optimum)
{
    const int present[8] = { 1, 1, 1, 0, 1, 1, 1, 1 };
    p2p_swarm *s = swarm_of(8, KEYS("rounds=3000", "tolerance=1e-14"));
    p2pi_sim_run *run = start(s, &usual);

    run_until(run, 0, 20);
    p2pi_sim_run_kill(run, 3);
    run_out(run);
    ck_ok(p2pi_sim_run_status(run));
    ck_assert_uint_eq(out.ended, 7);
    for (size_t i = 0; i < 8; i++)
        if (present[i]) {
            ck_assert_int_eq(out.end[i], P2P_END_TOLERANCE);
            ck_assert_uint_eq(out.round[i], out.round[0]);
            ck_said(&out, distance_of(&out, i, 8, present) < 1e-5, "node %zu: %g", i,
                    distance_of(&out, i, 8, present));
        }
    ck_log(&out, "1 node 2: node 3 is absent from round");
    ck_log(&out, "1 node 4: node 3 is absent from round");
    ck_log(&out, "7 of 8 nodes are in reach, and go on to the optimum of their own data; lost: 3");
    p2pi_sim_run_destroy(&run);
    p2p_swarm_destroy(&s);
}
END_TEST

START_TEST(a_split_swarm_says_so)
{
    const int left[8] = { 1, 1, 1, 0, 0, 0, 0, 1 }, right[8] = { 0, 0, 0, 0, 1, 1, 0, 0 };
    p2p_swarm *s = swarm_of(8, KEYS("rounds=600"));
    p2pi_sim_run *run = start(s, &usual);

    run_until(run, 0, 20);
    p2pi_sim_run_kill(run, 3);
    run_until(run, 0, 40);
    p2pi_sim_run_kill(run, 6);
    run_out(run);
    ck_ok(p2pi_sim_run_status(run));
    ck_assert_uint_eq(out.ended, 6);
    for (size_t i = 0; i < 8; i++)
        if (left[i] || right[i])
            ck_said(&out, distance_of(&out, i, 8, left[i] ? left : right) < 1e-6, "node %zu: %g", i,
                    distance_of(&out, i, 8, left[i] ? left : right));
    ck_log(&out, "node 0: 4 of 8 nodes are in reach, and go on to the optimum of their own data; lost: 3-6");
    ck_log(&out, "node 4: 2 of 8 nodes are in reach, and go on to the optimum of their own data; lost: 0-3, 6-7");
    p2pi_sim_run_destroy(&run);
    p2p_swarm_destroy(&s);
}
END_TEST

START_TEST(a_node_alone_waits_and_then_says_so)
{
    p2p_swarm *s = swarm_of(2, KEYS("rounds=1000", "topology=path", "connect-timeout=5"));
    p2pi_sim_run *run = start(s, &usual);

    run_until(run, 0, 20);
    p2pi_sim_run_kill(run, 1);
    run_out(run);
    ck_fails(p2pi_sim_run_status(run), P2P_ETIMEDOUT, "node 0: alone after round 2");
    ck_assert_ptr_nonnull(strstr(p2p_last_error(), "nobody came back in 5 s: node 1: the connection is lost"));
    ck_assert_int_eq(out.end[0], P2P_END_FAILED);
    ck_log(&out, "waiting for a neighbour for up to 5 s");
    p2pi_sim_run_destroy(&run);
    p2p_swarm_destroy(&s);
}
END_TEST

START_TEST(a_node_that_is_started_again_joins)
{
    static const char *const topologies[] = { "topology=ring", "topology=complete", "topology=star" };
    static const size_t victims[] = { 3, 0, 7 };
    p2p_swarm *s = swarm_of(8, KEYS("rounds=1500", topologies[_i]));
    p2pi_sim_run *run = start(s, &usual);
    size_t victim = victims[_i];

    run_until(run, 1, 20);
    p2pi_sim_run_kill(run, victim);
    run_until(run, 1, 60);
    ck_ok(p2pi_sim_run_revive(run, victim));
    run_out(run);
    ck_ok(p2pi_sim_run_status(run));
    expect_all(8, P2P_END_ROUNDS, 1e-6);
    ck_log(&out, "joining a swarm that is in its rounds");
    ck_log(&out, "all 8 nodes are in reach again");
    p2pi_sim_run_destroy(&run);
    p2p_swarm_destroy(&s);
}
END_TEST

/* The frozen node's neighbours drop it; when it thaws it is behind, leaves rounds out, and takes part again. */
START_TEST(a_node_that_was_frozen_catches_up)
{
    static const size_t victims[] = { 0, 3, 7 };
    p2p_swarm *s = swarm_of(8, KEYS("rounds=6000", "round-timeout=2"));
    p2pi_sim_run *run = start(s, &usual);
    size_t victim = victims[_i];

    run_until(run, 1, 20);
    p2pi_sim_freeze(p2pi_sim_run_network(run), (uint32_t)victim, p2pi_sim_now(p2pi_sim_run_network(run)) + 5);
    run_out(run);
    ck_ok(p2pi_sim_run_status(run));
    expect_all(8, P2P_END_ROUNDS, 1e-6);
    ck_log(&out, "are left out");
    p2pi_sim_run_destroy(&run);
    p2p_swarm_destroy(&s);
}
END_TEST

typedef struct {
    p2p_random random;
    double late, swapped, lost, doubled, spoilt; /* probabilities */
    size_t count;
    const p2pi_sim_run *run;
    double free_at[SWARM_MOST][SWARM_MOST];
} weather;

static double
draw(weather *w)
{
    double u;

    p2p_random_uniform(&w->random, 1, &u);
    return u;
}

static int
fate(void *user, uint32_t from, uint32_t to, p2pi_packet *packet, double *delay)
{
    weather *w = user;
    double now = p2pi_sim_now(p2pi_sim_run_network(w->run)), *free_at = &w->free_at[from][to];

    if (draw(w) < w->late)
        *delay = 0.05 * draw(w);
    if (now + *delay < *free_at)
        *delay = *free_at - now + 1e-9;
    *free_at = now + *delay;
    if (draw(w) < w->swapped) {
        *delay += 0.05 * draw(w);
        w->count++;
    }
    if (draw(w) < w->spoilt) {
        packet->bytes[(size_t)(draw(w) * P2PI_HEADER_BYTES)] ^= (uint8_t)(1 + 254 * draw(w));
        w->count++;
    }
    if (draw(w) < w->lost) {
        w->count++;
        return 0;
    }
    return draw(w) < w->doubled ? 2 : 1;
}

/* Bad weather for a while after the opening; then the swarm must find together again and reach the optimum. */
static void
weather_run(weather *w, const char *timeout, double distance)
{
    p2p_swarm *s = swarm_of(8, KEYS("rounds=4000", timeout, "topology=torus:rows=2,cols=4"));
    p2pi_sim_run *run = start(s, &usual);

    w->run = run;
    run_until(run, 0, 1);
    p2pi_sim_set_fate(p2pi_sim_run_network(run), fate, w);
    run_until(run, 0, 400);
    w->late = w->swapped = w->lost = w->doubled = w->spoilt = 0;
    run_out(run);
    ck_ok(p2pi_sim_run_status(run));
    expect_all(8, P2P_END_ROUNDS, distance);
    p2pi_sim_run_destroy(&run);
    p2p_swarm_destroy(&s);
}

START_TEST(late_messages_do_no_harm)
{
    weather w = { .random = p2p_random_open((uint64_t)_i, 0, 0, P2P_STREAM_CHANNEL), .late = 0.3 };

    weather_run(&w, "round-timeout=1", 1e-6);
    ck_assert_ptr_null(strstr(out.log, "absent"));
}
END_TEST

START_TEST(swapped_messages_are_made_up_for)
{
    weather w = { .random = p2p_random_open((uint64_t)_i, 0, 0, P2P_STREAM_CHANNEL), .swapped = 0.002 };

    weather_run(&w, "round-timeout=0.5", 1e-6);
    ck_assert_uint_gt(w.count, 0);
    ck_log(&out, "is back from round");
}
END_TEST

START_TEST(doubled_messages_do_no_harm)
{
    weather w = { .random = p2p_random_open((uint64_t)_i, 0, 0, P2P_STREAM_CHANNEL), .doubled = 0.3 };

    weather_run(&w, "round-timeout=1", 1e-6);
    ck_assert_ptr_null(strstr(out.log, "absent"));
}
END_TEST

START_TEST(lost_messages_are_made_up_for)
{
    weather w = { .random = p2p_random_open((uint64_t)_i, 0, 0, P2P_STREAM_CHANNEL), .lost = 0.002 };

    weather_run(&w, "round-timeout=0.5", 1e-6);
    ck_assert_uint_gt(w.count, 0);
    ck_log(&out, "is back from round");
}
END_TEST

START_TEST(spoilt_messages_are_made_up_for)
{
    weather w = { .random = p2p_random_open((uint64_t)_i, 0, 0, P2P_STREAM_CHANNEL), .spoilt = 0.001 };

    weather_run(&w, "round-timeout=0.5", 1e-6);
    ck_assert_uint_gt(w.count, 0);
    ck_log(&out, "bad message");
}
END_TEST

START_TEST(a_node_lost_before_the_first_round_ends_it)
{
    p2p_swarm *s = swarm_of(8, KEYS("rounds=100", "connect-timeout=4"));
    p2pi_sim_run *run = start(s, &usual);

    p2pi_sim_run_kill(run, 5);
    run_out(run);
    ck_fails(p2pi_sim_run_status(run), P2P_ETIMEDOUT, "node ");
    ck_assert_ptr_nonnull(strstr(p2p_last_error(), "node 5"));
    ck_assert_uint_eq(out.ended, 7);
    for (size_t i = 0; i < 8; i++)
        if (i != 5)
            ck_assert_int_eq(out.end[i], P2P_END_FAILED);
    p2pi_sim_run_destroy(&run);
    p2p_swarm_destroy(&s);
}
END_TEST

START_TEST(divergence_ends_all)
{
    p2p_swarm *s = swarm_of(8, KEYS("rounds=100000", "method=cold:step=1e3"));

    ck_fails(simulate(s, &ideal, &out), P2P_EDIVERGED, "");
    ck_assert_uint_eq(out.ended, 8);
    for (size_t i = 0; i < 8; i++)
        ck_assert_int_eq(out.end[i], P2P_END_FAILED);
    p2p_swarm_destroy(&s);
}
END_TEST

static p2p_status
failing_gradient(void *user, p2p_view x, const size_t *idx, size_t count, p2p_vec g)
{
    size_t *calls = user;

    (void)idx;
    (void)count;
    if (++*calls > 30)
        return p2p_fail(P2P_EUSER, "the sensor is gone");
    for (size_t i = 0; i < x.dim; i++)
        p2p_vec_set(g, i, p2p_vec_get(x, i));
    return P2P_OK;
}

static p2p_status
failing_of(void *user, size_t rank, p2p_problem **out_problem)
{
    static size_t calls;
    static const p2p_layer layer = { "x", SWARM_DIM, 1, 0, 0 };
    p2p_problem_vt table = { .size = sizeof table,
                             .layers = &layer,
                             .layer_count = 1,
                             .grad = failing_gradient,
                             .smoothness = 1,
                             .convexity = 1 };

    calls = 0;
    if (rank != 2)
        return quadratic_of(user, rank, out_problem);
    return p2p_problem_callback(out_problem, &table, &calls, P2P_F64);
}

START_TEST(a_failing_callback_ends_its_node_alone)
{
    const int present[6] = { 1, 1, 0, 1, 1, 1 };
    p2p_swarm *s = swarm_of(6, KEYS("rounds=600"));
    p2p_node_config config = config_of(s, &out);

    ck_fails(p2p_swarm_run(&config, "sim", &usual, failing_of, NULL), P2P_EUSER, "the sensor is gone");
    ck_assert_uint_eq(out.ended, 6);
    for (size_t i = 0; i < 6; i++) {
        ck_assert_int_eq(out.end[i], present[i] ? P2P_END_ROUNDS : P2P_END_FAILED);
        if (present[i])
            ck_assert_msg(distance_of(&out, i, 6, present) < 1e-6, "node %zu: %g", i,
                          distance_of(&out, i, 6, present));
    }
    ck_log(&out, "node 2 is gone from round");
    ck_log(&out, "the sensor is gone");
    p2p_swarm_destroy(&s);
}
END_TEST

START_TEST(what_cannot_run_is_said)
{
    static const struct {
        const char *transport, *sentence;
        p2p_status status;
    } bad[] = {
        { "tcp", "is between processes; within one, use sim or inproc", P2P_ENOTSUP },
        { "smi", "transport \"smi\": unknown; expected one of: tcp, ipc, inproc, sim", P2P_EPARSE },
        { "sim:latency=-1", "latency=-1: expected a number", P2P_EINVAL },
        { "sim:delay=1", "unknown option \"delay\"; allowed: latency, bandwidth, compute", P2P_EPARSE },
        { "inproc:x=1", "unknown option \"x\"; it has none", P2P_EPARSE },
    };
    p2p_swarm *s = swarm_of(4, NULL);
    p2p_node_config config = config_of(s, &out);

    ck_fails(p2p_swarm_run(&config, bad[_i].transport, NULL, quadratic_of, NULL), bad[_i].status, bad[_i].sentence);
    p2p_swarm_destroy(&s);
}
END_TEST

START_TEST(threads_do_what_the_simulator_does)
{
    static const char *const keys[] = { "rounds=120", "tolerance=1e-9" };
    p2p_swarm *s = swarm_of(8, KEYS(keys[0], keys[1]));
    p2p_node_config config;
    static outcome threads;

    ck_ok(simulate(s, &ideal, &out));
    config = config_of(s, &threads);
    ck_ok(p2p_swarm_run(&config, "inproc", NULL, quadratic_of, NULL));
    ck_assert_uint_eq(threads.ended, 8);
    ck_assert_mem_eq(threads.x, out.x, sizeof out.x);
    ck_assert_mem_eq(threads.round, out.round, sizeof out.round);
    ck_assert_mem_eq(threads.bits, out.bits, sizeof out.bits);
    p2p_swarm_destroy(&s);
}
END_TEST

Suite *
sim_suite(void)
{
    Suite *suite = suite_create("sim");
    TCase *runs = tcase_create("runs"), *faults = tcase_create("faults");

    tcase_set_timeout(runs, 60);
    tcase_add_loop_test(runs, swarms_reach_the_optimum, 0, 8);
    tcase_add_test(runs, asynchronous_runs_repeat);
    tcase_add_test(runs, an_ask_among_common_rounds_is_bad);
    tcase_add_test(runs, all_end_together_by_tolerance);
    tcase_add_loop_test(runs, links_change_the_time_alone, 0, 4);
    tcase_add_test(runs, one_description_one_run);
    tcase_add_test(runs, seeds_matter);
    tcase_add_test(runs, a_request_ends_all_after_one_round);
    tcase_add_loop_test(runs, what_cannot_run_is_said, 0, 5);
    tcase_add_test(runs, threads_do_what_the_simulator_does);
    suite_add_tcase(suite, runs);
    tcase_set_timeout(faults, 60);
    tcase_add_test(faults, survivors_go_on_to_their_optimum);
    tcase_add_test(faults, a_split_swarm_says_so);
    tcase_add_test(faults, a_node_alone_waits_and_then_says_so);
    tcase_add_loop_test(faults, a_node_that_is_started_again_joins, 0, 3);
    tcase_add_loop_test(faults, a_node_that_was_frozen_catches_up, 0, 3);
    tcase_add_loop_test(faults, late_messages_do_no_harm, 0, 3);
    tcase_add_loop_test(faults, swapped_messages_are_made_up_for, 0, 3);
    tcase_add_loop_test(faults, doubled_messages_do_no_harm, 0, 3);
    tcase_add_loop_test(faults, lost_messages_are_made_up_for, 0, 3);
    tcase_add_loop_test(faults, spoilt_messages_are_made_up_for, 0, 3);
    tcase_add_test(faults, a_node_lost_before_the_first_round_ends_it);
    tcase_add_test(faults, divergence_ends_all);
    tcase_add_test(faults, a_failing_callback_ends_its_node_alone);
    suite_add_tcase(suite, faults);
    return suite;
}
