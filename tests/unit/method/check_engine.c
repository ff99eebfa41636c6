/* The engine's contract with its driver: messages, refusals, texts, state, memory; methods of users. */
#include "method/method_family.h"
#include "trial.h"

#include <p2popt.h>

#include <malloc.h>
#include <math.h>
#include <stdlib.h>

static trial t;

static void
open_ring(void)
{
    trial_open(&t, "ring", 4, "quadratic:dim=6", P2P_F64, 1);
}

static void
close_ring(void)
{
    trial_close(&t);
}

START_TEST(messages_stay_until_the_next_emit)
{
    const p2pi_outgoing *messages;
    uint8_t *copy;
    size_t len;

    ck_ok(trial_start(&t, "cold", "qinf:bits=2"));
    ck_ok(p2pi_engine_emit(t.swarm.engines[0], 0, 0));
    ck_assert_uint_eq(p2pi_engine_outgoing(t.swarm.engines[0], &messages), 1);
    ck_assert_uint_eq(p2pi_engine_expected(t.swarm.engines[0], 0, 0), 1);
    ck_assert_uint_eq(messages[0].slot, 0);
    len = messages[0].len;
    ck_assert_uint_le(len, p2pi_engine_bound(t.swarm.engines[0]));
    copy = malloc(len);
    memcpy(copy, messages[0].bytes, len);
    ck_ok(p2pi_engine_absorb(t.swarm.engines[0], 0));
    ck_assert_mem_eq(copy, messages[0].bytes, len);
    free(copy);
}
END_TEST

START_TEST(messages_go_where_the_driver_wants_them)
{
    const p2pi_outgoing *messages;
    uint8_t *mine;

    ck_ok(trial_start(&t, "cold", "identity"));
    mine = malloc(p2pi_engine_bound(t.swarm.engines[0]));
    p2pi_engine_place(t.swarm.engines[0], 0, mine);
    ck_ok(p2pi_engine_emit(t.swarm.engines[0], 0, 0));
    p2pi_engine_outgoing(t.swarm.engines[0], &messages);
    ck_assert_ptr_eq(messages[0].bytes, mine);
    ck_ok(p2pi_engine_absorb(t.swarm.engines[0], 0));
    p2pi_engine_place(t.swarm.engines[0], 0, NULL);
    ck_ok(p2pi_engine_emit(t.swarm.engines[0], 1, 0));
    p2pi_engine_outgoing(t.swarm.engines[0], &messages);
    ck_assert_ptr_ne(messages[0].bytes, mine);
    free(mine);
}
END_TEST

START_TEST(bad_messages_are_refused)
{
    const p2pi_outgoing *messages;
    p2pi_engine *a, *b;
    uint8_t *long_one;

    ck_ok(trial_start(&t, "cold", "identity"));
    a = t.swarm.engines[0];
    b = t.swarm.engines[1];
    ck_ok(p2pi_engine_emit(a, 0, 0));
    ck_ok(p2pi_engine_emit(b, 0, 0));
    p2pi_engine_outgoing(b, &messages);
    ck_fails(lockstep_hand(a, 0, 1, messages[0].bytes, messages[0].len), P2P_EPROTO,
             "message 1 of a stage that has 1");
    ck_assert_int_eq(lockstep_hand(a, 0, 0, messages[0].bytes, messages[0].len - 1), P2P_EPROTO);
    ck_assert_int_eq(lockstep_hand(a, 0, 0, messages[0].bytes, 0), P2P_EPROTO);
    long_one = calloc(1, messages[0].len + 1);
    memcpy(long_one, messages[0].bytes, messages[0].len);
    ck_assert_int_eq(lockstep_hand(a, 0, 0, long_one, messages[0].len + 1), P2P_EPROTO);
    memset(long_one + 1, 0xff, 8); /* a NaN */
    ck_assert_int_eq(lockstep_hand(a, 0, 0, long_one, messages[0].len), P2P_EPROTO);
    free(long_one);
    ck_ok(lockstep_hand(a, 0, 0, messages[0].bytes, messages[0].len));
    ck_fails(lockstep_hand(a, 0, 0, messages[0].bytes, messages[0].len), P2P_EPROTO, "came twice");
}
END_TEST

