#include "base/symmetric.h"

#include <math.h>
#include <string.h>

/* ---- Cholesky: A = L L' in the lower triangle */

static int
factor(size_t n, double *a)
{
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++) {
            double sum = a[i * n + j];

            for (size_t k = 0; k < j; k++)
                sum -= a[i * n + k] * a[j * n + k];
            if (i == j && !(sum > 0))
                return 0;
            a[i * n + j] = i == j ? sqrt(sum) : sum / a[j * n + j];
        }
    return 1;
}

int
p2pi_solve_positive(size_t n, double *a, double *b)
{
    if (!factor(n, a))
        return 0;
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < i; k++)
            b[i] -= a[i * n + k] * b[k];
        b[i] /= a[i * n + i];
    }
    for (size_t i = n; i-- > 0;) {
        for (size_t k = i + 1; k < n; k++)
            b[i] -= a[k * n + i] * b[k];
        b[i] /= a[i * n + i];
    }
    return 1;
}

/* ---- Jacobi: A = V diag V', the columns of V are eigenvectors */

enum { SWEEPS_MAX = 40 };

static void
rotate(size_t n, double *x, size_t step, size_t other, double c, double s)
{
    for (size_t k = 0; k < n; k++, x += step) {
        const double p = x[0], q = x[other];

        x[0] = c * p - s * q;
        x[other] = s * p + c * q;
    }
}

/* Make a_pq zero. */
static void
annihilate(size_t n, double *a, double *v, size_t p, size_t q)
{
    const double t2 = (a[q * n + q] - a[p * n + p]) / (2 * a[p * n + q]);
    const double t = (t2 >= 0 ? 1 : -1) / (fabs(t2) + sqrt(t2 * t2 + 1)), c = 1 / sqrt(t * t + 1), s = t * c;

    rotate(n, a + p, n, q - p, c, s);           /* columns */
    rotate(n, a + p * n, 1, (q - p) * n, c, s); /* rows */
    rotate(n, v + p, n, q - p, c, s);
}

static double
off_diagonal(size_t n, const double *a)
{
    double sum = 0;

    for (size_t p = 0; p < n; p++)
        for (size_t q = p + 1; q < n; q++)
            sum += a[p * n + q] * a[p * n + q];
    return sum;
}

static void
diagonalise(size_t n, double *a, double *v)
{
    double all = 0;

    for (size_t k = 0; k < n * n; k++)
        all += a[k] * a[k];
    memset(v, 0, n * n * sizeof *v);
    for (size_t k = 0; k < n; k++)
        v[k * n + k] = 1;
    for (int sweep = 0; sweep < SWEEPS_MAX && off_diagonal(n, a) > 1e-34 * all; sweep++)
        for (size_t p = 0; p < n; p++)
            for (size_t q = p + 1; q < n; q++)
                if (a[p * n + q] != 0)
                    annihilate(n, a, v, p, q);
}

void
p2pi_solve_clipped(size_t n, double *a, double least, double *b, double *v, double *y)
{
    diagonalise(n, a, v);
    for (size_t k = 0; k < n; k++) {
        double sum = 0;

        for (size_t i = 0; i < n; i++)
            sum += v[i * n + k] * b[i];
        y[k] = sum / fmax(a[k * n + k], least);
    }
    for (size_t i = 0; i < n; i++) {
        b[i] = 0;
        for (size_t k = 0; k < n; k++)
            b[i] += v[i * n + k] * y[k];
    }
}
