/*
 * Methods with a hub: a row is an estimator and a link with defaults. A round has two stages:
 *
 *     up      estimator->message   every worker sends what the estimator says of its gradient at the link's point
 *             estimator->estimate  everyone moves its memory; the hub makes G, its estimate of grad f
 *     down    link->cast           the hub steps, or says how to
 *             link->apply          everyone follows
 *
 * On a star node 0 is the hub, and worker 0. On a complete graph every node hears all messages and repeats the hub's
 * part with the same operations in the same order, draws of the hub included: nothing goes down.
 */
#ifndef P2PI_SERVER_H
#define P2PI_SERVER_H

#include "exchange/exchange.h"
#include "method/automatic.h"
#include "method/mean_over_nodes.h"

enum { P2PI_LEVELS_MAX = 6 };

/* Options of all rows; each lists its own. omega_down is none: it follows from down. */
typedef struct {
    double step, lam, nu, alpha_down, beta, eta, p, a, b, zeta, theta, gz, omega, momentum, mu, omega_down;
    int64_t part, pp, big, period, passes, ef, option, down_mode;
    p2p_text down, q, levels, shift;
} p2pi_server_param;

typedef struct p2pi_server p2pi_server;

typedef struct {
    p2p_status (*start)(p2pi_server *self, p2p_method_context *m);
    p2p_status (*message)(p2pi_server *self, p2p_method_context *m, p2p_view x);
    p2p_status (*estimate)(p2pi_server *self, p2p_method_context *m);
} p2pi_estimator;

typedef struct {
    p2p_status (*start)(p2pi_server *self, p2p_method_context *m);
    p2p_view (*point)(const p2pi_server *self, const p2p_method_context *m);
    p2p_status (*cast)(p2pi_server *self, p2p_method_context *m);
    p2p_status (*apply)(p2pi_server *self, p2p_method_context *m);
} p2pi_link;

typedef struct {
    const p2pi_estimator *estimator;
    const p2pi_link *link; /* unless down-mode names another */
    unsigned class;        /* of the compressor; 0: any */
    const char *wanted;    /* the class in words */
    /** Replace what is automatic; the factor of step = factor / L. */
    double (*choose)(p2pi_server_param *p, const p2p_setting *at, const p2p_compressor_constants *c);
    int variant; /* of the estimator */
} p2pi_server_row;

struct p2pi_server {
    p2pi_server_param p;
    const p2pi_server_row *row;
    const p2pi_link *link;
    int mode; /* link is that of down-mode */

    /* what estimators have */
    size_t up, dense, extra; /* slots: compressed; uncompressed, in some rounds; a second message */
    p2p_vec v, q;            /* scratch: what is compressed, and what became of it */
    p2p_vec g;               /* scratch: a gradient */
    p2p_vec G;               /* the hub's estimate */
    p2p_vec e;               /* what messages have lost */
    p2p_vec y, before;       /* the gradient and the model of the round before */
    p2p_vec own;             /* what the hub knows of this worker's gradient */
    p2p_estimate *h;         /* the same, where the hub keeps it for each worker */
    size_t level[P2PI_LEVELS_MAX], levels;

    p2p_vec X, Q; /* scratch: packed matrices */
    double *work; /* and matrices */

    /* what links have */
    size_t down, down_dense, down_level[P2PI_LEVELS_MAX];
    p2p_vec H; /* what all nodes know of the hub's vector */
    p2p_vec w; /* the model that workers have, at the hub */
    p2p_vec e_down;
    p2p_vec z, at; /* further points */
    double eta;
};

p2p_status p2pi_server_start(p2pi_server *self, p2p_method_context *m, const p2pi_server_row *row);
p2p_status p2pi_server_emit(void *instance, p2p_method_context *m, size_t stage);
p2p_status p2pi_server_absorb(void *instance, p2p_method_context *m, size_t stage);

/* ---- estimators and links */

extern const p2pi_estimator p2pi_plain, p2pi_error_feedback, p2pi_shift;
extern const p2pi_link p2pi_link_dense, p2pi_link_artemis, p2pi_link_mcm, p2pi_link_dore, p2pi_link_ef21;

/* ---- for estimators and rows */

