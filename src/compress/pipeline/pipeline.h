/* The scheme that runs a sparsifier, a quantiser, or a quantiser on what a sparsifier keeps. */
#ifndef P2PI_PIPELINE_H
#define P2PI_PIPELINE_H

#include "compress/pipeline/pipeline_parts.h"

extern const p2pi_scheme p2pi_pipeline;

/** An opened pipeline: a codec's work. */
typedef struct {
    p2pi_sparsifier sparsifier;
    p2pi_quantiser quantiser;
    p2pi_sparsifier *s; /* NULL: every entry goes to the quantiser */
    p2pi_quantiser *q;  /* NULL: values travel as reals */
    uint8_t family, inner;
    unsigned flags;   /* of a message that is not zero, the sparse form of a dense quantiser aside */
    int sparse_form;  /* a dense quantiser may send the support and symbols of its non-zero codes */
    int fixed_layout; /* bytes do not depend on x, so that payloads add: no zero message */
    p2pi_real real;
    size_t most; /* values of a message */
    void *clean; /* dim entries: a copy of x, if it has denormals or -0 */
    void *value; /* `most` entries: what the sparsifier kept */
    uint32_t *index, *symbol;
    double *scale;
    const uint8_t *reduced; /* collective execution: what the reduction delivered, the caller's until finish */
} p2pi_pipeline_work;

/** What one vector becomes before it is written; scales, symbols and the support are in the scratch. */
typedef struct {
    unsigned flags;
    size_t n;       /* values */
    size_t symbols; /* that a quantiser makes of them */
    size_t scales;
    p2p_view values; /* what the quantiser was given, or what travels as reals */
} p2pi_pipeline_content;

/** Flags of a message's first byte. */
enum { P2PI_FLAG_SPARSE = 1, P2PI_FLAG_SHARED = 2, P2PI_FLAG_SYMBOLS = 4, P2PI_FLAG_ZERO = 8 };

/** Number of values that the quantiser, if there is one, was given for a message with n of them. */
static inline size_t
p2pi_pipeline_inputs(const p2pi_pipeline_work *p, const p2pi_codec *c, size_t n)
{
    return p->s != NULL ? n : c->shape.dim;
}

/**
 * Clean x, pick what is kept, measure it for the quantiser. P2P_EINVAL: an entry is not finite, a norm does not fit,
 * env has no scale.
 */
p2p_status p2pi_pipeline_prepare(p2pi_pipeline_work *p, p2p_view x, const p2p_env *env, p2pi_pipeline_content *m);

/** The part of what the quantiser was given that begins at `at`, and its symbols. */
size_t p2pi_pipeline_symbols(const p2pi_pipeline_work *p, const p2p_env *env, const p2pi_pipeline_content *m,
                             size_t at, uint32_t *symbol);

/** All symbols, to the scratch. */
void p2pi_pipeline_quantise(const p2pi_pipeline_work *p, const p2p_env *env, const p2pi_pipeline_content *m);

/** Flags, number of values and scales of a message; returns the byte behind them. */
uint8_t *p2pi_pipeline_write_head(const p2pi_pipeline_work *p, const p2pi_pipeline_content *m, uint8_t *at);

/** The message of what was measured, dim entries: any code; or, if it returns 1, fields of one width. */
void p2pi_pipeline_write_symbols(const p2pi_pipeline_work *p, const p2p_env *env, p2pi_pipeline_content *m,
                                 size_t dim, uint8_t *buf, size_t *len);
int p2pi_pipeline_write_fields(const p2pi_pipeline_work *p, const p2p_env *env, const p2pi_pipeline_content *m,
                               size_t dim, uint8_t *buf, size_t *len);

/** Whether counts of dense symbols tell that their sparse form is not shorter; else *sparse, *code are the latter's.
 */
int p2pi_sparse_form_hopeless(size_t dim, const p2pi_symbol_counts *counts, const p2pi_value_code *values,
                              p2pi_symbol_counts *sparse, p2pi_value_code *code);

/** Stages of collective execution for linear and additive compressors, else P2PI_REDUCE_NONE. */
void p2pi_pipeline_plan_stages(p2pi_codec *c);

/* pipeline_encode.c, pipeline_decode.c, pipeline_frame.c, pipeline_collective.c: the scheme's functions. */
p2p_status p2pi_pipeline_encode(p2pi_codec *c, p2p_view x, const p2p_env *env, uint8_t *buf, size_t *len);
p2p_status p2pi_pipeline_decode(p2pi_codec *c, const p2p_env *env, const uint8_t *buf, size_t len,
                                const p2pi_target *t);
p2p_status p2pi_pipeline_frame(p2pi_codec *c, const p2p_env *env, const uint8_t *lean, size_t len, uint8_t *buf,
                               size_t *frame_len);
p2p_status p2pi_pipeline_unframe(p2pi_codec *c, const p2p_env *env, const uint8_t *frame, size_t len, uint8_t *buf,
                                 size_t *lean_len);

p2p_status p2pi_pipeline_emit(p2pi_codec *c, size_t stage, p2p_view x, const p2p_env *env, uint8_t *buf);
p2p_status p2pi_pipeline_absorb(p2pi_codec *c, size_t stage, const p2p_env *env, const uint8_t *buf);
p2p_status p2pi_pipeline_finish(p2pi_codec *c, const p2p_env *env, p2p_vec y, p2p_vec residual);

/** Whether this configuration writes messages with these flags. P2P_EPROTO. */
p2p_status p2pi_pipeline_check_flags(const p2pi_pipeline_work *p, unsigned flags);

/** The scale both ends know, for quantisers that need it: finite, positive, normal in the element type. P2P_EINVAL.
 */
p2p_status p2pi_pipeline_check_env(const p2pi_pipeline_work *p, const p2p_env *env);

/** Turn the dense symbols of d entries into those of the non-zero ones, less 1, and their support; and back. */
size_t p2pi_support_of(const uint32_t *symbol, size_t d, uint32_t *index);
void p2pi_symbols_compact(uint32_t *symbol, const uint32_t *index, size_t n);
void p2pi_symbols_expand(uint32_t *symbol, const uint32_t *index, size_t n, size_t d);

#endif
