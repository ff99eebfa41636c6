/*
 * scaled(C, a): a C(x). With a = auto an unbiased C, and a quantiser behind a sparsifier, becomes contractive: from
 * E||C||^2 <= H <E C, x> and <E C, x> >= g ||x||^2 follows E||a C - x||^2 <= (1 - (2 a - a^2 H) g) ||x||^2, least at
 * a = 1/H. An unbiased C has H = 1 + omega, g = 1. The bytes are those of C.
 *
 * Beznosikov, Horvath, Richtarik, Safaryan, arXiv:2002.12410.
 */
#include "compress/operand.h"

#include <math.h>

typedef struct {
    double a;
} scaled_param;

/* work: the factor */
static p2p_status
scaled_plan(p2pi_codec *c, p2pi_arena *arena)
{
    const scaled_param *o = c->part[0].param;
    const p2pi_plan *inner = &c->operand[0]->plan;
    double *factor = p2pi_arena_take(arena, sizeof *factor);
    p2p_compressor_constants *k = &c->plan.constants;
    double delta;

    if (factor == NULL)
        return P2P_ENOMEM;
    if ((inner->constants.traits & P2P_STATEFUL) && !(inner->constants.traits & P2P_ADAPTIVE))
        return p2p_fail(
            P2P_EINVAL,
            "compressor \"scaled\": a compressor with memory inside; memory goes outside, as in ef14(scaled(C))");
    if (p2p_is_auto(o->a) && isnan(inner->moment))
        return p2p_fail(P2P_EINVAL, "compressor \"scaled\": a=auto needs an unbiased compressor, or an unbiased "
                                    "quantiser behind a sparsifier; give a number above 0 to 1");
    *factor = p2p_is_auto(o->a) ? 1 / inner->moment : o->a;
    c->work = factor;
    c->plan = *inner;
    c->plan.moment = c->plan.gain = NAN;
    c->plan.stage[0] = (p2pi_stage){ P2PI_REDUCE_NONE, 0, 0, 0 };
    c->plan.stages = 1;
    delta = (2 * *factor - *factor * *factor * inner->moment) * inner->gain;
    k->traits = inner->constants.traits & (P2P_SPARSE | P2P_SHARED | P2P_RANDOM | P2P_STATEFUL | P2P_ADAPTIVE);
    k->omega = k->error2 = k->range = k->delta = NAN;
    if (delta > 0) {
        k->traits |= P2P_CONTRACTIVE;
        k->delta = delta;
    }
    return P2P_OK;
}

static p2p_status
scaled_decode(p2pi_codec *c, const p2p_env *env, const uint8_t *buf, size_t len, const p2pi_target *t)
{
    p2pi_target inner = *t;

    inner.factor *= *(const double *)c->work;
    return c->operand[0]->scheme->decode(c->operand[0], env, buf, len, &inner);
}

static const p2pi_scheme scaled_scheme = {
    .plan = scaled_plan,
    .encode = p2pi_operand_encode,
    .decode = scaled_decode,
    .frame = p2pi_operand_frame,
    .unframe = p2pi_operand_unframe,
    .nominal = p2pi_operand_nominal,
};

static const p2p_option scaled_options[] = { { "a", P2P_OPT_REAL, "auto", "(0", "1",
                                               "factor; auto is the best that the constants of C allow",
                                               offsetof(scaled_param, a) },
                                             { NULL, P2P_OPT_REAL, NULL, NULL, NULL, NULL, 0 } };

const p2pi_compressor_vt p2pi_compressor_scaled = {
    .size = sizeof(p2pi_compressor_vt),
    .entry = { "scaled", "a times another compressor", "arXiv:2002.12410", scaled_options, sizeof(scaled_param) },
    .scheme = &scaled_scheme,
    .operands = 1,
};
