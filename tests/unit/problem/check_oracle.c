/* The door of problems: what it refuses, the user's problem, minibatches, extreme points, closed solutions. */
#include "runner.h"

#include <math.h>
#include <p2popt.h>
#include <stdlib.h>

enum { ROWS = 12, FEATURES = 3 };

static p2p_data *
make_data(const double *labels)
{
    double a[ROWS * FEATURES];
    p2p_random r = p2p_random_open(2, 0, 0, P2P_STREAM_DATA);
    p2p_data *data;

    p2p_random_normal(&r, ROWS * FEATURES, a);
    ck_ok(p2p_data_from_dense(&data, ROWS, FEATURES, a, labels));
    return data;
}

static const double signs[ROWS] = { 1, 1, -1, 1, -1, -1, 1, 1, -1, 1, -1, 1 };

static p2p_problem *
open_problem(const char *spec, const p2p_data *data)
{
    p2p_problem *problem;

    ck_ok(p2p_problem_new(&problem, spec, data, P2P_F64, 0, 1, 1));
    return problem;
}

START_TEST(bad_specs_are_named)
{
    static const struct {
        const char *spec, *sentence;
        p2p_status status;
    } bad[] = {
        { "lasso2", "problem \"lasso2\": unknown; expected one of: least-squares, ridge, lasso, elastic-net",
          P2P_EPARSE },
        { "", "problem \"\": unknown", P2P_EPARSE },
        { "logistic:lam=-1", "problem \"logistic\": lambda=-1: expected a number of at least 0", P2P_EINVAL },
        { "logistic:mu=1", "unknown option \"mu\"; allowed: lambda, intercept, weights", P2P_EPARSE },
        { "logistic:weights=rows", "weights=rows: expected one of nodes|samples", P2P_EINVAL },
        { "huber:delta=0", "delta=0: expected a number of at least 0 (0 excluded)", P2P_EINVAL },
        { "svm:gamma=nan", "gamma=nan: expected a number", P2P_EINVAL },
        { "softmax:classes=1", "classes=1: expected an integer from 2 to 1000", P2P_EINVAL },
        { "mlp:hidden=4/0", "problem \"mlp\": hidden=4/0: expected widths of 1 to 1000000, such as 64 or 128/64",
          P2P_EINVAL },
        { "mlp:hidden=4/", "problem \"mlp\": hidden=4/: expected widths", P2P_EINVAL },
        { "mlp:hidden=1e3", "problem \"mlp\": hidden=1e3: expected widths", P2P_EINVAL },
        { "mlp:hidden=18446744073709551617", "expected widths of 1 to 1000000", P2P_EINVAL },
        { "matfac", "problem \"matfac\": rows=0, cols=0: expected the matrix's numbers of rows and columns",
          P2P_EINVAL },
        { "matfac:rows=2,cols=2", "problem \"matfac\": samples of 3 features: expected two", P2P_EINVAL },
        { "sensing:rows=1,rank=2", "problem \"sensing\": rank=2: above that of a 1 x 3 matrix", P2P_EINVAL },
        { "quadratic", "problem \"quadratic\": draws its own data: expected no data set", P2P_EINVAL },
    };
    p2p_data *data = make_data(signs);
    p2p_problem *problem;

    ck_fails(p2p_problem_new(&problem, bad[_i].spec, data, P2P_F64, 0, 1, 1), bad[_i].status, bad[_i].sentence);
    ck_assert_ptr_null(problem);
    p2p_data_destroy(&data);
}
END_TEST

START_TEST(what_a_problem_needs)
{
    p2p_problem *problem;

    ck_fails(p2p_problem_new(&problem, "ridge", NULL, P2P_F64, 0, 1, 1), P2P_EINVAL,
             "problem \"ridge\": needs a data set");
    ck_fails(p2p_problem_new(&problem, "quadratic:mu=2,L=1", NULL, P2P_F64, 0, 1, 1), P2P_EINVAL,
             "problem \"quadratic\": mu=2, L=1: expected mu of at most L");
    ck_fails(p2p_problem_new(&problem, "quadratic", NULL, P2P_F64, 3, 3, 1), P2P_EINVAL,
             "node 3 of 3: expected a node below the number of nodes");
    ck_fails(p2p_problem_new(&problem, "quadratic", NULL, P2P_F64, 0, 0, 1), P2P_EINVAL, "node 0 of 0");
}
END_TEST

