/*
 * clt: CLT-k of ScaleCom. With U = m + g, node (round mod n) names the k largest entries of its |U| and all nodes
 * send theirs at those places, so that payloads add and the support travels once:
 *
 *     stage 0   BCAST  the leader's support, a frame without values
 *     stage 1   SUM    U at the support
 *     out       the mean there, 0 elsewhere;   m <- (1 - beta) m + beta (U - what was sent)
 *
 * beta = 1 is error feedback; 0.1 to 0.3 filter the memory, for large batches. In a message alone the support is the
 * sender's own: topk with a filtered memory. Contractive to the extent that the nodes' supports agree.
 *
 * Chen et al., NeurIPS 2020, arXiv:2104.11125.
 */
#include "compress/coding/bits.h"
#include "compress/coding/varint.h"
#include "compress/frames/frame_head.h"
#include "compress/frames/reals_frame.h"
#include "compress/kernels/compress_kernels.h"
#include "compress/kernels/top_selection.h"
#include "compress/operand.h"
#include "compress/pipeline/memory_scheme.h"
#include "compress/pipeline/pipeline.h"

#include <math.h>

enum { FAMILY = 10 };

typedef struct {
    p2p_count k;
    double beta;
    int64_t vt;
} clt_param;

typedef struct {
    const clt_param *o;
    size_t k;
    p2pi_top top;
    uint32_t *index;
    p2p_vec m;          /* kept */
    p2p_vec x, u, sent; /* u = m + x, without -0 and denormals */
    void *value;        /* k entries */
    double *mean;       /* k, collective execution */
    int summed;
} leading;

/* ---- a message alone */

static p2p_status
leader_open(p2pi_sparsifier *self, p2pi_arena *arena)
{
    const leading *w = self->param;
    p2p_status st = p2pi_private_open(self, arena);

    self->least = self->most = w->k;
    self->real = p2pi_option_real(w->o->vt, self->shape.type);
    return st;
}

static size_t
leader_pick(p2pi_sparsifier *self, p2p_view x, const p2p_env *env, uint32_t *index, double *factor)
{
    leading *w = (leading *)self->param;

    (void)env;
    (void)factor;
    p2pi_top_select(&w->top, x, w->k, index);
    return w->k;
}

static const p2pi_sparsifier_vt leader_vt = { .open = leader_open, .pick = leader_pick };
static const p2pi_compressor_vt leader = { .entry = { .name = "clt" }, .family = FAMILY, .sparsifier = &leader_vt };

/* m += beta (x - sent), which is (1 - beta) m + beta (u - sent). */
static void
move_on(leading *w)
{
    p2p_vec_axpy(w->m, w->o->beta, p2p_view_of(w->x));
    p2p_vec_axpy(w->m, -w->o->beta, p2p_view_of(w->sent));
}

/* P2P_EINVAL: an entry is not finite. */
static p2p_status
take(leading *w, p2p_view x)
{
    size_t bad = p2p_vec_first_nonfinite(x);

    if (bad < x.dim)
        return p2p_fail(P2P_EINVAL, "entry %zu is not finite (%g)", bad, p2p_vec_get(x, bad));
    p2pi_clean(x, w->x);
    p2p_vec_combine(w->sent, 1, p2p_view_of(w->m), 1, p2p_view_of(w->x));
    p2pi_clean(p2p_view_of(w->sent), w->u);
    return P2P_OK;
}

static p2p_status
clt_encode(p2pi_codec *c, p2p_view x, const p2p_env *env, uint8_t *buf, size_t *len)
{
    leading *w = c->work;
    p2pi_target sent = { w->sent, 0, 1, 1, 1 };
    p2p_status st;

    if ((st = take(w, x)) != P2P_OK || (st = p2pi_operand_encode(c, p2p_view_of(w->u), env, buf, len)) != P2P_OK ||
        (st = p2pi_operand_decode(c, env, buf, *len, &sent)) != P2P_OK)
        return st;
    move_on(w);
    return P2P_OK;
}

/* ---- opening */

