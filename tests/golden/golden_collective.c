#include "golden_collective.h"

#include "collective_round.h"
#include "compress/frames/stage_fields.h"
#include "golden_hex.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NODES_MOST = 8, DIM_MOST = 64 };

typedef struct {
    const char *key, *spec;
    const char *seed;   /* where it stands in the file */
    const char *memory; /* what the case calls the state "e" or "m"; NULL: it has none */
    double tolerance;   /* factorisations agree less closely */
    unsigned levels;    /* S_0 of the quantisers */
} kind;

static const kind kinds[] = {
    { "clt-beta=1", "clt:k=10%", "seed", "m", 1e-12, 0 },
    { "clt-beta=0.2", "clt:k=10%,beta=0.2", "seed", "m", 1e-12, 0 },
    { "maxnorm", "maxnorm:levels=8", "seed", NULL, 1e-12, 8 },
    { "maxnorm-inf", "maxnorm:levels=15,norm=inf", "seed", NULL, 1e-12, 15 },
    { "multiscale", "multiscale:levels=7/31/127", "seed", NULL, 1e-12, 7 },
    { "grandk-maxnorm", "maxnorm:levels=8,k=25%", "seed", NULL, 1e-12, 8 },
    { "grandk-multiscale", "multiscale:levels=7/63,k=25%", "seed", NULL, 1e-12, 7 },
    { "power-common", "powersgd:rank=2,rows=5", "lowrank_seed", "E", 1e-9, 0 },
    { "power-own", "powersgd:rank=2,rows=5,memory=own", "lowrank_seed", "E", 1e-9, 0 },
    { "power+-common", "powersgd+:rank=2,rows=5,tau=4", "lowrank_seed", "E", 1e-9, 0 },
    { "power+-own", "powersgd+:rank=2,rows=5,tau=4,memory=own", "lowrank_seed", "E", 1e-9, 0 },
    { "acp-common", "acpsgd:rank=2,rows=5", "lowrank_seed", "E", 1e-9, 0 },
    { "acp-own", "acpsgd:rank=2,rows=5,memory=own", "lowrank_seed", "E", 1e-9, 0 },
    { "greedy-common", "greedylore:rank=2,rows=5,tau=4", "lowrank_seed", "E", 1e-9, 0 },
    { "greedy-own", "greedylore:rank=2,rows=5,tau=4,memory=own", "lowrank_seed", "E", 1e-9, 0 },
};

typedef struct {
    const kind *kind;
    size_t nodes, dim;
    p2p_compressor *c[NODES_MOST];
    double x[NODES_MOST][DIM_MOST], y[NODES_MOST][DIM_MOST];
    const json_t *record; /* of the round */
    double worst;
    const char *why; /* the first thing that differs */
} swarm;

static void
compare(swarm *s, size_t count, const double *got, const json_t *wanted, const char *what)
{
    double numbers[NODES_MOST * DIM_MOST], error;

    if (count > NODES_MOST * DIM_MOST || golden_numbers(wanted, count, numbers) != count)
        error = INFINITY;
    else
        error = golden_error(count, got, numbers);
    s->worst = fmax(s->worst, error);
    if (!(error <= s->kind->tolerance) && s->why == NULL)
        s->why = what;
}

/* The frame of clt's support, and the integer codes of the quantisers, which count from -S_0. */
static void
look(void *user, size_t node, size_t stage, const p2pi_stage *what, const uint8_t *bytes)
{
    swarm *s = user;
    const json_t *codes = json_array_get(json_object_get(s->record, "codes"), node);
    const size_t leader = (size_t)json_integer_value(json_object_get(s->record, "leader"));
    const char *frame = json_string_value(json_object_get(s->record, "stage0"));
    uint32_t field[DIM_MOST];
    double code[DIM_MOST];

    (void)stage;
    if (what->reduction == P2PI_REDUCE_BCAST && node == leader && !golden_hex_is(frame, bytes, strlen(frame) / 2))
        s->why = "the frame of the support differs";
    if (what->reduction != P2PI_REDUCE_SUM || codes == NULL)
        return;
    p2pi_fields_get(what, 0, what->count, bytes, field);
    for (size_t i = 0; i < what->count; i++)
        code[i] = (double)field[i] - (double)s->kind->levels;
    compare(s, what->count, code, codes, "the codes differ");
}

static void
run_round(swarm *s, p2p_env env, const json_t *inputs)
{
    p2p_view x[NODES_MOST];
    p2p_vec y[NODES_MOST];

    for (size_t j = 0; j < s->nodes; j++) {
        x[j] = (p2p_view){ s->x[j], s->dim, P2P_F64 };
        y[j] = (p2p_vec){ s->y[j], s->dim, P2P_F64 };
        if (golden_numbers(json_array_get(inputs, j), s->dim, s->x[j]) != s->dim)
            s->why = "no such input";
    }
    if (collective_round(s->c, s->nodes, x, env, y, NULL, look, s) != P2P_OK)
        s->why = p2p_last_error();
    for (size_t j = 0; j < s->nodes && s->why == NULL; j++) {
        const p2pi_plan *plan = &p2pi_compressor_codec(s->c[j])->plan;

        compare(s, s->dim, s->y[j], json_object_get(s->record, "out"), "the result differs");
        if (s->kind->memory != NULL)
            compare(s, s->dim, plan->state[0].value.data,
                    json_array_get(json_object_get(s->record, s->kind->memory), j), "a memory differs");
    }
}