START_TEST(cells_lie_in_the_matrix)
{
    static const struct {
        double cell[2];
        const char *sentence;
    } bad[] = { { { 2, 0 }, "problem \"matfac\": cell 1: row 2: expected 0 to 1" },
                { { -1, 0 }, "cell 1: row -1: expected 0 to 1" },
                { { 0, 3 }, "cell 1: column 3: expected 0 to 2" },
                { { 0.5, 0 }, "cell 1: row 0.5: expected 0 to 1" } };
    const double a[] = { 1, 2, bad[_i].cell[0], bad[_i].cell[1] }, labels[] = { 1, 2 };
    p2p_data *data;
    p2p_problem *problem;

    ck_ok(p2p_data_from_dense(&data, 2, 2, a, labels));
    ck_fails(p2p_problem_new(&problem, "matfac:rows=2,cols=3", data, P2P_F64, 0, 1, 1), P2P_EINVAL, bad[_i].sentence);
    p2p_data_destroy(&data);
}
END_TEST

/* Which labels a problem takes, and what it makes of them: the sign of the gradient at 0 tells. */
START_TEST(labels_are_mapped)
{
    static const struct {
        double low, high;
        const char *spec, *sentence;
    } cases[] = {
        { -1, 1, "logistic", NULL },
        { 0, 1, "logistic", NULL },
        { 1, 2, "svm", NULL },
        { -1, 1, "softmax", NULL },
        { 0, 1, "softmax", NULL },
        { 1, 2, "softmax", NULL },
        { 0, 2, "softmax:classes=3", NULL },
        { 1, 1, "logistic", NULL },
        { 0, 2, "logistic", "problem \"logistic\": labels: 2 distinct from 0 to 2: expected two classes: -1 and +1" },
        { 0.5, 1, "logistic", "problem \"logistic\": labels: not integers" },
        { 0, 2, "softmax", "problem \"softmax\": labels: 2 distinct from 0 to 2: expected 0 to K-1 or 1 to K" },
        { -2, 1, "softmax", "labels: 2 distinct from -2 to 1: expected" },
        { 0, 5, "softmax:classes=4", "expected 0 to 3 or 1 to 4, as classes=4 says" },
        { 0, 0, "softmax", "problem \"softmax\": one class: expected at least two" },
        { 0.5, 1, "softmax", "problem \"softmax\": labels: not integers" },
    };
    double labels[ROWS], x[3 * FEATURES] = { 0 }, g[3 * FEATURES], expected[FEATURES];
    p2p_data *signed_data = make_data(signs), *data;
    p2p_problem *problem = NULL, *reference;

    for (int j = 0; j < ROWS; j++)
        labels[j] = signs[j] > 0 ? cases[_i].high : cases[_i].low;
    data = make_data(labels);
    if (cases[_i].sentence != NULL)
        ck_fails(p2p_problem_new(&problem, cases[_i].spec, data, P2P_F64, 0, 1, 1), P2P_EINVAL, cases[_i].sentence);
    else {
        size_t d;

        problem = open_problem(cases[_i].spec, data);
        d = p2p_problem_dim(problem);
        ck_ok(p2p_problem_grad(problem, (p2p_view){ x, d, P2P_F64 }, NULL, 0, (p2p_vec){ g, d, P2P_F64 }));
        /* At 0 the second row of two classes has the gradient of logistic regression. */
        reference = open_problem(d == FEATURES ? cases[_i].spec : "logistic", signed_data);
        ck_ok(p2p_problem_grad(reference, (p2p_view){ x, FEATURES, P2P_F64 }, NULL, 0,
                               (p2p_vec){ expected, FEATURES, P2P_F64 }));
        if (cases[_i].low != cases[_i].high && d < 3 * FEATURES)
            ck_assert_double_lt(relative_error(FEATURES, d == 2 * FEATURES ? g + FEATURES : g, expected), 1e-14);
        p2p_problem_destroy(&reference);
    }
    p2p_problem_destroy(&problem);
    p2p_data_destroy(&data);
    p2p_data_destroy(&signed_data);
}
END_TEST

