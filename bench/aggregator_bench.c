/*
 * Aggregation rules against one reading pass over their vectors, on one thread.
 *
 * Usage: aggregator_bench [VECTORS [DIM [f32|f64 [SPEC...]]]]; default 20 1000000 f32 and the rules below. The
 * vectors are normal; the last fifth of them lie far away. Seconds are of one apply; the yardstick of a row is the
 * pass.
 */
#include "bench.h"

#include <p2popt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RUNS = 7 };

static const char *const usual[] = {
    "mean",
    "trimmed-mean:f=4",
    "median",
    "meamed:f=4",
    "krum:f=4",
    "multi-krum:f=4",
    "bulyan:f=4",
    "geomed",
    "centered-clip",
    "mda:f=4",
    "mva:f=4",
    "caf:f=4",
    "clipped-gossip:f=4",
    "cs-plus:f=4",
    "gts:f=4",
    "nna:f=4",
    "ios:f=4",
    "bridge-t:f=4",
    "nnm|trimmed-mean:f=4",
    "bucketing|median",
    "clip|mean",
    "arc:f=4|mean",
};

static p2p_view
draw(size_t dim, p2p_dtype type, uint32_t node, int far)
{
    p2p_vec v = { bench_memory(dim * p2p_dtype_size(type)), dim, type };
    p2p_random r = p2p_random_open(1, node, 0, P2P_STREAM_DATA);
    double pair[2];

    for (size_t i = 0; i < dim; i += 2) {
        p2p_random_normal(&r, 2, pair);
        p2p_vec_set(v, i, pair[0] + 50 * far);
        if (i + 1 < dim)
            p2p_vec_set(v, i + 1, pair[1] + 50 * far);
    }
    return p2p_view_of(v);
}

static double
read_all(size_t count, const p2p_view *vectors)
{
    double largest = 0;

    for (size_t j = 0; j < count; j++) {
        double one = p2p_vec_norminf(vectors[j]);

        largest = one > largest ? one : largest;
    }
    return largest;
}

static void
measure(const char *spec, size_t count, const p2p_view *vectors, p2p_vec z, const char *size, double pass)
{
    p2p_aggregator *rule;
    double seconds;

    if (p2p_aggregator_new(&rule, spec, count - 1, z.dim, z.type) != P2P_OK ||
        p2p_aggregator_apply(rule, vectors[0], count - 1, vectors + 1, NULL, z) != P2P_OK)
        bench_fail(spec, p2p_last_error());
    BENCH_BEST(seconds, RUNS, p2p_aggregator_apply(rule, vectors[0], count - 1, vectors + 1, NULL, z));
    bench_row("aggregators", spec, size, seconds, "s", pass);
    p2p_aggregator_destroy(&rule);
}

int
main(int argc, char **argv)
{
    size_t count = argc > 1 ? strtoul(argv[1], NULL, 10) : 20, dim = argc > 2 ? strtoul(argv[2], NULL, 10) : 1000000;
    p2p_dtype type = argc > 3 && strcmp(argv[3], "f64") == 0 ? P2P_F64 : P2P_F32;
    p2p_vec z = { bench_memory(dim * p2p_dtype_size(type)), dim, type };
    p2p_view *vectors = bench_memory(count * sizeof *vectors);
    volatile double sink;
    double pass;
    char size[64];

    if (count < 2 || count > 1000 || dim == 0)
        bench_fail("VECTORS DIM", "expected 2 to 1000 vectors of at least one entry");
    for (size_t j = 0; j < count; j++)
        vectors[j] = draw(dim, type, (uint32_t)j, j >= count - count / 5);
    snprintf(size, sizeof size, "%zu x %zu %s", count, dim, p2p_dtype_name(type));
    BENCH_BEST(pass, RUNS, sink = read_all(count, vectors));
    (void)sink;
    if (argc > 4)
        for (int i = 4; i < argc; i++)
            measure(argv[i], count, vectors, z, size, pass);
    else
        for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
            measure(usual[i], count, vectors, z, size, pass);
    for (size_t j = 0; j < count; j++)
        free((void *)vectors[j].data);
    free(vectors);
    free(z.data);
    return 0;
}
