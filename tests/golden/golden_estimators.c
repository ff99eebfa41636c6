/* Server-style methods: every case on a star, and again on the complete graph, whose iterates are the same bytes. */
#include "golden.h"
#include "lockstep.h"

#include "base/spec.h"
#include "base/text.h"
#include "compress/compressor_table.h"
#include "method/method_family.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CASE_NODES_MAX = 16, CASE_DIM_MAX = 32 };

typedef struct {
    const json_t *file;
    size_t n, d;
    char method[256];
    const char *compressor;
    double numbers[CASE_NODES_MAX][2 * CASE_DIM_MAX]; /* a node's D, then c */
    const double *of_node[CASE_NODES_MAX];
    double start[CASE_NODES_MAX * CASE_DIM_MAX];
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

/* The case's parameters that the method has as options, under our names. */
static void
method_spec(estimator_case *c, const char *name)
{
    static const char *const keys[][2] = { { "gamma", "step" }, { "lam", "lam" }, { "nu", "nu" } };
    const json_t *params = json_object_get(c->file, "params"), *value;
    const p2p_option *options;
    char separator = ':';
    size_t index;

    p2pi_spec_find("method", p2pi_span_of(name), p2pi_method_entry, &index);
    options = p2pi_method_entry(index)->options;
    p2pi_text_append(c->method, sizeof c->method, "%s", name);
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        if (p2pi_option_find(options, p2pi_span_of(keys[i][1])) == NULL ||
            (value = json_object_get(params, keys[i][0])) == NULL)
            continue;
        p2pi_text_append(c->method, sizeof c->method, "%c%s=%.17g", separator, keys[i][1], json_number_value(value));
        separator = ',';
    }
}

static p2p_status
gradient(void *user, p2p_view x, const size_t *idx, size_t count, p2p_vec g)
{
    const double *D = *(const double *const *)user, *centre = D + x.dim, *at = x.data;

    (void)idx;
    (void)count;
    for (size_t k = 0; k < x.dim; k++)
        ((double *)g.data)[k] = D[k] * (at[k] - centre[k]);
    return P2P_OK;
}

static p2p_status
make_problem(estimator_case *c, size_t i)
{
    const json_t *problem = json_object_get(c->file, "problem");
    const p2p_layer layer = { "x", c->d, 1, 0, 0 };
    const p2p_problem_vt table = {
        .size = sizeof table, .layers = &layer, .layer_count = 1, .grad = gradient
    };
    double *D = c->numbers[i];

    if (golden_numbers(json_array_get(json_object_get(problem, "D"), i), c->d, D) != c->d ||
        golden_numbers(json_array_get(json_object_get(problem, "c"), i), c->d, D + c->d) != c->d ||
        golden_numbers(json_object_get(c->file, "x0"), c->d, c->start + i * c->d) != c->d)
        return p2p_fail(P2P_EPARSE, "D, c and x0 must have %zu entries", c->d);
    c->of_node[i] = D;
    return p2p_problem_callback(&c->problems[i], &table, &c->of_node[i], P2P_F64);
}

static p2p_status
compare(const estimator_case *c, const lockstep *star, const lockstep *complete, size_t at, double *worst)
{
    const double up = json_number_value(json_array_get(json_object_get(c->file, "bits_up"), at));
    const double down = json_number_value(json_array_get(json_object_get(c->file, "bits_down"), at));
    double x[CASE_DIM_MAX];

    if (golden_numbers(json_array_get(json_object_get(c->file, "x"), at), c->d, x) != c->d)
        return p2p_fail(P2P_EPARSE, "x must have %zu entries", c->d);
    for (size_t i = 0; i < c->n; i++) {
        const void *own = p2pi_engine_iterate(star->engines[i]).data;

        *worst = fmax(*worst, golden_error(c->d, own, x));
        if (memcmp(own, p2pi_engine_iterate(complete->engines[i]).data, c->d * sizeof *x) != 0)
            return p2p_fail(P2P_EINVAL, "node %zu: star and complete graph differ", i);
    }
    if (star->bits_stage[0] != up || star->bits_stage[1] != down || complete->bits_encoded != up)
        return p2p_fail(P2P_EINVAL, "%.0f bits up, %.0f down; expected %.0f, %.0f", star->bits_stage[0],
                        star->bits_stage[1], up, down);
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
            (st = lockstep_rounds(complete, done, round)) == P2P_OK)
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
                                  .compressor = c->compressor };
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

    for (size_t i = 0; i < c->n && st == P2P_OK; i++)
        st = make_problem(c, i);
    if (st == P2P_OK && (st = open_swarm(c, "star", &around, &star)) == P2P_OK &&
        (st = open_swarm(c, "complete", &all, &complete)) == P2P_OK)
        st = run(c, &star, &complete, worst);
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
    double worst = 0;
    char name[256];
    p2p_status st;

    memset(&c, 0, sizeof c);
    c.file = file;
    c.n = (size_t)json_integer_value(json_object_get(file, "n"));
    c.d = (size_t)json_integer_value(json_object_get(file, "d"));
    c.compressor = json_string_value(json_object_get(json_object_get(file, "params"), "up"));
    golden_name(name, sizeof name, path, -1);
    if (c.n > CASE_NODES_MAX || c.d > CASE_DIM_MAX || c.compressor == NULL || kind == NULL) {
        golden_report(GOLDEN_FAIL, name, NAN, "n, d, params or problem are not those of a case");
        return;
    }
    if (strcmp(kind, "quadratic") != 0 || !exists("method", method, p2pi_method_entry) ||
        !exists("compressor", c.compressor, p2pi_compressor_entry)) {
        golden_report(GOLDEN_SKIP, name, NAN, "%s with %s on %s", method, c.compressor, kind);
        return;
    }
    method_spec(&c, method);
    if ((st = run_both(&c, &worst)) != P2P_OK)
        golden_report(GOLDEN_FAIL, name, worst, "%s", p2p_last_error());
    else
        golden_report(worst <= 1e-9 ? GOLDEN_PASS : GOLDEN_FAIL, name, worst, NULL);
    for (size_t i = 0; i < c.n; i++)
        p2p_problem_destroy(&c.problems[i]);
}

const golden_kind golden_estimators = { "estimators", estimators_accepts, estimators_run };