START_TEST(spec_is_canonical)
{
    p2p_data *data = make_data(signs);
    p2p_problem *problem = open_problem("logistic:weights=nodes,lam=1/8", data);
    const p2p_layer *layers;
    size_t count;

    ck_assert_str_eq(p2p_problem_spec(problem), "logistic:lambda=0.125");
    ck_assert_uint_eq(p2p_problem_samples(problem), ROWS);
    ck_assert_uint_eq(p2p_problem_flags(problem), 0);
    ck_assert(p2p_problem_type(problem) == P2P_F64);
    p2p_problem_destroy(&problem);
    problem = open_problem("logistic:intercept=yes", data);
    p2p_problem_layers(problem, &count, &layers);
    ck_assert_uint_eq(count, 2);
    ck_assert_str_eq(layers[0].name, "x");
    ck_assert(layers[0].rows == FEATURES && layers[0].cols == 1 && layers[0].flags == P2P_LAYER_DECAY);
    ck_assert_str_eq(layers[1].name, "intercept");
    ck_assert(layers[1].rows == 1 && layers[1].offset == FEATURES && layers[1].flags == 0);
    p2p_problem_destroy(&problem);
    p2p_data_destroy(&data);
}
END_TEST

START_TEST(vectors_and_samples_are_checked)
{
    p2p_data *data = make_data(signs);
    p2p_problem *problem = open_problem("ridge", data);
    double x[FEATURES] = { 0 }, value;
    float f[FEATURES] = { 0 };
    size_t beyond[2] = { 0, ROWS };
    p2p_view good = { x, FEATURES, P2P_F64 };
    p2p_vec g = { x, FEATURES, P2P_F64 };

    ck_fails(p2p_problem_grad(problem, (p2p_view){ x, 2, P2P_F64 }, NULL, 0, g), P2P_EINVAL,
             "problem \"ridge\": x has 2 entries of f64: expected 3 of f64");
    ck_fails(p2p_problem_grad(problem, good, NULL, 0, (p2p_vec){ f, FEATURES, P2P_F32 }), P2P_EINVAL,
             "g has 3 entries of f32: expected 3 of f64");
    ck_fails(p2p_problem_value(problem, good, beyond, 2, &value), P2P_EINVAL, "sample 12: expected 0 to 11");
    ck_fails(p2p_problem_value(problem, good, beyond, 0, &value), P2P_EINVAL, "an empty list of samples");
    ck_fails(p2p_problem_accuracy(problem, good, &value), P2P_ENOTSUP, "problem \"ridge\" offers no classes");
    p2p_problem_destroy(&problem);
    p2p_data_destroy(&data);
}
END_TEST

/* No overflow for any finite input that the answer does not force. */
START_TEST(extreme_points_stay_finite)
{
    static const char *const specs[] = { "logistic:lambda=0", "logistic-nc", "svm:lambda=0", "softmax:lambda=0",
                                         "huber:lambda=0" };
    p2p_data *data = make_data(signs);
    p2p_problem *problem = open_problem(specs[_i], data);
    size_t d = p2p_problem_dim(problem);
    double x[2 * FEATURES], g[2 * FEATURES], value;

    for (double size = 1e-300; size <= 1e150; size *= 1e30) {
        for (size_t i = 0; i < d; i++)
            x[i] = (i % 2 ? 1 : -1) * size;
        ck_ok(p2p_problem_grad(problem, (p2p_view){ x, d, P2P_F64 }, NULL, 0, (p2p_vec){ g, d, P2P_F64 }));
        ck_ok(p2p_problem_value(problem, (p2p_view){ x, d, P2P_F64 }, NULL, 0, &value));
        ck_assert_msg(isfinite(value), "%s at %g: %g", specs[_i], size, value);
    }
    p2p_problem_destroy(&problem);
    p2p_data_destroy(&data);
}
END_TEST

START_TEST(divergence_names_layer_and_index)
{
    p2p_data *data = make_data(signs);
    p2p_problem *problem = open_problem("ridge:intercept=yes", data);
    double x[FEATURES + 1] = { 0, 0, 0, INFINITY }, g[FEATURES + 1];
    size_t d = FEATURES + 1;

    ck_fails(p2p_problem_grad(problem, (p2p_view){ x, d, P2P_F64 }, NULL, 0, (p2p_vec){ g, d, P2P_F64 }),
             P2P_EDIVERGED, "the gradient in layer x, index 0, is not finite: the iterates diverge");
    p2p_problem_destroy(&problem);
    problem = open_problem("logistic:intercept=yes", data);
    x[3] = NAN;
    ck_fails(p2p_problem_grad(problem, (p2p_view){ x, d, P2P_F64 }, NULL, 0, (p2p_vec){ g, d, P2P_F64 }),
             P2P_EDIVERGED, "in layer x, index 0,");
    p2p_problem_destroy(&problem);
    p2p_data_destroy(&data);
}
END_TEST

