/* p2popt compress: what compressors do to a vector, and vectors to frames and back. */
#include "command.h"
#include "compress_measure.h"
#include "compress_report.h"
#include "compress_vector.h"
#include "frame_file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    OPTION_VECTOR = 256,
    OPTION_GENERATE,
    OPTION_DIM,
    OPTION_DTYPE,
    OPTION_SEED,
    OPTION_NODE,
    OPTION_NODES,
    OPTION_ROUND,
    OPTION_SCALE,
    OPTION_DRAWS,
    OPTION_SECONDS,
    OPTION_COMPARE,
    OPTION_ENCODE,
    OPTION_DECODE,
    OPTION_JSON
};

/* What the command is asked to do. */
enum { MEASURE = 1, ENCODE = 2, DECODE = 4, ALL = 7 };

typedef struct {
    unsigned mode;
    const char *spec, *encode, *decode, *output;
    int compare, as_json;
    compress_source source;
    compress_setting setting;
} arguments;

static const char *
mode_name(unsigned mode)
{
    return mode == ENCODE ? "encode" : "decode";
}

static int
fail(p2p_status status)
{
    return command_failure(&compress_command, status);
}

/* ---- measuring */

/* Whether a compressor of the list takes the round's scale, so that --scale has a meaning. */
static int
takes_scale(const compress_figures *f, size_t count)
{
    unsigned traits = 0;

    for (size_t i = 0; i < count; i++)
        traits |= f[i].constants.traits;
    return (traits & (P2P_ABSOLUTE | P2P_ADDITIVE)) != 0;
}

static int
measure(const arguments *a, p2p_view x, char **specs, size_t count)
{
    compress_subject subject = { a->source.path ? a->source.path : a->source.generate, x };
    compress_figures *figures = calloc(count, sizeof *figures);
    p2p_status st = P2P_OK;
    int kept = 1;

    if (figures == NULL)
        return fail(p2p_fail(P2P_ENOMEM, "no memory for %zu compressors", count));
    for (size_t i = 0; i < count && st == P2P_OK; i++) {
        st = compress_measure(&figures[i], specs[i], x, &a->setting);
        kept &= compress_verdict(&figures[i]) != 0;
    }
    if (st == P2P_OK && a->setting.env.scale != 0 && !takes_scale(figures, count))
        st = p2p_fail(P2P_EINVAL, "--scale: expected a compressor that takes the round's scale, such as binary");
    if (st == P2P_OK) {
        if (a->as_json)
            compress_print_json(figures, count, &subject);
        else if (a->compare)
            compress_print_table(figures, count, &subject);
        else
            compress_print(figures, &subject);
    }
    free(figures);
    if (st != P2P_OK)
        return fail(st);
    return command_flush(&compress_command) != EXIT_OK || !kept ? EXIT_RUN : EXIT_OK;
}

/* ---- frames */

static p2p_status
open_compressor(p2p_compressor **out, const arguments *a, size_t dim, p2p_dtype type)
{
    p2p_shape shape = { dim, type, a->setting.nodes };

    return p2p_compressor_new(out, a->spec, &shape);
}

/* Encoders and decoders must agree on a scale that does not travel: here it is 1 unless given. */
static p2p_env
env_of(const arguments *a)
{
    p2p_env env = a->setting.env;

    env.scale = env.scale == 0 ? 1 : env.scale;
    return env;
}

static p2p_status
write_frame(p2p_compressor *c, const arguments *a, p2p_view x)
{
    const p2p_env env = env_of(a);
    size_t cap = p2p_compressor_bound(c) + P2P_FRAME_EXTRA, len, frame_len;
    uint8_t *lean = malloc(cap), *frame = malloc(cap);
    p2p_status st = P2P_OK;

    if (lean == NULL || frame == NULL)
        st = p2p_fail(P2P_ENOMEM, "no memory for a frame of %zu bytes", cap);
    if (st == P2P_OK && (st = p2p_compressor_encode(c, x, &env, lean, cap, &len)) == P2P_OK &&
        (st = p2p_compressor_frame(c, &env, lean, len, frame, cap, &frame_len)) == P2P_OK &&
        (st = frame_file_write(a->encode, frame, frame_len)) == P2P_OK)
        printf("%s: %zu entries of %s in %zu bytes\n", a->encode, x.dim, p2p_dtype_name(x.type), frame_len);
    free(lean);
    free(frame);
    return st;
}

static int
encode(const arguments *a, p2p_view x)
{
    p2p_compressor *c = NULL;
    p2p_status st = open_compressor(&c, a, x.dim, x.type);

    if (st == P2P_OK)
        st = write_frame(c, a, x);
    p2p_compressor_destroy(&c);
    return st == P2P_OK ? command_flush(&compress_command) : fail(st);
}

