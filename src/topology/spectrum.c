/*
 * Extreme eigenvalues of a graph's Laplacian, weighted (I - W) or not, off the constant vector.
 *
 * Dense LAPACK up to DENSE nodes. Beyond, Lanczos' iteration without reorthogonalisation: its extreme Ritz values
 * converge all the same (Parlett, "The Symmetric Eigenvalue Problem", chapter 13), and it needs three vectors. The
 * constant vector, whose eigenvalue 0 would hide the smallest, is not projected out but moved: adding s 11'/n with s
 * the mean of the other eigenvalues puts it inside the spectrum, where it cannot be an extreme one.
 */
#include "topology/graph.h"

#include "base/fail.h"
#include "base/sum.h"

#include <lapacke.h>
#include <math.h>
#include <p2popt/random.h>
#include <stdlib.h>
#include <string.h>

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

typedef struct {
    const p2p_topology *t;
    int unit;
    double shift;                  /* s */
    double *before, *now, *next;   /* Lanczos vectors */
    size_t steps, room;
    double *alpha, *beta;          /* the tridiagonal matrix: diagonal, and what is below it */
    double *scratch;               /* 3 * room */
    lapack_int *block;             /* 2 * room */
} lanczos;

/* next = (Laplacian + s 11'/n) now */
static void
multiply(lanczos *z)
{
    const p2p_topology *t = z->t;
    const double *x = z->now;
    double mean;

    P2PI_SUM(mean, t->nodes, i, x[i]);
    mean /= (double)t->nodes;
    for (size_t i = 0; i < t->nodes; i++) {
        double sum = z->shift * mean;

        for (size_t k = t->start[i]; k < t->start[i + 1]; k++)
            sum += weight_at(t, z->unit, k) * (x[i] - x[t->peers[k]]);
        z->next[i] = sum;
    }
}

/* One step: a new row of the tridiagonal matrix, and the vectors move on. */
static void
step(lanczos *z)
{
    size_t n = z->t->nodes;
    double b = z->steps > 0 ? z->beta[z->steps - 1] : 0, a, norm2;
    double *spent = z->before;

    multiply(z);
    P2PI_SUM(a, n, i, z->now[i] * z->next[i]);
    for (size_t i = 0; i < n; i++)
        z->next[i] -= a * z->now[i] + b * z->before[i];
    P2PI_SUM(norm2, n, i, z->next[i] * z->next[i]);
    z->alpha[z->steps] = a;
    z->beta[z->steps] = sqrt(norm2);
    for (size_t i = 0; norm2 > 0 && i < n; i++)
        z->next[i] /= z->beta[z->steps];
    z->steps++;
    z->before = z->now;
    z->now = z->next;
    z->next = spent;
}

static int
more_room(lanczos *z)
{
    size_t room = z->room ? 2 * z->room : 256;
    double *alpha = realloc(z->alpha, room * sizeof *alpha), *beta, *scratch;
    lapack_int *block;

    z->alpha = alpha ? alpha : z->alpha;
    beta = realloc(z->beta, room * sizeof *beta);
    z->beta = beta ? beta : z->beta;
    scratch = realloc(z->scratch, 3 * room * sizeof *scratch);
    z->scratch = scratch ? scratch : z->scratch;
    block = realloc(z->block, 2 * room * sizeof *block);
    z->block = block ? block : z->block;
    if (alpha == NULL || beta == NULL || scratch == NULL || block == NULL)
        return 0;
    z->room = room;
    return 1;
}

/*
 * Ritz value number `index` (from 1, ascending) of the matrix so far, and whether its residual beta |s_k|, with s the
 * eigenvector of the tridiagonal matrix, is small enough.
 */
static int
settled(lanczos *z, lapack_int index, double *value)
{
    lapack_int k = (lapack_int)z->steps, found, splits, fail;
    double *values = z->scratch, *vector = z->scratch + z->room, *below = z->scratch + 2 * z->room;
    double tolerance;

    memcpy(below, z->beta, z->steps * sizeof *below);
    if (LAPACKE_dstebz('I', 'B', k, 0, 0, index, index, 0, z->alpha, below, &found, &splits, values, z->block,
                       z->block + z->room)
            != 0
        || found != 1)
        return 0;
    *value = values[0];
    if (LAPACKE_dstein(LAPACK_COL_MAJOR, k, z->alpha, below, 1, values, z->block, z->block + z->room, vector, k, &fail)
        != 0)
        return 0;
    tolerance = fmax(1e-7 * fabs(*value), 3e-15);
    return z->beta[k - 1] * fabs(vector[k - 1]) <= tolerance;
}

static p2p_status
iterate(lanczos *z, double *low, double *high)
{
    size_t limit = 8 * z->t->nodes + 1000, next_check = 40;

    while (z->steps < limit) {
        if (z->steps == z->room && !more_room(z))
            return p2pi_fail_memory("eigenvalues", 2 * z->room * 4 * sizeof *z->alpha);
        step(z);
        /* A vanishing beta means that the vectors span all there is to find. */
        if (z->steps < next_check && z->beta[z->steps - 1] > 1e-14)
            continue;
        next_check = z->steps + z->steps / 8;
        if (settled(z, 1, low) && settled(z, (lapack_int)z->steps, high))
            return P2P_OK;
    }
    return p2p_fail(P2P_ENOTSUP, "eigenvalues of %zu nodes: not settled after %zu steps", z->t->nodes, limit);
}

static void
start_vector(lanczos *z)
{
    p2p_random r = p2p_random_open(0, P2P_NODE_SHARED, 0, P2P_STREAM_METHOD);
    size_t n = z->t->nodes;
    double norm2;

    p2p_random_uniform(&r, n, z->now);
    for (size_t i = 0; i < n; i++)
        z->now[i] -= 0.5;
    P2PI_SUM(norm2, n, i, z->now[i] * z->now[i]);
    for (size_t i = 0; i < n; i++)
        z->now[i] /= sqrt(norm2);
}

static double
mean_eigenvalue(const p2p_topology *t, int unit)
{
    double trace;

    P2PI_SUM(trace, t->start[t->nodes], k, weight_at(t, unit, k));
    return trace / (double)(t->nodes - 1);
}

static p2p_status
sparse(const p2p_topology *t, int unit, double *low, double *high)
{
    size_t n = t->nodes;
    double *vectors = calloc(3 * n, sizeof *vectors);
    lanczos z = { .t = t, .unit = unit, .shift = mean_eigenvalue(t, unit) };
    p2p_status st;

    if (vectors == NULL)
        return p2pi_fail_memory("eigenvalues", 3 * n * sizeof *vectors);
    z.before = vectors;
    z.now = vectors + n;
    z.next = vectors + 2 * n;
    start_vector(&z);
    st = iterate(&z, low, high);
    free(z.block);
    free(z.scratch);
    free(z.beta);
    free(z.alpha);
    free(vectors);
    return st;
}

p2p_status
p2pi_topology_spectrum(const p2p_topology *self, int unit, double *low, double *high)
{
    return self->nodes <= DENSE ? dense(self, unit, low, high) : sparse(self, unit, low, high);
}