/* Reals for a mean are looked through as they are mixed: the neighbour is left out, and the driver can ask for it. */
START_TEST(bad_reals_of_a_mean_are_refused_late)
{
    const p2pi_outgoing *messages;
    p2p_neighbourhood at = p2p_topology_at(t.topology, 0);
    p2pi_engine *a;
    uint8_t *sick;
    double x[6], y[6], g[6], nan = NAN;

    ck_ok(trial_start(&t, "dgd:step=0.1", "identity"));
    a = t.swarm.engines[0];
    for (size_t i = 0; i < 4; i++)
        ck_ok(p2pi_engine_emit(t.swarm.engines[i], 0, 0));
    memcpy(x, p2pi_engine_iterate(a).data, sizeof x);
    memcpy(y, p2pi_engine_iterate(t.swarm.engines[at.peers[1]]).data, sizeof y);
    ck_ok(p2p_problem_grad(t.problems[0], p2pi_engine_iterate(a), NULL, 0, (p2p_vec){ g, 6, P2P_F64 }));
    p2pi_engine_outgoing(t.swarm.engines[at.peers[0]], &messages);
    sick = malloc(messages[0].len);
    memcpy(sick, messages[0].bytes, messages[0].len);
    memcpy(sick + 1 + 3 * sizeof nan, &nan, sizeof nan);
    ck_ok(lockstep_hand(a, 0, 0, sick, messages[0].len));
    p2pi_engine_outgoing(t.swarm.engines[at.peers[1]], &messages);
    ck_ok(lockstep_hand(a, 1, 0, messages[0].bytes, messages[0].len));
    ck_ok(p2pi_engine_absorb(a, 0));
    ck_assert_int_eq(p2pi_engine_refused(a, 0), 1);
    ck_assert_int_eq(p2pi_engine_refused(a, 1), 0);
    for (size_t k = 0; k < 6; k++)
        ck_assert_double_eq_tol(p2p_vec_get(p2pi_engine_iterate(a), k),
                                (1 - at.weights[1]) * x[k] + at.weights[1] * y[k] - 0.1 * g[k], 1e-15);
    sick[0] = 1;
    ck_ok(p2pi_engine_emit(a, 1, 0));
    ck_assert_int_eq(p2pi_engine_refused(a, 0), 0);
    ck_assert_int_eq(lockstep_hand(a, 0, 0, sick, messages[0].len), P2P_EPROTO);
    ck_assert_int_eq(lockstep_hand(a, 0, 0, sick, 0), P2P_EPROTO);
    free(sick);
}
END_TEST

/* The weight of a neighbour that is not heard goes to the own term. */
START_TEST(absent_neighbours_weigh_nothing)
{
    const p2pi_outgoing *messages;
    p2p_neighbourhood at = p2p_topology_at(t.topology, 0);
    p2pi_engine *a;
    double x[6], y[6];

    ck_ok(trial_start(&t, "dgd:order=atc,step=0.1", "identity"));
    a = t.swarm.engines[0];
    for (size_t i = 0; i < 4; i++)
        ck_ok(p2pi_engine_emit(t.swarm.engines[i], 0, 0));
    p2pi_engine_outgoing(t.swarm.engines[at.peers[1]], &messages);
    memcpy(x, p2pi_engine_iterate(a).data, sizeof x);
    memcpy(y, p2pi_engine_iterate(t.swarm.engines[at.peers[1]]).data, sizeof y);
    ck_ok(lockstep_hand(a, 1, 0, messages[0].bytes, messages[0].len));
    ck_ok(p2pi_engine_absorb(a, 0));
    for (size_t k = 0; k < 6; k++)
        ck_assert_double_eq_tol(p2p_vec_get(p2pi_engine_iterate(a), k),
                                (1 - at.weights[1]) * x[k] + at.weights[1] * y[k], 1e-15);
    ck_assert_int_eq(p2pi_engine_dropped(a, 0), 0);
}
END_TEST

