/*
 * Optimisers: how a direction g that all agree on, a gradient or what stands for one, becomes a step of x.
 *
 *     sgd         x -= lr g
 *     heavy-ball  m = b m + (1 - damp) g;  x -= lr m
 *     nesterov    m = b m + (1 - damp) g;  x -= lr (g + b m)
 *     add         m = b m + (1 - damp) g;  x -= lr (g + m)
 *     adam        m = b m + (1 - b) g, v = b2 v + (1 - b2) g^2, divided by 1 - b^t and 1 - b2^t; x -= lr m / (sqrt(v)
 * + eps) adamw       adam, with the decay of weights apart from g amsgrad     top = max(top, v);  x -= lr m /
 * sqrt(top + eps), nothing divided lamb        a layer: r = adam's direction + wd x;  x -= lr (|x| / |r|) r lans a
 * layer: lamb of g / |g|, b of the momentum's r and 1 - b of the newest gradient's
 *
 * wd x is added to g, except with adamw, lamb and lans. Every node that takes the same steps has the same x, to the
 * bit.
 *
 * Polyak 1964; Nesterov 1983; arXiv:1412.6980 (adam); Reddi, Kale, Kumar, ICLR 2018 (amsgrad); arXiv:1711.05101
 * (adamw); arXiv:1904.00962 (lamb); arXiv:2006.13484 (lans).
 */
#ifndef P2PI_OPTIMISER_H
#define P2PI_OPTIMISER_H

#include <p2popt/method.h>

typedef struct {
    int64_t kind;
    double beta, beta2, eps, wd, damp, least, most;
} p2pi_optimiser_param;

typedef struct {
    p2pi_optimiser_param p; /* as in force */
    p2p_vec m, v, top;
    p2p_vec r;   /* scratch */
    double took; /* steps */
    const p2p_layer *layer;
    size_t layers;
} p2pi_optimiser;

/** Replaces what is automatic in p. P2P_ENOMEM. */
p2p_status p2pi_optimiser_start(p2pi_optimiser *self, p2p_method_context *m, p2pi_optimiser_param *p);
/** One step of x. g is overwritten. */
void p2pi_optimiser_step(p2pi_optimiser *self, p2p_vec x, p2p_vec g, double lr);
/** The factor of an automatic step, step = factor / L; 0: its steps are not in units of 1/L. */
double p2pi_optimiser_factor(const p2pi_optimiser_param *p);

#define P2PI_OPTIMISERS "sgd|heavy-ball|nesterov|add|adam|adamw|amsgrad|lamb|lans"

/* Options at `member`, a p2pi_optimiser_param of struct `type`. */
#define P2PI_OPTIMISER_OPTIONS(kind_, type, member)                                                                   \
    { "optimiser|opt",                                                                                                \
      P2P_OPT_CHOICE,                                                                                                 \
      kind_,                                                                                                          \
      P2PI_OPTIMISERS,                                                                                                \
      NULL,                                                                                                           \
      "how the agreed direction becomes a step",                                                                      \
      offsetof(type, member.kind) },                                                                                  \
        { "beta|beta1|b1", P2P_OPT_REAL, "0.9", "0", "1)", "momentum", offsetof(type, member.beta) },                 \
        { "beta2|b2", P2P_OPT_REAL, "0.999", "0", "1)", "of the second moment", offsetof(type, member.beta2) },       \
        { "eps", P2P_OPT_REAL, "auto", "0", NULL, "least denominator", offsetof(type, member.eps) },                  \
        { "wd", P2P_OPT_REAL, "auto", "0", NULL, "decay of weights", offsetof(type, member.wd) },                     \
        { "damp", P2P_OPT_REAL, "0", "0", "1)", "damping of what enters the momentum", offsetof(type, member.damp) }, \
        { "ratio-least",                                                                                              \
          P2P_OPT_REAL,                                                                                               \
          "0",                                                                                                        \
          "0",                                                                                                        \
          NULL,                                                                                                       \
          "least norm of a layer in a ratio",                                                                         \
          offsetof(type, member.least) },                                                                             \
    {                                                                                                                 \
        "ratio-most", P2P_OPT_REAL, "1e300", "(0", NULL, "largest norm of a layer in a ratio",                        \
            offsetof(type, member.most)                                                                               \
    }

#endif
