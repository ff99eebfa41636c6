/* p2popt solve: the known optimum of a problem, without any network. */
#include "command.h"
#include "equilibrium.h"
#include "optimum.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OPTION_SHARD = 256, OPTION_SEED, OPTION_JSON, OPTION_CHECK };

static const command_option options[] = {
    { "problem", 'p', "SPEC", "what to solve, such as logistic:lambda=1e-3; p2popt list problems tells all" },
    { "data", 'd', "FILE", "data set: FILE.svm[.gz], FILE.csv[.gz], FILE.npy or sample:NAME" },
    { "nodes", 'n', "N", "solve the mean over N shards, one vote a node (default 1: the pooled data)" },
    { "shard", OPTION_SHARD, "RULE", "contiguous, shuffled:seed=1, by-label or dirichlet:alpha=0.5,seed=1" },
    { "seed", OPTION_SEED, "S", "seed of problems that draw their own data (default 1)" },
    { "output", 'o', "FILE", "write the solution as FILE (.npy)" },
    { "check-gradient", OPTION_CHECK, NULL, "compare the gradient with finite differences instead of solving" },
    { "json", OPTION_JSON, NULL, "print one JSON object" },
    { NULL, 0, NULL, NULL },
};

static int run(int argc, char **argv);

const command solve_command = {
    .name = "solve",
    .summary = "Solve a problem on one machine, to machine precision",
    .usage = "--problem SPEC [--data FILE] [OPTION]...",
    .options = options,
    .run = run,
};

/* What was asked for. */
typedef struct {
    const char *problem, *data, *shard, *output;
    size_t nodes;
    uint64_t seed;
    int json, check;
} request;

/* A problem per node, on its shard, and what is found. */
typedef struct {
    p2p_data *whole, **shards;
    p2p_problem **parts;
    size_t count, dim;
    double *x, *g, *work;
    double value, smoothness, convexity, accuracy; /* NaN: none */
    double residual;                               /* |x - prox(x - g)| */
    double seconds;
} solution;

static request
read_request(int argc, char **argv)
{
    request r = { .nodes = 1, .seed = 1 };
    int letter;

    while ((letter = command_next_option(&solve_command, argc, argv)) != -1)
        switch (letter) {
        case 'p':
            r.problem = optarg;
            break;
        case 'd':
            r.data = optarg;
            break;
        case 'n':
            r.nodes = (size_t)command_integer(&solve_command, "nodes", optarg, 1, 1000000);
            break;
        case 'o':
            r.output = optarg;
            break;
        case OPTION_SHARD:
            r.shard = optarg;
            break;
        case OPTION_SEED:
            r.seed = (uint64_t)command_integer(&solve_command, "seed", optarg, 0, INT64_MAX);
            break;
        case OPTION_JSON:
            r.json = 1;
            break;
        case OPTION_CHECK:
            r.check = 1;
            break;
        }
    command_no_operands(&solve_command, argc, argv);
    if (r.shard != NULL && r.data == NULL)
        exit(command_usage_error(&solve_command, "--shard %s: needs --data", r.shard));
    if (r.problem == NULL)
        exit(command_usage_error(&solve_command, "--problem is missing"));
    return r;
}

/* ---- problems */

static p2p_status
open_parts(solution *s, const request *r)
{
    p2p_status st = P2P_OK;

    s->count = r->nodes;
    s->shards = calloc(s->count, sizeof *s->shards);
    s->parts = calloc(s->count, sizeof *s->parts);
    if (s->shards == NULL || s->parts == NULL)
        return p2p_fail(P2P_ENOMEM, "no memory for %zu nodes", s->count);
    if (r->data != NULL && ((st = p2p_data_read(&s->whole, r->data, NULL)) != P2P_OK ||
                            (st = p2p_data_split(s->whole, r->shard, s->count, s->shards)) != P2P_OK))
        return st;
    for (size_t i = 0; i < s->count && st == P2P_OK; i++)
        st = p2p_problem_new(&s->parts[i], r->problem, s->shards[i], P2P_F64, i, s->count, r->seed);
    if (st != P2P_OK)
        return st;
    s->dim = p2p_problem_dim(s->parts[0]);
    s->x = calloc(3 * s->dim, sizeof *s->x);
    if (s->x == NULL)
        return p2p_fail(P2P_ENOMEM, "no memory for vectors of %zu entries", s->dim);
    s->g = s->x + s->dim;
    s->work = s->g + s->dim;
    return p2p_problem_start(s->parts[0], (p2p_vec){ s->x, s->dim, P2P_F64 });
}

