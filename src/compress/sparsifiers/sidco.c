/*
 * sidco: the entries above a threshold that a law fitted to the magnitudes gives for the wanted share, in M stages:
 * the first keeps the share `first`, each later one is fitted to what exceeds the threshold so far. With mu the mean,
 * v the variance, L = -ln r, the upper r-quantile is
 *
 *     exp     mu L
 *     gp      (s/xi)(e^(xi L) - 1), xi = (1 - mu^2/v)/2, s = mu (mu^2/v + 1)/2; generalised Pareto
 *     gamma   max(0, (mu/alpha)(L - ln Gamma(alpha))), alpha from q = -mean ln(e/mu); gp in later stages
 *
 * M adapts every `every` calls to the mean ratio rho of kept to wanted. adapt=1, the paper's rule, cannot leave M = 1
 * for tails heavier than the law; adapt=2 moves on in a direction that turns when |ln rho| grew. No count is
 * guaranteed, and no constant.
 *
 * Abdelmoniem, Elzanaty, Alouini, Canini, MLSys 2021, arXiv:2101.10761.
 */
#include "base/sum.h"
#include "compress/kernels/compress_kernels.h"
#include "compress/pipeline/pipeline_parts.h"

#include <math.h>

enum { LAW_EXP, LAW_GAMMA, LAW_GP };
enum { SUM, CALLS, DIRECTION, LAST, CONTROLS };

typedef struct {
    p2p_count k;
    double first, tol;
    int64_t dist, every, adapt, stages, index, vt;
} sidco_param;

typedef struct {
    double *magnitude; /* of all entries, or the excess of those above the threshold */
    double *m;         /* stages, one number */
    double *control;   /* what decides the next change */
    double share;
} fitting;

static p2p_status
sidco_open(p2pi_sparsifier *self, p2pi_arena *arena)
{
    const sidco_param *o = self->param;
    size_t d = self->shape.dim;
    fitting *w = p2pi_arena_take(arena, sizeof *w);

    if (w == NULL || (w->magnitude = p2pi_arena_array(arena, d, sizeof *w->magnitude)) == NULL ||
        (w->m = p2pi_arena_array(arena, 1, sizeof *w->m)) == NULL ||
        (w->control = p2pi_arena_array(arena, CONTROLS, sizeof *w->control)) == NULL)
        return P2P_ENOMEM;
    self->work = w;
    *w->m = (double)o->stages;
    w->control[DIRECTION] = 1;
    w->control[LAST] = INFINITY;
    w->share = (double)p2p_count_of(o->k, d) / (double)d;
    self->most = d;
    self->sent = 1;
    self->index = p2pi_option_index(o->index);
    self->real = p2pi_option_real(o->vt, self->shape.type);
    self->states = 2;
    self->state[0] = (p2pi_codec_state){ "M", { w->m, 1, P2P_F64 } };
    self->state[1] = (p2pi_codec_state){ "control", { w->control, CONTROLS, P2P_F64 } };
    self->constants = (p2pi_part_constants){ P2P_SPARSE | P2P_STATEFUL | P2P_ADAPTIVE, NAN, NAN, NAN, NAN };
    return P2P_OK;
}

/* ---- quantiles */

static double
gamma_quantile(const double *e, size_t n, double mean, double l)
{
    double q, alpha;

    P2PI_SUM(q, n, i, log(e[i] / mean + 0x1p-52));
    q = -q / (double)n;
    if (q <= 0)
        return mean * l;
    alpha = (3 - q + sqrt((q - 3) * (q - 3) + 24 * q)) / (12 * q);
    return fmax(0, mean / alpha * (l - lgamma(alpha)));
}

static double
pareto_quantile(const double *e, size_t n, double mean, double l)
{
    double variance, xi, scale;

    P2PI_SUM(variance, n, i, (e[i] - mean) * (e[i] - mean));
    variance = n > 1 ? variance / (double)(n - 1) : 0;
    if (!(variance > 0))
        return mean * l;
    xi = 0.5 * (1 - mean * mean / variance);
    scale = 0.5 * mean * (mean * mean / variance + 1);
    return fabs(xi) <= 1e-9 ? mean * l : scale / xi * (exp(xi * l) - 1);
}

/* The upper r-quantile of the law that fits n >= 1 numbers. */
static double
fitted_quantile(const double *e, size_t n, int64_t law, double r)
{
    double mean, l = -log(r);

    P2PI_SUM(mean, n, i, e[i]);
    mean /= (double)n;
    if (mean == 0)
        return 0;
    return law == LAW_GAMMA ? gamma_quantile(e, n, mean, l)
           : law == LAW_GP  ? pareto_quantile(e, n, mean, l)
                            : mean * l;
}

