/* Golden cases of single problems: data, points, and what each node's oracle answers there. */
#include "golden.h"

#include "problem/problems.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NODES_MAX = 16, DIM_MAX = 256, ENTRIES_MAX = 65536 };

/* One file: a problem per node, and the verdict so far. */
typedef struct {
    size_t nodes, dim;
    uint64_t seed; /* of starts: the number of the case */
    p2p_data *whole, *parts[NODES_MAX];
    p2p_problem *problems[NODES_MAX];
    double worst;
    char why[256];
} run;

static int
accepts(const char *path, const json_t *file)
{
    (void)path;
    return json_is_string(json_object_get(file, "problem")) && json_is_array(json_object_get(file, "points"));
}

/* Take note of an error, and of the first that is too large. */
static void
judge(run *r, const char *what, size_t node, double error, double allowed)
{
    if (!(error <= r->worst))
        r->worst = error;
    if (!(error <= allowed) && r->why[0] == '\0')
        snprintf(r->why, sizeof r->why, "%s of node %zu: relative error %.2g, allowed %.0e", what, node, error,
                 allowed);
}

static void
require(run *r, p2p_status st)
{
    if (st != P2P_OK && r->why[0] == '\0')
        snprintf(r->why, sizeof r->why, "%s", p2p_last_error());
}

static void
compare(run *r, const char *what, size_t node, size_t count, const double *x, const json_t *expected)
{
    double y[DIM_MAX];

    if (golden_numbers(expected, DIM_MAX, y) != count)
        judge(r, what, node, INFINITY, 0);
    else
        judge(r, what, node, golden_error(count, x, y), 1e-12);
}

/* "hidden=5/4,act=tanh,classes=3": the first width is that of the data, the last the number of classes. */
static size_t
network_of(const json_t *data, char *spec, size_t cap, char separator)
{
    const json_t *widths = json_object_get(data, "widths");
    const size_t last = json_array_size(widths) - 1;
    size_t len =
        (size_t)snprintf(spec, cap, "%cact=%s,classes=%g", separator, json_string_value(json_object_get(data, "act")),
                         json_number_value(json_array_get(widths, last)));

    for (size_t i = 1; i < last && len < cap; i++)
        len += (size_t)snprintf(spec + len, cap - len, "%s%g", i == 1 ? ",hidden=" : "/",
                                json_number_value(json_array_get(widths, i)));
    return len;
}

/* Two names of the reference are options here. */
static const char *
problem_of(const json_t *file)
{
    const char *name = json_string_value(json_object_get(file, "problem"));

    if (strcmp(name, "mlp-deep") == 0)
        return "mlp";
    return strcmp(name, "sensing-full") == 0 ? "sensing" : name;
}

/* "name:lambda=0.05,..." from the case's data. */
static void
spec_of(const json_t *file, char *spec, size_t cap)
{
    static const struct {
        const char *golden, *key;
    } options[] = { { "lam", "lambda" }, { "delta", "delta" }, { "gamma", "gamma" }, { "K", "classes" },
                    { "rho", "rho" },    { "mu", "mu" },       { "L", "L" },         { "k", "rank" },
                    { "R", "rows" },     { "S", "cols" },      { "p", "p" },         { "m", "samples" } };
    const char *name = problem_of(file);
    const json_t *data = json_object_get(file, "data");
    size_t len = (size_t)snprintf(spec, cap, "%s", name);
    char separator = ':';

    for (size_t i = 0; i < sizeof options / sizeof *options && len < cap; i++) {
        const json_t *value = json_object_get(data, options[i].golden);

        if (!json_is_number(value) || (strcmp(name, "least-squares") == 0 && json_number_value(value) == 0))
            continue;
        len += (size_t)snprintf(spec + len, cap - len, "%c%s=%.17g", separator, options[i].key,
                                json_number_value(value));
        separator = ',';
    }
    if (json_object_get(data, "widths") != NULL && len < cap) {
        len += network_of(data, spec + len, cap - len, separator);
        separator = ',';
    }
    if (json_is_array(json_object_get(data, "S")) && len < cap) {
        const json_t *layer = json_array_get(json_object_get(file, "layers"), 0);

        snprintf(spec + len, cap - len, "%c%srows=%g", separator,
                 json_is_false(json_object_get(data, "factored")) ? "form=full," : "",
                 json_number_value(json_array_get(json_array_get(layer, 1), 0)));
    }
}

/* Games that draw their numbers: "h" is half of the dimension; without it options tell. */
static void
open_drawn(run *r, const json_t *data, const char *spec)
{
    const uint64_t seed = (uint64_t)json_integer_value(json_object_get(data, "seed"));
    char text[320];

    if (json_object_get(data, "h") != NULL)
        snprintf(text, sizeof text, "%s%cdim=%zu", spec, strchr(spec, ':') ? ',' : ':', r->dim);
    else
        snprintf(text, sizeof text, "%s", spec);
    for (size_t i = 0; i < r->nodes; i++)
        require(r, p2p_problem_new(&r->problems[i], text, NULL, P2P_F64, i, r->nodes, seed));
}

