/* p2popt node: one node of a swarm, from the swarm's description and the node's own certificate. */
#include "certificate.h"
#include "command.h"
#include "json_number.h"
#include "log_level.h"
#include "output_file.h"
#include "progress_line.h"
#include "report_pipe.h"
#include "saving_arguments.h"
#include "service_notify.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OPTION_SWARM = 256, OPTION_RANK, OPTION_CERTIFICATE, OPTION_LISTEN, OPTION_OUTPUT, OPTION_REPORT_EVERY,
       OPTION_LOG_LEVEL, OPTION_BYZANTINE, OPTION_LISTEN_FD, OPTION_REPORT_FD };

typedef struct {
    const char *description, *certificate, *listen, *output, *byzantine;
    long long rank;
    int log_level, listen_fd, report_fd;
    uint32_t report_every;
    saving_arguments saving;
    output_file metrics;
    p2p_report last;
    double started;
} node_run;

static p2p_node *volatile running;

static void
on_signal(int number)
{
    (void)number;
    if (running != NULL)
        p2p_node_stop(running);
}

/* The first signal ends the run orderly; a second one finds the usual action again. Under `run`, that is its affair. */
static void
catch_signals(int under_run)
{
    struct sigaction action = { .sa_handler = on_signal, .sa_flags = under_run ? 0 : (int)SA_RESETHAND };
    sigset_t mask;

    sigaction(SIGTERM, &action, NULL);
    if (!under_run)
        sigaction(SIGINT, &action, NULL);
    action.sa_handler = SIG_IGN;
    sigaction(SIGPIPE, &action, NULL);
    sigemptyset(&mask);
    sigaddset(&mask, SIGTERM);
    sigprocmask(SIG_UNBLOCK, &mask, NULL);
}

static void
write_metrics(node_run *run, const p2p_report *r)
{
    json_t *line;

    if (run->metrics.stream == NULL)
        return;
    line = json_pack("{s:I, s:f, s:o, s:I, s:I, s:I, s:I, s:I}", "round", (json_int_t)r->round, "seconds", r->seconds,
                     "residual", json_number(r->residual), "bits_sent", (json_int_t)r->bits_sent, "bytes_out",
                     (json_int_t)r->bytes_out, "bytes_in", (json_int_t)r->bytes_in, "neighbours",
                     (json_int_t)r->neighbours, "absent", (json_int_t)r->absent);
    json_dumpf(line, run->metrics.stream, JSON_COMPACT);
    fputc('\n', run->metrics.stream);
    fflush(run->metrics.stream);
    json_decref(line);
}

/* Every report feeds the watchdog; the first one says that the swarm runs, the last one that it has ended. */
static void
notify_manager(const p2p_report *r)
{
    char text[96];

    snprintf(text, sizeof text, "READY=1\nWATCHDOG=1\nSTATUS=round %u, %zu of %zu neighbours%s", (unsigned)r->round,
             r->neighbours - r->absent, r->neighbours, r->end == P2P_END_NONE ? "" : "\nSTOPPING=1");
    service_notify(text);
}

static void
on_report(void *user, const p2p_report *r)
{
    node_run *run = user;
    char bits[32];

    run->last = *r;
    write_metrics(run, r);
    if (run->report_fd >= 0) {
        if (!report_pipe_report(run->report_fd, r))
            p2p_node_stop(running); /* whoever started the swarm is gone */
        return;
    }
    notify_manager(r);
    fprintf(stderr, "round %u", (unsigned)r->round);
    if (!isnan(r->residual))
        fprintf(stderr, "  residual %.2e", r->residual);
    fprintf(stderr, "  %s sent  %zu of %zu neighbours  %.1f s\n",
            progress_bits((double)r->bits_sent, bits, sizeof bits), r->neighbours - r->absent, r->neighbours,
            r->seconds);
}

static void
on_log(void *user, int level, size_t rank, const char *line)
{
    node_run *run = user;

    if (level > run->log_level)
        return;
    if (run->report_fd >= 0)
        report_pipe_log(run->report_fd, level, line);
    else
        fprintf(stderr, "node %zu: %s: %s\n", rank, log_level_name(level), line);
}

static const command_option options[] = {
    { "swarm", OPTION_SWARM, "FILE", "the swarm description (required)" },
    { "rank", OPTION_RANK, "I", "which of its nodes this is, from 0 (required)" },
    { "certificate", OPTION_CERTIFICATE, "FILE", "the node's key pair (required unless security is none)" },
    { "listen", OPTION_LISTEN, "ENDPOINT", "endpoint to bind where it is not the one in the description" },
    { "output", OPTION_OUTPUT, "DIR", "folder for node-I.npy and node-I.jsonl" },
    SAVING_OPTIONS,
    { "report-every", OPTION_REPORT_EVERY, "N", "rounds between progress lines [the description's]" },
    { "log-level", OPTION_LOG_LEVEL, "LEVEL", "error, warning, notice or debug [notice]" },
    { "byzantine", OPTION_BYZANTINE, "ATTACK[@NODES]", "let this node, or those named, lie: to test a swarm" },
    { "listen-fd", OPTION_LISTEN_FD, "N", "descriptor of a listening socket to use (p2popt run)" },
    { "report-fd", OPTION_REPORT_FD, "N", "descriptor of a pipe for binary reports (p2popt run)" },
    { NULL, 0, NULL, NULL }
};

