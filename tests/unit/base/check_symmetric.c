/* Solvers with small symmetric matrices. */
#include "base/symmetric.h"
#include "runner.h"

#include <math.h>

enum { N = 7 };

/* A = B B' + shift I, and b = A x for x = 1, 2, .. */
static void
make(double shift, double *a, double *b)
{
    double factor[N * N];

    for (size_t k = 0; k < N * N; k++)
        factor[k] = sin(3.0 * (double)k + 1);
    for (size_t i = 0; i < N; i++) {
        b[i] = 0;
        for (size_t j = 0; j < N; j++) {
            a[i * N + j] = i == j ? shift : 0;
            for (size_t k = 0; k < N; k++)
                a[i * N + j] += factor[i * N + k] * factor[j * N + k];
            b[i] += a[i * N + j] * (double)(j + 1);
        }
    }
}

static void
is_counting(const double *x)
{
    for (size_t i = 0; i < N; i++)
        ck_assert_double_eq_tol(x[i], (double)(i + 1), 1e-9);
}

START_TEST(both_solve_a_positive_system)
{
    double a[N * N], b[N], v[N * N], y[N];

    make(0.5, a, b);
    ck_assert_int_eq(p2pi_solve_positive(N, a, b), 1);
    is_counting(b);
    make(0.5, a, b);
    p2pi_solve_clipped(N, a, 0.1, b, v, y);
    is_counting(b);
}
END_TEST

START_TEST(an_indefinite_matrix_is_refused)
{
    double a[] = { 1, 2, 2, 1 }, b[] = { 3, 5 };

    ck_assert_int_eq(p2pi_solve_positive(2, a, b), 0);
    ck_assert_double_eq(b[0], 3);
    ck_assert_double_eq(b[1], 5);
}
END_TEST

/* Eigenvalues 3 and -1 of (1, 1) and (1, -1) become 3 and 0.5: b = (4, 2) = 3 (1, 1) + (1, -1). */
START_TEST(small_eigenvalues_are_raised)
{
    double a[] = { 1, 2, 2, 1 }, b[] = { 4, 2 }, v[4], y[2];

    p2pi_solve_clipped(2, a, 0.5, b, v, y);
    ck_assert_double_eq_tol(b[0], 3, 1e-14);
    ck_assert_double_eq_tol(b[1], -1, 1e-14);
}
END_TEST

Suite *
symmetric_suite(void)
{
    Suite *suite = suite_create("symmetric");
    TCase *tc = tcase_create("solve");

    tcase_add_test(tc, both_solve_a_positive_system);
    tcase_add_test(tc, an_indefinite_matrix_is_refused);
    tcase_add_test(tc, small_eigenvalues_are_raised);
    suite_add_tcase(suite, tc);
    return suite;
}
