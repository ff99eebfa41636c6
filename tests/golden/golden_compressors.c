/* Compressors: plain cases, sequences of those with memory, malformed messages, refused inputs. */
#include "golden.h"

#include "golden_collective.h"
#include "golden_hex.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What one case needs; made for a spec and shape. */
typedef struct {
    p2p_compressor *compressor;
    p2p_shape shape;
    void *x, *y;          /* dim entries of the type */
    double *wanted, *got; /* dim doubles */
    uint8_t *lean, *frame, *again;
    size_t cap;
} bench;

static const char *
text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));

    return text ? text : "";
}

static uint32_t
integer_of(const json_t *object, const char *key)
{
    return (uint32_t)json_integer_value(json_object_get(object, key));
}

static p2p_env
env_of(const json_t *object)
{
    const json_t *scale = json_object_get(object, "scale");
    p2p_env env = { integer_of(object, "seed"), integer_of(object, "node"), integer_of(object, "round"),
                    integer_of(object, "slot"), scale ? json_number_value(scale) : 1 };

    return env;
}

static void
bench_clear(bench *b)
{
    p2p_compressor_destroy(&b->compressor);
    free(b->x);
    free(b->y);
    free(b->wanted);
    free(b->got);
    free(b->lean);
    free(b->frame);
    free(b->again);
}

/* Open, or report why not: a compressor that does not exist is skipped. */
static int
bench_open(bench *b, const char *name, const char *spec, size_t dim, p2p_dtype type, size_t nodes)
{
    p2p_shape shape = { dim, type, nodes };

    memset(b, 0, sizeof *b);
    b->shape = shape;
    if (p2p_compressor_new(&b->compressor, spec, &shape) != P2P_OK) {
        int unknown = strstr(p2p_last_error(), "unknown; expected one of") != NULL;

        golden_report(unknown ? GOLDEN_SKIP : GOLDEN_FAIL, name, NAN, "%s: %s", spec,
                      unknown ? "no such compressor" : p2p_last_error());
        return 0;
    }
    b->cap = p2p_compressor_bound(b->compressor) + P2P_FRAME_EXTRA + 4096;
    b->x = calloc(dim, 8);
    b->y = calloc(dim, 8);
    b->wanted = calloc(dim, sizeof(double));
    b->got = calloc(dim, sizeof(double));
    b->lean = malloc(b->cap);
    b->frame = malloc(b->cap);
    b->again = malloc(b->cap);
    return 1;
}

static p2p_vec
vec_of(const bench *b, void *data)
{
    p2p_vec v = { data, b->shape.dim, b->shape.type };

    return v;
}

static int
set_input(const bench *b, const json_t *values)
{
    p2p_vec x = vec_of(b, b->x);

    if (golden_numbers(values, x.dim, b->got) != x.dim)
        return 0;
    for (size_t i = 0; i < x.dim; i++)
        p2p_vec_set(x, i, b->got[i]);
    return 1;
}

/* Units in the last place of a float between two numbers, for vectors of floats; else relative error of the whole. */
static double
decoded_error(const bench *b, const json_t *decoded)
{
    p2p_view y = p2p_view_of(vec_of(b, b->y));
    double worst = 0;

    if (golden_numbers(decoded, y.dim, b->wanted) != y.dim)
        return NAN;
    for (size_t i = 0; i < y.dim; i++) {
        b->got[i] = p2p_vec_get(y, i);
        worst = fmax(worst, fabs(b->got[i] - b->wanted[i]) / fmax(fabs(b->wanted[i]), 0x1p-126));
    }
    return y.type == P2P_F32 ? worst : golden_error(y.dim, b->got, b->wanted);
}

static double
allowed_error(const bench *b)
{
    return b->shape.type == P2P_F32 ? 4 * 0x1p-23 : 1e-12;
}

/* ---- one vector, one message */

