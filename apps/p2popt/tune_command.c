/* p2popt tune: which method and compressor reach a gap with the fewest bits, tried on the simulated network. */
#include "command.h"
#include "json_number.h"
#include "known_optimum.h"
#include "swarm_arguments.h"
#include "tune_grid.h"
#include "tune_trial.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OPTION_NODES = 256, OPTION_GAP, OPTION_SECONDS, OPTION_OPTIMUM, OPTION_JSON, OPTION_QUIET };
enum { MAX_NODES = 100000, GIVEN_MOST = 32, TRIALS_MOST = 256 };

/* Numbers go up and down by this factor while that saves bits. */
static const double stride = 1.6;

typedef struct {
    size_t nodes;
    double gap, seconds;
    const char *optimum;
    int json, quiet;
    p2p_swarm *swarm;
    const char *method[GIVEN_MOST], *compressor[GIVEN_MOST]; /* named by the user */
    size_t methods, compressors;
    objective *objective;
    tune_setting setting;
    tune_trial trial[TRIALS_MOST];
    size_t trials;
    size_t best; /* TRIALS_MOST: none has reached the gap */
} tuning;

static command self;
static volatile int stop;

static void
on_signal(int number)
{
    (void)number;
    stop = 1;
}

/* ---- trials */

static const char *
measure_text(const tuning *t)
{
    static const char *const texts[] = { "f - f*", "duality gap", "|z - z*|", "|z - P(z - F(z))|" };

    return texts[objective_measure(t->objective)];
}

static void
print_trial(const tune_trial *r)
{
    printf("%-9s ", tune_end_name(r->end));
    if (r->end == TRIAL_REFUSED) {
        printf("%10s %8s  %-24s %s (%s)\n", "-", "-", r->compressor, r->method, r->why);
        return;
    }
    printf("%10.4g %8u  %-24s %s\n", r->bits, r->rounds, r->compressor, r->parameters[0] ? r->parameters : r->method);
}

static int
may_go_on(const tuning *t)
{
    return !stop && t->trials < TRIALS_MOST && command_clock() < t->setting.deadline;
}

/* *better tells whether it is the best so far. */
static p2p_status
try(tuning *t, const char *method, const char *compressor, int *better)
{
    tune_trial *r = &t->trial[t->trials];
    p2p_status st;

    *better = 0;
    snprintf(r->method, sizeof r->method, "%s", method);
    snprintf(r->compressor, sizeof r->compressor, "%s", compressor);
    st = tune_run(&t->setting, t->best < TRIALS_MOST ? t->trial[t->best].bits : INFINITY, r);
    if (st != P2P_OK)
        return st;
    if (r->end == TRIAL_REACHED) {
        t->best = t->trials;
        *better = 1;
    }
    t->trials++;
    if (!t->json && !t->quiet) {
        print_trial(r);
        fflush(stdout);
    }
    return P2P_OK;
}

static p2p_status
try_pairs(tuning *t)
{
    const int any_method = t->methods == 0, any_compressor = t->compressors == 0;
    const char *const *usual = tune_compressors();
    p2p_status st = P2P_OK;
    int better;

    if (any_method && any_compressor) {
        for (const tune_pair *p = tune_pairs(objective_is_game(t->objective)); p->method != NULL && may_go_on(t); p++)
            if ((st = try(t, p->method, p->compressor, &better)) != P2P_OK)
                return st;
        return P2P_OK;
    }
    if (any_method)
        for (const tune_pair *p = tune_pairs(objective_is_game(t->objective)); p->method != NULL; p++) {
            int known = 0;

            for (size_t i = 0; i < t->methods; i++)
                known |= strcmp(t->method[i], p->method) == 0;
            if (!known)
                t->method[t->methods++] = p->method;
        }
    for (size_t i = 0; any_compressor && usual[i] != NULL; i++)
        t->compressor[t->compressors++] = usual[i];
    for (size_t m = 0; m < t->methods; m++)
        for (size_t c = 0; c < t->compressors && may_go_on(t); c++)
            if ((st = try(t, t->method[m], t->compressor[c], &better)) != P2P_OK)
                return st;
    return P2P_OK;
}

/* One number of the best trial, up or down while it gets better; *moved tells whether it did. */
static p2p_status
walk(tuning *t, const char *key, double factor, int *moved)
{
    char method[TUNE_TEXT];
    p2p_status st;
    int better = 1;

    *moved = 0;
    while (better && may_go_on(t)) {
        const tune_trial *b = &t->trial[t->best];

        if (!tune_scaled(b->parameters, key, factor, method, sizeof method))
            return P2P_OK;
        if ((st = try(t, method, b->compressor, &better)) != P2P_OK)
            return st;
        *moved |= better;
    }
    return P2P_OK;
}