/* weights=samples over unequal shards is the pooled problem: mean of values and gradients equal the whole's. */
START_TEST(weights_by_samples_give_the_pooled_problem)
{
    enum { N = 5 };
    p2p_data *whole = make_data(signs), *parts[N];
    p2p_problem *pooled = open_problem("logistic", whole);
    double x[FEATURES] = { 0.3, -1, 2 }, g[FEATURES], sum[FEATURES] = { 0 }, value, part, total = 0, l, mu, plain;
    p2p_view at = { x, FEATURES, P2P_F64 };
    p2p_vec out = { g, FEATURES, P2P_F64 };

    ck_ok(p2p_data_split(whole, "shuffled", N, parts));
    for (size_t i = 0; i < N; i++) {
        p2p_problem *problem, *unweighted;

        ck_ok(p2p_problem_new(&problem, "logistic:weights=samples", parts[i], P2P_F64, i, N, 1));
        ck_ok(p2p_problem_grad(problem, at, NULL, 0, out));
        ck_ok(p2p_problem_value(problem, at, NULL, 0, &part));
        total += part / N;
        p2p_vec_axpy((p2p_vec){ sum, FEATURES, P2P_F64 }, 1.0 / N, p2p_view_of(out));
        ck_ok(p2p_problem_new(&unweighted, "logistic", parts[i], P2P_F64, i, N, 1));
        ck_ok(p2p_problem_constants(problem, &l, &mu));
        ck_ok(p2p_problem_constants(unweighted, &plain, &part));
        ck_assert_double_eq_tol(l, plain * N * (double)p2p_data_rows(parts[i]) / ROWS, 1e-14);
        ck_assert_double_eq_tol(mu, 1e-3 * N * (double)p2p_data_rows(parts[i]) / ROWS, 1e-17);
        p2p_problem_destroy(&problem);
        p2p_problem_destroy(&unweighted);
        p2p_data_destroy(&parts[i]);
    }
    ck_ok(p2p_problem_grad(pooled, at, NULL, 0, out));
    ck_ok(p2p_problem_value(pooled, at, NULL, 0, &value));
    ck_assert_double_lt(relative_error(FEATURES, sum, g), 1e-14);
    ck_assert_double_eq_tol(total, value, 1e-15);
    p2p_problem_destroy(&pooled);
    p2p_data_destroy(&whole);
}
END_TEST

/* Huber beyond every residual is ridge; the rounded hinge lies at most gamma / 2 below the hinge. */
START_TEST(limits_of_losses)
{
    p2p_data *data = make_data(signs);
    p2p_problem *huber = open_problem("huber:delta=1e6,lambda=0.1", data),
                *ridge = open_problem("ridge:lambda=0.1", data);
    p2p_problem *wide = open_problem("svm:gamma=0.5,lambda=0", data),
                *narrow = open_problem("svm:gamma=1e-9,lambda=0", data);
    double x[FEATURES] = { 0.4, -0.2, 1.1 }, a, b;
    p2p_view at = { x, FEATURES, P2P_F64 };

    ck_ok(p2p_problem_value(huber, at, NULL, 0, &a));
    ck_ok(p2p_problem_value(ridge, at, NULL, 0, &b));
    ck_assert(a == b);
    ck_ok(p2p_problem_value(wide, at, NULL, 0, &a));
    ck_ok(p2p_problem_value(narrow, at, NULL, 0, &b));
    ck_assert(a <= b && b <= a + 0.25 + 1e-9);
    p2p_problem_destroy(&huber);
    p2p_problem_destroy(&ridge);
    p2p_problem_destroy(&wide);
    p2p_problem_destroy(&narrow);
    p2p_data_destroy(&data);
}
END_TEST