/* What a rule makes of node 0 of four and its neighbours, with round k's random groups. */
static void
apply_rule(const char *spec, uint32_t k, double z[6])
{
    const double weights[] = { 0.25, 0.25, 0.25, 0.25 };
    p2p_aggregator *rule;
    p2p_view views[4];

    for (size_t i = 0; i < 4; i++)
        views[i] = p2pi_engine_iterate(t.swarm.engines[i]);
    ck_ok(p2p_aggregator_new(&rule, spec, 3, 6, P2P_F64));
    p2p_aggregator_round(rule, 7, k);
    ck_ok(p2p_aggregator_apply(rule, views[0], 3, views + 1, weights, (p2p_vec){ z, 6, P2P_F64 }));
    p2p_aggregator_destroy(&rule);
}

enum { LONELY = 3 };

static const struct {
    const char *method, *rule;
    double gradient; /* what the method adds behind the rule */
} ruled[] = {
    { "dgd:order=atc,step=0.1", "median", 0 },           { "dgd:order=cta,step=0.1", "median", -0.1 },
    { "dgd:order=atc,step=0.1", "bucketing|median", 0 }, { "dgd:order=atc,step=0.1", "centered-clip:tau=0.1", 0 },
    { "robust-gossip:step=0.1", "median", 0 },
};

START_TEST(a_robust_rule_takes_the_place_of_the_mean)
{
    double z[6], g[6];

    trial_close(&t);
    trial_open(&t, "complete", 4, "quadratic:dim=6", P2P_F64, 1);
    t.aggregator = ruled[_i].rule;
    ck_ok(trial_start(&t, ruled[_i].method, "identity"));
    for (size_t i = 0; i < 4; i++)
        ck_ok(p2pi_engine_emit(t.swarm.engines[i], 3, 0));
    apply_rule(ruled[_i].rule, 3, z);
    ck_ok(p2p_problem_grad(t.problems[0], p2pi_engine_iterate(t.swarm.engines[0]), NULL, 0,
                           (p2p_vec){ g, 6, P2P_F64 }));
    for (size_t j = 0; j < 3; j++) {
        const p2pi_outgoing *messages;

        p2pi_engine_outgoing(t.swarm.engines[j + 1], &messages);
        ck_ok(lockstep_hand(t.swarm.engines[0], j, 0, messages[0].bytes, messages[0].len));
    }
    ck_ok(p2pi_engine_absorb(t.swarm.engines[0], 0));
    for (size_t k = 0; k < 6; k++)
        ck_assert_double_eq(p2p_vec_get(p2pi_engine_iterate(t.swarm.engines[0]), k),
                            z[k] + ruled[_i].gradient * g[k]);
    if (strncmp(ruled[_i].rule, "centered-clip", 13) == 0)
        ck_assert_mem_eq(trial_state(&t, 0, "aggregator", 0), z, sizeof z);
}
END_TEST

/* On nine nodes the nine weights sum to a little more than 1. */
START_TEST(a_node_that_hears_nobody_goes_on_alone)
{
    static const struct {
        const char *method, *rule;
    } rows[LONELY] = { { "dgd:order=atc,step=0.1", "clipped-gossip:b=0.1" },
                       { "robust-gossip:step=0.1", "clipped-gossip:b=0.1" },
                       { "robust-choco:step=0.1,gossip=1", "clipped-gossip:b=0.1" } };
    double x[6];

    trial_close(&t);
    trial_open(&t, "complete", 9, "quadratic:dim=6", P2P_F64, 1);
    t.aggregator = rows[_i].rule;
    ck_ok(trial_start(&t, rows[_i].method, "identity"));
    ck_ok(p2pi_engine_emit(t.swarm.engines[0], 0, 0));
    memcpy(x, p2pi_engine_iterate(t.swarm.engines[0]).data, sizeof x);
    ck_ok(p2pi_engine_absorb(t.swarm.engines[0], 0));
    ck_assert_mem_eq(p2pi_engine_iterate(t.swarm.engines[0]).data, x, sizeof x);
}
END_TEST

