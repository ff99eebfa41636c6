/* Aggregation rules, pre-aggregators and attacks, each applied once ("kind": hub, gossip, pre, attack). */
#include "golden.h"

#include "aggregate/attack.h"
#include "base/text.h"

#include <math.h>
#include <p2popt/random.h>
#include <stdlib.h>
#include <string.h>

static const char *
kind_of(const json_t *file)
{
    const char *kind = json_string_value(json_object_get(file, "kind"));

    return kind ? kind : "";
}

static int
accepts(const char *path, const json_t *file)
{
    static const char *const kinds[] = { "hub", "gossip", "pre", "attack" };

    (void)path;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(kind_of(file), kinds[i]) == 0)
            return 1;
    return 0;
}

/* A matrix of doubles; the strings "nan", "inf", "-inf" are numbers here. A vector is one row. */
typedef struct {
    double *data;
    size_t rows, cols;
} table;

static double
number(const json_t *value)
{
    return json_is_string(value) ? strtod(json_string_value(value), NULL) : json_number_value(value);
}

static table
read_table(const json_t *value)
{
    const json_t *first = json_array_get(value, 0);
    int nested = json_is_array(first);
    table t = { NULL, nested ? json_array_size(value) : value != NULL, json_array_size(nested ? first : value) };

    t.data = calloc(t.rows * t.cols + 1, sizeof *t.data);
    for (size_t i = 0; i < t.rows; i++)
        for (size_t j = 0; j < t.cols; j++)
            t.data[i * t.cols + j] = number(json_array_get(nested ? json_array_get(value, i) : value, j));
    return t;
}

static p2p_view
row(const table *t, size_t i)
{
    p2p_view view = { t->rows > i ? t->data + i * t->cols : NULL, t->cols, P2P_F64 };

    return view;
}

/* name:key=value,... of the parameters that the spec string of the library has. */
static void
spec_of(const json_t *file, const char *name, char *text, size_t cap)
{
    static const char *const others[] = { "seed", "round", "node", "n", "receivers", "byzantine_weight" };
    char separator = ':', real[64];
    const char *key;
    json_t *value;

    text[0] = '\0';
    p2pi_text_append(text, cap, "%s", name);
    json_object_foreach(json_object_get(file, "parameters"), key, value)
    {
        int skip = strcmp(name, "alie") == 0 && strcmp(key, "f") == 0;

        for (size_t i = 0; i < sizeof others / sizeof *others; i++)
            skip |= strcmp(key, others[i]) == 0;
        if (skip)
            continue;
        p2pi_text_real(real, sizeof real, json_number_value(value));
        p2pi_text_append(text, cap, "%c%s=%s", separator, key, real);
        separator = ',';
    }
}

static json_int_t
parameter(const json_t *file, const char *key)
{
    return json_integer_value(json_object_get(json_object_get(file, "parameters"), key));
}

/* Numbers that are not finite must be the same ones; the rest is compared by norms, scaled so that squares exist. */
static double
error_of(size_t count, double *x, double *y)
{
    double largest = 0;

    for (size_t i = 0; i < count; i++)
        if (!isfinite(y[i])) {
            if (isnan(y[i]) ? !isnan(x[i]) : x[i] != y[i])
                return NAN;
            x[i] = y[i] = 0;
        } else
            largest = fmax(largest, fabs(y[i]));
    for (size_t i = 0; i < count && largest > 0; i++) {
        x[i] /= largest;
        y[i] /= largest;
    }
    return golden_error(count, x, y);
}

static void
report(const char *name, p2p_status st, const table *got, table *wanted)
{
    double error;

    if (st != P2P_OK) {
        golden_report(GOLDEN_FAIL, name, NAN, "%s", p2p_last_error());
        return;
    }
    error = error_of(wanted->rows * wanted->cols, got->data, wanted->data);
    golden_report(error <= 1e-9 ? GOLDEN_PASS : GOLDEN_FAIL, name, error, NULL);
}

/* Hub rules see rows only; gossip rules own, neighbours and weights, own's weight being the rest to 1. */
static p2p_status
apply_rule(const char *spec, const table *own, const table *vectors, const table *weights, table *z)
{
    double all[64] = { 1 };
    p2p_view rows[64];
    p2p_aggregator *rule;
    p2p_vec out = { z->data, z->cols, P2P_F64 };
    p2p_status st;

    for (size_t j = 0; j < vectors->rows; j++)
        rows[j] = row(vectors, j);
    for (size_t j = 0; j < weights->cols && j < vectors->rows; j++) {
        all[1 + j] = weights->data[j];
        all[0] -= weights->data[j];
    }
    if ((st = p2p_aggregator_new(&rule, spec, vectors->rows, vectors->cols, P2P_F64)) != P2P_OK)
        return st;
    st = p2p_aggregator_apply(rule, row(own, 0), vectors->rows, rows, weights->rows ? all : NULL, out);
    p2p_aggregator_destroy(&rule);
    return st;
}

