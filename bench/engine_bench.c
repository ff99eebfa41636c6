/*
 * Rounds a second of the gossip engine (a ring of `p2popt run` processes over tcp) and of plain libzmq exchanging the
 * same bytes on the same ring, turn by turn in one run.
 *
 * Usage: engine_bench P2POPT [SECONDS [TURNS]]; SECONDS of raw exchange in a turn (default 1), TURNS (default 5).
 * The engine runs dgd on the problem without a gradient, so that a message is the iterate and nothing else is computed.
 */
#include "bench.h"
#include "raw_ring.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NODES = 8, TURNS_MAX = 50, HEADER = 64 };

typedef struct {
    const char *program;
    double seconds;
    int turns;
} settings;

static double
raw_rate(size_t size, int curve, int rounds)
{
    raw_ring ring = { NODES, curve, HEADER + size, rounds };

    return rounds / raw_ring_run(&ring);
}

static double
engine_rate(const char *program, size_t size, int curve, int rounds)
{
    char command[1024];
    json_error_t error;
    json_t *result;
    FILE *pipe;
    double rate;

    snprintf(command, sizeof command,
             "exec '%s' run --nodes %d --topology ring --method dgd:step=1e-3 --compressor identity "
             "--problem consensus:dim=%zu --dtype f32 "
             "--transport tcp --security %s --rounds %d --report-every %d --json --quiet",
             program, NODES, size / sizeof(float), curve ? "curve" : "none", rounds, rounds);
    pipe = popen(command, "r");
    if (pipe == NULL)
        bench_fail("engine", "cannot start");
    result = json_loadf(pipe, 0, &error);
    if (pclose(pipe) != 0 || result == NULL)
        bench_fail("engine", command);
    rate = json_number_value(json_object_get(result, "rounds_per_second"));
    json_decref(result);
    return rate;
}

static int
ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static double
median(double *values, int count)
{
    qsort(values, (size_t)count, sizeof *values, ascending);
    return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

/* Raw and engine in turn; the yardstick is chosen so that the ratio printed is the median of the turns' ratios. */
static void
compare(const settings *s, const char *label, size_t size, int curve)
{
    double raw[TURNS_MAX], engine[TURNS_MAX], ratio[TURNS_MAX], rate;
    int rounds = (int)(s->seconds * raw_rate(size, curve, 20)) + 20;
    char name[64];

    for (int i = 0; i < s->turns; i++) {
        raw[i] = raw_rate(size, curve, rounds);
        engine[i] = engine_rate(s->program, size, curve, rounds);
        ratio[i] = engine[i] / raw[i];
    }
    rate = median(engine, s->turns);
    snprintf(name, sizeof name, "ring of %d, tcp, %s", NODES, curve ? "CURVE" : "plain");
    bench_row("engine", name, label, rate, "rounds/s", rate / median(ratio, s->turns));
}

int
main(int argc, char **argv)
{
    static const struct {
        const char *label;
        size_t size;
    } messages[] = { { "100 B", 100 }, { "10 KiB", 10240 }, { "1 MiB", 1048576 } };
    settings s = { argc > 1 ? argv[1] : "./p2popt", argc > 2 ? atof(argv[2]) : 1, argc > 3 ? atoi(argv[3]) : 5 };

    if (!(s.seconds > 0) || s.turns < 1 || s.turns > TURNS_MAX)
        bench_fail("usage", "engine_bench P2POPT [SECONDS [TURNS]]");
    for (int curve = 0; curve < 2; curve++)
        for (size_t i = 0; i < sizeof messages / sizeof *messages; i++)
            compare(&s, messages[i].label, messages[i].size, curve);
    return 0;
}
