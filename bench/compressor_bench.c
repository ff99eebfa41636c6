/*
 * Every registered compressor, and any other spec, against memcpy of the same vector.
 *
 * Usage: compressor_bench [-d DIM] [-t f32|f64] [SPEC...]; default: DIM 10000000, f32, all at their default options,
 * wrappers around topk or randk. GB/s count the bytes of the vector once, for memcpy too.
 */
#include "bench.h"

#include <p2popt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Seconds for the runs of which the best counts. */
static const double budget = 0.25;

typedef struct {
    p2p_shape shape;
    p2p_vec x, y;
    double bytes, memcpy_rate;
    char size[32];
} workload;

static void
fill_with_normals(p2p_vec x)
{
    enum { CHUNK = 4096 };
    double z[CHUNK];
    p2p_random r = p2p_random_open(1, 0, 0, P2P_STREAM_INIT);

    for (size_t i = 0; i < x.dim; i += CHUNK) {
        size_t n = x.dim - i < CHUNK ? x.dim - i : CHUNK;

        p2p_random_normal(&r, n, z);
        for (size_t j = 0; j < n; j++)
            p2p_vec_set(x, i + j, z[j]);
    }
}

static workload
prepare(size_t dim, p2p_dtype type)
{
    workload w = { .shape = { dim, type, 1 }, .bytes = (double)dim * (double)p2p_dtype_size(type) };
    double t;

    w.x = (p2p_vec){ bench_memory((size_t)w.bytes), dim, type };
    w.y = (p2p_vec){ bench_memory((size_t)w.bytes), dim, type };
    snprintf(w.size, sizeof w.size, "%zu %s", dim, p2p_dtype_name(type));
    fill_with_normals(w.x);
    BENCH_BEST_WITHIN(t, budget, memcpy(w.y.data, w.x.data, (size_t)w.bytes));
    w.memcpy_rate = 1e-9 * w.bytes / t;
    bench_row("compressors", "memcpy", w.size, w.memcpy_rate, "GB/s", w.memcpy_rate);
    return w;
}

static void
row(const workload *w, const char *spec, const char *what, double seconds)
{
    char name[256];

    snprintf(name, sizeof name, "%s %s", spec, what);
    bench_row("compressors", name, w->size, 1e-9 * w->bytes / seconds, "GB/s", w->memcpy_rate);
}

static void
must(p2p_status status, const char *spec)
{
    if (status != P2P_OK)
        bench_fail(spec, p2p_last_error());
}

static void
measure(const workload *w, const char *spec)
{
    p2p_compressor *c;
    p2p_env env = { .seed = 1, .scale = 4 };
    size_t cap, len;
    uint8_t *buf;
    double t;

    must(p2p_compressor_new(&c, spec, &w->shape), spec);
    cap = p2p_compressor_bound(c);
    buf = bench_memory(cap);
    BENCH_BEST_WITHIN(t, budget, must(p2p_compressor_encode(c, p2p_view_of(w->x), &env, buf, cap, &len), spec));
    row(w, spec, "encode", t);
    BENCH_BEST_WITHIN(t, budget, must(p2p_compressor_decode(c, &env, buf, len, w->y), spec));
    row(w, spec, "decode", t);
    BENCH_BEST_WITHIN(t, budget, must(p2p_compressor_axpy(c, &env, buf, len, 1, 0.5, w->y), spec));
    row(w, spec, "decode_add", t);
    free(buf);
    p2p_compressor_destroy(&c);
}

/* A spec that opens the entry: by itself, or around other compressors. */
static void
measure_entry(const workload *w, const char *name)
{
    static const char *const forms[] = { "%s", "%s(topk)", "%s(randk)", "%s(topk,randk)" };
    char spec[128];
    p2p_compressor *c;

    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        snprintf(spec, sizeof spec, forms[i], name);
        if (p2p_compressor_new(&c, spec, &w->shape) == P2P_OK) {
            p2p_compressor_destroy(&c);
            measure(w, spec);
            return;
        }
    }
    bench_fail(name, p2p_last_error());
}

int
main(int argc, char **argv)
{
    size_t dim = 10000000;
    p2p_dtype type = P2P_F32;
    workload w;
    int option;

    while ((option = getopt(argc, argv, "d:t:")) != -1)
        if (option == 'd')
            dim = strtoul(optarg, NULL, 10);
        else if (option == 't' && strcmp(optarg, "f32") == 0)
            type = P2P_F32;
        else if (option == 't' && strcmp(optarg, "f64") == 0)
            type = P2P_F64;
        else
            bench_fail("usage", "compressor_bench [-d DIM] [-t f32|f64] [SPEC...]");
    if (dim == 0 || dim > (size_t)1 << 30)
        bench_fail("DIM", "expected 1 to 2^30");
    w = prepare(dim, type);
    for (int i = optind; i < argc; i++)
        measure(&w, argv[i]);
    for (size_t i = 0; optind == argc; i++) {
        const p2p_entry *entry = p2p_family_entry(P2P_FAMILY_COMPRESSOR, i);

        if (entry == NULL)
            break;
        measure_entry(&w, entry->name);
    }
    free(w.x.data);
    free(w.y.data);
    return 0;
}
