/* The largest eigenvalue: from above, and close. */
#include "base/lanczos.h"
#include "runner.h"

#include <math.h>

enum { N = 400 };

static double diagonal[N];

static void
apply_diagonal(void *user, const double *x, double *y)
{
    size_t n = *(size_t *)user;

    for (size_t i = 0; i < n; i++)
        y[i] = diagonal[i] * x[i];
}

/* Well apart, in clusters, a single value, all equal, none positive, tiny, of rank one, zero. */
static double
fill(int kind, size_t n)
{
    double largest = -INFINITY;

    for (size_t i = 0; i < n; i++) {
        double t = (double)i / (double)n;
        const double kinds[] = {
            t, 1 - 1e-9 * t * t, i % 3 == 0, 7, -1 - t, 1e-100 * (1 + t), 5.0 * (i == n / 2), 0
        };

        diagonal[i] = kinds[kind];
        largest = fmax(largest, diagonal[i]);
    }
    return largest;
}

START_TEST(lies_above_and_close)
{
    size_t sizes[] = { 1, 2, 3, 50, N };

    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        double expected = fill(_i, sizes[k]), value;

        ck_ok(p2pi_lanczos_largest(sizes[k], apply_diagonal, &sizes[k], 0, &value));
        ck_assert_msg(value >= expected, "n = %zu: %.17g below %.17g", sizes[k], value, expected);
        ck_assert_msg(value - expected <= 1e-9 * fabs(expected) + 1e-300, "n = %zu: %.17g, expected %.17g", sizes[k],
                      value, expected);
    }
}
END_TEST

Suite *
lanczos_suite(void)
{
    Suite *suite = suite_create("lanczos");
    TCase *tc = tcase_create("largest");

    tcase_add_loop_test(tc, lies_above_and_close, 0, 8);
    suite_add_tcase(suite, tc);
    return suite;
}
