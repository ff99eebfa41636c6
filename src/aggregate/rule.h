/* What a rule is given, the memory it may use, and the table that every rule fills. */
#ifndef P2PI_RULE_H
#define P2PI_RULE_H

#include <p2popt/option.h>
#include <p2popt/status.h>
#include <p2popt/vector.h>
#include <stddef.h>
#include <stdint.h>

/** The vectors of one call: sound, and in the caller's order; own is row 0 where there is one. */
typedef struct {
    size_t count;
    int own; /* whether row 0 is own */
    const void **row;
    double *weight; /* own's as the caller gave it, then those of the rows that are left */
    size_t liars;   /* f: how many of the rows may lie; what was refused has been taken off */
    size_t dim;
    p2p_dtype type;
    uint64_t seed; /* what every node draws alike, for this round */
    uint32_t round;
} p2pi_rows;

/** Work memory, for the most rows there can be and one more. */
typedef struct {
    double *coefficient, *number; /* one a row */
    size_t *index;                /* one a row */
    const void **row;             /* one a row, for a list of some of them */
    double *pair;                 /* as many matrices of rows x rows as the table asks for */
    double *block;                /* P2PI_RULE_BLOCKS and pre-aggregators: twice rows x P2PI_STRIDE */
    p2p_vec memory;               /* P2PI_RULE_MEMORY: kept from call to call; zero at first */
} p2pi_scratch;

enum {
    P2PI_RULE_OWN = 1,        /* needs an own vector */
    P2PI_RULE_NEIGHBOURS = 2, /* its minimum counts neighbours, not rows */
    P2PI_RULE_BLOCKS = 4,     /* uses scratch->block */
    P2PI_RULE_MEMORY = 8,     /* uses scratch->memory */
    P2PI_RULE_MIXES_OWN = 16  /* of a pre-aggregator: no row is own behind it */
};

/**
 * A rule, or a pre-aggregator: one table per member.
 *
 * An option "f" (int64_t) is the member's number of liars, handed over as rows->liars; a member without it gets 0.
 */
typedef struct {
    size_t size;
    p2p_entry entry;
    unsigned traits;
    unsigned matrices;       /* of rows x rows numbers in scratch->pair */
    unsigned least_f, least; /* least number of rows: least_f * f + least */
    const char *breakdown;   /* share of liars beyond which nothing is promised, for the message */
    /** Whether the member can work on so many rows, beside the minimum; NULL: always. Sets the sentence if not. */
    int (*check)(const void *param, size_t rows, size_t liars);
    /** z = rule(rows), for at least the least number of rows. NULL for a pre-aggregator. */
    void (*apply)(const void *param, const p2pi_rows *rows, p2pi_scratch *scratch, p2p_vec z);
    /**
     * A pre-aggregator: fills matrix (outputs x rows->count) and the outputs' weights; output i then becomes
     * sum_j matrix[i * rows->count + j] v_j.
     */
    void (*mix)(const void *param, const p2pi_rows *rows, p2pi_scratch *scratch, double *matrix, double *weight);
    /** Outputs of a pre-aggregator for so many rows; NULL: as many. */
    size_t (*outputs)(const void *param, size_t rows);
} p2pi_aggregator_vt;

/** Parameters of members whose one option is f. */
typedef struct {
    int64_t f;
} p2pi_rule_liars;

#define P2PI_OPTION_F(text, type)                                                                                    \
    {                                                                                                                \
        "f", P2P_OPT_INT, text, "0", "1000000", "vectors that may lie", offsetof(type, f)                            \
    }
#define P2PI_OPTION_END                                                                                              \
    {                                                                                                                \
        NULL, P2P_OPT_INT, NULL, NULL, NULL, NULL, 0                                                                 \
    }

/** The table "f" alone: default 1. */
extern const p2p_option p2pi_rule_liars_options[];

/** Entry i of aggregators.def as its table; NULL past the last. */
const p2pi_aggregator_vt *p2pi_aggregator_table(size_t i);

#endif