static void
close_parts(solution *s)
{
    for (size_t i = 0; i < s->count && s->parts != NULL && s->shards != NULL; i++) {
        p2p_problem_destroy(&s->parts[i]);
        p2p_data_destroy(&s->shards[i]);
    }
    p2p_data_destroy(&s->whole);
    free(s->parts);
    free(s->shards);
    free(s->x);
}

/* Largest L, least mu over the nodes; classification over all samples. */
static p2p_status
describe(solution *s)
{
    const p2p_view x = { s->x, s->dim, P2P_F64 };
    double right = 0, samples = 0;
    p2p_status st;

    s->smoothness = 0;
    s->convexity = INFINITY;
    for (size_t i = 0; i < s->count; i++) {
        double smoothness, convexity, share = NAN;

        if ((st = p2p_problem_constants(s->parts[i], &smoothness, &convexity)) != P2P_OK)
            return st;
        s->smoothness = fmax(s->smoothness, smoothness);
        s->convexity = fmin(s->convexity, convexity);
        if ((st = p2p_problem_accuracy(s->parts[i], x, &share)) != P2P_OK && st != P2P_ENOTSUP)
            return st;
        right += share * (double)p2p_problem_samples(s->parts[i]);
        samples += (double)p2p_problem_samples(s->parts[i]);
    }
    s->accuracy = right / samples;
    return P2P_OK;
}

/* ---- answers */

/* A solution that is one matrix is written as one. */
static p2p_status
write_solution(const solution *s, const char *path)
{
    p2p_array array = { s->x, s->dim, 1, 1, P2P_F64 };
    const p2p_layer *layers;
    size_t count;

    p2p_problem_layers(s->parts[0], &count, &layers);
    if (count == 1 && layers[0].cols > 1) {
        array.rows = layers[0].rows;
        array.cols = layers[0].cols;
        array.axes = 2;
    }
    return p2p_array_write(&array, path);
}

static int
is_game(const solution *s)
{
    return (p2p_problem_flags(s->parts[0]) & P2P_PROBLEM_GAME) != 0;
}

/* Where the gradient need not vanish: games, and problems with a set or a regulariser. */
static int
has_residual(const solution *s)
{
    return (p2p_problem_flags(s->parts[0]) & (P2P_PROBLEM_GAME | P2P_PROBLEM_PROX)) != 0;
}

static double
norm(const solution *s, const double *x)
{
    return p2p_vec_norm2((p2p_view){ x, s->dim, P2P_F64 });
}

static void
print_object(json_t *object)
{
    json_dumpf(object, stdout, JSON_INDENT(2));
    putchar('\n');
    json_decref(object);
}

static void
print_json(const solution *s, const request *r)
{
    json_t *object =
        json_pack("{s:s, s:s*, s:I, s:I, s:f, s:f, s:f, s:f, s:f}", "problem", p2p_problem_spec(s->parts[0]), "data",
                  r->data, "nodes", (json_int_t)s->count, "dimension", (json_int_t)s->dim, "value", s->value,
                  has_residual(s) ? "residual" : "gradient_norm", has_residual(s) ? s->residual : norm(s, s->g),
                  "solution_norm", norm(s, s->x), "smoothness", s->smoothness, "convexity", s->convexity);

    if (!isnan(s->accuracy))
        json_object_set_new(object, "accuracy", json_real(s->accuracy));
    json_object_set_new(object, "seconds", json_real(s->seconds));
    print_object(object);
}

