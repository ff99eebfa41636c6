/*
 * spherical: every block of entries by the index of the first of a sequence of shared random directions that is close
 * enough, and its length. With g = sqrt(1 - alpha), r the norm of the block and rho its decoded length, candidate s_m
 * is accepted if cos(y, s_m) >= (w^2 + 1 - alpha) / (2 w), w = rho g / r, which is exactly error <= alpha r^2; if
 * none is, the closest. Decoded g rho s_m / ||s_m||: contractive with delta = 1 - alpha.
 *
 *     norms=log    one real R, the largest norm; 5 bits q a block: rho = R 2^(-j/2), j = 31 - q, the nearest half
 * octave, or 0 (q = 0); symbol 32 m + q norms=real   one real a block; symbol m
 *
 * scale=unbiased (norms=real): cos >= g, decoded rho s_m / (kappa ||s_m||) with kappa the mean cosine of the cap:
 * unbiased with omega = 1/kappa^2 - 1. The index is geometric with the probability P of the cap, about log2(1/P)
 * + 1.5 bits.
 *
 * Albasyoni, Safaryan, Condat, Richtarik, arXiv:2010.03246; blocks, log radii and the shared sequence are ours.
 */
#include "compress/coding/bits.h"
#include "compress/compress_draws.h"
#include "compress/kernels/compress_kernels.h"
#include "compress/pipeline/pipeline_parts.h"

#include <math.h>

enum { SCALE_CONTRACTIVE, SCALE_UNBIASED };
enum { NORMS_LOG, NORMS_REAL };
enum { RADIUS_BITS = 5, RADII = 1 << RADIUS_BITS };

typedef struct {
    double alpha;
    int64_t block, tries, scale, norms, code, vt;
} spherical_param;

typedef struct {
    size_t block, tries;
    int log;
    double g;
    double *direction, *length; /* tries x block normals, their norms */
    double *normals;            /* as drawn: an even number a candidate */
    uint64_t seed;              /* of the directions that are there */
    uint32_t round, slot;
    int drawn;
    uint32_t *symbol; /* of each block */
    void *value;      /* restored entries */
} sphere;

/* ---- caps */

/* Integral of sin(t)^n over 0 .. end: Simpson, 256 intervals. */
static double
sine_integral(double n, double end)
{
    enum { INTERVALS = 256 };
    double sum = 0;

    for (int i = 0; i <= INTERVALS; i++)
        sum += (i == 0 || i == INTERVALS ? 1 : i % 2 ? 4 : 2) * pow(sin(end * i / INTERVALS), n);
    return sum * end / INTERVALS / 3;
}

/* Share of the sphere of b dimensions within the angle of cosine g. */
static double
cap_share(size_t b, double g)
{
    double n = (double)b - 2;

    return b == 1 ? 0.5 : sine_integral(n, acos(g)) / sine_integral(n, acos(-1.0));
}

/* What a decoded direction is multiplied by. */
static double
gain(const sphere *w, int64_t scale, size_t b)
{
    double angle = acos(w->g);

    if (scale == SCALE_CONTRACTIVE)
        return w->g;
    return b == 1 ? 1 : ((double)b - 1) * sine_integral((double)b - 2, angle) / pow(sin(angle), (double)b - 1);
}

/* ---- opening */

static void
spherical_constants(p2pi_quantiser *self, const spherical_param *o)
{
    const sphere *w = self->work;
    double largest = gain(w, o->scale, w->block < self->shape.dim ? w->block : self->shape.dim);

    self->constants = (p2pi_part_constants){ P2P_SHARED, NAN, NAN, NAN, NAN };
    /* Nothing holds where candidates run out. */
    if ((double)w->tries * cap_share(w->block, w->g) < 10)
        return;
    if (o->scale == SCALE_CONTRACTIVE) {
        self->constants.traits |= P2P_CONTRACTIVE;
        self->constants.delta = 1 - o->alpha;
    } else {
        self->constants.traits |= P2P_UNBIASED | P2P_RANDOM;
        self->constants.omega = largest * largest - 1;
    }
}

