/* Codes that come from papers on systems: one case a file, known by the keys it has. */
#include "golden.h"

#include "compress/coding/gap_classes.h"
#include "compress/coding/generalised_normal.h"
#include "compress/coding/huffman.h"
#include "compress/around/peeling.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BYTES = 1 << 16 };

static uint8_t message[BYTES];

static json_int_t
integer(const json_t *file, const char *key)
{
    return json_integer_value(json_object_get(file, key));
}

static double *
numbers(const json_t *file, const char *key, size_t *count)
{
    const json_t *list = json_object_get(file, key);
    double *v;

    *count = golden_numbers(list, 0, NULL);
    if ((v = malloc((*count + 1) * sizeof *v)) == NULL)
        abort();
    golden_numbers(list, *count, v);
    return v;
}

static int
numbers_are(const json_t *file, const char *key, const double *found, size_t n, double *error)
{
    size_t count;
    double *wanted = numbers(file, key, &count);

    *error = count == n ? fmax(*error, golden_error(n, found, wanted)) : NAN;
    free(wanted);
    return count == n && *error <= 1e-12;
}

/* Message and decoded vector of x. */
static size_t
run_compressor(p2p_compressor *c, const p2p_env *env, p2p_view x, p2p_vec y)
{
    size_t len;

    if (p2p_compressor_bound(c) > sizeof message ||
        p2p_compressor_encode(c, x, env, message, sizeof message, &len) != P2P_OK ||
        p2p_compressor_decode(c, env, message, len, y) != P2P_OK)
        return 0;
    return len;
}

/* Encode and decode `input` with the spec; *found is the caller's to free. */
static size_t
decode_of(const json_t *file, const char *input, const char *spec, const p2p_env *env, double **found, size_t *dim,
          double *nominal)
{
    double *x = numbers(file, input, dim);
    const p2p_shape shape = { *dim, P2P_F64, 1 };
    p2p_compressor *c;
    size_t len = 0;

    *found = calloc(*dim + 1, sizeof **found);
    if (p2p_compressor_new(&c, spec, &shape) == P2P_OK) {
        len = run_compressor(c, env, (p2p_view){ x, *dim, P2P_F64 }, (p2p_vec){ *found, *dim, P2P_F64 });
        *nominal = p2p_compressor_nominal_bits(c, message, len);
    }
    p2p_compressor_destroy(&c);
    free(x);
    return len;
}

/* ---- fastsgd */

/* The gaps of the keys as the text of a bit stream, and the widths they are in. */
static int
keys_are(const json_t *file)
{
    static uint8_t stream[4096];
    static uint32_t index[4096];
    const char *text = json_string_value(json_object_get(file, "keystream"));
    const json_t *widths = json_object_get(file, "widths");
    const size_t n = json_array_size(json_object_get(file, "keys"));
    p2pi_gap_classes classes;
    p2pi_msb_writer w = p2pi_msb_writer_of(stream);
    int good;

    for (size_t j = 0; j < n; j++)
        index[j] = (uint32_t)json_integer_value(json_array_get(json_object_get(file, "keys"), j));
    classes = p2pi_gap_classes_of(index, n);
    good = classes.count == json_array_size(widths) && classes.bits == strlen(text);
    for (unsigned i = 0; i < classes.count; i++)
        good &= classes.width[i] == (unsigned)json_integer_value(json_array_get(widths, i));
    p2pi_gap_classes_write(&classes, index, n, &w);
    p2pi_msb_end(&w);
    for (size_t i = 0; good && i < classes.bits; i++)
        good &= (stream[i / 8] >> (7 - i % 8) & 1) == text[i] - '0';
    return good;
}

static void
run_fastsgd(const char *name, const json_t *file)
{
    const p2p_env env = { .scale = 1 };
    const int delta = strcmp(json_string_value(json_object_get(file, "keymode")), "delta") == 0;
    char spec[128];
    double *found, nominal = 0, error = 0;
    size_t dim;
    int good;

    snprintf(spec, sizeof spec, "fastsgd:base=%g,tau=%lld", json_number_value(json_object_get(file, "base")),
             (long long)integer(file, "tau"));
    good = decode_of(file, "g", spec, &env, &found, &dim, &nominal) > 0;
    good &= numbers_are(file, "decoded", found, dim, &error) && nominal == (double)integer(file, "bits");
    good &= message[16] == integer(file, "vwidth") && (message[17] > 0) == delta;
    good &= keys_are(file);
    golden_report(good ? GOLDEN_PASS : GOLDEN_FAIL, name, error, NULL);
    free(found);
}

