/*
 * Rows of training methods.
 *
 * Sources: those of method/optimiser.h (sgd to lans); Li, Karimi, Li, arXiv:2205.05632 (comp-ams); Zhong et al.,
 * arXiv:2105.07829 (clan); Seide et al., Interspeech 2014 (onebit-sgd); Horvath et al., arXiv:1905.10988
 * (natural-sgd); Wen et al., arXiv:1705.07878 (terngrad); Shi et al., arXiv:1905.12948 (gmc, gmc+); Xu, Huang,
 * arXiv:2004.05298 (def); Lin et al., arXiv:1712.01887 (dgc); Chen et al., arXiv:1712.02679 (adacomp); Lim et al.,
 * arXiv:1802.07389 (3lc); Bernstein et al., arXiv:1802.04434 and arXiv:1810.05291 (signsgd-mv, signum-mv); Vogels et
 * al., arXiv:1905.13727 (powersgd); Xie et al., arXiv:2509.11254 (powersgd+); arXiv:2306.08881 (acpsgd); Chen et al.,
 * arXiv:2507.08784 (greedylore); Chen et al., arXiv:2104.11125 (scalecom); Vineeth, arXiv:2109.12497 (qallreduce).
 */
#include "method/training.h"

/* ---- over a hub */

#define OVER_HUB(step, optimiser, up, down)                                                                          \
    {                                                                                                                \
        P2PI_TRAINING_STEP(step), P2PI_TRAINING_OPTIMISER(optimiser), P2PI_TRAINING_CLIP, P2PI_TRAINING_UP(up),      \
            P2PI_TRAINING_DOWN(down), P2PI_TRAINING_EF, P2PI_TRAINING_END                                            \
    }
