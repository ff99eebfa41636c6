/*
 * Robust methods with a liar: every case through the real engine on its complete graph, what the liar says replaced
 * on the way. The liar hears nobody; honest rows are compared.
 */
#include "golden.h"
#include "golden_diagonal.h"
#include "lockstep.h"

#include "aggregate/attack.h"
#include "base/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NODES_MAX = 16, DIM_MAX = 32 };

typedef struct {
    const json_t *file;
    size_t n, d, liar;
    p2p_topology *topology;
    p2p_problem *problems[NODES_MAX];
    const double *quadratic[NODES_MAX]; /* a node's D_i then c_i */
    double numbers[2 * NODES_MAX * DIM_MAX], start[NODES_MAX * DIM_MAX];
    lockstep swarm;
    p2pi_attack *attack;
    p2p_compressor *compressor;
    int tracked;                                /* receivers keep an estimate: */
    double estimate[DIM_MAX], lie[DIM_MAX];     /* what they have of the liar; what it wants them to have */
    uint8_t bytes[NODES_MAX][64 + 8 * DIM_MAX]; /* a receiver each: engines read them until the end of the stage */
    size_t len;
} robust_case;

static int
accepts(const char *path, const json_t *file)
{
    const char *method = json_string_value(json_object_get(file, "method"));

    (void)path;
    return method != NULL && strncmp(method, "robust-", 7) == 0 && json_is_array(json_object_get(file, "byzantine"));
}

/* ---- the liar */

static p2p_vec
vector_of(const robust_case *c, double *data)
{
    return (p2p_vec){ data, c->d, P2P_F64 };
}

/* After all have emitted an iterate is what its node sends, or moves its estimate towards. */
static p2p_status
make_lie(robust_case *c, size_t to)
{
    p2p_view honest[NODES_MAX];
    double weights[NODES_MAX];
    p2pi_attack_scene scene = { .own = p2pi_engine_iterate(c->swarm.engines[c->liar]),
                                .vectors = honest,
                                .weights = weights,
                                .target = p2pi_engine_iterate(c->swarm.engines[to]),
                                .nodes = c->n,
                                .liars = 1 };

    for (size_t i = 0; i < c->n; i++) {
        double w = json_number_value(json_array_get(json_array_get(json_object_get(c->file, "W"), to), i));

        if (i == c->liar)
            scene.liar_weight = w;
        else if (i != to) {
            honest[scene.honest] = p2pi_engine_iterate(c->swarm.engines[i]);
            weights[scene.honest++] = w;
        }
    }
    return p2pi_attack_apply(c->attack, &scene, vector_of(c, c->lie));
}

static p2p_status
encode_lie(robust_case *c, uint32_t round, uint8_t *bytes)
{
    const p2p_env env = { c->swarm.seed, (uint32_t)c->liar, round, 0, 1 };
    const p2p_vec lie = vector_of(c, c->lie), estimate = vector_of(c, c->estimate);
    p2p_status st;

    if (c->tracked)
        p2p_vec_axpy(lie, -1, p2p_view_of(estimate));
    st = p2p_compressor_encode(c->compressor, p2p_view_of(lie), &env, bytes, sizeof c->bytes[0], &c->len);
    return st == P2P_OK && c->tracked ? p2p_compressor_axpy(c->compressor, &env, bytes, c->len, 1, 1, estimate) : st;
}

/* Of an estimate all receivers hear the same, said first to node 0. */
static p2p_status
say(void *user, uint32_t round, size_t from, size_t to, p2pi_message *message)
{
    robust_case *c = user;
    uint8_t *bytes = c->bytes[c->tracked ? 0 : to];
    p2p_status st = P2P_OK;

    if (from != c->liar)
        return P2P_OK;
    if ((!c->tracked || to == 0) && (st = make_lie(c, to)) == P2P_OK)
        st = encode_lie(c, round, bytes);
    *message = (p2pi_message){ bytes, c->len, 0 };
    return st;
}

static int
arrives(void *user, uint32_t round, size_t from, size_t to)
{
    const robust_case *c = user;

    (void)round;
    (void)from;
    return to != c->liar;
}

/* ---- the case */

static p2p_status
make_problems(robust_case *c)
{
    const json_t *problem = json_object_get(c->file, "problem");
    const p2p_layer layer = { "x", c->d, 1, 0, 0 };
    const p2p_problem_vt table = {
        .size = sizeof table, .layers = &layer, .layer_count = 1, .grad = golden_diagonal_gradient
    };
    p2p_status st = P2P_OK;

    for (size_t i = 0; i < c->n && st == P2P_OK; i++) {
        double *D = c->numbers + 2 * i * c->d;

        golden_numbers(json_array_get(json_object_get(problem, "D"), i), c->d, D);
        golden_numbers(json_array_get(json_object_get(problem, "c"), i), c->d, D + c->d);
        c->quadratic[i] = D;
        st = p2p_problem_callback(&c->problems[i], &table, &c->quadratic[i], P2P_F64);
    }
    return st;
}

/* Texts "name:key=value,...", of the parameters among `keys`. */
static void
spec_of(char *text, size_t cap, const char *name, const json_t *parameters, const char *const *keys)
{
    char separator = ':';

    text[0] = '\0';
    p2pi_text_append(text, cap, "%s", name);
    for (; *keys != NULL; keys++) {
        const json_t *value = json_object_get(parameters, *keys);

        if (value == NULL)
            continue;
        p2pi_text_append(text, cap, "%c%s=%.17g", separator, *keys, json_number_value(value));
        separator = ',';
    }
}