/* Nodes draw D and c of their own; x* = sum D c / sum D makes the sum of the gradients vanish. */
START_TEST(quadratics_have_their_closed_solution)
{
    enum { N = 4, D = 6 };
    p2p_problem *parts[N];
    double zero[D] = { 0 }, h[D * D], g[D], weight[D] = { 0 }, x[D] = { 0 }, sum[D] = { 0 }, l, mu;

    for (size_t i = 0; i < N; i++) {
        ck_ok(p2p_problem_new(&parts[i], "quadratic:mu=2,L=50,dim=6", NULL, P2P_F64, i, N, 3));
        ck_ok(p2p_problem_hessian(parts[i], (p2p_view){ zero, D, P2P_F64 }, h));
        ck_ok(p2p_problem_grad(parts[i], (p2p_view){ zero, D, P2P_F64 }, NULL, 0, (p2p_vec){ g, D, P2P_F64 }));
        ck_ok(p2p_problem_constants(parts[i], &l, &mu));
        ck_assert(mu >= 2 && l < 50);
        for (size_t k = 0; k < D; k++) {
            ck_assert(h[k * D + k] >= mu && h[k * D + k] <= l);
            weight[k] += h[k * D + k];
            x[k] -= g[k];
        }
    }
    for (size_t k = 0; k < D; k++)
        x[k] /= weight[k];
    for (size_t i = 0; i < N; i++) {
        ck_ok(p2p_problem_grad(parts[i], (p2p_view){ x, D, P2P_F64 }, NULL, 0, (p2p_vec){ g, D, P2P_F64 }));
        p2p_vec_axpy((p2p_vec){ sum, D, P2P_F64 }, 1, (p2p_view){ g, D, P2P_F64 });
        p2p_problem_destroy(&parts[i]);
    }
    ck_assert_double_lt(p2p_vec_norm2((p2p_view){ sum, D, P2P_F64 }), 1e-12);
}
END_TEST

/* The first entries that the reference draws for seed 1, node 0. */
START_TEST(quadratics_are_the_documented_draws)
{
    const double expected[3] = { 9.012332320213318, 9.052162051200867, 6.271533131599426 };
    double h[10 * 10], x[10] = { 0 };
    p2p_problem *problem;

    ck_ok(p2p_problem_new(&problem, "quadratic:dim=10", NULL, P2P_F64, 0, 6, 1));
    ck_ok(p2p_problem_hessian(problem, (p2p_view){ x, 10, P2P_F64 }, h));
    for (size_t k = 0; k < 3; k++)
        ck_assert(h[k * 10 + k] == expected[k]);
    p2p_problem_destroy(&problem);
}
END_TEST

START_TEST(consensus_starts_apart)
{
    p2p_problem *a, *b;
    double x[20], y[20], l, mu;
    float z[20];

    ck_ok(p2p_problem_new(&a, "consensus", NULL, P2P_F64, 0, 2, 1));
    ck_ok(p2p_problem_new(&b, "consensus", NULL, P2P_F32, 1, 2, 1));
    ck_ok(p2p_problem_start(a, (p2p_vec){ x, 20, P2P_F64 }));
    ck_ok(p2p_problem_start(b, (p2p_vec){ z, 20, P2P_F32 }));
    p2p_vec_convert((p2p_vec){ y, 20, P2P_F64 }, (p2p_view){ z, 20, P2P_F32 });
    ck_assert_double_gt(relative_error(20, x, y), 0.1);
    ck_ok(p2p_problem_constants(a, &l, &mu));
    ck_assert(l == 0 && mu == 0);
    p2p_problem_destroy(&a);
    p2p_problem_destroy(&b);
}
END_TEST

/* Rows of a file as they are, sparse or dense: the first column is a value too. */
START_TEST(consensus_takes_rows_of_a_file)
{
    static const double labels[2] = { 7, -1 }, dense[6] = { 1, 2, 3, 4, 5, 6 }, sparse[6] = { 0, 0, 3, 0, 5, 0 };
    const double *rows = _i ? sparse : dense;
    p2p_data *whole, *parts[2];
    p2p_problem *problem;
    double x[4];

    ck_ok(p2p_data_from_dense(&whole, 2, 3, rows, labels));
    ck_ok(p2p_data_split(whole, NULL, 2, parts));
    for (size_t i = 0; i < 2; i++) {
        ck_ok(p2p_problem_new(&problem, "consensus", parts[i], P2P_F64, i, 2, 1));
        ck_assert_uint_eq(p2p_problem_dim(problem), 4);
        ck_ok(p2p_problem_start(problem, (p2p_vec){ x, 4, P2P_F64 }));
        ck_assert(x[0] == labels[i]);
        ck_assert_mem_eq(x + 1, rows + 3 * i, 3 * sizeof *x);
        p2p_problem_destroy(&problem);
    }
    ck_fails(p2p_problem_new(&problem, "consensus:dim=5", parts[0], P2P_F64, 0, 2, 1), P2P_EINVAL,
             "dim=5: the rows of the data have 4 entries");
    ck_fails(p2p_problem_new(&problem, "consensus", whole, P2P_F64, 0, 3, 1), P2P_EINVAL,
             "2 rows of data for 3 nodes: expected one row a node");
    p2p_data_destroy(&parts[0]);
    p2p_data_destroy(&parts[1]);
    p2p_data_destroy(&whole);
}
END_TEST