#define HUB_ROW(id, name, help, source, step, optimiser, up, down)                                                   \
    static const p2p_option id##_options[] = OVER_HUB(step, optimiser, up, down);                                    \
    P2PI_TRAINING_ROW(id, name, help, source, id##_options, &p2pi_source_gradient, NULL, &p2pi_combine_hub)

HUB_ROW(sgd, "sgd", "gradient, ef if biased, hub, sgd: stochastic gradients", "-", "auto", "sgd", "identity", "none");
HUB_ROW(heavy_ball, "heavy-ball", "gradient, ef if biased, hub, heavy-ball: momentum", "Polyak 1964", "auto",
        "heavy-ball", "identity", "none");
HUB_ROW(nesterov, "nesterov", "gradient, ef if biased, hub, nesterov: momentum, a step ahead", "Nesterov 1983",
        "auto", "nesterov", "identity", "none");
HUB_ROW(adam, "adam", "gradient, ef if biased, hub, adam: steps by two moments", "arXiv:1412.6980", "1e-3", "adam",
        "identity", "none");
HUB_ROW(amsgrad, "amsgrad", "gradient, ef if biased, hub, amsgrad: adam by the largest second moment", "ICLR 2018",
        "1e-3", "amsgrad", "identity", "none");
HUB_ROW(adamw, "adamw", "gradient, ef if biased, hub, adamw: adam, with the decay of weights apart",
        "arXiv:1711.05101", "1e-3", "adamw", "identity", "none");
HUB_ROW(lamb, "lamb", "gradient, ef if biased, hub, lamb: adam, in steps of the layer's size", "arXiv:1904.00962",
        "1e-3", "lamb", "identity", "none");
HUB_ROW(lans, "lans", "gradient, ef if biased, hub, lans: lamb of normalised gradients, a step ahead",
        "arXiv:2006.13484", "1e-3", "lans", "identity", "none");
HUB_ROW(comp_ams, "comp-ams", "gradient, ef, hub(sign), amsgrad: moments of the compressed mean, none at workers",
        "arXiv:2205.05632", "1e-3", "amsgrad", "sign", "none");
HUB_ROW(clan, "clan", "gradient, ef, hub(sign, sign), lans: compressed both ways, memories at both ends",
        "arXiv:2105.07829", "1e-3", "lans", "sign", "same");
HUB_ROW(onebit_sgd, "onebit-sgd", "gradient, ef, hub(onebit, onebit), sgd: a bit an entry both ways",
        "Interspeech 2014", "auto", "sgd", "onebit", "same");
HUB_ROW(natural_sgd, "natural-sgd", "gradient, none, hub(cnat, cnat), sgd: powers of two both ways",
        "arXiv:1905.10988", "auto", "sgd", "cnat", "same");
/* Biased by its clipping alone, which is not to be sent later. */
static const p2p_option terngrad_options[] = { P2PI_TRAINING_STEP("auto"), P2PI_TRAINING_OPTIMISER("heavy-ball"),
                                               P2PI_TRAINING_CLIP,         P2PI_TRAINING_UP("terngrad:clip=2.5"),
                                               P2PI_TRAINING_DOWN("none"), P2PI_TRAINING_END };

P2PI_TRAINING_ROW(terngrad, "terngrad", "gradient, none, hub(terngrad), heavy-ball: -1, 0 or 1 an entry, clipped",
                  "arXiv:1705.07878", terngrad_options, &p2pi_source_gradient, &p2pi_feedback_none,
                  &p2pi_combine_hub);
HUB_ROW(adacomp, "adacomp", "gradient, adacomp's own, hub(adacomp), heavy-ball: the most active of each bin",
        "arXiv:1712.02679", "auto", "heavy-ball", "adacomp", "none");

static const p2p_option threelc_options[] = OVER_HUB("auto", "heavy-ball", "threelc", "same");

P2PI_TRAINING_ROW(threelc, "3lc", "gradient, ef, hub(threelc, model differences), heavy-ball: three values both ways",
                  "arXiv:1802.07389", threelc_options, &p2pi_source_gradient, NULL, &p2pi_combine_hub_model);

/* ---- momentum inside */

#define MOMENTUM                                                                                                     \
    {                                                                                                                \
        "beta", P2P_OPT_REAL, "0.9", "0", "1)", "momentum", offsetof(p2pi_training_param, momentum)                  \
    }
#define LAMBDA(value)                                                                                                \
    {                                                                                                                \
        "lambda|lam", P2P_OPT_REAL, value, "0", "1", "gradients are taken at x - lambda e",                          \
            offsetof(p2pi_training_param, lambda)                                                                    \
    }
#define MOVING(lambda, up)                                                                                           \
    {                                                                                                                \
        P2PI_TRAINING_STEP("auto"), MOMENTUM, LAMBDA(lambda), P2PI_SCHEDULE_OPTIONS(p2pi_training_param, schedule),  \
            P2PI_TRAINING_CLIP, P2PI_TRAINING_UP(up), P2PI_TRAINING_DOWN("none"), P2PI_TRAINING_END                  \
    }

static const p2p_option gmc_options[] = MOVING("0", "topk:k=1%");
static const p2p_option gmc_plus_options[] = MOVING("0.3", "randk:k=1%,shared=1,scale=0");

P2PI_TRAINING_ROW(gmc, "gmc",
                  "global momentum, ef, hub(topk): momentum of the last step of all, compressed with the rest",
                  "arXiv:1905.12948", gmc_options, &p2pi_source_global_momentum, &p2pi_feedback_ef,
                  &p2pi_combine_hub);
P2PI_TRAINING_ROW(gmc_plus, "gmc+", "global momentum, ef, hub(randk): gmc with gradients ahead of what is owed",
                  "arXiv:1905.12948", gmc_plus_options, &p2pi_source_global_momentum, &p2pi_feedback_ef,
                  &p2pi_combine_hub);
P2PI_TRAINING_ROW(def, "def", "local momentum, ef, hub(randk): gradients ahead of what is owed", "arXiv:2004.05298",
                  gmc_plus_options, &p2pi_source_local_momentum, &p2pi_feedback_ef, &p2pi_combine_hub);

static const p2p_option dgc_options[] = {
    P2PI_TRAINING_STEP("auto"),
    { "k", P2P_OPT_COUNT, "0.1%", "1", "100%", "entries sent: a count, or a share of a layer",
      offsetof(p2pi_training_param, k) },
    MOMENTUM,
    { "nesterov", P2P_OPT_BOOL, "no", NULL, NULL, "momentum a step ahead", offsetof(p2pi_training_param, nesterov) },
    { "mask", P2P_OPT_BOOL, "yes", NULL, NULL, "what is sent starts with no momentum",
      offsetof(p2pi_training_param, mask) },
    { "warm", P2P_OPT_INT, "4", "0", "8", "epochs in which k shrinks to its own",
      offsetof(p2pi_training_param, warm) },
    { "epoch", P2P_OPT_INT, "100", "1", "1e9", "rounds of an epoch", offsetof(p2pi_training_param, epoch) },
    P2PI_SCHEDULE_OPTIONS(p2pi_training_param, schedule),
    P2PI_TRAINING_CLIP,
    { "layers", P2P_OPT_BOOL, "yes", NULL, NULL, "compress each layer by itself",
      offsetof(p2pi_training_param, layers) },
    P2PI_TRAINING_DOWN("none"),
    P2PI_TRAINING_END
};

P2PI_TRAINING_ROW(dgc, "dgc",
                  "gradient, momentum correction and masking, hub(topk), sgd: few entries, after a warm-up",
                  "arXiv:1712.01887", dgc_options, &p2pi_source_gradient, &p2pi_feedback_dgc, &p2pi_combine_hub);

/* ---- local steps */

#define LOCAL(up)                                                                                                         \
    {                                                                                                                     \
        P2PI_TRAINING_STEP("auto"), { "tau",                                                                              \
                                      P2P_OPT_INT,                                                                        \
                                      "4",                                                                                \
                                      "1",                                                                                \
                                      "1e6",                                                                              \
                                      "steps of a node's own in a round",                                                 \
                                      offsetof(p2pi_training_param, tau) },                                               \
            { "glr", P2P_OPT_REAL, "1", "(0", NULL, "step along what all agree on", offsetof(p2pi_training_param, glr) }, \
            P2PI_TRAINING_OPTIMISER("sgd"), P2PI_TRAINING_CLIP, P2PI_TRAINING_UP(up), P2PI_TRAINING_DOWN("none"),         \
            P2PI_TRAINING_EF, P2PI_TRAINING_END                                                                           \
    }

static const p2p_option local_sgd_options[] = LOCAL("identity");
static const p2p_option fedcom_options[] = LOCAL("qinf:bits=4");
static const p2p_option qsparse_options[] = LOCAL("topk:k=1%");

P2PI_TRAINING_ROW(local_sgd, "local-sgd", "delta of tau steps, ef if biased, hub, sgd: means of models now and then",
                  "arXiv:1602.05629", local_sgd_options, &p2pi_source_delta, NULL, &p2pi_combine_hub);
P2PI_TRAINING_ROW(fedcom, "fedcom", "delta of tau steps, none, hub(qinf), sgd: local-sgd, compressed",
                  "arXiv:2007.01154", fedcom_options, &p2pi_source_delta, NULL, &p2pi_combine_hub);
P2PI_TRAINING_ROW(fedcomgate, "fedcomgate", "delta of corrected steps, none, hub(qinf), sgd: for nodes that differ",
                  "arXiv:2007.01154", fedcom_options, &p2pi_source_gate, NULL, &p2pi_combine_hub);
P2PI_TRAINING_ROW(qsparse_local, "qsparse-local", "delta of tau steps, ef, hub(topk), sgd: local-sgd, few entries",
                  "arXiv:1906.02367", qsparse_options, &p2pi_source_delta, NULL, &p2pi_combine_hub);
P2PI_TRAINING_ROW(scaffold, "scaffold", "delta of corrected steps, none, hub of two vectors, sgd: control variates",
                  "arXiv:1910.06378", local_sgd_options, &p2pi_source_scaffold, NULL, &p2pi_combine_hub_pair);

/* ---- votes */

#define VOTE_STEP P2PI_TRAINING_STEP("1e-3"), P2PI_TRAINING_OPTIMISER("sgd"), P2PI_TRAINING_CLIP

static const p2p_option signsgd_options[] = { VOTE_STEP, P2PI_TRAINING_END };
static const p2p_option signum_options[] = { VOTE_STEP,
                                             { "momentum", P2P_OPT_REAL, "0.9", "0", "1)", "of what a node votes by",
                                               offsetof(p2pi_training_param, momentum) },
                                             P2PI_TRAINING_END };

P2PI_TRAINING_ROW(signsgd_mv, "signsgd-mv", "gradient, none, majority of signs, sgd: a bit an entry both ways",
                  "arXiv:1810.05291", signsgd_options, &p2pi_source_gradient, &p2pi_feedback_none,
                  &p2pi_combine_majority);
P2PI_TRAINING_ROW(signum_mv, "signum-mv", "momentum, none, majority of signs, sgd: a bit an entry both ways",
                  "arXiv:1810.05291", signum_options, &p2pi_source_momentum, &p2pi_feedback_none,
                  &p2pi_combine_majority);

static const p2p_option fo_sgd_options[] = { P2PI_TRAINING_STEP("auto"),
                                             { "lam", P2P_OPT_REAL, "auto", "(0", NULL,
                                               "width of the dither; auto: the largest entry of all",
                                               offsetof(p2pi_training_param, lam) },
                                             P2PI_TRAINING_OPTIMISER("sgd"),
                                             P2PI_TRAINING_CLIP,
                                             P2PI_TRAINING_END };

P2PI_TRAINING_ROW(fo_sgd, "fo-sgd",
                  "gradient, none, flattened one-bit votes, sgd: a bit an entry both ways, unbiased",
                  "arXiv:2405.11095", fo_sgd_options, &p2pi_source_gradient, &p2pi_feedback_none,
                  &p2pi_combine_flat_onebit);

/* ---- over an all-reduce */

#define OVER_SUMS(step, optimiser, up)                                                                               \
    {                                                                                                                \
        P2PI_TRAINING_STEP(step), P2PI_TRAINING_OPTIMISER(optimiser), P2PI_TRAINING_CLIP, P2PI_TRAINING_UP(up),      \
            P2PI_TRAINING_END                                                                                        \
    }
#define SUM_ROW(id, name, help, source, step, optimiser, up)                                                         \
    static const p2p_option id##_options[] = OVER_SUMS(step, optimiser, up);                                         \
    P2PI_TRAINING_ROW(id, name, help, source, id##_options, &p2pi_source_gradient, &p2pi_feedback_none,              \
                      &p2pi_combine_all_reduce)

SUM_ROW(allreduce, "allreduce", "gradient, the compressor's own, all-reduce, sgd: equal replicas", "arXiv:1905.13727",
        "auto", "sgd", "identity");
SUM_ROW(powersgd, "powersgd", "gradient, ef, all-reduce(powersgd), add: a step of power iteration a round",
        "arXiv:1905.13727", "auto", "add", "powersgd");
SUM_ROW(powersgd_plus, "powersgd+", "gradient, ef, all-reduce(powersgd+), heavy-ball: the whole matrix now and then",
        "arXiv:2509.11254", "auto", "heavy-ball", "powersgd+:tau=200");
SUM_ROW(acpsgd, "acpsgd", "gradient, ef, all-reduce(acpsgd), heavy-ball: one of two factors a round",
        "arXiv:2306.08881", "auto", "heavy-ball", "acpsgd:memory=own");
SUM_ROW(greedylore, "greedylore", "gradient, ef, all-reduce(greedylore), heavy-ball: the best kept singular vectors",
        "arXiv:2507.08784", "auto", "heavy-ball", "greedylore:tau=200,memory=own");
SUM_ROW(greedylore_adam, "greedylore-adam", "gradient, ef, all-reduce(greedylore), adam: as greedylore",
        "arXiv:2507.08784", "1e-3", "adam", "greedylore:tau=200,memory=own");
SUM_ROW(scalecom, "scalecom", "gradient, lowpass, all-reduce(clt), heavy-ball: the leader's largest entries of all",
        "arXiv:2104.11125", "auto", "heavy-ball", "clt:k=1%,beta=0.1");
SUM_ROW(qallreduce, "qallreduce", "gradient, none, all-reduce(maxnorm), heavy-ball: integers under the largest norm",
        "arXiv:2109.12497", "auto", "heavy-ball", "maxnorm:levels=15,norm=inf");
SUM_ROW(qallreduce_ms, "qallreduce-ms",
        "gradient, none, all-reduce(multiscale), heavy-ball: finer where all are small", "arXiv:2109.12497", "auto",
        "heavy-ball", "multiscale:levels=7/63,norm=inf");
