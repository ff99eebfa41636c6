/* Gossip methods: every case through the real engine, all nodes in lockstep. */
#include "golden_affine.h"
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

typedef struct {
    const json_t *file;
    size_t n, d;
    char method[512], compressor[256];
    p2p_topology *topology;
    p2p_topology_figures figures;
    p2p_data **shards;
    p2p_problem **problems;
    const double **quadratic; /* a node's D_i then c_i */
    double *start, *numbers;  /* x_0; D and c of all nodes */
    golden_affine *operators;
} gossip_case;

static int
gossip_accepts(const char *path, const json_t *file)
{
    (void)path;
    return json_is_object(file) && json_is_string(json_object_get(file, "method")) &&
           json_is_array(json_object_get(file, "W")) && json_is_array(json_object_get(file, "rounds"));
}

/* ---- names of the cases in the tool's words */

static const char *
compressor_word(const char *spec)
{
    static const struct {
        const char *theirs, *ours;
    } words[] = { { "sign-l1", "sign" }, { "uniform:bits=2", "levels:bits=2" } };

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strcmp(spec, words[i].theirs) == 0)
            return words[i].ours;
    return spec;
}

static int
exists(const char *spec, const p2p_entry *(*at)(size_t))
{
    p2pi_span name, options;
    size_t index;

    p2pi_spec_split(p2pi_span_of(spec), &name, &options);
    return p2pi_spec_find("", name, at, &index) == P2P_OK;
}

static const p2p_option *
options_of(const char *method)
{
    size_t index;

    return p2pi_spec_find("method", p2pi_span_of(method), p2pi_method_entry, &index) == P2P_OK
               ? p2pi_method_entry(index)->options
               : NULL;
}

/* An option of the method that the case does not give has the default of the cases, not ours. */
static void
add_default(char *text, size_t cap, const p2p_option *options, const json_t *parameters, const char *key,
            double value)
{
    if (p2pi_option_find(options, p2pi_span_of(key)) != NULL && json_object_get(parameters, key) == NULL)
        p2pi_text_append(text, cap, ",%s=%.17g", key, value);
}

/* method:key=value,... from "method" and "parameters". */
static void
method_spec(gossip_case *c)
{
    const char *name = json_string_value(json_object_get(c->file, "method")), *key;
    json_t *parameters = json_object_get(c->file, "parameters"), *value;
    const p2p_option *options = options_of(name);
    char separator = ':';

    c->method[0] = '\0';
    p2pi_text_append(c->method, sizeof c->method, "%s", name);
    json_object_foreach(parameters, key, value)
    {
        p2pi_text_append(c->method, sizeof c->method, "%c%s=", separator, key);
        if (json_is_string(value))
            p2pi_text_append(c->method, sizeof c->method, "%s", json_string_value(value));
        else if (json_is_boolean(value))
            p2pi_text_append(c->method, sizeof c->method, "%s", json_is_true(value) ? "yes" : "no");
        else if (strcmp(key, "step") == 0 && json_number_value(value) == 0)
            p2pi_text_append(c->method, sizeof c->method, "1"); /* of no gradient */
        else
            p2pi_text_append(c->method, sizeof c->method, "%.17g", json_number_value(value));
        separator = ',';
    }
    if (separator == ',') {
        add_default(c->method, sizeof c->method, options, parameters, "dual",
                    json_number_value(json_object_get(parameters, "gossip")));
        add_default(c->method, sizeof c->method, options, parameters, "decay", 0);
    }
}

/* ---- topology and problems */

static double
matrix_entry(const json_t *matrix, size_t i, size_t j)
{
    return json_number_value(json_array_get(json_array_get(matrix, i), j));
}

static p2p_status
make_topology(gossip_case *c)
{
    const json_t *edges = json_object_get(c->file, "edges"), *W = json_object_get(c->file, "W");
    const char *method = json_string_value(json_object_get(c->file, "method"));
    size_t count = json_array_size(edges);
    uint32_t *ends = malloc((2 * count + 1) * sizeof *ends);
    double *weights = malloc((count + 1) * sizeof *weights);
    p2p_status st = P2P_ENOMEM;

    if (ends != NULL && weights != NULL) {
        for (size_t e = 0; e < count; e++) {
            ends[2 * e] = (uint32_t)matrix_entry(edges, e, 0);
            ends[2 * e + 1] = (uint32_t)matrix_entry(edges, e, 1);
            weights[e] = matrix_entry(W, ends[2 * e], ends[2 * e + 1]);
        }
        if (strcmp(method, "sgp") == 0)
            st = p2p_topology_from_arcs(&c->topology, c->n, count, ends);
        else if (strcmp(method, "one-peer") == 0)
            st = p2p_topology_new(&c->topology, "one-peer", NULL, c->n, 0);
        else
            st = p2p_topology_from_edges(&c->topology, c->n, count, ends, weights);
    }
    free(ends);
    free(weights);
    return st == P2P_OK ? p2p_topology_measure(c->topology, &c->figures) : st;
}

