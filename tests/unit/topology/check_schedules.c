/* Graphs that change with the round, and directed ones: what every node finds of a round fits what the others find.
 */
#include "topology_helper.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { NODES = 16, ROUNDS = 20 };

static const char *const changing[] = { "one-peer", "matchings", "matchings:(torus:rows=4,cols=4)",
                                        "erdos-renyi:p=0.3,redraw=yes" };
static const char *const directed[] = { "directed-ring", "directed-exponential" };

/* W of a round as all nodes find it; who says that it sends to whom in sends. */
static void
round_of(const p2p_topology *t, uint32_t round, double W[NODES][NODES], unsigned char sends[NODES][NODES])
{
    memset(W, 0, sizeof(double[NODES][NODES]));
    memset(sends, 0, NODES * NODES);
    for (size_t i = 0; i < p2p_topology_size(t); i++) {
        p2p_neighbourhood at = p2p_topology_at(t, i);
        unsigned char to[NODES];
        double weights[NODES];

        p2p_topology_round(t, i, round, &W[i][i], weights, to);
        for (size_t k = 0; k < at.degree; k++) {
            W[i][at.peers[k]] = weights[k];
            sends[i][at.peers[k]] = to[k];
        }
    }
}

static void
check_sums(size_t n, double W[NODES][NODES], int rows)
{
    for (size_t i = 0; i < n; i++) {
        double row = 0, column = 0;

        for (size_t j = 0; j < n; j++) {
            ck_assert(W[i][j] >= 0);
            row += W[i][j];
            column += W[j][i];
        }
        if (rows)
            check_close(row, 1, 1e-12);
        check_close(column, 1, 1e-12);
    }
}

static void
check_ends_agree(size_t n, double W[NODES][NODES], unsigned char sends[NODES][NODES])
{
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            if (i != j)
                ck_assert_int_eq(sends[i][j], W[j][i] > 0);
}

START_TEST(every_round_is_doubly_stochastic)
{
    p2p_topology *t = topology_of(changing[_i], NULL, NODES);
    unsigned char sends[NODES][NODES];
    double W[NODES][NODES];

    ck_assert(p2p_topology_traits(t) & P2P_TOPOLOGY_VARIES);
    for (uint32_t round = 0; round < ROUNDS; round++) {
        round_of(t, round, W, sends);
        check_sums(NODES, W, 1);
        check_ends_agree(NODES, W, sends);
    }
    p2p_topology_destroy(&t);
}
END_TEST

START_TEST(directed_columns_sum_to_one)
{
    p2p_topology *t = topology_of(directed[_i], NULL, NODES);
    unsigned char sends[NODES][NODES];
    double W[NODES][NODES];

    ck_assert_uint_eq(p2p_topology_traits(t), P2P_TOPOLOGY_DIRECTED | P2P_TOPOLOGY_PUSH);
    round_of(t, 0, W, sends);
    check_sums(NODES, W, 0);
    check_ends_agree(NODES, W, sends);
    p2p_topology_destroy(&t);
}
END_TEST

START_TEST(rounds_differ_and_repeat_with_the_seed)
{
    p2p_topology *t = topology_of("matchings", NULL, NODES), *again = topology_of("matchings", NULL, NODES);
    unsigned char sends[NODES][NODES];
    double first[NODES][NODES], other[NODES][NODES];

    round_of(t, 0, first, sends);
    round_of(again, 0, other, sends);
    ck_assert_mem_eq(first, other, sizeof first);
    round_of(t, 1, other, sends);
    ck_assert_mem_ne(first, other, sizeof first);
    ck_assert_uint_eq(p2p_topology_hash(t), p2p_topology_hash(again));
    p2p_topology_destroy(&again);
    ck_ok(p2p_topology_new(&again, "matchings", NULL, NODES, 2));
    ck_assert_uint_ne(p2p_topology_hash(t), p2p_topology_hash(again));
    p2p_topology_destroy(&again);
    p2p_topology_destroy(&t);
}
END_TEST

