/*
 * Full gradients on dense data against BLAS on the same data: two matrix-vector products (or, for softmax, two matrix
 * products), without anything that happens between them. The value counts each entry of the data once. Then training
 * steps of a network against the matrix products alone.
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
#define RATE(rate, statement)                                                                                        \
    do {                                                                                                             \
        const size_t times = 50000000 / (rows * features) + 1;                                                       \
        double seconds;                                                                                              \
        BENCH_BEST(seconds, RUNS, for (size_t again = 0; again < times; again++) statement);                         \
        (rate) = 1e-9 * (double)(times * rows * features) / seconds;                                                 \
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

/* A training step of 784-128-10 in floats is five products over its batch. */
enum { NET_IN = 784, NET_HIDDEN = 128, NET_DIM = NET_IN * NET_HIDDEN + NET_HIDDEN + NET_HIDDEN * CLASSES + CLASSES };

typedef struct {
    size_t batch, *idx;
    float *x, *g, *rows, *hidden, *scores;
} net;

static void
blas_net(const net *n)
{
    const int m = (int)n->batch;
    const float *w2 = n->x + NET_IN * NET_HIDDEN;
    float *g2 = n->g + NET_IN * NET_HIDDEN;

    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, m, NET_HIDDEN, NET_IN, 1, n->rows, NET_IN, n->x, NET_IN, 0,
                n->hidden, NET_HIDDEN);
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, m, CLASSES, NET_HIDDEN, 1, n->hidden, NET_HIDDEN, w2,
                NET_HIDDEN, 0, n->scores, CLASSES);
    cblas_sgemm(CblasRowMajor, CblasTrans, CblasNoTrans, CLASSES, NET_HIDDEN, m, 1, n->scores, CLASSES, n->hidden,
                NET_HIDDEN, 0, g2, NET_HIDDEN);
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, m, NET_HIDDEN, CLASSES, 1, n->scores, CLASSES, w2,
                NET_HIDDEN, 0, n->hidden, NET_HIDDEN);
    cblas_sgemm(CblasRowMajor, CblasTrans, CblasNoTrans, NET_HIDDEN, NET_IN, m, 1, n->hidden, NET_HIDDEN, n->rows,
                NET_IN, 0, n->g, NET_IN);
}

/* Steps a second, x <- x - step g included, over batches that go through the data. */
static void
measure_net(size_t batch)
{
    enum { SAMPLES = 4096, STEPS = 64 };
    p2p_random r = p2p_random_open(1, 0, 0, P2P_STREAM_DATA);
    net n = { .batch = batch };
    char size[48];
    double seconds, bound, *pixels = bench_memory(SAMPLES * NET_IN * sizeof *pixels);
    double *classes = bench_memory(SAMPLES * sizeof *classes);
    p2p_data *data;
    p2p_problem *problem;
    p2p_vec x, g;

    n.idx = bench_memory(batch * sizeof *n.idx);
    n.x = bench_memory(NET_DIM * sizeof *n.x);
    n.g = bench_memory(NET_DIM * sizeof *n.g);
    n.rows = bench_memory(batch * NET_IN * sizeof *n.rows);
    n.hidden = bench_memory(batch * NET_HIDDEN * sizeof *n.hidden);
    n.scores = bench_memory(batch * CLASSES * sizeof *n.scores);
    p2p_random_uniform(&r, SAMPLES * NET_IN, pixels);
    for (size_t j = 0; j < SAMPLES; j++)
        classes[j] = (double)(j % CLASSES);
    for (size_t j = 0; j < batch * NET_IN; j++)
        n.rows[j] = (float)pixels[j];
    if (p2p_data_from_dense(&data, SAMPLES, NET_IN, pixels, classes) != P2P_OK ||
        p2p_problem_new(&problem, "mlp:hidden=128", data, P2P_F32, 0, 1, 1) != P2P_OK)
        bench_fail("mlp", p2p_last_error());
    x = (p2p_vec){ n.x, NET_DIM, P2P_F32 };
    g = (p2p_vec){ n.g, NET_DIM, P2P_F32 };
    p2p_problem_start(problem, x);
    BENCH_BEST(
        seconds, RUNS, for (size_t t = 0; t < STEPS; t++) {
            for (size_t j = 0; j < batch; j++)
                n.idx[j] = (t * batch + j) % SAMPLES;
            p2p_problem_grad(problem, p2p_view_of(x), n.idx, batch, g);
            p2p_vec_axpy(x, -0.01, p2p_view_of(g));
        });
    BENCH_BEST(bound, RUNS, for (size_t t = 0; t < STEPS; t++) blas_net(&n));
    snprintf(size, sizeof size, "batch %zu", batch);
    bench_row("training", "mlp 784-128-10 f32", size, STEPS / seconds, "steps/s", STEPS / bound);
    p2p_problem_destroy(&problem);
    p2p_data_destroy(&data);
    free(pixels);
    free(classes);
    free(n.idx);
    free(n.x);
    free(n.g);
    free(n.rows);
    free(n.hidden);
    free(n.scores);
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
    if (argc != 3)
        for (size_t batch = 16; batch <= 1024; batch *= 4)
            measure_net(batch);
    return 0;
}
