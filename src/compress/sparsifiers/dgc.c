/*
 * dgc: the k largest by the threshold of a sample. Entries start, start + stride, ..; the ceil(|S| k/d)-th largest of
 * them is the threshold, which all entries must reach. If that selects more than upper k of them, the k largest of
 * these are kept; if fewer than lower k, the threshold is lowered by that factor, `iters` times at most. Never more
 * than k, the first ones, are sent.
 *
 * Contractive in the mean; no constant holds for every vector but 1/d.
 *
 * Lin, Han, Mao, Wang, Dally, ICLR 2018, arXiv:1712.01887.
 */
#include "compress/compress_draws.h"
#include "compress/kernels/compress_kernels.h"
#include "compress/kernels/top_selection.h"
#include "compress/pipeline/pipeline_parts.h"

#include <math.h>

typedef struct {
    p2p_count k, sample;
    double upper, lower;
    int64_t iters, index, vt;
} dgc_param;

typedef struct {
    size_t k, stride, samples;
    uint32_t *reached;
    p2p_vec magnitude; /* of samples, or of what has reached the threshold */
    uint32_t *chosen;
    p2pi_top top;
} sampling;

static size_t
larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

/* An odd multiple of 32, and fewer where that leaves too few samples. */
static void
choose_stride(sampling *w, const dgc_param *o, size_t d)
{
    size_t wanted = p2p_count_of(o->sample, d), least = (size_t)ceil(2 / ((double)w->k / (double)d));
    size_t enough = larger(wanted, least);

    w->stride = 1;
    if (d > least && wanted < d) {
        w->stride = (size_t)ceil((double)d / (double)enough / 32) * 32 + 1;
        while (d / w->stride < enough && w->stride > 1)
            w->stride = w->stride > 9 ? w->stride - 8 : 1;
    }
}

static p2p_status
dgc_open(p2pi_sparsifier *self, p2pi_arena *arena)
{
    const dgc_param *o = self->param;
    size_t d = self->shape.dim;
    sampling *w = p2pi_arena_take(arena, sizeof *w);

    if (w == NULL)
        return P2P_ENOMEM;
    self->work = w;
    w->k = p2p_count_of(o->k, d);
    choose_stride(w, o, d);
    w->reached = p2pi_arena_array(arena, d, sizeof *w->reached);
    w->chosen = p2pi_arena_array(arena, d, sizeof *w->chosen);
    w->magnitude = (p2p_vec){ p2pi_arena_array(arena, d, p2p_dtype_size(self->shape.type)), 0, self->shape.type };
    self->most = w->k;
    self->sent = 1;
    self->index = p2pi_option_index(o->index);
    self->real = p2pi_option_real(o->vt, self->shape.type);
    self->constants = (p2pi_part_constants){ P2P_SPARSE | (w->stride > 1 ? P2P_RANDOM : 0), NAN, NAN, NAN, NAN };
    if (w->reached == NULL || w->chosen == NULL || w->magnitude.data == NULL)
        return P2P_ENOMEM;
    return p2pi_top_open(&w->top, d, arena);
}

/* The rank-th largest magnitude of a vector without negative entries. */
static double
ranked(sampling *w, size_t rank)
{
    p2p_view v = p2p_view_of(w->magnitude);
    double least = INFINITY;

    p2pi_top_select(&w->top, v, rank, w->chosen);
    for (size_t j = 0; j < rank; j++)
        least = fmin(least, p2p_vec_get(v, w->chosen[j]));
    return least;
}

static double
sampled_threshold(sampling *w, p2p_view x, double u)
{
    size_t start = (size_t)(u * (double)w->stride), rank;

    w->magnitude.dim = 0;
    for (size_t i = start; i < x.dim; i += w->stride) {
        w->magnitude.dim++;
        p2p_vec_set(w->magnitude, w->magnitude.dim - 1, fabs(p2p_vec_get(x, i)));
    }
    rank = (size_t)ceil((double)(w->magnitude.dim * w->k) / (double)x.dim);
    rank = rank < 1 ? 1 : rank > w->magnitude.dim ? w->magnitude.dim : rank;
    return ranked(w, rank);
}

/* The k largest of those that have reached the threshold, in place. */
static size_t
keep_largest(sampling *w, p2p_view x, size_t n)
{
    w->magnitude.dim = n;
    p2pi_gather(x, w->reached, 1, w->magnitude);
    p2pi_top_select(&w->top, p2p_view_of(w->magnitude), w->k, w->chosen);
    for (size_t j = 0; j < w->k; j++)
        w->reached[j] = w->reached[w->chosen[j]];
    return w->k;
}

static size_t
dgc_pick(p2pi_sparsifier *self, p2p_view x, const p2p_env *env, uint32_t *index, double *factor)
{
    const dgc_param *o = self->param;
    sampling *w = self->work;
    p2p_random r = p2pi_draw(env, self->comp);
    double u, threshold;
    size_t n;

    (void)factor;
    p2p_random_uniform(&r, 1, &u);
    threshold = sampled_threshold(w, x, u);
    n = p2pi_reaching(x, threshold, w->reached);
    for (int64_t i = 0; w->stride > 1 && i < o->iters && n <= w->k && (double)n < o->lower * (double)w->k; i++) {
        threshold *= o->lower;
        n = p2pi_reaching(x, threshold, w->reached);
    }
    if (w->stride > 1 && o->iters > 0 && (double)n > (double)w->k * o->upper)
        n = keep_largest(w, x, n);
    n = n < w->k ? n : w->k;
    memcpy(index, w->reached, n * sizeof *index);
    return n;
}

static const p2pi_sparsifier_vt dgc_sparsifier = { .open = dgc_open, .pick = dgc_pick };

static const p2p_option dgc_options[] = {
    { "k", P2P_OPT_COUNT, "0.1%", "1", "100%", "most entries sent: a count, or a share of the dimension",
      offsetof(dgc_param, k) },
    { "sample", P2P_OPT_COUNT, "1%", "1%", "100%", "entries that the threshold is taken from",
      offsetof(dgc_param, sample) },
    { "upper", P2P_OPT_REAL, "1.3", "1", "100", "times k: more are cut to the k largest",
      offsetof(dgc_param, upper) },
    { "lower", P2P_OPT_REAL, "0.8", "(0", "1)", "times k: fewer lower the threshold by this factor",
      offsetof(dgc_param, lower) },
    { "iters", P2P_OPT_INT, "10", "0", "100", "corrections of the threshold", offsetof(dgc_param, iters) },
    P2PI_OPTION_INDEX(dgc_param, index),
    P2PI_OPTION_VT(dgc_param, vt),
    P2PI_OPTIONS_END
};

const p2pi_compressor_vt p2pi_compressor_dgc = {
    .size = sizeof(p2pi_compressor_vt),
    .entry = { "dgc", "about the k largest, by the threshold of a sample", "arXiv:1712.01887", dgc_options,
               sizeof(dgc_param) },
    .family = 12,
    .sparsifier = &dgc_sparsifier,
};
