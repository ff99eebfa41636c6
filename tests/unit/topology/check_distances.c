/* The diameter: exact against all pairs' distances, and a bound that holds. */
#include "topology_helper.h"

#include <stdlib.h>

/* Floyd and Warshall. */
static size_t
plain_diameter(const p2p_topology *t)
{
    size_t n = p2p_topology_size(t), largest = 0;
    size_t *d = malloc(n * n * sizeof *d);

    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            d[i * n + j] = i == j ? 0 : weight_of(t, i, j) > 0 ? 1 : n;
    for (size_t k = 0; k < n; k++)
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < n; j++)
                if (d[i * n + k] + d[k * n + j] < d[i * n + j])
                    d[i * n + j] = d[i * n + k] + d[k * n + j];
    for (size_t i = 0; i < n * n; i++)
        largest = d[i] > largest ? d[i] : largest;
    free(d);
    return largest;
}

static const char *const graphs[] = { "ring",           "path",           "star",
                                      "complete",       "grid",           "torus",
                                      "exponential",    "barbell",        "barbell:clique=1",
                                      "erdos-renyi",    "random-regular", "small-world",
                                      "barabasi-albert" };

START_TEST(diameter_is_the_largest_distance)
{
    for (size_t n = 2; n <= 40; n += n < 10 ? 1 : 5) {
        p2p_topology *t = topology_of(graphs[_i], NULL, n);

        ck_assert_uint_eq(p2p_topology_diameter(t), plain_diameter(t));
        p2p_topology_destroy(&t);
    }
}
END_TEST

START_TEST(large_diameters_are_known_or_bounded)
{
    const size_t n = 6000;
    uint32_t *ends = malloc(2 * n * sizeof *ends);
    p2p_topology_figures f;
    p2p_topology *t = topology_of("ring", NULL, 10000);

    ck_assert_uint_eq(p2p_topology_diameter(t), 5000);
    p2p_topology_destroy(&t);
    t = topology_of("path", NULL, 100000);
    ck_assert_uint_eq(p2p_topology_diameter(t), 99999);
    p2p_topology_destroy(&t);
    t = topology_of("grid:rows=200", NULL, 20000);
    ck_assert_uint_eq(p2p_topology_diameter(t), 199 + 99);
    p2p_topology_destroy(&t);
    /* A ring that is not known to be one is the hard case: every node is as far from the others as any. */
    for (size_t i = 0; i < n; i++) {
        ends[2 * i] = (uint32_t)i;
        ends[2 * i + 1] = (uint32_t)((i + 1) % n);
    }
    ck_ok(p2p_topology_from_edges(&t, n, n, ends, NULL));
    ck_ok(p2p_topology_measure(t, &f));
    ck_assert(!f.diameter_exact);
    ck_assert_uint_ge(f.diameter, n / 2);
    ck_assert_uint_le(f.diameter, n / 2 + 10);
    p2p_topology_destroy(&t);
    free(ends);
}
END_TEST

Suite *
distances_suite(void)
{
    Suite *s = suite_create("distances");
    TCase *tc = tcase_create("distances");

    tcase_add_loop_test(tc, diameter_is_the_largest_distance, 0, sizeof graphs / sizeof *graphs);
    tcase_add_test(tc, large_diameters_are_known_or_bounded);
    tcase_set_timeout(tc, 300);
    suite_add_tcase(s, tc);
    return s;
}
