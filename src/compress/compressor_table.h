/*
 * How a compressor is made: what a member of the family fills in, and what an opened one can do.
 *
 * A member is a sparsifier, a quantiser (both are parts, which a pipeline runs: pipeline_parts.h), or a scheme: a
 * wrapper around other compressors, or an algorithm with stages and state of its own.
 *
 * A scheme runs in two ways. Point to point, one message does it: encode at the sender, decode at each receiver.
 * Collectively, stages are run in order by all nodes; what absorb is given is what the stage's reduction delivered:
 *
 *     for each stage: emit -> reduction -> absorb;  then finish
 */
#ifndef P2PI_COMPRESSOR_TABLE_H
#define P2PI_COMPRESSOR_TABLE_H

#include "base/arena.h"

#include <p2popt/compressor.h>

typedef struct p2pi_codec p2pi_codec;

/* ---- stages */

typedef enum {
    P2PI_REDUCE_NONE,  /* a message for everyone: no collective execution beyond sending it */
    P2PI_REDUCE_BCAST, /* the leader's bytes, a frame; the leader is node (round mod nodes) */
    P2PI_REDUCE_MAX,
    P2PI_REDUCE_MIN,
    P2PI_REDUCE_SUM
} p2pi_reduction;

/** What travels in a stage: `count` numbers, reals of the element type (width 0) or unsigned of `width` bits. */
typedef struct {
    p2pi_reduction reduction;
    size_t count;
    unsigned width; /* bits of an integer, wide enough for the reduced value; 0: reals */
    size_t bytes;   /* of the stage's buffer, without P2PI_REDUCE_NONE */
} p2pi_stage;

/* ---- plan */

enum { P2PI_STAGES_MAX = 3, P2PI_STATES_MAX = 4 };

/** Memory between rounds, for checkpoints and resynchronisation. */
typedef struct {
    const char *name;
    p2p_vec value;
} p2pi_codec_state;

/** What is known of a compressor before it sees a vector. */
typedef struct {
    size_t bound; /* most bytes encode may write, P2PI_BITS_SPARE included */
    size_t stages;
    p2pi_stage stage[P2PI_STAGES_MAX];
    size_t states;
    p2pi_codec_state state[P2PI_STATES_MAX];
    p2p_compressor_constants constants;
    /* E||C||^2 <= moment <E C, x> and <E C, x> >= gain ||x||^2: then a C is contractive with
     * delta = (2 a - a^2 moment) gain, best at a = 1/moment. NaN: not known. */
    double moment, gain;
} p2pi_plan;

/* ---- decoding */

/** Where decoded values go. */
typedef struct {
    p2p_vec y; /* data NULL: the bytes are only checked */
    int add;   /* 0: y = v; 1: y += a v */
    double a;
    double factor; /* v = factor times the decoded value */
    int trusted;   /* the bytes have been accepted before */
} p2pi_target;

/* ---- what a scheme does; arrays have the codec's dimension and type */

typedef struct {
    /** Check the options against the shape, fill c->plan, take state and scratch from the arena. */
    p2p_status (*plan)(p2pi_codec *c, p2pi_arena *arena);

    /** buf[0..*len) = the message of x; buf holds c->plan.bound bytes. Memory moves on only if it succeeds. */
    p2p_status (*encode)(p2pi_codec *c, p2p_view x, const p2p_env *env, uint8_t *buf, size_t *len);

    /** Check the message and, when all of it is accepted, give the values to the target. P2P_EPROTO. */
    p2p_status (*decode)(p2pi_codec *c, const p2p_env *env, const uint8_t *buf, size_t len, const p2pi_target *t);

    /** Between the message and the self-describing frame. NULL: the message is a frame already. */
    p2p_status (*frame)(p2pi_codec *c, const p2p_env *env, const uint8_t *lean, size_t len, uint8_t *buf,
                        size_t *frame_len);
    p2p_status (*unframe)(p2pi_codec *c, const p2p_env *env, const uint8_t *frame, size_t len, uint8_t *buf,
                          size_t *lean_len);

    /** Bits of an accepted message as papers count them. */
    double (*nominal)(const p2pi_codec *c, const uint8_t *buf, size_t len);

    /** Set the plan's stages for the round. NULL: they are the same in every round. */
    void (*stages)(p2pi_codec *c, const p2p_env *env);

    /**
     * Collective execution, only called where no stage of the plan is P2PI_REDUCE_NONE: buf has the stage's bytes. x
     * is given in stage 0. absorb checks what came from others (P2P_EPROTO); its buffer stays as it is until finish.
     */
    p2p_status (*emit)(p2pi_codec *c, size_t stage, p2p_view x, const p2p_env *env, uint8_t *buf);
    p2p_status (*absorb)(p2pi_codec *c, size_t stage, const p2p_env *env, const uint8_t *buf);
    /** y = the vector every node holds (the mean of what nodes sent); residual = x - own contribution, or no data. */
    p2p_status (*finish)(p2pi_codec *c, const p2p_env *env, p2p_vec y, p2p_vec residual);
} p2pi_scheme;

/* ---- the table of a member */

typedef struct {
    size_t size;
    p2p_entry entry;
    uint8_t family;                              /* number in frames, never reused; 0: the operand's */
    const struct p2pi_sparsifier_vt *sparsifier; /* may be the first part of a pipeline */
    const struct p2pi_quantiser_vt *quantiser;   /* may be the last */
    const p2pi_scheme *scheme;                   /* neither */
    size_t operands;                             /* compressors in parentheses behind the name of a scheme */
    int follows;                                 /* C+NAME:options is another way to write NAME(C,options) */
} p2pi_compressor_vt;

/* ---- an opened compressor, or an operand of one */

enum { P2PI_OPERANDS_MAX = 2 };

/** A part of a spec: a member and its parsed options. */
typedef struct {
    const p2pi_compressor_vt *member;
    void *param;
} p2pi_choice;

struct p2pi_codec {
    const p2pi_scheme *scheme;
    p2p_shape shape;
    p2pi_choice part[2]; /* a pipeline's sparsifier and quantiser; a scheme's own options in the first */
    p2pi_codec *operand[P2PI_OPERANDS_MAX];
    unsigned comp; /* random streams of parts are numbered from here */
    p2pi_plan plan;
    void *work; /* the scheme's own, from the arena */
};

/** Open the compressor that a spec names, in an arena; with shape NULL only read the text. P2P_EPARSE, P2P_EINVAL,
 * P2P_ENOMEM. */
p2p_status p2pi_codec_open(p2pi_codec **out, const char *spec, const p2p_shape *shape, p2pi_arena *arena);

/** Canonical text of an opened compressor. */
void p2pi_codec_format(const p2pi_codec *c, char *text, size_t cap);

/**
 * Canonical text of a spec, checked as far as it can be without a shape: names, options and what they may join.
 *
 * @return P2P_OK; P2P_EPARSE, P2P_EINVAL as p2p_compressor_new; P2P_ENOMEM.
 */
p2p_status p2pi_compressor_canonical(const char *spec, char *text, size_t cap);

/** Entry i of compressors.def; NULL past the last. */
const p2p_entry *p2pi_compressor_entry(size_t i);

#endif