/** omega, and delta, of a compressor; those of a lossless one are 0 and 1. */
double p2pi_omega(const p2p_compressor_constants *c);
double p2pi_delta(const p2p_compressor_constants *c);
/** Share of the payload of an uncompressed vector that a message has. */
double p2pi_payload_share(const p2p_setting *at, const p2p_compressor_constants *c);
void p2pi_if_auto(double *value, double chosen);
/** A vector's gradient, of all samples whatever the batch is. */
p2p_status p2pi_grad_full(p2p_method_context *m, p2p_view x, p2p_vec g);
int p2pi_has_batch(const p2p_method_context *m);
/** The gradient over count samples of draw t, any count up to what was reserved at start. */
p2p_status p2pi_reserve_samples(p2p_method_context *m, size_t count);
p2p_status p2pi_grad_samples(p2p_method_context *m, size_t count, uint32_t t, p2p_view x, p2p_vec g);
/** G = the mean of a slot over the workers heard. */
p2p_status p2pi_server_mean(p2p_method_context *m, size_t slot, p2p_vec G);
/** Check part, and make room for drawing so many of the workers. P2P_EINVAL, P2P_ENOMEM. */
p2p_status p2pi_server_participants(p2pi_server *self, p2p_method_context *m);

/** The hub casts v in a slot made with P2PI_SLOT_FROM_HUB; the others have nothing to say. */
p2p_status p2pi_server_cast(p2p_method_context *m, size_t slot, p2p_vec v);
/** v = what the hub has cast. P2P_EIO: the hub is lost. */
p2p_status p2pi_server_take(p2p_method_context *m, size_t slot, p2p_vec v);
/** A slot for the compressor that down names, with the draws of slot number `stream`. */
p2p_status p2pi_server_down_slot(p2pi_server *self, p2p_method_context *m, uint32_t stream, size_t *slot);
/** The text without parentheses around all of it. */
void p2pi_unwrap(p2p_text *text);

/* ---- rows */

#define P2PI_SERVER_STEP                                                                                             \
    {                                                                                                                \
        "step", P2P_OPT_REAL, "auto", "(0", NULL, "step size", offsetof(p2pi_server_param, step)                     \
    }
#define P2PI_SERVER_END                                                                                              \
    {                                                                                                                \
        NULL, P2P_OPT_TEXT, NULL, NULL, NULL, NULL, 0                                                                \
    }
#define P2PI_SERVER_DOWN                                                                                             \
    {                                                                                                                \
        "down", P2P_OPT_TEXT, "same", NULL, NULL, "compressor of the link down; same: as up",                        \
            offsetof(p2pi_server_param, down)                                                                        \
    }

/* For rows whose link is dense: another instead. */
#define P2PI_SERVER_DOWN_MODE                                                                                        \
    { "down",                                                                                                        \
      P2P_OPT_TEXT,                                                                                                  \
      "none",                                                                                                        \
      NULL,                                                                                                          \
      NULL,                                                                                                          \
      "compressor of the link down; none: as it is",                                                                 \
      offsetof(p2pi_server_param, down) },                                                                           \
    {                                                                                                                \
        "down-mode", P2P_OPT_CHOICE, "ef21", "ef21|mcm", NULL,                                                       \
            "what it compresses: the estimate's, or the model's, "                                                   \
            "difference",                                                                                            \
            offsetof(p2pi_server_param, down_mode)                                                                   \
    }

/* id, name, help, source, options, traits, then the members of p2pi_server_row */
#define P2PI_SERVER_ROW(id, name, help, source, options, traits_, ...)                                               \
    static p2p_status id##_start(void *instance, p2p_method_context *m)                                              \
    {                                                                                                                \
        static const p2pi_server_row row = { __VA_ARGS__ };                                                          \
                                                                                                                     \
        return p2pi_server_start(instance, m, &row);                                                                 \
    }                                                                                                                \
    const p2p_method_vt p2pi_method_##id = { .size = sizeof(p2p_method_vt),                                          \
                                             .entry = { name, help, source, options, sizeof(p2pi_server_param) },    \
                                             .traits = traits_,                                                      \
                                             .instance_size = sizeof(p2pi_server),                                   \
                                             .stages = 2,                                                            \
                                             .start = id##_start,                                                    \
                                             .emit = p2pi_server_emit,                                               \
                                             .absorb = p2pi_server_absorb }

#endif
