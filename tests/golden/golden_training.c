/* Training methods on a star: the model after every round and the bits both ways; the same bytes at every node. */
#include "golden.h"
#include "lockstep.h"

#include "base/spec.h"
#include "base/text.h"
#include "method/method_family.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NODES_MAX = 8, DIM_MAX = 64, ENTRIES_MAX = 1024, ROUNDS_MAX = 32 };

enum {
    OWN_DOWN = 1,  /* what is agreed on goes down as it is */
    OWN_BITS = 2,  /* our compressors count theirs otherwise */
    SUMS = 4,      /* node 0 sends itself nothing */
    MEAN = 8,      /* nodes differ, and the model is their mean */
    LESS_OWED = 16 /* the model is x less what is owed, in the mean */
};

typedef struct {
    const char *golden, *method; /* method with its own options */
    const char *topology;
    int flags;
} translation;

static const translation translations[] = {
    { "ef-sgd", "sgd:up=topk:k=30%%", "star", 0 },
    { "comp-ams", "comp-ams:up=topk:k=30%%", "star", 0 },
    { "comp-ams-sign", "comp-ams", "star", 0 },
    { "clan-topk", "clan:up=topk:k=30%%", "star", 0 },
    { "gmc", "gmc:up=topk:k=30%%", "star", 0 },
    { "gmc+", "gmc+:up=(randk:k=30%%,shared=1,scale=0,draw=whole)", "star", 0 },
    { "def", "def:up=(randk:k=30%%,shared=1,scale=0,draw=whole)", "star", 0 },
    { "dgc", "dgc:k=30%%", "star", OWN_DOWN },
    { "adacomp", "adacomp:up=adacomp:bin=4", "star", OWN_BITS },
    { "3lc", "3lc", "star", OWN_BITS },
    { "powersgd", "powersgd:up=powersgd:rank=%s", "star", SUMS },
    { "powersgd+", "powersgd+:up=(powersgd+:rank=%s,tau=4)", "star", SUMS },
    { "acpsgd", "acpsgd:up=(acpsgd:rank=%s,memory=own)", "star", SUMS },
    { "greedylore", "greedylore:up=(greedylore:rank=%s,tau=4,memory=own)", "star", SUMS },
    { "greedylore-adam", "greedylore-adam:up=(greedylore:rank=%s,tau=4,memory=own)", "star", SUMS },
    { "scalecom", "scalecom:up=(clt:k=30%%,beta=0.1)", "star", OWN_BITS },
    { "qsparse-local", "qsparse-local:up=topk:k=30%%", "star", 0 },
    { "choco-opt", "choco-opt:gossip=0.5", "ring", MEAN | OWN_BITS },
    { "choco-adam", "choco-opt:gossip=0.5,optimiser=adam", "ring", MEAN | OWN_BITS },
    { "a2sgd", "a2sgd", "star", MEAN | SUMS },
    { "a2sgd-adam", "a2sgd:optimiser=adam", "star", MEAN | SUMS },
    { "variance", "variance", "star", OWN_BITS },
    { "def-a", "def:up=(randk:k=30%%,shared=1,scale=0,draw=whole)", "star", LESS_OWED | OWN_BITS },
    { "sketched-ams", "sketched-ams:rows=3,k=30%%", "star", SUMS | OWN_BITS },
    { "sketched-ams-pa", "sketched-ams:rows=3,k=30%%,averaging=parameter", "star", SUMS | OWN_BITS },
    { "terngrad", "terngrad:up=(terngrad:clip=2.5,mirror=1)", "star", OWN_BITS },
    { "scaffnew", "scaffnew", "star", MEAN },
    { "qallreduce", "qallreduce", "star", OWN_BITS },
    { "qallreduce-ms", "qallreduce-ms", "star", OWN_BITS },
};

typedef struct {
    const json_t *file;
    translation as;
    size_t n, d;
    char method[512];
    p2p_data *whole, *shards[NODES_MAX];
    p2p_problem *problems[NODES_MAX];
    double start[NODES_MAX * DIM_MAX];
} training_case;

