/*
 * Extreme eigenvalues of a graph's Laplacian, weighted (I - W) or not, off the constant vector.
 *
 * From the generator where it knows them and all weights are equal. Dense LAPACK up to DENSE nodes. Beyond, Lanczos'
 * iteration without reorthogonalisation: its extreme Ritz values converge all the same (Parlett, "The Symmetric
 * Eigenvalue Problem", chapter 13), and it needs three vectors. The constant vector, whose eigenvalue 0 would hide
 * the smallest, is not projected out but moved: adding s 11'/n with s the mean of the other eigenvalues puts it
 * inside the spectrum, where it cannot be an extreme one.
 */
#include "topology/graph.h"

#include "base/fail.h"
#include "base/lanczos.h"
#include "base/sum.h"

#include <lapacke.h>
#include <math.h>
#include <stdlib.h>

enum { DENSE = 2000 };

static double
weight_at(const p2p_topology *t, int unit, size_t k)
{
    return unit ? 1.0 : t->weights[k];
}

static p2p_status
dense(const p2p_topology *t, int unit, double *low, double *high)
{
    size_t n = t->nodes;
    double *a = calloc(n * n, sizeof *a), *values = malloc(n * sizeof *values);
    p2p_status st = P2P_OK;

    if (a == NULL || values == NULL)
        st = p2pi_fail_memory("eigenvalues", n * n * sizeof *a);
    else {
        for (size_t i = 0; i < n; i++)
            for (size_t k = t->start[i]; k < t->start[i + 1]; k++) {
                a[i * n + t->peers[k]] = -weight_at(t, unit, k);
                a[i * n + i] += weight_at(t, unit, k);
            }
        if (LAPACKE_dsyevd(LAPACK_COL_MAJOR, 'N', 'U', (lapack_int)n, a, (lapack_int)n, values) != 0)
            st = p2p_fail(P2P_ENOTSUP, "eigenvalues of %zu nodes: LAPACK's dsyevd did not converge", n);
        else {
            *low = values[1];
            *high = values[n - 1];
        }
    }
    free(values);
    free(a);
    return st;
}

static double
mean_eigenvalue(const p2p_topology *t, int unit)
{
    double trace;

    P2PI_SUM(trace, t->start[t->nodes], k, weight_at(t, unit, k));
    return trace / (double)(t->nodes - 1);
}

typedef struct {
    const p2p_topology *t;
    int unit;
    double shift; /* s */
} shifted;

/* y = (Laplacian + s 11'/n) x */
static void
multiply(void *user, const double *x, double *y)
{
    const shifted *o = user;
    const p2p_topology *t = o->t;
    double mean;

    P2PI_SUM(mean, t->nodes, i, x[i]);
    mean /= (double)t->nodes;
    for (size_t i = 0; i < t->nodes; i++) {
        double sum = o->shift * mean;

        for (size_t k = t->start[i]; k < t->start[i + 1]; k++)
            sum += weight_at(t, o->unit, k) * (x[i] - x[t->peers[k]]);
        y[i] = sum;
    }
}

static p2p_status
sparse(const p2p_topology *t, int unit, double *low, double *high)
{
    const double relative = 1e-7;
    shifted o = { t, unit, mean_eigenvalue(t, unit) };
    size_t most = 8 * t->nodes + 1000;
    p2pi_ritz first, last;
    p2p_status st;

    if ((st = p2pi_lanczos(t->nodes, multiply, &o, most, relative, &first, &last)) != P2P_OK)
        return st;
    if (!(first.residual <= fmax(relative * first.value, p2pi_lanczos_rounding(2 * last.value))))
        return p2p_fail(P2P_ENOTSUP, "eigenvalues of %zu nodes: not settled after %zu steps", t->nodes, most);
    *low = first.value;
    *high = last.value;
    return P2P_OK;
}

/* The one weight that all edges have, or 0. */
static double
common_weight(const p2p_topology *t, int unit)
{
    for (size_t k = 1; k < 2 * t->edges; k++)
        if (weight_at(t, unit, k) != weight_at(t, unit, 0))
            return 0;
    return weight_at(t, unit, 0);
}

p2p_status
p2pi_topology_spectrum(const p2p_topology *self, int unit, double *low, double *high)
{
    double w = self->low > 0 ? common_weight(self, unit) : 0;

    if (w > 0) {
        *low = w * self->low;
        *high = w * self->high;
        return P2P_OK;
    }
    return self->nodes <= DENSE ? dense(self, unit, low, high) : sparse(self, unit, low, high);
}