static p2p_status
write_vector(p2p_compressor *c, const arguments *a, const uint8_t *frame, size_t len, size_t dim, p2p_dtype type)
{
    const p2p_env env = env_of(a);
    p2p_array y = { malloc(dim * p2p_dtype_size(type)), dim, 1, 1, type };
    uint8_t *lean = malloc(len);
    size_t lean_len;
    p2p_status st = P2P_OK;

    if (y.data == NULL || lean == NULL)
        st = p2p_fail(P2P_ENOMEM, "no memory for a vector of %zu entries", dim);
    if (st == P2P_OK && (st = p2p_compressor_unframe(c, &env, frame, len, lean, len, &lean_len)) == P2P_OK &&
        (st = p2p_compressor_decode(c, &env, lean, lean_len, (p2p_vec){ y.data, dim, type })) == P2P_OK)
        st = p2p_array_write(&y, a->output);
    free(lean);
    p2p_array_clear(&y);
    return st;
}

static int
decode(const arguments *a)
{
    p2p_compressor *c = NULL;
    uint8_t *frame;
    size_t len, dim;
    p2p_dtype type;
    p2p_status st = frame_file_read(a->decode, &frame, &len);

    if (st == P2P_OK && (st = frame_file_shape(a->decode, frame, len, &dim, &type)) == P2P_OK &&
        (st = open_compressor(&c, a, dim, type)) == P2P_OK)
        st = write_vector(c, a, frame, len, dim, type);
    p2p_compressor_destroy(&c);
    free(frame);
    return st == P2P_OK ? EXIT_OK : fail(st);
}

/* ---- the command */

static const command_option options[] = {
    { "compressor", 'c', "SPEC", "the compressor, see p2popt-compressors(7)" },
    { "compare", OPTION_COMPARE, NULL, "print a table of the compressors SPEC..." },
    { "vector", OPTION_VECTOR, "FILE", "the vector, a .npy file [generated]" },
    { "generate", OPTION_GENERATE, "KIND", "gauss, heavy, sparse or equal [gauss]" },
    { "dim", OPTION_DIM, "N", "entries of a generated vector [100000]" },
    { "dtype", OPTION_DTYPE, "TYPE", "f32 or f64 [that of the file; f64]" },
    { "seed", OPTION_SEED, "S", "of random numbers [1]" },
    { "node", OPTION_NODE, "I", "number of the sender [0]" },
    { "nodes", OPTION_NODES, "N", "nodes of the swarm [1]" },
    { "round", OPTION_ROUND, "K", "round of the first message [0]" },
    { "scale", OPTION_SCALE, "S", "the round's scale [max|x|; 1 for frames]" },
    { "draws", OPTION_DRAWS, "N", "messages of a random compressor [100]" },
    { "seconds", OPTION_SECONDS, "T", "of each timing; 0: none [0.2]" },
    { "encode", OPTION_ENCODE, "FILE", "write the vector's frame instead" },
    { "decode", OPTION_DECODE, "FILE", "read a frame instead, and write what it decodes to" },
    { "output", 'o', "FILE", "where --decode writes, a .npy file" },
    { "json", OPTION_JSON, NULL, "print one JSON object" },
    { NULL, 0, NULL, NULL }
};

/* The modes that an option means something to. */
static unsigned
modes_of(int letter)
{
    switch (letter) {
    case OPTION_VECTOR:
    case OPTION_GENERATE:
    case OPTION_DIM:
    case OPTION_DTYPE: return MEASURE | ENCODE;
    case OPTION_DRAWS:
    case OPTION_SECONDS:
    case OPTION_COMPARE:
    case OPTION_JSON: return MEASURE;
    case OPTION_ENCODE: return ENCODE;
    case OPTION_DECODE:
    case 'o': return DECODE;
    default: return ALL;
    }
}

static const char *
checked_kind(const char *kind)
{
    for (const char *const *k = compress_vector_kinds; *k != NULL; k++)
        if (strcmp(*k, kind) == 0)
            return *k;
    exit(command_usage_error(&compress_command, "--generate %s: expected gauss, heavy, sparse or equal", kind));
}

static int
checked_type(const char *name)
{
    if (strcmp(name, "f32") != 0 && strcmp(name, "f64") != 0)
        exit(command_usage_error(&compress_command, "--dtype %s: expected f32 or f64", name));
    return strcmp(name, "f32") == 0 ? P2P_F32 : P2P_F64;
}

static double
checked_scale(const char *text)
{
    double scale = command_number(&compress_command, "scale", text, 0, 1e300);

    if (scale == 0)
        exit(command_usage_error(&compress_command, "--scale %s: expected a number above 0", text));
    return scale;
}

static long long
integer(const char *name, long long low, long long high)
{
    return command_integer(&compress_command, name, optarg, low, high);
}

