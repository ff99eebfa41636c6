/* p2popt topology: makes, converts, checks, describes and draws topologies. */
#include "command.h"
#include "topology_draw.h"
#include "topology_liars.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    OPTION_SEED = 256,
    OPTION_MIXING,
    OPTION_LARGEST,
    OPTION_FORMAT,
    OPTION_ENGINE,
    OPTION_JSON,
    OPTION_BYZANTINE
};
enum { LIARS_MOST = 64 };

/* Which options a verb takes. */
enum {
    TAKES_NODES = 1, /* and --seed */
    TAKES_MIXING = 2,
    TAKES_LARGEST = 4,
    TAKES_FORMAT = 8,
    TAKES_OUTPUT = 16,
    TAKES_ENGINE = 32,
    TAKES_JSON = 64,
    TAKES_BYZANTINE = 128
};

typedef struct {
    size_t nodes, liars;
    uint64_t seed;
    const char *mixing, *format, *output, *engine;
    int largest, as_json;
} arguments;

/* What a verb does with one operand. */
typedef int verb_action(const arguments *a, const char *operand);

typedef struct {
    const char *name;
    unsigned takes;
    int many; /* any number of operands, else one */
    verb_action *action;
} verb;

static int
fail(p2p_status status)
{
    return command_failure(&topology_command, status);
}

/* ---- make, convert */

typedef enum { AS_EDGES, AS_PLAIN, AS_DOT, AS_GRAPHML, AS_NPY, FORMATS } file_format;

static const struct {
    const char *name, *ending, *other_ending;
} formats[FORMATS] = {
    [AS_EDGES] = { "edges", ".edges", ".txt" }, [AS_PLAIN] = { "plain", NULL, NULL },
    [AS_DOT] = { "dot", ".dot", ".gv" },        [AS_GRAPHML] = { "graphml", ".graphml", ".xml" },
    [AS_NPY] = { "npy", ".npy", NULL },
};

static int
ends_with(const char *text, const char *ending)
{
    size_t n = strlen(text), m = ending ? strlen(ending) : 0;

    return m > 0 && n >= m && strcmp(text + n - m, ending) == 0;
}

/* The format asked for, else that of the output's ending, else an edge list. FORMATS: there is no such format. */
static file_format
format_of(const arguments *a)
{
    file_format f = AS_EDGES;

    if (a->format != NULL) {
        while (f < FORMATS && strcmp(a->format, formats[f].name) != 0)
            f++;
        return f;
    }
    for (; a->output != NULL && f < FORMATS; f++)
        if (ends_with(a->output, formats[f].ending) || ends_with(a->output, formats[f].other_ending))
            return f;
    return AS_EDGES;
}

/* Row i of W, of round 0 where rounds differ. */
static p2p_status
fill_row(const p2p_topology *t, size_t i, double *row)
{
    p2p_neighbourhood here = p2p_topology_at(t, i);
    double *weights = calloc(here.degree + 1, sizeof *weights);
    unsigned char *sends = calloc(here.degree + 1, 1);
    p2p_status st = P2P_OK;

    if (weights == NULL || sends == NULL)
        st = p2p_fail(P2P_ENOMEM, "no memory for a row of %zu weights", here.degree);
    else {
        p2p_topology_round(t, i, 0, &row[i], weights, sends);
        for (size_t k = 0; k < here.degree; k++)
            row[here.peers[k]] = weights[k];
    }
    free(weights);
    free(sends);
    return st;
}

/* W as a dense matrix. */
static p2p_status
write_matrix(const p2p_topology *t, const char *path)
{
    size_t n = p2p_topology_size(t);
    p2p_array w = { .rows = n, .cols = n, .axes = 2, .type = P2P_F64 };
    double *entries;
    p2p_status st;

    if ((w.data = entries = calloc(n * n, sizeof *entries)) == NULL)
        return p2p_fail(P2P_ENOMEM, "%s: no memory for %zu x %zu entries", path, n, n);
    st = P2P_OK;
    for (size_t i = 0; i < n && st == P2P_OK; i++)
        st = fill_row(t, i, entries + i * n);
    if (st == P2P_OK)
        st = p2p_array_write(&w, path);
    p2p_array_clear(&w);
    return st;
}