/* Why the case fails, or NULL: bytes both ways, then the decoded vector. */
static const char *
try_case(const bench *b, const json_t *c, double *error)
{
    p2p_env env = env_of(c);
    size_t len, frame_len, again_len;

    if (p2p_compressor_encode(b->compressor, p2p_view_of(vec_of(b, b->x)), &env, b->lean, b->cap, &len) != P2P_OK)
        return p2p_last_error();
    if (!golden_hex_is(text_of(c, "lean"), b->lean, len))
        return "lean bytes differ";
    if (p2p_compressor_frame(b->compressor, &env, b->lean, len, b->frame, b->cap, &frame_len) != P2P_OK)
        return p2p_last_error();
    if (!golden_hex_is(text_of(c, "frame"), b->frame, frame_len))
        return "frame bytes differ";
    if (p2p_compressor_unframe(b->compressor, &env, b->frame, frame_len, b->again, b->cap, &again_len) != P2P_OK)
        return p2p_last_error();
    if (!golden_hex_is(text_of(c, "lean"), b->again, again_len))
        return "lean bytes from the frame differ";
    if (p2p_compressor_decode(b->compressor, &env, b->again, again_len, vec_of(b, b->y)) != P2P_OK)
        return p2p_last_error();
    *error = decoded_error(b, json_object_get(c, "decoded"));
    return *error <= allowed_error(b) ? NULL : "decoded values differ";
}

static void
run_plain(const json_t *file, const char *path)
{
    json_t *inputs = golden_beside(path, "inputs.json");
    const json_t *c;
    size_t index;

    json_array_foreach(file, index, c)
    {
        const json_t *input = json_object_get(inputs, text_of(c, "input"));
        p2p_dtype type = strcmp(text_of(c, "et"), "f32") == 0 ? P2P_F32 : P2P_F64;
        const char *why = "no such input";
        double error = NAN;
        char name[256];
        bench b;

        golden_name(name, sizeof name, path, (long)index);
        if (!bench_open(&b, name, text_of(c, "spec"), json_array_size(input), type, integer_of(c, "n")))
            continue;
        if (set_input(&b, input))
            why = try_case(&b, c, &error);
        if (why != NULL)
            golden_report(GOLDEN_FAIL, name, error, "%s on %s: %s", text_of(c, "spec"), text_of(c, "input"), why);
        else
            golden_report(GOLDEN_PASS, name, error, NULL);
        bench_clear(&b);
    }
    json_decref(inputs);
}

/* ---- memory over rounds */

/* Relative error of the named state; NaN if there is none of that name. */
static double
state_error(const bench *b, const char *wanted_name, const json_t *values)
{
    const char *name;
    p2p_vec value;

    for (size_t i = 0; p2p_compressor_state(b->compressor, i, &name, &value); i++)
        if (strcmp(name, wanted_name) == 0 && json_is_number(values) && value.dim == 1)
            return fabs(p2p_vec_get(p2p_view_of(value), 0) - json_number_value(values));
        else if (strcmp(name, wanted_name) == 0 && golden_numbers(values, b->shape.dim, b->wanted) == value.dim)
            return golden_error(value.dim, value.data, b->wanted);
    return NAN;
}

static const char *
try_round(const bench *b, const json_t *record, const p2p_env *env, double *worst)
{
    const json_t *values;
    const char *name;
    size_t len, frame_len;
    double error;

    if (p2p_compressor_encode(b->compressor, p2p_view_of(vec_of(b, b->x)), env, b->lean, b->cap, &len) != P2P_OK ||
        p2p_compressor_frame(b->compressor, env, b->lean, len, b->frame, b->cap, &frame_len) != P2P_OK ||
        p2p_compressor_decode(b->compressor, env, b->lean, len, vec_of(b, b->y)) != P2P_OK)
        return p2p_last_error();
    if (!golden_hex_is(text_of(record, "frame"), b->frame, frame_len))
        return "frame bytes differ";
    error = decoded_error(b, json_object_get(record, "decoded"));
    *worst = fmax(*worst, error);
    if (!(error <= 1e-9))
        return "decoded values differ";
    json_object_foreach(json_object_get(record, "state"), name, values)
    {
        error = state_error(b, name, values);
        *worst = fmax(*worst, error);
        if (!(error <= 1e-9))
            return "memory differs";
    }
    return NULL;
}

