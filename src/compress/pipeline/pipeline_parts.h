/*
 * The parts of a pipeline: SPARSIFIER, QUANTISER, or SPARSIFIER+QUANTISER.
 *
 * A sparsifier picks k entries and a factor; the quantiser turns the k values, or all d entries where there is no
 * sparsifier, into scales and unsigned symbols. What they have in common (cleaning the input, the zero message,
 * lossless coding, frames, checks, adding to a vector) is the pipeline's work: pipeline.c.
 */
#ifndef P2PI_PIPELINE_PARTS_H
#define P2PI_PIPELINE_PARTS_H

#include "compress/coding/index_section.h"
#include "compress/coding/value_section.h"
#include "compress/compressor_table.h"
#include "compress/kernels/reals.h"

/** Constants of a part, NaN where it has none; as in p2p_compressor_constants. */
typedef struct {
    unsigned traits;
    double omega, delta, error2, range;
} p2pi_part_constants;

/* ---- sparsifiers */

/** An opened sparsifier. open fills what follows the shape. */
typedef struct {
    const struct p2pi_sparsifier_vt *vt;
    const void *param;
    p2p_shape shape;
    unsigned comp;
    size_t least, most;  /* entries it keeps */
    int counted_as_most; /* papers count the bits of `most` entries, whatever is sent */
    int everything;      /* all entries, in order: pick is not asked */
    int needs_scale;     /* uses env->scale */
    int sent;            /* the support travels; otherwise it follows from env and x is not looked at */
    p2pi_index_mode index;
    p2pi_real real; /* of values that no quantiser follows */
    size_t states;
    p2pi_codec_state state[P2PI_STATES_MAX];
    p2pi_part_constants constants;
    void *work;
} p2pi_sparsifier;

typedef struct p2pi_sparsifier_vt {
    p2p_status (*open)(p2pi_sparsifier *self, p2pi_arena *arena);
    /**
     * Choose entries of x: index[0..k) ascending, values factor x_i; returns k.
     *
     * @param x clean; no data at a receiver, which only happens if the support is not sent.
     */
    size_t (*pick)(p2pi_sparsifier *self, p2p_view x, const p2p_env *env, uint32_t *index, double *factor);
} p2pi_sparsifier_vt;

/* ---- quantisers */

enum { P2PI_PARAMS_MAX = 4 };

/** An opened quantiser. open fills what follows the shape. */
typedef struct {
    const struct p2pi_quantiser_vt *vt;
    const void *param;
    p2p_shape shape; /* dim: the most values it is given */
    unsigned comp;
    size_t params;      /* numbers that describe it in a frame */
    size_t sent_params; /* of these, the last ones, which follow the data and travel in every message */
    uint32_t param_value[P2PI_PARAMS_MAX];
    int signed_codes; /* symbols are zigzag, so symbol 0 decodes to 0 */
    uint32_t largest; /* symbol */
    int needs_scale;  /* uses env->scale */
    int signed_scales;
    p2pi_real real; /* of its scales */
    p2pi_code code;
    p2pi_part_constants constants;
    void *work;
} p2pi_quantiser;

typedef struct p2pi_quantiser_vt {
    p2p_status (*open)(p2pi_quantiser *self, p2pi_arena *arena);
    /** Number of scales for k values, k >= 1; NULL: none. */
    size_t (*scales)(const p2pi_quantiser *self, size_t k);
    /** Number of symbols for k values, k >= 1; NULL: one each. Others restore, and get no y to quantise, but its dim.
     */
    size_t (*symbols)(const p2pi_quantiser *self, size_t k);
    /**
     * Scales of y, rounded to their wire format (infinite if they do not fit it), and parameters that follow the
     * data. NULL: y is not looked at.
     */
    void (*measure)(p2pi_quantiser *self, const p2p_env *env, p2p_view y, double *scale);
    /**
     * Symbols of the entries at .. at + y.dim - 1 of what was measured: at most P2PI_CHUNK of them, `at` a multiple
     * of that. Called once or more for each part, in any order, so what is random is a function of `at`.
     */
    void (*quantise)(p2pi_quantiser *self, const p2p_env *env, const double *scale, size_t at, p2p_view y,
                     uint32_t *symbol);
    /** Whether the parameters of a message that follow the data are possible, and with them which symbols. NULL: yes.
     */
    int (*accept)(const p2pi_quantiser *self, uint32_t *largest);
    /** Index of the first of n symbols that no value has; n if there is none. NULL: all up to the largest have one.
     */
    size_t (*first_bad)(const p2pi_quantiser *self, const uint32_t *symbol, size_t n);
    /**
     * The largest magnitude that a scale decodes to, as an entry: a message where it is not finite is refused. NULL:
     * the scale itself.
     */
    double (*reach)(const p2pi_quantiser *self, double scale);
    /** y = values at .. at + y.dim - 1 of k. symbol is that of value `at`. */
    void (*dequantise)(const p2pi_quantiser *self, const p2p_env *env, const double *scale, const uint32_t *symbol,
                       size_t at, p2p_vec y);
    /** Instead of dequantise, where symbols are not one each: all k values, in memory of the quantiser. */
    p2p_view (*restore)(p2pi_quantiser *self, const p2p_env *env, const double *scale, const uint32_t *symbol,
                        size_t k);
    /** Bits for k values as papers count them; zero: all of them are zero. */
    double (*nominal)(const p2pi_quantiser *self, size_t k, int zero);
    /**
     * Additive quantisers: a value is offset + step symbol, so that sums of symbols decode to sums; signed codes
     * count from the least code. NULL: others.
     */
    void (*affine)(const p2pi_quantiser *self, const p2p_env *env, double *offset, double *step);
} p2pi_quantiser_vt;

