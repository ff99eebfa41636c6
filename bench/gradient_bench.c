/*
 * Full gradients on dense data against BLAS on the same data: two matrix-vector products (or, for softmax, two matrix
 * products), without anything that happens between them. The value counts each entry of the data once.
 *
 * Usage: gradient_bench [ROWS FEATURES]; default some sizes.
 */
#include "bench.h"

#include <cblas.h>
#include <p2popt.h>
#include <stdio.h>
#include <stdlib.h>

enum { RUNS = 15, CLASSES = 10 };

static size_t rows, features;
static double *a, *labels, *x, *g, *u;

/* Entries a second of repeated calls that take about a tenth of a second together. */
#define RATE(rate, statement)                                                                                     \
    do {                                                                                                          \
        const size_t times = 50000000 / (rows * features) + 1;                                                    \
        double seconds;                                                                                           \
        BENCH_BEST(seconds, RUNS, for (size_t again = 0; again < times; again++) statement);                      \
        (rate) = 1e-9 * (double)(times * rows * features) / seconds;                                              \
    } while (0)

static void
blas_vectors(void)
{
    const int m = (int)rows, d = (int)features;

    cblas_dgemv(CblasRowMajor, CblasNoTrans, m, d, 1, a, d, x, 1, 0, u, 1);
    cblas_dgemv(CblasRowMajor, CblasTrans, m, d, 1, a, d, u, 1, 0, g, 1);
}

static void
blas_matrices(void)
{
    const int m = (int)rows, d = (int)features, k = CLASSES;

    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, m, k, d, 1, a, d, x, d, 0, u, k);
    cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, k, d, m, 1, u, k, a, d, 0, g, d);
}

static void
measure(const p2p_data *data, const char *spec, void (*blas)(void))
{
    char size[48];
    double value, yardstick;
    p2p_problem *problem;
    size_t dim;

    if (p2p_problem_new(&problem, spec, data, P2P_F64, 0, 1, 1) != P2P_OK)
        bench_fail(spec, p2p_last_error());
    dim = p2p_problem_dim(problem);
    RATE(value, p2p_problem_grad(problem, (p2p_view){ x, dim, P2P_F64 }, NULL, 0, (p2p_vec){ g, dim, P2P_F64 }));
    RATE(yardstick, blas());
    snprintf(size, sizeof size, "%zu x %zu", rows, features);
    bench_row("gradients", spec, size, value, "G/s", yardstick);
    p2p_problem_destroy(&problem);
}

static void
measure_size(size_t m, size_t d)
{
    p2p_random r = p2p_random_open(1, 0, 0, P2P_STREAM_DATA);
    p2p_data *data;

    rows = m;
    features = d;
    a = bench_memory(m * d * sizeof *a);
    labels = bench_memory(m * sizeof *labels);
    x = bench_memory(CLASSES * d * sizeof *x);
    g = bench_memory(CLASSES * d * sizeof *g);
    u = bench_memory(CLASSES * m * sizeof *u);
    p2p_random_normal(&r, m * d, a);
    for (size_t j = 0; j < m; j++)
        labels[j] = (double)(j % 2);
    if (p2p_data_from_dense(&data, m, d, a, labels) != P2P_OK)
        bench_fail("data", p2p_last_error());
    measure(data, "ridge", blas_vectors);
    measure(data, "logistic", blas_vectors);
    measure(data, "softmax:classes=10", blas_matrices);
    p2p_data_destroy(&data);
    free(a);
    free(labels);
    free(x);
    free(g);
    free(u);
}

int
main(int argc, char **argv)
{
    static const size_t sizes[][2] = { { 72, 30 }, { 225, 64 }, { 1000, 784 }, { 10000, 784 } };

    openblas_set_num_threads(1);
    if (argc == 3)
        measure_size(strtoul(argv[1], NULL, 10), strtoul(argv[2], NULL, 10));
    else
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
            measure_size(sizes[i][0], sizes[i][1]);
    return 0;
}
