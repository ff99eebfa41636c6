/*
 * Training methods: a row is a composition
 *
 *     source      what a node has to say in a round, v: its gradient, a momentum, a step, ...
 *     feedback    what stays behind: v becomes u = v + e, and e what was lost of u
 *     collective  how the n vectors u become one, out, that all nodes have
 *     optimiser   how out becomes a step of x
 *
 * with defaults. All nodes have the same x, to the bit. Whatever the row, options choose another optimiser, another
 * schedule of steps and, where the collective takes any, other compressors.
 */
#ifndef P2PI_TRAINING_H
#define P2PI_TRAINING_H

#include "base/spec.h"
#include "exchange/all_reduce.h"
#include "method/mean_over_nodes.h"
#include "method/optimiser.h"
#include "method/step_schedule.h"

enum { P2PI_SUPPORTS_MAX = 9, P2PI_REDUCES_MAX = 16 };

/* Options of all rows; each lists its own. */
typedef struct {
    double step;
    p2pi_schedule schedule;
    p2pi_optimiser_param optimiser;
    double clip, clip_value;
    int64_t ef, layers;
    p2p_text up, down;
    double momentum, lambda;             /* of sources */
    int64_t mask, nesterov, warm, epoch; /* dgc */
    p2p_count k;
    int64_t tau; /* steps of a node's own in a round */
    double glr;
    double vmin; /* onebit-adam */
    int64_t dense;
    double alpha, zeta; /* variance */
    int64_t values;
    double lam;                 /* fo-sgd */
    int64_t source, collective; /* compose */
} p2pi_training_param;

typedef struct p2pi_training p2pi_training;

typedef struct {
    p2p_status (*start)(p2pi_training *self, p2p_method_context *m); /* NULL: nothing to do */
    p2p_status (*emit)(p2pi_training *self, p2p_method_context *m);  /* v */
    void (*done)(p2pi_training *self, p2p_method_context *m);        /* before x moves; NULL: nothing to do */
    /** The step along out: NULL: that of the round. With is_step out is a step already, and taken from x as it is. */
    double (*rate)(const p2pi_training *self);
    int is_step;
    int needs_sent;                                           /* done finds in q what the own message decodes to */
    void (*step)(p2pi_training *self, p2p_method_context *m); /* NULL: that of the optimiser */
} p2pi_source;

typedef struct {
    p2p_status (*start)(p2pi_training *self, p2p_method_context *m);
    void (*before)(p2pi_training *self); /* v becomes u */
    void (*after)(p2pi_training *self);  /* q is what the own message decodes to */
} p2pi_feedback;

typedef struct {
    /** Sets self->stages. */
    p2p_status (*start)(p2pi_training *self, p2p_method_context *m);
    p2p_status (*emit)(p2pi_training *self, p2p_method_context *m, size_t stage);
    /** out after the last stage; q, and p2pi_training_sent, as soon as it is known, if self->needs_sent. */
    p2p_status (*absorb)(p2pi_training *self, p2p_method_context *m, size_t stage);
    int steps; /* absorb has moved x */
} p2pi_combination;

typedef struct {
    const p2pi_source *source;
    const p2pi_feedback *feedback; /* NULL: error feedback where the compressor is biased */
    const p2pi_combination *combination;
} p2pi_training_row;

struct p2pi_training {
    p2pi_training_param p;
    const p2pi_training_row *row;
    const p2pi_feedback *feedback;
    const p2pi_combination *combination;
    p2pi_optimiser optimiser;
    size_t stages;
    int needs_sent;
    double lr;   /* of the round */
    p2p_vec v;   /* scratch: what the node has to say */
    p2p_vec q;   /* scratch: what became of it */
    p2p_vec out; /* scratch: what all agree on */

    p2p_vec e, u;     /* memories */
    p2p_vec momentum; /* of a source */
    p2p_vec second;   /* moment, frozen in time */
    p2p_vec before;   /* x of the round before */
    p2p_vec y;        /* the hub's model */
    p2p_vec e_down;   /* what the link down has lost */
    size_t up[P2PI_SUPPORTS_MAX], down;
    size_t dense_up, dense_down; /* of rounds in which nothing is compressed */
    size_t used;                 /* which of up */
    int down_ef;
    p2p_vec c, c_all, w, w_all; /* control variates: the node's, that of all; how they move */
    size_t pair_up, pair_down;
    struct p2pi_flat_onebit *flat;
    p2pi_training_row composed;
    uint32_t *coins;                           /* of votes that are tied, 32 a word */
    p2pi_all_reduce *reduce[P2PI_REDUCES_MAX]; /* a layer each */
    size_t reduces;
};

p2p_status p2pi_training_start(p2pi_training *self, p2p_method_context *m, const p2pi_training_row *row);
p2p_status p2pi_training_emit(void *instance, p2p_method_context *m, size_t stage);
p2p_status p2pi_training_absorb(void *instance, p2p_method_context *m, size_t stage);

