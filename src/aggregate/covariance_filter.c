/*
 * The covariance-bound-agnostic filter (CAF): weights c_i, 1 at first; take weight away along the direction in which
 * the weighted vectors vary most, in proportion to the squared deviation, until m - 2f of it is left; answer the
 * weighted mean that had the least top eigenvalue.
 *
 * With p_i = c_i / sum c and mu = sum p v, everything is computed in the m x m matrix K_ij = (v_i - mu)'(v_j - mu):
 * S_ij = sqrt(p_i p_j) K_ij has the covariance's non-zero spectrum, its top eigenpair (lambda, e) gives the direction
 * u = sum_j sqrt(p_j) e_j (v_j - mu) / sqrt(lambda), and u'(v_i - mu) = sum_j sqrt(p_j) e_j K_ij / sqrt(lambda).
 *
 * Cost: O(m^2 d) once, and O(m^3) for each of at most m repeats.
 */
#include "aggregate/paired_columns.h"

#include <math.h>
#include <string.h>

/* The matrices and vectors of one repeat; K and S are count x count. */
typedef struct {
    size_t count;
    const double *product; /* (v_i - z)'(v_j - z) for some z */
    double *k, *s, *vectors;
    double *c, *p, *best;
} filter;

/* K about mu, from products about another point. */
static void
centre(const filter *a)
{
    double around = 0, *h = a->vectors; /* free until the eigenvectors are sought */

    for (size_t i = 0; i < a->count; i++) {
        h[i] = 0;
        for (size_t j = 0; j < a->count; j++)
            if (a->p[j] != 0)
                h[i] += a->product[i * a->count + j] * a->p[j];
        if (a->p[i] != 0)
            around += h[i] * a->p[i];
    }
    for (size_t i = 0; i < a->count; i++)
        for (size_t j = 0; j < a->count; j++)
            a->k[i * a->count + j] = a->product[i * a->count + j] - h[i] - h[j] + around;
}

/* Rotate rows and columns i and j of the symmetric S so that S_ij vanishes; the rows of vectors follow. */
static void
rotate(const filter *a, size_t i, size_t j)
{
    size_t n = a->count;
    double *s = a->s, *e = a->vectors;
    double theta = (s[j * n + j] - s[i * n + i]) / (2 * s[i * n + j]);
    double t = (theta < 0 ? -1 : 1) / (fabs(theta) + sqrt(theta * theta + 1));
    double cosine = 1 / sqrt(t * t + 1), sine = t * cosine;

    for (size_t k = 0; k < n; k++) {
        double x = s[k * n + i], y = s[k * n + j];

        s[k * n + i] = cosine * x - sine * y;
        s[k * n + j] = sine * x + cosine * y;
    }
    for (size_t k = 0; k < n; k++) {
        double x = s[i * n + k], y = s[j * n + k];

        s[i * n + k] = cosine * x - sine * y;
        s[j * n + k] = sine * x + cosine * y;
        x = e[i * n + k];
        y = e[j * n + k];
        e[i * n + k] = cosine * x - sine * y;
        e[j * n + k] = sine * x + cosine * y;
    }
}

/* Jacobi's method: the largest eigenvalue of S, whose eigenvector is row *top of vectors. S is destroyed. */
static double
top_eigenpair(const filter *a, size_t *top)
{
    enum { SWEEPS = 60 };
    size_t n = a->count;
    double trace = 0;
    int rotated = 1;

    memset(a->vectors, 0, n * n * sizeof *a->vectors);
    for (size_t i = 0; i < n; i++) {
        a->vectors[i * n + i] = 1;
        trace += fabs(a->s[i * n + i]);
    }
    for (int sweep = 0; sweep < SWEEPS && rotated; sweep++) {
        rotated = 0;
        for (size_t i = 0; i < n; i++)
            for (size_t j = i + 1; j < n; j++)
                if (fabs(a->s[i * n + j]) > 1e-17 * trace) {
                    rotate(a, i, j);
                    rotated = 1;
                }
    }
    *top = 0;
    for (size_t i = 1; i < n; i++)
        if (a->s[i * n + i] > a->s[*top * n + *top])
            *top = i;
    return a->s[*top * n + *top];
}

/* Squared deviation of each row along the top direction, scaled by lambda, into deviation; the largest of those with
 * weight is returned. */
static double
deviations(const filter *a, const double *e, double *deviation)
{
    double largest = 0;

    for (size_t i = 0; i < a->count; i++) {
        double along = 0;

        for (size_t j = 0; j < a->count; j++)
            if (a->p[j] != 0)
                along += sqrt(a->p[j]) * e[j] * a->k[i * a->count + j];
        deviation[i] = along * along;
        if (a->c[i] > 0 && deviation[i] > largest)
            largest = deviation[i];
    }
    return largest;
}

static double
sum_of(size_t count, const double *x)
{
    double sum = 0;

    for (size_t i = 0; i < count; i++)
        sum += x[i];
    return sum;
}

/* One repeat; returns 0 when there is nothing left to take away. *least: the least top eigenvalue so far. */
static int
repeat(const filter *a, double *least)
{
    size_t n = a->count, top;
    double total = sum_of(n, a->c), lambda, largest;
    double *deviation = a->s; /* free once the eigenvectors are known */

    for (size_t i = 0; i < n; i++)
        a->p[i] = a->c[i] / total;
    centre(a);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            a->s[i * n + j] = a->p[i] != 0 && a->p[j] != 0 ? sqrt(a->p[i] * a->p[j]) * a->k[i * n + j] : 0;
    lambda = top_eigenpair(a, &top);
    if (lambda < *least) {
        *least = lambda;
        memcpy(a->best, a->p, n * sizeof *a->p);
    }
    if (!(lambda > 0))
        return 0;
    largest = deviations(a, a->vectors + top * n, deviation);
    if (largest == 0)
        return 0;
    for (size_t i = 0; i < n; i++)
        a->c[i] *= fmax(0, 1 - deviation[i] / largest);
    return 1;
}

static void
caf_apply(const void *param, const p2pi_rows *rows, p2pi_scratch *scratch, p2p_vec z)
{
    size_t n = rows->count;
    double *pair = scratch->pair, least = INFINITY, wanted = (double)n - 2 * (double)rows->liars + 1e-12;
    filter a = { .count = n,
                 .product = pair,
                 .k = pair + n * n,
                 .s = pair + 2 * n * n,
                 .vectors = pair + 3 * n * n,
                 .c = scratch->number,
                 .p = scratch->coefficient,
                 .best = scratch->block };

    (void)param;
    p2pi_paired_products(rows, scratch->block, pair);
    for (size_t i = 0; i < n; i++)
        a.c[i] = isfinite(pair[i * n + i]) ? 1 : 0; /* a square that overflows is a liar's */
    while (repeat(&a, &least) && sum_of(n, a.c) > wanted)
        continue;
    p2pi_columns_blend(rows, a.best, z);
}

const p2pi_aggregator_vt p2pi_aggregator_caf = {
    .size = sizeof(p2pi_aggregator_vt),
    .entry = { .name = "caf",
               .help = "mean without what stands out along the directions of largest variance",
               .source = "Allouah, Guerraoui, Gupta, Jellouli, Rizk, Stephan 2025 (covariance-bound-agnostic filter)",
               .options = p2pi_rule_liars_options,
               .param_size = sizeof(p2pi_rule_liars) },
    .traits = P2PI_RULE_BLOCKS,
    .matrices = 4,
    .least_f = 2,
    .least = 1,
    .breakdown = "1/2",
    .apply = caf_apply,
};
