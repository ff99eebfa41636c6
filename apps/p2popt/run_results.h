/* What a run leaves: a line a round in run.jsonl, the solution, and the closing words or JSON object. */
#ifndef RUN_RESULTS_H
#define RUN_RESULTS_H

#include "monitor.h"

#include <stdio.h>

/** A run that has ended. */
typedef struct {
    const p2p_swarm *swarm;
    const char *transport, *parameters; /* parameters: the method's, as in force; "" if unknown */
    const char *output;                 /* NULL: none */
    size_t nodes, dim, lost;
    double optimum, seconds;            /* NaN: unknown; wall clock */
    double accuracy;                    /* of the solution, over all samples; NaN: no classes */
    measure_kind measure;               /* what last.gap is */
    figures last;
    p2p_end end;
} run_outcome;

/** 1 or 0; -1 where neither a tolerance nor an optimum can tell. */
int run_reached(const run_outcome *outcome);

void run_print_round(FILE *out, const figures *f);
void run_print_json(const run_outcome *outcome);
void run_print_summary(const run_outcome *outcome);

#endif