/* ---- hdc */

static void
run_hdc(const char *name, const json_t *file)
{
    const p2p_env env = { (uint64_t)integer(file, "seed"), (uint32_t)integer(file, "node"), 7, 0, 1 };
    char spec[128];
    double *found, nominal, error = 0, sums[256] = { 0 };
    size_t dim, count = golden_numbers(json_object_get(file, "encoded"), 0, NULL), len;
    int good;

    snprintf(spec, sizeof spec, "hdc:rows=%zu,ratio=%lld", json_array_size(json_object_get(file, "W")),
             (long long)integer(file, "ratio"));
    len = decode_of(file, "W", spec, &env, &found, &dim, &nominal);
    good = len >= 8 * count && count <= 256 && numbers_are(file, "decoded", found, dim, &error);
    if (good)
        memcpy(sums, message + len - 8 * count, 8 * count);
    good &= numbers_are(file, "encoded", sums, count, &error);
    golden_report(good ? GOLDEN_PASS : GOLDEN_FAIL, name, error, NULL);
    free(found);
}

/* ---- gennorm */

static int
integers_are(const json_t *list, const uint32_t *found, size_t n)
{
    int good = json_array_size(list) == n;

    for (size_t i = 0; good && i < n; i++)
        good &= json_integer_value(json_array_get(list, i)) == found[i];
    return good;
}

/* Of the codes sign(x) floor(|x|/step + 1/2), at most K. */
static double
code_bits(const double *x, size_t n, double step, unsigned most, const uint8_t *length)
{
    double bits = 0;

    for (size_t i = 0; i < n; i++) {
        const int code = (int)fmin(most, floor(fabs(x[i]) / step + 0.5));

        bits += length[(int)most + (x[i] < 0 ? -code : code)];
    }
    return bits;
}

static void
run_gennorm(const char *name, const json_t *file)
{
    const double step = json_number_value(json_object_get(file, "step"));
    const unsigned most = (unsigned)integer(file, "K");
    uint32_t count[P2PI_ALPHABET], length[P2PI_ALPHABET];
    uint8_t bits[P2PI_ALPHABET];
    double mean = 0, mean_square = 0, error = 0;
    size_t n;
    double *x = numbers(file, "x", &n);
    p2pi_gennorm law;
    p2pi_gennorm_wire wire;
    int good;

    for (size_t i = 0; i < n; i++) {
        mean += fabs(x[i] / step) / (double)n;
        mean_square += x[i] / step * (x[i] / step) / (double)n;
    }
    law = p2pi_gennorm_fit(mean, mean_square);
    wire = p2pi_gennorm_round(law);
    law.alpha *= step;
    good = numbers_are(file, "beta", &law.beta, 1, &error) && numbers_are(file, "alpha", &law.alpha, 1, &error);
    good &= wire.shape == integer(file, "i") && wire.scale == integer(file, "j");
    p2pi_gennorm_counts(p2pi_gennorm_of(wire), most, count);
    p2pi_huffman_lengths(count, 2 * most + 1, bits);
    for (size_t i = 0; i < 2 * most + 1; i++)
        length[i] = bits[i];
    good &= integers_are(json_object_get(file, "counts"), count, 2 * most + 1);
    good &= integers_are(json_object_get(file, "lengths"), length, 2 * most + 1);
    good &= code_bits(x, n, step, most, bits) == (double)integer(file, "bits");
    golden_report(good ? GOLDEN_PASS : GOLDEN_FAIL, name, error, NULL);
    free(x);
}

/* ---- lhc */

enum { LHC_MOST = 1024 };

static struct {
    p2pi_peeling peeling;
    p2pi_peel_tables tables;
    uint32_t index[LHC_MOST];
    int64_t value[LHC_MOST];
    uint64_t cell[LHC_MOST], sum[LHC_MOST];
    int known[LHC_MOST];
} sketch;