static void
run_sequence(const json_t *file, const char *path)
{
    json_t *inputs = golden_beside(path, "seq-inputs.json");
    const json_t *record, *x = json_array_get(json_array_get(inputs, 0), 0);
    const char *spec = text_of(file, "config"), *why = NULL;
    p2p_env env = env_of(file);
    double worst = 0;
    char name[256];
    size_t round;
    bench b;

    golden_name(name, sizeof name, path, -1);
    if (strncmp(spec, "method ", 7) == 0)
        golden_report(GOLDEN_SKIP, name, NAN, "%s", spec);
    else if (bench_open(&b, name, spec, json_array_size(x), P2P_F64, integer_of(file, "n"))) {
        json_array_foreach(json_object_get(file, "rounds"), round, record)
        {
            env.round = (uint32_t)round;
            if (!set_input(&b, json_array_get(json_array_get(inputs, round), 0)))
                why = "no such input";
            if (why == NULL)
                why = try_round(&b, record, &env, &worst);
        }
        if (why != NULL)
            golden_report(GOLDEN_FAIL, name, worst, "%s: %s", spec, why);
        else
            golden_report(GOLDEN_PASS, name, worst, NULL);
        bench_clear(&b);
    }
    json_decref(inputs);
}

/* Cases of several nodes that one message at node 1 stands for: the spec of a case, and its seed if it has its own.
 */
static int
single_message(const char *key, uint64_t *seed, char *spec, size_t cap)
{
    static const struct {
        const char *key, *spec;
        uint64_t seed;
    } known[] = { { "jl-rademacher", "jl:m=8", 0 },
                  { "jl-srht", "jl:m=8,kind=srht", 0 },
                  { "sketch-mean", "sketch:rows=3,cols=16,k=0", 3 },
                  { "induced topk:k=4 qsgd:levels=4", "induced(topk:k=4,qsgd:levels=4)", 0 },
                  { "layered qsgd:levels=4", "layers(qsgd:levels=4,sizes=10/15/15)", 0 },
                  { "induced sign randk:k=25%", "induced(sign,randk:k=25%)", 0 } };

    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(key, known[i].key) == 0) {
            snprintf(spec, cap, "%s", known[i].spec);
            *seed = known[i].seed > 0 ? known[i].seed : *seed;
            return 1;
        }
    if (strncmp(key, "scaled ", 7) != 0)
        return 0;
    snprintf(spec, cap, "scaled(%s)", key + 7);
    return 1;
}

/* A point-to-point sequence of a low-rank scheme at node 0: its vectors, to what factorisations agree in. */
static int
low_rank_sequence(const char *key, char *spec, size_t cap)
{
    static const struct {
        const char *key, *spec;
    } known[] = { { "power-point", "powersgd:rank=2,rows=5" },
                  { "power+-point", "powersgd+:rank=2,rows=5,tau=4" },
                  { "acp-point", "acpsgd:rank=2,rows=5" },
                  { "greedy-point", "greedylore:rank=2,rows=5,tau=4" },
                  { "svd", "lowrank:rank=2,rows=5" } };

    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(key, known[i].key) == 0) {
            snprintf(spec, cap, "%s", known[i].spec);
            return 1;
        }
    return 0;
}