/* ---- minibatches */

START_TEST(shuffled_batches_visit_every_sample_once_an_epoch)
{
    p2p_data *data = make_data(signs);
    p2p_problem *problem = open_problem("ridge", data);
    const p2p_batch batch = { 5, 1 }; /* two batches of 5, two samples left over */

    for (uint32_t epoch = 0; epoch < 3; epoch++) {
        p2p_random r = p2p_random_open(4, 2, epoch, P2P_STREAM_BATCH);
        size_t expected[ROWS], idx[5], count;

        p2p_random_permutation(&r, ROWS, expected);
        for (uint32_t t = 0; t < 2; t++) {
            ck_ok(p2p_problem_batch(problem, &batch, 4, 2, 2 * epoch + t, idx, &count));
            ck_assert_uint_eq(count, 5);
            ck_assert_mem_eq(idx, expected + 5 * t, sizeof idx);
        }
    }
    p2p_problem_destroy(&problem);
    p2p_data_destroy(&data);
}
END_TEST

START_TEST(batches_with_replacement_are_the_documented_draws)
{
    p2p_data *data = make_data(signs);
    p2p_problem *problem = open_problem("ridge", data);
    const p2p_batch batch = { 4, 0 };
    p2p_random r = p2p_random_open(4, 2, 9, P2P_STREAM_BATCH);
    double u[4];
    size_t idx[4], count;

    p2p_random_uniform(&r, 4, u);
    ck_ok(p2p_problem_batch(problem, &batch, 4, 2, 9, idx, &count));
    ck_assert_uint_eq(count, 4);
    for (int k = 0; k < 4; k++)
        ck_assert_uint_eq(idx[k], (size_t)(u[k] * ROWS));
    p2p_problem_destroy(&problem);
    p2p_data_destroy(&data);
}
END_TEST

START_TEST(batches_of_everything_and_more)
{
    p2p_data *data = make_data(signs);
    p2p_problem *problem = open_problem("ridge", data), *quadratic = open_problem("quadratic", NULL);
    const p2p_batch none = { 0, 1 }, all = { ROWS, 1 }, more = { ROWS + 1, 0 }, too_many = { ROWS + 1, 1 };
    size_t idx[ROWS], count = 9;

    ck_ok(p2p_problem_batch(problem, &none, 1, 0, 0, idx, &count));
    ck_assert_uint_eq(count, 0);
    ck_ok(p2p_problem_batch(problem, &all, 1, 0, 0, idx, &count));
    ck_assert_uint_eq(count, 0);
    ck_ok(p2p_problem_batch(problem, &more, 1, 0, 0, idx, &count));
    ck_assert_uint_eq(count, 0);
    ck_fails(p2p_problem_batch(problem, &too_many, 1, 0, 0, idx, &count), P2P_EINVAL,
             "problem \"ridge\": batch of 13 by shuffle: expected at most the node's 12 samples");
    ck_fails(p2p_problem_batch(quadratic, &all, 1, 0, 0, idx, &count), P2P_EINVAL, "it has no samples to draw from");
    p2p_problem_destroy(&quadratic);
    p2p_problem_destroy(&problem);
    p2p_data_destroy(&data);
}
END_TEST

/* ---- a user's problem: sum of x^4 over samples' weights */

typedef struct {
    int calls, wrong, fail;
} user_state;

static p2p_status
quartic_grad(void *user, p2p_view x, const size_t *idx, size_t count, p2p_vec g)
{
    user_state *s = user;

    (void)idx, (void)count;
    s->calls++;
    if (s->fail)
        return p2p_fail(P2P_EUSER, "the sensor is off");
    for (size_t i = 0; i < x.dim; i++)
        p2p_vec_set(g, i, (s->wrong ? 3 : 4) * pow(p2p_vec_get(x, i), 3));
    return P2P_OK;
}

static p2p_status
quartic_value(void *user, p2p_view x, const size_t *idx, size_t count, double *value)
{
    (void)user, (void)idx, (void)count;
    *value = 0;
    for (size_t i = 0; i < x.dim; i++)
        *value += pow(p2p_vec_get(x, i), 4);
    return P2P_OK;
}

