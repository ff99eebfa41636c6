/*
 * golden-run's own interface: a kind of case file is one source file, one golden_kind, one line in golden_kinds.def.
 *
 * A file is offered to each kind in turn; the one that accepts it runs every case in it and reports each.
 */
#ifndef GOLDEN_H
#define GOLDEN_H

#include <jansson.h>
#include <p2popt.h>
#include <stddef.h>

typedef enum { GOLDEN_PASS, GOLDEN_FAIL, GOLDEN_SKIP } golden_verdict;

typedef struct {
    const char *name;
    /** Whether the file is of this kind; path tells files whose content does not. */
    int (*accepts)(const char *path, const json_t *file);
    /** Run the file's cases and report each of them. */
    void (*run)(const char *path, const json_t *file);
} golden_kind;

/**
 * Print and count one case.
 *
 * @param error worst relative error found; NaN where none was measured.
 * @param why   printf format of a short reason; NULL if there is nothing to say.
 */
void golden_report(golden_verdict verdict, const char *name, double error, const char *why, ...) P2P_PRINTF(4, 5);

/** Name of a case: the file's name without folder and ".json", and "#index" if index >= 0. */
void golden_name(char *name, size_t cap, const char *path, long index);

/** Copy at most cap numbers of nested arrays, row by row; returns how many there are. Non-numbers count as NaN. */
size_t golden_numbers(const json_t *value, size_t cap, double *out);

/** ||x - y|| / max(||y||, 1e-300) of count doubles; NaN if x has one. */
double golden_error(size_t count, const double *x, const double *y);

#endif