static p2p_status
try_numbers(tuning *t)
{
    p2p_status st;
    int moved;

    for (size_t i = 0; tune_number(i) != NULL && t->best < TRIALS_MOST; i++) {
        if ((st = walk(t, tune_number(i), stride, &moved)) != P2P_OK ||
            (!moved && (st = walk(t, tune_number(i), 1 / stride, &moved)) != P2P_OK))
            return st;
    }
    return P2P_OK;
}

/* ---- results */

/* Whether a key of the description is given by the best trial, or is what it is in any. */
static int
goes_without_saying(const p2p_swarm *usual, const p2p_option *key, const char *value)
{
    static const char *const own[] = { "method", "compressor", "tolerance", "report-every" };

    for (size_t i = 0; i < sizeof own / sizeof own[0]; i++)
        if (strcmp(key->key, own[i]) == 0)
            return 1;
    return strcmp(p2p_swarm_get(usual, key->key), value) == 0;
}

/* The command that runs the best one on real processes. */
static p2p_status
print_command(const tuning *t, const tune_trial *b)
{
    p2p_swarm *usual;
    p2p_status st = p2p_swarm_new(&usual);
    const p2p_option *keys = p2p_swarm_options();
    const char *over = strstr(b->parameters, " over ");
    const int len = over != NULL ? (int)(over - b->parameters) : (int)strlen(b->parameters);

    if (st != P2P_OK)
        return st;
    printf("  p2popt run --nodes %zu --method '%.*s' --compressor '%s' --tolerance %g", t->nodes, len, b->parameters,
           b->compressor, t->setting.target);
    for (size_t i = 0; keys[i].key != NULL; i++) {
        const char *value = p2p_swarm_get(t->swarm, keys[i].key);

        if (!goes_without_saying(usual, &keys[i], value))
            printf(" --%.*s '%s'", (int)strcspn(keys[i].key, "|"), keys[i].key, value);
    }
    putchar('\n');
    p2p_swarm_destroy(&usual);
    return P2P_OK;
}

static p2p_status
print_text(const tuning *t)
{
    const tune_trial *b = &t->trial[t->best];

    if (t->best == TRIALS_MOST) {
        printf("none of %zu trials reached a gap of %g: more --rounds or --seconds, or a larger --gap\n", t->trials,
               t->setting.target);
        return P2P_OK;
    }
    printf("best of %zu: %s %s: %.4g bits a node and %u rounds to %s <= %g\n", t->trials, b->parameters,
           b->compressor, b->bits, b->rounds, measure_text(t), t->setting.target);
    return print_command(t, b);
}

static json_t *
trial_json(const tune_trial *r)
{
    return json_pack("{s:s, s:s, s:s, s:s, s:o, s:o, s:I, s:f, s:s}", "method", r->method, "compressor",
                     r->compressor, "end", tune_end_name(r->end), "parameters", r->parameters, "bits_per_node",
                     json_number(r->bits), "gap", json_number(r->gap), "rounds", (json_int_t)r->rounds, "seconds",
                     r->seconds, "why", r->why);
}

static void
print_json(const tuning *t)
{
    json_t *list = json_array(), *all;

    for (size_t i = 0; i < t->trials; i++)
        json_array_append_new(list, trial_json(&t->trial[i]));
    all = json_pack("{s:f, s:I, s:I, s:o, s:o}", "target", t->setting.target, "nodes", (json_int_t)t->nodes,
                    "dimension", (json_int_t)objective_dim(t->objective), "best",
                    t->best < TRIALS_MOST ? trial_json(&t->trial[t->best]) : json_null(), "trials", list);
    json_dumpf(all, stdout, JSON_COMPACT);
    putchar('\n');
    json_decref(all);
}

/* ---- the whole */

static p2p_status
settle_nodes(tuning *t)
{
    p2p_topology *topology;
    p2p_status st =
        p2p_topology_new(&topology, p2p_swarm_get(t->swarm, "topology"), p2p_swarm_get(t->swarm, "mixing"), t->nodes,
                         strtoull(p2p_swarm_get(t->swarm, "seed"), NULL, 10));

    if (st != P2P_OK)
        return st;
    t->nodes = p2p_topology_size(topology);
    p2p_topology_destroy(&topology);
    return P2P_OK;
}

