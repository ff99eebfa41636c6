/*
 * Vector kernels and random numbers against memcpy of the same vector.
 *
 * Usage: kernel_bench [DIM [f32|f64]]; default 10000000 f32. GB/s count every stream that is read or written.
 *        kernel_bench -v tells the compiler and the BLAS kernels in use.
 */
#include "bench.h"

#include <cblas.h>
#include <p2popt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef __clang__
#define COMPILER "clang " __clang_version__
#else
#define COMPILER "gcc " __VERSION__
#endif

enum { RUNS = 15 };

static p2p_vec x, y, z;
static double bytes, memcpy_rate;
static char size[32];
static volatile double sink;

static void
row(const char *name, int streams, double seconds)
{
    bench_row("kernels", name, size, 1e-9 * streams * bytes / seconds, "GB/s", memcpy_rate);
}

#define MEASURE(name, streams, statement)                                                                         \
    do {                                                                                                          \
        double measured;                                                                                          \
        BENCH_BEST(measured, RUNS, statement);                                                                    \
        row(name, streams, measured);                                                                             \
    } while (0)

static p2p_vec
draw(size_t dim, p2p_dtype type, uint32_t stream)
{
    p2p_vec v = { bench_memory(dim * p2p_dtype_size(type)), dim, type };
    p2p_random r = p2p_random_open(1, 0, 0, stream);

    if (type == P2P_F32)
        p2p_random_uniformf(&r, dim, v.data);
    else
        p2p_random_uniform(&r, dim, v.data);
    return v;
}

static void
measure_vectors(void)
{
    p2p_view vx = p2p_view_of(x), vy = p2p_view_of(y);

    MEASURE("fill", 1, p2p_vec_fill(z, 1));
    MEASURE("scale", 2, p2p_vec_scale(z, 1));
    MEASURE("axpy", 3, p2p_vec_axpy(z, 1e-9, vx));
    MEASURE("axpby, in place", 3, p2p_vec_axpby(z, 1e-9, vx, 1));
    MEASURE("combine", 3, p2p_vec_combine(z, 2, vx, 3, vy));
    MEASURE("sub", 3, p2p_vec_sub(z, vx, vy));
    MEASURE("dot", 2, sink = p2p_vec_dot(vx, vy));
    MEASURE("norm1", 1, sink = p2p_vec_norm1(vx));
    MEASURE("norm2", 1, sink = p2p_vec_norm2(vx));
    MEASURE("norminf", 1, sink = p2p_vec_norminf(vx));
    MEASURE("distance", 2, sink = p2p_vec_distance(vx, vy));
    MEASURE("first_nonfinite", 1, sink = (double)p2p_vec_first_nonfinite(vx));
    if (x.type == P2P_F32) {
        MEASURE("BLAS axpy", 3, cblas_saxpy((int)x.dim, 1e-9f, x.data, 1, z.data, 1));
        MEASURE("BLAS dot", 2, sink = cblas_sdot((int)x.dim, x.data, 1, y.data, 1));
    } else {
        MEASURE("BLAS axpy", 3, cblas_daxpy((int)x.dim, 1e-9, x.data, 1, z.data, 1));
        MEASURE("BLAS dot", 2, sink = cblas_ddot((int)x.dim, x.data, 1, y.data, 1));
    }
}

static void
measure_random(void)
{
    enum { COUNT = 1 << 16 };
    uint32_t *words = bench_memory(COUNT * sizeof *words);
    float *floats = bench_memory(COUNT * sizeof *floats);
    double *doubles = bench_memory(COUNT * sizeof *doubles), t;
    p2p_random r = p2p_random_open(1, 2, 3, 4);

    BENCH_BEST(t, 10 * RUNS, p2p_random_words(&r, COUNT, words));
    bench_row("random", "words", "65536", 1e-9 * COUNT / t, "G/s", 0);
    BENCH_BEST(t, 10 * RUNS, p2p_random_uniformf(&r, COUNT, floats));
    bench_row("random", "uniform, float", "65536", 1e-9 * COUNT / t, "G/s", 0);
    BENCH_BEST(t, 10 * RUNS, p2p_random_uniform(&r, COUNT, doubles));
    bench_row("random", "uniform, double", "65536", 1e-9 * COUNT / t, "G/s", 0);
    BENCH_BEST(t, RUNS, p2p_random_normal(&r, COUNT, doubles));
    bench_row("random", "normal", "65536", 1e-9 * COUNT / t, "G/s", 0);
    free(words);
    free(floats);
    free(doubles);
}

int
main(int argc, char **argv)
{
    size_t dim = argc > 1 ? strtoul(argv[1], NULL, 10) : 10000000;
    p2p_dtype type = argc > 2 && strcmp(argv[2], "f64") == 0 ? P2P_F64 : P2P_F32;
    double t;

    if (argc > 1 && strcmp(argv[1], "-v") == 0) {
        bench_note("compiler", COMPILER);
        bench_note("BLAS core", openblas_get_corename());
        return 0;
    }
    if (dim == 0 || dim > 1u << 30)
        bench_fail("DIM", "expected 1 to 2^30");
    x = draw(dim, type, 1);
    y = draw(dim, type, 2);
    z = draw(dim, type, 3);
    bytes = (double)dim * (double)p2p_dtype_size(type);
    snprintf(size, sizeof size, "%zu %s", dim, p2p_dtype_name(type));
    BENCH_BEST(t, RUNS, memcpy(z.data, x.data, (size_t)bytes));
    memcpy_rate = 1e-9 * 2 * bytes / t;
    row("memcpy", 2, t);
    measure_vectors();
    measure_random();
    free(x.data);
    free(y.data);
    free(z.data);
    return 0;
}