static p2p_status
spherical_open(p2pi_quantiser *self, p2pi_arena *arena)
{
    const spherical_param *o = self->param;
    sphere *w = p2pi_arena_take(arena, sizeof *w);

    if (w == NULL)
        return P2P_ENOMEM;
    self->work = w;
    w->block = (size_t)o->block;
    w->tries = (size_t)o->tries;
    w->log = o->norms == NORMS_LOG && o->scale == SCALE_CONTRACTIVE;
    w->g = sqrt(1 - o->alpha);
    w->normals = p2pi_arena_array(arena, w->tries * (w->block + 1), sizeof *w->normals);
    w->direction = p2pi_arena_array(arena, w->tries * w->block, sizeof *w->direction);
    w->length = p2pi_arena_array(arena, w->tries, sizeof *w->length);
    w->symbol = p2pi_arena_array(arena, self->shape.dim, sizeof *w->symbol);
    w->value = p2pi_arena_array(arena, self->shape.dim, p2p_dtype_size(self->shape.type));
    if (w->normals == NULL || w->direction == NULL || w->length == NULL || w->symbol == NULL || w->value == NULL)
        return P2P_ENOMEM;
    self->params = 1;
    self->param_value[0] = (uint32_t)o->block;
    self->largest = (uint32_t)(w->log ? RADII * w->tries : w->tries) - 1;
    self->real = p2pi_option_real(o->vt, self->shape.type);
    spherical_constants(self, o);
    return p2pi_option_code(o->code, "spherical", self->largest, &self->code);
}

static size_t
spherical_symbols(const p2pi_quantiser *self, size_t k)
{
    const sphere *w = self->work;

    return (k - 1) / w->block + 1;
}

static size_t
spherical_scales(const p2pi_quantiser *self, size_t k)
{
    const sphere *w = self->work;

    return w->log ? 1 : spherical_symbols(self, k);
}

/* ---- directions */

static double
norm_of(const double *s, size_t b)
{
    double sum = 0;

    for (size_t i = 0; i < b; i++)
        sum += s[i] * s[i];
    return sqrt(sum);
}

/* Those of the round, shared by all nodes. */
static void
draw_directions(const p2pi_quantiser *self, const p2p_env *env)
{
    sphere *w = self->work;
    p2p_random r = p2pi_draw_shared(env, self->comp);
    size_t even = w->block + w->block % 2;

    if (w->drawn && w->seed == env->seed && w->round == env->round && w->slot == env->slot)
        return;
    p2p_random_normal(&r, w->tries * even, w->normals);
    for (size_t m = 0; m < w->tries; m++) {
        memcpy(w->direction + m * w->block, w->normals + m * even, w->block * sizeof *w->direction);
        w->length[m] = norm_of(w->direction + m * w->block, w->block);
    }
    w->seed = env->seed;
    w->round = env->round;
    w->slot = env->slot;
    w->drawn = 1;
}

static double
length_of(const sphere *w, size_t m, size_t b)
{
    return b == w->block ? w->length[m] : norm_of(w->direction + m * w->block, b);
}

/* R 2^(-j/2), j = 31 - q. */
static double
radius(double largest, uint32_t q)
{
    int j = (int)(RADII - 1 - q);

    if (q == 0)
        return 0;
    return largest * (j % 2 == 0 ? ldexp(1, -(j / 2)) : ldexp(sqrt(2), -((j + 1) / 2)));
}

/* The nearest half octave below R: floor(log2 (R/r)^4) + 1 is an exponent of frexp. */
static uint32_t
radius_code(double largest, double r)
{
    double t = largest / r;
    int e;

    frexp((t * t) * (t * t), &e);
    e = e < 0 ? -((1 - e) / 2) : e / 2;
    return e >= RADII - 1 ? 0 : (uint32_t)(RADII - 1 - e);
}

/* The first candidate whose cosine to the block is enough; the one of largest cosine if there is none. */
static uint32_t
first_close(const sphere *w, const double *unit, size_t b, double enough)
{
    size_t closest = 0;
    double largest = -2;

    for (size_t m = 0; m < w->tries; m++) {
        const double *s = w->direction + m * w->block;
        double product = 0, cosine;

        for (size_t i = 0; i < b; i++)
            product += s[i] * unit[i];
        cosine = product / length_of(w, m, b);
        if (cosine >= enough)
            return (uint32_t)m;
        if (cosine > largest) {
            largest = cosine;
            closest = m;
        }
    }
    return (uint32_t)closest;
}

static p2p_view
block_of(const sphere *w, p2p_view y, size_t i)
{
    size_t at = i * w->block;

    return p2pi_part_of(y, at, y.dim - at < w->block ? y.dim - at : w->block);
}

/* Symbol of a block of norm r; R or the block's own rounded norm is the scale. */
static uint32_t
block_symbol(const sphere *w, const spherical_param *o, p2p_view y, double r, double scale)
{
    double unit[64], rho = scale, ratio;
    uint32_t q = 0, m;

    if (w->log && r > 0) {
        q = radius_code(scale, r);
        rho = radius(scale, q);
    }
    if (!(r > 0) || !(rho > 0))
        return 0;
    for (size_t i = 0; i < y.dim; i++)
        unit[i] = p2p_vec_get(y, i) / r;
    ratio = rho * w->g / r;
    m = first_close(w, unit, y.dim, o->scale == SCALE_UNBIASED ? w->g : (ratio * ratio + 1 - o->alpha) / (2 * ratio));
    return w->log ? RADII * m + q : m;
}