/* Row i of what a pre-aggregator makes: the mean behind it that gives all weight to one vector of it. */
static p2p_status
apply_pre(const json_t *file, const char *spec, const table *vectors, table *z)
{
    uint64_t seed = (uint64_t)parameter(file, "seed");
    uint32_t round = (uint32_t)parameter(file, "round");
    size_t size = (size_t)parameter(file, "size"), order[64];
    p2p_random random = p2p_random_open(seed, 0, round, P2P_STREAM_SHARED);
    p2p_view rows[64];
    p2p_aggregator *rule;
    char chain[256];
    p2p_status st;

    snprintf(chain, sizeof chain, "%s|mean", spec);
    if ((st = p2p_aggregator_new(&rule, chain, vectors->rows, vectors->cols, P2P_F64)) != P2P_OK)
        return st;
    p2p_aggregator_round(rule, seed, round);
    p2p_random_permutation(&random, vectors->rows, order);
    for (size_t j = 0; j < vectors->rows; j++)
        rows[j] = row(vectors, j);
    for (size_t i = 0; i < z->rows && st == P2P_OK; i++) {
        p2p_view none = { NULL, vectors->cols, P2P_F64 };
        p2p_vec out = { z->data + i * z->cols, z->cols, P2P_F64 };
        double weights[64] = { 0 };

        weights[1 + (size > 0 ? order[i * size] : i)] = 1;
        st = p2p_aggregator_apply(rule, none, vectors->rows, rows, weights, out);
    }
    p2p_aggregator_destroy(&rule);
    return st;
}

static p2p_status
apply_attack(const json_t *file, const char *spec, const table *own, const table *honest, table *z)
{
    table weights = read_table(json_object_get(file, "weights"));
    p2p_view rows[64];
    p2pi_attack *attack;
    p2pi_attack_scene scene = { .own = row(own, 0),
                                .honest = honest->rows,
                                .vectors = rows,
                                .weights = weights.data,
                                .target = row(own, 0),
                                .nodes = (size_t)parameter(file, "n"),
                                .liars = (size_t)parameter(file, "f"),
                                .seed = (uint64_t)parameter(file, "seed"),
                                .node = (uint32_t)parameter(file, "node"),
                                .round = (uint32_t)parameter(file, "round") };
    p2p_status st = p2pi_attack_new(&attack, spec);

    scene.liar_weight = json_number_value(json_object_get(json_object_get(file, "parameters"), "byzantine_weight"));
    for (size_t j = 0; j < honest->rows; j++)
        rows[j] = row(honest, j);
    for (size_t i = 0; i < z->rows && st == P2P_OK; i++) {
        p2p_vec out = { z->data + i * z->cols, z->cols, P2P_F64 };

        scene.receiver = (uint32_t)i;
        st = p2pi_attack_apply(attack, &scene, out);
    }
    p2pi_attack_destroy(&attack);
    free(weights.data);
    return st;
}

static void
run(const char *path, const json_t *file)
{
    int attack = strcmp(kind_of(file), "attack") == 0, hub = json_object_get(file, "inputs") != NULL;
    table own = read_table(json_object_get(file, "own")), weights = read_table(json_object_get(file, "weights"));
    table vectors = read_table(json_object_get(file, attack ? "honest" : hub ? "inputs" : "neighbours"));
    table wanted = read_table(json_object_get(file, "output")), got = read_table(json_object_get(file, "output"));
    const char *member = json_string_value(json_object_get(file, attack ? "attack" : "rule"));
    char name[256], spec[256];
    p2p_status st;

    golden_name(name, sizeof name, path, -1);
    if (member != NULL && strcmp(member, "alie-auto") == 0)
        member = "alie";
    if (member != NULL && strcmp(member, "gaussian") == 0)
        member = "noise";
    spec_of(file, member ? member : "", spec, sizeof spec);
    memset(got.data, 0, got.rows * got.cols * sizeof *got.data);
    if (vectors.rows > 63)
        st = p2p_fail(P2P_EINVAL, "more than 63 vectors");
    else if (attack)
        st = apply_attack(file, spec, &own, &vectors, &got);
    else if (strcmp(kind_of(file), "pre") == 0)
        st = apply_pre(file, spec, &vectors, &got);
    else
        st = apply_rule(spec, &own, &vectors, &weights, &got);
    report(name, st, &got, &wanted);
    free(own.data);
    free(weights.data);
    free(vectors.data);
    free(wanted.data);
    free(got.data);
}

const golden_kind golden_rules = { "rules", accepts, run };