static void
print_text(const solution *s, const request *r)
{
    printf("problem        %s, dimension %zu\n", p2p_problem_spec(s->parts[0]), s->dim);
    if (r->data != NULL)
        printf("data           %s, %zu rows of %zu features\n", r->data, p2p_data_rows(s->whole),
               p2p_data_features(s->whole));
    if (s->count > 1)
        printf("nodes          %zu\n", s->count);
    printf("value          %.17g\n", s->value);
    if (has_residual(s))
        printf("residual       %.2g\n", s->residual);
    else
        printf("|gradient|     %.2g\n", norm(s, s->g));
    printf("|solution|     %.12g\n", norm(s, s->x));
    printf("smoothness     %.9g\n", s->smoothness);
    printf("convexity      %.9g\n", s->convexity);
    if (!isnan(s->accuracy))
        printf("accuracy       %.2f %%\n", 100 * s->accuracy);
    if (r->output != NULL)
        printf("written        %s\n", r->output);
}

static p2p_status
find(solution *s)
{
    p2p_status st;

    if (!is_game(s))
        return optimum_solve(s->parts, s->count, s->x, &s->value);
    st = equilibrium_solve(s->parts, s->count, s->x, &s->residual);
    return st == P2P_OK ? optimum_evaluate(s->parts, s->count, s->x, &s->value, NULL, NULL) : st;
}

static p2p_status
solve(solution *s, const request *r)
{
    const double start = command_clock();
    p2p_status st;

    if ((st = find(s)) != P2P_OK)
        return st;
    s->seconds = command_clock() - start;
    if ((st = optimum_residual(s->parts, s->count, s->x, &s->residual, s->g, s->work)) != P2P_OK ||
        (st = describe(s)) != P2P_OK || (r->output != NULL && (st = write_solution(s, r->output)) != P2P_OK))
        return st;
    if (r->json)
        print_json(s, r);
    else
        print_text(s, r);
    return P2P_OK;
}

/* The worst over the nodes, at a random point of size one. */
static p2p_status
check_gradient(solution *s, const request *r)
{
    const double step = 1e-6, allowed = 1e-6;
    p2p_random random = p2p_random_open(r->seed, 0, 0, P2P_STREAM_INIT);
    double worst = 0;

    p2p_random_normal(&random, s->dim, s->x);
    for (size_t i = 0; i < s->count; i++) {
        double error = 0;
        p2p_status st = p2p_problem_check(s->parts[i], (p2p_view){ s->x, s->dim, P2P_F64 }, step, &error);

        if (st != P2P_OK)
            return st;
        worst = fmax(worst, error);
    }
    if (r->json)
        print_object(json_pack("{s:s, s:f, s:f}", "problem", p2p_problem_spec(s->parts[0]), "step", step,
                               "gradient_error", worst));
    else
        printf("%s: gradient against finite differences of step %g: worst relative error %.3g\n",
               p2p_problem_spec(s->parts[0]), step, worst);
    if (worst > allowed)
        return p2p_fail(P2P_EDIVERGED, "the gradient is wrong: error %.3g, allowed %g", worst, allowed);
    return P2P_OK;
}

static int
run(int argc, char **argv)
{
    const request r = read_request(argc, argv);
    solution s = { .whole = NULL };
    p2p_status st = open_parts(&s, &r);
    int code;

    if (st == P2P_OK && s.whole != NULL && p2p_data_notice(s.whole)[0] != '\0')
        fprintf(stderr, "p2popt solve: %s: %s\n", r.data, p2p_data_notice(s.whole));
    if (st == P2P_OK)
        st = r.check ? check_gradient(&s, &r) : solve(&s, &r);
    code = st == P2P_OK ? command_flush(&solve_command) : command_failure(&solve_command, st);
    close_parts(&s);
    return code;
}
