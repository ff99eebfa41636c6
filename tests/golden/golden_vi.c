/*
 * Variational inequalities over a hub: every case on a star, and again on the complete graph, whose iterates are the
 * same bytes. Liars come behind the honest nodes; what they say is replaced on the way, and they are not compared.
 */
#include "golden_affine.h"
#include "lockstep.h"

#include "aggregate/attack.h"
#include "base/spec.h"
#include "base/text.h"
#include "method/method_family.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CASE_NODES_MAX = 16, CASE_DIM_MAX = 32 };

typedef struct {
    const json_t *file;
    size_t n, liars, d;
    char method[256], set[128], rule[64];
    p2pi_attack *attack;
    double lie[CASE_DIM_MAX], said[CASE_NODES_MAX][CASE_DIM_MAX];
    uint8_t bytes[1 + sizeof(double) * CASE_DIM_MAX];
    const char *compressor;
    golden_affine operators[CASE_NODES_MAX];
    p2p_problem *problems[CASE_NODES_MAX];
    double start[CASE_NODES_MAX * CASE_DIM_MAX];
} vi_case;

static int
vi_accepts(const char *path, const json_t *file)
{
    const char *type = json_string_value(json_object_get(json_object_get(file, "problem"), "type"));

    (void)path;
    return type != NULL && strcmp(type, "affine") == 0 && json_object_get(file, "W") == NULL;
}

static double
number(const json_t *object, const char *key)
{
    return json_number_value(json_object_get(object, key));
}

/* The case's "set" in the words of p2popt-problems(7). */
static void
set_spec(vi_case *c)
{
    static const char *const keys[][2] = {
        { "lo", "lo" }, { "hi", "hi" }, { "radius", "r" }, { "total", "total" }, { "lambda_", "lambda" }
    };
    const char *set = json_string_value(json_object_get(c->file, "set"));
    const json_t *parameters = json_object_get(c->file, "set_parameters");
    char separator = ':';

    if (set == NULL || strcmp(set, "free") == 0)
        set = "none";
    snprintf(c->set, sizeof c->set, "%s", set);
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        if (json_object_get(parameters, keys[i][0]) != NULL) {
            p2pi_text_append(c->set, sizeof c->set, "%c%s=%.17g", separator, keys[i][1],
                             number(parameters, keys[i][0]));
            separator = ',';
        }
}

/* method:key=value,... with the parameters that are the method's options. */
static void
method_spec(vi_case *c, const p2p_entry *method)
{
    json_t *parameters = json_object_get(c->file, "parameters"), *value;
    const char *key;
    char separator = ':';

    snprintf(c->method, sizeof c->method, "%s", method->name);
    json_object_foreach(parameters, key, value)
    {
        if (p2pi_option_find(method->options, p2pi_span_of(key)) == NULL)
            continue;
        p2pi_text_append(c->method, sizeof c->method, "%c%s=%.17g", separator, key, json_number_value(value));
        separator = ',';
    }
}

static const p2p_entry *
find_method(const char *name)
{
    const p2p_entry *entry = NULL;

    for (size_t i = 0; (entry = p2pi_method_entry(i)) != NULL && strcmp(entry->name, name) != 0; i++)
        continue;
    return entry;
}

static p2p_status
make_problems(vi_case *c)
{
    p2p_status st = P2P_OK;

    for (size_t i = 0; i < c->n + c->liars && st == P2P_OK; i++) {
        st = golden_affine_problem(&c->problems[i], &c->operators[i], json_object_get(c->file, "problem"),
                                   i < c->n ? i : 0, c->d, c->set);
        if (st == P2P_OK && golden_numbers(json_object_get(c->file, "x0"), c->d, c->start + i * c->d) != c->d)
            st = p2p_fail(P2P_EPARSE, "x0 must have %zu entries", c->d);
    }
    return st;
}

/* ---- liars */

static p2p_status
make_attack(vi_case *c)
{
    const json_t *rule = json_object_get(c->file, "rule"), *attack = json_object_get(c->file, "attack");
    char spec[128];

    snprintf(c->rule, sizeof c->rule, "mean");
    if (rule == NULL)
        return P2P_OK;
    c->liars = (size_t)number(json_object_get(c->file, "parameters"), "f");
    snprintf(c->rule, sizeof c->rule, "%s:f=%zu", json_string_value(rule), c->liars);
    snprintf(spec, sizeof spec, "%s:eps=%g", json_string_value(attack),
             number(json_object_get(c->file, "attack_parameters"), "eps"));
    return p2pi_attack_new(&c->attack, spec);
}

