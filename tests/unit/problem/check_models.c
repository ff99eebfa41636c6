/* Every built-in problem: gradients against finite differences, batches against the full sum, constants as bounds. */
#include "runner.h"

#include <math.h>
#include <p2popt.h>
#include <stdlib.h>

enum { ROWS = 23, FEATURES = 7, MOST = 64 };

/* Reproducible entries; labels of two classes. */
static p2p_data *
sample_data(void)
{
    double a[ROWS * FEATURES], labels[ROWS];
    p2p_random r = p2p_random_open(5, 0, 0, P2P_STREAM_DATA);
    p2p_data *data;

    p2p_random_normal(&r, ROWS * FEATURES, a);
    p2p_random_uniform(&r, ROWS, labels);
    for (size_t j = 0; j < ROWS; j++)
        labels[j] = labels[j] < 0.5 ? 0 : 1;
    ck_ok(p2p_data_from_dense(&data, ROWS, FEATURES, a, labels));
    return data;
}

/* Cells of a 5 x 4 matrix, some of them twice. */
static p2p_data *
sample_cells(void)
{
    double a[2 * ROWS], labels[ROWS];
    p2p_random r = p2p_random_open(6, 0, 0, P2P_STREAM_DATA);
    p2p_data *cells_data;

    p2p_random_normal(&r, ROWS, labels);
    for (size_t j = 0; j < ROWS; j++) {
        a[2 * j] = (double)(j % 5);
        a[2 * j + 1] = (double)(j % 4);
    }
    ck_ok(p2p_data_from_dense(&cells_data, ROWS, 2, a, labels));
    return cells_data;
}

static p2p_data *data, *cells;

static void
open_data(void)
{
    data = sample_data();
    cells = sample_cells();
}

static void
close_data(void)
{
    p2p_data_destroy(&data);
    p2p_data_destroy(&cells);
}

static const char *const specs[] = {
    "least-squares",
    "ridge:lambda=0.1",
    "ridge:lam=0.1,intercept=yes",
    "lasso:lambda=0.3,intercept=yes",
    "elastic-net:l1=0.2,l2=0.1",
    "huber:delta=0.4,lambda=0.01",
    "logistic",
    "logistic:lambda=0.05,intercept=yes",
    "logistic-nc:lambda=0.2",
    "svm:gamma=0.5",
    "softmax:lambda=0.01",
    "mlp:hidden=4,lambda=0.01",
    "mlp:hidden=3/4/2,act=tanh",
    "mlp:hidden=5,act=tanh,loss=squares",
    "matfac:rows=5,cols=4,rank=2,lambda=0.1",
    "sensing:rows=7,rank=1,lambda=0.1",
    "sensing:rows=7,form=full,lambda=0.1",
    "quadratic:dim=9",
    "consensus:dim=4",
    "quadratic-game:dim=8",
    "bilinear-game:dim=8",
    "matrix-game:rows=4,cols=5",
    "lagrangian:dim=7,constraints=3",
    "robust-ls:rho=3",
    "tiny-gan:p=3,samples=8,lambda=0.1",
};
enum { SPECS = sizeof specs / sizeof *specs };

static p2p_problem *
open_problem(const char *spec, p2p_dtype type)
{
    p2p_problem *problem;

    int draws = strncmp(spec, "quadratic", 9) == 0 || strncmp(spec, "consensus", 9) == 0 ||
                strstr(spec, "-game") != NULL || strncmp(spec, "lagrangian", 10) == 0 ||
                strncmp(spec, "tiny-gan", 8) == 0;

    ck_ok(p2p_problem_new(&problem, spec,
                          draws                             ? NULL
                          : strncmp(spec, "matfac", 6) == 0 ? cells
                                                            : data,
                          type, 0, 3, 7));
    ck_assert_uint_le(p2p_problem_dim(problem), MOST);
    return problem;
}

/* Point number k, in doubles. */
static p2p_view
point(const p2p_problem *problem, uint32_t k, double *x)
{
    p2p_random r = p2p_random_open(3, k, 0, P2P_STREAM_INIT);

    p2p_random_normal(&r, p2p_problem_dim(problem), x);
    return (p2p_view){ x, p2p_problem_dim(problem), P2P_F64 };
}

static p2p_vec
vector(const p2p_problem *problem, double *g)
{
    return (p2p_vec){ g, p2p_problem_dim(problem), P2P_F64 };
}

START_TEST(gradient_equals_finite_differences)
{
    p2p_problem *problem = open_problem(specs[_i], P2P_F64);
    double x[MOST], worst = 1;

    ck_ok(p2p_problem_check(problem, point(problem, 0, x), 1e-6, &worst));
    ck_assert_msg(worst < 2e-8, "%s: error %g", specs[_i], worst);
    p2p_problem_destroy(&problem);
}
END_TEST