/* What exceeds 0 after a step down; the rest is dropped. */
static size_t
exceed(double *e, size_t n, double step)
{
    size_t k = 0;

    for (size_t i = 0; i < n; i++) {
        double excess = e[i] - step;

        e[k] = excess;
        k += excess > 0;
    }
    return k;
}

static void
fill_magnitudes(double *a, p2p_view x)
{
    for (size_t i = 0; i < x.dim; i++)
        a[i] = fabs(p2p_vec_get(x, i));
}

static double
threshold_of(const fitting *w, const sidco_param *o, p2p_view x)
{
    int64_t law = o->dist == LAW_GAMMA ? LAW_GP : o->dist; /* of what exceeds a threshold */
    int stages = (int)*w->m;
    double eta, part;
    size_t n;

    fill_magnitudes(w->magnitude, x);
    if (stages == 1 || w->share >= o->first)
        return fitted_quantile(w->magnitude, x.dim, o->dist, w->share);
    eta = fitted_quantile(w->magnitude, x.dim, o->dist, o->first);
    part = pow(w->share / o->first, 1.0 / (stages - 1));
    for (int stage = 1; stage < stages; stage++) {
        /* From the magnitudes again: excesses of excesses would round twice. */
        fill_magnitudes(w->magnitude, x);
        if ((n = exceed(w->magnitude, x.dim, eta)) < 2)
            break;
        eta += fitted_quantile(w->magnitude, n, law, part);
    }
    return eta;
}

/* ---- the number of stages */

static double
turned(double m, double *direction, double top)
{
    if (m + *direction < 1 || m + *direction > top)
        *direction = -*direction;
    return m + *direction;
}

static void
adapt(const fitting *w, const sidco_param *o, double ratio)
{
    double *c = w->control, top, far;

    c[SUM] += ratio;
    if (o->adapt == 0 || ++c[CALLS] < (double)o->every)
        return;
    ratio = c[SUM] / c[CALLS];
    top = fmax(1, ceil(log(w->share) / log(0.5)));
    if (o->adapt == 1)
        *w->m += (ratio < 1 - o->tol) - (ratio > 1 + o->tol);
    else {
        far = fabs(log(fmax(ratio, 1e-9)));
        if (far > c[LAST])
            c[DIRECTION] = -c[DIRECTION];
        if (fabs(ratio - 1) > o->tol)
            *w->m = turned(*w->m, &c[DIRECTION], top);
        c[LAST] = far;
    }
    *w->m = fmax(1, fmin(*w->m, top));
    c[SUM] = c[CALLS] = 0;
}

static size_t
sidco_pick(p2pi_sparsifier *self, p2p_view x, const p2p_env *env, uint32_t *index, double *factor)
{
    const sidco_param *o = self->param;
    const fitting *w = self->work;
    double eta = threshold_of(w, o, x);
    size_t n;

    (void)env;
    (void)factor;
    /* Above the threshold: from the next number on. */
    n = p2pi_reaching(x, x.type == P2P_F32 ? (double)nextafterf((float)eta, INFINITY) : nextafter(eta, INFINITY),
                      index);
    adapt(w, o, (double)n / (double)x.dim / w->share);
    return n;
}

static const p2pi_sparsifier_vt sidco_sparsifier = { .open = sidco_open, .pick = sidco_pick };

static const p2p_option sidco_options[] = {
    { "k", P2P_OPT_COUNT, "1%", "1", "100%", "entries wanted: a count, or a share of the dimension",
      offsetof(sidco_param, k) },
    { "dist", P2P_OPT_CHOICE, "exp", "exp|gamma|gp", NULL, "law of the magnitudes", offsetof(sidco_param, dist) },
    { "first", P2P_OPT_REAL, "0.25", "0.01", "0.9", "share that the first of several stages keeps",
      offsetof(sidco_param, first) },
    { "every", P2P_OPT_INT, "5", "1", "1000", "calls between changes of the number of stages",
      offsetof(sidco_param, every) },
    { "tol", P2P_OPT_REAL, "0.2", "0.01", "0.9", "deviation from the wanted count that is let be",
      offsetof(sidco_param, tol) },
    { "adapt", P2P_OPT_INT, "2", "0", "2", "rule of these changes; 0: none", offsetof(sidco_param, adapt) },
    { "stages", P2P_OPT_INT, "1", "1", "32", "stages at the start", offsetof(sidco_param, stages) },
    P2PI_OPTION_INDEX(sidco_param, index),
    P2PI_OPTION_VT(sidco_param, vt),
    P2PI_OPTIONS_END
};

const p2pi_compressor_vt p2pi_compressor_sidco = {
    .size = sizeof(p2pi_compressor_vt),
    .entry = { "sidco", "about k entries, by the threshold of a fitted law", "arXiv:2101.10761", sidco_options,
               sizeof(sidco_param) },
    .family = 11,
    .sparsifier = &sidco_sparsifier,
};