static int
write_topology(const p2p_topology *t, const arguments *a)
{
    static const p2p_topology_format library[] = { [AS_EDGES] = P2P_TOPOLOGY_EDGES,
                                                   [AS_PLAIN] = P2P_TOPOLOGY_PLAIN,
                                                   [AS_DOT] = P2P_TOPOLOGY_DOT,
                                                   [AS_GRAPHML] = P2P_TOPOLOGY_GRAPHML };
    file_format format = format_of(a);
    p2p_status st;

    if (format == AS_NPY && a->output == NULL)
        return command_usage_error(&topology_command, "--format npy: expected --output FILE beside it");
    if (a->output == NULL) {
        p2p_topology_print(t, library[format], stdout);
        return command_flush(&topology_command);
    }
    st = format == AS_NPY ? write_matrix(t, a->output) : p2p_topology_write(t, library[format], a->output);
    return st == P2P_OK ? EXIT_OK : fail(st);
}

static int
make(const arguments *a, const char *spec)
{
    p2p_topology *t;
    p2p_status st = p2p_topology_new(&t, spec, a->mixing, a->nodes, a->seed);
    int status;

    if (st != P2P_OK)
        return fail(st);
    status = write_topology(t, a);
    p2p_topology_destroy(&t);
    return status;
}

static int
convert(const arguments *a, const char *path)
{
    p2p_topology *t;
    p2p_status st = p2p_topology_read(&t, path, a->mixing, a->largest);
    int status;

    if (st != P2P_OK)
        return fail(st);
    if (p2p_topology_notice(t)[0] != '\0')
        fprintf(stderr, "p2popt topology: %s: %s\n", path, p2p_topology_notice(t));
    status = write_topology(t, a);
    p2p_topology_destroy(&t);
    return status;
}

/* ---- check */

static int
check(const arguments *a, const char *path)
{
    p2p_topology *t;
    const char *notice;
    p2p_status status;
    int bears = 1;

    if (p2p_topology_read(&t, path, a->mixing, a->largest) != P2P_OK) {
        fprintf(stderr, "p2popt topology: %s\n", p2p_last_error());
        return EXIT_RUN;
    }
    notice = p2p_topology_notice(t);
    printf("%s: correct: nodes %zu, edges %zu, mixing %s%s%s\n", path, p2p_topology_size(t), p2p_topology_edges(t),
           p2p_topology_mixing(t), notice[0] ? "; " : "", notice);
    if (a->liars > 0 && (status = liars_check(t, a->liars, &bears)) != P2P_OK) {
        command_failure(&topology_command, status);
        bears = 0;
    }
    p2p_topology_destroy(&t);
    return command_flush(&topology_command) != EXIT_OK || !bears ? EXIT_RUN : EXIT_OK;
}

/* ---- describe */

/* Largest modulus of the eigenvalues other than the 1 of the constant vector; of a schedule its long-run factor. */
static double
modulus(const p2p_topology *t, const p2p_topology_figures *f)
{
    return p2p_topology_traits(t) ? f->lambda_2 : fmax(fabs(f->lambda_2), fabs(f->lambda_n));
}

/* What kind of rounds a topology has; "" for one graph and one W. */
static const char *
rounds_of(const p2p_topology *t)
{
    unsigned traits = p2p_topology_traits(t);

    if (traits & P2P_TOPOLOGY_PUSH)
        return "directed";
    if (traits & P2P_TOPOLOGY_PAIRS)
        return traits & P2P_TOPOLOGY_DIRECTED ? "changing, one peer each way" : "changing, one peer";
    return traits & P2P_TOPOLOGY_VARIES ? "changing" : "";
}

static void
print_spectrum(const p2p_topology *t, const p2p_topology_figures *f)
{
    if (p2p_topology_traits(t)) {
        printf("rounds     %s\n", rounds_of(t));
        printf("factor     %.12g of disagreement is left by a round%s\n", f->lambda_2,
               f->lambda_2 == 0 ? ": some rounds together average exactly" : "");
        printf("gap        %.12g\n", f->gap);
        printf("beta       at most %.12g\n", f->beta);
        return;
    }
    printf("lambda_2   %.12g\n", f->lambda_2);
    printf("lambda_n   %.12g\n", f->lambda_n);
    printf("gap        %.12g\n", f->gap);
    printf("beta       %.12g\n", f->beta);
    printf("modulus    %.12g\n", modulus(t, f));
}

