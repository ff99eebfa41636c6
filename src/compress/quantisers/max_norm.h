/* Inside maxnorm and multiscale: what their messages and their collective execution share. */
#ifndef P2PI_MAX_NORM_H
#define P2PI_MAX_NORM_H

#include "compress/compress_draws.h"
#include "compress/pipeline/pipeline.h"

enum { P2PI_SCALES_MOST = 16 };

typedef struct {
    int64_t level;
    p2p_text levels;
    p2p_count k;
    int64_t norm, scale, code, dither, vt;
} p2pi_max_norm_param;

/** A codec's work; its operand is the pipeline that measures, and makes messages. */
typedef struct {
    const p2pi_max_norm_param *o;
    size_t count;
    uint32_t level[P2PI_SCALES_MOST]; /* ascending */
    unsigned comp;
    p2pi_subset subset;
    /* collective execution: */
    p2p_vec x, y;    /* this node's vector, and the entries of it that are quantised */
    uint32_t *scale; /* of each */
    uint32_t *code;  /* this node's, zigzag */
    double norm;
    const uint8_t *sums; /* NULL: not there yet */
} p2pi_max_norm;

/** The largest level count at which a share of the norm has a code that the smallest count has too. */
uint32_t p2pi_max_norm_scale(const p2pi_max_norm *w, double share);
/** Codes of the entries at .. of y; each scale is the entry's own, or one of those given. */
void p2pi_max_norm_quantise(const p2pi_max_norm *w, const p2p_env *env, double norm, size_t at, p2p_view y,
                            const uint32_t *given, uint32_t *scale, uint32_t *code);
double p2pi_max_norm_value(const p2pi_max_norm *w, double norm, uint32_t t, uint32_t code);

/* max_norm_collective.c: stages of the plan, and the scheme's functions. */
void p2pi_max_norm_stages(p2pi_codec *c, const p2pi_max_norm *w);
p2p_status p2pi_max_norm_emit(p2pi_codec *c, size_t stage, p2p_view x, const p2p_env *env, uint8_t *buf);
p2p_status p2pi_max_norm_absorb(p2pi_codec *c, size_t stage, const p2p_env *env, const uint8_t *buf);
p2p_status p2pi_max_norm_finish(p2pi_codec *c, const p2p_env *env, p2p_vec y, p2p_vec residual);

#endif