static void
spherical_measure(p2pi_quantiser *self, const p2p_env *env, p2p_view y, double *scale)
{
    const sphere *w = self->work;
    size_t blocks = spherical_symbols(self, y.dim);
    double largest = 0;

    draw_directions(self, env);
    for (size_t i = 0; i < blocks; i++) {
        double r = p2p_vec_norm2(block_of(w, y, i));

        largest = r > largest ? r : largest;
        if (!w->log)
            scale[i] = p2pi_real_near(self->real, r);
    }
    if (w->log)
        *scale = p2pi_real_near(self->real, largest);
    for (size_t i = 0; i < blocks; i++) {
        p2p_view part = block_of(w, y, i);

        w->symbol[i] = block_symbol(w, self->param, part, p2p_vec_norm2(part), scale[w->log ? 0 : i]);
    }
}

/* What was found when it was measured. */
static void
spherical_quantise(p2pi_quantiser *self, const p2p_env *env, const double *scale, size_t at, p2p_view y,
                   uint32_t *symbol)
{
    const sphere *w = self->work;

    (void)env;
    (void)scale;
    memcpy(symbol, w->symbol + at, y.dim * sizeof *symbol);
}

static double
spherical_reach(const p2pi_quantiser *self, double scale)
{
    const spherical_param *o = self->param;
    const sphere *w = self->work;
    double v = scale * gain(w, o->scale, w->block);

    return self->shape.type == P2P_F32 ? (double)(float)v : v;
}

static p2p_view
spherical_restore(p2pi_quantiser *self, const p2p_env *env, const double *scale, const uint32_t *symbol, size_t k)
{
    const spherical_param *o = self->param;
    const sphere *w = self->work;
    p2p_vec value = { w->value, k, self->shape.type };
    double whole = gain(w, o->scale, w->block);

    draw_directions(self, env);
    for (size_t at = 0, i = 0; at < k; at += w->block, i++) {
        size_t b = k - at < w->block ? k - at : w->block, m = w->log ? symbol[i] / RADII : symbol[i];
        double rho = w->log ? radius(*scale, symbol[i] % RADII) : scale[i];
        double factor = rho * (b == w->block ? whole : gain(w, o->scale, b)), length = length_of(w, m, b);

        for (size_t j = 0; j < b; j++)
            p2p_vec_set(value, at + j, factor * (w->direction[m * w->block + j] / length));
    }
    return p2p_view_of(value);
}

static double
spherical_nominal(const p2pi_quantiser *self, size_t k, int zero)
{
    const sphere *w = self->work;
    double norms = (double)spherical_scales(self, k) * 8 * (double)p2pi_real_bytes(self->real);
    double index = log2(1 / cap_share(w->block, w->g)) + 1.5;

    return zero ? norms : norms + (double)spherical_symbols(self, k) * (index + (w->log ? RADIUS_BITS : 0));
}

static const p2pi_quantiser_vt spherical_quantiser = {
    .open = spherical_open,
    .scales = spherical_scales,
    .symbols = spherical_symbols,
    .measure = spherical_measure,
    .quantise = spherical_quantise,
    .reach = spherical_reach,
    .restore = spherical_restore,
    .nominal = spherical_nominal,
};

static const p2p_option spherical_options[] = {
    { "block", P2P_OPT_INT, "8", "1", "64", "entries of a block", offsetof(spherical_param, block) },
    { "alpha", P2P_OPT_REAL, "0.5", "0.05", "1)", "error of a block's energy", offsetof(spherical_param, alpha) },
    { "tries", P2P_OPT_INT, "4096", "1", "32768", "candidate directions", offsetof(spherical_param, tries) },
    { "scale", P2P_OPT_CHOICE, "contractive", "contractive|unbiased", NULL, "class; unbiased sends norms=real",
      offsetof(spherical_param, scale) },
    { "norms", P2P_OPT_CHOICE, "log", "log|real", NULL, "lengths of blocks: half octaves, or reals",
      offsetof(spherical_param, norms) },
    P2PI_OPTION_CODE(spherical_param, code),
    P2PI_OPTION_VT(spherical_param, vt),
    P2PI_OPTIONS_END
};

const p2pi_compressor_vt p2pi_compressor_spherical = {
    .size = sizeof(p2pi_compressor_vt),
    .entry = { "spherical", "blocks by the nearest of shared random directions", "arXiv:2010.03246",
               spherical_options, sizeof(spherical_param) },
    .family = 29,
    .quantiser = &spherical_quantiser,
};
