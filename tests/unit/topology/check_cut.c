/* Fewest nodes that cut a graph apart, against every set of nodes of small graphs. */
#include "runner.h"
#include "topology_helper.h"

#include <stdio.h>

enum { NODES = 8, MOST = 5 };

/* Whether the nodes not in the mask are connected; one or none is. */
static int
stays_connected(const p2p_topology *t, unsigned gone)
{
    const unsigned all = (1u << p2p_topology_size(t)) - 1;
    unsigned left = all & ~gone, seen, before = 0;

    if (left == 0)
        return 1;
    for (seen = left & -left; seen != before;) {
        before = seen;
        for (size_t i = 0; i < p2p_topology_size(t); i++) {
            p2p_neighbourhood at = p2p_topology_at(t, i);

            for (size_t j = 0; j < at.degree && (before >> i & 1); j++)
                seen |= (1u << at.peers[j]) & left;
        }
    }
    return seen == left;
}

/* By trying all sets; MOST + 1: none has at most MOST nodes. */
static size_t
smallest_cut(const p2p_topology *t)
{
    size_t best = MOST + 1;

    for (unsigned gone = 0; gone < 1u << p2p_topology_size(t); gone++)
        if ((size_t)__builtin_popcount(gone) < best && !stays_connected(t, gone))
            best = (size_t)__builtin_popcount(gone);
    return best;
}

static void
compare(const char *spec, uint64_t seed)
{
    p2p_topology *t;
    uint32_t cut[MOST];
    size_t size, wanted;
    unsigned gone = 0;

    if (p2p_topology_new(&t, spec, NULL, NODES, seed) != P2P_OK)
        return; /* a random graph that is not connected */
    wanted = smallest_cut(t);
    ck_ok(p2p_topology_cut(t, MOST, cut, &size));
    ck_assert_msg(size == wanted, "%s, seed %u: %zu, expected %zu", spec, (unsigned)seed, size, wanted);
    for (size_t i = 0; i < size && size <= MOST; i++) {
        ck_assert(i == 0 || cut[i] > cut[i - 1]);
        gone |= 1u << cut[i];
    }
    if (size <= MOST)
        ck_assert_int_eq(stays_connected(t, gone), 0);
    p2p_topology_destroy(&t);
}

START_TEST(cuts_are_the_smallest)
{
    static const char *const specs[] = { "ring",      "path",    "star",       "complete", "torus:rows=2,cols=4",
                                         "hypercube", "barbell", "exponential" };

    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++)
        compare(specs[i], 1);
    for (uint64_t seed = 1; seed <= 40; seed++) {
        compare("erdos-renyi:p=0.4", seed);
        compare("erdos-renyi:p=0.7", seed);
        compare("random-regular:degree=3", seed);
    }
}
END_TEST

/* The search stops at what was asked for. */
START_TEST(no_more_is_looked_for_than_asked)
{
    p2p_topology *t;
    uint32_t cut[2];
    size_t size;

    ck_ok(p2p_topology_new(&t, "torus:rows=10,cols=10", NULL, 100, 1));
    ck_ok(p2p_topology_cut(t, 2, cut, &size));
    ck_assert_uint_eq(size, 3);
    p2p_topology_destroy(&t);
    ck_ok(p2p_topology_new(&t, "ring", NULL, 100, 1));
    ck_ok(p2p_topology_cut(t, 1, cut, &size));
    ck_assert_uint_eq(size, 2);
    ck_ok(p2p_topology_cut(t, 2, cut, &size));
    ck_assert_uint_eq(size, 2);
    ck_assert(cut[1] > cut[0] + 1);
    p2p_topology_destroy(&t);
}
END_TEST

Suite *
cut_suite(void)
{
    Suite *suite = suite_create("cut");
    TCase *tc = tcase_create("cut");

    tcase_add_test(tc, cuts_are_the_smallest);
    tcase_add_test(tc, no_more_is_looked_for_than_asked);
    suite_add_tcase(suite, tc);
    return suite;
}