static p2p_status
tune(tuning *t)
{
    double optimum;
    p2p_status st;

    if ((st = settle_nodes(t)) != P2P_OK || (st = objective_new(&t->objective, t->swarm, t->nodes)) != P2P_OK ||
        (st = known_optimum(t->optimum, t->swarm, t->objective, &optimum)) != P2P_OK)
        return st;
    if (isnan(optimum) && !objective_is_game(t->objective))
        return p2p_fail(P2P_ENOTSUP,
                        "the optimum of the problem is not known: give --optimum FILE, as p2popt solve writes it");
    t->setting = (tune_setting){ .swarm = t->swarm,
                                 .nodes = t->nodes,
                                 .objective = t->objective,
                                 .optimum = optimum,
                                 .target = t->gap,
                                 .deadline = command_clock() + t->seconds,
                                 .stop = &stop };
    t->best = TRIALS_MOST;
    signal(SIGINT, on_signal);
    signal(SIGTERM, on_signal);
    if (!t->json && !t->quiet)
        printf("%-9s %10s %8s  %-24s %s\n", "end", "bits/node", "rounds", "compressor", "method");
    if ((st = try_pairs(t)) != P2P_OK || (st = try_numbers(t)) != P2P_OK)
        return st;
    if (!t->json)
        return print_text(t);
    print_json(t);
    return P2P_OK;
}

/* ---- arguments */

static const command_option options[] = {
    { "nodes", OPTION_NODES, "N", "number of nodes [what the topology says]" },
    { "gap", OPTION_GAP, "X", "f - f*, or the measure of a game, to be reached [1e-6]" },
    { "seconds", OPTION_SECONDS, "T", "time for all trials [45]" },
    { "optimum", OPTION_OPTIMUM, "auto|FILE", "where the minimiser is known from [auto]" },
    { "json", OPTION_JSON, NULL, "print one JSON object" },
    { "quiet", OPTION_QUIET, NULL, "the best one only" },
    { NULL, 0, NULL, NULL }
};

/* A method or a compressor to be tried; checked like the key of a description, which keeps the last one. */
static void
take_given(const char *key, const char **list, size_t *count)
{
    if (*count == GIVEN_MOST)
        exit(command_usage_error(&self, "more than %d times --%s", GIVEN_MOST, key));
    list[(*count)++] = optarg;
}

/* Keys whose values are this command's own. */
static void
refuse_ours(const char *key)
{
    if (strcmp(key, "tolerance") == 0 || strcmp(key, "report-every") == 0)
        exit(command_usage_error(&self, "--%s: --gap says when a trial is over, and every fifth round is looked at",
                                 key));
}

static void
read_arguments(tuning *t, int argc, char **argv)
{
    int letter;

    while ((letter = command_next_option(&self, argc, argv)) != -1)
        switch (letter) {
        case OPTION_NODES:
            t->nodes = (size_t)command_integer(&self, "nodes", optarg, 1, MAX_NODES);
            break;
        case OPTION_GAP:
            t->gap = command_number(&self, "gap", optarg, 1e-300, 1e300);
            break;
        case OPTION_SECONDS:
            t->seconds = command_number(&self, "seconds", optarg, 0.01, 1e6);
            break;
        case OPTION_OPTIMUM:
            t->optimum = optarg;
            break;
        case OPTION_JSON:
            t->json = 1;
            break;
        case OPTION_QUIET:
            t->quiet = 1;
            break;
        default:
            refuse_ours(swarm_arguments_key(letter));
            swarm_arguments_take(&self, t->swarm, letter, optarg);
            if (strcmp(swarm_arguments_key(letter), "method") == 0)
                take_given("method", t->method, &t->methods);
            else if (strcmp(swarm_arguments_key(letter), "compressor") == 0)
                take_given("compressor", t->compressor, &t->compressors);
        }
    command_no_operands(&self, argc, argv);
}

static int
run(int argc, char **argv)
{
    static tuning t = { .gap = 1e-6, .seconds = 45, .optimum = "auto" };
    p2p_status st;

    self = swarm_arguments_join(&tune_command);
    if ((st = p2p_swarm_new(&t.swarm)) != P2P_OK || (st = p2p_swarm_set(t.swarm, "rounds", "50000")) != P2P_OK)
        return command_failure(&self, st);
    read_arguments(&t, argc, argv);
    st = tune(&t);
    objective_destroy(&t.objective);
    p2p_swarm_destroy(&t.swarm);
    if (st != P2P_OK)
        return command_failure(&self, st);
    if (command_flush(&self) != EXIT_OK)
        return EXIT_RUN;
    return t.best < TRIALS_MOST ? EXIT_OK : EXIT_RUN;
}

const command tune_command = { "tune", "Find the method and compressor with the fewest bits", "[OPTION]...", options,
                               run };