static p2pi_frame_head
head_of(const p2pi_codec *c)
{
    return (p2pi_frame_head){ FAMILY, 0, P2PI_FLAG_SPARSE, c->shape.type, p2pi_real_of(c->shape.type), c->shape.dim };
}

/* A narrow wire format has no sums. */
static void
plan_stages(p2pi_codec *c, const leading *w)
{
    const p2pi_real real = p2pi_real_of(c->shape.type);
    const size_t support = P2PI_FRAME_HEAD + 3 * P2PI_VARINT_MAX +
                           p2pi_index_bound(w->k, c->shape.dim, P2PI_INDEX_AUTO) + P2PI_BITS_SPARE;

    c->plan.stages = 1;
    c->plan.stage[0] = (p2pi_stage){ P2PI_REDUCE_NONE, 0, 0, 0 };
    if (p2pi_option_real(w->o->vt, c->shape.type) != real)
        return;
    c->plan.stages = 2;
    c->plan.stage[0] = (p2pi_stage){ P2PI_REDUCE_BCAST, 1, 0, support };
    c->plan.stage[1] = (p2pi_stage){ P2PI_REDUCE_SUM, w->k, 0, w->k * p2pi_real_bytes(real) };
}

static p2p_status
clt_plan(p2pi_codec *c, p2pi_arena *arena)
{
    leading *w = p2pi_arena_take(arena, sizeof *w);
    p2p_status st;

    if (w == NULL)
        return P2P_ENOMEM;
    c->work = w;
    w->o = c->part[0].param;
    w->k = p2p_count_of(w->o->k, c->shape.dim);
    w->index = p2pi_arena_array(arena, w->k, sizeof *w->index);
    w->value = p2pi_arena_array(arena, w->k, p2p_dtype_size(c->shape.type));
    w->mean = p2pi_arena_array(arena, w->k, sizeof *w->mean);
    if (w->index == NULL || w->value == NULL || w->mean == NULL || p2pi_take_vector(&w->m, c, arena) != P2P_OK ||
        p2pi_take_vector(&w->x, c, arena) != P2P_OK || p2pi_take_vector(&w->u, c, arena) != P2P_OK ||
        p2pi_take_vector(&w->sent, c, arena) != P2P_OK || p2pi_top_open(&w->top, c->shape.dim, arena) != P2P_OK)
        return P2P_ENOMEM;
    if ((st = p2pi_private_pipeline(c, arena, &leader, NULL, w)) != P2P_OK)
        return st;
    p2pi_keep_state(c, "m", w->m);
    plan_stages(c, w);
    return P2P_OK;
}

/* ---- collective execution */

/* Every node names its own largest entries: which node leads is for the exchange. */
static void
write_support(const p2pi_codec *c, leading *w, uint8_t *buf)
{
    const p2pi_frame_head head = head_of(c);
    uint8_t *at = buf + P2PI_FRAME_HEAD;
    p2pi_index_code code;

    p2pi_top_select(&w->top, p2p_view_of(w->u), w->k, w->index);
    code = p2pi_index_choose(w->index, w->k, c->shape.dim, P2PI_INDEX_AUTO);
    at = p2pi_varint_write(at, 0);
    at = p2pi_varint_write(at, 0);
    at = p2pi_varint_write(at, w->k);
    at = p2pi_index_write(at, w->index, w->k, c->shape.dim, &code);
    p2pi_frame_head_write(&head, (size_t)(at - buf) - P2PI_FRAME_HEAD, buf);
}