static void
print_figures(const p2p_topology *t, const p2p_topology_figures *f)
{
    printf("topology   %s\n", p2p_topology_spec(t));
    printf("mixing     %s\n", p2p_topology_mixing(t));
    printf("nodes      %zu\n", f->nodes);
    printf("edges      %zu\n", f->edges);
    printf("degree     %zu to %zu, mean %.6g\n", f->degree_min, f->degree_max, f->degree_mean);
    printf("diameter   %s%zu\n", f->diameter_exact ? "" : "at most ", f->diameter);
    print_spectrum(t, f);
    printf("hash       %016" PRIx64 "\n", p2p_topology_hash(t));
    if (p2p_topology_notice(t)[0] != '\0')
        printf("notice     %s\n", p2p_topology_notice(t));
}

static void
print_json(const p2p_topology *t, const p2p_topology_figures *f)
{
    char hash[24];
    json_t *object;

    snprintf(hash, sizeof hash, "%016" PRIx64, p2p_topology_hash(t));
    object = json_pack("{s:s, s:s, s:I, s:I, s:I, s:I, s:f, s:I, s:b, s:f, s:f, s:f, s:f, s:f, s:s, s:s, s:s}",
                       "topology", p2p_topology_spec(t), "mixing", p2p_topology_mixing(t), "nodes",
                       (json_int_t)f->nodes, "edges", (json_int_t)f->edges, "degree_min", (json_int_t)f->degree_min,
                       "degree_max", (json_int_t)f->degree_max, "degree_mean", f->degree_mean, "diameter",
                       (json_int_t)f->diameter, "diameter_exact", f->diameter_exact, "lambda_2", f->lambda_2,
                       "lambda_n", f->lambda_n, "gap", f->gap, "beta", f->beta, "modulus", modulus(t, f), "hash",
                       hash, "notice", p2p_topology_notice(t), "rounds", rounds_of(t));
    json_dumpf(object, stdout, JSON_COMPACT);
    putchar('\n');
    json_decref(object);
}

static int
describe(const arguments *a, const char *spec)
{
    p2p_topology_figures figures;
    p2p_topology *t;
    p2p_status st = p2p_topology_new(&t, spec, a->mixing, a->nodes, a->seed);

    if (st == P2P_OK && (st = p2p_topology_measure(t, &figures)) == P2P_OK)
        (a->as_json ? print_json : print_figures)(t, &figures);
    p2p_topology_destroy(&t);
    return st == P2P_OK ? command_flush(&topology_command) : fail(st);
}

/* ---- draw */

/* Springs look best, but cost the square of the nodes. */
static const char *
default_engine(const p2p_topology *t)
{
    return p2p_topology_size(t) <= 200 ? "neato" : "sfdp";
}

static int
draw(const arguments *a, const char *spec)
{
    p2p_topology *t;
    p2p_status st;

    if (a->output == NULL)
        return command_usage_error(&topology_command, "draw: expected --output FILE.svg, .png or .pdf");
    if ((st = p2p_topology_new(&t, spec, a->mixing, a->nodes, a->seed)) == P2P_OK)
        st = topology_draw(t, a->engine ? a->engine : default_engine(t), a->output);
    p2p_topology_destroy(&t);
    return st == P2P_OK ? EXIT_OK : fail(st);
}

/* ---- the command */

static const verb verbs[] = {
    { "make", TAKES_NODES | TAKES_MIXING | TAKES_FORMAT | TAKES_OUTPUT, 0, make },
    { "convert", TAKES_MIXING | TAKES_LARGEST | TAKES_FORMAT | TAKES_OUTPUT, 0, convert },
    { "check", TAKES_MIXING | TAKES_LARGEST | TAKES_BYZANTINE, 1, check },
    { "describe", TAKES_NODES | TAKES_MIXING | TAKES_JSON, 0, describe },
    { "draw", TAKES_NODES | TAKES_MIXING | TAKES_OUTPUT | TAKES_ENGINE, 0, draw },
};

static const command_option options[] = {
    { "nodes", 'n', "N", "make, describe, draw: number of nodes [from the spec]" },
    { "seed", OPTION_SEED, "S", "make, describe, draw: of random graphs [1]" },
    { "mixing", OPTION_MIXING, "SPEC", "rule of the mixing matrix, or file:PATH [auto]" },
    { "largest", OPTION_LARGEST, NULL, "convert, check: keep the largest component only" },
    { "format", OPTION_FORMAT, "NAME", "make, convert: edges, plain, dot, graphml or npy [by the ending of FILE]" },
    { "output", 'o', "FILE", "make, convert: where to write [standard output]; draw: FILE.svg, .png or .pdf" },
    { "engine", OPTION_ENGINE, "NAME", "draw: dot, neato, fdp, sfdp, circo or twopi [neato; sfdp above 200 nodes]" },
    { "byzantine", OPTION_BYZANTINE, "F", "check: what F liars, wherever they are, can do to it" },
    { "json", OPTION_JSON, NULL, "describe: print one JSON object" },
    { NULL, 0, NULL, NULL }
};

