/* Option tables and spec strings: name:key=value,key=value, the same in the CLI, the swarm file and the API. */
#ifndef P2POPT_OPTION_H
#define P2POPT_OPTION_H

#include <math.h>
#include <p2popt/status.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What a value may look like, and the C type it is stored as. */
typedef enum {
    P2P_OPT_INT,    /* int64_t; P2P_AUTO_INT for "auto" */
    P2P_OPT_REAL,   /* double; NaN for "auto" (p2p_is_auto); also 1e-3, 1/8 */
    P2P_OPT_COUNT,  /* p2p_count: 10, 1% or 0.01 */
    P2P_OPT_BOOL,   /* int64_t 0 or 1; 0/1, no/yes, false/true */
    P2P_OPT_CHOICE, /* int64_t: index into the words of `min` */
    P2P_OPT_TEXT    /* p2p_text; parentheses protect commas */
} p2p_option_type;

/** A count, or a share of a dimension that is known later. */
typedef struct {
    uint64_t count; /* used if share is 0 */
    double share;   /* (0, 1], else 0 */
} p2p_count;

enum { P2P_TEXT_MAX = 256 };

/** A short text value, NUL-terminated. */
typedef struct {
    char s[P2P_TEXT_MAX];
} p2p_text;

#define P2P_AUTO_INT INT64_MIN

/** Whether a real option was left to the library. */
static inline int
p2p_is_auto(double value)
{
    return isnan(value);
}

/**
 * One option of a registry entry. A table ends with a NULL key.
 *
 * Ranges are closed; a leading "(" or a trailing ")" opens an end: min "(0", max "1)". "auto" is accepted where
 * it is the default. A CHOICE lists its words in min, as "auto|fixed|gaps", and has no max.
 */
typedef struct {
    const char *key; /* canonical name; further names after '|', as "lambda|lam" */
    p2p_option_type type;
    const char *value; /* default, in the text a user would write */
    const char *min, *max; /* NULL: no bound on that side */
    const char *help;
    size_t offset; /* where the value goes in the member's parameter struct */
} p2p_option;

/** What every registry entry of every family starts with. */
typedef struct {
    const char *name;   /* as in "topk:k=1%" */
    const char *help;   /* the line `p2popt list` prints */
    const char *source; /* where the formulas are from */
    const p2p_option *options; /* NULL: none */
    size_t param_size;         /* bytes of the parameter struct the offsets point into */
} p2p_entry;

/** The families that a registry lists. */
typedef enum {
    P2P_FAMILY_METHOD,
    P2P_FAMILY_COMPRESSOR,
    P2P_FAMILY_TOPOLOGY,
    P2P_FAMILY_MIXING,
    P2P_FAMILY_PROBLEM,
    P2P_FAMILY_AGGREGATOR,
    P2P_FAMILY_TRANSPORT,
    P2P_FAMILY_ATTACK,
    P2P_FAMILY_COUNT
} p2p_family;

/** "method", "compressor", ...; NULL beyond the last. */
P2P_API const char *p2p_family_name(p2p_family family);

/** Entries of a family, in the order of its list file. NULL for an index past the last. Static storage. */
P2P_API const p2p_entry *p2p_family_entry(p2p_family family, size_t index);

/** max(1, ceil(share * dim)), or the count, clamped to dim. */
P2P_API size_t p2p_count_of(p2p_count count, size_t dim);

#ifdef __cplusplus
}
#endif
#endif
