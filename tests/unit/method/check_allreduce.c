/* All-reduces: equal replicas, the same bits over a star and a complete graph, and nobody left out. */
#include "trial.h"

#include <stdio.h>

static trial t;

static const double *
iterate(size_t node)
{
    return p2pi_engine_iterate(t.swarm.engines[node]).data;
}

/* What integers and one order of sums make the same on every topology, and the rest. */
static const struct {
    const char *compressor;
    int same_on_rings;
} compressors[] = {
    { "identity", 0 },         { "randk:k=30%,shared=1", 0 },     { "maxnorm", 1 },
    { "multiscale:k=50%", 1 }, { "powersgd:rank=1", 0 },          { "powersgd+:rank=1,tau=3", 0 },
    { "acpsgd:rank=1", 0 },    { "greedylore:rank=1,tau=4", 0 },  { "clt:k=20%", 0 },
    { "jl:m=9", 0 },           { "sketch:rows=3,cols=9,k=0", 0 }, { "sketch:rows=3,cols=9,k=4,second=1", 0 },
};
enum { COMPRESSORS = sizeof compressors / sizeof *compressors, NODES = 5, ROUNDS = 12 };

static void
run_on(const char *topology, const char *compressor, double *x)
{
    trial_open(&t, topology, NODES, "quadratic:dim=20", P2P_F64, 3);
    ck_ok(trial_start(&t, "allreduce:step=0.05/L,optimiser=heavy-ball,beta=0.5", compressor));
    ck_ok(lockstep_rounds(&t.swarm, 0, ROUNDS));
    for (size_t i = 1; i < NODES; i++)
        ck_assert_mem_eq(iterate(0), iterate(i), 20 * sizeof(double));
    memcpy(x, iterate(0), 20 * sizeof(double));
    trial_close(&t);
}

START_TEST(replicas_are_equal)
{
    double star[20], complete[20], ring[20];

    run_on("star", compressors[_i].compressor, star);
    run_on("complete", compressors[_i].compressor, complete);
    run_on("ring", compressors[_i].compressor, ring);
    ck_assert_mem_eq(star, complete, sizeof star);
    if (compressors[_i].same_on_rings)
        ck_assert_mem_eq(star, ring, sizeof star);
    ck_assert_double_lt(p2p_vec_distance((p2p_view){ star, 20, P2P_F64 }, (p2p_view){ ring, 20, P2P_F64 }), 1e-9);
}
END_TEST

/* With nothing lost it is gradient descent. */
START_TEST(identity_is_gradient_descent)
{
    static const char *const topologies[] = { "ring", "star", "complete" };

    trial_open(&t, topologies[_i], NODES, "quadratic:dim=20", P2P_F64, 3);
    ck_ok(trial_start(&t, "allreduce", "identity"));
    trial_reach(&t, 1e-10, 400);
    trial_close(&t);
}
END_TEST

START_TEST(one_node_and_two_are_enough)
{
    const size_t nodes = (size_t)_i + 1;

    trial_open(&t, "complete", nodes, "quadratic:dim=20", P2P_F64, 3);
    ck_ok(trial_start(&t, "allreduce", "powersgd:rank=1"));
    trial_reach(&t, 1e-8, 4000);
    trial_close(&t);
}
END_TEST

/* A ring sends 2 (n - 1) parts of a vector, a star one up and one down. */
START_TEST(bits_are_those_of_the_parts)
{
    static const struct {
        const char *topology;
        double vectors;
        size_t bits; /* 0: unequal parts */
    } rows[] = { { "ring", 2 * 4.0 / 5, 0 },
                 { "star", 1, 8 * 20 * 8 },
                 { "complete", 1, 8 * 20 * 8 } };

    trial_open(&t, rows[_i].topology, NODES, "quadratic:dim=20", P2P_F64, 3);
    ck_ok(trial_start(&t, "allreduce", "identity"));
    ck_ok(lockstep_rounds(&t.swarm, 0, 10));
    ck_assert_double_eq_tol(p2pi_engine_vectors(t.swarm.engines[1]), 10 * rows[_i].vectors, 1e-12);
    if (rows[_i].bits > 0)
        ck_assert_uint_eq(p2pi_engine_bits(t.swarm.engines[1]), 10 * rows[_i].bits);
    trial_close(&t);
}
END_TEST