/** Number of scales for k values, k >= 0. */
static inline size_t
p2pi_quantiser_scales(const p2pi_quantiser *q, size_t k)
{
    return q->vt->scales != NULL && k > 0 ? q->vt->scales(q, k) : 0;
}

/** Number of symbols for k values, k >= 0. */
static inline size_t
p2pi_quantiser_symbols(const p2pi_quantiser *q, size_t k)
{
    return q->vt->symbols != NULL && k > 0 ? q->vt->symbols(q, k) : k;
}

/** The scale of quantisers that have one, for any k. */
static inline size_t
p2pi_one_scale(const p2pi_quantiser *q, size_t k)
{
    (void)q;
    (void)k;
    return 1;
}

static inline double
p2pi_quantiser_reach(const p2pi_quantiser *q, double scale)
{
    if (q->vt->reach != NULL)
        return q->vt->reach(q, scale);
    return q->shape.type == P2P_F32 ? (double)(float)scale : scale;
}

/** Functions for tables of quantisers: symbols [y < 0], whatever the scale; values scale times zigzag code. */
void p2pi_quantise_signs(p2pi_quantiser *self, const p2p_env *env, const double *scale, size_t at, p2p_view y,
                         uint32_t *symbol);
void p2pi_dequantise_codes(const p2pi_quantiser *self, const p2p_env *env, const double *scale,
                           const uint32_t *symbol, size_t at, p2p_vec y);

/* ---- options that parts share: rows of option tables */

/** vt = the wire format of reals. */
#define P2PI_OPTION_VT(type, field)                                                                                  \
    {                                                                                                                \
        "vt", P2P_OPT_CHOICE, "auto", "auto|f32|f64|f16|bf16", NULL,                                                 \
            "wire format of reals; auto is the element type", offsetof(type, field)                                  \
    }

#define P2PI_OPTION_INDEX(type, field)                                                                               \
    {                                                                                                                \
        "index", P2P_OPT_CHOICE, "auto", "auto|fixed|bitmap|gaps|gamma|rice", NULL, "code of the support",           \
            offsetof(type, field)                                                                                    \
    }

#define P2PI_OPTION_CODE(type, field)                                                                                \
    {                                                                                                                \
        "code", P2P_OPT_CHOICE, "auto", P2PI_CODE_WORDS, NULL, "lossless code of the symbols", offsetof(type, field) \
    }

#define P2PI_OPTION_DITHER(type, field)                                                                              \
    {                                                                                                                \
        "dither", P2P_OPT_CHOICE, "24", "24|16|8", NULL, "random bits of a dither", offsetof(type, field)            \
    }

#define P2PI_OPTIONS_END                                                                                             \
    {                                                                                                                \
        NULL, P2P_OPT_INT, NULL, NULL, NULL, NULL, 0                                                                 \
    }

/** Read those options. */
p2pi_real p2pi_option_real(int64_t vt, p2p_dtype type);
p2pi_index_mode p2pi_option_index(int64_t index);
/** P2P_EINVAL if the code cannot take symbols up to largest. */
p2p_status p2pi_option_code(int64_t code, const char *member, uint32_t largest, p2pi_code *out);
unsigned p2pi_option_dither(int64_t dither);

#endif
