/* Server-style methods: every case on a star, and again on the complete graph, whose iterates are the same bytes. */
#include "golden.h"
#include "golden_diagonal.h"
#include "lockstep.h"

#include "base/spec.h"
#include "base/text.h"
#include "compress/compressor_table.h"
#include "method/method_family.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CASE_NODES_MAX = 16, CASE_DIM_MAX = 32, CASE_ROWS_MAX = 32 };

typedef struct {
    const json_t *file;
    size_t n, d;
    char method[512], levels[128];
    const char *compressor;
    p2p_batch batch;
    double numbers[CASE_NODES_MAX][2 * CASE_DIM_MAX]; /* quadratic: a node's D, then c */
    const double *of_node[CASE_NODES_MAX];
    double start[CASE_NODES_MAX * CASE_DIM_MAX];
    p2p_data *shards[CASE_NODES_MAX]; /* logistic */
    p2p_problem *problems[CASE_NODES_MAX];
} estimator_case;

static int
estimators_accepts(const char *path, const json_t *file)
{
    (void)path;
    return json_is_object(file) && json_is_string(json_object_get(file, "method")) &&
           json_is_object(json_object_get(file, "params")) && json_is_array(json_object_get(file, "bits_up"));
}

static int
exists(const char *what, const char *spec, const p2p_entry *(*at)(size_t))
{
    p2pi_span name, options;
    size_t index;

    p2pi_spec_split(p2pi_span_of(spec), &name, &options);
    return p2pi_spec_find(what, name, at, &index) == P2P_OK;
}

static void
add_option(estimator_case *c, char *separator, const char *key, const json_t *value)
{
    /* canita's L is the inverse of a step */
    const int inverse = json_object_get(json_object_get(c->file, "params"), "Lsm") == value;

    p2pi_text_append(c->method, sizeof c->method, "%c%s=%s", *separator, key, inverse ? "1/" : "");
    *separator = ',';
    if (json_is_string(value))
        p2pi_text_append(c->method, sizeof c->method, "(%s)", json_string_value(value));
    else
        p2pi_text_append(c->method, sizeof c->method, "%.17g",
                         json_is_true(value)     ? 1.0
                         : json_is_number(value) ? json_number_value(value)
                                                 : 0.0);
}

/* adacgd: the last level is our compressor, the others an option. */
static void
take_levels(estimator_case *c)
{
    const json_t *levels = json_object_get(json_object_get(c->file, "params"), "level_specs");
    const size_t count = json_array_size(levels);

    if (count == 0)
        return;
    for (size_t j = 0; j + 1 < count; j++)
        p2pi_text_append(c->levels, sizeof c->levels, "%s%s", j > 0 ? ";" : "",
                         json_string_value(json_array_get(levels, j)));
    c->compressor = json_string_value(json_array_get(levels, count - 1));
}

/* The case's parameters that the method has as options, under our names. */
static void
method_spec(estimator_case *c, const char *name)
{
    static const char *const keys[][2] = {
        { "gamma", "step" },
        { "lam", "lam" },
        { "alpha", "lam" },
        { "nu", "nu" },
        { "alpha_down", "alpha-down" },
        { "part", "part" },
        { "p", "p" },
        { "a", "a" },
        { "b", "b" },
        { "big", "big" },
        { "beta", "beta" },
        { "eta", "eta" },
        { "zeta", "zeta" },
        { "q", "q" },
        { "down", "down" },
        { "period", "period" },
        { "s", "s" },
        { "gz", "gz" },
        { "th1", "theta" },
        { "shift_spec", "shift" },
        { "omega", "omega" },
        { "option", "option" },
        { "mu", "mu" },
        { "R", "passes" },
        { "momentum", "momentum" },
        { "Lsm", "step" },
    };
    const json_t *params = json_object_get(c->file, "params"), *value;
    const p2p_option *options, *option;
    char separator = ':';
    size_t index;

    p2pi_spec_find("method", p2pi_span_of(name), p2pi_method_entry, &index);
    if (p2pi_method_table(index)->traits & P2P_METHOD_RAW)
        c->compressor = "identity";
    options = p2pi_method_entry(index)->options;
    p2pi_text_append(c->method, sizeof c->method, "%s", name);
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        option = p2pi_option_find(options, p2pi_span_of(keys[i][1]));
        value = json_object_get(params, keys[i][0]);
        if (option != NULL && value != NULL)
            add_option(c, &separator, keys[i][1], value);
    }
    if (c->levels[0] != '\0')
        p2pi_text_append(c->method, sizeof c->method, "%clevels=(%s)", separator, c->levels);
}

static p2p_status
take_start(estimator_case *c, size_t i)
{
    if (golden_numbers(json_object_get(c->file, "x0"), c->d, c->start + i * c->d) != c->d)
        return p2p_fail(P2P_EPARSE, "x0 must have %zu entries", c->d);
    return P2P_OK;
}

