/*
 * induced(C1, C2): C1(x) + C2(x - C1(x)). From a contractive C1 and an unbiased C2 an unbiased compressor with
 * omega = omega_2 (1 - delta_1), for methods that need one.
 *
 * Horvath, Richtarik, arXiv:2006.11077.
 */
#include "compress/coding/bits.h"
#include "compress/frames/container.h"
#include "compress/frames/reals_frame.h"
#include "compress/pipeline/memory_scheme.h"

#include <math.h>

enum { FAMILY = 60, FRAMES = 2 };

typedef struct {
    p2p_vec value[FRAMES], rest;
    uint8_t *message; /* of one of the two */
} inducing;

static p2p_status
check_classes(const p2p_compressor_constants *a, const p2p_compressor_constants *b)
{
    if ((a->traits | b->traits) & P2P_STATEFUL)
        return p2p_fail(P2P_EINVAL, "compressor \"induced\": a compressor with memory inside");
    if (!(a->traits & P2P_CONTRACTIVE) || !(b->traits & P2P_UNBIASED))
        return p2p_fail(P2P_EINVAL,
                        "compressor \"induced\": expected a contractive compressor, then an unbiased one, as "
                        "in induced(topk:k=1%%,randk:k=1%%)");
    return P2P_OK;
}

static p2p_status
induced_plan(p2pi_codec *c, p2pi_arena *arena)
{
    const p2pi_plan *a = &c->operand[0]->plan, *b = &c->operand[1]->plan;
    size_t larger = a->bound > b->bound ? a->bound : b->bound;
    inducing *w = p2pi_arena_take(arena, sizeof *w);
    p2p_status st;

    if (w == NULL)
        return P2P_ENOMEM;
    c->work = w;
    if ((st = check_classes(&a->constants, &b->constants)) != P2P_OK ||
        (st = p2pi_take_vector(&w->value[0], c, arena)) != P2P_OK ||
        (st = p2pi_take_vector(&w->value[1], c, arena)) != P2P_OK ||
        (st = p2pi_take_vector(&w->rest, c, arena)) != P2P_OK)
        return st;
    if ((w->message = p2pi_arena_array(arena, larger + P2P_FRAME_EXTRA, 1)) == NULL)
        return P2P_ENOMEM;
    c->plan.bound = p2pi_container_bound(FRAMES, a->bound + b->bound) + P2PI_BITS_SPARE;
    c->plan.stages = 1;
    c->plan.stage[0] = (p2pi_stage){ P2PI_REDUCE_NONE, 0, 0, 0 };
    c->plan.constants = (p2p_compressor_constants){
        .traits = P2P_UNBIASED | ((a->constants.traits | b->constants.traits) & P2P_RANDOM),
        .omega = b->constants.omega * (1 - a->constants.delta),
        .delta = NAN,
        .error2 = NAN,
        .range = NAN,
        .bits_nominal = a->constants.bits_nominal + b->constants.bits_nominal,
    };
    c->plan.moment = 1 + c->plan.constants.omega;
    c->plan.gain = 1;
    return P2P_OK;
}

static p2p_status
induced_encode(p2pi_codec *c, p2p_view x, const p2p_env *env, uint8_t *buf, size_t *len)
{
    inducing *w = c->work;
    p2pi_codec *first = c->operand[0], *second = c->operand[1];
    p2pi_container_writer out = p2pi_container_begin(buf, FAMILY, &c->shape, FRAMES);
    p2pi_target sent = { w->value[0], 0, 1, 1, 1 };
    size_t part;
    p2p_status st;

    if ((st = first->scheme->encode(first, x, env, w->message, &part)) != P2P_OK ||
        (st = first->scheme->decode(first, env, w->message, part, &sent)) != P2P_OK ||
        (st = p2pi_container_add(&out, first, env, w->message, part)) != P2P_OK)
        return st;
    p2p_vec_sub(w->rest, x, p2p_view_of(w->value[0]));
    if ((st = second->scheme->encode(second, p2p_view_of(w->rest), env, w->message, &part)) != P2P_OK ||
        (st = p2pi_container_add(&out, second, env, w->message, part)) != P2P_OK)
        return st;
    *len = p2pi_container_end(&out);
    return P2P_OK;
}

/* Both are accepted before the target sees anything. */
static p2p_status
induced_decode(p2pi_codec *c, const p2p_env *env, const uint8_t *buf, size_t len, const p2pi_target *t)
{
    inducing *w = c->work;
    p2pi_container_reader in;
    p2p_status st = p2pi_container_open(&in, buf, len, FAMILY, &c->shape, FRAMES);
    size_t bad;

    for (size_t i = 0; i < FRAMES && st == P2P_OK; i++) {
        p2pi_target part = { w->value[i], 0, 1, 1, 0 };
        size_t bytes;

        if ((st = p2pi_container_next(&in, c->operand[i], env, w->message, &bytes)) == P2P_OK)
            st = c->operand[i]->scheme->decode(c->operand[i], env, w->message, bytes, &part);
    }
    if (st != P2P_OK || (st = p2pi_container_close(&in)) != P2P_OK)
        return st;
    p2p_vec_axpy(w->value[0], 1, p2p_view_of(w->value[1]));
    if ((bad = p2p_vec_first_nonfinite(p2p_view_of(w->value[0]))) < c->shape.dim)
        return p2p_fail(P2P_EPROTO, "container: entry %zu would not be finite", bad);
    p2pi_target_give(t, w->value[0]);
    return P2P_OK;
}

static double
induced_nominal(const p2pi_codec *c, const uint8_t *buf, size_t len)
{
    static const p2p_env none = { .scale = 1 };
    const inducing *w = c->work;
    p2pi_container_reader in;
    double bits = 0;
    size_t bytes;

    if (p2pi_container_open(&in, buf, len, FAMILY, &c->shape, FRAMES) != P2P_OK)
        return 0;
    for (size_t i = 0; i < FRAMES; i++)
        if (p2pi_container_next(&in, c->operand[i], &none, w->message, &bytes) == P2P_OK)
            bits += c->operand[i]->scheme->nominal(c->operand[i], w->message, bytes);
    return bits;
}

static const p2pi_scheme induced_scheme = {
    .plan = induced_plan,
    .encode = induced_encode,
    .decode = induced_decode,
    .nominal = induced_nominal,
};

const p2pi_compressor_vt p2pi_compressor_induced = {
    .size = sizeof(p2pi_compressor_vt),
    .entry = { "induced", "unbiased from contractive: C1(x) + C2(x - C1(x))", "arXiv:2006.11077", NULL, 0 },
    .family = FAMILY,
    .scheme = &induced_scheme,
    .operands = FRAMES,
};
