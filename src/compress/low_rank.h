/*
 * Schemes that send a matrix as the product of two thin factors, out = P Q', and keep what was lost: V = x + e,
 * e = V - out. A vector is viewed as a matrix of rows x cols, row by row, padded with zeros.
 *
 * A message has both factors, so that receivers keep nothing; or the whole vector, in rounds that refresh what the
 * factors come from and where the factors would be no shorter. Both ends know which from the round.
 */
#ifndef P2PI_LOW_RANK_H
#define P2PI_LOW_RANK_H

#include "compress/reals_frame.h"

typedef struct p2pi_low_rank p2pi_low_rank;

/** What a member does; NULL: nothing. */
typedef struct {
    /** Before the first message. */
    void (*start)(p2pi_low_rank *self, const p2p_env *env);
    /** From V to P and Q. */
    void (*factor)(p2pi_low_rank *self, const p2p_env *env);
    /** After a message of the whole of V. */
    void (*refresh)(p2pi_low_rank *self);
} p2pi_low_rank_vt;

/** A codec's work. Factors are stored column by column: column j of P from p + j rows on. */
struct p2pi_low_rank {
    const p2pi_low_rank_vt *vt;
    const void *param;
    p2p_shape shape;
    size_t rows, cols, rank;
    size_t tau; /* rounds between refreshes; 0: none */
    int whole;  /* always */
    int memory; /* whether e is kept */
    p2pi_reals_frame factors, dense;
    double *v;         /* rows x cols */
    double *p, *q;     /* rank columns each */
    double *got_p, *got_q; /* those of a message */
    double *reals;     /* of a message */
    void *value;       /* entries of the type */
    p2p_vec e;
    int started;
    void *own;
};

/** Options that all members have, at the start of their parameters. */
typedef struct {
    int64_t rank, rows, memory, vt;
} p2pi_low_rank_param;

/** Sizes, frames, scratch and the memory; the member's plan sets vt, tau and own, and adds its state. */
p2p_status p2pi_low_rank_plan(p2pi_codec *c, p2pi_arena *arena, uint8_t family, p2pi_low_rank **out);

p2p_status p2pi_low_rank_encode(p2pi_codec *c, p2p_view x, const p2p_env *env, uint8_t *buf, size_t *len);
p2p_status p2pi_low_rank_decode(p2pi_codec *c, const p2p_env *env, const uint8_t *buf, size_t len,
                                const p2pi_target *t);
double p2pi_low_rank_nominal(const p2pi_codec *c, const uint8_t *buf, size_t len);

/** P = V Q and Q = V' P. */
void p2pi_low_rank_times(const p2pi_low_rank *self, const double *q, double *p);
void p2pi_low_rank_transposed_times(const p2pi_low_rank *self, const double *p, double *q);

/**
 * Orthonormal columns that span those of m, n entries each: thin QR with a positive diagonal, by Gram-Schmidt done twice;
 * a column whose diagonal entry is at most 2^-40 of the largest becomes 0.
 */
void p2pi_orthonormalise(double *m, size_t n, size_t columns);

/**
 * Singular vectors of V, thin: row i of left_t and of right_t belongs to the i-th largest of value; min(rows, cols) of
 * each. V is overwritten. Each right one, or with `by_left` each left one, has its largest entry positive, the first of
 * equals.
 */
typedef struct {
    double *value, *left, *left_t, *right_t, *work;
    int *iwork, lwork;
} p2pi_svd;
p2p_status p2pi_svd_open(p2pi_svd *self, const p2pi_low_rank *m, p2pi_arena *arena);
void p2pi_svd_of(p2pi_svd *self, const p2pi_low_rank *m, int by_left);

/** Standard normals of the init stream. */
void p2pi_low_rank_normals(const p2p_env *env, uint32_t node, uint32_t round, size_t rows, size_t columns, double *m);

/* Rows of option tables. */
#define P2PI_OPTIONS_LOW_RANK                                                                                        \
    { "rank", P2P_OPT_INT, "4", "1", "1024", "columns of a factor; at most what the matrix has",                     \
      offsetof(p2pi_low_rank_param, rank) },                                                                         \
        { "rows", P2P_OPT_INT, "0", "0", "4294967295", "rows of the matrix; 0: about square",                        \
          offsetof(p2pi_low_rank_param, rows) }
#define P2PI_OPTION_MEMORY                                                                                           \
    {                                                                                                                \
        "memory", P2P_OPT_BOOL, "1", NULL, NULL, "send later what was lost", offsetof(p2pi_low_rank_param, memory)   \
    }

#endif