static const p2p_layer user_layers[] = { { "A", 2, 3, 0, P2P_LAYER_DECAY }, { "b", 2, 1, 6, 0 } };
static const p2p_problem_vt user_table = {
    .size = sizeof(p2p_problem_vt),
    .layers = user_layers,
    .layer_count = 2,
    .samples = 10,
    .grad = quartic_grad,
    .value = quartic_value,
    .smoothness = 12,
    .convexity = 0.5,
};

START_TEST(a_users_problem_is_called)
{
    const p2p_dtype type = _i == 0 ? P2P_F32 : P2P_F64;
    user_state state = { 0, 0, 0 };
    p2p_problem *problem;
    double memory[8] = { 0 }, gradient[8], l, mu, worst;
    p2p_vec x = { memory, 8, type }, g = { gradient, 8, type };
    const p2p_layer *layers;
    size_t count, beyond = 10;

    ck_ok(p2p_problem_callback(&problem, &user_table, &state, type));
    ck_assert_uint_eq(p2p_problem_dim(problem), 8);
    p2p_problem_layers(problem, &count, &layers);
    ck_assert(count == 2 && layers != user_layers);
    ck_assert_str_eq(layers[1].name, "b");
    ck_ok(p2p_problem_start(problem, x));
    p2p_vec_fill(x, 0.5);
    ck_ok(p2p_problem_grad(problem, p2p_view_of(x), NULL, 0, g));
    ck_assert(p2p_vec_get(p2p_view_of(g), 7) == 0.5 && state.calls == 1);
    ck_fails(p2p_problem_grad(problem, p2p_view_of(x), &beyond, 1, g), P2P_EINVAL, "sample 10: expected 0 to 9");
    ck_assert_int_eq(state.calls, 1);
    ck_ok(p2p_problem_constants(problem, &l, &mu));
    ck_assert(l == 12 && mu == 0.5);
    ck_ok(p2p_problem_check(problem, p2p_view_of(x), 1e-3, &worst));
    ck_assert_double_lt(worst, 1e-4);
    state.wrong = 1;
    ck_ok(p2p_problem_check(problem, p2p_view_of(x), 1e-3, &worst));
    ck_assert_double_gt(worst, 0.1);
    state.fail = 1;
    ck_fails(p2p_problem_grad(problem, p2p_view_of(x), NULL, 0, g), P2P_EUSER,
             "problem \"callback\": the user's grad: the sensor is off");
    ck_fails(p2p_problem_hvp(problem, p2p_view_of(x), p2p_view_of(x), g), P2P_ENOTSUP, "offers no Hessian product");
    ck_fails(p2p_problem_check(problem, p2p_view_of(x), 0, &worst), P2P_EINVAL, "step 0: expected a positive number");
    p2p_problem_destroy(&problem);
}
END_TEST

/* ---- what a table may offer beside: each is told apart by what it answers */

static p2p_status
user_hvp(void *user, p2p_view x, p2p_view v, p2p_vec h)
{
    (void)user;
    for (size_t i = 0; i < x.dim; i++)
        p2p_vec_set(h, i, 12 * pow(p2p_vec_get(x, i), 2) * p2p_vec_get(v, i));
    return P2P_OK;
}

static p2p_status
user_sumsq(void *user, p2p_view x, const size_t *idx, size_t count, p2p_vec s)
{
    (void)user, (void)x, (void)idx;
    p2p_vec_fill(s, (double)count);
    return P2P_OK;
}

static p2p_status
user_prox(void *user, double step, p2p_vec x)
{
    (void)user;
    p2p_vec_scale(x, 1 / (1 + step));
    return P2P_OK;
}

static p2p_status
user_regulariser(void *user, p2p_view x, double *psi)
{
    const user_state *s = user;

    if (s->fail)
        return p2p_fail(P2P_EUSER, "no scales here");
    *psi = 0.5 * p2p_vec_dot(x, x);
    return P2P_OK;
}