static p2p_status
make_logistic(estimator_case *c, size_t i)
{
    const json_t *problem = json_object_get(c->file, "problem");
    const size_t rows = (size_t)json_integer_value(json_object_get(problem, "rows_per_node"));
    double a[CASE_ROWS_MAX * CASE_DIM_MAX], labels[CASE_ROWS_MAX];
    char spec[64] = "";
    p2p_status st;

    if (rows > CASE_ROWS_MAX || json_array_size(json_object_get(problem, "A")) != rows * c->n)
        return p2p_fail(P2P_EPARSE, "A must have %zu rows a node, at most %d", rows, CASE_ROWS_MAX);
    for (size_t r = 0; r < rows; r++) {
        labels[r] = json_number_value(json_array_get(json_object_get(problem, "b"), i * rows + r));
        if (golden_numbers(json_array_get(json_object_get(problem, "A"), i * rows + r), c->d, a + r * c->d) != c->d)
            return p2p_fail(P2P_EPARSE, "a row of A must have %zu entries", c->d);
    }
    p2pi_text_append(spec, sizeof spec, "logistic:lambda=%.17g", json_number_value(json_object_get(problem, "lam")));
    if ((st = p2p_data_from_dense(&c->shards[i], rows, c->d, a, labels)) != P2P_OK)
        return st;
    return p2p_problem_new(&c->problems[i], spec, c->shards[i], P2P_F64, i, c->n, 0);
}

static p2p_status
make_quadratic(estimator_case *c, size_t i)
{
    const json_t *problem = json_object_get(c->file, "problem");
    const p2p_layer layer = { "x", c->d, 1, 0, 0 };
    const p2p_problem_vt table = {
        .size = sizeof table, .layers = &layer, .layer_count = 1, .grad = golden_diagonal_gradient
    };
    double *D = c->numbers[i];

    if (golden_numbers(json_array_get(json_object_get(problem, "D"), i), c->d, D) != c->d ||
        golden_numbers(json_array_get(json_object_get(problem, "c"), i), c->d, D + c->d) != c->d)
        return p2p_fail(P2P_EPARSE, "D and c must have %zu entries", c->d);
    c->of_node[i] = D;
    return p2p_problem_callback(&c->problems[i], &table, &c->of_node[i], P2P_F64);
}

/* What a method reports: the iterate that all nodes have, the hub's, or the mean of all. */
static void
reported(const estimator_case *c, const lockstep *swarm, int mean, double *x)
{
    memset(x, 0, c->d * sizeof *x);
    for (size_t i = 0; i < (mean ? c->n : 1); i++)
        for (size_t k = 0; k < c->d; k++)
            x[k] += p2p_vec_get(p2pi_engine_iterate(swarm->engines[i]), k) / (mean ? (double)c->n : 1);
}

static int
is_one_of(const char *name, const char *const *list)
{
    while (*list != NULL && strcmp(*list, name) != 0)
        list++;
    return *list != NULL;
}

/* These cases count 32 bits for the number of entries of a threshold's message; those of compressors do not. */
static double
counts_of_entries(const estimator_case *c, size_t at)
{
    const double rounds = json_number_value(json_array_get(json_object_get(c->file, "rounds"), at));

    return strncmp(c->compressor, "threshold", 9) == 0 ? 32 * rounds * (double)c->n : 0;
}

static p2p_status
compare(const estimator_case *c, const lockstep *star, const lockstep *complete, size_t at, double *worst)
{
    static const char *const mean_of_all[] = { "liec-sgd", NULL };
    static const char *const hub_alone[] = { "mcm", "newton-3pc-bc", NULL };
    const char *method = json_string_value(json_object_get(c->file, "method"));
    const int alone = is_one_of(method, hub_alone), mean = is_one_of(method, mean_of_all);
    const double up =
        json_number_value(json_array_get(json_object_get(c->file, "bits_up"), at)) - counts_of_entries(c, at);
    const double down = json_number_value(json_array_get(json_object_get(c->file, "bits_down"), at));
    double x[CASE_DIM_MAX], own[CASE_DIM_MAX];

    if (golden_numbers(json_array_get(json_object_get(c->file, "x"), at), c->d, x) != c->d)
        return p2p_fail(P2P_EPARSE, "x must have %zu entries", c->d);
    reported(c, star, mean, own);
    *worst = fmax(*worst, golden_error(c->d, own, x));
    for (size_t i = 0; i < (alone ? 1 : c->n); i++) {
        const void *there = p2pi_engine_iterate(star->engines[i]).data;

        if (!mean && memcmp(own, there, c->d * sizeof *x) != 0)
            return p2p_fail(P2P_EINVAL, "nodes 0 and %zu of the star differ", i);
        if (complete != NULL && memcmp(there, p2pi_engine_iterate(complete->engines[i]).data, c->d * sizeof *x) != 0)
            return p2p_fail(P2P_EINVAL, "node %zu: star and complete graph differ", i);
    }
    if (star->bits_up != up || star->bits_down != down || (complete != NULL && complete->bits_encoded != up))
        return p2p_fail(P2P_EINVAL, "%.0f bits up (complete: %.0f), %.0f down; expected %.0f, %.0f", star->bits_up,
                        complete != NULL ? complete->bits_encoded : 0.0, star->bits_down, up, down);
    return P2P_OK;
}