START_TEST(with_too_few_vectors_for_its_rule_a_node_keeps_its_own)
{
    const p2pi_outgoing *messages;
    double x[6];

    trial_close(&t);
    trial_open(&t, "complete", 4, "quadratic:dim=6", P2P_F64, 1);
    t.aggregator = "bridge-t:f=1";
    ck_ok(trial_start(&t, "dgd:order=atc,step=0.1", "identity"));
    for (size_t i = 0; i < 4; i++)
        ck_ok(p2pi_engine_emit(t.swarm.engines[i], 0, 0));
    memcpy(x, p2pi_engine_iterate(t.swarm.engines[0]).data, sizeof x);
    p2pi_engine_outgoing(t.swarm.engines[2], &messages);
    ck_ok(lockstep_hand(t.swarm.engines[0], 1, 0, messages[0].bytes, messages[0].len));
    ck_ok(p2pi_engine_absorb(t.swarm.engines[0], 0));
    ck_assert_mem_eq(p2pi_engine_iterate(t.swarm.engines[0]).data, x, sizeof x);
}
END_TEST

START_TEST(a_node_with_too_few_neighbours_for_its_rule_is_named)
{
    trial_close(&t);
    trial_open(&t, "star", 4, "quadratic:dim=6", P2P_F64, 1);
    t.aggregator = "bridge-t:f=1";
    ck_fails(trial_start(&t, "dgd", "identity"), P2P_EINVAL,
             "node 1: aggregator \"bridge-t\": 1 neighbour, bridge-t with f=1 needs at least 3");
}
END_TEST

START_TEST(texts_name_the_configuration_and_the_parameters)
{
    ck_ok(trial_start(&t, "cold:gossip=0.5,step=0.1", "topk:k=2"));
    ck_assert_str_eq(p2pi_engine_method_spec(t.swarm.engines[0]), "cold:step=0.1,gossip=0.5");
    ck_assert_str_eq(p2pi_engine_compressor_spec(t.swarm.engines[0]), "topk:k=2");
    ck_assert_str_eq(p2pi_engine_parameters(t.swarm.engines[0]), "cold:step=0.1,gossip=0.5,dual=0.16666666666666666");
}
END_TEST

/* An unbiased compressor that would diverge is scaled under automatic gossip, and the parameters say so. */
START_TEST(harsh_compressors_are_tamed)
{
    static const char *const methods[] = { "cold", "choco", "choco-gossip", "cgt" };

    trial_close(&t);
    trial_open(&t, "ring", 4, _i == 2 ? "consensus:dim=30" : "quadratic:dim=30", P2P_F64, 1);
    ck_ok(trial_start(&t, methods[_i], "qinf:bits=1"));
    ck_assert_str_eq(p2pi_engine_compressor_spec(t.swarm.engines[0]), "qinf:bits=1");
    ck_assert_ptr_nonnull(strstr(p2pi_engine_parameters(t.swarm.engines[0]), " over scaled(qinf:bits=1)"));
    ck_ok(trial_start(&t, methods[_i], "qinf:bits=2"));
    ck_assert_ptr_null(strstr(p2pi_engine_parameters(t.swarm.engines[0]), "scaled"));
}
END_TEST

START_TEST(state_has_names_of_its_own)
{
    const p2pi_engine *engine;

    ck_ok(trial_start(&t, "cgt", "topk:k=2"));
    engine = t.swarm.engines[0];
    ck_assert_uint_eq(p2pi_engine_state_count(engine), 5); /* x, t, g, h, l */
    for (size_t i = 0; i < 5; i++)
        for (size_t j = 0; j < i; j++)
            ck_assert_str_ne(p2pi_engine_state(engine, i).name, p2pi_engine_state(engine, j).name);
    ck_assert_ptr_eq(p2pi_engine_state(engine, 0).data, (void *)p2pi_engine_iterate(engine).data);
    ck_assert_uint_eq(p2pi_engine_state(engine, 0).bytes, 6 * sizeof(double));
}
END_TEST

