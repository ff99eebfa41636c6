/* Eigenvalues of W against closed forms and independent figures, by LAPACK and by Lanczos. */
#include "topology_helper.h"

#include <math.h>
#include <stdlib.h>

static p2p_topology_figures
measure(const char *spec, const char *mixing, size_t nodes)
{
    p2p_topology_figures f;
    p2p_topology *t = topology_of(spec, mixing, nodes);

    ck_ok(p2p_topology_measure(t, &f));
    p2p_topology_destroy(&t);
    return f;
}

/* A ring that the library does not know to be one. */
static p2p_topology_figures
measure_ring_edges(size_t nodes)
{
    uint32_t *ends = malloc(2 * nodes * sizeof *ends);
    p2p_topology_figures f;
    p2p_topology *t;

    for (size_t i = 0; i < nodes; i++) {
        ends[2 * i] = (uint32_t)i;
        ends[2 * i + 1] = (uint32_t)((i + 1) % nodes);
    }
    ck_ok(p2p_topology_from_edges(&t, nodes, nodes, ends, NULL));
    ck_ok(p2p_topology_measure(t, &f));
    p2p_topology_destroy(&t);
    free(ends);
    return f;
}

static double
ring_gap(size_t nodes)
{
    double s = sin(M_PI / (double)nodes);

    return 4.0 / 3 * s * s;
}

START_TEST(rings_and_paths_have_their_closed_forms)
{
    static const size_t sizes[] = { 3, 4, 7, 100, 1000, 20000 };

    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        double n = (double)sizes[s];

        check_close(measure("ring", NULL, sizes[s]).gap, ring_gap(sizes[s]), 1e-15);
        check_close(measure("path", NULL, sizes[s]).gap, 2.0 / 3 * (1 - cos(M_PI / n)), 1e-15);
        check_close(measure("path", "max-degree", sizes[s]).beta, 2.0 / 3 * (1 + cos(M_PI / n)), 1e-14);
    }
}
END_TEST

START_TEST(lapack_finds_the_ring)
{
    static const size_t sizes[] = { 3, 4, 7, 100, 301 };

    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        p2p_topology_figures f = measure_ring_edges(sizes[s]), known = measure("ring", NULL, sizes[s]);

        check_close(f.gap, known.gap, 1e-14);
        check_close(f.beta, known.beta, 1e-14);
    }
}
END_TEST

/* A gap of 1e-6 against a spectrum of width 4/3, relative to itself. */
START_TEST(lanczos_finds_a_long_ring)
{
    p2p_topology_figures f = measure_ring_edges(4000);

    check_close(f.gap, ring_gap(4000), 1e-8 * f.gap);
    check_close(f.beta, 4.0 / 3, 1e-9);
}
END_TEST

/* Regular graphs with known spectra, below and above the limit of the dense solver. */
START_TEST(regular_graphs_have_their_closed_forms)
{
    static const size_t sides[] = { 4, 10, 50 }, dims[] = { 1, 3, 7, 11 };

    for (size_t s = 0; s < sizeof sides / sizeof *sides; s++) {
        p2p_topology_figures f = measure("torus", NULL, sides[s] * sides[s]);

        check_close(f.gap, 2.0 / 5 * (1 - cos(2 * M_PI / (double)sides[s])), 1e-10);
        check_close(f.beta, 8.0 / 5, 1e-10);
    }
    for (size_t d = 0; d < sizeof dims / sizeof *dims; d++) {
        p2p_topology_figures f = measure("hypercube", NULL, (size_t)1 << dims[d]);
        double dim = (double)dims[d];

        check_close(f.gap, 2 / (dim + 1), 1e-12);
        check_close(f.beta, 2 * dim / (dim + 1), 1e-12);
    }
    for (size_t n = 2; n <= 250; n = n * 3 + 1) {
        check_close(measure("complete", NULL, n).gap, 1, 1e-13);
        check_close(measure("star", NULL, n).gap, n == 2 ? 1 : 1.0 / (double)n, 1e-13);
    }
    check_close(measure("star", NULL, 2500).gap, 1.0 / 2500, 1e-12);
}
END_TEST

START_TEST(lambdas_are_one_less)
{
    p2p_topology_figures f = measure("barbell", NULL, 12);

    check_close(f.lambda_2, 1 - f.gap, 0);
    check_close(f.lambda_n, 1 - f.beta, 0);
    ck_assert_uint_eq(f.nodes, 12);
    ck_assert_uint_eq(f.edges, 31);
    ck_assert_uint_eq(f.degree_min, 5);
    ck_assert_uint_eq(f.degree_max, 6);
    check_close(f.degree_mean, 62.0 / 12, 1e-15);
}
END_TEST

/* Figures of another implementation (networkx and numpy); gap is 1 - max(|lambda_2|, |lambda_n|). */
static const struct {
    const char *name;
    size_t nodes, edges, least, most, diameter;
    double gap;
} samples[] = {
    { "karate", 34, 78, 1, 17, 5, 0.03123641795 },    { "les-miserables", 77, 254, 1, 36, 5, 0.007287137385 },
    { "africa", 42, 86, 1, 8, 10, 0.01612636056 },    { "usa48", 48, 107, 1, 8, 11, 0.01481437107 },
    { "abilene", 11, 14, 2, 3, 5, 0.08154630976 },    { "arpanet1972", 29, 32, 2, 3, 9, 0.03641052263 },
    { "geant2012", 40, 61, 1, 10, 8, 0.02116560352 }, { "kdl", 754, 895, 1, 7, 58, 0.0004402413387 },
    { "nsfnet", 13, 15, 1, 4, 5, 0.09047480541 },     { "uninett2011", 69, 96, 1, 8, 9, 0.01609857972 },
};

START_TEST(samples_have_their_figures)
{
    p2p_topology_figures f;
    p2p_topology *t;
    char spec[64];

    snprintf(spec, sizeof spec, "sample:%s", samples[_i].name);
    t = topology_of(spec, "metropolis", 0);
    check_sound(t);
    ck_ok(p2p_topology_measure(t, &f));
    ck_assert_uint_eq(f.nodes, samples[_i].nodes);
    ck_assert_uint_eq(f.edges, samples[_i].edges);
    ck_assert_uint_eq(f.degree_min, samples[_i].least);
    ck_assert_uint_eq(f.degree_max, samples[_i].most);
    ck_assert_uint_eq(f.diameter, samples[_i].diameter);
    ck_assert(f.diameter_exact);
    check_close(1 - fmax(fabs(f.lambda_2), fabs(f.lambda_n)), samples[_i].gap, 1e-9 * samples[_i].gap);
    p2p_topology_destroy(&t);
}
END_TEST

Suite *
spectrum_suite(void)
{
    Suite *s = suite_create("spectrum");
    TCase *tc = tcase_create("spectrum");

    tcase_add_test(tc, rings_and_paths_have_their_closed_forms);
    tcase_add_test(tc, lapack_finds_the_ring);
    tcase_add_test(tc, lanczos_finds_a_long_ring);
    tcase_add_test(tc, regular_graphs_have_their_closed_forms);
    tcase_add_test(tc, lambdas_are_one_less);
    tcase_add_loop_test(tc, samples_have_their_figures, 0, sizeof samples / sizeof *samples);
    tcase_set_timeout(tc, 300);
    suite_add_tcase(s, tc);
    return s;
}
