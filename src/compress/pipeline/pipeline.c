/* Opening a pipeline: its parts, sizes, and the constants of the two together. */
#include "compress/pipeline/pipeline.h"

#include "compress/coding/bits.h"
#include "compress/coding/varint.h"

#include <math.h>
#include <string.h>

p2p_status
p2pi_pipeline_check_env(const p2pi_pipeline_work *p, const p2p_env *env)
{
    const p2p_dtype type = p->q != NULL ? p->q->shape.type : p->s->shape.type;
    double s = env->scale;

    if ((p->q == NULL || !p->q->needs_scale) && (p->s == NULL || !p->s->needs_scale))
        return P2P_OK;
    if (type == P2P_F32 ? s >= 0x1p-126 && s <= 0x1p126 : s >= 0x1p-1022 && s <= 0x1p1022)
        return P2P_OK;
    return p2p_fail(P2P_EINVAL, "scale %g of the round: expected a positive number well inside the range of %s", s,
                    p2p_dtype_name(type));
}

/* ---- opening */

static p2p_status
open_sparsifier(p2pi_pipeline_work *p, p2pi_codec *c, p2pi_arena *arena)
{
    p2pi_sparsifier *s = &p->sparsifier;

    s->vt = c->part[0].member->sparsifier;
    s->param = c->part[0].param;
    s->shape = c->shape;
    s->comp = c->comp;
    s->real = p2pi_real_of(c->shape.type);
    p->s = s;
    return s->vt->open(s, arena);
}

static p2p_status
open_quantiser(p2pi_pipeline_work *p, p2pi_codec *c, p2pi_arena *arena)
{
    p2pi_quantiser *q = &p->quantiser;

    q->vt = c->part[1].member->quantiser;
    q->param = c->part[1].param;
    q->shape = c->shape;
    q->shape.dim = p->s != NULL ? p->s->most : c->shape.dim;
    q->comp = c->comp + (p->s != NULL);
    q->real = p2pi_real_of(c->shape.type);
    p->q = q;
    return q->vt->open(q, arena);
}

static p2p_status
check_combination(const p2pi_pipeline_work *p, const p2pi_codec *c)
{
    const char *first = c->part[0].member->entry.name, *second = c->part[1].member->entry.name;

    if (p->s->everything)
        return p2p_fail(P2P_EINVAL, "compressor \"%s+%s\": %s keeps every entry: write %s alone", first, second,
                        first, second);
    if (p->s->real != p2pi_real_of(c->shape.type))
        return p2p_fail(P2P_EINVAL, "compressor \"%s+%s\": vt belongs to %s, which makes the reals", first, second,
                        second);
    if (p->q->vt->restore != NULL && p->s->sent)
        return p2p_fail(P2P_EINVAL,
                        "compressor \"%s+%s\": %s needs a support that is not sent, such as that of randk", first,
                        second, second);
    return P2P_OK;
}

static p2p_status
take_scratch(p2pi_pipeline_work *p, const p2pi_codec *c, p2pi_arena *arena)
{
    size_t entry = p2p_dtype_size(c->shape.type), dim = c->shape.dim;
    int picks = p->s != NULL && !p->s->everything;
    int sends_support = p->sparse_form || picks;

    p->clean = p2pi_arena_array(arena, dim, entry);
    if (p->clean == NULL || (picks && (p->value = p2pi_arena_array(arena, p->most, entry)) == NULL) ||
        (sends_support && (p->index = p2pi_arena_array(arena, p->most, sizeof *p->index)) == NULL))
        return P2P_ENOMEM;
    if (p->q == NULL)
        return P2P_OK;
    p->symbol = p2pi_arena_array(arena, p2pi_quantiser_symbols(p->q, p->most), sizeof *p->symbol);
    p->scale = p2pi_arena_array(arena, p2pi_quantiser_scales(p->q, p->most) + 1, sizeof *p->scale);
    return p->symbol != NULL && p->scale != NULL ? P2P_OK : P2P_ENOMEM;
}

/* ---- constants */

/* Rounding reals to a narrower format is one more contraction, by the square of its unit. */
static void
round_constants(p2pi_part_constants *k, p2pi_real real, p2p_dtype type)
{
    double unit = p2pi_real_unit(real);

    if (p2pi_real_unit(p2pi_real_of(type)) >= unit)
        return;
    k->traits &= ~(unsigned)P2P_LOSSLESS;
    k->omega = (1 + k->omega) * (1 + unit * unit) - 1;
    k->delta *= 1 - unit * unit;
}

/* Unbiased parts multiply second moments; a quantiser behind a sparsifier only touches the energy that was kept. */
static p2pi_part_constants
combined_constants(const p2pi_part_constants *a, const p2pi_part_constants *b, p2pi_plan *plan)
{
    p2pi_part_constants k = { 0, NAN, NAN, NAN, NAN };

    k.traits =
        (a->traits & (P2P_SPARSE | P2P_SHARED | P2P_RANDOM | P2P_STATEFUL | P2P_ADAPTIVE)) | (b->traits & P2P_RANDOM);
    if (a->traits & b->traits & P2P_UNBIASED) {
        k.traits |= P2P_UNBIASED;
        k.omega = (1 + a->omega) * (1 + b->omega) - 1;
    } else if (a->traits & b->traits & P2P_CONTRACTIVE) {
        k.traits |= P2P_CONTRACTIVE;
        k.delta = a->delta * b->delta;
    } else if ((a->traits & P2P_CONTRACTIVE) && (b->traits & P2P_UNBIASED)) {
        plan->moment = 1 + b->omega;
        plan->gain = a->delta;
        if (b->omega < 1) {
            k.traits |= P2P_CONTRACTIVE;
            k.delta = a->delta * (1 - b->omega);
        }
    }
    return k;
}

