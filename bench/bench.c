#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

double
bench_now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void *
bench_memory(size_t bytes)
{
    void *memory = aligned_alloc(64, (bytes + 63) / 64 * 64);

    if (memory == NULL)
        bench_fail("memory", "there is not enough");
    memset(memory, 1, bytes);
    return memory;
}

void
bench_row(const char *section, const char *name, const char *size, double value, const char *unit, double yardstick)
{
    printf("row\t%s\t%s\t%s\t%.6g\t%s\t%.6g\n", section, name, size, value, unit, yardstick);
    fflush(stdout);
}

void
bench_note(const char *key, const char *text)
{
    printf("note\t%s\t%s\n", key, text);
    fflush(stdout);
}

void
bench_fail(const char *what, const char *why)
{
    fprintf(stderr, "bench: %s: %s\n", what, why);
    exit(1);
}