static p2p_status
zero_gradient(void *user, p2p_view x, const size_t *idx, size_t count, p2p_vec g)
{
    (void)user;
    (void)x;
    (void)idx;
    (void)count;
    p2p_vec_zero(g);
    return P2P_OK;
}

static p2p_status
callback_problem(gossip_case *c, const json_t *problem, size_t i, int quadratic)
{
    const p2p_layer layer = { "x", c->d, 1, 0, 0 };
    const p2p_problem_vt table = { .size = sizeof table,
                                   .layers = &layer,
                                   .layer_count = 1,
                                   .grad = quadratic ? golden_diagonal_gradient : zero_gradient };
    double *D = c->numbers + 2 * i * c->d;

    if (quadratic && (golden_numbers(json_array_get(json_object_get(problem, "D"), i), c->d, D) != c->d ||
                      golden_numbers(json_array_get(json_object_get(problem, "c"), i), c->d, D + c->d) != c->d))
        return p2p_fail(P2P_EPARSE, "problem: D and c must have %zu entries a node", c->d);
    c->quadratic[i] = D;
    return p2p_problem_callback(&c->problems[i], &table, &c->quadratic[i], P2P_F64);
}

/* Contiguous blocks: node i holds rows floor(i N / n) .. floor((i + 1) N / n) - 1. */
static p2p_status
logistic_problem(gossip_case *c, const json_t *problem, size_t i)
{
    const json_t *rows = json_object_get(problem, "rows"), *labels = json_object_get(problem, "labels");
    size_t N = json_array_size(rows), first = i * N / c->n, count = (i + 1) * N / c->n - first;
    double *a = malloc(count * (c->d + 1) * sizeof *a);
    char spec[64];
    p2p_status st;

    if (a == NULL)
        return P2P_ENOMEM;
    for (size_t j = 0; j < count; j++) {
        golden_numbers(json_array_get(rows, first + j), c->d, a + j * c->d);
        a[count * c->d + j] = json_number_value(json_array_get(labels, first + j));
    }
    st = p2p_data_from_dense(&c->shards[i], count, c->d, a, a + count * c->d);
    free(a);
    if (st != P2P_OK)
        return st;
    snprintf(spec, sizeof spec, "logistic:lambda=%.17g", json_number_value(json_object_get(problem, "lambda_")));
    return p2p_problem_new(&c->problems[i], spec, c->shards[i], P2P_F64, i, c->n, 0);
}

static p2p_status
make_problems(gossip_case *c)
{
    const json_t *problem = json_object_get(c->file, "problem");
    const char *type = json_string_value(json_object_get(problem, "type"));
    p2p_status st = P2P_OK;

    for (size_t i = 0; i < c->n && st == P2P_OK; i++)
        if (type != NULL && strcmp(type, "logistic") == 0)
            st = logistic_problem(c, problem, i);
        else if (type != NULL && (strcmp(type, "quadratic") == 0 || strcmp(type, "zero") == 0))
            st = callback_problem(c, problem, i, type[0] == 'q');
        else if (type != NULL && strcmp(type, "affine") == 0)
            st = golden_affine_problem(&c->problems[i], &c->operators[i], problem, i, c->d, NULL);
        else
            st = p2p_fail(P2P_EPARSE, "problem type \"%s\": expected quadratic, logistic, zero or affine",
                          type ? type : "");
    return st;
}

/* ---- the run */

static p2p_status
compare(const lockstep *swarm, const gossip_case *c, const json_t *snapshot, double *worst)
{
    double *reference = malloc(2 * c->n * c->d * sizeof *reference), *x = reference + c->n * c->d;
    double encoded = json_number_value(json_object_get(snapshot, "bits_encoded"));
    double sent = json_number_value(json_object_get(snapshot, "bits_sent"));
    long long round = json_integer_value(json_object_get(snapshot, "round"));
    p2p_status st = P2P_OK;

    if (reference == NULL)
        return P2P_ENOMEM;
    if (golden_numbers(json_object_get(snapshot, "X"), c->n * c->d, reference) != c->n * c->d)
        st = p2p_fail(P2P_EPARSE, "round %lld: X must have %zu rows of %zu entries", round, c->n, c->d);
    for (size_t i = 0; i < c->n; i++) {
        p2p_view row = p2pi_engine_iterate(swarm->engines[i]);

        memcpy(x + i * c->d, row.data, c->d * sizeof *x);
    }
    if (st == P2P_OK)
        *worst = fmax(*worst, golden_error(c->n * c->d, x, reference));
    if (st == P2P_OK && (encoded != swarm->bits_encoded || sent != swarm->bits_sent))
        st = p2p_fail(P2P_EINVAL, "round %lld: %.0f bits encoded, %.0f sent; expected %.0f, %.0f", round,
                      swarm->bits_encoded, swarm->bits_sent, encoded, sent);
    free(reference);
    return st;
}

