/* Generators: the edges they promise, at one node, two nodes and more, and what they refuse. */
#include "topology/generator.h"
#include "runner.h"

#include <math.h>
#include <p2popt/topology.h>
#include <stdlib.h>

static p2p_topology *
make(const char *spec, size_t nodes)
{
    p2p_topology *t;

    ck_ok(p2p_topology_new(&t, spec, NULL, nodes, 1));
    return t;
}

/* Rows ascending, without the node itself; W symmetric; rows sum to 1 within 1e-12. */
static void
check_sound(const p2p_topology *t)
{
    for (size_t i = 0; i < p2p_topology_size(t); i++) {
        p2p_neighbourhood here = p2p_topology_at(t, i);
        double sum = here.self_weight;

        for (size_t k = 0; k < here.degree; k++) {
            p2p_neighbourhood there = p2p_topology_at(t, here.peers[k]);
            size_t back = 0;

            ck_assert(here.peers[k] != i && (k == 0 || here.peers[k] > here.peers[k - 1]));
            while (back < there.degree && there.peers[back] != i)
                back++;
            ck_assert_msg(back < there.degree && there.weights[back] == here.weights[k], "W is not symmetric");
            ck_assert(here.weights[k] > 0);
            sum += here.weights[k];
        }
        ck_assert_msg(fabs(sum - 1) <= 1e-12, "row %zu sums to %.17g", i, sum);
    }
}

START_TEST(one_and_two_nodes_work_everywhere)
{
    const p2p_entry *entry;

    for (size_t g = 0; (entry = p2pi_topology_entry(g)) != NULL; g++) {
        if (strcmp(entry->name, "file") == 0 || strcmp(entry->name, "sample") == 0)
            continue;
        for (size_t n = 1; n <= 2; n++) {
            p2p_topology *t = make(entry->name, n);
            p2p_topology_figures f;

            ck_assert_uint_eq(p2p_topology_size(t), n);
            ck_assert_uint_eq(p2p_topology_edges(t), n - 1);
            ck_assert_uint_eq(p2p_topology_diameter(t), n - 1);
            check_sound(t);
            ck_ok(p2p_topology_measure(t, &f));
            ck_assert_double_eq_tol(f.gap, 1, 1e-15);
            ck_assert_double_eq_tol(f.beta, 1, 1e-15);
            ck_assert(p2p_topology_at(t, 0).self_weight == (n == 1 ? 1.0 : 0.5));
            p2p_topology_destroy(&t);
        }
    }
}
END_TEST

Suite *
shapes_suite(void)
{
    Suite *s = suite_create("shapes");
    TCase *tc = tcase_create("shapes");

    tcase_add_test(tc, one_and_two_nodes_work_everywhere);
    suite_add_tcase(s, tc);
    return s;
}