START_TEST(a_user_may_offer_more)
{
    const size_t idx[] = { 1, 1, 2 };
    user_state state = { 0, 0, 0 };
    p2p_problem_vt table = user_table;
    p2p_problem *problem;
    double at[8], out[8], psi = 1;
    const p2p_vec x = { at, 8, P2P_F64 }, h = { out, 8, P2P_F64 };

    p2p_vec_fill(x, 0.5);
    ck_ok(p2p_problem_callback(&problem, &table, &state, P2P_F64));
    ck_fails(p2p_problem_persample_sumsq(problem, p2p_view_of(x), idx, 3, h), P2P_ENOTSUP,
             "offers no gradients of single samples");
    ck_ok(p2p_problem_regulariser(problem, p2p_view_of(x), &psi));
    ck_assert(psi == 0 && !(p2p_problem_flags(problem) & P2P_PROBLEM_PROX));
    p2p_problem_destroy(&problem);

    table.hvp = user_hvp;
    table.persample_sumsq = user_sumsq;
    table.prox = user_prox;
    table.regulariser = user_regulariser;
    ck_ok(p2p_problem_callback(&problem, &table, &state, P2P_F64));
    ck_assert(p2p_problem_flags(problem) & P2P_PROBLEM_PROX);
    ck_ok(p2p_problem_hvp(problem, p2p_view_of(x), p2p_view_of(x), h));
    ck_assert(out[7] == 1.5);
    ck_ok(p2p_problem_persample_sumsq(problem, p2p_view_of(x), idx, 3, h));
    ck_assert(out[0] == 3);
    ck_ok(p2p_problem_regulariser(problem, p2p_view_of(x), &psi));
    ck_assert(psi == 1);
    ck_ok(p2p_problem_prox(problem, 1, x));
    ck_assert(at[3] == 0.25);
    state.fail = 1;
    ck_fails(p2p_problem_regulariser(problem, p2p_view_of(x), &psi), P2P_EUSER,
             "problem \"callback\": the user's regulariser: no scales here");
    p2p_problem_destroy(&problem);
}
END_TEST

START_TEST(a_users_table_is_checked)
{
    static const p2p_layer gap[] = { { "A", 2, 3, 0, 0 }, { "b", 2, 1, 7, 0 } };
    p2p_problem_vt table = user_table;
    p2p_problem *problem;
    double value, x[8] = { 0 };

    table.size = 8;
    ck_fails(p2p_problem_callback(&problem, &table, NULL, P2P_F64), P2P_EINVAL,
             "problem table: size 8: expected sizeof");
    table = user_table;
    table.grad = NULL;
    ck_fails(p2p_problem_callback(&problem, &table, NULL, P2P_F64), P2P_EINVAL,
             "grad and at least one layer are required");
    table = user_table;
    table.layers = gap;
    ck_fails(p2p_problem_callback(&problem, &table, NULL, P2P_F64), P2P_EINVAL,
             "problem table: layer 1: expected a name, rows and cols, and offset 6");
    table = user_table;
    table.value = NULL;
    ck_ok(p2p_problem_callback(&problem, &table, NULL, P2P_F64));
    ck_fails(p2p_problem_value(problem, (p2p_view){ x, 8, P2P_F64 }, NULL, 0, &value), P2P_ENOTSUP,
             "offers no value");
    p2p_problem_destroy(&problem);
}
END_TEST

Suite *
oracle_suite(void)
{
    Suite *suite = suite_create("oracle");
    TCase *tc = tcase_create("door");

    tcase_add_loop_test(tc, bad_specs_are_named, 0, 16);
    tcase_add_test(tc, what_a_problem_needs);
    tcase_add_loop_test(tc, cells_lie_in_the_matrix, 0, 4);
    tcase_add_loop_test(tc, labels_are_mapped, 0, 15);
    tcase_add_test(tc, spec_is_canonical);
    tcase_add_test(tc, vectors_and_samples_are_checked);
    tcase_add_loop_test(tc, extreme_points_stay_finite, 0, 5);
    tcase_add_test(tc, divergence_names_layer_and_index);
    tcase_add_test(tc, weights_by_samples_give_the_pooled_problem);
    tcase_add_test(tc, limits_of_losses);
    tcase_add_test(tc, quadratics_have_their_closed_solution);
    tcase_add_test(tc, quadratics_are_the_documented_draws);
    tcase_add_test(tc, consensus_starts_apart);
    tcase_add_loop_test(tc, consensus_takes_rows_of_a_file, 0, 2);
    tcase_add_test(tc, shuffled_batches_visit_every_sample_once_an_epoch);
    tcase_add_test(tc, batches_with_replacement_are_the_documented_draws);
    tcase_add_test(tc, batches_of_everything_and_more);
    tcase_add_loop_test(tc, a_users_problem_is_called, 0, 2);
    tcase_add_test(tc, a_user_may_offer_more);
    tcase_add_test(tc, a_users_table_is_checked);
    suite_add_tcase(suite, tc);
    return suite;
}
