/* p2popt run: a whole swarm on this machine, as processes (tcp, ipc), as threads (inproc), or simulated (sim). */
#include "command.h"
#include "known_optimum.h"
#include "local_swarm.h"
#include "log_level.h"
#include "losses.h"
#include "monitor.h"
#include "objective.h"
#include "output_file.h"
#include "progress_line.h"
#include "run_results.h"
#include "saving_arguments.h"
#include "swarm_arguments.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    OPTION_NODES = 256,
    OPTION_TRANSPORT,
    OPTION_OUTPUT,
    OPTION_OPTIMUM,
    OPTION_JSON,
    OPTION_QUIET,
    OPTION_BYZANTINE,
    OPTION_LOG_LEVEL
};
enum { MAX_NODES = 10000000, PARAMETERS_SIZE = 512 };

typedef struct {
    size_t nodes;
    const char *transport, *output, *optimum, *log_level;
    const char *byzantine; /* NULL: all nodes are honest */
    unsigned char *lies;   /* a node each */
    int json, quiet, level;
    saving_arguments saving;
    p2p_swarm *swarm;
    objective *objective;
    monitor *monitor;
    progress progress;
    output_file rounds;
    double optimum_value;
    size_t lost;
    losses *losses;
    int missed; /* a tolerance was asked for and not reached */
    char parameters[PARAMETERS_SIZE];
} local_run;

static command self;
static volatile sig_atomic_t interrupts;
static volatile int stop;

/* ---- what happens meanwhile */

static void
on_signal(int number)
{
    (void)number;
    stop = 1;
    if (interrupts < 2)
        interrupts++;
}

static void
catch_signals(int again)
{
    struct sigaction action = { .sa_handler = on_signal, .sa_flags = again ? 0 : (int)SA_RESETHAND };

    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGHUP, &action, NULL);
    action.sa_handler = SIG_IGN;
    sigaction(SIGPIPE, &action, NULL);
}

static void
on_round(void *user, const figures *f)
{
    local_run *run = user;

    progress_show(&run->progress, f);
    if (run->rounds.stream != NULL) {
        run_print_round(run->rounds.stream, f);
        fflush(run->rounds.stream);
    }
}

static void
tell(local_run *run, const char *what, size_t rank, const char *line)
{
    progress_clear(&run->progress);
    fprintf(stderr, "node %zu: %s%s\n", rank, what, line);
}

static void
on_lost(void *user, size_t rank, const char *why)
{
    local_run *run = user;
    size_t like;
    char line[64];

    if (run->lies[rank]) {
        if (run->level >= 2)
            tell(run, "a liar, is over: ", rank, why);
        return;
    }
    like = losses_take(run->losses, rank, why);
    snprintf(line, sizeof line, "as node %zu was", like);
    tell(run, "lost: ", rank, like == rank ? why : line);
    run->lost++;
    objective_leave(run->objective, rank);
    run->optimum_value = known_optimum_without(run->optimum, run->objective);
    monitor_lose(run->monitor, rank, run->optimum_value);
}

static void
on_stopping(void *user)
{
    local_run *run = user;

    progress_clear(&run->progress);
    fputs("p2popt run: the nodes end after this round; a second signal kills them\n", stderr);
}

static void
on_report(void *user, const p2p_report *report)
{
    local_run *run = user;

    if (report->parameters != NULL && report->rank == 0)
        snprintf(run->parameters, sizeof run->parameters, "%s", report->parameters);
    monitor_report(run->monitor, report);
}

static void
on_log(void *user, int level, size_t rank, const char *line)
{
    local_run *run = user;
    char what[32];

    if (level > run->level)
        return;
    snprintf(what, sizeof what, "%s: ", log_level_name(level));
    tell(run, what, rank, line);
}

/* ---- the run */

static int
in_processes(const local_run *run)
{
    return strcmp(run->transport, "tcp") == 0 || strcmp(run->transport, "ipc") == 0;
}

/* --nodes, or what the topology's spec or file says. */
static p2p_status
settle_nodes(local_run *run)
{
    p2p_topology *topology;
    p2p_status st;

    st = p2p_topology_new(&topology, p2p_swarm_get(run->swarm, "topology"), p2p_swarm_get(run->swarm, "mixing"),
                          run->nodes, strtoull(p2p_swarm_get(run->swarm, "seed"), NULL, 10));
    if (st != P2P_OK)
        return st;
    run->nodes = p2p_topology_size(topology);
    p2p_topology_destroy(&topology);
    return P2P_OK;
}

static p2p_status
settle_liars(local_run *run)
{
    if ((run->lies = calloc(run->nodes, 1)) == NULL)
        return p2p_fail(P2P_ENOMEM, "no memory for %zu nodes", run->nodes);
    return run->byzantine == NULL ? P2P_OK : p2p_byzantine_nodes(run->byzantine, run->nodes, run->lies);
}