static void
read_arguments(node_run *run, int argc, char **argv)
{
    const command *self = &node_command;
    int letter;

    while ((letter = command_next_option(self, argc, argv)) != -1)
        switch (letter) {
        case OPTION_SWARM: run->description = optarg; break;
        case OPTION_RANK: run->rank = command_integer(self, "rank", optarg, 0, UINT32_MAX); break;
        case OPTION_CERTIFICATE: run->certificate = optarg; break;
        case OPTION_LISTEN: run->listen = optarg; break;
        case OPTION_OUTPUT: run->output = optarg; break;
        case OPTION_REPORT_EVERY:
            run->report_every = (uint32_t)command_integer(self, "report-every", optarg, 1, UINT32_MAX);
            break;
        case OPTION_LOG_LEVEL: run->log_level = log_level_of(self, optarg); break;
        case OPTION_BYZANTINE: run->byzantine = optarg; break;
        case OPTION_LISTEN_FD: run->listen_fd = (int)command_integer(self, "listen-fd", optarg, 3, 1 << 20); break;
        case OPTION_REPORT_FD: run->report_fd = (int)command_integer(self, "report-fd", optarg, 3, 1 << 20); break;
        default: saving_take(self, &run->saving, letter, optarg);
        }
    command_no_operands(self, argc, argv);
    saving_check(self, &run->saving);
    if (run->description == NULL)
        exit(command_usage_error(self, "--swarm is missing"));
    if (run->rank < 0)
        exit(command_usage_error(self, "--rank is missing"));
}

static p2p_status
read_identity(const node_run *run, p2p_identity *identity)
{
    char path[4096];

    if (strlen(run->certificate) > sizeof path - 16)
        return p2p_fail(P2P_EIO, "%.60s...: the name is too long", run->certificate);
    certificate_secret_path(run->certificate, path, sizeof path);
    return p2p_identity_read(identity, path);
}

static p2p_status
begin_metrics(node_run *run)
{
    char name[64];
    p2p_status st;

    if (run->output == NULL)
        return P2P_OK;
    snprintf(name, sizeof name, "node-%lld.jsonl", run->rank);
    if ((st = output_folder(run->output)) != P2P_OK)
        return st;
    return output_begin(&run->metrics, run->output, name);
}

static p2p_status
write_results(node_run *run)
{
    p2p_view x = p2p_node_solution(running);
    p2p_array array = { (void *)x.data, x.dim, 1, 1, x.type };
    char path[4200];
    p2p_status st;

    if (run->output == NULL)
        return P2P_OK;
    if ((st = output_commit(&run->metrics)) != P2P_OK)
        return st;
    snprintf(path, sizeof path, "%s/node-%lld.npy", run->output, run->rank);
    return p2p_array_write(&array, path);
}

static void
print_summary(const node_run *run)
{
    static const char *const ends[] = { "", "all rounds done", "every node met the tolerance", "stopped", "failed" };
    char bits[32];

    if (run->report_fd >= 0)
        return;
    printf("%s after round %u: %s sent, %.1f s\n", ends[p2p_node_end(running)], (unsigned)run->last.round,
           progress_bits((double)run->last.bits_sent, bits, sizeof bits), run->last.seconds);
}

static p2p_status
run_node(node_run *run)
{
    p2p_node_config config = { .size = sizeof config, .rank = (size_t)run->rank, .listen = run->listen,
                               .listen_fd = run->listen_fd, .report_every = run->report_every,
                               .on_report = on_report, .on_log = on_log, .user = run, .byzantine = run->byzantine };
    p2p_identity identity;
    p2p_node *node = NULL;
    p2p_status st;

    if ((st = p2p_swarm_read(&config.swarm, run->description)) != P2P_OK)
        return st;
    if (run->certificate != NULL && (st = read_identity(run, &identity)) == P2P_OK)
        config.identity = &identity;
    if (st == P2P_OK && (st = begin_metrics(run)) == P2P_OK && (st = saving_prepare(&run->saving, &config)) == P2P_OK)
        st = p2p_node_new(&node, &config);
    p2p_identity_clear(&identity);
    running = node;
    if (st == P2P_OK) {
        catch_signals(run->report_fd >= 0);
        st = p2p_node_run(node);
    }
    if (st == P2P_OK && (st = write_results(run)) == P2P_OK)
        print_summary(run);
    output_abandon(&run->metrics);
    running = NULL;
    p2p_node_destroy(&node);
    p2p_swarm_destroy(&config.swarm);
    return st;
}

static int
run(int argc, char **argv)
{
    node_run run = { .saving = SAVING_DEFAULT, .rank = -1, .log_level = 2, .report_fd = -1 };
    p2p_status st;

    read_arguments(&run, argc, argv);
    st = run_node(&run);
    if (st == P2P_OK)
        return command_flush(&node_command);
    if (run.report_fd >= 0) {
        report_pipe_failure(run.report_fd, st, p2p_last_error());
        return EXIT_RUN;
    }
    return command_failure(&node_command, st);
}

const command node_command = { "node", "Run one node of a swarm", "--swarm FILE --rank I [OPTION]...", options, run };
