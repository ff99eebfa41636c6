/* The reference solver reproduces the known optima, pooled and over shards, and says when there is none. */
#include "optimum.h"
#include "runner.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { OPTIMA = 7, NODES_MAX = 8 };

/* A row of share/optima/optima.csv. */
typedef struct {
    char name[32], tag[16];
    double lambda, value, norm;
} known;

static known
read_known(int row)
{
    char path[256], line[512];
    known k;
    FILE *f;

    ck_ok(p2p_data_locate(path, sizeof path, "optima/optima.csv"));
    ck_assert_ptr_nonnull(f = fopen(path, "r"));
    for (int i = 0; i <= row + 1; i++)
        ck_assert_ptr_nonnull(fgets(line, sizeof line, f));
    fclose(f);
    ck_assert_int_eq(
        sscanf(line, "%31[^,],%*[^,],%*[^,],%15[^,],%lf,%lf,%lf", k.name, k.tag, &k.lambda, &k.value, &k.norm), 5);
    return k;
}

/* The parts of a swarm on one machine. */
typedef struct {
    p2p_data *whole, *shards[NODES_MAX];
    p2p_problem *parts[NODES_MAX];
    size_t count, dim;
} swarm;

static swarm
open_swarm(const char *data, const char *rule, const char *spec, size_t count)
{
    swarm s = { .count = count };

    if (data != NULL) {
        ck_ok(p2p_data_read(&s.whole, data, NULL));
        ck_ok(p2p_data_split(s.whole, rule, count, s.shards));
    }
    for (size_t i = 0; i < count; i++)
        ck_ok(p2p_problem_new(&s.parts[i], spec, s.shards[i], P2P_F64, i, count, 1));
    s.dim = p2p_problem_dim(s.parts[0]);
    return s;
}

static void
close_swarm(swarm *s)
{
    for (size_t i = 0; i < s->count; i++) {
        p2p_problem_destroy(&s->parts[i]);
        p2p_data_destroy(&s->shards[i]);
    }
    p2p_data_destroy(&s->whole);
}

static void
spec_of(const known *k, const char *more, char *spec, size_t cap)
{
    snprintf(spec, cap, "%s:lambda=%.17g%s", strcmp(k->name, "digits") == 0 ? "softmax" : "logistic", k->lambda,
             more);
}

START_TEST(known_optima_are_reproduced)
{
    const known k = read_known(_i);
    char spec[128], data[64], relative[128], path[256];
    p2p_array expected;
    double *x, value;
    swarm s;

    spec_of(&k, "", spec, sizeof spec);
    snprintf(data, sizeof data, "sample:%s", k.name);
    snprintf(relative, sizeof relative, "optima/%s_%s.npy", k.name, k.tag);
    ck_ok(p2p_data_locate(path, sizeof path, relative));
    ck_ok(p2p_array_read(&expected, path));
    s = open_swarm(data, NULL, spec, 1);
    ck_assert_uint_eq(expected.rows * expected.cols, s.dim);
    x = calloc(s.dim, sizeof *x);
    ck_ok(optimum_solve(s.parts, 1, x, &value));
    ck_assert_msg(relative_error(s.dim, x, expected.data) < 1e-10, "%s: %g", relative,
                  relative_error(s.dim, x, expected.data));
    ck_assert_msg(fabs(value - k.value) < 1e-14, "%s: %.17g, expected %.17g", relative, value, k.value);
    free(x);
    p2p_array_clear(&expected);
    close_swarm(&s);
}
END_TEST

/* Uneven shards weighted by samples have the pooled optimum. */
START_TEST(shards_by_samples_have_the_pooled_optimum)
{
    const known k = read_known(2 * _i); /* heart and breast-cancer, 1/N */
    char spec[128], data[64];
    double x[64] = { 0 }, value;
    swarm s;

    spec_of(&k, ",weights=samples", spec, sizeof spec);
    snprintf(data, sizeof data, "sample:%s", k.name);
    s = open_swarm(data, "dirichlet:alpha=1", spec, 8);
    ck_ok(optimum_solve(s.parts, s.count, x, &value));
    ck_assert_double_eq_tol(value, k.value, 1e-14);
    close_swarm(&s);
}
END_TEST

START_TEST(shards_by_nodes_have_their_own_optimum)
{
    swarm s = open_swarm("sample:breast-cancer", "contiguous", "logistic:lambda=1e-3", 8);
    double x[64] = { 0 }, value;

    ck_ok(optimum_solve(s.parts, s.count, x, &value));
    ck_assert_double_eq_tol(value, 0.1272366798036476, 1e-14);
    close_swarm(&s);
}
END_TEST

/* Conjugate gradients, which large problems need, find the same point as Cholesky's method: 5000 entries. */
START_TEST(large_problems_are_solved)
{
    swarm s = open_swarm(NULL, NULL, "quadratic:dim=5000,L=1000", 3);
    double *x = calloc(3 * s.dim, sizeof *x), *g = x + s.dim, value;

    ck_ok(optimum_solve(s.parts, s.count, x, &value));
    ck_ok(optimum_evaluate(s.parts, s.count, x, NULL, g, g + s.dim));
    ck_assert_double_lt(p2p_vec_norm2((p2p_view){ g, s.dim, P2P_F64 }), 1e-10);
    free(x);
    close_swarm(&s);
}
END_TEST