static void
fill_constants(p2pi_pipeline_work *p, p2pi_codec *c)
{
    p2p_compressor_constants *out = &c->plan.constants;
    p2pi_part_constants k;

    c->plan.moment = c->plan.gain = NAN;
    if (p->s != NULL && p->q != NULL)
        k = combined_constants(&p->s->constants, &p->q->constants, &c->plan);
    else if (p->s != NULL) {
        k = p->s->constants;
        round_constants(&k, p->s->real, c->shape.type);
    } else
        k = p->q->constants;
    if (k.traits & P2P_UNBIASED) {
        c->plan.moment = 1 + k.omega;
        c->plan.gain = 1;
    }
    out->traits = k.traits;
    out->omega = k.omega;
    out->delta = k.delta;
    out->error2 = k.error2;
    out->range = k.range;
}

/* ---- bits as papers count them */

static double
nominal_bits(const p2pi_pipeline_work *p, const p2pi_codec *c, size_t n, int zero)
{
    double values =
        p->q != NULL ? p->q->vt->nominal(p->q, n, zero) : (double)n * 8 * (double)p2pi_real_bytes(p->real);

    if (p->s == NULL || !p->s->sent)
        return values;
    return values + (double)n * ceil(log2(c->shape.dim < 2 ? 2 : (double)c->shape.dim));
}

static double
pipeline_nominal(const p2pi_codec *c, const uint8_t *buf, size_t len)
{
    const p2pi_pipeline_work *p = c->work;
    const uint8_t *at = buf + 1;
    uint64_t n = p->most;

    if (p->s != NULL && buf[0] & P2PI_FLAG_SPARSE && !p->s->counted_as_most)
        p2pi_varint_read(&at, buf + len, UINT32_MAX, &n);
    else if (p->s != NULL && p->q == NULL && !(p->flags & P2PI_FLAG_SPARSE)) /* permk: one more at some nodes */
        n = buf[0] & P2PI_FLAG_ZERO ? p->s->least : (len - 1) / p2pi_real_bytes(p->real);
    return nominal_bits(p, c, (size_t)n, (buf[0] & P2PI_FLAG_ZERO) != 0);
}

static size_t
message_bound(const p2pi_pipeline_work *p, const p2pi_codec *c)
{
    size_t bytes = 1 + P2PI_VARINT_MAX + P2PI_BITS_SPARE, reals = p2pi_real_bytes(p->real);

    /* Exact where every entry is sent as it is: such a message can leave from where it was written. */
    if (p->q == NULL && p->s->everything)
        return 1 + p->most * reals;
    if (p->flags & P2PI_FLAG_SPARSE)
        bytes += p2pi_index_bound(p->most, c->shape.dim, p->s->index);
    if (p->q == NULL)
        return bytes + p->most * reals;
    bytes += p->q->sent_params * P2PI_VARINT_MAX;
    return bytes + p2pi_quantiser_scales(p->q, p->most) * reals +
           p2pi_value_bound(p2pi_quantiser_symbols(p->q, p->most), p->q->largest, p->q->code);
}

/* Linear and additive compressors: what they write must add, whatever x is. */
static int
has_fixed_layout(const p2pi_pipeline_work *p)
{
    if (p->s == NULL)
        return (p->q->constants.traits & P2P_ADDITIVE) != 0;
    return p->q == NULL && (p->s->constants.traits & P2P_LINEAR) != 0;
}

static p2p_status
pipeline_plan(p2pi_codec *c, p2pi_arena *arena)
{
    p2pi_pipeline_work *p = p2pi_arena_take(arena, sizeof *p);
    p2p_status st;

    if (p == NULL)
        return P2P_ENOMEM;
    c->work = p;
    if ((c->part[0].member != NULL && (st = open_sparsifier(p, c, arena)) != P2P_OK) ||
        (c->part[1].member != NULL && (st = open_quantiser(p, c, arena)) != P2P_OK) ||
        (p->s != NULL && p->q != NULL && (st = check_combination(p, c)) != P2P_OK))
        return st;
    p->most = p->s != NULL ? p->s->most : c->shape.dim;
    p->real = p->q != NULL ? p->q->real : p->s->real;
    p->family = c->part[p->s == NULL].member->family;
    p->inner = p->s != NULL && p->q != NULL ? c->part[1].member->family : 0;
    p->flags = p->q != NULL ? P2PI_FLAG_SYMBOLS : 0;
    if (p->s != NULL && !p->s->everything)
        p->flags |= p->s->sent ? P2PI_FLAG_SPARSE : P2PI_FLAG_SHARED;
    p->fixed_layout = has_fixed_layout(p);
    p->sparse_form = p->s == NULL && p->q->signed_codes && !p->fixed_layout;
    if ((st = take_scratch(p, c, arena)) != P2P_OK)
        return st;
    fill_constants(p, c);
    for (size_t i = 0; p->s != NULL && i < p->s->states; i++)
        c->plan.state[c->plan.states++] = p->s->state[i];
    c->plan.constants.bits_nominal = p->s != NULL && p->s->least != p->s->most ? NAN : nominal_bits(p, c, p->most, 0);
    c->plan.bound = message_bound(p, c);
    p2pi_pipeline_plan_stages(c);
    return P2P_OK;
}

const p2pi_scheme p2pi_pipeline = {
    .plan = pipeline_plan,
    .encode = p2pi_pipeline_encode,
    .decode = p2pi_pipeline_decode,
    .frame = p2pi_pipeline_frame,
    .unframe = p2pi_pipeline_unframe,
    .nominal = pipeline_nominal,
    .emit = p2pi_pipeline_emit,
    .absorb = p2pi_pipeline_absorb,
    .finish = p2pi_pipeline_finish,
};
