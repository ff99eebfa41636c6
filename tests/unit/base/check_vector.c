/* Vector kernels in both types against plain loops. */
#include "runner.h"

#include <math.h>
#include <p2popt/random.h>
#include <p2popt/vector.h>
#include <string.h>

enum { MAX = 1000 };
static const size_t dims[] = { 1, 15, 16, 17, 31, 33, 1000 };
static double xs[MAX], ys[MAX], zs[MAX];

static p2p_vec
vec(double *storage, p2p_dtype type, size_t dim)
{
    p2p_vec v = { storage, dim, type };
    return v;
}

static p2p_vec
draw(double *storage, p2p_dtype type, size_t dim, uint32_t stream)
{
    p2p_vec v = vec(storage, type, dim);
    p2p_random r = p2p_random_open(3, 0, 0, stream);
    double value;

    for (size_t i = 0; i < dim; i++) {
        p2p_random_normal(&r, 1, &value);
        p2p_vec_set(v, i, value);
    }
    return v;
}

START_TEST(elementwise_kernels)
{
    p2p_dtype type = _i % 2 ? P2P_F64 : P2P_F32;
    size_t dim = dims[_i / 2];
    double tolerance = type == P2P_F32 ? 1e-6 : 1e-15;
    p2p_vec x = draw(xs, type, dim, 1), y = draw(ys, type, dim, 2), z = vec(zs, type, dim);

    p2p_vec_combine(z, 2, p2p_view_of(x), -3, p2p_view_of(y));
    for (size_t i = 0; i < dim; i++)
        ck_assert_double_eq_tol(p2p_vec_get(p2p_view_of(z), i),
                                2 * p2p_vec_get(p2p_view_of(x), i) - 3 * p2p_vec_get(p2p_view_of(y), i), 10 * tolerance);
    p2p_vec_sub(z, p2p_view_of(x), p2p_view_of(y));
    p2p_vec_axpy(z, 1, p2p_view_of(y));
    for (size_t i = 0; i < dim; i++)
        ck_assert_double_eq_tol(p2p_vec_get(p2p_view_of(z), i), p2p_vec_get(p2p_view_of(x), i), 10 * tolerance);
    p2p_vec_copy(z, p2p_view_of(x));
    p2p_vec_scale(z, 0.5);
    p2p_vec_axpby(z, -0.5, p2p_view_of(x), 1);
    ck_assert(p2p_vec_norminf(p2p_view_of(z)) == 0);
    p2p_vec_fill(z, 3);
    ck_assert_double_eq_tol(p2p_vec_norm1(p2p_view_of(z)), 3.0 * (double)dim, 1e-9);
    p2p_vec_zero(z);
    ck_assert(p2p_vec_norm2(p2p_view_of(z)) == 0);
}
END_TEST

START_TEST(reductions)
{
    p2p_dtype type = _i % 2 ? P2P_F64 : P2P_F32;
    size_t dim = dims[_i / 2];
    p2p_vec x = draw(xs, type, dim, 1), y = draw(ys, type, dim, 2);
    long double dot = 0, one = 0, two = 0, apart = 0, largest = 0;

    for (size_t i = 0; i < dim; i++) {
        long double a = p2p_vec_get(p2p_view_of(x), i), b = p2p_vec_get(p2p_view_of(y), i);

        dot += a * b;
        one += fabsl(a);
        two += a * a;
        apart += (a - b) * (a - b);
        largest = fmaxl(largest, fabsl(a));
    }
    ck_assert_double_eq_tol(p2p_vec_dot(p2p_view_of(x), p2p_view_of(y)), (double)dot, 1e-11);
    ck_assert_double_eq_tol(p2p_vec_norm1(p2p_view_of(x)), (double)one, 1e-11);
    ck_assert_double_eq_tol(p2p_vec_norm2(p2p_view_of(x)), (double)sqrtl(two), 1e-12);
    ck_assert_double_eq_tol(p2p_vec_distance(p2p_view_of(x), p2p_view_of(y)), (double)sqrtl(apart), 1e-12);
    ck_assert(p2p_vec_norminf(p2p_view_of(x)) == (double)largest);
}
END_TEST

/* What the kernels must give to the last bit, whatever instructions they were compiled to. */
static double
canonical(size_t dim, p2p_view x, p2p_view y, double (*term)(double, double))
{
    double a[16] = { 0 };

    for (size_t i = 0; i < dim; i++)
        a[i % 16] += term(p2p_vec_get(x, i), p2p_vec_get(y, i));
    for (size_t half = 8; half > 0; half /= 2)
        for (size_t j = 0; j < half; j++)
            a[j] += a[j + half];
    return a[0];
}

static double
product(double x, double y)
{
    return x * y;
}

static double
magnitude(double x, double y)
{
    (void)y;
    return fabs(x);
}

static double
square_of_difference(double x, double y)
{
    return (x - y) * (x - y);
}

START_TEST(sums_are_canonical)
{
    p2p_dtype type = _i % 2 ? P2P_F64 : P2P_F32;
    size_t dim = dims[_i / 2];
    p2p_view x = p2p_view_of(draw(xs, type, dim, 1)), y = p2p_view_of(draw(ys, type, dim, 2));

    ck_assert(p2p_vec_dot(x, y) == canonical(dim, x, y, product));
    ck_assert(p2p_vec_norm1(x) == canonical(dim, x, x, magnitude));
    ck_assert(p2p_vec_norm2(x) == sqrt(canonical(dim, x, x, product)));
    ck_assert(p2p_vec_distance(x, y) == sqrt(canonical(dim, x, y, square_of_difference)));
}
END_TEST

