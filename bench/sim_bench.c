/*
 * A large ring in one process on the virtual clock: processor time and memory.
 *
 * Usage: sim_bench P2POPT [NODES [DIM [ROUNDS]]]; default 10000 50 100. The goals are the yardsticks: 60 seconds, 1 GiB.
 */
#include "bench.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { GOAL_SECONDS = 60, GOAL_MIB = 1024 };

static void
run(const char *program, const char *nodes, const char *dim, const char *rounds)
{
    char problem[64];
    int null = open("/dev/null", O_WRONLY);

    snprintf(problem, sizeof problem, "quadratic:dim=%s", dim);
    dup2(null, STDOUT_FILENO);
    execl(program, program, "run", "--transport", "sim", "--nodes", nodes, "--topology", "ring", "--method", "cold",
          "--compressor", "qinf:bits=2", "--problem", problem, "--rounds", rounds, "--report-every", rounds, "--quiet",
          (char *)NULL);
    _exit(127);
}

static double
seconds(struct timeval t)
{
    return (double)t.tv_sec + 1e-6 * (double)t.tv_usec;
}

int
main(int argc, char **argv)
{
    const char *program = argc > 1 ? argv[1] : "./p2popt", *nodes = argc > 2 ? argv[2] : "10000";
    const char *dim = argc > 3 ? argv[3] : "50", *rounds = argc > 4 ? argv[4] : "100";
    struct rusage usage;
    char size[96];
    pid_t child = fork();
    int status;

    if (child == 0)
        run(program, nodes, dim, rounds);
    if (child < 0 || wait4(child, &status, 0, &usage) < 0 || status != 0)
        bench_fail("sim", "the run failed");
    snprintf(size, sizeof size, "%s nodes, d=%s", nodes, dim);
    bench_row("sim", "cold, rounds: processor time", size, seconds(usage.ru_utime) + seconds(usage.ru_stime), "s",
              GOAL_SECONDS);
    bench_row("sim", "cold, rounds: largest memory", size, (double)usage.ru_maxrss / 1024, "MiB", GOAL_MIB);
    return 0;
}
