/* What a rule is given, and the table that every rule fills. */
#ifndef P2PI_RULE_H
#define P2PI_RULE_H

#include <p2popt/option.h>
#include <p2popt/status.h>
#include <p2popt/vector.h>
#include <stddef.h>

/** The vectors of one call: sound, and in the caller's order; own is row 0 where there is one. */
typedef struct {
    size_t count;
    int own; /* whether row 0 is own */
    const void **row;
    double *weight; /* own's as the caller gave it, then those of the rows that are left */
    size_t dim;
    p2p_dtype type;
} p2pi_rows;

typedef struct {
    size_t size;
    p2p_entry entry;
    /** z = rule(rows); rows->count >= 1. coefficient: room for one number a row. */
    p2p_status (*apply)(const void *param, const p2pi_rows *rows, double *coefficient, p2p_vec z);
} p2pi_aggregator_vt;

/** Entry i of aggregators.def as its table; NULL past the last. */
const p2pi_aggregator_vt *p2pi_aggregator_table(size_t i);

#endif