/* Where x_k is 0, |g_k| is at most the weight of the 1-norm; elsewhere g_k is -weight sign x_k. An intercept is free.
 */
START_TEST(one_norms_have_their_subgradient)
{
    static const struct {
        const char *spec;
        double weight;
        size_t features;
    } rows[] = { { "lasso:lambda=0.05", 0.05, 13 },
                 { "lasso:lambda=0.02,intercept=yes", 0.02, 13 },
                 { "elastic-net:l1=0.05,l2=0.1", 0.05, 13 },
                 { "lasso:lambda=5", 5, 13 } };
    const double weight = rows[_i].weight;
    swarm s = open_swarm("sample:heart", NULL, rows[_i].spec, 4);
    double x[64] = { 0 }, g[64], work[64], value, smooth, residual, norm = 0;

    ck_ok(optimum_solve(s.parts, s.count, x, &value));
    ck_ok(optimum_residual(s.parts, s.count, x, &residual, g, work));
    ck_assert_double_lt(residual, 1e-12);
    for (size_t k = 0; k < s.dim; k++) {
        const double free = k < rows[_i].features ? weight : 0;

        ck_assert_double_le(fabs(g[k]), free + 1e-9);
        if (x[k] != 0)
            ck_assert_double_le(fabs(g[k] + copysign(free, x[k])), 1e-9);
        norm += free * fabs(x[k]);
    }
    ck_ok(optimum_evaluate(s.parts, s.count, x, &smooth, NULL, NULL));
    ck_assert_double_le(fabs(value - smooth - norm), 1e-14);
    close_swarm(&s);
}
END_TEST

/* Losses with kinks in their slope, a regulariser that is not convex, none at all: the gradient vanishes. */
START_TEST(every_problem_has_its_stationary_point)
{
    static const char *const specs[] = { "least-squares:intercept=yes",
                                         "ridge",
                                         "huber:delta=0.3",
                                         "logistic:lambda=0",
                                         "logistic-nc",
                                         "svm:gamma=0.05",
                                         "svm:lambda=0",
                                         "softmax:lambda=0",
                                         "softmax" };
    swarm s = open_swarm("sample:heart", NULL, specs[_i], 4);
    double x[64] = { 0 }, g[64], work[64], value;

    ck_ok(optimum_solve(s.parts, s.count, x, &value));
    ck_ok(optimum_evaluate(s.parts, s.count, x, NULL, g, work));
    ck_assert_msg(p2p_vec_norm2((p2p_view){ g, s.dim, P2P_F64 }) < 1e-8, "%s", specs[_i]);
    close_swarm(&s);
}
END_TEST

/* f(x) = x falls for ever. */
static p2p_status
slope(void *user, p2p_view x, const size_t *idx, size_t count, p2p_vec g)
{
    (void)user, (void)x, (void)idx, (void)count;
    p2p_vec_fill(g, 1);
    return P2P_OK;
}

static p2p_status
line(void *user, p2p_view x, const size_t *idx, size_t count, double *value)
{
    (void)user, (void)idx, (void)count;
    *value = p2p_vec_get(x, 0);
    return P2P_OK;
}

START_TEST(what_cannot_be_solved)
{
    static const p2p_layer layer = { "x", 1, 1, 0, 0 };
    const p2p_problem_vt table = {
        .size = sizeof table, .layers = &layer, .layer_count = 1, .grad = slope, .value = line
    };
    p2p_problem *problem;
    double x = 0, value;

    ck_ok(p2p_problem_callback(&problem, &table, NULL, P2P_F64));
    ck_fails(optimum_solve(&problem, 1, &x, &value), P2P_ENOTSUP, "problem \"callback\" offers no Hessian");
    p2p_problem_destroy(&problem);
}
END_TEST

START_TEST(separable_data_have_no_minimum)
{
    const double a[4] = { 1, 2, -1, -2 }, labels[4] = { 1, 1, -1, -1 };
    p2p_data *data;
    p2p_problem *problem;
    double x = 0, value;

    /* The gradient falls below any bound on the way to infinity: an end is found, at a value near 0. */
    ck_ok(p2p_data_from_dense(&data, 4, 1, a, labels));
    ck_ok(p2p_problem_new(&problem, "logistic:lambda=0", data, P2P_F64, 0, 1, 1));
    ck_ok(optimum_solve(&problem, 1, &x, &value));
    ck_assert_double_lt(value, 1e-8);
    p2p_problem_destroy(&problem);
    p2p_data_destroy(&data);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("optimum");
    TCase *tc = tcase_create("solve");

    tcase_set_timeout(tc, 120);
    tcase_add_loop_test(tc, known_optima_are_reproduced, 0, OPTIMA);
    tcase_add_loop_test(tc, shards_by_samples_have_the_pooled_optimum, 0, 2);
    tcase_add_test(tc, shards_by_nodes_have_their_own_optimum);
    tcase_add_test(tc, large_problems_are_solved);
    tcase_add_loop_test(tc, one_norms_have_their_subgradient, 0, 4);
    tcase_add_loop_test(tc, every_problem_has_its_stationary_point, 0, 9);
    tcase_add_test(tc, what_cannot_be_solved);
    tcase_add_test(tc, separable_data_have_no_minimum);
    suite_add_tcase(suite, tc);
    return run_suites(1, &suite);
}