START_TEST(batches_add_up_to_the_full_gradient)
{
    p2p_problem *problem = open_problem(specs[_i], P2P_F64);
    double x[MOST], full[MOST], sum[MOST] = { 0 }, one[MOST], value, part, total = 0;
    size_t m = p2p_problem_samples(problem), d = p2p_problem_dim(problem);
    p2p_view at = point(problem, 1, x);

    ck_ok(p2p_problem_grad(problem, at, NULL, 0, vector(problem, full)));
    ck_ok(p2p_problem_value(problem, at, NULL, 0, &value));
    for (size_t j = 0; j < m; j++) {
        ck_ok(p2p_problem_grad(problem, at, &j, 1, vector(problem, one)));
        ck_ok(p2p_problem_value(problem, at, &j, 1, &part));
        total += part / (double)m;
        for (size_t i = 0; i < d; i++)
            sum[i] += one[i] / (double)m;
    }
    if (m > 0) {
        ck_assert_double_lt(relative_error(d, sum, full), 1e-13);
        ck_assert_double_lt(fabs(total - value), 1e-13 * fabs(value));
    }
    p2p_problem_destroy(&problem);
}
END_TEST

START_TEST(hessian_hvp_and_gradient_agree)
{
    p2p_problem *problem = open_problem(specs[_i], P2P_F64);
    size_t d = p2p_problem_dim(problem);
    double x[MOST], v[MOST], near[MOST], ahead[MOST], behind[MOST], hv[MOST], product[MOST], h[MOST * MOST],
        step = 1e-6;
    p2p_view at = point(problem, 2, x), along = point(problem, 3, v);

    if (p2p_problem_hvp(problem, at, along, vector(problem, hv)) != P2P_ENOTSUP) {
        ck_ok(p2p_problem_hessian(problem, at, h));
        for (size_t i = 0; i < d; i++) {
            product[i] = 0;
            for (size_t k = 0; k < d; k++) {
                product[i] += h[i * d + k] * v[k];
                if (!(p2p_problem_flags(problem) & P2P_PROBLEM_GAME))
                    ck_assert_double_lt(fabs(h[i * d + k] - h[k * d + i]), 1e-14);
            }
        }
        ck_assert_double_lt(relative_error(d, hv, product), 1e-13);
        for (size_t i = 0; i < d; i++)
            near[i] = x[i] + step * v[i];
        ck_ok(p2p_problem_grad(problem, (p2p_view){ near, d, P2P_F64 }, NULL, 0, vector(problem, ahead)));
        for (size_t i = 0; i < d; i++)
            near[i] = x[i] - step * v[i];
        ck_ok(p2p_problem_grad(problem, (p2p_view){ near, d, P2P_F64 }, NULL, 0, vector(problem, behind)));
        for (size_t i = 0; i < d; i++)
            product[i] = (ahead[i] - behind[i]) / (2 * step);
        ck_assert_msg(relative_error(d, hv, product) < 1e-7, "%s: %g", specs[_i], relative_error(d, hv, product));
    } else
        ck_assert(strcmp(specs[_i], "consensus:dim=4") == 0 || strncmp(specs[_i], "mlp", 3) == 0);
    p2p_problem_destroy(&problem);
}
END_TEST

/* |grad f(x) - grad f(y)| <= L |x - y|, and >= mu |x - y| (strong monotonicity). */
START_TEST(constants_bound_the_gradient)
{
    p2p_problem *problem = open_problem(specs[_i], P2P_F64);
    size_t d = p2p_problem_dim(problem);
    double smoothness, convexity;

    ck_ok(p2p_problem_constants(problem, &smoothness, &convexity));
    ck_assert_double_le(convexity, smoothness);
    for (uint32_t k = 0; k < 20 && smoothness > 0; k++) { /* 0: unknown */
        double x[MOST], y[MOST], gx[MOST], gy[MOST], inner = 0;
        p2p_view a = point(problem, 100 + k, x), b = point(problem, 200 + k, y);
        double distance = p2p_vec_distance(a, b);

        ck_ok(p2p_problem_grad(problem, a, NULL, 0, vector(problem, gx)));
        ck_ok(p2p_problem_grad(problem, b, NULL, 0, vector(problem, gy)));
        for (size_t i = 0; i < d; i++)
            inner += (gx[i] - gy[i]) * (x[i] - y[i]);
        ck_assert_double_le(p2p_vec_distance((p2p_view){ gx, d, P2P_F64 }, (p2p_view){ gy, d, P2P_F64 }),
                            smoothness * distance * (1 + 1e-12));
        ck_assert_double_ge(inner + 1e-12 * smoothness * distance * distance, convexity * distance * distance);
    }
    p2p_problem_destroy(&problem);
}
END_TEST