/* A sample of a factorisation is a cell's row and column. */
static size_t
cells_of(const json_t *data, size_t rows, double *a)
{
    for (size_t j = 0; j < rows; j++) {
        a[2 * j] = json_number_value(json_array_get(json_object_get(data, "rows"), j));
        a[2 * j + 1] = json_number_value(json_array_get(json_object_get(data, "cols"), j));
    }
    return 2 * rows;
}

static void
open_problems(run *r, const json_t *file, const char *spec)
{
    static double a[ENTRIES_MAX], labels[ENTRIES_MAX];
    const json_t *data = json_object_get(file, "data");
    const json_t *b = json_object_get(data, "b"),
                 *matrices = json_is_array(json_object_get(data, "S")) ? json_object_get(data, "S") : NULL;
    const int cells = json_object_get(data, "vals") != NULL;
    const json_t *answers = json_object_get(data, matrices ? "y" : cells ? "vals" : "c");
    const size_t rows = golden_numbers(b ? b : answers, ENTRIES_MAX, labels);
    const size_t entries = cells ? cells_of(data, rows, a)
                                 : golden_numbers(matrices ? matrices : json_object_get(data, "A"), ENTRIES_MAX, a);

    require(r, p2p_data_from_dense(&r->whole, rows, entries / rows, a, labels));
    if (r->whole != NULL)
        require(r, p2p_data_split(r->whole, NULL, r->nodes, r->parts));
    for (size_t i = 0; i < r->nodes && r->parts[i] != NULL; i++)
        require(r, p2p_problem_new(&r->problems[i], spec, r->parts[i], P2P_F64, i, r->nodes, r->seed));
}

static void
compare_batch(run *r, const json_t *point, size_t i, p2p_view x)
{
    const json_t *expected = json_array_get(json_object_get(point, "batch"), i);
    const json_t *squares = json_array_get(json_object_get(point, "batch_sumsq"), i);
    const uint64_t seed = (uint64_t)json_integer_value(json_object_get(point, "batch_seed"));
    const uint32_t t = (uint32_t)json_integer_value(json_object_get(point, "batch_t"));
    const p2p_batch batch = { 2, 1 };
    double g[DIM_MAX], drawn[2];
    size_t idx[2], count;

    if (!json_is_array(expected))
        return;
    require(r, p2p_problem_batch(r->problems[i], &batch, seed, (uint32_t)i, t, idx, &count));
    for (size_t k = 0; k < count; k++)
        drawn[k] = (double)idx[k];
    compare(r, "batch", i, count, drawn, expected);
    require(r, p2p_problem_grad(r->problems[i], x, idx, count, (p2p_vec){ g, r->dim, P2P_F64 }));
    compare(r, "batch gradient", i, r->dim, g, json_array_get(json_object_get(point, "batch_grad"), i));
    if (json_is_array(squares)) {
        require(r, p2p_problem_persample_sumsq(r->problems[i], x, idx, count, (p2p_vec){ g, r->dim, P2P_F64 }));
        compare(r, "sums of squares", i, r->dim, g, squares);
    }
}

static void
compare_node(run *r, const json_t *point, size_t i, p2p_view x)
{
    const json_t *hvp = json_array_get(json_object_get(point, "hvp"), i);
    double g[DIM_MAX], v[DIM_MAX], value;

    require(r, p2p_problem_value(r->problems[i], x, NULL, 0, &value));
    compare(r, "value", i, 1, &value, json_array_get(json_object_get(point, "value"), i));
    require(r, p2p_problem_grad(r->problems[i], x, NULL, 0, (p2p_vec){ g, r->dim, P2P_F64 }));
    compare(r, "gradient", i, r->dim, g, json_array_get(json_object_get(point, "grad"), i));
    compare_batch(r, point, i, x);
    if (hvp == NULL)
        return;
    golden_numbers(json_object_get(point, "v"), DIM_MAX, v);
    require(r, p2p_problem_hvp(r->problems[i], x, (p2p_view){ v, r->dim, P2P_F64 }, (p2p_vec){ g, r->dim, P2P_F64 }));
    compare(r, "Hessian product", i, r->dim, g, hvp);
}

static void
compare_prox(run *r, const json_t *point, p2p_view x)
{
    const json_t *expected = json_object_get(point, "prox");
    double z[DIM_MAX];
    const p2p_vec out = { z, r->dim, P2P_F64 };

    if (expected == NULL)
        return;
    p2p_vec_copy(out, x);
    require(r, p2p_problem_prox(r->problems[0], json_number_value(json_object_get(point, "prox_step")), out));
    compare(r, "proximal step", 0, r->dim, z, expected);
}