/* a x + b y rounded as the type rounds: after each operation. */
static double
rounded(p2p_dtype type, double a, double x, double b, double y)
{
    volatile float fx = (float)a * (float)x, fy = (float)b * (float)y;
    volatile double dx = a * x, dy = b * y;

    return type == P2P_F32 ? (double)(fx + fy) : dx + dy;
}

START_TEST(elementwise_results_are_exact)
{
    p2p_dtype type = _i % 2 ? P2P_F64 : P2P_F32;
    size_t dim = dims[_i / 2];
    double a = 0.3, b = -1.7;
    p2p_view x = p2p_view_of(draw(xs, type, dim, 1)), y = p2p_view_of(draw(ys, type, dim, 2));
    p2p_vec z = vec(zs, type, dim);

    p2p_vec_combine(z, a, x, b, y);
    for (size_t i = 0; i < dim; i++)
        ck_assert(p2p_vec_get(p2p_view_of(z), i) == rounded(type, a, p2p_vec_get(x, i), b, p2p_vec_get(y, i)));
    p2p_vec_sub(z, x, y);
    for (size_t i = 0; i < dim; i++)
        ck_assert(p2p_vec_get(p2p_view_of(z), i) == rounded(type, 1, p2p_vec_get(x, i), -1, p2p_vec_get(y, i)));
    p2p_vec_copy(z, y);
    p2p_vec_axpy(z, a, x);
    for (size_t i = 0; i < dim; i++)
        ck_assert(p2p_vec_get(p2p_view_of(z), i) == rounded(type, a, p2p_vec_get(x, i), 1, p2p_vec_get(y, i)));
    p2p_vec_copy(z, y);
    p2p_vec_axpby(z, a, x, b);
    for (size_t i = 0; i < dim; i++)
        ck_assert(p2p_vec_get(p2p_view_of(z), i) == rounded(type, a, p2p_vec_get(x, i), b, p2p_vec_get(y, i)));
    p2p_vec_scale(z, a);
    p2p_vec_axpby(z, 1, p2p_view_of(z), 1);
    for (size_t i = 0; i < dim; i++)
        ck_assert(p2p_vec_get(p2p_view_of(z), i) ==
                  2 * rounded(type, a, rounded(type, a, p2p_vec_get(x, i), b, p2p_vec_get(y, i)), 0, 0));
}
END_TEST

START_TEST(every_entry_is_looked_at)
{
    p2p_dtype type = _i % 2 ? P2P_F64 : P2P_F32;
    size_t dim = dims[_i / 2];
    p2p_vec x = vec(xs, type, dim);

    p2p_vec_zero(x);
    for (size_t i = 0; i < dim; i++) {
        p2p_vec_set(x, i, i % 2 ? -2.5 : 2.5);
        ck_assert(p2p_vec_norminf(p2p_view_of(x)) == 2.5);
        p2p_vec_set(x, i, 0);
        p2p_vec_set(x, i, i % 2 ? NAN : INFINITY);
        ck_assert_uint_eq(p2p_vec_first_nonfinite(p2p_view_of(x)), i);
        p2p_vec_set(x, i, 0);
    }
}
END_TEST

START_TEST(norms_of_extreme_vectors_do_not_overflow)
{
    static const double sizes[] = { 1e-300, 1e-170, 1e170, 1e300 };
    p2p_vec x = vec(xs, P2P_F64, 100);

    p2p_vec_fill(x, sizes[_i]);
    ck_assert_double_eq_tol(p2p_vec_norm2(p2p_view_of(x)) / sizes[_i], 10, 1e-12);
}
END_TEST

START_TEST(the_first_nonfinite_entry_is_found)
{
    static const size_t places[] = { 0, 17, 511, 999 };
    p2p_dtype type = _i % 2 ? P2P_F64 : P2P_F32;
    p2p_vec x = draw(xs, type, MAX, 1);

    ck_assert_uint_eq(p2p_vec_first_nonfinite(p2p_view_of(x)), MAX);
    p2p_vec_set(x, 999, INFINITY);
    p2p_vec_set(x, places[_i / 2], _i % 3 ? NAN : -INFINITY);
    ck_assert_uint_eq(p2p_vec_first_nonfinite(p2p_view_of(x)), places[_i / 2]);
}
END_TEST

START_TEST(types_convert)
{
    p2p_vec x = draw(xs, P2P_F32, 33, 1), y = vec(ys, P2P_F64, 33);

    p2p_vec_convert(y, p2p_view_of(x));
    for (size_t i = 0; i < 33; i++)
        ck_assert(ys[i] == (double)((float *)xs)[i]);
    y = draw(ys, P2P_F64, 33, 2);
    p2p_vec_convert(x, p2p_view_of(y));
    for (size_t i = 0; i < 33; i++)
        ck_assert(((float *)xs)[i] == (float)ys[i]);
}
END_TEST

Suite *
vector_suite(void)
{
    Suite *suite = suite_create("vector");
    TCase *tc = tcase_create("kernels");

    tcase_add_loop_test(tc, elementwise_kernels, 0, 14);
    tcase_add_loop_test(tc, reductions, 0, 14);
    tcase_add_loop_test(tc, sums_are_canonical, 0, 14);
    tcase_add_loop_test(tc, elementwise_results_are_exact, 0, 14);
    tcase_add_loop_test(tc, every_entry_is_looked_at, 0, 14);
    tcase_add_loop_test(tc, norms_of_extreme_vectors_do_not_overflow, 0, 4);
    tcase_add_loop_test(tc, the_first_nonfinite_entry_is_found, 0, 8);
    tcase_add_test(tc, types_convert);
    suite_add_tcase(suite, tc);
    return suite;
}