/* P(edge) = 1 / (a + b - 1) on degrees a and b: 1/3 on a ring, so a node is in a pair in two rounds of three. */
START_TEST(matchings_are_as_dense_as_they_should_be)
{
    p2p_topology *t = topology_of("matchings:ring", NULL, NODES);
    unsigned char sends[NODES][NODES];
    double W[NODES][NODES], pairs = 0;

    for (uint32_t round = 0; round < 3000; round++) {
        round_of(t, round, W, sends);
        for (size_t i = 0; i < NODES; i++)
            pairs += W[i][i] == 0.5;
    }
    check_close(pairs / (3000 * NODES), 2.0 / 3, 0.01);
    p2p_topology_destroy(&t);
}
END_TEST

START_TEST(redrawn_graphs_have_the_probability_of_their_edges)
{
    p2p_topology *t = topology_of("erdos-renyi:p=0.3,redraw=yes", NULL, NODES);
    unsigned char sends[NODES][NODES];
    double W[NODES][NODES], edges = 0;

    for (uint32_t round = 0; round < 500; round++) {
        round_of(t, round, W, sends);
        for (size_t i = 0; i < NODES; i++)
            for (size_t j = 0; j < i; j++)
                edges += W[i][j] > 0;
    }
    check_close(edges / (500 * NODES * (NODES - 1) / 2), 0.3, 0.01);
    p2p_topology_destroy(&t);
}
END_TEST

START_TEST(one_peer_averages_a_power_of_two_exactly)
{
    p2p_topology *t = topology_of("one-peer", NULL, NODES), *odd = topology_of("one-peer", NULL, 12);
    p2p_topology_figures f;

    ck_ok(p2p_topology_measure(t, &f));
    ck_assert(f.lambda_2 == 0 && f.gap == 1 && f.beta == 1);
    ck_ok(p2p_topology_measure(odd, &f));
    ck_assert(f.lambda_2 > 0 && f.lambda_2 < 1);
    p2p_topology_destroy(&odd);
    p2p_topology_destroy(&t);
}
END_TEST

/* The second eigenvalue of P for i -> i + 1 with shares 1/2 has modulus cos(pi / n). */
START_TEST(the_factor_of_a_directed_ring_is_its_eigenvalue)
{
    p2p_topology *t = topology_of("directed-ring", NULL, NODES);
    p2p_topology_figures f;

    ck_ok(p2p_topology_measure(t, &f));
    check_close(f.lambda_2, cos(acos(-1) / NODES), 1e-3);
    p2p_topology_destroy(&t);
}
END_TEST

/* What is left of the square of a vector's disagreement by a round, over many of them, against the figure. */
START_TEST(the_factor_of_drawn_rounds_is_their_mean_square)
{
    static const char *const specs[] = { "matchings", "matchings:path", "erdos-renyi:p=0.3,redraw=yes" };
    p2p_topology *t = topology_of(specs[_i], NULL, NODES);
    unsigned char sends[NODES][NODES];
    double W[NODES][NODES], left = 0, x[NODES], square = 0;
    p2p_topology_figures f;

    ck_ok(p2p_topology_measure(t, &f));
    /* On a path the slowest direction of matchings is not a cosine; any other shrinks faster. */
    for (size_t i = 0; i < NODES; i++) {
        x[i] = _i == 1 ? cos(acos(-1) * ((double)i + 0.5) / NODES) : i == 0 ? NODES - 1 : -1;
        square += x[i] * x[i];
    }
    for (uint32_t round = 0; round < 4000; round++) {
        round_of(t, round, W, sends);
        for (size_t i = 0; i < NODES; i++) {
            double y = 0;

            for (size_t j = 0; j < NODES; j++)
                y += W[i][j] * x[j];
            left += y * y / square / 4000;
        }
    }
    if (_i == 1)
        ck_assert(left <= f.lambda_2 * f.lambda_2 + 1e-3 && left > f.lambda_2 * f.lambda_2 - 0.02);
    else
        check_close(left, f.lambda_2 * f.lambda_2, 0.01);
    p2p_topology_destroy(&t);
}
END_TEST

static void
write_graph(char *path, const char *text)
{
    FILE *f;

    strcpy(path, "/tmp/scheduleXXXXXX");
    close(mkstemp(path));
    f = fopen(path, "w");
    fputs(text, f);
    fclose(f);
}