static int
training_accepts(const char *path, const json_t *file)
{
    (void)path;
    return json_is_object(file) && json_is_object(json_object_get(file, "parts")) &&
           json_is_array(json_object_get(file, "model"));
}

/* ---- the case as one of our methods */

static translation
translate(const char *golden)
{
    for (size_t i = 0; i < sizeof translations / sizeof *translations; i++)
        if (strcmp(golden, translations[i].golden) == 0)
            return translations[i];
    return (translation){ golden, golden, "star", 0 };
}

static void
add_number(training_case *c, const char *key, double value)
{
    p2pi_text_append(c->method, sizeof c->method, "%c%s=%.17g", strchr(c->method, ':') ? ',' : ':', key, value);
}

/* The method's options that the case gives, and its step. P2P_EPARSE: there is no such method. */
static p2p_status
method_spec(training_case *c)
{
    const json_t *options = json_object_get(c->file, "options"), *value;
    const char *key;
    p2pi_span name, rest;
    p2p_status st;
    size_t index;

    value = json_object_get(options, "rank");
    snprintf(c->method, sizeof c->method, c->as.method, json_number_value(value) == 2 ? "2" : "1");
    p2pi_spec_split(p2pi_span_of(c->as.method), &name, &rest);
    if ((st = p2pi_spec_find("method", name, p2pi_method_entry, &index)) != P2P_OK)
        return st;
    add_number(c, "step", json_number_value(json_object_get(c->file, "lr")));
    json_object_foreach((json_t *)options, key,
                        value) if (p2pi_option_find(p2pi_method_entry(index)->options, p2pi_span_of(key)) != NULL)
        add_number(c, key, json_is_true(value) ? 1 : json_number_value(value));
    return P2P_OK;
}

/* ---- the swarm */

static p2p_status
open_problems(training_case *c)
{
    static double a[ENTRIES_MAX], labels[ENTRIES_MAX];
    const json_t *data = json_object_get(c->file, "data"), *classes = json_object_get(data, "K");
    const json_t *answers = json_object_get(data, classes ? "c" : "b");
    const size_t rows = golden_numbers(answers, ENTRIES_MAX, labels);
    const size_t entries = golden_numbers(json_object_get(data, "A"), ENTRIES_MAX, a);
    char spec[96] = "";
    p2p_status st;

    p2pi_text_append(spec, sizeof spec, "%s:lambda=%.17g", classes ? "softmax" : "logistic",
                     json_number_value(json_object_get(data, "lam")));
    if (classes != NULL)
        p2pi_text_append(spec, sizeof spec, ",classes=%.17g", json_number_value(classes));
    if ((st = p2p_data_from_dense(&c->whole, rows, entries / rows, a, labels)) == P2P_OK)
        st = p2p_data_split(c->whole, NULL, c->n, c->shards);
    for (size_t i = 0; i < c->n && st == P2P_OK; i++) {
        st = p2p_problem_new(&c->problems[i], spec, c->shards[i], P2P_F64, i, c->n, 1);
        golden_numbers(json_object_get(c->file, "x0"), c->d, c->start + i * c->d);
    }
    return st;
}

static double
number_at(const json_t *table, size_t row, size_t column)
{
    return json_number_value(json_array_get(json_array_get(table, row), column));
}

static const double *
owed(const p2pi_engine *engine)
{
    for (size_t i = 0; i < p2pi_engine_state_count(engine); i++)
        if (strcmp(p2pi_engine_state(engine, i).name, "e") == 0)
            return p2pi_engine_state(engine, i).data;
    return NULL;
}

/* What all have, or the mean of what each has. */
static void
reported(const training_case *c, const lockstep *swarm, double *x)
{
    const size_t count = c->as.flags & MEAN ? c->n : 1;

    memset(x, 0, c->d * sizeof *x);
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < c->d; k++)
            x[k] += p2p_vec_get(p2pi_engine_iterate(swarm->engines[i]), k) / (double)count;
    for (size_t i = 0; i < c->n && (c->as.flags & LESS_OWED); i++)
        for (size_t k = 0; k < c->d; k++)
            x[k] -= owed(swarm->engines[i])[k] / (double)c->n;
}

