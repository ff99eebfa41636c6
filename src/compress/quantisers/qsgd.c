/*
 * qsgd, qinf: stochastic quantisation. With r the norm of the bucket, rounded up, and a dither u in [0, 1):
 *
 *     c_i = sign(x_i) min(floor((|x_i| / r) s + u_i), s),   decoded (r / s) c_i
 *
 * round=near: u = 1/2; round=floor: u = 0. qinf is the infinity norm with s = 2^(bits-1): the b-bit quantiser of LEAD
 * and COLD. Buckets are `bucket` consecutive entries (0: one), each with its own norm.
 *
 * Over buckets of b entries: norm=2 unbiased with omega = min(b/(4 s^2), sqrt b/s), since a coordinate's variance is
 * at most (r/s)^2/4 and at most (r/s) |x_i|; norm=inf min(b/(4 s^2), (1 + sqrt b)/(2 s)). round=near with norm=inf:
 * contractive, delta = 4 s^2/(4 s^2 + b - 1), tight.
 *
 * Alistarh, Grubic, Li, Tomioka, Vojnovic, arXiv:1610.02132; qinf: Liu et al., arXiv:2007.00232.
 */
#include "compress/compress_draws.h"
#include "compress/kernels/compress_kernels.h"
#include "compress/pipeline/pipeline_parts.h"

#include <math.h>

enum { ROUND_RANDOM, ROUND_NEAR, ROUND_FLOOR };
enum { NORM_2, NORM_INF };

/* Both members' options; qinf sets levels and norm from its bits. */
typedef struct {
    int64_t levels, norm, bits, bucket, round, code, dither, vt;
} qsgd_param;

typedef struct {
    uint32_t levels;
    size_t bucket; /* entries; never 0 */
    int64_t norm, round;
    unsigned dither;
} quantisation;

static void
qsgd_constants(p2pi_quantiser *self, const quantisation *w)
{
    p2pi_part_constants *k = &self->constants;
    double b = (double)(w->bucket < self->shape.dim ? w->bucket : self->shape.dim), s = w->levels;

    *k = (p2pi_part_constants){ 0, NAN, NAN, NAN, NAN };
    if (w->round == ROUND_RANDOM) {
        k->traits = P2P_UNBIASED | P2P_RANDOM;
        k->omega = fmin(b / (4 * s * s), w->norm == NORM_2 ? sqrt(b) / s : (1 + sqrt(b)) / (2 * s));
    } else if (w->round == ROUND_NEAR && w->norm == NORM_INF) {
        k->traits = P2P_CONTRACTIVE;
        k->delta = 4 * s * s / (4 * s * s + b - 1);
    }
}

static p2p_status
open_quantisation(p2pi_quantiser *self, p2pi_arena *arena, const char *name, uint32_t levels, int64_t norm)
{
    const qsgd_param *o = self->param;
    quantisation *w = p2pi_arena_take(arena, sizeof *w);

    if (w == NULL)
        return P2P_ENOMEM;
    self->work = w;
    w->levels = levels;
    w->norm = norm;
    w->bucket = o->bucket > 0 ? (size_t)o->bucket : self->shape.dim;
    w->round = o->round;
    w->dither = p2pi_option_dither(o->dither);
    if (w->round != ROUND_RANDOM && w->dither != 24)
        return p2p_fail(P2P_EINVAL, "compressor \"%s\": dither is for round=random", name);
    self->params = 2;
    self->param_value[0] = levels;
    self->param_value[1] = (uint32_t)o->bucket;
    self->signed_codes = 1;
    self->largest = 2 * levels;
    self->real = p2pi_option_real(o->vt, self->shape.type);
    qsgd_constants(self, w);
    return p2pi_option_code(o->code, name, self->largest, &self->code);
}

static p2p_status
qsgd_open(p2pi_quantiser *self, p2pi_arena *arena)
{
    const qsgd_param *o = self->param;

    return open_quantisation(self, arena, "qsgd", (uint32_t)o->levels, o->norm);
}

static p2p_status
qinf_open(p2pi_quantiser *self, p2pi_arena *arena)
{
    const qsgd_param *o = self->param;

    return open_quantisation(self, arena, "qinf", UINT32_C(1) << (o->bits - 1), NORM_INF);
}

static size_t
qsgd_scales(const p2pi_quantiser *self, size_t k)
{
    const quantisation *w = self->work;

    return (k - 1) / w->bucket + 1;
}

static void
qsgd_measure(p2pi_quantiser *self, const p2p_env *env, p2p_view y, double *scale)
{
    const quantisation *w = self->work;

    (void)env;
    for (size_t at = 0; at < y.dim; at += w->bucket, scale++) {
        p2p_view part = p2pi_part_of(y, at, y.dim - at < w->bucket ? y.dim - at : w->bucket);

        *scale = p2pi_real_up(self->real, w->norm == NORM_2 ? p2p_vec_norm2(part) : p2p_vec_norminf(part));
    }
}

static void
fill_dithers(const p2pi_quantiser *self, const p2p_env *env, size_t at, p2p_vec u)
{
    const quantisation *w = self->work;

    if (w->round == ROUND_RANDOM)
        p2pi_draw_dithers_at(env, self->comp, w->dither, at, u);
    else
        p2p_vec_fill(u, w->round == ROUND_NEAR ? 0.5 : 0);
}