/* A plain message: flags and the reals. */
static void
take_said(vi_case *c, const p2pi_engine *engine, double *x)
{
    const p2pi_outgoing *messages;

    if (p2pi_engine_outgoing(engine, &messages) > 0 && messages[0].len == 1 + c->d * sizeof *x)
        memcpy(x, messages[0].bytes + 1, c->d * sizeof *x);
}

typedef struct {
    vi_case *c;
    const lockstep *nodes;
} liar_scene;

/* All have sent: a liar's vector follows from those of the honest nodes. */
static p2p_status
lie(void *user, uint32_t round, size_t from, size_t to, p2pi_message *message)
{
    const liar_scene *at = user;
    vi_case *c = at->c;
    p2p_view honest[CASE_NODES_MAX];
    p2pi_attack_scene scene = { .vectors = honest, .honest = c->n, .nodes = c->n + c->liars, .liars = c->liars };
    p2p_status st;

    (void)round;
    (void)to;
    if (from < c->n || message->len == 0)
        return P2P_OK;
    for (size_t i = 0; i < c->n; i++) {
        take_said(c, at->nodes->engines[i], c->said[i]);
        honest[i] = (p2p_view){ c->said[i], c->d, P2P_F64 };
    }
    scene.own = honest[0];
    st = p2pi_attack_apply(c->attack, &scene, (p2p_vec){ c->lie, c->d, P2P_F64 });
    c->bytes[0] = 0;
    memcpy(c->bytes + 1, c->lie, c->d * sizeof *c->lie);
    *message = (p2pi_message){ c->bytes, 1 + c->d * sizeof *c->lie, 0 };
    return st;
}

/* ---- the runs */

typedef struct {
    p2p_topology *topology;
    lockstep nodes;
    liar_scene scene;
} swarm;

static p2p_status
open_swarm(vi_case *c, const char *shape, swarm *out)
{
    p2pi_engine_config config = { .seed = (uint64_t)json_integer_value(json_object_get(c->file, "seed")),
                                  .method = c->method,
                                  .aggregator = c->rule,
                                  .compressor = c->compressor };
    p2p_status st = p2p_topology_new(&out->topology, shape, NULL, c->n + c->liars, 0);

    config.topology = out->topology;
    if (st == P2P_OK)
        st = lockstep_new(&out->nodes, &config, c->problems, c->start);
    out->scene = (liar_scene){ c, &out->nodes };
    out->nodes.user = &out->scene;
    out->nodes.said = c->liars > 0 ? lie : NULL;
    return st;
}

static void
close_swarm(swarm *self)
{
    lockstep_clear(&self->nodes);
    p2p_topology_destroy(&self->topology);
}

static int
is_three_pillars(const vi_case *c)
{
    return strncmp(c->method, "three-pillars", 13) == 0;
}

/*
 * Bits up are those of the complete graph, where nothing goes down; a vector of the hub counts once a device. With
 * three-pillars node 0 sends u and F_0(u) there as well, and a snapshot takes two vectors down where the reference
 * counts one: without F_0(w) a device cannot make its message.
 */
static p2p_status
compare_bits(const vi_case *c, const json_t *snapshot, const swarm *star, const swarm *complete)
{
    const double points = is_three_pillars(c) ? 2 * 64 * (double)c->d * number(snapshot, "round") : 0;
    const double up = complete->nodes.bits_encoded - points;
    double down = (star->nodes.bits_encoded - up) * (double)c->n;

    if (json_object_get(snapshot, "bits_up") == NULL)
        return P2P_OK;
    if (is_three_pillars(c) && down > 0)
        down -= (down - points * (double)c->n) / 2;
    if (number(snapshot, "bits_up") != up || number(snapshot, "bits_down") != down)
        return p2p_fail(P2P_EINVAL, "round %.0f: %.0f bits up, %.0f down; expected %.0f, %.0f",
                        number(snapshot, "round"), up, down, number(snapshot, "bits_up"),
                        number(snapshot, "bits_down"));
    return P2P_OK;
}

