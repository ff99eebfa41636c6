/*
 * ef14(C), ef21(C): compressors with memory, so that what was lost in one round is sent in a later one.
 *
 *     ef14   send q = C(x + e); e <- x + e - q; receivers use q
 *     ef21   send q = C(x - g); g <- g + q at both ends; receivers use g
 *
 * ef14 needs a contractive C: an unbiased one goes in scaled() first. With ef21 a receiver keeps a copy of g for each
 * sender, so it opens one compressor for each.
 *
 * Seide et al., Interspeech 2014, and Karimireddy et al., arXiv:1901.09847; Richtarik, Sokolov, Fatkhullin,
 * arXiv:2106.05203.
 */
#include "compress/operand.h"
#include "compress/pipeline/memory_scheme.h"

#include <math.h>

typedef struct {
    p2p_vec memory;   /* e, or g of what this node sends */
    p2p_vec received; /* ef21: g of what this node receives */
    p2p_vec scratch;
} feedback;

/* What both have in common: the bytes, sizes and constants of C; the constants bound the error of one message. */
static p2p_status
plan_feedback(p2pi_codec *c, p2pi_arena *arena, const char *state)
{
    const unsigned inner = c->operand[0]->plan.constants.traits;
    feedback *f = p2pi_arena_take(arena, sizeof *f);
    p2p_status st;

    if (f == NULL)
        return P2P_ENOMEM;
    if ((inner & P2P_STATEFUL) && !(inner & P2P_ADAPTIVE))
        return p2p_fail(P2P_EINVAL, "compressor \"%s\": a compressor with memory inside one with memory",
                        c->part[0].member->entry.name);
    c->work = f;
    c->plan = c->operand[0]->plan;
    c->plan.moment = c->plan.gain = NAN;
    c->plan.stage[0] = (p2pi_stage){ P2PI_REDUCE_NONE, 0, 0, 0 };
    c->plan.stages = 1;
    c->plan.constants.traits = P2P_STATEFUL | (inner & (P2P_SPARSE | P2P_SHARED | P2P_RANDOM | P2P_LOSSLESS));
    if ((st = p2pi_take_vector(&f->memory, c, arena)) != P2P_OK ||
        (st = p2pi_take_vector(&f->scratch, c, arena)) != P2P_OK)
        return st;
    p2pi_keep_state(c, state, f->memory); /* behind those of C, if it has some */
    return P2P_OK;
}

/* y += sign C(..) from the bytes just written. */
static p2p_status
add_sent(p2pi_codec *c, const p2p_env *env, const uint8_t *buf, size_t len, double sign, p2p_vec y)
{
    p2pi_target t = { y, 1, sign, 1, 1 };

    return p2pi_operand_decode(c, env, buf, len, &t);
}

/* ---- ef14 */

static p2p_status
ef14_plan(p2pi_codec *c, p2pi_arena *arena)
{
    unsigned traits = c->operand[0]->plan.constants.traits;

    if ((traits & P2P_UNBIASED) && !(traits & P2P_CONTRACTIVE))
        return p2p_fail(P2P_EINVAL, "compressor \"ef14\": the memory of an unbiased compressor grows; write "
                                    "ef14(scaled(C))");
    return plan_feedback(c, arena, "e");
}

static p2p_status
ef14_encode(p2pi_codec *c, p2p_view x, const p2p_env *env, uint8_t *buf, size_t *len)
{
    feedback *f = c->work;
    p2p_status st;

    p2p_vec_combine(f->scratch, 1, x, 1, p2p_view_of(f->memory));
    if ((st = p2pi_operand_encode(c, p2p_view_of(f->scratch), env, buf, len)) != P2P_OK)
        return st;
    p2p_vec_copy(f->memory, p2p_view_of(f->scratch));
    return add_sent(c, env, buf, *len, -1, f->memory);
}

/* ---- ef21 */

static p2p_status
ef21_plan(p2pi_codec *c, p2pi_arena *arena)
{
    p2p_status st = plan_feedback(c, arena, "g");
    feedback *f = c->work;

    if (st != P2P_OK || (st = p2pi_take_vector(&f->received, c, arena)) != P2P_OK)
        return st;
    c->plan.constants.traits = (c->plan.constants.traits & ~(unsigned)P2P_SPARSE) | P2P_TRACKED;
    p2pi_keep_state(c, "received", f->received);
    return P2P_OK;
}

static p2p_status
ef21_encode(p2pi_codec *c, p2p_view x, const p2p_env *env, uint8_t *buf, size_t *len)
{
    feedback *f = c->work;
    p2p_status st;

    p2p_vec_sub(f->scratch, x, p2p_view_of(f->memory));
    if ((st = p2pi_operand_encode(c, p2p_view_of(f->scratch), env, buf, len)) != P2P_OK)
        return st;
    return add_sent(c, env, buf, *len, 1, f->memory);
}

/* The sum is made beside g, so that a message which would make it infinite changes nothing. */
static p2p_status
ef21_decode(p2pi_codec *c, const p2p_env *env, const uint8_t *buf, size_t len, const p2pi_target *t)
{
    feedback *f = c->work;
    p2pi_target next = { f->scratch, 1, 1, 1, t->trusted };
    p2p_status st;
    size_t bad;

    if (t->y.data == NULL)
        return p2pi_operand_decode(c, env, buf, len, t);
    p2p_vec_copy(f->scratch, p2p_view_of(f->received));
    if ((st = p2pi_operand_decode(c, env, buf, len, &next)) != P2P_OK)
        return st;
    if ((bad = p2p_vec_first_nonfinite(p2p_view_of(f->scratch))) < f->scratch.dim)
        return p2p_fail(P2P_EPROTO, "message: entry %zu of the sender's vector would not be finite", bad);
    p2p_vec_copy(f->received, p2p_view_of(f->scratch));
    if (t->add)
        p2p_vec_axpy(t->y, t->a, p2p_view_of(f->received));
    else
        p2p_vec_copy(t->y, p2p_view_of(f->received));
    return P2P_OK;
}

static const p2pi_scheme ef14_scheme = {
    .plan = ef14_plan,
    .encode = ef14_encode,
    .decode = p2pi_operand_decode,
    .frame = p2pi_operand_frame,
    .unframe = p2pi_operand_unframe,
    .nominal = p2pi_operand_nominal,
};

static const p2pi_scheme ef21_scheme = {
    .plan = ef21_plan,
    .encode = ef21_encode,
    .decode = ef21_decode,
    .frame = p2pi_operand_frame,
    .unframe = p2pi_operand_unframe,
    .nominal = p2pi_operand_nominal,
};

const p2pi_compressor_vt p2pi_compressor_ef14 = {
    .size = sizeof(p2pi_compressor_vt),
    .entry = { "ef14", "error feedback: what was lost is sent later", "arXiv:1901.09847", NULL, 0 },
    .scheme = &ef14_scheme,
    .operands = 1,
};

const p2pi_compressor_vt p2pi_compressor_ef21 = {
    .size = sizeof(p2pi_compressor_vt),
    .entry = { "ef21", "compressed differences to an estimate at both ends", "arXiv:2106.05203", NULL, 0 },
    .scheme = &ef21_scheme,
    .operands = 1,
};
