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
} tridiagonal;

/* Whether every eigenvalue lies below x: all pivots of x I - T are positive. */
static int
all_below(const tridiagonal *t, double x)
{
    double pivot = x - t->a[0];

    for (size_t i = 1; i < t->k && pivot > 0; i++)
        pivot = x - t->a[i] - t->b[i - 1] * t->b[i - 1] / pivot;
    return pivot > 0;
}

/* Largest eigenvalue by bisection between Gershgorin's bounds, to the last bit or two. */
static double
largest_of(const tridiagonal *t)
{
    double low = t->a[0], high = t->a[0], middle;

    for (size_t i = 0; i < t->k; i++) {
        double radius = (i > 0 ? fabs(t->b[i - 1]) : 0) + (i + 1 < t->k ? fabs(t->b[i]) : 0);

        low = fmax(low, t->a[i]);
        high = fmax(high, t->a[i] + radius);
    }
    high += DBL_EPSILON * fabs(high) + DBL_MIN;
    while (middle = low + (high - low) / 2, middle > low && middle < high) {
        if (all_below(t, middle))
            high = middle;
        else
            low = middle;
    }
    return high;
}

/*
 * |A y - theta y| of the Ritz vector y: b[k-1] times the last entry of T's eigenvector, which two inverse iterations
 * find. The shift lies above the spectrum, so that elimination needs no pivoting.
 */
static double
residual_of(const tridiagonal *t, double theta)
{
    const double shift = theta + 4 * DBL_EPSILON * fabs(theta) + DBL_MIN;
    double *s = t->s, *d = t->d, norm = 0;

    d[0] = shift - t->a[0];
    for (size_t i = 1; i < t->k; i++)
        d[i] = fmax(shift - t->a[i] - t->b[i - 1] * t->b[i - 1] / d[i - 1], DBL_MIN);
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

/* One step: w = A v - b before, its part along v is a, what is left has length b and is the next v. */
static void
step(size_t n, p2pi_apply *apply, void *user, tridiagonal *t, double **before, double **v, double **w)
{
    const double b = t->k > 0 ? t->b[t->k - 1] : 0;
    double a, norm, *spare = *before;

    apply(user, *v, *w);
    for (size_t i = 0; t->k > 0 && i < n; i++)
        (*w)[i] -= b * (*before)[i];
    P2PI_SUM(a, n, i, (*w)[i] * (*v)[i]);
    for (size_t i = 0; i < n; i++)
        (*w)[i] -= a * (*v)[i];
    P2PI_SUM(norm, n, i, (*w)[i] * (*w)[i]);
    t->a[t->k] = a;
    t->b[t->k] = sqrt(norm);
    t->k++;
    for (size_t i = 0; norm > 0 && i < n; i++)
        (*w)[i] /= t->b[t->k - 1];
    *before = *v;
    *v = *w;
    *w = spare;
}

p2p_status
p2pi_lanczos_largest(size_t n, p2pi_apply *apply, void *user, size_t most, double *value)
{
    double *memory, *before, *v, *w, theta = 0, residual = 0;
    size_t check = 1, bytes;
    double scale = 0; /* largest entry of T so far: what is rounding against it ends the iteration */
    tridiagonal t = { 0, NULL, NULL, NULL, NULL };

    if (most == 0)
        most = n < MOST / 4 ? 4 * n : MOST;
    if (__builtin_mul_overflow(3 * sizeof *memory, n + 2 * most, &bytes) || (memory = malloc(bytes)) == NULL)
        return p2pi_fail_memory("eigenvalue", n);
    before = memory;
    v = before + n;
    w = v + n;
    t.a = w + n;
    t.b = t.a + most;
    t.s = t.b + most;
    t.d = t.s + most;
    start_vector(n, v);
    while (t.k < most) {
        int last;

        step(n, apply, user, &t, &before, &v, &w);
        scale = fmax(scale, fabs(t.a[t.k - 1]));
        last = t.k == most || t.b[t.k - 1] <= DBL_EPSILON * scale;
        scale = fmax(scale, t.b[t.k - 1]);
        if (t.k < check && !last)
            continue;
        theta = largest_of(&t);
        residual = residual_of(&t, theta);
        if (last || residual <= 0.5e-10 * fabs(theta))
            break;
        check = t.k + 1 + t.k / 8;
    }
    /* Rounding in the products moves Ritz values by a few units in the last place each. */
    *value = theta + residual + 64 * DBL_EPSILON * fabs(theta);
    free(memory);
    return P2P_OK;
}