static const char *
try_low_rank(const bench *b, const json_t *inputs, const json_t *rounds, p2p_env env, double *worst)
{
    const json_t *record;
    size_t round, len;

    json_array_foreach(rounds, round, record)
    {
        double error;

        env.round = (uint32_t)round;
        if (!set_input(b, json_array_get(json_array_get(inputs, round), 0)))
            return "no such input";
        if (p2p_compressor_encode(b->compressor, p2p_view_of(vec_of(b, b->x)), &env, b->lean, b->cap, &len) !=
                P2P_OK ||
            p2p_compressor_decode(b->compressor, &env, b->lean, len, vec_of(b, b->y)) != P2P_OK)
            return p2p_last_error();
        if (json_object_get(record, "frame") != NULL && strlen(text_of(record, "frame")) != 2 * len)
            return "the frame has another length";
        error = decoded_error(b, json_object_get(record, "out"));
        *worst = fmax(*worst, error);
        if (!(error <= 1e-9))
            return "decoded values differ";
    }
    return NULL;
}

/* Why the case fails, or NULL. */
static const char *
try_single(const bench *b, const json_t *c, const p2p_env *env, double *error)
{
    const json_t *decoded = json_is_array(c) ? c : json_object_get(c, "decoded");
    size_t len, frame_len;

    if (p2p_compressor_encode(b->compressor, p2p_view_of(vec_of(b, b->x)), env, b->lean, b->cap, &len) != P2P_OK ||
        p2p_compressor_frame(b->compressor, env, b->lean, len, b->frame, b->cap, &frame_len) != P2P_OK ||
        p2p_compressor_decode(b->compressor, env, b->lean, len, vec_of(b, b->y)) != P2P_OK)
        return p2p_last_error();
    if (json_object_get(c, "frame") != NULL && !golden_hex_is(text_of(c, "frame"), b->frame, frame_len))
        return "frame bytes differ";
    *error = decoded_error(b, decoded);
    return *error <= 1e-12 ? NULL : "decoded values differ";
}

static void
run_swarm(const json_t *file, const char *path)
{
    json_t *inputs = golden_beside(path, "seq-inputs.json");
    const json_t *c, *x = json_array_get(json_array_get(inputs, 0), 0);
    const char *key;

    json_object_foreach(json_object_get(file, "cases"), key, c)
    {
        p2p_env env = { integer_of(file, "seed"), 1, 0, 0, 1 };
        char name[256], spec[256];
        const char *why = "no such input";
        double error = NAN;
        bench b;

        snprintf(name, sizeof name, "swarm %s", key);
        if (low_rank_sequence(key, spec, sizeof spec)) {
            env.seed = integer_of(file, "lowrank_seed");
            error = 0;
            if (!bench_open(&b, name, spec, json_array_size(x), P2P_F64, 1))
                continue;
            why = try_low_rank(&b, inputs, c, env, &error);
            golden_report(why == NULL ? GOLDEN_PASS : GOLDEN_FAIL, name, error, "%s", why != NULL ? why : "");
            bench_clear(&b);
            continue;
        }
        if (golden_collective(key, c, inputs, file))
            continue;
        if (!single_message(key, &env.seed, spec, sizeof spec)) {
            golden_report(GOLDEN_SKIP, name, NAN, "has no memory in the sketch");
            continue;
        }
        if (!bench_open(&b, name, spec, json_array_size(x), P2P_F64, integer_of(file, "n")))
            continue;
        if (set_input(&b, x))
            why = try_single(&b, c, &env, &error);
        golden_report(why == NULL ? GOLDEN_PASS : GOLDEN_FAIL, name, error, "%s", why != NULL ? why : "");
        bench_clear(&b);
    }
    json_decref(inputs);
}

/* ---- what must be refused */

/* Whether the bytes are refused as the sender's fault, and nothing is written. */
static int
is_refused(const bench *b, const json_t *c)
{
    int framed = json_object_get(c, "frame") != NULL;
    p2p_env env = env_of(c);
    size_t len = golden_hex_read(text_of(c, framed ? "frame" : "lean"), b->frame, b->cap), lean_len;
    p2p_vec y = vec_of(b, b->y);

    p2p_vec_fill(y, 7);
    if (framed)
        return p2p_compressor_unframe(b->compressor, &env, b->frame, len, b->again, b->cap, &lean_len) == P2P_EPROTO;
    if (p2p_compressor_decode(b->compressor, &env, b->frame, len, y) != P2P_EPROTO)
        return 0;
    for (size_t i = 0; i < y.dim; i++)
        if (p2p_vec_get(p2p_view_of(y), i) != 7)
            return 0;
    return 1;
}

