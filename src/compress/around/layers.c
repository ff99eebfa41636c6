/*
 * layers(C, sizes=a/b/..): C on every layer of the vector by itself, each with its own scales and supports. A whole
 * vector's topk moves the budget to where the large entries are; layers keep a share of it in each. Layers of fewer
 * than `dense` entries travel as they are. Draws are those of slot + 16 times the layer's number. A layer RxC is a
 * matrix, whose rows a low-rank C takes for its own. In a swarm, empty sizes are those of the problem's layers.
 *
 * Dutta et al., arXiv:1911.08250.
 */
#include "base/fail.h"
#include "base/spec.h"
#include "base/text.h"
#include "compress/coding/bits.h"
#include "compress/frames/container.h"
#include "compress/frames/reals_frame.h"
#include "compress/kernels/compress_kernels.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FAMILY = 61, LAYERS_MOST = 128, SLOTS = 16 };

typedef struct {
    p2p_text sizes;
    int64_t dense;
} layers_param;

typedef struct {
    size_t begin;
    p2pi_codec *codec;
} layer;

typedef struct {
    size_t count;
    layer layer[LAYERS_MOST];
    uint8_t *message;
    p2p_vec value;
} layering;

/* ---- opening */

static p2p_status
wrong_sizes(const char *sizes, size_t dim)
{
    return p2p_fail(P2P_EINVAL,
                    "compressor \"layers\": sizes=%.80s: expected 1 to %d positive sizes that add up to %zu, "
                    "such as 784x10/10",
                    sizes, LAYERS_MOST, dim);
}

/* What looks at matrices and chooses their rows, or columns, by itself, looks at this one. */
static void
append_number(const p2pi_choice *part, const char *key, size_t number, char *spec, size_t cap)
{
    const p2p_option *o =
        part->member != NULL ? p2pi_option_find(part->member->entry.options, p2pi_span_of(key)) : NULL;

    if (o != NULL && o->type == P2P_OPT_INT && *(const int64_t *)((const char *)part->param + o->offset) == 0)
        p2pi_text_append(spec, cap, "%c%s=%zu", strchr(spec, ':') != NULL ? ',' : ':', key, number);
}

static p2p_status
open_layer(layering *w, p2pi_codec *c, size_t begin, size_t rows, size_t cols, p2pi_arena *arena)
{
    const layers_param *o = c->part[0].param;
    const size_t size = rows * cols;
    p2p_shape shape = { size, c->shape.type, c->shape.nodes };
    layer *l = &w->layer[w->count++];
    char spec[1024] = "identity";

    if (size >= (size_t)o->dense) {
        p2pi_codec_format(c->operand[0], spec, sizeof spec);
        if (cols > 1)
            append_number(&c->operand[0]->part[0], "rows", rows, spec, sizeof spec);
        /* a quantiser of the whole layer, no sparsifier before it */
        if (cols > 1 && c->operand[0]->part[0].member == NULL)
            append_number(&c->operand[0]->part[1], "columns", cols, spec, sizeof spec);
    }
    l->begin = begin;
    return p2pi_codec_open(&l->codec, spec, &shape, arena);
}

/* A positive number of at most `most`, *at behind it; else 0. */
static size_t
read_size(const char **at, size_t most)
{
    char *end;
    unsigned long long size;

    if (**at < '0' || **at > '9')
        return 0;
    size = strtoull(*at, &end, 10);
    *at = end;
    return size <= most ? (size_t)size : 0;
}

static p2p_status
open_layers(layering *w, p2pi_codec *c, p2pi_arena *arena)
{
    const char *sizes = ((const layers_param *)c->part[0].param)->sizes.s, *at = sizes;
    size_t begin = 0;
    p2p_status st;

    if (*at == '\0')
        return open_layer(w, c, 0, c->shape.dim, 1, arena);
    while (*at != '\0') {
        size_t left = c->shape.dim - begin, rows = read_size(&at, left), cols = 1;

        if (rows > 0 && *at == 'x') {
            at++;
            cols = read_size(&at, left / rows);
        }
        if (rows == 0 || cols == 0 || w->count == LAYERS_MOST || (*at != '/' && *at != '\0') ||
            (*at == '/' && at[1] == '\0'))
            return wrong_sizes(sizes, c->shape.dim);
        if ((st = open_layer(w, c, begin, rows, cols, arena)) != P2P_OK)
            return st;
        begin += rows * cols;
        at += *at == '/';
    }
    return begin == c->shape.dim ? P2P_OK : wrong_sizes(sizes, c->shape.dim);
}

/* The worst layer's; a trait that one lacks the whole lacks. */
static void
fill_constants(const layering *w, p2p_compressor_constants *k)
{
    *k = w->layer[0].codec->plan.constants;
    for (size_t i = 1; i < w->count; i++) {
        const p2p_compressor_constants *l = &w->layer[i].codec->plan.constants;

        k->traits = (k->traits & l->traits) | ((k->traits | l->traits) & P2P_RANDOM);
        k->omega = l->omega > k->omega ? l->omega : k->omega;
        k->delta = l->delta < k->delta ? l->delta : k->delta;
        k->error2 += l->error2;
        k->range = l->range < k->range ? l->range : k->range;
        k->bits_nominal += l->bits_nominal;
    }
    k->traits &= ~(unsigned)(P2P_LINEAR | P2P_ADDITIVE | P2P_SPARSE | P2P_SHARED);
}

