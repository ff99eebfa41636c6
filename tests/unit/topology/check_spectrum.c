/* Eigenvalues of W against closed forms, by LAPACK and by Lanczos. */
#include "runner.h"

#include <math.h>
#include <p2popt/topology.h>

static p2p_topology_figures
measure(const char *spec, const char *mixing, size_t nodes)
{
    p2p_topology_figures f;
    p2p_topology *t;

    ck_ok(p2p_topology_new(&t, spec, mixing, nodes, 1));
    ck_ok(p2p_topology_measure(t, &f));
    p2p_topology_destroy(&t);
    return f;
}

static void
close_to(double got, double wanted, double relative)
{
    ck_assert_msg(fabs(got - wanted) <= relative * fabs(wanted), "%.17g, expected %.17g", got, wanted);
}

START_TEST(ring_gap_has_its_closed_form)
{
    static const size_t sizes[] = { 3, 8, 100, 2001, 10000 };

    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        double sine = sin(M_PI / (double)sizes[s]);

        close_to(measure("ring", NULL, sizes[s]).gap, 4.0 / 3 * sine * sine, 1e-7);
    }
}
END_TEST

Suite *
spectrum_suite(void)
{
    Suite *s = suite_create("spectrum");
    TCase *tc = tcase_create("spectrum");

    tcase_add_test(tc, ring_gap_has_its_closed_form);
    tcase_set_timeout(tc, 60);
    suite_add_tcase(s, tc);
    return s;
}
