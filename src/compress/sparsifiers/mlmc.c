/*
 * mlmc-topk, mlmc-bits: multilevel Monte Carlo, unbiased from biased. Of levels C^0 = 0, C^1, .., C^K, the last of
 * them exact, draw l with probability p_l and send (C^l(v) - C^(l-1)(v))/p_l.
 *
 *     mlmc-topk   C^l keeps the l s largest: level l is the l-th block of s in the order of |v|. adaptive=1: p_l as
 * the norms of the blocks, the best there is, omega <= K - 1; adaptive=0: p_l as 2^-l mlmc-bits   level l is bit l of
 * |v_j|/max|v|, K bits; p_l as 2^-l. Second moment |v|_1 max|v|, which is at most (1 + sqrt d)/2 ||v||^2; unbiased
 * for what K bits can tell
 *
 * Zukerman, Hamoud, Levy, arXiv:2507.05508.
 */
#include "compress/compress_draws.h"
#include "compress/pipeline/pipeline_parts.h"

#include <math.h>
#include <stdlib.h>

/* p_l as 2^-l, l = 1 .. K. */
static double
halving(unsigned l, double levels)
{
    return ldexp(1, -(int)l) / (1 - exp2(-levels));
}

/* ---- mlmc-topk */

typedef struct {
    p2p_count k;
    int64_t adaptive, index, vt;
} blocks_param;

typedef struct {
    double magnitude;
    uint32_t index;
} ranked;

typedef struct {
    size_t size, count; /* entries of a block, blocks */
    ranked *rank;
    double *weight; /* a block each */
} blocks;

static p2p_status
blocks_open(p2pi_sparsifier *self, p2pi_arena *arena)
{
    const blocks_param *o = self->param;
    const size_t d = self->shape.dim;
    blocks *w = p2pi_arena_take(arena, sizeof *w);
    double k;

    if (w == NULL)
        return P2P_ENOMEM;
    self->work = w;
    w->size = p2p_count_of(o->k, d);
    w->count = (d - 1) / w->size + 1;
    w->rank = p2pi_arena_array(arena, d, sizeof *w->rank);
    w->weight = p2pi_arena_array(arena, w->count, sizeof *w->weight);
    if (w->rank == NULL || w->weight == NULL)
        return P2P_ENOMEM;
    self->most = w->size;
    self->least = d - (w->count - 1) * w->size;
    self->counted_as_most = 1;
    self->sent = 1;
    self->index = p2pi_option_index(o->index);
    self->real = p2pi_option_real(o->vt, self->shape.type);
    k = (double)w->count;
    self->constants = (p2pi_part_constants){ P2P_UNBIASED | P2P_RANDOM | P2P_SPARSE, k - 1, NAN, NAN, NAN };
    /* Blocks come with falling norms: at worst all are equal, and 1/p_l has its plain mean. */
    if (!o->adaptive)
        self->constants.omega = (1 - exp2(-k)) * (exp2(k + 1) - 2) / k - 1;
    return P2P_OK;
}