/* One vector's sketch, added to the sum; its entries join the known ones. */
static int
add_sketch(const json_t *g, const json_t *wanted)
{
    const size_t d = json_array_size(g), cells = p2pi_peel_cells(sketch.tables);
    size_t k = 0;
    int good = json_array_size(wanted) == cells;

    for (size_t i = 0; i < d; i++)
        if ((sketch.value[k] = json_integer_value(json_array_get(g, i))) != 0) {
            sketch.index[k++] = (uint32_t)i;
            sketch.known[i] = 1;
        }
    p2pi_peeling_plan(&sketch.peeling, sketch.tables, sketch.index, k);
    memset(sketch.cell, 0, sizeof sketch.cell);
    p2pi_peeling_add_integers(&sketch.peeling, sketch.value, sketch.cell);
    for (size_t i = 0; i < cells; i++) {
        good &= (int64_t)sketch.cell[i] == json_integer_value(json_array_get(wanted, i));
        sketch.sum[i] += sketch.cell[i];
    }
    return good;
}

/* Read all known entries from the sum. */
static int
sum_is(const json_t *wanted, json_int_t unpeeled)
{
    const size_t d = json_array_size(wanted);
    size_t k = 0, j = 0;
    int good;

    for (size_t i = 0; i < d; i++)
        if (sketch.known[i])
            sketch.index[k++] = (uint32_t)i;
    good = p2pi_peeling_plan(&sketch.peeling, sketch.tables, sketch.index, k) == (size_t)unpeeled;
    p2pi_peeling_take_integers(&sketch.peeling, sketch.sum, sketch.value);
    for (size_t i = 0; i < d; i++)
        good &= json_integer_value(json_array_get(wanted, i)) == (sketch.known[i] ? sketch.value[j++] : 0);
    return good;
}

/* Places and signs of the first entries. */
static int
places_are(const json_t *place, const json_t *sign)
{
    const size_t n = json_array_size(place);
    int good = n > 0;

    for (size_t i = 0; i < n; i++)
        sketch.index[i] = (uint32_t)i;
    p2pi_peeling_plan(&sketch.peeling, sketch.tables, sketch.index, n);
    for (size_t i = 0; i < P2PI_PEEL_TABLES * n; i++) {
        const json_t *at = json_array_get(json_array_get(place, i / P2PI_PEEL_TABLES), i % P2PI_PEEL_TABLES);
        const json_t *s = json_array_get(json_array_get(sign, i / P2PI_PEEL_TABLES), i % P2PI_PEEL_TABLES);

        good &= sketch.peeling.place[i] / 2 == json_integer_value(at);
        good &= (sketch.peeling.place[i] & 1 ? -1 : 1) == json_integer_value(s);
    }
    return good;
}

static void
run_lhc(const char *name, const json_t *file)
{
    const json_t *vectors = json_object_get(file, "g");
    const size_t cells = (size_t)integer(file, "cells"), lanes = (size_t)integer(file, "lanes");
    p2pi_arena *arena;
    int good;

    sketch.tables = (p2pi_peel_tables){ (uint32_t)integer(file, "seed"), cells / (P2PI_PEEL_TABLES * lanes), lanes };
    if (cells > LHC_MOST || (size_t)integer(file, "d") > LHC_MOST || p2pi_arena_new(&arena) != P2P_OK ||
        p2pi_peeling_open(&sketch.peeling, LHC_MOST, LHC_MOST, arena) != P2P_OK)
        abort();
    good = places_are(json_object_get(file, "pos"), json_object_get(file, "sign"));
    for (size_t i = 0; i < json_array_size(vectors); i++)
        good &= add_sketch(json_array_get(vectors, i), json_array_get(json_object_get(file, "sketches"), i));
    good &= sum_is(json_object_get(file, "sum"), integer(file, "unpeeled"));
    golden_report(good ? GOLDEN_PASS : GOLDEN_FAIL, name, NAN, NULL);
    p2pi_arena_destroy(&arena);
}

/* ---- which is which */

static const struct {
    const char *key; /* that only these cases have */
    void (*run)(const char *name, const json_t *file);
} cases[] = {
    { "keystream", run_fastsgd },
    { "encoded", run_hdc },
    { "lengths", run_gennorm },
    { "sketches", run_lhc },
};

enum { CASES = sizeof cases / sizeof cases[0] };

static size_t
case_of(const json_t *file)
{
    size_t i = 0;

    while (i < CASES && json_object_get(file, cases[i].key) == NULL)
        i++;
    return i;
}

static int
accepts(const char *path, const json_t *file)
{
    (void)path;
    return case_of(file) < CASES;
}

static void
run(const char *path, const json_t *file)
{
    char name[128];

    golden_name(name, sizeof name, path, -1);
    cases[case_of(file)].run(name, file);
}

const golden_kind golden_codes = { "codes", accepts, run };