static p2p_status
run_swarm(const gossip_case *c, double *worst)
{
    const p2pi_engine_config config = {
        .seed = (uint64_t)json_integer_value(json_object_get(c->file, "seed")),
        .topology = c->topology,
        .figures = &c->figures,
        .method = c->method,
        .compressor = c->compressor,
    };
    const json_t *snapshots = json_object_get(c->file, "rounds"), *snapshot;
    uint32_t done = 0;
    lockstep swarm;
    p2p_status st = lockstep_new(&swarm, &config, c->problems, c->start);
    size_t s;

    if (st != P2P_OK)
        return st;
    json_array_foreach(snapshots, s, snapshot)
    {
        uint32_t round = (uint32_t)json_integer_value(json_object_get(snapshot, "round"));

        if ((st = lockstep_rounds(&swarm, done, round)) != P2P_OK ||
            (st = compare(&swarm, c, snapshot, worst)) != P2P_OK)
            break;
        done = round;
    }
    lockstep_clear(&swarm);
    return st;
}

static p2p_status
set_up(gossip_case *c)
{
    p2p_status st;

    c->shards = calloc(c->n, sizeof(void *));
    c->problems = calloc(c->n, sizeof(void *));
    c->quadratic = calloc(c->n, sizeof(void *));
    c->start = calloc(c->n * c->d, sizeof(double));
    c->numbers = calloc(2 * c->n * c->d, sizeof(double));
    c->operators = calloc(c->n, sizeof *c->operators);
    if (!c->shards || !c->problems || !c->quadratic || !c->start || !c->numbers || !c->operators)
        return P2P_ENOMEM;
    if (golden_numbers(json_object_get(c->file, "x0"), c->n * c->d, c->start) != c->n * c->d)
        return p2p_fail(P2P_EPARSE, "x0 must have %zu rows of %zu entries", c->n, c->d);
    if ((st = make_topology(c)) != P2P_OK)
        return st;
    return make_problems(c);
}

static void
tear_down(gossip_case *c)
{
    for (size_t i = 0; i < c->n; i++) {
        if (c->problems != NULL)
            p2p_problem_destroy(&c->problems[i]);
        if (c->shards != NULL)
            p2p_data_destroy(&c->shards[i]);
        if (c->operators != NULL)
            golden_affine_clear(&c->operators[i]);
    }
    p2p_topology_destroy(&c->topology);
    free(c->shards);
    free(c->problems);
    free(c->quadratic);
    free(c->start);
    free(c->numbers);
    free(c->operators);
}

static void
gossip_run(const char *path, const json_t *file)
{
    gossip_case c = { .file = file,
                      .n = (size_t)json_integer_value(json_object_get(file, "n")),
                      .d = (size_t)json_integer_value(json_object_get(file, "d")) };
    const char *method = json_string_value(json_object_get(file, "method"));
    const char *compressor = json_string_value(json_object_get(file, "compressor"));
    double worst = 0;
    char name[256];
    p2p_status st;

    golden_name(name, sizeof name, path, -1);
    snprintf(c.compressor, sizeof c.compressor, "%s", compressor_word(compressor ? compressor : "identity"));
    if (!exists(method, p2pi_method_entry)) {
        golden_report(GOLDEN_SKIP, name, NAN, "no method \"%s\"", method);
        return;
    }
    if (!exists(c.compressor, p2pi_compressor_entry)) {
        golden_report(GOLDEN_SKIP, name, NAN, "no compressor \"%s\"", c.compressor);
        return;
    }
    method_spec(&c);
    if ((st = set_up(&c)) == P2P_OK)
        st = run_swarm(&c, &worst);
    if (st != P2P_OK)
        golden_report(GOLDEN_FAIL, name, worst, "%s", p2p_last_error());
    else
        golden_report(worst <= 1e-9 ? GOLDEN_PASS : GOLDEN_FAIL, name, worst, NULL);
    tear_down(&c);
}

const golden_kind golden_gossip = { "gossip", gossip_accepts, gossip_run };
