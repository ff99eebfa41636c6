/* What the bench programs share: a clock, the best of several runs, and rows for bench/run to collect. */
#ifndef BENCH_H
#define BENCH_H

#include <stddef.h>

/** Seconds of the monotonic clock. */
double bench_now(void);

/** 64-byte aligned memory with every page touched; ends the program if there is none. */
void *bench_memory(size_t bytes);

/** Print one row: section, name, size, value, unit, and the value of its yardstick in the same unit (0: none). */
void bench_row(const char *section, const char *name, const char *size, double value, const char *unit,
               double yardstick);

/** Print a line of the form key, text for the head of the report. */
void bench_note(const char *key, const char *text);

/** End the program with a line on stderr. */
void bench_fail(const char *what, const char *why) __attribute__((noreturn));

/** seconds = time of the quickest of count runs of statement. */
#define BENCH_BEST(seconds, count, statement)                                                                     \
    do {                                                                                                          \
        (seconds) = 1e300;                                                                                        \
        for (int bench_i = 0; bench_i < (count); bench_i++) {                                                     \
            double bench_t = bench_now();                                                                         \
            statement;                                                                                            \
            bench_t = bench_now() - bench_t;                                                                      \
            if (bench_t < (seconds))                                                                              \
                (seconds) = bench_t;                                                                              \
        }                                                                                                         \
    } while (0)

/** The same with as many runs as begin within `budget` seconds, at least one. */
#define BENCH_BEST_WITHIN(seconds, budget, statement)                                                             \
    do {                                                                                                          \
        double bench_end = bench_now() + (budget);                                                                \
                                                                                                                  \
        (seconds) = 1e300;                                                                                        \
        do {                                                                                                      \
            double bench_once;                                                                                    \
                                                                                                                  \
            BENCH_BEST(bench_once, 1, statement);                                                                 \
            if (bench_once < (seconds))                                                                           \
                (seconds) = bench_once;                                                                           \
        } while (bench_now() < bench_end);                                                                        \
    } while (0)

#endif