/* One line for all messages of a spec. */
static void
run_malformed(const json_t *file, const char *path)
{
    size_t start = 0, count = json_array_size(file);

    (void)path;
    while (start < count) {
        const char *spec = text_of(json_array_get(file, start), "spec"), *wrong = NULL;
        char name[256];
        size_t end = start, known;
        bench b;

        while (end < count && strcmp(text_of(json_array_get(file, end), "spec"), spec) == 0)
            end++;
        snprintf(name, sizeof name, "malformed %s", spec);
        known = (size_t)bench_open(&b, name, spec, integer_of(json_array_get(file, start), "d"), P2P_F64, 1);
        for (; known && start < end && wrong == NULL; start++)
            if (!is_refused(&b, json_array_get(file, start)))
                wrong = text_of(json_array_get(file, start), "why");
        if (known) {
            if (wrong != NULL)
                golden_report(GOLDEN_FAIL, name, NAN, "entry %zu is accepted; it has: %s", start - 1, wrong);
            else
                golden_report(GOLDEN_PASS, name, NAN, NULL);
            bench_clear(&b);
        }
        start = end;
    }
}

static void
run_refused(const json_t *file, const char *path)
{
    const json_t *c;
    size_t index;

    json_array_foreach(file, index, c)
    {
        p2p_env env = { 3, 1, 2, 0, 1 };
        size_t at = integer_of(c, "at"), len;
        const char *value = text_of(c, "value");
        char name[256];
        bench b;

        golden_name(name, sizeof name, path, (long)index);
        if (!bench_open(&b, name, text_of(c, "spec"), 40, P2P_F64, 1))
            continue;
        p2p_vec_fill(vec_of(&b, b.x), 1);
        p2p_vec_set(vec_of(&b, b.x), at, strtod(value, NULL));
        if (p2p_compressor_encode(b.compressor, p2p_view_of(vec_of(&b, b.x)), &env, b.lean, b.cap, &len) ==
                P2P_EINVAL &&
            strstr(p2p_last_error(), text_of(c, "error")) != NULL)
            golden_report(GOLDEN_PASS, name, NAN, NULL);
        else
            golden_report(GOLDEN_FAIL, name, NAN, "%s of %s", text_of(c, "spec"), value);
        bench_clear(&b);
    }
}

/* ---- dispatch */

typedef void run_fn(const json_t *file, const char *path);

static void
run_nothing(const json_t *file, const char *path)
{
    (void)file;
    (void)path;
}

static run_fn *
runner_of(const char *path, const json_t *file)
{
    const json_t *first = json_array_get(file, 0);
    char name[256];

    golden_name(name, sizeof name, path, -1);
    if (strcmp(name, "inputs") == 0 || strcmp(name, "seq-inputs") == 0)
        return run_nothing;
    if (json_object_get(first, "input") != NULL && json_object_get(first, "lean") != NULL)
        return run_plain;
    if (json_object_get(first, "why") != NULL)
        return run_malformed;
    if (json_object_get(first, "at") != NULL && json_object_get(first, "spec") != NULL)
        return run_refused;
    if (strncmp(text_of(file, "x"), "seq-inputs.json", 15) == 0)
        return json_object_get(file, "cases") != NULL ? run_swarm : run_sequence;
    return NULL;
}

static int
accepts(const char *path, const json_t *file)
{
    return runner_of(path, file) != NULL;
}

static void
run(const char *path, const json_t *file)
{
    runner_of(path, file)(file, path);
}

const golden_kind golden_compressors = { "compressors", accepts, run };
