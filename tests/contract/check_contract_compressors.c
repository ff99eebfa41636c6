/*
 * What every compressor promises, over every registered one: bytes and bounds, decoding and its refusals, the same
 * bytes from the same seed, and the constants it declares. A new member gets these by being in the list.
 */
#include "compressor_specs.h"
#include "runner.h"

#include <math.h>
#include <p2popt/compressor.h>
#include <p2popt/random.h>
#include <stdio.h>
#include <stdlib.h>

static const size_t dims[] = { 1, 31, 32, 33, 1000 };
enum { DIMS = 5, MOST = 1000, CAP = 1 << 16, GUARD = 64 };

static const p2p_env env = { 17, 2, 9, 1, 0.75 };

/* As ck_ok and ck_assert_msg, but without a word to Check while all is well: these run millions of times. */
#define MUST_DO(call)                                                                                                \
    do {                                                                                                             \
        if ((call) != P2P_OK)                                                                                        \
            ck_abort_msg("%s: %s", #call, p2p_last_error());                                                         \
    } while (0)
#define MUST(condition, ...)                                                                                         \
    do {                                                                                                             \
        if (!(condition))                                                                                            \
            ck_abort_msg(__VA_ARGS__);                                                                               \
    } while (0)

static double storage_x[MOST], storage_y[MOST], storage_z[MOST];
static uint8_t buf[CAP], other[CAP];

/* ---- vectors */

enum { GAUSS, SPARSE, HEAVY, EQUAL, ONE, DENORMAL, TINY, LARGE, ZERO, KINDS };
static const char *const kind_names[] = { "gauss",    "sparse", "heavy", "equal", "one",
                                          "denormal", "tiny",   "large", "zero" };

static double
entry_of(int kind, size_t i, size_t dim, p2p_dtype type, double g, double h)
{
    switch (kind) {
    case GAUSS:
        return g;
    case SPARSE:
        return h > 1.2 ? g : 0;
    case HEAVY:
        return fmax(-1e3, fmin(1e3, g / (fabs(h) + 1e-2)));
    case EQUAL:
        return 0.25;
    case ONE:
        return i == dim / 2 ? -3 : 0;
    case DENORMAL:
        return i % 3 ? (type == P2P_F32 ? 1e-40 : 1e-310) : g;
    case TINY:
        return g * (type == P2P_F32 ? 1e-30 : 1e-290);
    case LARGE:
        return g * (type == P2P_F32 ? 1e30 : 1e290);
    default:
        return 0;
    }
}

static p2p_vec
draw(int kind, size_t dim, p2p_dtype type, uint32_t seed)
{
    p2p_vec x = { storage_x, dim, type };
    p2p_random r = p2p_random_open(seed, 0, 0, 0);

    for (size_t i = 0; i < dim; i++) {
        double g[2];

        p2p_random_normal(&r, 2, g);
        p2p_vec_set(x, i, entry_of(kind, i, dim, type, g[0], g[1]));
    }
    return x;
}

/* ---- one test point: a spec at a shape */

typedef struct {
    p2p_compressor *c;
    p2p_vec x, y, z;
    size_t len;
    unsigned traits;
    const char *spec;
} point;

static point
open_point(size_t spec, size_t dim, p2p_dtype type)
{
    p2p_shape shape = { dim, type, 4 };
    point p = { NULL, { storage_x, dim, type }, { storage_y, dim, type }, { storage_z, dim, type }, 0,
                0,    compressor_spec_at(spec) };

    MUST_DO(p2p_compressor_new(&p.c, p.spec, &shape));
    p.traits = p2p_compressor_constants_of(p.c)->traits;
    ck_assert_uint_le(p2p_compressor_bound(p.c) + P2P_FRAME_EXTRA + GUARD, CAP);
    return p;
}

/* Encode x with exactly the buffer that the bound promises to be enough; the guard behind it must survive. */
static p2p_status
encode(point *p)
{
    size_t cap = p2p_compressor_bound(p->c);
    int intact = 1;
    p2p_status st;

    memset(buf + cap, 0xA5, GUARD);
    st = p2p_compressor_encode(p->c, p2p_view_of(p->x), &env, buf, cap, &p->len);
    for (size_t i = 0; i < GUARD; i++)
        intact &= buf[cap + i] == 0xA5;
    MUST(intact && p->len <= cap, "%s writes beyond its bound", p->spec);
    return st;
}

/* A format with a short range may refuse tiny or large numbers: then only the sentence matters. */
static int
encodes(point *p, int kind)
{
    p2p_status st = encode(p);

    if (st == P2P_OK)
        return 1;
    MUST(st == P2P_EINVAL && kind == LARGE && strstr(p2p_last_error(), " fit ") != NULL, "%s on %s: %s", p->spec,
         kind_names[kind], p2p_last_error());
    return 0;
}

static int
is_finite(p2p_vec y)
{
    return p2p_vec_first_nonfinite(p2p_view_of(y)) == y.dim;
}

/* Run a trial on a spec at every dimension and type; each opens what it needs. */
static void
each_shape(int spec, void (*trial)(size_t spec, size_t dim, p2p_dtype type))
{
    for (size_t d = 0; d < DIMS; d++) {
        trial((size_t)spec, dims[d], P2P_F32);
        trial((size_t)spec, dims[d], P2P_F64);
    }
}

static void
decode_both_ways(size_t spec, size_t dim, p2p_dtype type)
{
    point p = open_point(spec, dim, type);

    for (int kind = 0; kind < KINDS; kind++) {
        size_t frame_len, lean_len;
        static uint8_t frame[CAP];

        draw(kind, p.x.dim, p.x.type, 1);
        if (!encodes(&p, kind))
            continue;
        MUST_DO(p2p_compressor_check(p.c, &env, buf, p.len));
        MUST_DO(p2p_compressor_frame(p.c, &env, buf, p.len, frame, p.len + P2P_FRAME_EXTRA, &frame_len));
        MUST_DO(p2p_compressor_unframe(p.c, &env, frame, frame_len, other, frame_len, &lean_len));
        ck_assert_uint_eq(lean_len, p.len);
        ck_assert_mem_eq(other, buf, p.len);
        MUST_DO(p2p_compressor_decode(p.c, &env, buf, p.len, p.y));
        MUST(is_finite(p.y), "%s on %s", p.spec, kind_names[kind]);
        if (kind == ZERO && (p.traits & (P2P_UNBIASED | P2P_CONTRACTIVE)))
            ck_assert(p2p_vec_norminf(p2p_view_of(p.y)) == 0);
    }
    p2p_compressor_destroy(&p.c);
}

START_TEST(messages_decode_both_ways)
{
    each_shape(_i, decode_both_ways);
}
END_TEST

static void
compare_axpy(size_t spec, size_t dim, p2p_dtype type)
{
    point p = open_point(spec, dim, type), q = open_point(spec, dim, type);
    size_t bytes = p.x.dim * p2p_dtype_size(p.x.type);

    for (int kind = 0; kind < KINDS; kind++)
        for (int trusted = 0; trusted < 2; trusted++) {
            draw(kind, p.x.dim, p.x.type, 2);
            if (!encodes(&p, kind))
                continue;
            /* Two receivers: those with memory see each message once. */
            MUST_DO(p2p_compressor_decode(p.c, &env, buf, p.len, p.y));
            p2p_vec_copy(p.z, p2p_view_of(draw(HEAVY, p.x.dim, p.x.type, 3)));
            p2p_vec_copy(p.x, p2p_view_of(p.z));
            MUST_DO(p2p_compressor_axpy(q.c, &env, buf, p.len, trusted, -0.3, p.z));
            p2p_vec_axpy(p.x, -0.3, p2p_view_of(p.y));
            MUST(memcmp(p.x.data, p.z.data, bytes) == 0, "%s on %s", p.spec, kind_names[kind]);
        }
    p2p_compressor_destroy(&p.c);
    p2p_compressor_destroy(&q.c);
}

START_TEST(axpy_is_decode_and_add)
{
    each_shape(_i, compare_axpy);
}
END_TEST

static void
encode_twice(size_t spec, size_t dim, p2p_dtype type)
{
    point p = open_point(spec, dim, type), q = open_point(spec, dim, type);
    size_t len;

    for (int kind = 0; kind < KINDS; kind++) {
        draw(kind, p.x.dim, p.x.type, 4);
        if (!encodes(&p, kind))
            continue;
        memcpy(other, buf, p.len);
        len = p.len;
        q.x = p.x;
        MUST_DO(encode(&q));
        ck_assert_uint_eq(q.len, len);
        ck_assert_mem_eq(other, buf, len);
    }
    p2p_compressor_destroy(&p.c);
    p2p_compressor_destroy(&q.c);
}

START_TEST(same_seed_same_bytes)
{
    each_shape(_i, encode_twice);
}
END_TEST

START_TEST(other_nodes_and_rounds_draw_other_numbers)
{
    point p = open_point((size_t)_i, MOST, P2P_F64);
    enum { TRIES = 20 }; /* some draw one of few levels */
    /* What all nodes draw alike: a linear map, or directions; the support of a sparse message is a node's own. */
    int shared = (p.traits & P2P_LINEAR) || ((p.traits & P2P_SHARED) && !(p.traits & P2P_SPARSE));
    size_t len;

    draw(GAUSS, MOST, P2P_F64, 5);
    if ((p.traits & P2P_RANDOM) && !(p.traits & P2P_STATEFUL)) {
        MUST_DO(encode(&p));
        for (int i = 0; i < 3; i++) {
            int differs = 0;

            for (uint32_t by = 1; by <= TRIES && !differs; by++) {
                p2p_env next = env;

                next.round += i == 0 ? by : 0;
                next.node += i == 1 ? by : 0;
                next.slot += i == 2 ? by : 0;
                MUST_DO(p2p_compressor_encode(p.c, p2p_view_of(p.x), &next, other, CAP, &len));
                differs = len != p.len || memcmp(buf, other, len) != 0;
            }
            MUST(differs == !(shared && i == 1), "%s, change %d", p.spec, i);
        }
    }
    p2p_compressor_destroy(&p.c);
}
END_TEST

/* ---- refusals */

static void
try_nonfinite(size_t spec, size_t dim, p2p_dtype type)
{
    static const double bad[] = { NAN, INFINITY, -INFINITY };
    point p = open_point(spec, dim, type);
    char sentence[64];

    for (int b = 0; b < 3; b++) {
        size_t at = p.x.dim / 2;

        draw(GAUSS, p.x.dim, p.x.type, 6);
        p2p_vec_set(p.x, at, bad[b]);
        p2p_vec_set(p.x, p.x.dim - 1, bad[b]);
        snprintf(sentence, sizeof sentence, "entry %zu is not finite", at);
        ck_fails(encode(&p), P2P_EINVAL, sentence);
    }
    p2p_compressor_destroy(&p.c);
}

START_TEST(nan_and_infinity_are_refused)
{
    each_shape(_i, try_nonfinite);
}
END_TEST

/* Bytes that are no message: refused, with nothing written, or else a finite vector comes out. */
static void
try_bytes(point *p, const uint8_t *bytes, size_t len)
{
    int untouched = 1;
    p2p_status st;

    p2p_vec_fill(p->y, 7);
    st = p2p_compressor_decode(p->c, &env, bytes, len, p->y);
    if (st == P2P_OK) {
        MUST(is_finite(p->y), "%s", p->spec);
        return;
    }
    for (size_t i = 0; i < p->y.dim; i++)
        untouched &= p2p_vec_get(p2p_view_of(p->y), i) == 7;
    MUST(st == P2P_EPROTO && untouched, "%s: %s", p->spec, p2p_last_error());
}

static void
damage(point *p)
{
    static uint8_t copy[CAP];
    p2p_random r = p2p_random_open(6, 0, 0, 0);
    size_t step = 1 + p->len / 400;
    uint32_t word;

    for (size_t len = 0; len < p->len; len += step) {
        /* An exact copy, so that reading beyond it is seen by the sanitizers. */
        uint8_t *cut = malloc(len + 1);

        memcpy(cut, buf, len);
        try_bytes(p, cut, len);
        free(cut);
    }
    memcpy(copy, buf, p->len);
    copy[p->len] = 0;
    try_bytes(p, copy, p->len + 1);
    for (size_t at = 0; at < p->len; at += step)
        for (int i = 0; i < 10; i++) {
            p2p_random_words(&r, 1, &word);
            copy[at] = (uint8_t)(i < 8 ? buf[at] ^ 1u << i : word);
            try_bytes(p, copy, p->len);
            copy[at] = buf[at];
        }
}

static void
try_damage(size_t spec, size_t dim, p2p_dtype type)
{
    point p = open_point(spec, dim, type);

    for (int kind = 0; kind <= SPARSE; kind++) {
        draw(kind, p.x.dim, p.x.type, 7);
        MUST_DO(encode(&p));
        damage(&p);
    }
    p2p_compressor_destroy(&p.c);
}

START_TEST(damaged_messages_are_refused_or_finite)
{
    each_shape(_i, try_damage);
}
END_TEST

static void
try_truncations(size_t spec, size_t dim, p2p_dtype type)
{
    point p = open_point(spec, dim, type);

    draw(GAUSS, p.x.dim, p.x.type, 8);
    MUST_DO(encode(&p));
    for (size_t len = 0; len < p.len; len += 1 + p.len / 300)
        MUST(p2p_compressor_check(p.c, &env, buf, len) == P2P_EPROTO, "%s: %zu of %zu bytes", p.spec, len, p.len);
    p2p_compressor_destroy(&p.c);
}

START_TEST(truncations_are_refused)
{
    each_shape(_i, try_truncations);
}
END_TEST

/* ---- constants */

static double
square(double v)
{
    return v * v;
}

/* What the constants allow for x; infinite if they say nothing. */
static double
allowed_error(const point *p, double scale)
{
    const p2p_compressor_constants *k = p2p_compressor_constants_of(p->c);
    double norm = square(p2p_vec_norm2(p2p_view_of(p->x))), limit = INFINITY;

    if (p->traits & P2P_UNBIASED)
        limit = fmin(limit, k->omega * norm);
    if (p->traits & P2P_CONTRACTIVE)
        limit = fmin(limit, (1 - k->delta) * norm);
    if (p->traits & P2P_ABSOLUTE)
        limit = fmin(limit, k->error2 * square(scale));
    return limit * (1 + 1e-9) + 1e-13 * norm;
}

/* Mean error over many draws, with five standard errors of room; deterministic compressors need one draw. The seed
 * changes too, since some draw once for all rounds. */
static void
measure_error(size_t spec, size_t dim, int kind)
{
    point p = open_point(spec, dim, P2P_F64);
    int random =
        (p.traits & P2P_RANDOM) || ((p.traits & P2P_UNBIASED) && p2p_compressor_constants_of(p.c)->omega > 0);
    int draws = random ? 2000 : 1;
    double mean = 0, squares = 0, room;
    p2p_env each = env;

    draw(kind, dim, P2P_F64, 9);
    if (p.traits & P2P_ABSOLUTE)
        each.scale = p2p_vec_norminf(p2p_view_of(p.x)) / p2p_compressor_constants_of(p.c)->range + 1e-300;
    for (int i = 0; i < draws && !(p.traits & P2P_STATEFUL); i++) {
        double e;

        each.round = (uint32_t)i;
        each.seed = env.seed + (uint64_t)i;
        MUST_DO(p2p_compressor_encode(p.c, p2p_view_of(p.x), &each, buf, CAP, &p.len));
        MUST_DO(p2p_compressor_decode(p.c, &each, buf, p.len, p.y));
        e = square(p2p_vec_distance(p2p_view_of(p.x), p2p_view_of(p.y)));
        mean += e / draws;
        squares += e * e / draws;
    }
    room = draws > 1 ? 5 * sqrt(fmax(0, squares - mean * mean) / draws) : 0;
    MUST(mean <= allowed_error(&p, each.scale) + room, "%s on %s, d = %zu: error %g, allowed %g", p.spec,
         kind_names[kind], dim, mean, allowed_error(&p, each.scale));
    p2p_compressor_destroy(&p.c);
}

START_TEST(errors_keep_to_the_constants)
{
    static const int kinds[] = { GAUSS, SPARSE, HEAVY, EQUAL, ONE };

    for (size_t k = 0; k < 5; k++) {
        measure_error((size_t)_i, 8, kinds[k]);
        measure_error((size_t)_i, 40, kinds[k]);
    }
}
END_TEST

/* The mean of 10^4 draws is x within 5 standard errors; what a coordinate never varies in is exact. */
static void
measure_bias(size_t spec, int kind)
{
    enum { DIM = 8, DRAWS = 10000 };
    point p = open_point(spec, DIM, P2P_F64);
    double sum[DIM] = { 0 }, squares[DIM] = { 0 };
    /* A narrow wire format rounds: half a unit of it, relative. */
    double rounding = strstr(p.spec, "vt=bf16") ? 0x1p-8 : 1e-9;
    p2p_env each = env;

    draw(kind, DIM, P2P_F64, 10);
    for (int i = 0; i < DRAWS; i++) {
        each.round = (uint32_t)i;
        each.seed = env.seed + (uint64_t)i;
        MUST_DO(p2p_compressor_encode(p.c, p2p_view_of(p.x), &each, buf, CAP, &p.len));
        MUST_DO(p2p_compressor_decode(p.c, &each, buf, p.len, p.y));
        for (size_t j = 0; j < DIM; j++) {
            sum[j] += (storage_y[j] - storage_x[j]) / DRAWS;
            squares[j] += square(storage_y[j] - storage_x[j]) / DRAWS;
        }
    }
    for (size_t j = 0; j < DIM; j++) {
        double room = 5 * sqrt(fmax(0, squares[j] - square(sum[j])) / DRAWS) + rounding * fabs(storage_x[j]);

        MUST(fabs(sum[j]) <= room, "%s on %s: entry %zu, which is %g, has a mean error of %g, expected within %g",
             p.spec, kind_names[kind], j, storage_x[j], sum[j], room);
    }
    p2p_compressor_destroy(&p.c);
}

START_TEST(unbiased_compressors_are)
{
    static const int kinds[] = { GAUSS, SPARSE, HEAVY, EQUAL };
    point p = open_point((size_t)_i, 8, P2P_F64);
    int unbiased = (p.traits & P2P_UNBIASED) && !(p.traits & P2P_STATEFUL);

    p2p_compressor_destroy(&p.c);
    for (size_t k = 0; k < 4 && unbiased; k++)
        measure_bias((size_t)_i, kinds[k]);
}
END_TEST

/* Payloads of linear compressors add: C(x) + C(z) = C(x + z), whoever sends them. */
START_TEST(linear_compressors_are)
{
    point p = open_point((size_t)_i, 40, P2P_F64);
    p2p_env another = env;
    size_t len;

    another.node = 3;
    if (p.traits & P2P_LINEAR) {
        double first[40], sum[40];
        p2p_vec total = { sum, 40, P2P_F64 };

        memcpy(first, draw(GAUSS, 40, P2P_F64, 11).data, sizeof first);
        MUST_DO(encode(&p));
        p2p_vec_zero(total);
        MUST_DO(p2p_compressor_axpy(p.c, &env, buf, p.len, 0, 1, total));
        draw(HEAVY, 40, P2P_F64, 12);
        MUST_DO(p2p_compressor_encode(p.c, p2p_view_of(p.x), &another, buf, CAP, &len));
        MUST_DO(p2p_compressor_axpy(p.c, &another, buf, len, 0, 1, total));
        for (size_t i = 0; i < 40; i++)
            storage_x[i] += first[i];
        MUST_DO(encode(&p));
        MUST_DO(p2p_compressor_decode(p.c, &env, buf, p.len, p.y));
        MUST(relative_error(40, sum, storage_y) < (strstr(p.spec, "vt=") ? 1e-2 : 1e-14), "%s", p.spec);
    }
    p2p_compressor_destroy(&p.c);
}
END_TEST

/* Whatever comes in through the wire is a real answer for every registered member, not only for those listed. */
START_TEST(every_registered_compressor_is_listed)
{
    for (size_t i = 0; p2p_family_entry(P2P_FAMILY_COMPRESSOR, i) != NULL; i++) {
        const char *name = p2p_family_entry(P2P_FAMILY_COMPRESSOR, i)->name;
        int found = 0;

        for (size_t j = 0; j < compressor_spec_count(); j++)
            found |= strncmp(compressor_spec_at(j), name, strlen(name)) == 0;
        MUST(found, "%s", name);
    }
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("compressor contract");
    TCase *tc = tcase_create("messages");
    int specs = (int)compressor_spec_count();

    tcase_set_timeout(tc, 120);
    tcase_add_loop_test(tc, messages_decode_both_ways, 0, specs);
    tcase_add_loop_test(tc, axpy_is_decode_and_add, 0, specs);
    tcase_add_loop_test(tc, same_seed_same_bytes, 0, specs);
    tcase_add_loop_test(tc, other_nodes_and_rounds_draw_other_numbers, 0, specs);
    tcase_add_loop_test(tc, nan_and_infinity_are_refused, 0, specs);
    tcase_add_loop_test(tc, damaged_messages_are_refused_or_finite, 0, specs);
    tcase_add_loop_test(tc, truncations_are_refused, 0, specs);
    suite_add_tcase(suite, tc);
    tc = tcase_create("constants");
    tcase_set_timeout(tc, 120);
    tcase_add_loop_test(tc, errors_keep_to_the_constants, 0, specs);
    tcase_add_loop_test(tc, unbiased_compressors_are, 0, specs);
    tcase_add_loop_test(tc, linear_compressors_are, 0, specs);
    tcase_add_test(tc, every_registered_compressor_is_listed);
    suite_add_tcase(suite, tc);
    return run_suites(1, &suite);
}