static p2p_status
layers_plan(p2pi_codec *c, p2pi_arena *arena)
{
    layering *w = p2pi_arena_take(arena, sizeof *w);
    size_t bytes = 0, longest = 0;
    p2p_status st;

    if (w == NULL)
        return P2P_ENOMEM;
    c->work = w;
    if (c->operand[0]->plan.constants.traits & P2P_STATEFUL)
        return p2p_fail(P2P_EINVAL,
                        "compressor \"layers\": a compressor with memory inside; memory goes outside, as in "
                        "ef14(layers(C,sizes=..))");
    if ((st = open_layers(w, c, arena)) != P2P_OK)
        return st;
    for (size_t i = 0; i < w->count; i++) {
        size_t bound = w->layer[i].codec->plan.bound;

        bytes += bound;
        longest = bound > longest ? bound : longest;
    }
    w->message = p2pi_arena_array(arena, longest + P2P_FRAME_EXTRA, 1);
    w->value = (p2p_vec){ p2pi_arena_array(arena, c->shape.dim, p2p_dtype_size(c->shape.type)), c->shape.dim,
                          c->shape.type };
    if (w->message == NULL || w->value.data == NULL)
        return P2P_ENOMEM;
    c->plan.bound = p2pi_container_bound(w->count, bytes) + P2PI_BITS_SPARE;
    c->plan.stages = 1;
    c->plan.stage[0] = (p2pi_stage){ P2PI_REDUCE_NONE, 0, 0, 0 };
    fill_constants(w, &c->plan.constants);
    c->plan.moment = c->plan.constants.traits & P2P_UNBIASED ? 1 + c->plan.constants.omega : NAN;
    c->plan.gain = c->plan.constants.traits & P2P_UNBIASED ? 1 : NAN;
    return P2P_OK;
}

/* ---- messages */

static p2p_env
env_of(const p2p_env *env, size_t layer)
{
    p2p_env own = *env;

    own.slot += SLOTS * (uint32_t)layer;
    return own;
}

static p2p_status
layers_encode(p2pi_codec *c, p2p_view x, const p2p_env *env, uint8_t *buf, size_t *len)
{
    layering *w = c->work;
    p2pi_container_writer out = p2pi_container_begin(buf, FAMILY, &c->shape, w->count);

    for (size_t i = 0; i < w->count; i++) {
        const layer *l = &w->layer[i];
        p2p_env own = env_of(env, i);
        size_t part;
        p2p_status st = l->codec->scheme->encode(l->codec, p2pi_part_of(x, l->begin, l->codec->shape.dim), &own,
                                                 w->message, &part);

        if (st == P2P_OK)
            st = p2pi_container_add(&out, l->codec, &own, w->message, part);
        if (st != P2P_OK)
            return p2pi_fail_context(st, "layer %zu", i);
    }
    *len = p2pi_container_end(&out);
    return P2P_OK;
}

static p2p_status
layers_decode(p2pi_codec *c, const p2p_env *env, const uint8_t *buf, size_t len, const p2pi_target *t)
{
    layering *w = c->work;
    p2pi_container_reader in;
    p2p_status st = p2pi_container_open(&in, buf, len, FAMILY, &c->shape, w->count);

    for (size_t i = 0; i < w->count && st == P2P_OK; i++) {
        const layer *l = &w->layer[i];
        p2p_env own = env_of(env, i);
        p2p_vec part = { (char *)w->value.data + l->begin * p2p_dtype_size(w->value.type), l->codec->shape.dim,
                         w->value.type };
        p2pi_target into = { part, 0, 1, 1, 0 };
        size_t bytes;

        if ((st = p2pi_container_next(&in, l->codec, &own, w->message, &bytes)) == P2P_OK)
            st = l->codec->scheme->decode(l->codec, &own, w->message, bytes, &into);
    }
    if (st != P2P_OK || (st = p2pi_container_close(&in)) != P2P_OK)
        return st;
    p2pi_target_give(t, w->value);
    return P2P_OK;
}

static double
layers_nominal(const p2pi_codec *c, const uint8_t *buf, size_t len)
{
    static const p2p_env none = { .scale = 1 };
    const layering *w = c->work;
    p2pi_container_reader in;
    double bits = 0;
    size_t bytes;

    if (p2pi_container_open(&in, buf, len, FAMILY, &c->shape, w->count) != P2P_OK)
        return 0;
    for (size_t i = 0; i < w->count; i++)
        if (p2pi_container_next(&in, w->layer[i].codec, &none, w->message, &bytes) == P2P_OK)
            bits += w->layer[i].codec->scheme->nominal(w->layer[i].codec, w->message, bytes);
    return bits;
}

static const p2pi_scheme layers_scheme = {
    .plan = layers_plan,
    .encode = layers_encode,
    .decode = layers_decode,
    .nominal = layers_nominal,
};

static const p2p_option layers_options[] = {
    { "sizes", P2P_OPT_TEXT, "", NULL, NULL,
      "entries of each layer, as in 7840/10 or 784x10/10; empty: the problem's", offsetof(layers_param, sizes) },
    { "dense", P2P_OPT_INT, "0", "0", "4294967295", "layers of fewer entries travel as they are",
      offsetof(layers_param, dense) },
    { NULL, P2P_OPT_INT, NULL, NULL, NULL, NULL, 0 }
};

const p2pi_compressor_vt p2pi_compressor_layers = {
    .size = sizeof(p2pi_compressor_vt),
    .entry = { "layers", "another compressor on every layer by itself", "arXiv:1911.08250", layers_options,
               sizeof(layers_param) },
    .family = FAMILY,
    .scheme = &layers_scheme,
    .operands = 1,
};