/* What is measured is of the honest nodes. */
static p2p_status
open_monitor(local_run *run)
{
    monitor_config config = {
        .nodes = run->nodes, .type = P2P_F64, .ignored = run->lies, .on_round = on_round, .user = run
    };
    p2p_status st;

    if ((st = objective_new(&run->objective, run->swarm, run->nodes)) != P2P_OK)
        return st;
    for (size_t rank = 0; rank < run->nodes; rank++)
        if (run->lies[rank])
            objective_leave(run->objective, rank);
    if ((st = known_optimum(run->optimum, run->swarm, run->objective, &run->optimum_value)) != P2P_OK)
        return st;
    config.dim = objective_dim(run->objective);
    config.objective = run->objective;
    config.optimum = run->optimum_value;
    return monitor_new(&run->monitor, &config);
}

static p2p_status
run_processes(local_run *run)
{
    static const local_swarm_handlers handlers = { NULL, on_report, on_log, on_lost, on_stopping };
    local_swarm_handlers mine = handlers;
    local_swarm *processes;
    const p2p_topology *topology;
    p2p_status st;

    mine.user = run;
    if ((st = local_swarm_new(&processes, run->swarm, run->nodes, run->transport, run->byzantine)) != P2P_OK)
        return st;
    if ((st = p2p_swarm_topology(run->swarm, &topology)) == P2P_OK) {
        catch_signals(1);
        st = local_swarm_run(processes, run->log_level, &run->saving, &mine, &interrupts);
    }
    local_swarm_destroy(&processes);
    return st;
}

static p2p_status
run_here(local_run *run)
{
    p2p_node_config config = { .size = sizeof config,
                               .swarm = run->swarm,
                               .on_report = on_report,
                               .on_log = on_log,
                               .user = run,
                               .byzantine = run->byzantine };
    p2p_status st = P2P_OK;

    for (size_t rank = 0; rank < run->nodes && st == P2P_OK; rank++)
        st = p2p_swarm_add(run->swarm, NULL, NULL);
    if (st == P2P_OK)
        st = saving_prepare(&run->saving, &config);
    catch_signals(0);
    return st == P2P_OK ? p2p_swarm_run(&config, run->transport, NULL, NULL, &stop) : st;
}

/* Results of a run of which at least one node came to its end; a failure to write them is the run's failure. */
static p2p_status
write_results(local_run *run)
{
    size_t dim = objective_dim(run->objective);
    p2p_array array = { calloc(dim, sizeof(double)), dim, 1, 1, P2P_F64 };
    char path[4200];
    p2p_status st;

    if (array.data == NULL)
        return p2p_fail(P2P_ENOMEM, "no memory for the solution");
    snprintf(path, sizeof path, "%s/solution.npy", run->output);
    monitor_solution(run->monitor, array.data);
    if ((st = output_commit(&run->rounds)) == P2P_OK)
        st = p2p_array_write(&array, path);
    p2p_array_clear(&array);
    return st;
}

/* NaN without memory, as where there are no classes. */
static double
accuracy_of(const local_run *run)
{
    double *x = calloc(objective_dim(run->objective), sizeof *x), accuracy = NAN;

    if (x != NULL && monitor_solution(run->monitor, x))
        accuracy = objective_accuracy(run->objective, x);
    free(x);
    return accuracy;
}

static void
print_results(local_run *run, double seconds)
{
    run_outcome outcome = { .swarm = run->swarm,
                            .transport = run->transport,
                            .parameters = run->parameters,
                            .output = run->output,
                            .nodes = run->nodes,
                            .dim = objective_dim(run->objective),
                            .lost = run->lost,
                            .optimum = run->optimum_value,
                            .seconds = seconds,
                            .accuracy = accuracy_of(run),
                            .measure = objective_measure(run->objective),
                            .last = *monitor_last(run->monitor),
                            .end = monitor_end(run->monitor) };

    run->missed = run_reached(&outcome) == 0;
    if (run->json)
        run_print_json(&outcome);
    else
        run_print_summary(&outcome);
}

static p2p_status
run_swarm(local_run *run)
{
    double started;
    p2p_status st;

    if ((st = settle_nodes(run)) != P2P_OK || (st = settle_liars(run)) != P2P_OK ||
        (st = open_monitor(run)) != P2P_OK)
        return st;
    if (run->output != NULL && ((st = output_folder(run->output)) != P2P_OK ||
                                (st = output_begin(&run->rounds, run->output, "run.jsonl")) != P2P_OK))
        return st;
    progress_begin(&run->progress, run->quiet, (uint32_t)strtoul(p2p_swarm_get(run->swarm, "rounds"), NULL, 10),
                   strtod(p2p_swarm_get(run->swarm, "tolerance"), NULL));
    run->losses = losses_new(run->nodes);
    started = command_clock();
    st = in_processes(run) ? run_processes(run) : run_here(run);
    progress_clear(&run->progress);
    if (st != P2P_OK)
        return st;
    if (monitor_finished(run->monitor) == 0)
        return p2p_fail(P2P_EREFUSED, "no node came to the end of the run");
    if (run->output != NULL && (st = write_results(run)) != P2P_OK)
        return st;
    print_results(run, command_clock() - started);
    return P2P_OK;
}

