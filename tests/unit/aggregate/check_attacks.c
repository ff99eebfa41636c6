/*
 * Rules against attacks, in whole runs on quadratics f_i(x) = 1/2 sum_k D_k (x_k - c_ik)^2: gradients at a hub,
 * iterates in gossip. What is asserted is what robustness promises; the mean is run beside each rule for comparison.
 */
#include "runner.h"

#include "aggregate/attack.h"

#include <math.h>
#include <p2popt/aggregator.h>
#include <p2popt/random.h>
#include <p2popt/topology.h>
#include <stdlib.h>
#include <string.h>

enum { DIM = 20, NODES_MAX = 16, ROUNDS = 150 };

typedef struct {
    size_t nodes, liars; /* the last ones lie */
    double centre[NODES_MAX][DIM], optimum[DIM];
} world;

static double
curvature(size_t k)
{
    return 1 + 3.0 * (double)k / (DIM - 1);
}

static world
world_new(size_t nodes, size_t liars, double spread)
{
    world w = { .nodes = nodes, .liars = liars };
    double base[DIM];
    p2p_random random = p2p_random_open(1, 100, 0, P2P_STREAM_DATA);

    p2p_random_normal(&random, DIM, base);
    for (size_t i = 0; i < nodes; i++) {
        random = p2p_random_open(1, (uint32_t)i, 0, P2P_STREAM_DATA);
        p2p_random_normal(&random, DIM, w.centre[i]);
        for (size_t k = 0; k < DIM; k++) {
            w.centre[i][k] = base[k] + spread * w.centre[i][k];
            w.optimum[k] += i < nodes - liars ? w.centre[i][k] / (double)(nodes - liars) : 0;
        }
    }
    return w;
}

/* ||x - x*|| / ||x*||; infinite if x is no number. */
static double
error_of(const world *w, const double *x)
{
    double difference = 0, norm = 0;

    for (size_t k = 0; k < DIM; k++) {
        difference += (x[k] - w->optimum[k]) * (x[k] - w->optimum[k]);
        norm += w->optimum[k] * w->optimum[k];
    }
    return isfinite(difference) ? sqrt(difference / norm) : INFINITY;
}

static p2p_view
view(const double *x)
{
    p2p_view v = { x, DIM, P2P_F64 };

    return v;
}

static p2p_vec
vec(double *x)
{
    p2p_vec v = { x, DIM, P2P_F64 };

    return v;
}

/* The noise of all nodes' gradients in a round, drawn once for all runs. */
static const double *
noise_of(size_t node, uint32_t round)
{
    static double noise[ROUNDS][NODES_MAX][DIM];
    static int drawn;

    for (uint32_t t = 0; !drawn && t < ROUNDS; t++)
        for (uint32_t i = 0; i < NODES_MAX; i++) {
            p2p_random random = p2p_random_open(1, i, t, P2P_STREAM_BATCH);

            p2p_random_normal(&random, DIM, noise[t][i]);
        }
    drawn = 1;
    return noise[round][node];
}

/* Momentum 0.9 of gradients with noise, aggregated at a hub that holds no data; error of the last iterate. */
static double
run_hub(const char *spec, const char *attack_spec)
{
    world w = world_new(15, 3, 0.05);
    size_t honest = w.nodes - w.liars;
    double x[DIM] = { 0 }, momentum[NODES_MAX][DIM] = { { 0 } }, said[NODES_MAX][DIM], step[DIM];
    p2p_view rows[NODES_MAX], none = { NULL, DIM, P2P_F64 };
    p2pi_attack *attack = NULL;
    p2p_aggregator *rule;

    if (attack_spec != NULL)
        ck_ok(p2pi_attack_new(&attack, attack_spec));
    ck_ok(p2p_aggregator_new(&rule, spec, w.nodes, DIM, P2P_F64));
    for (size_t i = 0; i < w.nodes; i++)
        rows[i] = view(said[i]);
    for (uint32_t t = 0; t < ROUNDS; t++) {
        for (size_t i = 0; i < w.nodes; i++) {
            for (size_t k = 0; k < DIM; k++) {
                double gradient = curvature(k) * (x[k] - w.centre[i][k]) + noise_of(i, t)[k];

                momentum[i][k] = 0.9 * momentum[i][k] + 0.1 * gradient;
            }
            memcpy(said[i], momentum[i], sizeof said[i]);
        }
        for (size_t i = honest; attack != NULL && i < w.nodes; i++) {
            p2pi_attack_scene scene = { .own = view(momentum[i]),
                                        .honest = honest,
                                        .vectors = rows,
                                        .nodes = w.nodes,
                                        .liars = w.liars,
                                        .seed = 1,
                                        .node = (uint32_t)i,
                                        .round = t };

            ck_ok(p2pi_attack_apply(attack, &scene, vec(said[i])));
        }
        p2p_aggregator_round(rule, 1, t);
        if (p2p_aggregator_apply(rule, none, w.nodes, rows, NULL, vec(step)) == P2P_OK)
            for (size_t k = 0; k < DIM; k++)
                x[k] -= 0.1 * step[k];
    }
    p2pi_attack_destroy(&attack);
    p2p_aggregator_destroy(&rule);
    return error_of(&w, x);
}

