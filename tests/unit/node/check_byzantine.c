/*
 * Whole swarms with liars in them, on quadratics f_i(x) = 1/2 sum_k D_k (x_k - c_ik)^2 that are much alike: what
 * honest nodes reach by rules, and by the mean.
 */
#include "node/byzantine.h"
#include "swarms.h"

#include <math.h>
#include <p2popt/random.h>
#include <stdlib.h>

#define KEYS(...) ((const char *const[]){ __VA_ARGS__, NULL })

static outcome out;

/* ---- the world */

static double
sharpness(size_t k)
{
    return 1 + 3.0 * (double)k / (SWARM_DIM - 1);
}

static const double *
middle(size_t rank)
{
    static double middles[SWARM_MOST][SWARM_DIM];
    p2p_random random = p2p_random_open(1, 100, 0, P2P_STREAM_DATA);
    double base[SWARM_DIM];

    p2p_random_normal(&random, SWARM_DIM, base);
    random = p2p_random_open(1, (uint32_t)rank, 0, P2P_STREAM_DATA);
    p2p_random_normal(&random, SWARM_DIM, middles[rank]);
    for (size_t k = 0; k < SWARM_DIM; k++)
        middles[rank][k] = base[k] + 0.2 * middles[rank][k];
    return middles[rank];
}

static p2p_status
gradient(void *user, p2p_view x, const size_t *idx, size_t count, p2p_vec g)
{
    const double *c = user;

    (void)idx;
    (void)count;
    for (size_t k = 0; k < x.dim; k++)
        p2p_vec_set(g, k, sharpness(k) * (p2p_vec_get(x, k) - c[k]));
    return P2P_OK;
}

static p2p_status
problem_of(void *user, size_t rank, p2p_problem **problem)
{
    static const p2p_layer layer = { "x", SWARM_DIM, 1, 0, 0 };
    const p2p_problem_vt table = {
        .size = sizeof table, .layers = &layer, .layer_count = 1, .grad = gradient, .smoothness = 4, .convexity = 1
    };

    (void)user;
    return p2p_problem_callback(problem, &table, (void *)middle(rank), P2P_F64);
}

/* Relative distance of the worst honest node from their optimum. */
static double
worst_error(size_t nodes, const unsigned char *lies)
{
    double best[SWARM_DIM] = { 0 }, norm = 0, worst = 0, honest = 0;

    for (size_t i = 0; i < nodes; i++)
        honest += !lies[i];
    for (size_t k = 0; k < SWARM_DIM; k++) {
        for (size_t i = 0; i < nodes; i++)
            best[k] += lies[i] ? 0 : middle(i)[k] / honest;
        norm += best[k] * best[k];
    }
    for (size_t i = 0; i < nodes; i++) {
        double sum = 0;

        for (size_t k = 0; k < SWARM_DIM; k++)
            sum += (out.x[i][k] - best[k]) * (out.x[i][k] - best[k]);
        if (!lies[i])
            worst = isfinite(sum) ? fmax(worst, sqrt(sum / norm)) : INFINITY;
    }
    return worst;
}

typedef struct {
    const char *topology, *method, *compressor;
    size_t nodes;
    const char *liars;
} setting;

/* Infinite where the swarm diverges. */
static double
error_with(const setting *s, const char *rule, const char *attack, const char *transport)
{
    char keys[5][96], byzantine[96];
    unsigned char lies[SWARM_MOST] = { 0 };
    p2p_node_config config;
    p2p_swarm *swarm;
    p2p_status st;

    snprintf(keys[0], sizeof keys[0], "topology=%s", s->topology);
    snprintf(keys[1], sizeof keys[1], "method=%s", s->method);
    snprintf(keys[2], sizeof keys[2], "compressor=%s", s->compressor);
    snprintf(keys[3], sizeof keys[3], "aggregator=%s", rule);
    swarm = swarm_of(s->nodes, KEYS(keys[0], keys[1], keys[2], keys[3], "rounds=150", "round-timeout=0.5"));
    config = config_of(swarm, &out);
    if (attack != NULL) {
        snprintf(byzantine, sizeof byzantine, "%s@%s", attack, s->liars);
        ck_ok(p2p_byzantine_nodes(byzantine, s->nodes, lies));
        config.byzantine = byzantine;
    }
    st = p2p_swarm_run(&config, transport, NULL, problem_of, NULL);
    ck_assert_msg(st == P2P_OK || st == P2P_EDIVERGED, "%s on %s under %s: %s", rule, s->topology,
                  attack ? attack : "none", p2p_last_error());
    p2p_swarm_destroy(&swarm);
    return st == P2P_OK ? worst_error(s->nodes, lies) : INFINITY;
}

/* ---- rules against attacks */