/* The reference counts over all nodes' samples. */
static void
compare_accuracy(run *r, const json_t *point, p2p_view x)
{
    const json_t *expected = json_object_get(point, "accuracy");
    double right = 0, share;

    if (expected == NULL || p2p_problem_accuracy(r->problems[0], x, &share) == P2P_ENOTSUP)
        return;
    for (size_t i = 0; i < r->nodes; i++) {
        require(r, p2p_problem_accuracy(r->problems[i], x, &share));
        right += share * (double)p2p_problem_samples(r->problems[i]);
    }
    right /= (double)p2p_data_rows(r->whole);
    compare(r, "accuracy", 0, 1, &right, expected);
}

/* The reference has two random points; a third is where a model with a start of its own begins. */
static void
compare_start(run *r, const json_t *points)
{
    double x[DIM_MAX];

    if (json_array_size(points) <= 2)
        return;
    require(r, p2p_problem_start(r->problems[0], (p2p_vec){ x, r->dim, P2P_F64 }));
    compare(r, "start", 0, r->dim, x, json_object_get(json_array_get(points, 2), "x"));
}

/* The mean operator of a game vanishes at its solution. */
static void
compare_solution(run *r, const json_t *zstar)
{
    double z[DIM_MAX], g[DIM_MAX], sum[DIM_MAX] = { 0 };
    const p2p_vec out = { g, r->dim, P2P_F64 };

    if (zstar == NULL || r->why[0] != '\0')
        return;
    golden_numbers(zstar, DIM_MAX, z);
    for (size_t i = 0; i < r->nodes; i++) {
        require(r, p2p_problem_grad(r->problems[i], (p2p_view){ z, r->dim, P2P_F64 }, NULL, 0, out));
        p2p_vec_axpy((p2p_vec){ sum, r->dim, P2P_F64 }, 1 / (double)r->nodes, p2p_view_of(out));
    }
    judge(r, "operator at the solution", 0, p2p_vec_norm2((p2p_view){ sum, r->dim, P2P_F64 }), 1e-12);
}

static void
compare_all(run *r, const json_t *file)
{
    const json_t *point, *smoothness = json_object_get(file, "L");
    size_t k;

    json_array_foreach(json_object_get(file, "points"), k, point)
    {
        double x[DIM_MAX];
        p2p_view at = { x, r->dim, P2P_F64 };

        golden_numbers(json_object_get(point, "x"), DIM_MAX, x);
        for (size_t i = 0; i < r->nodes; i++)
            compare_node(r, point, i, at);
        compare_prox(r, point, at);
        compare_accuracy(r, point, at);
    }
    compare_start(r, json_object_get(file, "points"));
    compare_solution(r, json_object_get(file, "zstar"));
    for (size_t i = 0; i < r->nodes && smoothness != NULL; i++) {
        double expected = json_number_value(json_array_get(smoothness, i)), l, mu;

        require(r, p2p_problem_constants(r->problems[i], &l, &mu));
        judge(r, "L", i, fabs(l - expected) / expected, 1e-9);
    }
}

static int
is_known(const char *name)
{
    for (size_t i = 0; p2pi_problem_entry(i) != NULL; i++)
        if (strcmp(p2pi_problem_entry(i)->name, name) == 0)
            return 1;
    return 0;
}

static void
run_case(const char *path, const json_t *file)
{
    const char *problem = problem_of(file);
    run r = { .nodes = (size_t)json_integer_value(json_object_get(file, "n")),
              .dim = (size_t)json_integer_value(json_object_get(file, "d")) };
    char name[128], spec[256];

    golden_name(name, sizeof name, path, -1);
    r.seed = strtoul(name + strcspn(name, "0123456789"), NULL, 10);
    if (!is_known(problem)) {
        golden_report(GOLDEN_SKIP, name, NAN, "no problem \"%s\"", problem);
        return;
    }
    if (r.nodes == 0 || r.nodes > NODES_MAX || r.dim == 0 || r.dim > DIM_MAX) {
        golden_report(GOLDEN_FAIL, name, NAN, "%zu nodes of dimension %zu: more than expected", r.nodes, r.dim);
        return;
    }
    spec_of(file, spec, sizeof spec);
    if (json_object_get(json_object_get(file, "data"), "seed") != NULL)
        open_drawn(&r, json_object_get(file, "data"), spec);
    else
        open_problems(&r, file, spec);
    if (r.why[0] == '\0')
        compare_all(&r, file);
    if (r.why[0] == '\0')
        golden_report(GOLDEN_PASS, name, r.worst, NULL);
    else
        golden_report(GOLDEN_FAIL, name, r.worst, "%s", r.why);
    for (size_t i = 0; i < r.nodes; i++) {
        p2p_problem_destroy(&r.problems[i]);
        p2p_data_destroy(&r.parts[i]);
    }
    p2p_data_destroy(&r.whole);
}

const golden_kind golden_problems = { "problem", accepts, run_case };