/* A float node computes the exact gradient and rounds it once, but where it multiplies matrices of floats. */
START_TEST(floats_are_doubles_rounded_once)
{
    p2p_problem *exact = open_problem(specs[_i], P2P_F64), *rounded = open_problem(specs[_i], P2P_F32);
    size_t d = p2p_problem_dim(exact);
    double x[MOST], g[MOST], value, value32;
    float x32[MOST], g32[MOST];

    point(exact, 4, x);
    for (size_t i = 0; i < d; i++)
        x[i] = x32[i] = (float)x[i];
    ck_ok(p2p_problem_grad(exact, (p2p_view){ x, d, P2P_F64 }, NULL, 0, vector(exact, g)));
    ck_ok(p2p_problem_grad(rounded, (p2p_view){ x32, d, P2P_F32 }, NULL, 0, (p2p_vec){ g32, d, P2P_F32 }));
    ck_ok(p2p_problem_value(exact, (p2p_view){ x, d, P2P_F64 }, NULL, 0, &value));
    ck_ok(p2p_problem_value(rounded, (p2p_view){ x32, d, P2P_F32 }, NULL, 0, &value32));
    ck_assert(value == value32);
    for (size_t i = 0; i < d; i++)
        if (strncmp(specs[_i], "mlp", 3) == 0)
            ck_assert_double_lt(fabs(g32[i] - g[i]), 1e-6);
        else
            ck_assert(g32[i] == (float)g[i]);
    p2p_problem_destroy(&exact);
    p2p_problem_destroy(&rounded);
}
END_TEST

/* A row means the same to a network in a sparse set and in a dense one, and to floats weighted by samples. */
START_TEST(networks_take_sparse_rows)
{
    enum { FEW = 4 };
    double thin[FEW * FEATURES] = { 0 }, thick[FEW * FEATURES], x[MOST], from_thin[MOST], from_thick[MOST];
    const double labels[FEW] = { 0, 1, 0, 1 };
    const size_t first = 0;
    float x32[MOST], g32[MOST];
    p2p_data *sets[2];
    p2p_problem *problems[2], *floats;
    size_t d;

    thin[1] = thick[1] = 0.5;
    thin[6] = thick[6] = -2;
    for (size_t i = 0; i < FEW * FEATURES; i++)
        thick[i] = i < FEATURES ? thin[i] : 1;
    ck_ok(p2p_data_from_dense(&sets[0], FEW, FEATURES, thin, labels));
    ck_ok(p2p_data_from_dense(&sets[1], FEW, FEATURES, thick, labels));
    for (int i = 0; i < 2; i++)
        ck_ok(p2p_problem_new(&problems[i], "mlp:hidden=4,weights=samples", sets[i], P2P_F64, 0, 3, 7));
    ck_ok(p2p_problem_new(&floats, "mlp:hidden=4,weights=samples", sets[0], P2P_F32, 0, 3, 7));
    d = p2p_problem_dim(floats);
    point(problems[0], 5, x);
    for (size_t i = 0; i < d; i++)
        x[i] = x32[i] = (float)x[i];
    ck_ok(p2p_problem_grad(problems[0], (p2p_view){ x, d, P2P_F64 }, &first, 1, vector(problems[0], from_thin)));
    ck_ok(p2p_problem_grad(problems[1], (p2p_view){ x, d, P2P_F64 }, &first, 1, vector(problems[1], from_thick)));
    ck_ok(p2p_problem_grad(floats, (p2p_view){ x32, d, P2P_F32 }, &first, 1, (p2p_vec){ g32, d, P2P_F32 }));
    ck_assert_double_gt(p2p_vec_norm2((p2p_view){ from_thin, d, P2P_F64 }), 0.1);
    for (size_t i = 0; i < d; i++) {
        ck_assert(from_thin[i] == from_thick[i]);
        ck_assert_double_le(fabs(g32[i] - from_thin[i]), 1e-5);
    }
    p2p_problem_destroy(&floats);
    for (int i = 0; i < 2; i++) {
        p2p_problem_destroy(&problems[i]);
        p2p_data_destroy(&sets[i]);
    }
}
END_TEST

/* A new problem is tested once its name is in the list above. */
START_TEST(every_problem_is_listed)
{
    const char *name = p2p_family_entry(P2P_FAMILY_PROBLEM, (size_t)_i)->name;
    size_t i;

    for (i = 0; i < SPECS && strncmp(specs[i], name, strlen(name)) != 0; i++)
        continue;
    ck_assert_msg(i < SPECS, "%s is not tested", name);
}
END_TEST

Suite *
models_suite(void)
{
    Suite *suite = suite_create("models");
    TCase *tc = tcase_create("every");
    int count = 0;

    while (p2p_family_entry(P2P_FAMILY_PROBLEM, (size_t)count) != NULL)
        count++;

    tcase_add_checked_fixture(tc, open_data, close_data);
    tcase_add_loop_test(tc, gradient_equals_finite_differences, 0, SPECS);
    tcase_add_loop_test(tc, batches_add_up_to_the_full_gradient, 0, SPECS);
    tcase_add_loop_test(tc, hessian_hvp_and_gradient_agree, 0, SPECS);
    tcase_add_loop_test(tc, constants_bound_the_gradient, 0, SPECS);
    tcase_add_test(tc, networks_take_sparse_rows);
    tcase_add_loop_test(tc, every_problem_is_listed, 0, count);
    tcase_add_loop_test(tc, floats_are_doubles_rounded_once, 0, SPECS);
    suite_add_tcase(suite, tc);
    return suite;
}