static p2p_status
compare(const training_case *c, const lockstep *swarm, size_t round, double *worst)
{
    const json_t *bits = json_object_get(c->file, "bits");
    const double senders = (double)c->n - ((c->as.flags & SUMS) != 0);
    const double up = senders * number_at(bits, round, 0), down = number_at(bits, round, 1);
    double expected[DIM_MAX], x[DIM_MAX];

    golden_numbers(json_array_get(json_object_get(c->file, "model"), round), c->d, expected);
    reported(c, swarm, x);
    *worst = fmax(*worst, golden_error(c->d, x, expected));
    for (size_t i = 1; i < c->n && !(c->as.flags & (MEAN | LESS_OWED)); i++)
        if (memcmp(x, p2pi_engine_iterate(swarm->engines[i]).data, c->d * sizeof *x) != 0)
            return p2p_fail(P2P_EINVAL, "nodes 0 and %zu differ after round %zu", i, round);
    if (c->as.flags & OWN_BITS)
        return P2P_OK;
    if (fabs(swarm->bits_up - up) > 1e-6 || (!(c->as.flags & OWN_DOWN) && swarm->bits_down != down))
        return p2p_fail(P2P_EINVAL, "%.0f bits up, %.0f down after round %zu: expected %.0f, %.0f", swarm->bits_up,
                        swarm->bits_down, round, up, down);
    return P2P_OK;
}

static p2p_status
run(training_case *c, const char *topology, double *worst)
{
    const size_t rounds = (size_t)json_integer_value(json_object_get(c->file, "rounds"));
    const json_t *batch = json_object_get(json_object_get(c->file, "options"), "batch");
    p2pi_engine_config config = { .seed = (uint64_t)json_integer_value(json_object_get(c->file, "seed")),
                                  .method = c->method,
                                  .compressor = strncmp(c->method, "choco", 5) == 0 ? "topk:k=30%" : NULL,
                                  .batch = { (size_t)json_integer_value(batch), 1 } };
    p2p_topology *graph = NULL;
    lockstep swarm = { 0 };
    p2p_status st = p2p_topology_new(&graph, topology, NULL, c->n, 0);

    config.topology = graph;
    if (st == P2P_OK)
        st = lockstep_new(&swarm, &config, c->problems, c->start);
    for (size_t t = 0; t < rounds && st == P2P_OK; t++)
        if ((st = lockstep_round(&swarm, (uint32_t)t)) == P2P_OK)
            st = compare(c, &swarm, t, worst);
    lockstep_clear(&swarm);
    p2p_topology_destroy(&graph);
    return st;
}

static void
training_run(const char *path, const json_t *file)
{
    static training_case c;
    double worst = 0;
    char name[256];
    p2p_status st;

    memset(&c, 0, sizeof c);
    c.file = file;
    c.n = (size_t)json_integer_value(json_object_get(file, "n"));
    c.d = (size_t)json_integer_value(json_object_get(file, "d"));
    c.as = translate(json_string_value(json_object_get(file, "method")));
    golden_name(name, sizeof name, path, -1);
    if (c.n > NODES_MAX || c.d > DIM_MAX) {
        golden_report(GOLDEN_FAIL, name, NAN, "n and d are not those of a case");
        return;
    }
    if (method_spec(&c) != P2P_OK) {
        golden_report(GOLDEN_SKIP, name, NAN, "%s", c.as.method);
        return;
    }
    if ((st = open_problems(&c)) != P2P_OK || (st = run(&c, c.as.topology, &worst)) != P2P_OK)
        golden_report(GOLDEN_FAIL, name, worst, "%s", p2p_last_error());
    else
        golden_report(worst <= 1e-9 ? GOLDEN_PASS : GOLDEN_FAIL, name, worst, NULL);
    for (size_t i = 0; i < c.n; i++) {
        p2p_problem_destroy(&c.problems[i]);
        p2p_data_destroy(&c.shards[i]);
    }
    p2p_data_destroy(&c.whole);
}

const golden_kind golden_training = { "training", training_accepts, training_run };