static void
take(arguments *a, int letter)
{
    switch (letter) {
    case 'c': a->spec = optarg; break;
    case 'o': a->output = optarg; break;
    case OPTION_COMPARE: a->compare = 1; break;
    case OPTION_VECTOR: a->source.path = optarg; break;
    case OPTION_GENERATE: a->source.generate = checked_kind(optarg); break;
    case OPTION_DIM: a->source.dim = (size_t)integer("dim", 1, UINT32_MAX); break;
    case OPTION_DTYPE: a->source.type = checked_type(optarg); break;
    case OPTION_SEED: a->source.seed = a->setting.env.seed = (uint64_t)integer("seed", 0, INT64_MAX); break;
    case OPTION_NODE: a->setting.env.node = (uint32_t)integer("node", 0, UINT32_MAX - 1); break;
    case OPTION_NODES: a->setting.nodes = (size_t)integer("nodes", 1, UINT32_MAX - 1); break;
    case OPTION_ROUND: a->setting.env.round = (uint32_t)integer("round", 0, UINT32_MAX); break;
    case OPTION_SCALE: a->setting.env.scale = checked_scale(optarg); break;
    case OPTION_DRAWS: a->setting.draws = (size_t)integer("draws", 1, 1000000000); break;
    case OPTION_SECONDS:
        a->setting.seconds = command_number(&compress_command, "seconds", optarg, 0, 3600);
        break;
    case OPTION_ENCODE: a->encode = optarg; break;
    case OPTION_DECODE: a->decode = optarg; break;
    case OPTION_JSON: a->as_json = 1; break;
    }
}

/* Nothing that was given may be without effect. `given` has bit i for option i of the table. */
static void
refuse_others(const arguments *a, unsigned given)
{
    for (size_t i = 0; options[i].name != NULL; i++)
        if ((given >> i & 1) != 0 && (modes_of(options[i].letter) & a->mode) == 0) {
            if (a->mode == MEASURE)
                exit(command_usage_error(&compress_command, "--%s: expected --decode FILE beside it", options[i].name));
            exit(command_usage_error(&compress_command, "--%s: takes no --%s", mode_name(a->mode), options[i].name));
        }
}

static int
given_option(unsigned given, int letter)
{
    for (size_t i = 0; options[i].name != NULL; i++)
        if (options[i].letter == letter)
            return given >> i & 1;
    return 0;
}

/* What must go together, or must not. */
static int
check_arguments(const arguments *a, unsigned given, int operands)
{
    if (a->encode != NULL && a->decode != NULL)
        return command_usage_error(&compress_command, "--encode, --decode: expected one of them");
    refuse_others(a, given);
    if (a->compare ? a->spec != NULL || operands < 1 : a->spec == NULL || operands > 0)
        return command_usage_error(&compress_command, "expected --compressor SPEC, or --compare and SPEC...");
    if (a->source.path != NULL && (given_option(given, OPTION_GENERATE) || given_option(given, OPTION_DIM)))
        return command_usage_error(&compress_command, "--vector: takes no --generate and no --dim");
    if (a->mode == DECODE && a->output == NULL)
        return command_usage_error(&compress_command, "--decode: expected --output FILE beside it");
    return EXIT_OK;
}

static int
run(int argc, char **argv)
{
    arguments a = { .source = { .generate = "gauss", .dim = 100000, .seed = 1, .type = -1 },
                    .setting = { .draws = 100, .seconds = 0.2, .env = { .seed = 1 }, .nodes = 1 } };
    p2p_array vector;
    int letter, status;
    unsigned given = 0;
    char **specs;
    p2p_status st;

    while ((letter = command_next_option(&compress_command, argc, argv)) != -1) {
        take(&a, letter);
        for (size_t i = 0; options[i].name != NULL; i++)
            given |= (unsigned)(options[i].letter == letter) << i;
    }
    a.mode = a.decode != NULL ? DECODE : a.encode != NULL ? ENCODE : MEASURE;
    if ((status = check_arguments(&a, given, argc - optind)) != EXIT_OK)
        return status;
    if (a.mode == DECODE)
        return decode(&a);
    if ((st = compress_vector(&vector, &a.source)) != P2P_OK)
        return fail(st);
    specs = a.compare ? argv + optind : (char **)&a.spec;
    status = a.mode == ENCODE ? encode(&a, compress_view(&vector))
                              : measure(&a, compress_view(&vector), specs, a.compare ? (size_t)(argc - optind) : 1);
    p2p_array_clear(&vector);
    return status;
}

const command compress_command = { "compress", "measure compressors on a vector, or write and read frames",
                                   "[OPTION]... --compressor SPEC\n"
                                   "       p2popt compress --compare [OPTION]... SPEC...",
                                   options, run };