static const char *const hub_rules[] = {
    "trimmed-mean:f=3",     "median",         "meamed:f=3",       "krum:f=3",      "multi-krum:f=3",
    "bulyan:f=3",           "geomed",         "mda:f=3",          "mva:f=3",       "caf:f=3",
    "nnm|trimmed-mean:f=3", "nnm:f=3|median", "bucketing|geomed", "centered-clip", "arc:f=3|trimmed-mean:f=3",
};
static const char *const strong[] = { "sign-flip:scale=5", "noise:sigma=30", "ipm:eps=10", "shift:offset=20" };
/* The last two are refused before any rule. */
static const char *const weak[] = { "alie", "ipm:eps=0.5", "mimic", "zero", "bit-flip", "nan:kind=-inf" };

START_TEST(strong_attacks_at_a_hub_break_the_mean_alone)
{
    double mean = run_hub("mean", strong[_i]);

    for (size_t r = 0; r < sizeof hub_rules / sizeof *hub_rules; r++) {
        double error = run_hub(hub_rules[r], strong[_i]);

        ck_assert_msg(error <= mean / 8, "%s under %s: %g, the mean %g", hub_rules[r], strong[_i], error, mean);
    }
}
END_TEST

START_TEST(weak_attacks_at_a_hub_cost_little)
{
    double mean = run_hub("mean", NULL);

    for (size_t r = 0; r < sizeof hub_rules / sizeof *hub_rules; r++) {
        double error = run_hub(hub_rules[r], weak[_i]);

        ck_assert_msg(error <= 8 * mean, "%s under %s: %g, the mean without %g", hub_rules[r], weak[_i], error, mean);
    }
}
END_TEST

/* What neighbour j says to node i: its vector, or a lie. */
static void
say(const world *w, const p2p_topology *graph, const p2pi_attack *attack, double y[][DIM], size_t i, size_t j,
    uint32_t round, double *said)
{
    p2p_neighbourhood near = p2p_topology_at(graph, i);
    p2p_view vectors[NODES_MAX];
    double weights[NODES_MAX];
    p2pi_attack_scene scene = { .own = view(y[j]),
                                .vectors = vectors,
                                .weights = weights,
                                .target = view(y[i]),
                                .nodes = w->nodes,
                                .liars = w->liars,
                                .receiver = (uint32_t)i,
                                .seed = 1,
                                .node = (uint32_t)j,
                                .round = round };

    if (j < w->nodes - w->liars) {
        memcpy(said, y[j], DIM * sizeof *said);
        return;
    }
    for (size_t k = 0; k < near.degree; k++)
        if (near.peers[k] < w->nodes - w->liars) {
            vectors[scene.honest] = view(y[near.peers[k]]);
            weights[scene.honest++] = near.weights[k];
        } else
            scene.liar_weight += near.weights[k];
    ck_ok(p2pi_attack_apply(attack, &scene, vec(said)));
}

/* y_i = x_i - step grad f_i(x_i), then x_i = rule(y_i; y_j); error of the worst honest node. */
static double
run_gossip(const char *topology, size_t nodes, const char *spec, const char *attack_spec)
{
    world w = world_new(nodes, 2, 0.3);
    double x[NODES_MAX][DIM] = { { 0 } }, y[NODES_MAX][DIM], worst = 0;
    p2p_aggregator *rule[NODES_MAX];
    p2p_topology *graph;
    p2pi_attack *attack;

    ck_ok(p2p_topology_new(&graph, topology, "metropolis", nodes, 1));
    ck_ok(p2pi_attack_new(&attack, attack_spec));
    for (size_t i = 0; i < nodes; i++)
        ck_ok(p2p_aggregator_new(&rule[i], spec, p2p_topology_at(graph, i).degree, DIM, P2P_F64));
    for (uint32_t t = 0; t < ROUNDS; t++) {
        for (size_t i = 0; i < nodes; i++)
            for (size_t k = 0; k < DIM; k++)
                y[i][k] = x[i][k] - 0.05 * curvature(k) * (x[i][k] - w.centre[i][k]);
        memcpy(x[nodes - 2], y[nodes - 2], sizeof y[0]);
        memcpy(x[nodes - 1], y[nodes - 1], sizeof y[0]);
        for (size_t i = 0; i < nodes - w.liars; i++) {
            p2p_neighbourhood near = p2p_topology_at(graph, i);
            double said[NODES_MAX][DIM], weights[NODES_MAX + 1] = { near.self_weight };
            p2p_view rows[NODES_MAX];

            for (size_t k = 0; k < near.degree; k++) {
                say(&w, graph, attack, y, i, near.peers[k], t, said[k]);
                rows[k] = view(said[k]);
                weights[1 + k] = near.weights[k];
            }
            ck_ok(p2p_aggregator_apply(rule[i], view(y[i]), near.degree, rows, weights, vec(x[i])));
        }
    }
    for (size_t i = 0; i < nodes - w.liars; i++)
        worst = fmax(worst, error_of(&w, x[i]));
    for (size_t i = 0; i < nodes; i++)
        p2p_aggregator_destroy(&rule[i]);
    p2pi_attack_destroy(&attack);
    p2p_topology_destroy(&graph);
    return worst;
}

