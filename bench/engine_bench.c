/*
 * Rounds a second of the gossip engine (a ring of eight `p2popt run` processes over tcp) and of plain libzmq exchanging
 * messages of the same length on the same ring, turn by turn in one run.
 *
 * Usage: engine_bench [-s SECONDS] [-t TURNS] P2POPT [SIZE...]; SECONDS of raw exchange in a turn (default 1), TURNS
 * (default 5), payload bytes (default 100 10240 1048576). The engine runs dgd on the problem without a gradient: a
 * message is the iterate, and all there is to compute is the weighted mean.
 */
#include "bench.h"
#include "raw_ring.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { NODES = 8, TURNS_MAX = 50, HEADER = 64, FLAGS = 1 };

static const char *program;
static double seconds = 1;
static int turns = 5;

static double
raw_rate(size_t size, int curve, int rounds)
{
    raw_ring ring = { NODES, curve, HEADER + FLAGS + size, rounds };

    return rounds / raw_ring_run(&ring);
}

static double
engine_rate(size_t size, int curve, int rounds)
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

/* Raw, engine, raw, engine, ...: the yardstick is such that the ratio printed is the median of the turns' ratios. */
static void
compare(size_t size, int curve)
{
    double engine[TURNS_MAX], ratio[TURNS_MAX], rate;
    int rounds = (int)(seconds * raw_rate(size, curve, 20)) + 20;
    char name[64], label[32];

    for (int i = 0; i < turns; i++) {
        double raw = raw_rate(size, curve, rounds);

        engine[i] = engine_rate(size, curve, rounds);
        ratio[i] = engine[i] / raw;
    }
    rate = median(engine, turns);
    snprintf(name, sizeof name, "ring of %d, tcp, %s", NODES, curve ? "CURVE" : "plain");
    snprintf(label, sizeof label, "%zu B", size);
    bench_row("engine", name, label, rate, "rounds/s", rate / median(ratio, turns));
}

int
main(int argc, char **argv)
{
    static const size_t sizes[] = { 100, 10240, 1048576 };
    int option;

    while ((option = getopt(argc, argv, "s:t:")) != -1)
        if (option == 's')
            seconds = atof(optarg);
        else if (option == 't')
            turns = atoi(optarg);
        else
            bench_fail("usage", "engine_bench [-s SECONDS] [-t TURNS] P2POPT [SIZE...]");
    if (optind == argc || !(seconds > 0) || turns < 1 || turns > TURNS_MAX)
        bench_fail("usage", "expected the program, SECONDS above 0, 1 to 50 TURNS");
    program = argv[optind++];
    for (int curve = 0; curve < 2; curve++) {
        for (int i = optind; i < argc; i++)
            compare(strtoul(argv[i], NULL, 10), curve);
        for (size_t i = 0; optind == argc && i < sizeof sizes / sizeof *sizes; i++)
            compare(sizes[i], curve);
    }
    return 0;
}
