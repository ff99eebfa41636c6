/*
 * RoSDHB with liars: every case through the real engine on a complete graph of the honest nodes and the liars, whose
 * messages are replaced by alie of what honest nodes send.
 */
#include "golden.h"
#include "golden_diagonal.h"
#include "lockstep.h"

#include "aggregate/attack.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { NODES_MAX = 16, DIM_MAX = 16 };

typedef struct {
    const json_t *file;
    size_t honest, liars, d, k;
    p2p_topology *topology;
    p2p_problem *problems[NODES_MAX];
    const double *quadratic[NODES_MAX]; /* a node's D_i then c_i; liars have those of node 0 */
    double numbers[2 * NODES_MAX * DIM_MAX], start[NODES_MAX * DIM_MAX];
    lockstep swarm;
    p2pi_attack *attack;
    uint8_t lie[1 + 8 * DIM_MAX];
} hub_case;

static int
accepts(const char *path, const json_t *file)
{
    const char *method = json_string_value(json_object_get(file, "method"));

    (void)path;
    return method != NULL && strcmp(method, "rosdhb") == 0;
}

/* The values of the round's coordinates, plain behind a flags byte. */
static p2p_status
make_lie(hub_case *c)
{
    double values[NODES_MAX][DIM_MAX], lie[DIM_MAX];
    p2p_view honest[NODES_MAX];
    p2pi_attack_scene scene = { .honest = c->honest, .vectors = honest };
    p2p_status st;

    for (size_t i = 0; i < c->honest; i++) {
        const p2pi_outgoing *messages;

        p2pi_engine_outgoing(c->swarm.engines[i], &messages);
        memcpy(values[i], messages[0].bytes + 1, c->k * sizeof(double));
        honest[i] = (p2p_view){ values[i], c->k, P2P_F64 };
    }
    scene.own = honest[0];
    st = p2pi_attack_apply(c->attack, &scene, (p2p_vec){ lie, c->k, P2P_F64 });
    c->lie[0] = 0;
    memcpy(c->lie + 1, lie, c->k * sizeof(double));
    return st;
}

static p2p_status
say(void *user, uint32_t round, size_t from, size_t to, p2pi_message *message)
{
    hub_case *c = user;
    p2p_status st;

    (void)round;
    (void)to;
    if (from < c->honest)
        return P2P_OK;
    st = make_lie(c);
    *message = (p2pi_message){ c->lie, 1 + c->k * sizeof(double), 0 };
    return st;
}

/* ---- the case */

static p2p_status
make_problems(hub_case *c)
{
    const json_t *problem = json_object_get(c->file, "problem");
    const p2p_layer layer = { "x", c->d, 1, 0, 0 };
    const p2p_problem_vt table = {
        .size = sizeof table, .layers = &layer, .layer_count = 1, .grad = golden_diagonal_gradient
    };
    p2p_status st = P2P_OK;

    for (size_t i = 0; i < c->honest + c->liars && st == P2P_OK; i++) {
        const size_t of = i < c->honest ? i : 0;
        double *D = c->numbers + 2 * i * c->d;

        golden_numbers(json_array_get(json_object_get(problem, "D"), of), c->d, D);
        golden_numbers(json_array_get(json_object_get(problem, "c"), of), c->d, D + c->d);
        c->quadratic[i] = D;
        st = p2p_problem_callback(&c->problems[i], &table, &c->quadratic[i], P2P_F64);
    }
    return st;
}

static p2p_status
set_up(hub_case *c)
{
    const json_t *parameters = json_object_get(c->file, "parameters");
    const char *rule = json_string_value(json_object_get(c->file, "rule"));
    char method[128], aggregator[64], attack[64];
    p2p_topology_figures figures;
    p2p_status st;

    snprintf(method, sizeof method, "rosdhb:step=%.17g,k=%zu,momentum=%.17g",
             json_number_value(json_object_get(parameters, "step")), c->k,
             json_number_value(json_object_get(parameters, "momentum")));
    if (strcmp(rule, "nnm+median") == 0)
        snprintf(aggregator, sizeof aggregator, "nnm:f=%zu|median", c->liars);
    else if (strcmp(rule, "geomed") == 0)
        snprintf(aggregator, sizeof aggregator, "geomed");
    else
        snprintf(aggregator, sizeof aggregator, "%s:f=%zu", rule, c->liars);
    snprintf(attack, sizeof attack, "alie:z=%.17g",
             json_number_value(json_object_get(json_object_get(c->file, "attack_parameters"), "z")));
    if ((st = p2p_topology_new(&c->topology, "complete", NULL, c->honest + c->liars, 0)) != P2P_OK ||
        (st = p2p_topology_measure(c->topology, &figures)) != P2P_OK || (st = make_problems(c)) != P2P_OK ||
        (st = p2pi_attack_new(&c->attack, attack)) != P2P_OK)
        return st;
    st = lockstep_new(&c->swarm,
                      &(p2pi_engine_config){ .seed = (uint64_t)json_integer_value(json_object_get(c->file, "seed")),
                                             .topology = c->topology,
                                             .figures = &figures,
                                             .method = method,
                                             .compressor = "identity",
                                             .aggregator = aggregator },
                      c->problems, c->start);
    c->swarm.said = say;
    c->swarm.user = c;
    return st;
}

static p2p_status
run_rounds(hub_case *c, double *worst)
{
    const json_t *snapshots = json_object_get(c->file, "rounds"), *snapshot;
    double wanted[DIM_MAX];
    uint32_t done = 0;
    p2p_status st;
    size_t s;

    json_array_foreach(snapshots, s, snapshot)
    {
        uint32_t round = (uint32_t)json_integer_value(json_object_get(snapshot, "round"));

        if ((st = lockstep_rounds(&c->swarm, done, round)) != P2P_OK)
            return st;
        golden_numbers(json_object_get(snapshot, "X"), c->d, wanted);
        for (size_t i = 0; i < c->honest; i++)
            *worst = fmax(*worst, golden_error(c->d, p2pi_engine_iterate(c->swarm.engines[i]).data, wanted));
        done = round;
    }
    return P2P_OK;
}

static void
run(const char *path, const json_t *file)
{
    const json_t *D = json_object_get(json_object_get(file, "problem"), "D");
    const json_t *parameters = json_object_get(file, "parameters");
    hub_case c = { .file = file,
                   .honest = json_array_size(D),
                   .liars = (size_t)json_integer_value(json_object_get(parameters, "f")),
                   .d = json_array_size(json_array_get(D, 0)),
                   .k = (size_t)json_integer_value(json_object_get(parameters, "k")) };
    double worst = 0;
    char name[256];
    p2p_status st;

    golden_name(name, sizeof name, path, -1);
    if (c.honest + c.liars > NODES_MAX || c.d > DIM_MAX || c.k > c.d) {
        golden_report(GOLDEN_FAIL, name, NAN, "%zu nodes, %zu entries", c.honest + c.liars, c.d);
        return;
    }
    if ((st = set_up(&c)) == P2P_OK)
        st = run_rounds(&c, &worst);
    if (st != P2P_OK)
        golden_report(GOLDEN_FAIL, name, worst, "%s", p2p_last_error());
    else
        golden_report(worst <= 1e-9 ? GOLDEN_PASS : GOLDEN_FAIL, name, worst, NULL);
    lockstep_clear(&c.swarm);
    for (size_t i = 0; i < c.honest + c.liars; i++)
        p2p_problem_destroy(&c.problems[i]);
    p2pi_attack_destroy(&c.attack);
    p2p_topology_destroy(&c.topology);
}

const golden_kind golden_rosdhb = { "rosdhb", accepts, run };