static int
by_magnitude(const void *a, const void *b)
{
    const ranked *x = a, *y = b;

    if (x->magnitude != y->magnitude)
        return x->magnitude > y->magnitude ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

static int
by_index(const void *a, const void *b)
{
    const ranked *x = a, *y = b;

    return (x->index > y->index) - (x->index < y->index);
}

static size_t
entries_of(const blocks *w, size_t d, size_t block)
{
    return block + 1 < w->count ? w->size : d - block * w->size;
}

/* Weights of the blocks, and their sum; norms in units of the largest entry. */
static double
weigh(blocks *w, size_t d, int adaptive)
{
    const double largest = w->rank[0].magnitude;
    double sum = 0;

    for (size_t b = 0; b < w->count && largest > 0; b++) {
        double square = 0;

        for (size_t j = 0; j < entries_of(w, d, b); j++) {
            double share = w->rank[b * w->size + j].magnitude / largest;

            square += share * share;
        }
        w->weight[b] = adaptive ? sqrt(square) : exp2(-(double)(b + 1));
        sum += w->weight[b];
    }
    return sum;
}

/* The first block at which the probabilities exceed u; the last with any, should rounding leave none. */
static size_t
draw_block(const blocks *w, double sum, double u)
{
    double reached = 0;
    size_t last = 0;

    for (size_t b = 0; b < w->count; b++) {
        reached += w->weight[b] / sum;
        if (u < reached)
            return b;
        last = w->weight[b] > 0 ? b : last;
    }
    return last;
}

static size_t
blocks_pick(p2pi_sparsifier *self, p2p_view x, const p2p_env *env, uint32_t *index, double *factor)
{
    const blocks_param *o = self->param;
    blocks *w = self->work;
    p2p_random r = p2pi_draw(env, self->comp);
    double u, sum;
    size_t block, n;

    p2p_random_uniform(&r, 1, &u);
    for (size_t i = 0; i < x.dim; i++)
        w->rank[i] = (ranked){ fabs(p2p_vec_get(x, i)), (uint32_t)i };
    qsort(w->rank, x.dim, sizeof *w->rank, by_magnitude);
    sum = weigh(w, x.dim, (int)o->adaptive);
    block = sum > 0 ? draw_block(w, sum, u) : 0;
    n = entries_of(w, x.dim, block);
    qsort(w->rank + block * w->size, n, sizeof *w->rank, by_index);
    for (size_t j = 0; j < n; j++)
        index[j] = w->rank[block * w->size + j].index;
    *factor = sum > 0 ? sum / w->weight[block] : 1;
    return n;
}

static const p2pi_sparsifier_vt blocks_vt = { .open = blocks_open, .pick = blocks_pick };

static const p2p_option blocks_options[] = {
    { "k", P2P_OPT_COUNT, "1%", "1", "100%", "entries of a level: a count, or a share of the dimension",
      offsetof(blocks_param, k) },
    { "adaptive", P2P_OPT_BOOL, "1", NULL, NULL, "levels drawn by what they hold", offsetof(blocks_param, adaptive) },
    P2PI_OPTION_INDEX(blocks_param, index),
    P2PI_OPTION_VT(blocks_param, vt),
    P2PI_OPTIONS_END
};

const p2pi_compressor_vt p2pi_compressor_mlmc_topk = {
    .size = sizeof(p2pi_compressor_vt),
    .entry = { "mlmc-topk", "one of the blocks of largest entries, at random: unbiased", "arXiv:2507.05508",
               blocks_options, sizeof(blocks_param) },
    .family = 70,
    .sparsifier = &blocks_vt,
};

/* ---- mlmc-bits */

typedef struct {
    int64_t bits, code, vt;
} planes_param;

enum { BITS_AT, PLANE_AT };

static p2p_status
planes_open(p2pi_quantiser *self, p2pi_arena *arena)
{
    const planes_param *o = self->param;

    (void)arena;
    self->params = 2;
    self->sent_params = 1;
    self->param_value[BITS_AT] = (uint32_t)o->bits;
    self->signed_codes = 1;
    self->largest = 2;
    self->real = p2pi_option_real(o->vt, self->shape.type);
    self->constants =
        (p2pi_part_constants){ P2P_UNBIASED | P2P_RANDOM, (sqrt((double)self->shape.dim) - 1) / 2, NAN, NAN, NAN };
    return p2pi_option_code(o->code, "mlmc-bits", self->largest, &self->code);
}

/* The largest magnitude, and the plane: number l - 1. */
static void
planes_measure(p2pi_quantiser *self, const p2p_env *env, p2p_view y, double *scale)
{
    const unsigned bits = self->param_value[BITS_AT];
    p2p_random r = p2pi_draw(env, self->comp);
    double u, reached;
    unsigned l = 1;

    p2p_random_uniform(&r, 1, &u);
    for (reached = halving(1, bits); l < bits && !(u < reached); reached += halving(l, bits))
        l++;
    self->param_value[PLANE_AT] = l - 1;
    *scale = p2pi_real_up(self->real, p2p_vec_norminf(y));
}

static void
planes_quantise(p2pi_quantiser *self, const p2p_env *env, const double *scale, size_t at, p2p_view y,
                uint32_t *symbol)
{
    const unsigned bits = self->param_value[BITS_AT], below = bits - 1 - self->param_value[PLANE_AT];
    const double all = ldexp(1, (int)bits);

    (void)env;
    (void)at;
    for (size_t i = 0; i < y.dim; i++) {
        double v = p2p_vec_get(y, i), code = *scale > 0 ? floor(fabs(v) / *scale * all) : 0;
        uint32_t bit = (uint32_t)fmin(code, all - 1) >> below & 1;

        symbol[i] = v < 0 ? bit : 2 * bit;
    }
}

static int
planes_accept(const p2pi_quantiser *self, uint32_t *largest)
{
    *largest = self->largest;
    return self->param_value[PLANE_AT] < self->param_value[BITS_AT];
}

/* max|v| 2^-l / p_l: the same for every level. */
static double
plane_value(const p2pi_quantiser *self, double scale)
{
    return scale * (1 - exp2(-(double)self->param_value[BITS_AT]));
}

static double
planes_reach(const p2pi_quantiser *self, double scale)
{
    double v = plane_value(self, scale);

    return self->shape.type == P2P_F32 ? (double)(float)v : v;
}

static void
planes_dequantise(const p2pi_quantiser *self, const p2p_env *env, const double *scale, const uint32_t *symbol,
                  size_t at, p2p_vec y)
{
    const double v = plane_value(self, *scale);

    (void)env;
    (void)at;
    for (size_t i = 0; i < y.dim; i++)
        p2p_vec_set(y, i, symbol[i] == 0 ? 0 : symbol[i] == 1 ? -v : v);
}

static double
planes_nominal(const p2pi_quantiser *self, size_t k, int zero)
{
    const double norm = 8 * (double)p2pi_real_bytes(self->real);

    return zero ? norm : norm + 8 + 2 * (double)k;
}

static const p2pi_quantiser_vt planes_vt = {
    .open = planes_open,
    .scales = p2pi_one_scale,
    .measure = planes_measure,
    .quantise = planes_quantise,
    .accept = planes_accept,
    .reach = planes_reach,
    .dequantise = planes_dequantise,
    .nominal = planes_nominal,
};

static const p2p_option planes_options[] = { { "bits", P2P_OPT_INT, "30", "8", "30", "planes of a magnitude",
                                               offsetof(planes_param, bits) },
                                             P2PI_OPTION_CODE(planes_param, code),
                                             P2PI_OPTION_VT(planes_param, vt),
                                             P2PI_OPTIONS_END };

const p2pi_compressor_vt p2pi_compressor_mlmc_bits = {
    .size = sizeof(p2pi_compressor_vt),
    .entry = { "mlmc-bits", "one of the bits of every entry, at random: unbiased", "arXiv:2507.05508", planes_options,
               sizeof(planes_param) },
    .family = 71,
    .quantiser = &planes_vt,
};