static p2p_status
compare(const vi_case *c, const json_t *snapshot, const swarm *star, const swarm *complete, double *worst)
{
    double x[CASE_DIM_MAX];

    if (golden_numbers(json_object_get(snapshot, "X"), c->d, x) != c->d)
        return p2p_fail(P2P_EPARSE, "X must have %zu entries", c->d);
    for (size_t i = 0; i < c->n; i++) {
        const void *own = p2pi_engine_iterate(star->nodes.engines[i]).data;

        *worst = fmax(*worst, golden_error(c->d, p2pi_engine_iterate(complete->nodes.engines[i]).data, x));
        if (i > 0 && is_three_pillars(c))
            continue; /* devices know x at snapshots alone */
        if (memcmp(own, p2pi_engine_iterate(complete->nodes.engines[i]).data, c->d * sizeof *x) != 0)
            return p2p_fail(P2P_EINVAL, "node %zu: star and complete graph differ", i);
    }
    return compare_bits(c, snapshot, star, complete);
}

static p2p_status
run(const vi_case *c, swarm *star, swarm *complete, double *worst)
{
    const json_t *snapshots = json_object_get(c->file, "rounds"), *snapshot;
    uint32_t done = 0;
    p2p_status st = P2P_OK;
    size_t s;

    json_array_foreach(snapshots, s, snapshot)
    {
        uint32_t round = (uint32_t)json_integer_value(json_object_get(snapshot, "round"));

        if ((st = lockstep_rounds(&star->nodes, done, round)) != P2P_OK ||
            (st = lockstep_rounds(&complete->nodes, done, round)) != P2P_OK ||
            (st = compare(c, snapshot, star, complete, worst)) != P2P_OK)
            break;
        done = round;
    }
    return st;
}

static p2p_status
run_both(vi_case *c, double *worst)
{
    swarm star = { 0 }, complete = { 0 };
    p2p_status st = make_attack(c);

    if (st == P2P_OK && (st = make_problems(c)) == P2P_OK && (st = open_swarm(c, "star", &star)) == P2P_OK &&
        (st = open_swarm(c, "complete", &complete)) == P2P_OK)
        st = run(c, &star, &complete, worst);
    close_swarm(&star);
    close_swarm(&complete);
    return st;
}

static const char *
compressor_word(const char *spec)
{
    if (spec != NULL && strcmp(spec, "sign-l1") == 0)
        return "sign";
    return spec != NULL && strcmp(spec, "perm-k") == 0 ? "permk:part=rank" : spec;
}

static void
vi_run(const char *path, const json_t *file)
{
    static vi_case c;
    const char *method = json_string_value(json_object_get(file, "method"));
    const char *compressor = json_string_value(json_object_get(file, "compressor"));
    double worst = 0;
    char name[256];
    p2p_status st;

    memset(&c, 0, sizeof c);
    c.file = file;
    c.n = (size_t)json_integer_value(json_object_get(file, "n"));
    c.d = (size_t)json_integer_value(json_object_get(file, "d"));
    c.compressor = compressor_word(compressor);
    golden_name(name, sizeof name, path, -1);
    if (c.n > CASE_NODES_MAX || c.d > CASE_DIM_MAX) {
        golden_report(GOLDEN_FAIL, name, NAN, "%zu nodes of dimension %zu: more than expected", c.n, c.d);
        return;
    }
    if (find_method(method) == NULL) {
        golden_report(GOLDEN_SKIP, name, NAN, "no method \"%s\"", method);
        return;
    }
    set_spec(&c);
    method_spec(&c, find_method(method));
    if ((st = run_both(&c, &worst)) != P2P_OK)
        golden_report(GOLDEN_FAIL, name, worst, "%s", p2p_last_error());
    else
        golden_report(worst <= 1e-9 ? GOLDEN_PASS : GOLDEN_FAIL, name, worst, NULL);
    p2pi_attack_destroy(&c.attack);
    for (size_t i = 0; i < c.n + c.liars; i++) {
        p2p_problem_destroy(&c.problems[i]);
        golden_affine_clear(&c.operators[i]);
    }
}

const golden_kind golden_vi = { "vi", vi_accepts, vi_run };
