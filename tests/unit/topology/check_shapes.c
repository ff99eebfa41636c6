/* Generators: the edges they promise, at one node, two nodes and more, and what they refuse. */
#include "topology_helper.h"

#include "topology/generator.h"

static const struct {
    const char *spec;
    size_t nodes;
    const char *edges;
} shapes[] = {
    { "ring", 3, "0-1 0-2 1-2" },
    { "ring", 5, "0-1 0-4 1-2 2-3 3-4" },
    { "path", 4, "0-1 1-2 2-3" },
    { "star", 4, "0-1 0-2 0-3" },
    { "complete", 4, "0-1 0-2 0-3 1-2 1-3 2-3" },
    { "grid", 6, "0-1 0-3 1-2 1-4 2-5 3-4 4-5" },
    { "grid:rows=3", 6, "0-1 0-2 1-3 2-3 2-4 3-5 4-5" },
    { "grid:rows=2,cols=2", 0, "0-1 0-2 1-3 2-3" },
    { "grid", 5, "0-1 1-2 2-3 3-4" },
    { "torus", 6, "0-1 0-2 0-3 1-2 1-4 2-5 3-4 3-5 4-5" },
    { "torus", 4, "0-1 0-2 1-3 2-3" },
    { "torus", 3, "0-1 0-2 1-2" },
    { "hypercube", 8, "0-1 0-2 0-4 1-3 1-5 2-3 2-6 3-7 4-5 4-6 5-7 6-7" },
    { "hypercube:dim=1", 0, "0-1" },
    { "exponential", 5, "0-1 0-2 0-3 0-4 1-2 1-3 1-4 2-3 2-4 3-4" },
    { "exponential", 8, "0-1 0-2 0-4 0-6 0-7 1-2 1-3 1-5 1-7 2-3 2-4 2-6 3-4 3-5 3-7 4-5 4-6 5-6 5-7 6-7" },
    { "barbell", 3, "0-1 1-2" },
    { "barbell", 6, "0-1 0-2 1-2 2-3 3-4 3-5 4-5" },
    { "barbell:clique=2,bridge=2", 0, "0-1 1-2 2-3 3-4 4-5" },
    { "barbell:clique=3", 8, "0-1 0-2 1-2 2-3 3-4 4-5 5-6 5-7 6-7" },
    { "erdos-renyi:p=1", 4, "0-1 0-2 0-3 1-2 1-3 2-3" },
    { "random-regular:degree=3", 4, "0-1 0-2 0-3 1-2 1-3 2-3" },
    { "small-world:k=4,p=0", 6, "0-1 0-2 0-4 0-5 1-2 1-3 1-5 2-3 2-4 3-4 3-5 4-5" },
    { "barabasi-albert:m=3", 4, "0-1 0-2 0-3" },
};

START_TEST(shapes_have_their_edges)
{
    p2p_topology *t = topology_of(shapes[_i].spec, NULL, shapes[_i].nodes);

    ck_assert_str_eq(edges_text(t), shapes[_i].edges);
    p2p_topology_destroy(&t);
}
END_TEST

static int
is_generated(const p2p_entry *entry)
{
    return strcmp(entry->name, "file") != 0 && strcmp(entry->name, "sample") != 0 &&
           strcmp(entry->name, "periodic") != 0;
}

/* Whether mixing rules apply: its weights do not follow from a schedule. */
static int
is_steady(const p2p_entry *entry)
{
    p2p_topology *t = topology_of(entry->name, NULL, 1);
    unsigned traits = p2p_topology_traits(t);

    p2p_topology_destroy(&t);
    return traits == 0;
}

START_TEST(one_and_two_nodes_work_everywhere)
{
    const p2p_entry *entry;

    for (size_t g = 0; (entry = p2pi_topology_entry(g)) != NULL; g++)
        for (size_t n = 1; n <= 2 && is_generated(entry); n++) {
            p2p_topology *t = topology_of(entry->name, NULL, n);
            p2p_topology_figures f;

            ck_assert_uint_eq(p2p_topology_size(t), n);
            ck_assert_uint_eq(p2p_topology_edges(t), n - 1);
            ck_assert_uint_eq(p2p_topology_diameter(t), n - 1);
            check_sound(t);
            ck_ok(p2p_topology_measure(t, &f));
            check_close(f.gap, 1, 1e-15);
            check_close(f.beta, 1, 1e-15);
            ck_assert(p2p_topology_at(t, 0).self_weight == (n == 1 ? 1.0 : 0.5));
            p2p_topology_destroy(&t);
        }
}
END_TEST