static p2p_status
set_up(robust_case *c)
{
    static const char *const of_method[] = { "step", "gossip", "momentum", NULL }, *const of_rule[] = { "b", NULL },
                             *const of_trim[] = { "f", NULL }, *const of_attack[] = { "scale", "eps", NULL };
    const json_t *parameters = json_object_get(c->file, "parameters");
    const char *rule = json_string_value(json_object_get(c->file, "rule"));
    const char *compressor = json_string_value(json_object_get(c->file, "compressor"));
    const int trims = strcmp(rule, "bridge-t") == 0 || strcmp(rule, "ios") == 0;
    const p2p_shape shape = { c->d, P2P_F64, c->n };
    char method[256], aggregator[256], attack[256];
    p2p_topology_figures figures;
    p2p_status st;

    spec_of(method, sizeof method, json_string_value(json_object_get(c->file, "method")), parameters, of_method);
    spec_of(aggregator, sizeof aggregator, rule, parameters, trims ? of_trim : of_rule);
    spec_of(attack, sizeof attack, json_string_value(json_object_get(c->file, "attack")),
            json_object_get(c->file, "attack_parameters"), of_attack);
    c->tracked = compressor != NULL;
    if ((st = p2p_topology_new(&c->topology, "complete", NULL, c->n, 0)) != P2P_OK ||
        (st = p2p_topology_measure(c->topology, &figures)) != P2P_OK || (st = make_problems(c)) != P2P_OK ||
        (st = p2pi_attack_new(&c->attack, attack)) != P2P_OK ||
        (st = p2p_compressor_new(&c->compressor, compressor ? compressor : "identity", &shape)) != P2P_OK)
        return st;
    if (p2p_compressor_bound(c->compressor) > sizeof c->bytes[0])
        return p2p_fail(P2P_EINVAL, "messages of %zu bytes", p2p_compressor_bound(c->compressor));
    st = lockstep_new(&c->swarm,
                      &(p2pi_engine_config){ .seed = (uint64_t)json_integer_value(json_object_get(c->file, "seed")),
                                             .topology = c->topology,
                                             .figures = &figures,
                                             .method = method,
                                             .compressor = compressor ? compressor : "identity",
                                             .aggregator = aggregator },
                      c->problems, c->start);
    c->swarm.arrives = arrives;
    c->swarm.said = say;
    c->swarm.user = c;
    return st;
}

static double
error_of_honest(const robust_case *c, const json_t *X)
{
    double worst = 0, wanted[DIM_MAX];

    for (size_t i = 0; i < c->n; i++)
        if (i != c->liar) {
            golden_numbers(json_array_get(X, i), c->d, wanted);
            worst = fmax(worst, golden_error(c->d, p2pi_engine_iterate(c->swarm.engines[i]).data, wanted));
        }
    return worst;
}

static p2p_status
run_rounds(robust_case *c, double *worst)
{
    const json_t *snapshots = json_object_get(c->file, "rounds"), *snapshot;
    uint32_t done = 0;
    p2p_status st;
    size_t s;

    json_array_foreach(snapshots, s, snapshot)
    {
        uint32_t round = (uint32_t)json_integer_value(json_object_get(snapshot, "round"));

        if ((st = lockstep_rounds(&c->swarm, done, round)) != P2P_OK)
            return st;
        *worst = fmax(*worst, error_of_honest(c, json_object_get(snapshot, "X")));
        done = round;
    }
    return P2P_OK;
}

static void
tear_down(robust_case *c)
{
    lockstep_clear(&c->swarm);
    for (size_t i = 0; i < c->n; i++)
        p2p_problem_destroy(&c->problems[i]);
    p2p_compressor_destroy(&c->compressor);
    p2pi_attack_destroy(&c->attack);
    p2p_topology_destroy(&c->topology);
}

static void
run(const char *path, const json_t *file)
{
    const json_t *first = json_object_get(json_array_get(json_object_get(file, "rounds"), 0), "X");
    robust_case c = { .file = file,
                      .n = json_array_size(first),
                      .d = json_array_size(json_array_get(first, 0)),
                      .liar = (size_t)json_integer_value(json_array_get(json_object_get(file, "byzantine"), 0)) };
    double worst = 0;
    char name[256];
    p2p_status st;

    golden_name(name, sizeof name, path, -1);
    if (c.n > NODES_MAX || c.d > DIM_MAX || c.liar >= c.n) {
        golden_report(GOLDEN_FAIL, name, NAN, "%zu nodes, %zu entries, liar %zu", c.n, c.d, c.liar);
        return;
    }
    golden_numbers(first, c.n * c.d, c.start);
    if ((st = set_up(&c)) == P2P_OK)
        st = run_rounds(&c, &worst);
    if (st != P2P_OK)
        golden_report(GOLDEN_FAIL, name, worst, "%s", p2p_last_error());
    else
        golden_report(worst <= 1e-9 ? GOLDEN_PASS : GOLDEN_FAIL, name, worst, NULL);
    tear_down(&c);
}

const golden_kind golden_robust = { "robust", accepts, run };