static const verb *
find_verb(const char *name)
{
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++)
        if (strcmp(verbs[i].name, name) == 0)
            return &verbs[i];
    exit(command_usage_error(&topology_command, "%s: expected make, convert, check, describe or draw", name));
}

/* The TAKES_ bit of an option. */
static unsigned
takes_of(int letter)
{
    switch (letter) {
    case 'n':
    case OPTION_SEED:
        return TAKES_NODES;
    case OPTION_MIXING:
        return TAKES_MIXING;
    case OPTION_LARGEST:
        return TAKES_LARGEST;
    case OPTION_FORMAT:
        return TAKES_FORMAT;
    case 'o':
        return TAKES_OUTPUT;
    case OPTION_ENGINE:
        return TAKES_ENGINE;
    case OPTION_BYZANTINE:
        return TAKES_BYZANTINE;
    default:
        return TAKES_JSON;
    }
}

static const char *
checked_engine(const char *name)
{
    for (const char *const *e = topology_draw_engines; *e != NULL; e++)
        if (strcmp(*e, name) == 0)
            return *e;
    exit(command_usage_error(&topology_command, "--engine %s: expected dot, neato, fdp, sfdp, circo or twopi", name));
}

static void
take(arguments *a, int letter)
{
    switch (letter) {
    case 'n':
        a->nodes = (size_t)command_integer(&topology_command, "nodes", optarg, 1, P2P_TOPOLOGY_NODES_MAX);
        break;
    case OPTION_SEED:
        a->seed = (uint64_t)command_integer(&topology_command, "seed", optarg, 0, INT64_MAX);
        break;
    case OPTION_MIXING:
        a->mixing = optarg;
        break;
    case OPTION_LARGEST:
        a->largest = 1;
        break;
    case OPTION_BYZANTINE:
        a->liars = (size_t)command_integer(&topology_command, "byzantine", optarg, 1, LIARS_MOST);
        break;
    case OPTION_FORMAT:
        a->format = optarg;
        if (format_of(a) == FORMATS)
            exit(command_usage_error(&topology_command, "--format %s: expected edges, plain, dot, graphml or npy",
                                     optarg));
        break;
    case 'o':
        a->output = optarg;
        break;
    case OPTION_ENGINE:
        a->engine = checked_engine(optarg);
        break;
    case OPTION_JSON:
        a->as_json = 1;
        break;
    }
}

/* Nothing that was given may be without effect. `given` has bit i for option i of the table. */
static void
refuse_others(const verb *v, unsigned given)
{
    for (size_t i = 0; options[i].name != NULL; i++)
        if ((given >> i & 1) != 0 && (takes_of(options[i].letter) & v->takes) == 0)
            exit(command_usage_error(&topology_command, "%s: takes no --%s", v->name, options[i].name));
}

static int
run(int argc, char **argv)
{
    arguments a = { .seed = 1 };
    int letter, status = EXIT_OK, result;
    unsigned given = 0;
    const verb *v;

    while ((letter = command_next_option(&topology_command, argc, argv)) != -1) {
        take(&a, letter);
        for (size_t i = 0; options[i].name != NULL; i++)
            given |= (unsigned)(options[i].letter == letter) << i;
    }
    if (optind == argc)
        return command_usage_error(&topology_command, "expected make, convert, check, describe or draw");
    v = find_verb(argv[optind++]);
    refuse_others(v, given);
    if (optind == argc || (!v->many && optind + 1 != argc))
        return command_usage_error(&topology_command, "%s: expected %s, found %d operands", v->name,
                                   v->many                  ? "at least one FILE"
                                   : v->takes & TAKES_NODES ? "one SPEC"
                                                            : "one FILE",
                                   argc - optind);
    for (; optind < argc; optind++)
        if ((result = v->action(&a, argv[optind])) != EXIT_OK)
            status = result;
    return status;
}

const command topology_command = { "topology", "make, convert, check, describe or draw a topology",
                                   "make|describe|draw [OPTION]... SPEC\n"
                                   "       p2popt topology convert|check [OPTION]... FILE",
                                   options, run };