/* Every generator at every small size that suits it, under every rule. */
START_TEST(every_w_is_symmetric_and_doubly_stochastic)
{
    const p2p_entry *shape, *rule;

    for (size_t g = 0; (shape = p2pi_topology_entry(g)) != NULL; g++)
        for (size_t r = 0; is_generated(shape) && is_steady(shape) && (rule = p2pi_mixing_entry(r)) != NULL; r++)
            for (size_t n = 1; n <= 20 && strcmp(rule->name, "file") != 0; n++) {
                p2p_topology *t;

                if (strcmp(shape->name, "hypercube") == 0 && (n & (n - 1)) != 0)
                    continue;
                t = topology_of(shape->name, rule->name, n);
                ck_assert_uint_eq(p2p_topology_size(t), n);
                check_sound(t);
                p2p_topology_destroy(&t);
            }
}
END_TEST

static const struct {
    const char *spec, *mixing;
    size_t nodes;
    p2p_status status;
    const char *sentence;
} refusals[] = {
    { "rings", NULL, 4, P2P_EPARSE, "topology \"rings\": unknown; expected one of: ring, path, star" },
    { "ring", "best", 4, P2P_EPARSE, "mixing \"best\": unknown; expected one of: auto, metropolis, max-degree" },
    { "ring", "lazy:stay=1", 4, P2P_EINVAL, "mixing \"lazy\": stay=1: expected a number from 0 to 1 (1 excluded)" },
    { "ring:k=2", NULL, 4, P2P_EPARSE, "topology \"ring\": unknown option \"k\"; it has none" },
    { "ring", NULL, 0, P2P_EINVAL, "topology \"ring\": the number of nodes is missing" },
    { "grid", NULL, 0, P2P_EINVAL, "expected nodes, or rows and cols" },
    { "ring", NULL, 99999999, P2P_EINVAL, "99999999 nodes; at most 16777216 are allowed" },
    { "complete", NULL, 20000, P2P_EINVAL, "199990000 edges; at most 134217728 are allowed" },
    { "erdos-renyi:p=0.9", NULL, 1000000, P2P_EINVAL, "edges; at most 134217728 are allowed" },
    { "torus:rows=3", NULL, 8, P2P_EINVAL, "8 nodes cannot be laid out as rows=3, cols=2" },
    { "torus:rows=3,cols=4", NULL, 8, P2P_EINVAL, "8 nodes cannot be laid out as rows=3, cols=4" },
    { "grid:rows=0", NULL, 8, P2P_EINVAL, "rows=0: expected an integer from 1 to 16777216, or auto" },
    { "grid:rows=16777216,cols=16777216", NULL, 0, P2P_EINVAL, "at most 16777216 are allowed" },
    { "hypercube", NULL, 6, P2P_EINVAL, "6 nodes; expected a power of two" },
    { "hypercube:dim=3", NULL, 4, P2P_EINVAL, "dim=3 means 8 nodes, but 4 are asked for" },
    { "barbell:clique=3,bridge=3", NULL, 8, P2P_EINVAL, "clique=3, bridge=3 do not make 8 nodes" },
    { "barbell:bridge=9", NULL, 8, P2P_EINVAL, "bridge=9 do not make 8 nodes" },
    { "barbell:clique=5", NULL, 8, P2P_EINVAL, "clique=5" },
    { "erdos-renyi:p=0.001", NULL, 100, P2P_EINVAL, "none of 100 draws of 100 nodes was connected" },
    { "erdos-renyi:p=0", NULL, 100, P2P_EINVAL, "p=0: expected a number from 0 to 1 (0 excluded), or auto" },
    { "erdos-renyi:p=nan", NULL, 100, P2P_EINVAL, "p=nan: expected" },
    { "random-regular:degree=3", NULL, 9, P2P_EINVAL,
      "degree=3 with 9 nodes; expected at most 8, and an even product" },
    { "random-regular:degree=9", NULL, 9, P2P_EINVAL, "degree=9 with 9 nodes; expected at most 8" },
    { "random-regular:degree=1", NULL, 6, P2P_EINVAL, "none of 100 draws of 6 nodes was connected" },
    { "small-world:k=3", NULL, 9, P2P_EINVAL, "k=3 with 9 nodes; expected an even number of at most 9" },
    { "small-world:k=10", NULL, 9, P2P_EINVAL, "k=10 with 9 nodes" },
    { "barabasi-albert:m=4", NULL, 4, P2P_EINVAL, "m=4 with 4 nodes; expected at most 3" },
};

START_TEST(what_cannot_be_is_refused)
{
    p2p_topology *t = (p2p_topology *)1;

    ck_fails(p2p_topology_new(&t, refusals[_i].spec, refusals[_i].mixing, refusals[_i].nodes, 1), refusals[_i].status,
             refusals[_i].sentence);
    ck_assert_ptr_null(t);
}
END_TEST