/* ---- arguments */

static const command_option options[] = {
    { "nodes", OPTION_NODES, "N", "number of nodes [what the topology says]" },
    { "transport", OPTION_TRANSPORT, "SPEC", "tcp or ipc: processes; inproc: threads; sim: simulated [tcp]" },
    { "byzantine", OPTION_BYZANTINE, "ATTACK@NODES", "let some nodes lie, such as sign-flip:scale=5@3,5-7" },
    { "output", OPTION_OUTPUT, "DIR", "folder for run.jsonl and solution.npy" },
    { "optimum", OPTION_OPTIMUM, "auto|none|FILE", "where the minimiser is known from [auto]" },
    SAVING_OPTIONS,
    { "json", OPTION_JSON, NULL, "print one JSON object at the end, and nothing else, on standard output" },
    { "quiet", OPTION_QUIET, NULL, "no progress" },
    { "log-level", OPTION_LOG_LEVEL, "LEVEL", "nodes' messages: error, warning, notice or debug [warning]" },
    { NULL, 0, NULL, NULL }
};

/* About a hundred reports a run, where the user does not say. */
static void
choose_report_every(p2p_swarm *swarm)
{
    unsigned long long rounds = strtoull(p2p_swarm_get(swarm, "rounds"), NULL, 10), every = rounds / 100;
    char text[32];

    snprintf(text, sizeof text, "%llu", every < 1 ? 1 : every > 100 ? 100 : every);
    p2p_swarm_set(swarm, "report-every", text);
}

static int
is_transport(const char *spec)
{
    size_t length = strcspn(spec, ":");
    const p2p_entry *entry;

    for (size_t i = 0; (entry = p2p_family_entry(P2P_FAMILY_TRANSPORT, i)) != NULL; i++)
        if (strlen(entry->name) == length && strncmp(entry->name, spec, length) == 0)
            return 1;
    return 0;
}

static void
read_arguments(local_run *run, int argc, char **argv)
{
    int letter, every_given = 0;

    while ((letter = command_next_option(&self, argc, argv)) != -1)
        switch (letter) {
        case OPTION_NODES:
            run->nodes = (size_t)command_integer(&self, "nodes", optarg, 1, MAX_NODES);
            break;
        case OPTION_TRANSPORT:
            run->transport = optarg;
            break;
        case OPTION_BYZANTINE:
            run->byzantine = optarg;
            break;
        case OPTION_OUTPUT:
            run->output = optarg;
            break;
        case OPTION_OPTIMUM:
            run->optimum = optarg;
            break;
        case OPTION_JSON:
            run->json = 1;
            break;
        case OPTION_QUIET:
            run->quiet = 1;
            break;
        case OPTION_LOG_LEVEL:
            run->log_level = optarg;
            run->level = log_level_of(&self, optarg);
            break;
        default:
            if (saving_take(&self, &run->saving, letter, optarg))
                break;
            every_given |= strcmp(swarm_arguments_key(letter), "report-every") == 0;
            swarm_arguments_take(&self, run->swarm, letter, optarg);
        }
    command_no_operands(&self, argc, argv);
    saving_check(&self, &run->saving);
    if (!every_given)
        choose_report_every(run->swarm);
    if (!is_transport(run->transport))
        exit(command_usage_error(&self, "--transport %s: expected tcp, ipc, inproc or sim", run->transport));
}

static int
run(int argc, char **argv)
{
    static local_run run = {
        .saving = SAVING_DEFAULT, .transport = "tcp", .optimum = "auto", .log_level = "warning", .level = 1
    };
    p2p_status st;

    self = swarm_arguments_join(&run_command);
    if ((st = p2p_swarm_new(&run.swarm)) != P2P_OK)
        return command_failure(&self, st);
    read_arguments(&run, argc, argv);
    st = run_swarm(&run);
    output_abandon(&run.rounds);
    losses_destroy(&run.losses);
    monitor_destroy(&run.monitor);
    objective_destroy(&run.objective);
    p2p_swarm_destroy(&run.swarm);
    free(run.lies);
    if (st != P2P_OK)
        return command_failure(&self, st);
    if (command_flush(&self) != EXIT_OK)
        return EXIT_RUN;
    return run.lost == 0 && !run.missed ? EXIT_OK : EXIT_RUN;
}

const command run_command = { "run", "Run a swarm on this machine", "[OPTION]...", options, run };
