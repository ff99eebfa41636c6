/* p2popt doctor: whether this machine has what a node needs, and whether it is quick. */
#include "command.h"

#include <cblas.h>
#include <jansson.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <zmq.h>

enum { OPTION_JSON = 256 };
enum { NODE_FILES = 1024, NODE_SOCKETS = 256 /* what a node of some dozen neighbours is at ease with */ };

typedef enum { GOOD, WARNING, BAD } verdict;

typedef struct {
    const char *what;
    verdict verdict;
    char found[160];
    const char *advice; /* NULL where all is well */
} finding;

static const char *const words[] = { "ok", "warning", "bad" };

/* ---- what is looked at */

static int
has_avx2(void)
{
#if defined __x86_64__
    return __builtin_cpu_supports("avx2") != 0;
#else
    return 0;
#endif
}

static const char *
kernels(void)
{
#if defined __x86_64__
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl"))
        return "x86-64-v4";
    return has_avx2() ? "avx2" : "x86-64";
#else
    return "portable";
#endif
}

static finding
look_at_processor(void)
{
    finding f = { "processor", GOOD, "", NULL };

    snprintf(f.found, sizeof f.found, "kernels for %s", kernels());
    return f;
}

/* OpenBLAS up to 0.3.24 takes some new processors for the oldest that it knows: a fifth of their speed. */
static finding
look_at_blas(void)
{
    finding f = { "blas", GOOD, "", NULL };
    const char *core = openblas_get_corename();

    snprintf(f.found, sizeof f.found, "%.100s, kernel %.40s", openblas_get_config(), core);
    if (has_avx2() && (strcmp(core, "Prescott") == 0 || strcmp(core, "Core2") == 0 || strcmp(core, "generic") == 0)) {
        f.verdict = WARNING;
        f.advice = "slow kernels for this processor: set OPENBLAS_CORETYPE=Haswell, or SkylakeX where it has AVX-512";
    }
    return f;
}

static finding
look_at_zmq(void)
{
    finding f = { "libzmq", GOOD, "", NULL };
    int major, minor, patch;

    zmq_version(&major, &minor, &patch);
    snprintf(f.found, sizeof f.found, "%d.%d.%d, %s CURVE", major, minor, patch,
             zmq_has("curve") ? "with" : "without");
    if (!zmq_has("curve")) {
        f.verdict = BAD;
        f.advice = "built without libsodium: nodes cannot encrypt; install the distribution's libzmq";
    }
    return f;
}

static finding
look_at_sodium(void)
{
    finding f = { "libsodium", GOOD, "", NULL };

    snprintf(f.found, sizeof f.found, "%s", sodium_version_string());
    if (sodium_init() < 0) {
        f.verdict = BAD;
        f.advice = "it does not start: no keys can be made";
    }
    return f;
}

static finding
look_at_files(void)
{
    finding f = { "files", GOOD, "", NULL };
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
        limit.rlim_cur = limit.rlim_max = 0;
    snprintf(f.found, sizeof f.found, "%llu open at once, %llu at most", (unsigned long long)limit.rlim_cur,
             (unsigned long long)limit.rlim_max);
    if (limit.rlim_cur < NODE_FILES) {
        f.verdict = WARNING;
        f.advice = "few: a node takes about two for each neighbour; raise ulimit -n";
    }
    return f;
}

static finding
look_at_sockets(void)
{
    finding f = { "sockets", GOOD, "", NULL };
    void *context = zmq_ctx_new();
    int most = context != NULL ? zmq_ctx_get(context, ZMQ_SOCKET_LIMIT) : 0;

    if (context != NULL)
        zmq_ctx_term(context);
    snprintf(f.found, sizeof f.found, "%d in a process at most", most);
    if (most < NODE_SOCKETS) {
        f.verdict = WARNING;
        f.advice = "few: a node takes two for each neighbour";
    }
    return f;
}

/* ---- the command */

static void
print_finding(const finding *f)
{
    printf("%-10s %-8s %s%s%s\n", f->what, words[f->verdict], f->found, f->advice != NULL ? ": " : "",
           f->advice != NULL ? f->advice : "");
}

static void
print_json(const finding *findings, size_t count)
{
    json_t *object = json_object();

    for (size_t i = 0; i < count; i++)
        json_object_set_new(object, findings[i].what,
                            json_pack("{s:s, s:s, s:s?}", "verdict", words[findings[i].verdict], "found",
                                      findings[i].found, "advice", findings[i].advice));
    json_dumpf(object, stdout, JSON_COMPACT);
    putchar('\n');
    json_decref(object);
}

static int
run(int argc, char **argv)
{
    static finding (*const looks[])(void) = { look_at_processor, look_at_blas,  look_at_zmq,
                                              look_at_sodium,    look_at_files, look_at_sockets };
    enum { LOOKS = sizeof looks / sizeof *looks };
    finding findings[LOOKS];
    int letter, as_json = 0, bad = 0;

    while ((letter = command_next_option(&doctor_command, argc, argv)) != -1)
        as_json |= letter == OPTION_JSON;
    command_no_operands(&doctor_command, argc, argv);
    for (size_t i = 0; i < LOOKS; i++) {
        findings[i] = looks[i]();
        bad |= findings[i].verdict == BAD;
        if (!as_json)
            print_finding(&findings[i]);
    }
    if (as_json)
        print_json(findings, LOOKS);
    return command_flush(&doctor_command) != EXIT_OK || bad ? EXIT_RUN : EXIT_OK;
}

static const command_option options[] = { { "json", OPTION_JSON, NULL, "print one JSON object" },
                                          { NULL, 0, NULL, NULL } };
const command doctor_command = { "doctor", "Tell what this machine offers a node", "[OPTION]...", options, run };
