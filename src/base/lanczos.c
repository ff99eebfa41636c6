#include "base/lanczos.h"

#include "base/fail.h"
#include "base/sum.h"

#include <p2popt/random.h>

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 5000 };

/* The tridiagonal matrix built so far: diagonal a[0..k), off-diagonal b[0..k), b[k-1] leads out of it. */
typedef struct {
    size_t k;
    double *a, *b, *s, *d; /* s, d: scratch of the same length */
    double scale;          /* its largest entry */
} tridiagonal;

/* Ends of the spectrum: the low end is the high end of -T. */
enum { LOW = -1, HIGH = 1 };

/* Whether every eigenvalue of end * T lies below x: all pivots of x I - end * T are positive. */
static int
all_below(const tridiagonal *t, int end, double x)
{
    double pivot = x - end * t->a[0];

    for (size_t i = 1; i < t->k && pivot > 0; i++)
        pivot = x - end * t->a[i] - t->b[i - 1] * t->b[i - 1] / pivot;
    return pivot > 0;
}

/* Largest eigenvalue of end * T by bisection between Gershgorin's bounds, to the last bit or two. */
static double
largest_of(const tridiagonal *t, int end)
{
    double low = end * t->a[0], high = end * t->a[0], middle;

    for (size_t i = 0; i < t->k; i++) {
        double radius = (i > 0 ? fabs(t->b[i - 1]) : 0) + (i + 1 < t->k ? fabs(t->b[i]) : 0);

        low = fmax(low, end * t->a[i]);
        high = fmax(high, end * t->a[i] + radius);
    }
    high += DBL_EPSILON * fabs(high) + DBL_MIN;
    while (middle = low + (high - low) / 2, middle > low && middle < high) {
        if (all_below(t, end, middle))
            high = middle;
        else
            low = middle;
    }
    return high;
}

/*
 * |A y - theta y| of the Ritz vector y: b[k-1] times the last entry of T's eigenvector, which two inverse iterations
 * find. The shift lies above the spectrum of end * T, so that elimination needs no pivoting.
 */
static double
residual_of(const tridiagonal *t, int end, double theta)
{
    const double shift = theta + 4 * DBL_EPSILON * fmax(fabs(theta), t->scale) + DBL_MIN;
    const double least = DBL_EPSILON * DBL_EPSILON * t->scale + DBL_MIN;
    double *s = t->s, *d = t->d, norm = 0;

    d[0] = fmax(shift - end * t->a[0], least);
    for (size_t i = 1; i < t->k; i++)
        d[i] = fmax(shift - end * t->a[i] - t->b[i - 1] * t->b[i - 1] / d[i - 1], least);
    for (size_t i = 0; i < t->k; i++)
        s[i] = 1;
    for (int pass = 0; pass < 2; pass++) {
        for (size_t i = 1; i < t->k; i++)
            s[i] += t->b[i - 1] / d[i - 1] * s[i - 1];
        s[t->k - 1] /= d[t->k - 1];
        for (size_t i = t->k - 1; i-- > 0;)
            s[i] = (s[i] + t->b[i] * s[i + 1]) / d[i];
        norm = 0;
        for (size_t i = 0; i < t->k; i++)
            norm = fmax(norm, fabs(s[i]));
        for (size_t i = 0; i < t->k; i++)
            s[i] /= norm;
    }
    P2PI_SUM(norm, t->k, i, s[i] * s[i]);
    return t->b[t->k - 1] * fabs(s[t->k - 1]) / sqrt(norm);
}

/* Renew an end's Ritz value; whether it is good enough, or not wanted. */
static int
settled(const tridiagonal *t, int end, double relative, p2pi_ritz *ritz)
{
    double theta;

    if (ritz == NULL)
        return 1;
    theta = largest_of(t, end);
    ritz->value = end * theta;
    ritz->residual = residual_of(t, end, theta);
    return ritz->residual <= fmax(relative * fabs(theta), p2pi_lanczos_rounding(t->scale));
}