static const setting settings[] = {
    { "complete", "robust-gossip:step=0.05", "identity", 10, "8-9" },
    { "random-regular:degree=7", "robust-gossip:step=0.05", "identity", 16, "3,11" },
    { "complete", "robust-choco:step=0.05,gossip=1", "qinf:bits=6", 10, "8-9" },
    { "random-regular:degree=7", "robust-choco:step=0.05,gossip=0.7", "qinf:bits=6", 16, "3,11" },
    { "complete", "robust-choco:step=0.05,gossip=0.5", "topk:k=50%", 10, "8,9" },
};
enum { SETTINGS = sizeof settings / sizeof *settings };

static const char *const rules[] = { "clipped-gossip:f=2", "cs-plus:f=2", "gts:f=2", "nna:f=2",
                                     "bridge-t:f=2",       "bridge-m",    "ios:f=2" };
enum { RULES = sizeof rules / sizeof *rules };

/* byzantine.md, section 8: what the mean suffers, and by what factor every rule is nearer. */
static const struct {
    const char *attack;
    double factor;
} strong[] = {
    { "sign-flip:scale=30", 10 }, { "noise:sigma=30", 10 }, { "equivocate:offset=20", 10 }, { "shift:offset=20", 10 },
    { "dissensus", 1.8 },         { "bit-flip", 10 },       { "ipm:eps=30", 10 },
};

START_TEST(rules_bear_what_breaks_the_mean)
{
    const setting *s = &settings[_i % SETTINGS];
    const char *attack = strong[_i / SETTINGS].attack;
    const double mean = error_with(s, "mean", attack, "sim");

    ck_assert_msg(mean > 0.1, "the mean on %s, %s, under %s is %g from the optimum", s->topology, s->method, attack,
                  mean);
    for (size_t r = 0; r < RULES; r++) {
        const double error = error_with(s, rules[r], attack, "sim");

        ck_assert_msg(error <= 0.25, "%s on %s, %s, under %s: %g", rules[r], s->topology, s->method, attack, error);
        ck_assert_msg(error <= mean / strong[_i / SETTINGS].factor, "%s on %s, %s, under %s: %g, the mean %g",
                      rules[r], s->topology, s->method, attack, error, mean);
    }
}
END_TEST

/* Vectors of fewer entries than x are lied in, too; on a star the hub is honest. */
START_TEST(rosdhb_bears_what_breaks_the_mean)
{
    static const char *const attacks[] = { "ipm:eps=10", "shift:offset=20", "sign-flip:scale=30" };
    const setting s = { _i < 3 ? "complete" : "star", "rosdhb:k=50%", "identity", 10, "8-9" };
    const double mean = error_with(&s, "mean", attacks[_i % 3], "sim");
    const double error = error_with(&s, "nnm:f=2|trimmed-mean:f=2", attacks[_i % 3], "sim");

    ck_assert_msg(mean > 0.5, "the mean on %s under %s is %g from the optimum", s.topology, attacks[_i % 3], mean);
    ck_assert_msg(error <= 0.25, "%s under %s: %g", s.topology, attacks[_i % 3], error);
}
END_TEST

/* Attacks whose harm is small, or that no honest node takes in. */
START_TEST(rules_bear_the_weaker_attacks)
{
    static const char *const weak[] = { "alie",         "ipm",    "mimic",  "zero",
                                        "nan:kind=inf", "silent", "replay", "garbage-bytes" };
    const setting *s = &settings[_i % SETTINGS];
    const char *attack = weak[_i / SETTINGS];

    for (size_t r = 0; r < RULES; r++) {
        const double error = error_with(s, rules[r], attack, "sim");

        ck_assert_msg(error <= 0.25, "%s on %s, %s, under %s: %g", rules[r], s->topology, s->method, attack, error);
    }
}
END_TEST

/* Liars that know everything wait for the honest, in threads as in the simulator. */
START_TEST(threads_do_what_the_simulator_does)
{
    static const char *const attacks[] = { "sign-flip", "alie", "ipm", "mimic", "dissensus", "equivocate" };
    const double simulated = error_with(&settings[2], "cs-plus:f=2", attacks[_i], "sim");
    double x[SWARM_MOST][SWARM_DIM];

    memcpy(x, out.x, sizeof x);
    ck_assert_double_eq(error_with(&settings[2], "cs-plus:f=2", attacks[_i], "inproc"), simulated);
    for (size_t i = 0; i < 8; i++)
        ck_assert_mem_eq(out.x[i], x[i], sizeof x[i]);
}
END_TEST

/* They are passed over, and that others are missing is seen. */
START_TEST(old_messages_do_not_hold_up_a_round)
{
    error_with(&settings[0], "nna:f=2", "replay", "sim");
    ck_log(&out, "messages were lost on the way");
    for (size_t i = 0; i < 8; i++)
        ck_said(&out, out.end[i] == P2P_END_ROUNDS && out.round[i] == 150, "node %zu after %u rounds", i,
                out.round[i]);
}
END_TEST