/* A run that continues from copied state is the run that was not interrupted. */
START_TEST(state_is_all_there_is)
{
    static const char *const rows[][2] = {
        { "cold", "qinf:bits=2" }, { "dyna-cold", "binary" }, { "lead", "qinf:bits=2" }, { "nids", "identity" },
        { "extra", "identity" },   { "gt", "identity" },      { "cgt", "topk:k=2" },     { "beer", "topk:k=2" },
        { "choco", "sign" },       { "squarm", "topk:k=2" },  { "deepsqueeze", "sign" }, { "dgd", "identity" }
    };
    double expected[4][6];
    char *saved[4][16];

    ck_ok(trial_start(&t, rows[_i][0], rows[_i][1]));
    ck_ok(lockstep_rounds(&t.swarm, 0, 7));
    for (size_t i = 0; i < 4; i++)
        for (size_t p = 0; p < p2pi_engine_state_count(t.swarm.engines[i]); p++) {
            p2pi_state_part part = p2pi_engine_state(t.swarm.engines[i], p);

            saved[i][p] = malloc(part.bytes);
            memcpy(saved[i][p], part.data, part.bytes);
        }
    ck_ok(lockstep_rounds(&t.swarm, 7, 20));
    for (size_t i = 0; i < 4; i++)
        memcpy(expected[i], p2pi_engine_iterate(t.swarm.engines[i]).data, sizeof expected[i]);
    ck_ok(trial_start(&t, rows[_i][0], rows[_i][1]));
    for (size_t i = 0; i < 4; i++)
        for (size_t p = 0; p < p2pi_engine_state_count(t.swarm.engines[i]); p++) {
            p2pi_state_part part = p2pi_engine_state(t.swarm.engines[i], p);

            memcpy(part.data, saved[i][p], part.bytes);
            free(saved[i][p]);
        }
    ck_ok(lockstep_rounds(&t.swarm, 7, 20));
    for (size_t i = 0; i < 4; i++)
        ck_assert_mem_eq(expected[i], p2pi_engine_iterate(t.swarm.engines[i]).data, sizeof expected[i]);
}
END_TEST

/* Draw number t of a method with several draws a round. */
START_TEST(minibatches_are_numbered_through)
{
    p2p_data *data;
    p2p_problem *problem, *again;
    double rows[12 * 3], labels[12], x[3] = { 0 }, g[3];
    p2p_random random = p2p_random_open(5, 0, 0, P2P_STREAM_DATA);
    p2p_topology *alone;
    p2p_topology_figures figures;
    lockstep swarm;
    size_t idx[4], count;

    p2p_random_normal(&random, 36, rows);
    for (size_t i = 0; i < 12; i++)
        labels[i] = i % 3 ? 1 : -1;
    ck_ok(p2p_data_from_dense(&data, 12, 3, rows, labels));
    ck_ok(p2p_problem_new(&problem, "logistic:lambda=0.1", data, P2P_F64, 0, 1, 0));
    ck_ok(p2p_problem_new(&again, "logistic:lambda=0.1", data, P2P_F64, 0, 1, 0));
    ck_ok(p2p_topology_new(&alone, "complete", NULL, 1, 0));
    ck_ok(p2p_topology_measure(alone, &figures));
    const p2pi_engine_config config = {
        .seed = 9, .topology = alone, .figures = &figures, .method = "dgd:step=0.2,local=2", .batch = { 4, 0 }
    };
    ck_ok(lockstep_new(&swarm, &config, &problem, NULL));
    ck_ok(lockstep_rounds(&swarm, 0, 3));
    for (uint32_t draw = 0; draw < 6; draw++) {
        ck_ok(p2p_problem_batch(again, &config.batch, 9, 0, draw, idx, &count));
        ck_assert_uint_eq(count, 4);
        ck_ok(p2p_problem_grad(again, (p2p_view){ x, 3, P2P_F64 }, idx, count, (p2p_vec){ g, 3, P2P_F64 }));
        for (size_t k = 0; k < 3; k++)
            x[k] -= 0.2 * g[k];
    }
    for (size_t k = 0; k < 3; k++)
        ck_assert_double_eq_tol(p2p_vec_get(p2pi_engine_iterate(swarm.engines[0]), k), x[k], 1e-15);
    lockstep_clear(&swarm);
    p2p_topology_destroy(&alone);
    p2p_problem_destroy(&problem);
    p2p_problem_destroy(&again);
    p2p_data_destroy(&data);
}
END_TEST