static const struct {
    const char *attack;
    double factor; /* by which every rule beats the mean at least */
} gossip_attacks[] = {
    { "sign-flip:scale=5", 10 }, { "noise:sigma=30", 10 }, { "equivocate:offset=20", 10 },
    { "shift:offset=20", 10 },   { "dissensus", 1.8 },
};
static const char *const gossip_rules[] = { "clipped-gossip:f=2", "cs-plus:f=2", "gts:f=2", "nna:f=2",
                                            "bridge-t:f=2",       "bridge-m",    "ios:f=2" };

START_TEST(gossip_rules_beat_the_mean_under_attack)
{
    static const struct {
        const char *topology;
        size_t nodes;
    } graphs[] = { { "complete", 10 }, { "exponential", 16 } };

    for (size_t g = 0; g < 2; g++) {
        double mean = run_gossip(graphs[g].topology, graphs[g].nodes, "mean", gossip_attacks[_i].attack);

        for (size_t r = 0; r < sizeof gossip_rules / sizeof *gossip_rules; r++) {
            double error =
                run_gossip(graphs[g].topology, graphs[g].nodes, gossip_rules[r], gossip_attacks[_i].attack);

            ck_assert_msg(error <= mean / gossip_attacks[_i].factor, "%s on %s under %s: %g, the mean %g",
                          gossip_rules[r], graphs[g].topology, gossip_attacks[_i].attack, error, mean);
        }
    }
}
END_TEST

START_TEST(far_liars_do_not_cost_nna_and_ios_accuracy)
{
    ck_assert_double_lt(run_gossip("complete", 10, "nna:f=2", "shift:offset=1000"), 1e-3);
    ck_assert_double_lt(run_gossip("complete", 10, "ios:f=2", "shift:offset=1000"), 1e-3);
    ck_assert_double_lt(run_gossip("complete", 10, "gts:f=2", "shift:offset=1000"), 0.05);
}
END_TEST

START_TEST(attacks_say_what_they_lack)
{
    static const double own[DIM];
    p2pi_attack_scene scene = { .own = view(own) };
    double out[DIM];
    p2pi_attack *attack;

    ck_fails(p2pi_attack_new(&attack, "sign"), P2P_EPARSE, "attack \"sign\": unknown; expected one of: sign-flip");
    ck_assert_ptr_null(attack);
    ck_fails(p2pi_attack_new(&attack, "ipm:z=1"), P2P_EPARSE, "unknown option \"z\"; allowed: eps");
    ck_ok(p2pi_attack_new(&attack, "alie"));
    ck_fails(p2pi_attack_apply(attack, &scene, vec(out)), P2P_EINVAL, "needs 2 honest vectors, sees 0");
    p2pi_attack_destroy(&attack);
}
END_TEST

Suite *
attacks_suite(void)
{
    Suite *suite = suite_create("attacks");
    TCase *tc = tcase_create("runs");

    tcase_set_timeout(tc, 120);
    tcase_add_loop_test(tc, strong_attacks_at_a_hub_break_the_mean_alone, 0, sizeof strong / sizeof *strong);
    tcase_add_loop_test(tc, weak_attacks_at_a_hub_cost_little, 0, sizeof weak / sizeof *weak);
    tcase_add_loop_test(tc, gossip_rules_beat_the_mean_under_attack, 0,
                        sizeof gossip_attacks / sizeof *gossip_attacks);
    tcase_add_test(tc, far_liars_do_not_cost_nna_and_ios_accuracy);
    tcase_add_test(tc, attacks_say_what_they_lack);
    suite_add_tcase(suite, tc);
    return suite;
}