START_TEST(a_silent_node_becomes_absent)
{
    error_with(&settings[2], "nna:f=2", "silent", "sim");
    ck_log(&out, "silent for 0.5 s");
    ck_assert_uint_eq(out.round[0], 150);
    ck_assert_uint_eq(out.absent[0], 2);
}
END_TEST

/* Duals are held at both ends of an edge, which a liar does not keep to: the others must not fail. */
START_TEST(liars_in_methods_without_rules_do_not_end_them)
{
    static const setting duals = { "complete", "cold", "qinf:bits=4", 10, "3" };

    error_with(&duals, "mean", "zero", "sim");
    for (size_t i = 0; i < 10; i++)
        ck_said(&out, out.end[i] == P2P_END_ROUNDS, "node %zu ended by %d", i, (int)out.end[i]);
}
END_TEST

/* ---- what is asked for */

START_TEST(who_lies_is_read)
{
    unsigned char lies[8];

    ck_ok(p2p_byzantine_nodes("sign-flip:scale=5@1,4-5", 8, lies));
    ck_assert_mem_eq(lies, "\0\1\0\0\1\1\0\0", 8);
    ck_fails(p2p_byzantine_nodes("sign@1", 8, lies), P2P_EPARSE,
             "attack \"sign\": unknown; expected one of: sign-flip");
    ck_fails(p2p_byzantine_nodes("zero:x=1@1", 8, lies), P2P_EPARSE, "unknown option \"x\"");
    ck_fails(p2p_byzantine_nodes("zero", 8, lies), P2P_EPARSE, "expected ATTACK@NODES");
    ck_fails(p2p_byzantine_nodes("zero@", 8, lies), P2P_EPARSE, "expected nodes, such as 3,5-7");
    ck_fails(p2p_byzantine_nodes("zero@1,", 8, lies), P2P_EPARSE, "expected nodes, such as 3,5-7");
    ck_fails(p2p_byzantine_nodes("zero@1-", 8, lies), P2P_EPARSE, "expected nodes, such as 3,5-7");
    ck_fails(p2p_byzantine_nodes("zero@one", 8, lies), P2P_EPARSE, "expected nodes, such as 3,5-7");
    ck_fails(p2p_byzantine_nodes("zero@99999999999999999999", 8, lies), P2P_EINVAL, "expected some of 0 to 7");
    ck_fails(p2p_byzantine_nodes("zero@8", 8, lies), P2P_EINVAL, "expected some of 0 to 7");
    ck_fails(p2p_byzantine_nodes("zero@5-4", 8, lies), P2P_EINVAL, "nodes 5 to 4");
    ck_fails(p2p_byzantine_nodes("zero@0-3", 8, lies), P2P_EINVAL, "4 liars among 8 nodes");
}
END_TEST

START_TEST(what_cannot_be_lied_in_is_said)
{
    static const struct {
        const char *method, *byzantine, *sentence;
    } cases[] = {
        { "method=pairwise", "zero@1", "does not send vectors to neighbours in common rounds" },
        { "method=allreduce", "zero@1", "does not send vectors to neighbours in common rounds" },
        { "method=dgd", "label-flip@1", "node 1 has no data with labels" },
        { "method=dgd", "zero", "expected ATTACK@NODES" },
    };
    p2p_swarm *s = swarm_of(4, KEYS("topology=complete", cases[_i].method, "compressor=identity"));
    p2p_node_config config = config_of(s, &out);
    p2p_status st;

    config.byzantine = cases[_i].byzantine;
    st = p2p_swarm_run(&config, "sim", NULL, problem_of, NULL);
    ck_assert_msg(st != P2P_OK && strstr(p2p_last_error(), cases[_i].sentence) != NULL, "%d: %s", (int)st,
                  p2p_last_error());
    p2p_swarm_destroy(&s);
}
END_TEST

Suite *
byzantine_suite(void)
{
    Suite *suite = suite_create("byzantine");
    TCase *tc = tcase_create("swarms");

    tcase_set_timeout(tc, 120);
    tcase_add_loop_test(tc, rules_bear_what_breaks_the_mean, 0, SETTINGS * sizeof strong / sizeof *strong);
    tcase_add_loop_test(tc, rosdhb_bears_what_breaks_the_mean, 0, 6);
    tcase_add_loop_test(tc, rules_bear_the_weaker_attacks, 0, SETTINGS * 8);
    tcase_add_loop_test(tc, threads_do_what_the_simulator_does, 0, 6);
    tcase_add_test(tc, old_messages_do_not_hold_up_a_round);
    tcase_add_test(tc, a_silent_node_becomes_absent);
    tcase_add_test(tc, liars_in_methods_without_rules_do_not_end_them);
    tcase_add_test(tc, who_lies_is_read);
    tcase_add_loop_test(tc, what_cannot_be_lied_in_is_said, 0, 4);
    suite_add_tcase(suite, tc);
    return suite;
}
