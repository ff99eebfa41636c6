/* compose: a training method put together by options alone, in the swarm file or on the command line. */
#include "base/fail.h"
#include "method/training.h"

enum { HUB, HUB_MODEL, MAJORITY, FLAT_ONEBIT, ALL_REDUCE };

static const p2pi_source *const sources[] = { &p2pi_source_gradient,        &p2pi_source_momentum,
                                              &p2pi_source_global_momentum, &p2pi_source_local_momentum,
                                              &p2pi_source_delta,           &p2pi_source_gate };
static const p2pi_combination *const collectives[] = { &p2pi_combine_hub, &p2pi_combine_hub_model,
                                                       &p2pi_combine_majority, &p2pi_combine_flat_onebit,
                                                       &p2pi_combine_all_reduce };

/* Votes tell nobody what became of his own; a hub that steps by itself needs directions, not steps. */
static p2p_status
check(const p2pi_training *self, const p2p_method_context *m)
{
    enum { NO = 1, YES };
    const p2pi_source *source = sources[self->p.source];
    const int votes = self->p.collective == MAJORITY || self->p.collective == FLAT_ONEBIT;

    if (votes && (self->p.ef == YES || source->needs_sent))
        return p2p_fail(P2P_ENOTSUP,
                        "method \"%s\": votes have no memory: use collective=hub or all-reduce, or ef=no",
                        m->setting->method);
    if (self->p.collective == HUB_MODEL && (source->is_step || source->rate != NULL))
        return p2p_fail(P2P_ENOTSUP,
                        "method \"%s\": with collective=hub-model the hub steps: use source=gradient or momentum",
                        m->setting->method);
    return P2P_OK;
}

static p2p_status
compose_start(void *instance, p2p_method_context *m)
{
    p2pi_training *self = instance;
    const int votes = self->p.collective == MAJORITY || self->p.collective == FLAT_ONEBIT;
    p2p_status st = check(self, m);

    if (st != P2P_OK)
        return st;
    self->composed = (p2pi_training_row){ sources[self->p.source], votes ? &p2pi_feedback_none : NULL,
                                          collectives[self->p.collective] };
    return p2pi_training_start(self, m, &self->composed);
}

static const p2p_option compose_options[] = {
    { "source", P2P_OPT_CHOICE, "gradient", "gradient|momentum|global-momentum|local-momentum|delta|gate", NULL,
      "what a node has to say", offsetof(p2pi_training_param, source) },
    { "collective", P2P_OPT_CHOICE, "hub", "hub|hub-model|majority|flat-onebit|all-reduce", NULL,
      "how the vectors of all become one", offsetof(p2pi_training_param, collective) },
    P2PI_TRAINING_STEP("auto"),
    P2PI_TRAINING_OPTIMISER("sgd"),
    { "momentum", P2P_OPT_REAL, "0.9", "0", "1)", "of the source", offsetof(p2pi_training_param, momentum) },
    { "lambda|lam", P2P_OPT_REAL, "0", "0", "1", "gradients are taken at x - lambda e",
      offsetof(p2pi_training_param, lambda) },
    { "tau", P2P_OPT_INT, "4", "1", "1e6", "steps of a node's own in a round", offsetof(p2pi_training_param, tau) },
    { "glr", P2P_OPT_REAL, "1", "(0", NULL, "step along what all agree on", offsetof(p2pi_training_param, glr) },
    { "width", P2P_OPT_REAL, "auto", "(0", NULL, "of the dither of flat-onebit; auto: the largest entry of all",
      offsetof(p2pi_training_param, lam) },
    P2PI_TRAINING_CLIP,
    P2PI_TRAINING_UP("identity"),
    P2PI_TRAINING_DOWN("none"),
    P2PI_TRAINING_EF,
    P2PI_TRAINING_END
};

const p2p_method_vt p2pi_method_compose = {
    .size = sizeof(p2p_method_vt),
    .entry = { "compose", "source, ef if biased, collective, optimiser: any, by options", "-", compose_options,
               sizeof(p2pi_training_param) },
    .traits = P2P_METHOD_COMPRESSES,
    .instance_size = sizeof(p2pi_training),
    .stages = 1,
    .start = compose_start,
    .emit = p2pi_training_emit,
    .absorb = p2pi_training_absorb,
};