static const kind *
kind_of(const char *key)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(key, kinds[i].key) == 0)
            return &kinds[i];
    return NULL;
}

/* ---- the sketch and its memory, of the mean of the nodes' vectors */

static void
open_sketches(swarm *s, const json_t *sketch)
{
    char spec[128];

    for (int memory = 0; memory < 2 && s->why == NULL; memory++) {
        snprintf(spec, sizeof spec, "sketch:rows=%d,cols=%d,k=%s%s",
                 (int)json_integer_value(json_object_get(sketch, "rows")),
                 (int)json_integer_value(json_object_get(sketch, "cols")),
                 json_string_value(json_object_get(sketch, "k")), memory ? ",memory=1,momentum=0.5" : "");
        if (p2p_compressor_new(&s->c[memory], spec, &(p2p_shape){ s->dim, P2P_F64, 1 }) != P2P_OK)
            s->why = p2p_last_error();
    }
}

static void
send_sketch(swarm *s, size_t memory, p2p_env env, const char *frame, const json_t *wanted)
{
    uint8_t bytes[1024];
    p2p_vec y = { s->y[0], s->dim, P2P_F64 };
    size_t len;

    if (p2p_compressor_bound(s->c[memory]) > sizeof bytes ||
        p2p_compressor_encode(s->c[memory], (p2p_view){ s->x[0], s->dim, P2P_F64 }, &env, bytes, sizeof bytes,
                              &len) != P2P_OK ||
        p2p_compressor_decode(s->c[memory], &env, bytes, len, y) != P2P_OK) {
        s->why = p2p_last_error();
        return;
    }
    if (frame != NULL && !golden_hex_is(frame, bytes, len))
        s->why = "the frame differs";
    compare(s, s->dim, s->y[0], wanted, memory ? "what the memory gives differs" : "the heavy hitters differ");
}

static void
run_sketches(swarm *s, const json_t *sketch, const json_t *inputs)
{
    p2p_env env = { (uint64_t)json_integer_value(json_object_get(sketch, "seed")), 0, 0, 0, 1 };
    const json_t *steps = json_object_get(sketch, "steps"), *step;
    size_t round;

    json_array_foreach(steps, round, step)
    {
        p2p_vec mean = { s->x[0], s->dim, P2P_F64 };

        p2p_vec_zero(mean);
        env.round = (uint32_t)round;
        for (size_t j = 0; j < s->nodes; j++) {
            if (golden_numbers(json_array_get(json_array_get(inputs, round), j), s->dim, s->x[1]) != s->dim)
                s->why = "no such input";
            p2p_vec_axpy(mean, 1, (p2p_view){ s->x[1], s->dim, P2P_F64 });
        }
        for (size_t i = 0; i < s->dim; i++)
            s->x[0][i] /= (double)s->nodes;
        send_sketch(s, 0, env, json_string_value(json_object_get(step, "frame")), json_object_get(step, "heavy"));
        send_sketch(s, 1, env, NULL, json_object_get(step, "memory"));
    }
}

static void
report(swarm *s, const char *key)
{
    char name[64];

    snprintf(name, sizeof name, "swarm %s", key);
    golden_report(s->why == NULL ? GOLDEN_PASS : GOLDEN_FAIL, name, s->worst, "%s", s->why != NULL ? s->why : "");
    for (size_t j = 0; j < NODES_MOST; j++)
        p2p_compressor_destroy(&s->c[j]);
}

static int
golden_sketch(const json_t *sketch, const json_t *inputs, const json_t *file)
{
    static const kind sketching = { .tolerance = 1e-12 };
    swarm s = { .kind = &sketching };

    s.nodes = (size_t)json_integer_value(json_object_get(file, "n"));
    s.dim = (size_t)json_integer_value(json_object_get(file, "d"));
    open_sketches(&s, sketch);
    if (s.why == NULL)
        run_sketches(&s, sketch, inputs);
    report(&s, "sketch");
    return 1;
}

int
golden_collective(const char *key, const json_t *rounds, const json_t *inputs, const json_t *file)
{
    swarm s = { .kind = kind_of(key) };
    size_t round;

    if (strcmp(key, "sketch") == 0)
        return golden_sketch(rounds, inputs, file);
    if (s.kind == NULL)
        return 0;
    s.nodes = (size_t)json_integer_value(json_object_get(file, "n"));
    s.dim = (size_t)json_integer_value(json_object_get(file, "d"));
    if (s.nodes > NODES_MOST || s.dim > DIM_MOST)
        s.why = "too large";
    for (size_t j = 0; j < s.nodes && s.why == NULL; j++)
        if (p2p_compressor_new(&s.c[j], s.kind->spec, &(p2p_shape){ s.dim, P2P_F64, s.nodes }) != P2P_OK)
            s.why = p2p_last_error();
    for (round = 0; round < json_array_size(rounds) && s.why == NULL; round++) {
        p2p_env env = { (uint64_t)json_integer_value(json_object_get(file, s.kind->seed)), 0, (uint32_t)round, 0, 1 };

        s.record = json_array_get(rounds, round);
        run_round(&s, env, json_array_get(inputs, round));
    }
    report(&s, key);
    return 1;
}