static p2p_status
run(const estimator_case *c, lockstep *star, lockstep *complete, double *worst)
{
    const json_t *rounds = json_object_get(c->file, "rounds");
    uint32_t done = 0;
    p2p_status st = P2P_OK;

    for (size_t i = 0; i < json_array_size(rounds) && st == P2P_OK; i++) {
        uint32_t round = (uint32_t)json_integer_value(json_array_get(rounds, i));

        if ((st = lockstep_rounds(star, done, round)) == P2P_OK &&
            (complete == NULL || (st = lockstep_rounds(complete, done, round)) == P2P_OK))
            st = compare(c, star, complete, i, worst);
        done = round;
    }
    return st;
}

static p2p_status
open_swarm(const estimator_case *c, const char *shape, p2p_topology **topology, lockstep *swarm)
{
    p2pi_engine_config config = { .seed = (uint64_t)json_integer_value(json_object_get(c->file, "seed")),
                                  .method = c->method,
                                  .compressor = c->compressor,
                                  .batch = c->batch };
    p2p_status st = p2p_topology_new(topology, shape, NULL, c->n, 0);

    config.topology = *topology;
    return st == P2P_OK ? lockstep_new(swarm, &config, c->problems, c->start) : st;
}

static p2p_status
run_both(estimator_case *c, double *worst)
{
    p2p_topology *around = NULL, *all = NULL;
    lockstep star = { 0 }, complete = { 0 };
    p2p_status st = P2P_OK;

    const json_t *kind = json_object_get(json_object_get(c->file, "problem"), "kind");

    for (size_t i = 0; i < c->n && st == P2P_OK; i++)
        if ((st = take_start(c, i)) == P2P_OK)
            st = strcmp(json_string_value(kind), "logistic") == 0 ? make_logistic(c, i) : make_quadratic(c, i);
    if (st == P2P_OK && (st = open_swarm(c, "star", &around, &star)) == P2P_OK) {
        st = open_swarm(c, "complete", &all, &complete);
        if (st == P2P_OK || st == P2P_ENOTSUP)
            st = run(c, &star, st == P2P_OK ? &complete : NULL, worst);
    }
    lockstep_clear(&star);
    lockstep_clear(&complete);
    p2p_topology_destroy(&around);
    p2p_topology_destroy(&all);
    return st;
}

static void
estimators_run(const char *path, const json_t *file)
{
    static estimator_case c;
    const char *method = json_string_value(json_object_get(file, "method"));
    const char *kind = json_string_value(json_object_get(json_object_get(file, "problem"), "kind"));
    const char *sampling = json_string_value(json_object_get(json_object_get(file, "params"), "sampling"));
    double worst = 0;
    char name[256];
    p2p_status st;

    /* dqsgd with compressors of a kind. */
    if (method != NULL && strcmp(method, "dqsgd-mlmc") == 0)
        method = "dqsgd";
    memset(&c, 0, sizeof c);
    c.file = file;
    c.n = (size_t)json_integer_value(json_object_get(file, "n"));
    c.d = (size_t)json_integer_value(json_object_get(file, "d"));
    c.compressor = json_string_value(json_object_get(json_object_get(file, "params"), "up"));
    /* Our methods give compressors a symmetric matrix as a vector of the same norm. */
    if (c.compressor != NULL && strncmp(c.compressor, "sym-topk", 8) == 0)
        c.compressor += strlen("sym-");
    golden_name(name, sizeof name, path, -1);
    if (c.n > CASE_NODES_MAX || c.d > CASE_DIM_MAX || c.compressor == NULL || kind == NULL) {
        golden_report(GOLDEN_FAIL, name, NAN, "n, d, params or problem are not those of a case");
        return;
    }
    if ((sampling != NULL && strcmp(sampling, "uniform") != 0) || !exists("method", method, p2pi_method_entry) ||
        !exists("compressor", c.compressor, p2pi_compressor_entry)) {
        golden_report(GOLDEN_SKIP, name, NAN, "%s with %s on %s", method, c.compressor, kind);
        return;
    }
    c.batch.size = (size_t)json_integer_value(json_object_get(json_object_get(file, "params"), "batch"));
    take_levels(&c);
    method_spec(&c, method);
    if ((st = run_both(&c, &worst)) != P2P_OK)
        golden_report(GOLDEN_FAIL, name, worst, "%s", p2p_last_error());
    else
        golden_report(worst <= 1e-9 ? GOLDEN_PASS : GOLDEN_FAIL, name, worst, NULL);
    for (size_t i = 0; i < c.n; i++) {
        p2p_problem_destroy(&c.problems[i]);
        p2p_data_destroy(&c.shards[i]);
    }
}

const golden_kind golden_estimators = { "estimators", estimators_accepts, estimators_run };