/* v = a unit vector without any symmetry that the operator might share. */
static void
start_vector(size_t n, double *v)
{
    p2p_random r = p2p_random_open(0, 0, 0, P2P_STREAM_INIT);
    double norm;

    p2p_random_uniform(&r, n, v);
    for (size_t i = 0; i < n; i++)
        v[i] -= 0.4;
    P2PI_SUM(norm, n, i, v[i] * v[i]);
    for (size_t i = 0; i < n; i++)
        v[i] /= sqrt(norm);
}

/* y -= c x, and what is left times z. */
static double
subtract_and_dot(size_t n, double *restrict y, double c, const double *restrict x, const double *restrict z)
{
    double dot;

    P2PI_SUM(dot, n, i, (y[i] -= c * x[i], y[i] * z[i]));
    return dot;
}

/* y -= c x, and the square of what is left. */
static double
subtract_and_square(size_t n, double *restrict y, double c, const double *restrict x)
{
    double square;

    P2PI_SUM(square, n, i, (y[i] -= c * x[i], y[i] * y[i]));
    return square;
}

static void
divide(size_t n, double *y, double c)
{
    for (size_t i = 0; i < n; i++)
        y[i] /= c;
}

/* One step: w = A v - b before, its part along v is a, what is left has length b and is the next v. */
static void
step(size_t n, p2pi_apply *apply, void *user, tridiagonal *t, double **before, double **v, double **w)
{
    double a, b, *spare = *before;

    apply(user, *v, *w);
    a = subtract_and_dot(n, *w, t->k > 0 ? t->b[t->k - 1] : 0, *before, *v);
    b = sqrt(subtract_and_square(n, *w, a, *v));
    if (b > 0)
        divide(n, *w, b);
    t->a[t->k] = a;
    t->b[t->k] = b;
    t->k++;
    *before = *v;
    *v = *w;
    *w = spare;
}

double
p2pi_lanczos_rounding(double scale)
{
    return 16 * DBL_EPSILON * scale;
}

p2p_status
p2pi_lanczos(size_t n, p2pi_apply *apply, void *user, size_t most, double relative, p2pi_ritz *low, p2pi_ritz *high)
{
    double *memory, *before, *v, *w;
    size_t check = 1, bytes;
    tridiagonal t = { .k = 0 };

    if (__builtin_mul_overflow(sizeof *memory, 3 * n + 4 * most, &bytes) || (memory = malloc(bytes)) == NULL)
        return p2pi_fail_memory("eigenvalue", n);
    before = memory;
    v = before + n;
    w = v + n;
    t.a = w + n;
    t.b = t.a + most;
    t.s = t.b + most;
    t.d = t.s + most;
    memset(before, 0, n * sizeof *before);
    start_vector(n, v);
    while (t.k < most) {
        int last, done;

        step(n, apply, user, &t, &before, &v, &w);
        t.scale = fmax(t.scale, fabs(t.a[t.k - 1]));
        /* What is rounding against the entries so far ends the iteration: the vectors span all there is to find. */
        last = t.k == most || t.b[t.k - 1] <= DBL_EPSILON * t.scale;
        if (t.k < check && !last)
            continue;
        done = settled(&t, LOW, relative, low);
        done &= settled(&t, HIGH, relative, high);
        if (done || last)
            break;
        t.scale = fmax(t.scale, t.b[t.k - 1]);
        check = t.k + 1 + t.k / 8;
    }
    free(memory);
    return P2P_OK;
}

p2p_status
p2pi_lanczos_largest(size_t n, p2pi_apply *apply, void *user, size_t most, double *value)
{
    p2pi_ritz high;
    p2p_status st;

    if (most == 0)
        most = n < MOST / 4 ? 4 * n : MOST;
    /*
     * Where the residual is small because the top of the spectrum is a narrow cluster, the Ritz value is a mean over it,
     * and the residual its deviation: the top lies a few deviations above, 16 if a 1/256 of the Ritz vector points there.
     * Rounding in the products moves Ritz values by a few units in the last place each.
     */
    if ((st = p2pi_lanczos(n, apply, user, most, 0.5e-10, NULL, &high)) == P2P_OK)
        *value = high.value + 16 * high.residual + 64 * DBL_EPSILON * fabs(high.value);
    return st;
}