/* Ten thousand nodes in a process: an engine may cost 40 KB at most. */
START_TEST(an_engine_is_small)
{
    enum { COUNT = 50 };
    const char *const compressor[] = { "qinf:bits=2", "topk:k=10%" };
    p2pi_engine *engines[COUNT];
    p2pi_pool *pool;
    size_t before;

    trial_close(&t);
    trial_open(&t, "ring", COUNT, "quadratic:dim=50", P2P_F64, 1);
    ck_ok(p2pi_pool_new(&pool));
    p2pi_engine_config config = { .topology = t.topology,
                                  .figures = &t.figures,
                                  .method = "cold",
                                  .compressor = compressor[_i],
                                  .smoothness = t.smoothness,
                                  .convexity = t.convexity,
                                  .pool = pool };
    before = mallinfo2().uordblks;
    for (size_t i = 0; i < COUNT; i++) {
        config.rank = i;
        config.problem = t.problems[i];
        ck_ok(p2pi_engine_new(&engines[i], &config));
    }
    ck_assert_uint_lt((mallinfo2().uordblks - before) / COUNT, 40000);
    for (size_t i = 0; i < COUNT; i++)
        p2pi_engine_destroy(&engines[i]);
    p2pi_pool_destroy(&pool);
}
END_TEST

/* What a node keeps is of its neighbours, not of the swarm: ten thousand nodes fit a process. */
START_TEST(a_node_of_a_large_swarm_is_no_larger)
{
    p2p_topology *large;
    p2pi_engine *engine;
    p2pi_pool *pool;
    size_t before;

    ck_ok(p2p_topology_new(&large, "ring", NULL, 20000, 1));
    ck_ok(p2pi_pool_new(&pool));
    ck_ok(trial_start(&t, "cold", "qinf:bits=2"));
    before = mallinfo2().uordblks;
    ck_ok(p2pi_engine_new(&engine, &(p2pi_engine_config){ .topology = large,
                                                          .figures = &t.figures,
                                                          .problem = t.problems[0],
                                                          .method = "cold",
                                                          .compressor = "qinf:bits=2",
                                                          .smoothness = t.smoothness,
                                                          .convexity = t.convexity,
                                                          .pool = pool }));
    ck_assert_uint_lt(mallinfo2().uordblks - before, 40000);
    p2pi_engine_destroy(&engine);
    p2pi_pool_destroy(&pool);
    p2p_topology_destroy(&large);
}
END_TEST

/* ---- a user's method: x <- rule of all x, sent raw */

typedef struct {
    double unused;
    size_t slot;
} plain_mean;

static p2p_status
plain_start(void *self, p2p_method_context *m)
{
    return p2p_method_slot(m, P2P_SLOT_AGGREGATE, &((plain_mean *)self)->slot);
}

static p2p_status
plain_emit(void *self, p2p_method_context *m, size_t stage)
{
    (void)stage;
    return p2p_method_send(m, ((plain_mean *)self)->slot, p2p_view_of(m->x), 1);
}

