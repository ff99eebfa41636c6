/*
 * Schemes that send a matrix as the product of two thin factors, out = P Q', and keep what was lost: V = x + e,
 * e = V - out. A vector is viewed as a matrix of rows x cols, row by row, padded with zeros.
 *
 * A message has both factors, so that receivers keep nothing; or the whole vector, in rounds that refresh what the
 * factors come from and where the factors would be no shorter. Both ends know which from the round.
 */
#ifndef P2PI_LOW_RANK_H
#define P2PI_LOW_RANK_H

#include "compress/frames/reals_frame.h"

typedef struct p2pi_low_rank p2pi_low_rank;

/** How a member comes from V to P and Q: at once, or in stages over sums of all nodes. NULL: nothing. */
typedef struct {
    /** Before the first message. */
    void (*start)(p2pi_low_rank *self, const p2p_env *env);
    void (*factor)(p2pi_low_rank *self, const p2p_env *env);
    /** Reals of a stage of this round; 0: there is no such stage. */
    size_t (*count)(const p2pi_low_rank *self, const p2p_env *env, size_t stage);
    /** This node's part; the last stage's is a factor. */
    void (*emit)(p2pi_low_rank *self, const p2p_env *env, size_t stage, double *out);
    void (*absorb)(p2pi_low_rank *self, const p2p_env *env, size_t stage, const double *mean);
    /** Whether the factor of the last stage is P, not Q. */
    int (*ends_in_p)(const p2pi_low_rank *self, const p2p_env *env);
    /** After a message of the whole of V, or of its mean over the nodes. */
    void (*refresh)(p2pi_low_rank *self);
} p2pi_low_rank_vt;

typedef enum {
    P2PI_MEMORY_COMMON, /* e = V - out */
    P2PI_MEMORY_OWN,    /* e = V - what this node alone would give: P Q' with its own part of the last stage */
    P2PI_MEMORY_NONE
} p2pi_low_rank_memory;

/** A codec's work. Factors are stored column by column: column j of P from p + j rows on. */
struct p2pi_low_rank {
    const p2pi_low_rank_vt *vt;
    const void *param;
    p2p_shape shape;
    size_t rows, cols, rank;
    size_t tau; /* rounds between refreshes; 0: none */
    int whole;  /* always */
    p2pi_low_rank_memory memory;
    p2pi_reals_frame factors, dense;
    double *v;             /* rows x cols */
    double *p, *q;         /* rank columns each */
    double *got_p, *got_q; /* those of a message */
    double *reals;         /* of a message or a stage */
    double *mine;          /* own part of the last stage */
    int absorbed;          /* every stage of the round */
    void *value;           /* entries of the type */
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

/* low_rank_collective.c: the other functions of a scheme whose member has stages. */
void p2pi_low_rank_stages(p2pi_codec *c, const p2p_env *env);
p2p_status p2pi_low_rank_emit(p2pi_codec *c, size_t stage, p2p_view x, const p2p_env *env, uint8_t *buf);
p2p_status p2pi_low_rank_absorb(p2pi_codec *c, size_t stage, const p2p_env *env, const uint8_t *buf);
p2p_status p2pi_low_rank_finish(p2pi_codec *c, const p2p_env *env, p2p_vec y, p2p_vec residual);

/** Whether the round sends the whole of V. */
int p2pi_low_rank_is_whole(const p2pi_low_rank *self, const p2p_env *env);
/** V = x + e, and what comes before the first message. P2P_EINVAL: an entry is not finite. */
p2p_status p2pi_low_rank_take(p2pi_low_rank *self, p2p_view x, const p2p_env *env);
/** The first dim entries of P Q'. */
void p2pi_low_rank_multiply(const p2pi_low_rank *self, const double *p, const double *q, p2p_vec value);

/** P = V Q and Q = V' P. */
void p2pi_low_rank_times(const p2pi_low_rank *self, const double *q, double *p);
void p2pi_low_rank_transposed_times(const p2pi_low_rank *self, const double *p, double *q);

/**
 * Orthonormal columns that span those of m, n entries each: thin QR with a positive diagonal, by Gram-Schmidt done
 * twice; a column whose diagonal entry is at most 2^-40 of the largest becomes 0.
 */
void p2pi_orthonormalise(double *m, size_t n, size_t columns);

/**
 * Singular vectors of V, thin: row i of left_t and of right_t belongs to the i-th largest of value; min(rows, cols)
 * of each. V is overwritten. Each right one, or with `by_left` each left one, has its largest entry positive, the
 * first of equals.
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
    { "rank",                                                                                                        \
      P2P_OPT_INT,                                                                                                   \
      "4",                                                                                                           \
      "1",                                                                                                           \
      "1024",                                                                                                        \
      "columns of a factor; at most what the matrix has",                                                            \
      offsetof(p2pi_low_rank_param, rank) },                                                                         \
    {                                                                                                                \
        "rows", P2P_OPT_INT, "0", "0", "4294967295", "rows of the matrix; 0: about square",                          \
            offsetof(p2pi_low_rank_param, rows)                                                                      \
    }
#define P2PI_OPTION_MEMORY                                                                                           \
    {                                                                                                                \
        "memory", P2P_OPT_CHOICE, "common", "common|own|none", NULL, "send later what was lost",                     \
            offsetof(p2pi_low_rank_param, memory)                                                                    \
    }

#endif
