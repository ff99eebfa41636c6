/* Lossless homomorphic compression: what messages (lhc.c) and sums over all nodes (lhc_collective.c) share. */
#ifndef P2PI_LHC_H
#define P2PI_LHC_H

#include "compress/around/peeling.h"
#include "compress/compressor_table.h"

/** Entries beyond the expected ones that a sum's sketch has room for: few entries are unlucky more often. */
enum { P2PI_LHC_SLACK = 16 };

typedef struct {
    double cells;
    int64_t lanes, arith, strict;
} p2pi_lhc_param;

/** A codec's work. */
typedef struct {
    const p2pi_lhc_param *o;
    size_t lanes;
    size_t rows; /* of the sketch of a sum; 0: it would be as long as the vector */
    int integers;
    p2p_vec x, kept; /* what was given, and C of it */
    size_t count;
    uint32_t *index;  /* entries of kept that are not 0 */
    uint32_t *all;    /* entries of a message, or of all nodes */
    double *real;     /* their values, */
    int64_t *integer; /* in fixed point */
    double *real_cell;
    uint64_t *integer_cell;
    uint8_t *message; /* of C */
    p2pi_peeling peeling;
    int exponent; /* collective execution: of the fixed point */
    size_t absorbed, all_count;
} p2pi_lhc;

static inline p2pi_peel_tables
p2pi_lhc_tables(const p2pi_lhc *w, size_t rows, uint64_t seed)
{
    return (p2pi_peel_tables){ (uint32_t)seed, rows, w->lanes };
}

/** kept = C(x), and its entries that are not 0. */
p2p_status p2pi_lhc_take(p2pi_codec *c, p2p_view x, const p2p_env *env);

/** The fixed point of entries up to `largest` of so many nodes: v is the integer v 2^exponent. */
int p2pi_lhc_exponent(double largest, size_t nodes);

/** Empty the cells; add the entries of the plan to them. */
void p2pi_lhc_clear(p2pi_lhc *w, p2pi_peel_tables t);
void p2pi_lhc_fill(p2pi_lhc *w, int exponent);

/** Values of the plan's entries, times a factor, to w->real; returns the first that is not finite, else how many. */
size_t p2pi_lhc_read_back(p2pi_lhc *w, int exponent, double factor);

/* lhc_collective.c */
void p2pi_lhc_plan_stages(p2pi_codec *c, const p2pi_lhc *w);
p2p_status p2pi_lhc_emit(p2pi_codec *c, size_t stage, p2p_view x, const p2p_env *env, uint8_t *buf);
p2p_status p2pi_lhc_absorb(p2pi_codec *c, size_t stage, const p2p_env *env, const uint8_t *buf);
p2p_status p2pi_lhc_finish(p2pi_codec *c, const p2p_env *env, p2p_vec y, p2p_vec residual);

#endif