extern const p2pi_source p2pi_source_gradient, p2pi_source_momentum, p2pi_source_global_momentum,
    p2pi_source_local_momentum, p2pi_source_delta, p2pi_source_gate, p2pi_source_scaffold;
extern const p2pi_feedback p2pi_feedback_none, p2pi_feedback_ef, p2pi_feedback_dgc;
extern const p2pi_combination p2pi_combine_hub, p2pi_combine_hub_model, p2pi_combine_hub_pair,
    p2pi_combine_flat_onebit, p2pi_combine_majority, p2pi_combine_all_reduce;

/* ---- for sources and combinations */

/** q is there. */
void p2pi_training_sent(p2pi_training *self);
/** The step in force in the round. */
void p2pi_training_begin(p2pi_training *self, p2p_method_context *m);
/** g = the clipped gradient of draw t at x. */
p2p_status p2pi_clipped_gradient(const p2pi_training_param *p, p2p_method_context *m, uint32_t t, p2p_view x,
                                 p2p_vec g);
/**
 * The compressor that spec names, by layers of the problem unless there is one layer only, the compressor has a
 * memory or layers=no. "same": that of the swarm, which replaces the default of up as well.
 */
p2p_status p2pi_training_spec(const p2pi_training_param *p, p2p_method_context *m, const char *spec,
                              char text[P2PI_SPEC_MAX]);

/* ---- rows */

#define P2PI_TRAINING_STEP(value)                                                                                    \
    {                                                                                                                \
        "step|lr", P2P_OPT_REAL, value, "(0", NULL, "step size", offsetof(p2pi_training_param, step)                 \
    }
#define P2PI_TRAINING_OPTIMISER(kind)                                                                                \
    P2PI_OPTIMISER_OPTIONS(kind, p2pi_training_param, optimiser), P2PI_SCHEDULE_OPTIONS(p2pi_training_param, schedule)
#define P2PI_TRAINING_CLIP                                                                                           \
    {                                                                                                                \
        "clip",                                                                                                      \
        P2P_OPT_REAL,                                                                                                \
        "0",                                                                                                         \
        "0",                                                                                                         \
        NULL,                                                                                                        \
        "largest norm of a gradient; 0: any",                                                                        \
        offsetof(p2pi_training_param, clip)                                                                          \
    },                                                                                                               \
    {                                                                                                                \
        "clip-value", P2P_OPT_REAL, "0", "0", NULL, "largest entry of a gradient; 0: any",                           \
            offsetof(p2pi_training_param, clip_value)                                                                \
    }
#define P2PI_TRAINING_UP(value)                                                                                      \
    {                                                                                                                \
        "up",                                                                                                        \
        P2P_OPT_TEXT,                                                                                                \
        value,                                                                                                       \
        NULL,                                                                                                        \
        NULL,                                                                                                        \
        "compressor, unless the swarm has one",                                                                      \
        offsetof(p2pi_training_param, up)                                                                            \
    },                                                                                                               \
    {                                                                                                                \
        "layers", P2P_OPT_BOOL, "yes", NULL, NULL, "compress each layer by itself",                                  \
            offsetof(p2pi_training_param, layers)                                                                    \
    }
#define P2PI_TRAINING_DOWN(value)                                                                                    \
    {                                                                                                                \
        "down", P2P_OPT_TEXT, value, NULL, NULL, "compressor of the link down; none, or same: as up",                \
            offsetof(p2pi_training_param, down)                                                                      \
    }
#define P2PI_TRAINING_EF                                                                                             \
    {                                                                                                                \
        "ef", P2P_OPT_CHOICE, "auto", "auto|no|yes", NULL,                                                           \
            "send later what was lost; auto: with biased compressors", offsetof(p2pi_training_param, ef)             \
    }
#define P2PI_TRAINING_END                                                                                            \
    {                                                                                                                \
        NULL, P2P_OPT_TEXT, NULL, NULL, NULL, NULL, 0                                                                \
    }

/* id, name, help, source, options, then the members of p2pi_training_row */
#define P2PI_TRAINING_ROW(id, name, help, source_, options, ...)                                                     \
    static p2p_status id##_start(void *instance, p2p_method_context *m)                                              \
    {                                                                                                                \
        static const p2pi_training_row row = { __VA_ARGS__ };                                                        \
                                                                                                                     \
        return p2pi_training_start(instance, m, &row);                                                               \
    }                                                                                                                \
    const p2p_method_vt p2pi_method_##id = { .size = sizeof(p2p_method_vt),                                          \
                                             .entry = { name, help, source_, options, sizeof(p2pi_training_param) }, \
                                             .traits = P2P_METHOD_COMPRESSES,                                        \
                                             .instance_size = sizeof(p2pi_training),                                 \
                                             .stages = 1,                                                            \
                                             .start = id##_start,                                                    \
                                             .emit = p2pi_training_emit,                                             \
                                             .absorb = p2pi_training_absorb }

#endif