static int
lose_one(void *user, uint32_t round, size_t from, size_t to)
{
    (void)user;
    return !(round == 3 && from == 1 && to != 1);
}

START_TEST(a_lost_node_ends_it)
{
    static const char *const topologies[] = { "ring", "star", "complete" };

    trial_open(&t, topologies[_i], NODES, "quadratic:dim=20", P2P_F64, 3);
    ck_ok(trial_start(&t, "allreduce", "maxnorm"));
    t.swarm.arrives = lose_one;
    ck_ok(lockstep_rounds(&t.swarm, 0, 3));
    ck_fails(lockstep_round(&t.swarm, 3), P2P_EIO, "node 1 is lost: an all-reduce has no rounds without all");
    trial_close(&t);
}
END_TEST

START_TEST(what_does_not_add_is_refused)
{
    static const struct {
        const char *topology, *compressor, *why;
    } rows[] = {
        { "torus:rows=2,cols=4", "identity", "needs topology ring, star or complete" },
        { "path", "identity", "needs topology ring, star or complete" },
        { "ring", "topk", "its messages do not add up" },
        { "star", "qsgd", "its messages do not add up" },
        { "complete", "powersgd:vt=f16", "its messages do not add up" },
    };

    trial_open(&t, rows[_i].topology, 8, "quadratic:dim=60", P2P_F64, 3);
    ck_fails(trial_start(&t, "allreduce", rows[_i].compressor), P2P_ENOTSUP, rows[_i].why);
    trial_close(&t);
}
END_TEST

/* Parts that are too short, too long, or not finite are their sender's fault. */
START_TEST(bad_parts_are_refused)
{
    const p2pi_outgoing *messages;
    double sick[20];

    trial_open(&t, "complete", NODES, "quadratic:dim=20", P2P_F64, 3);
    ck_ok(trial_start(&t, "allreduce", "identity"));
    for (size_t i = 0; i < NODES; i++)
        ck_ok(p2pi_engine_emit(t.swarm.engines[i], 0, 0));
    ck_assert_uint_eq(p2pi_engine_outgoing(t.swarm.engines[1], &messages), 1);
    ck_fails(lockstep_hand(t.swarm.engines[0], 0, 0, messages[0].bytes, messages[0].len - 8), P2P_EPROTO,
             "all-reduce: 152 bytes: expected 160");
    ck_fails(lockstep_hand(t.swarm.engines[0], 0, 0, messages[0].bytes, 0), P2P_EPROTO, "0 bytes: expected 160");
    memcpy(sick, messages[0].bytes, sizeof sick);
    sick[7] = sick[3] / 0.0;
    ck_fails(lockstep_hand(t.swarm.engines[0], 0, 0, (const uint8_t *)sick, sizeof sick), P2P_EPROTO,
             "real 7 is not finite");
    ck_ok(lockstep_hand(t.swarm.engines[0], 0, 0, messages[0].bytes, messages[0].len));
    trial_close(&t);
}
END_TEST

Suite *
allreduce_suite(void)
{
    Suite *suite = suite_create("allreduce");
    TCase *tc = tcase_create("allreduce");

    tcase_set_timeout(tc, 120);
    tcase_add_loop_test(tc, replicas_are_equal, 0, COMPRESSORS);
    tcase_add_loop_test(tc, identity_is_gradient_descent, 0, 3);
    tcase_add_loop_test(tc, one_node_and_two_are_enough, 0, 2);
    tcase_add_loop_test(tc, bits_are_those_of_the_parts, 0, 3);
    tcase_add_loop_test(tc, a_lost_node_ends_it, 0, 3);
    tcase_add_loop_test(tc, what_does_not_add_is_refused, 0, 5);
    tcase_add_test(tc, bad_parts_are_refused);
    suite_add_tcase(suite, tc);
    return suite;
}
