/* Random graphs: the same from the same seed, with the degrees and numbers of edges they promise. */
#include "topology_helper.h"

#include "topology/draws.h"

#include <math.h>

static p2p_topology *
draw(const char *spec, size_t nodes, uint64_t seed)
{
    p2p_topology *t;

    ck_ok(p2p_topology_new(&t, spec, NULL, nodes, seed));
    return t;
}

/* Hashes of graphs of 100 nodes and seed 7: a seed means one graph, in every release and on every machine. */
static const struct {
    const char *spec;
    uint64_t hash;
} pinned[] = {
    { "erdos-renyi:p=0.1", UINT64_C(0x0e69d8cb4b918495) },
    { "random-regular:degree=5", UINT64_C(0x4343702922fd2351) },
    { "random-regular:degree=90", UINT64_C(0x415703e9e5fccaa9) },
    { "small-world:k=6,p=0.25", UINT64_C(0xa2e177fdd290311c) },
    { "barabasi-albert:m=3", UINT64_C(0x46874fba0c751a22) },
};

START_TEST(a_seed_means_one_graph)
{
    p2p_topology *t = draw(pinned[_i].spec, 100, 7), *other = draw(pinned[_i].spec, 100, 8);

    ck_assert_msg(p2p_topology_hash(t) == pinned[_i].hash, "%s: %016llx", pinned[_i].spec,
                  (unsigned long long)p2p_topology_hash(t));
    ck_assert(p2p_topology_hash(other) != pinned[_i].hash);
    check_sound(t);
    p2p_topology_destroy(&t);
    p2p_topology_destroy(&other);
}
END_TEST

START_TEST(random_regular_is_regular)
{
    static const struct {
        size_t nodes, degree;
    } cases[] = { { 10, 3 }, { 9, 4 }, { 10, 7 }, { 10, 9 }, { 50, 25 }, { 31, 16 }, { 500, 3 }, { 200, 20 } };

    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
        for (uint64_t seed = 0; seed < 5; seed++) {
            char spec[64];
            p2p_topology *t;

            snprintf(spec, sizeof spec, "random-regular:degree=%zu", cases[c].degree);
            t = draw(spec, cases[c].nodes, seed);
            for (size_t i = 0; i < cases[c].nodes; i++)
                ck_assert_uint_eq(p2p_topology_at(t, i).degree, cases[c].degree);
            p2p_topology_destroy(&t);
        }
}
END_TEST

/* Every pair is an edge as often as p says: the sum over 400 graphs is within five standard deviations. */
START_TEST(erdos_renyi_has_its_density)
{
    const double p = 0.3, trials = 400, pairs = 30 * 29 / 2;
    double edges = 0, first = 0, last = 0;

    for (uint64_t seed = 0; seed < 400; seed++) {
        p2p_topology *t = draw("erdos-renyi:p=0.3", 30, seed);

        edges += (double)p2p_topology_edges(t);
        first += weight_of(t, 0, 1) > 0;
        last += weight_of(t, 28, 29) > 0;
        p2p_topology_destroy(&t);
    }
    check_close(edges, p * pairs * trials, 5 * sqrt(pairs * trials * p * (1 - p)));
    check_close(first, p * trials, 5 * sqrt(trials * p * (1 - p)));
    check_close(last, p * trials, 5 * sqrt(trials * p * (1 - p)));
}
END_TEST

START_TEST(small_world_keeps_its_edges)
{
    for (uint64_t seed = 0; seed < 20; seed++) {
        p2p_topology *t = draw("small-world:k=6,p=0.5", 60, seed);
        size_t rewired = 0;

        ck_assert_uint_eq(p2p_topology_edges(t), 60 * 3);
        for (size_t u = 0; u < 60; u++)
            for (size_t hop = 1; hop <= 3; hop++)
                rewired += weight_of(t, u, (u + hop) % 60) == 0;
        /* About half of 180, less the few that come back: nine deviations of sqrt(180 / 4). */
        ck_assert_msg(rewired > 40 && rewired < 140, "%zu edges were rewired", rewired);
        p2p_topology_destroy(&t);
    }
}
END_TEST

START_TEST(barabasi_albert_grows_hubs)
{
    p2p_topology *t = draw("barabasi-albert:m=2", 2000, 3);
    size_t largest = 0;

    ck_assert_uint_eq(p2p_topology_edges(t), 2 * (2000 - 2));
    for (size_t i = 3; i < 2000; i++) {
        size_t degree = p2p_topology_at(t, i).degree;

        ck_assert_uint_ge(degree, 2);
        largest = degree > largest ? degree : largest;
    }
    /* Degrees follow a power law; without preference the largest would be about 2 ln(2000) = 15. */
    ck_assert_uint_ge(largest, 30);
    p2p_topology_destroy(&t);
}
END_TEST

START_TEST(draws_are_uniform)
{
    p2p_random stream = p2p_random_open(1, 0, 0, P2P_STREAM_TOPOLOGY);
    p2pi_draws draws = p2pi_draws_of(&stream);
    size_t seen[7] = { 0 };

    ck_assert_uint_eq(p2pi_draw_below(&draws, 1), 0);
    for (int i = 0; i < 70000; i++)
        seen[p2pi_draw_below(&draws, 7)]++;
    for (int v = 0; v < 7; v++)
        check_close((double)seen[v], 10000, 5 * sqrt(10000 * 6.0 / 7));
    ck_assert(p2pi_draw_event(&draws, 1) && !p2pi_draw_event(&draws, 0));
}
END_TEST

/* P(skip = k) = p (1 - p)^k. */
START_TEST(skips_are_geometric)
{
    p2p_random stream = p2p_random_open(2, 0, 0, P2P_STREAM_TOPOLOGY);
    p2pi_draws draws = p2pi_draws_of(&stream);
    p2pi_geometric g = p2pi_geometric_of(0.25);
    size_t seen[12] = { 0 };
    const double trials = 100000;

    for (int i = 0; i < (int)trials; i++) {
        uint64_t k = p2pi_draw_geometric(&draws, &g);

        if (k < 12)
            seen[k]++;
    }
    for (int k = 0; k < 12; k++) {
        double probability = 0.25 * pow(0.75, k);

        check_close((double)seen[k], probability * trials, 5 * sqrt(probability * trials));
    }
    g = p2pi_geometric_of(1);
    ck_assert_uint_eq(p2pi_draw_geometric(&draws, &g), 0);
}
END_TEST

Suite *
draws_suite(void)
{
    Suite *s = suite_create("draws");
    TCase *tc = tcase_create("draws");

    tcase_add_loop_test(tc, a_seed_means_one_graph, 0, sizeof pinned / sizeof *pinned);
    tcase_add_test(tc, random_regular_is_regular);
    tcase_add_test(tc, erdos_renyi_has_its_density);
    tcase_add_test(tc, small_world_keeps_its_edges);
    tcase_add_test(tc, barabasi_albert_grows_hubs);
    tcase_add_test(tc, draws_are_uniform);
    tcase_add_test(tc, skips_are_geometric);
    tcase_set_timeout(tc, 120);
    suite_add_tcase(s, tc);
    return s;
}