START_TEST(specs_are_canonical)
{
    p2p_topology *t = topology_of("torus:cols=auto,rows=2", "lazy:stay=0.5", 8);

    ck_assert_str_eq(p2p_topology_spec(t), "torus:rows=2");
    ck_assert_str_eq(p2p_topology_mixing(t), "lazy");
    p2p_topology_destroy(&t);
    t = topology_of("ring", NULL, 4);
    ck_assert_str_eq(p2p_topology_mixing(t), "metropolis");
    p2p_topology_destroy(&t);
    p2p_topology_destroy(&t);
}
END_TEST

/* Jumps of half the ring are given from both ends. */
START_TEST(generators_merge_without_a_word)
{
    p2p_topology *t;

    ck_ok(p2p_topology_new(&t, "exponential", NULL, 16, 1));
    ck_assert_str_eq(p2p_topology_notice(t), "");
    p2p_topology_destroy(&t);
}
END_TEST

START_TEST(edges_make_a_topology)
{
    const uint32_t ends[] = { 2, 0, 1, 2, 0, 2 }, loop[] = { 0, 1, 1, 1 }, far[] = { 0, 2 };
    const double weights[] = { 0.25, 0.5, 0.25 }, negative[] = { 0.25, -0.5, 0.25 }, other[] = { 0.25, 0.5, 0.75 };
    p2p_topology *t;

    ck_ok(p2p_topology_from_edges(&t, 3, 3, ends, NULL));
    ck_assert_str_eq(edges_text(t), "0-2 1-2");
    ck_assert(weight_of(t, 0, 2) == 1.0 / 3);
    ck_assert_str_eq(p2p_topology_notice(t), "1 repeated edge merged");
    p2p_topology_destroy(&t);
    ck_ok(p2p_topology_from_edges(&t, 3, 3, ends, weights));
    ck_assert(weight_of(t, 2, 1) == 0.5 && weight_of(t, 1, 1) == 0.5 && weight_of(t, 2, 2) == 0.25);
    p2p_topology_destroy(&t);
    ck_fails(p2p_topology_from_edges(&t, 3, 3, ends, other), P2P_EINVAL,
             "edge 2 (0 2): weight 0.75, but edge 0 gives 0.25; W must be symmetric");
    ck_fails(p2p_topology_from_edges(&t, 3, 3, ends, negative), P2P_EINVAL, "weight -0.5 of edge 1 2");
    ck_fails(p2p_topology_from_edges(&t, 2, 2, loop, NULL), P2P_EINVAL, "edge 1 (1 1): expected two different nodes");
    ck_fails(p2p_topology_from_edges(&t, 2, 1, far, NULL), P2P_EINVAL,
             "edge 0 (0 2): expected two different nodes from 0 to 1");
    ck_fails(p2p_topology_from_edges(&t, 3, 1, loop, NULL), P2P_EINVAL, "not connected");
    ck_fails(p2p_topology_from_edges(&t, 0, 0, NULL, NULL), P2P_EINVAL, "no nodes");
    ck_assert_ptr_null(t);
}
END_TEST

START_TEST(hash_tells_edges_and_weights)
{
    p2p_topology *ring = topology_of("ring", NULL, 4), *again = topology_of("torus", NULL, 4);
    p2p_topology *path = topology_of("path", NULL, 4), *lazy = topology_of("ring", "lazy", 4);

    ck_assert(p2p_topology_hash(ring) != p2p_topology_hash(path));
    ck_assert(p2p_topology_hash(ring) != p2p_topology_hash(lazy));
    /* The same graph with other numbers is another topology. */
    ck_assert(p2p_topology_hash(ring) != p2p_topology_hash(again));
    /* The fingerprint must be the same on every machine. */
    ck_assert_uint_eq(p2p_topology_hash(ring), UINT64_C(0x9536ae5a84a0dae1));
    p2p_topology_destroy(&ring);
    p2p_topology_destroy(&again);
    p2p_topology_destroy(&path);
    p2p_topology_destroy(&lazy);
}
END_TEST

Suite *
shapes_suite(void)
{
    Suite *s = suite_create("shapes");
    TCase *tc = tcase_create("shapes");

    tcase_add_loop_test(tc, shapes_have_their_edges, 0, sizeof shapes / sizeof *shapes);
    tcase_add_test(tc, one_and_two_nodes_work_everywhere);
    tcase_add_test(tc, every_w_is_symmetric_and_doubly_stochastic);
    tcase_add_loop_test(tc, what_cannot_be_is_refused, 0, sizeof refusals / sizeof *refusals);
    tcase_add_test(tc, specs_are_canonical);
    tcase_add_test(tc, generators_merge_without_a_word);
    tcase_add_test(tc, edges_make_a_topology);
    tcase_add_test(tc, hash_tells_edges_and_weights);
    tcase_set_timeout(tc, 120);
    suite_add_tcase(s, tc);
    return s;
}
