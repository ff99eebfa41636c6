/* Optimisers on a given sequence of gradients, and schedules: one node, whose problem gives the next gradient each
 * time. */
#include "golden.h"
#include "lockstep.h"

#include "method/step_schedule.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { DIM = 9, ROUNDS = 8, TIMES = 24 };

typedef struct {
    double gradient[ROUNDS * DIM];
    size_t next; /* one is asked for before round 0 */
} sequence;

static const struct {
    const char *golden, *method;
} optimisers[] = {
    { "sgd", "sgd" },
    { "sgd-wd", "sgd:wd=0.1" },
    { "heavy-ball", "heavy-ball" },
    { "heavy-ball-damp", "heavy-ball:damp=0.9" },
    { "adam", "adam" },
    { "adam-l2", "adam:wd=0.1" },
    { "adamw", "adamw:wd=0.1" },
    { "amsgrad", "amsgrad" },
    { "lamb", "lamb" },
    { "lans", "lans" },
    { "lans-bounded", "lans:ratio-least=0.5,ratio-most=1" },
};

static int
blocks_accepts(const char *path, const json_t *file)
{
    (void)path;
    return json_is_object(json_object_get(file, "optimisers")) && json_is_object(json_object_get(file, "schedules"));
}

static p2p_status
next_gradient(void *user, p2p_view x, const size_t *idx, size_t count, p2p_vec g)
{
    sequence *s = user;

    (void)x;
    (void)idx;
    (void)count;
    p2p_vec_copy(g, (p2p_view){ s->gradient + (s->next > 0 ? s->next - 1 : 0) * DIM, DIM, P2P_F64 });
    s->next++;
    return P2P_OK;
}

static p2p_status
follow(const json_t *file, const char *method, const json_t *expected, double *worst)
{
    static const p2p_layer layers[] = { { "W", 2, 3, 0, 0 }, { "b", 3, 1, 6, 0 } };
    const p2p_problem_vt table = { .size = sizeof table, .layers = layers, .layer_count = 2, .grad = next_gradient };
    sequence s = { .next = 0 };
    double start[DIM], x[DIM];
    char spec[96];
    p2p_problem *problem = NULL;
    p2p_topology *graph = NULL;
    lockstep swarm = { 0 };
    p2pi_engine_config config = { .seed = 1, .method = spec };
    p2p_status st;

    snprintf(spec, sizeof spec, "%s%cstep=%.17g", method, strchr(method, ':') ? ',' : ':',
             json_number_value(json_object_get(file, "lr")));
    golden_numbers(json_object_get(file, "grads"), ROUNDS * DIM, s.gradient);
    golden_numbers(json_object_get(file, "x0"), DIM, start);
    if ((st = p2p_problem_callback(&problem, &table, &s, P2P_F64)) == P2P_OK)
        st = p2p_topology_new(&graph, "complete", NULL, 1, 0);
    config.topology = graph;
    if (st == P2P_OK)
        st = lockstep_new(&swarm, &config, &problem, start);
    s.next = 1;
    for (uint32_t t = 0; t < ROUNDS && st == P2P_OK; t++)
        if ((st = lockstep_round(&swarm, t)) == P2P_OK) {
            golden_numbers(json_array_get(expected, t), DIM, x);
            *worst = fmax(*worst, golden_error(DIM, p2pi_engine_iterate(swarm.engines[0]).data, x));
        }
    lockstep_clear(&swarm);
    p2p_topology_destroy(&graph);
    p2p_problem_destroy(&problem);
    return st;
}

static void
run_optimisers(const json_t *file)
{
    for (size_t i = 0; i < sizeof optimisers / sizeof *optimisers; i++) {
        const json_t *expected = json_object_get(json_object_get(file, "optimisers"), optimisers[i].golden);
        double worst = 0;
        char name[96];

        snprintf(name, sizeof name, "blocks %s", optimisers[i].golden);
        if (follow(file, optimisers[i].method, expected, &worst) != P2P_OK)
            golden_report(GOLDEN_FAIL, name, worst, "%s", p2p_last_error());
        else
            golden_report(worst <= 1e-9 ? GOLDEN_PASS : GOLDEN_FAIL, name, worst, NULL);
    }
}

static void
run_schedules(const json_t *file)
{
    static const char *const kinds[] = { "const", "step", "cosine", "inv", "sqrt", "poly" };
    double expected[TIMES], found[TIMES];
    char name[96];

    for (size_t k = 0; k <= sizeof kinds / sizeof *kinds; k++) {
        const int warm = k == sizeof kinds / sizeof *kinds;
        const p2pi_schedule s = { .kind = warm ? 2 : (int64_t)k,
                                  .warmup = warm ? 5 : 0,
                                  .every = 5,
                                  .total = 20,
                                  .factor = 0.1,
                                  .least = warm ? 0 : 0.01,
                                  .decay = 0.1,
                                  .power = 2 };
        const char *kind = warm ? "cosine-warm5" : kinds[k];

        golden_numbers(json_object_get(json_object_get(file, "schedules"), kind), TIMES, expected);
        for (uint32_t t = 0; t < TIMES; t++)
            found[t] = p2pi_schedule_at(&s, 0.2, t);
        snprintf(name, sizeof name, "blocks schedule %s", kind);
        golden_report(golden_error(TIMES, found, expected) <= 1e-9 ? GOLDEN_PASS : GOLDEN_FAIL, name,
                      golden_error(TIMES, found, expected), NULL);
    }
}

static void
blocks_run(const char *path, const json_t *file)
{
    (void)path;
    run_optimisers(file);
    run_schedules(file);
}

const golden_kind golden_blocks = { "blocks", blocks_accepts, blocks_run };