static p2p_status
plain_absorb(void *self, p2p_method_context *m, size_t stage)
{
    (void)stage;
    return p2p_method_aggregate(m, ((plain_mean *)self)->slot, p2p_view_of(m->x), 0, p2p_view_of(m->x), m->x);
}

static p2p_method_vt plain = { .size = sizeof(p2p_method_vt),
                               .entry = { "plain-mean", "the mean of neighbours", "a test", NULL, sizeof(double) },
                               .traits =
                                   P2P_METHOD_RAW | P2P_METHOD_CONSENSUS | P2P_METHOD_EXACT | P2P_METHOD_AGGREGATE,
                               .instance_size = sizeof(plain_mean),
                               .stages = 1,
                               .start = plain_start,
                               .emit = plain_emit,
                               .absorb = plain_absorb };

START_TEST(users_register_methods)
{
    p2p_method_vt bad = plain;
    size_t count = 0;

    bad.size = 1;
    ck_fails(p2p_method_register(&bad), P2P_EINVAL, "size 1, expected");
    bad = plain;
    bad.emit = NULL;
    ck_fails(p2p_method_register(&bad), P2P_EINVAL, "emit and absorb are required");
    bad = plain;
    bad.instance_size = 0;
    ck_fails(p2p_method_register(&bad), P2P_EINVAL, "instance_size 0 is less than");
    bad = plain;
    bad.entry.name = "cold";
    ck_fails(p2p_method_register(&bad), P2P_EINVAL, "the name is taken");
    while (p2pi_method_entry(count) != NULL)
        count++;
    ck_ok(p2p_method_register(&plain));
    ck_assert_ptr_eq(p2pi_method_entry(count), &plain.entry);
    ck_assert_ptr_null(p2pi_method_entry(count + 1));
    ck_fails(p2p_method_register(&plain), P2P_EINVAL, "the name is taken");

    trial_close(&t);
    trial_open(&t, "complete", 4, "consensus:dim=6", P2P_F64, 1);
    ck_ok(trial_start(&t, "plain-mean", "identity"));
    ck_ok(lockstep_round(&t.swarm, 0));
    for (size_t i = 1; i < 4; i++)
        ck_assert_double_lt(
            p2p_vec_distance(p2pi_engine_iterate(t.swarm.engines[0]), p2pi_engine_iterate(t.swarm.engines[i])),
            1e-15);
}
END_TEST

Suite *
engine_suite(void)
{
    Suite *suite = suite_create("engine");
    TCase *tc = tcase_create("engine");

    tcase_add_checked_fixture(tc, open_ring, close_ring);
    tcase_add_test(tc, a_node_of_a_large_swarm_is_no_larger);
    tcase_add_test(tc, messages_stay_until_the_next_emit);
    tcase_add_test(tc, messages_go_where_the_driver_wants_them);
    tcase_add_test(tc, bad_messages_are_refused);
    tcase_add_test(tc, bad_reals_of_a_mean_are_refused_late);
    tcase_add_test(tc, absent_neighbours_weigh_nothing);
    tcase_add_loop_test(tc, a_robust_rule_takes_the_place_of_the_mean, 0, sizeof ruled / sizeof *ruled);
    tcase_add_loop_test(tc, a_node_that_hears_nobody_goes_on_alone, 0, LONELY);
    tcase_add_test(tc, with_too_few_vectors_for_its_rule_a_node_keeps_its_own);
    tcase_add_test(tc, a_node_with_too_few_neighbours_for_its_rule_is_named);
    tcase_add_test(tc, texts_name_the_configuration_and_the_parameters);
    tcase_add_loop_test(tc, harsh_compressors_are_tamed, 0, 4);
    tcase_add_test(tc, state_has_names_of_its_own);
    tcase_add_loop_test(tc, state_is_all_there_is, 0, 12);
    tcase_add_test(tc, minibatches_are_numbered_through);
    tcase_add_loop_test(tc, an_engine_is_small, 0, 2);
    tcase_add_test(tc, users_register_methods);
    suite_add_tcase(suite, tc);
    return suite;
}