START_TEST(files_take_turns)
{
    char a[32], b[32], spec[128];
    unsigned char sends[NODES][NODES];
    double W[NODES][NODES];
    p2p_topology_figures f;
    p2p_topology *t;

    write_graph(a, "0 1\n2 3\n");
    write_graph(b, "1 2 0.25\n3 0 0.25\n");
    snprintf(spec, sizeof spec, "periodic:%s+%s", a, b);
    t = topology_of(spec, NULL, 0);
    ck_assert_uint_eq(p2p_topology_edges(t), 4);
    for (uint32_t round = 0; round < 4; round++) {
        round_of(t, round, W, sends);
        check_sums(4, W, 1);
        check_close(W[0][1], round % 2 ? 0 : 0.5, 0);
        check_close(W[1][2], round % 2 ? 0.25 : 0, 0);
    }
    /* The slowest direction loses half in every second round: sqrt(1/2) a round. */
    ck_ok(p2p_topology_measure(t, &f));
    check_close(f.lambda_2, sqrt(0.5), 1e-9);
    p2p_topology_destroy(&t);
    write_graph(b, "1 2 0.75\n2 3 0.75\n");
    snprintf(spec, sizeof spec, "periodic:%s+%s", a, b);
    ck_fails(p2p_topology_new(&t, spec, NULL, 0, 1), P2P_EINVAL, "row 2: its edges sum to 1.5; expected at most 1");
    snprintf(spec, sizeof spec, "periodic:%s", a);
    ck_fails(p2p_topology_new(&t, spec, NULL, 0, 1), P2P_EINVAL, "connected");
    remove(a);
    remove(b);
}
END_TEST

START_TEST(directed_files_keep_their_directions)
{
    char a[32], spec[64];
    unsigned char sends[NODES][NODES];
    double W[NODES][NODES];
    p2p_topology *t;

    write_graph(a, "0 1\n1 2\n2 0\n0 2\n");
    snprintf(spec, sizeof spec, "file:%s,directed=yes", a);
    t = topology_of(spec, NULL, 0);
    round_of(t, 0, W, sends);
    check_close(W[1][0], 1.0 / 3, 0);
    check_close(W[0][1], 0, 0);
    check_close(W[0][2], 0.5, 0);
    check_close(W[2][0], 1.0 / 3, 0);
    p2p_topology_destroy(&t);
    write_graph(a, "0 1\n1 2\n0 2\n");
    snprintf(spec, sizeof spec, "file:%s,directed=yes", a);
    ck_fails(p2p_topology_new(&t, spec, NULL, 0, 1), P2P_EINVAL, "no way from node 1 to node 0");
    remove(a);
}
END_TEST

START_TEST(what_cannot_be_is_refused)
{
    p2p_topology *t;

    ck_fails(p2p_topology_new(&t, "one-peer", "lazy", 8, 1), P2P_EINVAL, "mixing \"lazy\" has no place");
    ck_fails(p2p_topology_new(&t, "matchings:one-peer", NULL, 8, 1), P2P_EINVAL, "the same in every round");
    ck_fails(p2p_topology_new(&t, "periodic", NULL, 8, 1), P2P_EINVAL, "a path is missing");
}
END_TEST

Suite *
schedules_suite(void)
{
    Suite *suite = suite_create("schedules");
    TCase *tc = tcase_create("schedules");

    tcase_add_loop_test(tc, every_round_is_doubly_stochastic, 0, sizeof changing / sizeof *changing);
    tcase_add_loop_test(tc, directed_columns_sum_to_one, 0, sizeof directed / sizeof *directed);
    tcase_add_test(tc, rounds_differ_and_repeat_with_the_seed);
    tcase_add_test(tc, matchings_are_as_dense_as_they_should_be);
    tcase_add_test(tc, redrawn_graphs_have_the_probability_of_their_edges);
    tcase_add_test(tc, one_peer_averages_a_power_of_two_exactly);
    tcase_add_test(tc, the_factor_of_a_directed_ring_is_its_eigenvalue);
    tcase_add_loop_test(tc, the_factor_of_drawn_rounds_is_their_mean_square, 0, 3);
    tcase_add_test(tc, files_take_turns);
    tcase_add_test(tc, directed_files_keep_their_directions);
    tcase_add_test(tc, what_cannot_be_is_refused);
    suite_add_tcase(suite, tc);
    return suite;
}
