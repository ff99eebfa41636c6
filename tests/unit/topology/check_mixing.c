/* Mixing rules: their formulas, the reference's W, and how they compare. */
#include "topology_helper.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>

START_TEST(rules_follow_their_formulas)
{
    /* Degrees: node 0 has 3, node 1 has 2, nodes 2 and 3 have 2 and 1. */
    const uint32_t ends[] = { 0, 1, 0, 2, 0, 3, 1, 2 };
    p2p_topology *t;

    ck_ok(p2p_topology_from_edges(&t, 4, 4, ends, NULL));
    ck_assert(weight_of(t, 0, 1) == 1.0 / 4 && weight_of(t, 1, 2) == 1.0 / 3 && weight_of(t, 0, 3) == 1.0 / 4);
    check_close(weight_of(t, 3, 3), 0.75, 0);
    p2p_topology_destroy(&t);
    t = topology_of("star", "max-degree", 5);
    ck_assert(weight_of(t, 0, 4) == 1.0 / 5);
    p2p_topology_destroy(&t);
    t = topology_of("path", "lazy:stay=0.25", 4);
    ck_assert(weight_of(t, 1, 2) == 0.75 * (1.0 / 3));
    p2p_topology_destroy(&t);
    /* The star's Laplacian has the eigenvalues 0, 1, ..., 1, n. */
    t = topology_of("star", "best-constant", 7);
    check_close(weight_of(t, 0, 3), 2.0 / 8, 1e-14);
    ck_assert(weight_of(t, 0, 0) < 0);
    p2p_topology_destroy(&t);
}
END_TEST

static double
modulus(const char *spec, const char *mixing, size_t nodes)
{
    p2p_topology *t = topology_of(spec, mixing, nodes);
    p2p_topology_figures f;

    ck_ok(p2p_topology_measure(t, &f));
    p2p_topology_destroy(&t);
    return fmax(fabs(f.lambda_2), fabs(f.lambda_n));
}

static const char *const graphs[] = { "ring",           "path",        "star",           "grid",
                                      "torus",          "exponential", "barbell",        "erdos-renyi",
                                      "random-regular", "small-world", "barabasi-albert" };

/* Of all W with equal weights best-constant mixes fastest; on regular graphs metropolis is one of them. */
START_TEST(best_constant_is_best)
{
    double best = modulus(graphs[_i], "best-constant", 24);
    int regular = strcmp(graphs[_i], "ring") == 0 || strcmp(graphs[_i], "torus") == 0 ||
                  strcmp(graphs[_i], "exponential") == 0 || strcmp(graphs[_i], "random-regular") == 0;

    ck_assert(best <= modulus(graphs[_i], "max-degree", 24) + 1e-13);
    if (regular)
        ck_assert(best <= modulus(graphs[_i], "metropolis", 24) + 1e-13);
}
END_TEST

START_TEST(lazy_moves_eigenvalues)
{
    p2p_topology *t = topology_of(graphs[_i], "metropolis", 24),
                 *lazy = topology_of(graphs[_i], "lazy:stay=0.25", 24);
    p2p_topology_figures f, g;

    ck_ok(p2p_topology_measure(t, &f));
    ck_ok(p2p_topology_measure(lazy, &g));
    check_close(g.gap, 0.75 * f.gap, 1e-14);
    check_close(g.beta, 0.75 * f.beta, 1e-14);
    check_close(g.lambda_n, 0.25 + 0.75 * f.lambda_n, 1e-14);
    p2p_topology_destroy(&t);
    p2p_topology_destroy(&lazy);
}
END_TEST

static const struct {
    const char *file, *spec;
    size_t nodes;
} golden[] = {
    { "00-dgd-ring6-quadratic-identity.json", "ring", 6 },
    { "20-dgd-torus6-logistic-identity.json", "torus:rows=2,cols=3", 6 },
    { "40-dgd-exponential8-quadratic-identity.json", "exponential", 8 },
};

/* The reference implementation sums rows as NumPy does, and so does the library: W agrees to the last bit. */
START_TEST(metropolis_equals_the_reference)
{
    p2p_topology *t = topology_of(golden[_i].spec, "metropolis", golden[_i].nodes);
    char path[4096];
    json_t *file, *w;

    snprintf(path, sizeof path, "%s/tests/golden/gossip/%s", getenv("SRCDIR") ? getenv("SRCDIR") : ".",
             golden[_i].file);
    file = json_load_file(path, 0, NULL);
    w = json_object_get(file, "W");
    ck_assert_uint_eq(json_array_size(w), golden[_i].nodes);
    for (size_t i = 0; i < golden[_i].nodes; i++)
        for (size_t j = 0; j < golden[_i].nodes; j++)
            check_close(weight_of(t, i, j), json_number_value(json_array_get(json_array_get(w, i), j)), 0);
    json_decref(file);
    p2p_topology_destroy(&t);
}
END_TEST

Suite *
mixing_suite(void)
{
    Suite *s = suite_create("mixing");
    TCase *tc = tcase_create("mixing");

    tcase_add_test(tc, rules_follow_their_formulas);
    tcase_add_loop_test(tc, best_constant_is_best, 0, sizeof graphs / sizeof *graphs);
    tcase_add_loop_test(tc, lazy_moves_eigenvalues, 0, sizeof graphs / sizeof *graphs);
    tcase_add_loop_test(tc, metropolis_equals_the_reference, 0, sizeof golden / sizeof *golden);
    tcase_set_timeout(tc, 120);
    suite_add_tcase(s, tc);
    return s;
}