static p2p_status
read_support(const p2pi_codec *c, leading *w, const uint8_t *buf)
{
    const p2pi_frame_head head = head_of(c);
    const size_t most = c->plan.stage[0].bytes, len = p2pi_frame_head_length(buf);
    const uint8_t *at = buf + P2PI_FRAME_HEAD, *end = buf + (len < most ? len : most);
    uint64_t params, scales, n;
    p2p_status st = p2pi_frame_head_check(&head, buf, (size_t)(end - buf));

    if (st != P2P_OK)
        return st;
    if (buf[P2PI_FRAME_FLAGS] != P2PI_FLAG_SPARSE || !p2pi_varint_read(&at, end, 0, &params) ||
        !p2pi_varint_read(&at, end, 0, &scales) || !p2pi_varint_read(&at, end, w->k, &n) || n != w->k)
        return p2p_fail(P2P_EPROTO, "frame: not a support of %zu entries", w->k);
    if ((st = p2pi_index_read(&at, end, w->k, c->shape.dim, w->index)) != P2P_OK)
        return st;
    return at == end ? P2P_OK : p2p_fail(P2P_EPROTO, "frame: %zu bytes behind the support", (size_t)(end - at));
}

static p2p_status
clt_emit(p2pi_codec *c, size_t stage, p2p_view x, const p2p_env *env, uint8_t *buf)
{
    leading *w = c->work;
    const p2pi_real real = p2pi_real_of(c->shape.type);
    p2p_vec picked = { w->value, w->k, c->shape.type };
    p2p_status st;

    (void)env;
    w->summed = 0;
    if (stage == 0) {
        if ((st = take(w, x)) == P2P_OK)
            write_support(c, w, buf);
        return st;
    }
    for (size_t j = 0; j < w->k; j++)
        p2p_vec_set(picked, j, p2p_vec_get(p2p_view_of(w->u), w->index[j]));
    return p2pi_reals_stage_write(real, p2p_view_of(picked), buf);
}

static p2p_status
clt_absorb(p2pi_codec *c, size_t stage, const p2p_env *env, const uint8_t *buf)
{
    leading *w = c->work;
    p2p_status st;

    (void)env;
    if (stage == 0)
        return read_support(c, w, buf);
    st = p2pi_reals_stage_mean(p2pi_real_of(c->shape.type), c->shape, buf, (p2p_vec){ w->mean, w->k, P2P_F64 });
    w->summed = st == P2P_OK;
    return st;
}

/* The residual is what is left of u. */
static p2p_status
clt_finish(p2pi_codec *c, const p2p_env *env, p2p_vec y, p2p_vec residual)
{
    leading *w = c->work;

    (void)env;
    if (!w->summed)
        return p2p_fail(P2P_EINVAL, "collective execution: finish before every stage was absorbed");
    w->summed = 0;
    p2p_vec_zero(y);
    p2p_vec_zero(w->sent);
    for (size_t j = 0; j < w->k; j++) {
        p2p_vec_set(y, w->index[j], w->mean[j]);
        p2p_vec_set(w->sent, w->index[j], p2p_vec_get(p2p_view_of(w->u), w->index[j]));
    }
    if (residual.data != NULL)
        p2p_vec_combine(residual, 1, p2p_view_of(w->u), -1, p2p_view_of(w->sent));
    move_on(w);
    return P2P_OK;
}

static const p2pi_scheme clt_scheme = {
    .plan = clt_plan,
    .encode = clt_encode,
    .decode = p2pi_operand_decode,
    .frame = p2pi_operand_frame,
    .unframe = p2pi_operand_unframe,
    .nominal = p2pi_operand_nominal,
    .emit = clt_emit,
    .absorb = clt_absorb,
    .finish = clt_finish,
};

static const p2p_option clt_options[] = {
    { "k", P2P_OPT_COUNT, "1%", "1", "100%", "entries sent: a count, or a share of the dimension",
      offsetof(clt_param, k) },
    { "beta", P2P_OPT_REAL, "1", "(0", "1", "how fast the memory follows what was not sent",
      offsetof(clt_param, beta) },
    P2PI_OPTION_VT(clt_param, vt),
    P2PI_OPTIONS_END
};

const p2pi_compressor_vt p2pi_compressor_clt = {
    .size = sizeof(p2pi_compressor_vt),
    .entry = { "clt", "the leader's k largest entries, at all nodes", "arXiv:2104.11125", clt_options,
               sizeof(clt_param) },
    .family = FAMILY,
    .scheme = &clt_scheme,
};