/* Bucket by bucket. */
static void
qsgd_quantise(p2pi_quantiser *self, const p2p_env *env, const double *scale, size_t at, p2p_view y, uint32_t *symbol)
{
    const quantisation *w = self->work;
    p2pi_chunk chunk;
    p2p_vec u = p2pi_chunk_vec(&chunk, y.dim, y.type);

    fill_dithers(self, env, at, u);
    for (size_t done = 0, n; done < y.dim; done += n) {
        size_t left = w->bucket - (at + done) % w->bucket;
        double r = scale[(at + done) / w->bucket];

        n = y.dim - done < left ? y.dim - done : left;
        if (r > 0)
            p2pi_quantise(p2pi_part_of(y, done, n), r, w->levels, p2pi_part_of(p2p_view_of(u), done, n),
                          symbol + done);
        else
            memset(symbol + done, 0, n * sizeof *symbol);
    }
}

/* The largest code times the step, rounded as entries are. */
static double
qsgd_reach(const p2pi_quantiser *self, double scale)
{
    const quantisation *w = self->work;
    double storage;
    p2p_vec y = { &storage, 1, self->shape.type };

    p2pi_dequantise(&self->largest, scale, w->levels, y);
    return p2p_vec_get(p2p_view_of(y), 0);
}

static void
qsgd_dequantise(const p2pi_quantiser *self, const p2p_env *env, const double *scale, const uint32_t *symbol,
                size_t at, p2p_vec y)
{
    const quantisation *w = self->work;

    (void)env;
    for (size_t done = 0, n; done < y.dim; done += n) {
        size_t left = w->bucket - (at + done) % w->bucket;
        p2p_vec part = { (char *)y.data + done * p2p_dtype_size(y.type), 0, y.type };

        part.dim = n = y.dim - done < left ? y.dim - done : left;
        p2pi_dequantise(symbol + done, scale[(at + done) / w->bucket], w->levels, part);
    }
}

static double
qsgd_nominal(const p2pi_quantiser *self, size_t k, int zero)
{
    double norms = (double)qsgd_scales(self, k) * 8 * (double)p2pi_real_bytes(self->real);

    return zero ? norms : norms + (double)k * p2pi_bit_length(self->largest);
}

static const p2pi_quantiser_vt qsgd_quantiser = {
    .open = qsgd_open,
    .scales = qsgd_scales,
    .measure = qsgd_measure,
    .quantise = qsgd_quantise,
    .reach = qsgd_reach,
    .dequantise = qsgd_dequantise,
    .nominal = qsgd_nominal,
};

static const p2pi_quantiser_vt qinf_quantiser = {
    .open = qinf_open,
    .scales = qsgd_scales,
    .measure = qsgd_measure,
    .quantise = qsgd_quantise,
    .reach = qsgd_reach,
    .dequantise = qsgd_dequantise,
    .nominal = qsgd_nominal,
};

#define OPTION_ROUND                                                                                                 \
    {                                                                                                                \
        "round", P2P_OPT_CHOICE, "random", "random|near|floor", NULL, "random is unbiased",                          \
            offsetof(qsgd_param, round)                                                                              \
    }
#define OPTION_BUCKET                                                                                                \
    {                                                                                                                \
        "bucket", P2P_OPT_INT, "0", "0", "4294967295", "entries that share a norm; 0: all",                          \
            offsetof(qsgd_param, bucket)                                                                             \
    }

static const p2p_option qsgd_options[] = {
    { "levels", P2P_OPT_INT, "16", "1", "1048576", "steps between 0 and the norm", offsetof(qsgd_param, levels) },
    { "norm", P2P_OPT_CHOICE, "2", "2|inf", NULL, "Euclidean or largest magnitude", offsetof(qsgd_param, norm) },
    OPTION_BUCKET,
    OPTION_ROUND,
    P2PI_OPTION_CODE(qsgd_param, code),
    P2PI_OPTION_DITHER(qsgd_param, dither),
    P2PI_OPTION_VT(qsgd_param, vt),
    P2PI_OPTIONS_END
};

static const p2p_option qinf_options[] = { { "bits", P2P_OPT_INT, "2", "1", "21",
                                             "2^(bits-1) steps between 0 and the largest magnitude",
                                             offsetof(qsgd_param, bits) },
                                           OPTION_BUCKET,
                                           OPTION_ROUND,
                                           P2PI_OPTION_CODE(qsgd_param, code),
                                           P2PI_OPTION_DITHER(qsgd_param, dither),
                                           P2PI_OPTION_VT(qsgd_param, vt),
                                           P2PI_OPTIONS_END };

const p2pi_compressor_vt p2pi_compressor_qsgd = {
    .size = sizeof(p2pi_compressor_vt),
    .entry = { "qsgd", "stochastic quantisation relative to a norm", "arXiv:1610.02132", qsgd_options,
               sizeof(qsgd_param) },
    .family = 23,
    .quantiser = &qsgd_quantiser,
};

const p2pi_compressor_vt p2pi_compressor_qinf = {
    .size = sizeof(p2pi_compressor_vt),
    .entry = { "qinf", "stochastic quantisation relative to the largest magnitude", "arXiv:2007.00232", qinf_options,
               sizeof(qsgd_param) },
    .family = 24,
    .quantiser = &qinf_quantiser,
};
