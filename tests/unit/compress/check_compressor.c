/* The public door: constants, bits as papers count, memory, the zero rule, arguments that do not fit. */
#include "runner.h"

#include <math.h>
#include <p2popt/compressor.h>
#include <p2popt/random.h>
#include <stdlib.h>

enum { D = 20, CAP = 4096 };

static const p2p_env env = { 11, 3, 5, 0, 0.5 };
static uint8_t buf[CAP], frame[CAP];
static double x[D], y[D], z[D];

static p2p_view
view(const double *data)
{
    return (p2p_view){ data, D, P2P_F64 };
}

static p2p_vec
vec(double *data)
{
    return (p2p_vec){ data, D, P2P_F64 };
}

static p2p_compressor *
open_spec(const char *spec, size_t dim, p2p_dtype type)
{
    p2p_shape shape = { dim, type, 8 };
    p2p_compressor *c;

    ck_ok(p2p_compressor_new(&c, spec, &shape));
    return c;
}

static void
draw(uint32_t seed)
{
    p2p_random r = p2p_random_open(seed, 0, 0, 0);

    p2p_random_normal(&r, D, x);
}

static size_t
encode(p2p_compressor *c, const double *from)
{
    size_t len;

    ck_ok(p2p_compressor_encode(c, view(from), &env, buf, CAP, &len));
    return len;
}

START_TEST(constants)
{
    static const struct {
        const char *spec;
        unsigned traits;
        double omega, delta, error2;
    } cases[] = {
        { "identity", P2P_UNBIASED | P2P_CONTRACTIVE | P2P_LINEAR | P2P_LOSSLESS, 0, 1, NAN },
        { "topk:k=5", P2P_CONTRACTIVE | P2P_SPARSE, NAN, 0.25, NAN },
        { "randk:k=5", P2P_UNBIASED | P2P_SPARSE | P2P_RANDOM | P2P_SHARED, 3, NAN, NAN },
        { "randk:k=5,scale=0,shared=1,send=1", P2P_CONTRACTIVE | P2P_SPARSE | P2P_RANDOM | P2P_LINEAR, NAN, 0.25,
          NAN },
        { "sign", P2P_CONTRACTIVE, NAN, 0.05, NAN },
        { "sign:norm=l2", 0, NAN, NAN, NAN },
        { "sign:norm=none", P2P_ADDITIVE, NAN, NAN, NAN },
        { "qsgd:levels=1", P2P_UNBIASED | P2P_RANDOM, 4.4721359549995796, NAN, NAN },
        { "qsgd:levels=4,bucket=5", P2P_UNBIASED | P2P_RANDOM, 0.078125, NAN, NAN },
        { "qsgd:norm=inf,round=near,levels=2", P2P_CONTRACTIVE, NAN, 16.0 / 35, NAN },
        { "qsgd:round=floor", 0, NAN, NAN, NAN },
        { "qinf:bits=2", P2P_UNBIASED | P2P_RANDOM, 1.25, NAN, NAN },
        { "binary", P2P_ABSOLUTE | P2P_ADDITIVE, NAN, NAN, 5 },
        { "levels:bits=2", P2P_ABSOLUTE | P2P_ADDITIVE, NAN, NAN, 1.25 },
        { "topk:k=5+sign", P2P_CONTRACTIVE | P2P_SPARSE, NAN, 0.05, NAN },
        { "topk:k=5+qsgd:levels=4", P2P_CONTRACTIVE | P2P_SPARSE | P2P_RANDOM, NAN, 0.25 * (1 - 5 / 64.0), NAN },
        { "topk:k=5+qsgd:levels=1", P2P_SPARSE | P2P_RANDOM, NAN, NAN, NAN },
        { "randk:k=5+qsgd:levels=4", P2P_UNBIASED | P2P_SPARSE | P2P_RANDOM | P2P_SHARED, 4 * (1 + 5 / 64.0) - 1, NAN,
          NAN },
        { "scaled(randk:k=5)", P2P_CONTRACTIVE | P2P_SPARSE | P2P_RANDOM | P2P_SHARED, NAN, 0.25, NAN },
        { "scaled(randk:k=5,a=0.125)", P2P_CONTRACTIVE | P2P_SPARSE | P2P_RANDOM | P2P_SHARED, NAN, 0.1875, NAN },
        { "scaled(randk:k=5,a=0.6)", P2P_SPARSE | P2P_RANDOM | P2P_SHARED, NAN, NAN, NAN },
        { "scaled(topk:k=5+qsgd:levels=1)", P2P_CONTRACTIVE | P2P_SPARSE | P2P_RANDOM, NAN, 0.25 / 2.25, NAN },
        { "ef14(topk:k=5)", P2P_STATEFUL | P2P_SPARSE, NAN, 0.25, NAN },
        { "ef21(qinf:bits=2)", P2P_STATEFUL | P2P_TRACKED | P2P_RANDOM, 1.25, NAN, NAN },
    };
    p2p_compressor *c = open_spec(cases[_i].spec, D, P2P_F64);
    const p2p_compressor_constants *k = p2p_compressor_constants_of(c);

    ck_assert_msg(k->traits == cases[_i].traits, "%s: traits %x, expected %x", cases[_i].spec, k->traits,
                  cases[_i].traits);
#define SAME(field)                                                                                                  \
    ck_assert_msg(isnan(cases[_i].field) ? isnan(k->field) : fabs(k->field - cases[_i].field) < 1e-12,               \
                  "%s: " #field " %g, expected %g", cases[_i].spec, k->field, cases[_i].field)
    SAME(omega);
    SAME(delta);
    SAME(error2);
#undef SAME
    p2p_compressor_destroy(&c);
}
END_TEST

/* The formulas of the published tables: v bits a real, indices in ceil(log2 d) bits, codes in fixed width. */
START_TEST(nominal_bits)
{
    static const struct {
        const char *spec;
        p2p_dtype type;
        double bits, zero;
    } cases[] = {
        { "identity", P2P_F64, 64 * D, 64 * D },
        { "identity", P2P_F32, 32 * D, 32 * D },
        { "topk:k=2", P2P_F64, 2 * (64 + 5), 2 * (64 + 5) },
        { "randk:k=4", P2P_F64, 4 * 64, 4 * 64 },
        { "sign-l1", P2P_F64, D + 64, D + 64 },
        { "qinf:bits=2", P2P_F64, D * 3 + 64, 64 },
        { "qinf:bits=4", P2P_F32, D * 5 + 32, 32 },
        { "qsgd:levels=16,bucket=8", P2P_F64, D * 6 + 3 * 64, 3 * 64 },
        { "binary", P2P_F64, D, D },
        { "uniform:bits=3", P2P_F64, 3 * D, 3 * D },
        { "topk:k=4+qinf:bits=2", P2P_F64, 4 * 5 + 4 * 3 + 64, 4 * 5 + 64 },
        { "scaled(qinf:bits=2)", P2P_F64, D * 3 + 64, 64 },
        { "ef14(sign)", P2P_F64, D + 64, D + 64 },
    };
    p2p_compressor *c = open_spec(cases[_i].spec, D, cases[_i].type);
    float small[D];
    p2p_vec input = { cases[_i].type == P2P_F32 ? (void *)small : (void *)x, D, cases[_i].type };
    size_t len;

    p2p_vec_fill(input, 1);
    ck_ok(p2p_compressor_encode(c, p2p_view_of(input), &env, buf, CAP, &len));
    ck_assert(p2p_compressor_nominal_bits(c, buf, len) == cases[_i].bits);
    ck_assert(p2p_compressor_constants_of(c)->bits_nominal == cases[_i].bits);
    p2p_compressor_destroy(&c);
    c = open_spec(cases[_i].spec, D, cases[_i].type);
    p2p_vec_zero(input);
    ck_ok(p2p_compressor_encode(c, p2p_view_of(input), &env, buf, CAP, &len));
    ck_assert(p2p_compressor_nominal_bits(c, buf, len) == cases[_i].zero);
    p2p_compressor_destroy(&c);
}
END_TEST

START_TEST(ef14_sends_everything_in_the_end)
{
    static const char *const specs[] = { "ef14(topk:k=2)", "ef14(sign)", "ef14(scaled(randk:k=4))",
                                         "ef14(topk:k=5+sign)" };
    p2p_compressor *c = open_spec(specs[_i], D, P2P_F64);
    const char *name;
    p2p_vec memory;

    draw(1);
    p2p_vec_zero(vec(y));
    for (int round = 0; round < 30; round++) {
        size_t len = encode(c, x);

        ck_ok(p2p_compressor_axpy(c, &env, buf, len, 0, 1, vec(y)));
    }
    ck_assert_int_eq(p2p_compressor_state(c, 0, &name, &memory), 1);
    ck_assert_str_eq(name, "e");
    ck_assert_int_eq(p2p_compressor_state(c, 1, &name, &memory), 0);
    p2p_compressor_state(c, 0, &name, &memory);
    for (size_t i = 0; i < D; i++)
        ck_assert_double_eq_tol(y[i] + p2p_vec_get(p2p_view_of(memory), i), 30 * x[i], 1e-11);
    p2p_compressor_destroy(&c);
}
END_TEST

START_TEST(ef21_reaches_a_vector_that_stays)
{
    p2p_compressor *sender = open_spec("ef21(topk:k=3)", D, P2P_F64);
    p2p_compressor *receiver = open_spec("ef21(topk:k=3)", D, P2P_F64);

    draw(2);
    for (int round = 0; round < 40; round++)
        ck_ok(p2p_compressor_decode(receiver, &env, buf, encode(sender, x), vec(y)));
    ck_assert(relative_error(D, y, x) < 1e-15);
    p2p_compressor_destroy(&sender);
    p2p_compressor_destroy(&receiver);
}
END_TEST

START_TEST(refused_input_leaves_memory_alone)
{
    static const char *const specs[] = { "ef14(topk:k=3)", "ef21(topk:k=3)" };
    p2p_compressor *c = open_spec(specs[_i], D, P2P_F64);
    double before[D];
    const char *name;
    p2p_vec memory;
    size_t len;

    draw(3);
    encode(c, x);
    ck_assert(p2p_compressor_state(c, 0, &name, &memory));
    memcpy(before, memory.data, sizeof before);
    x[4] = INFINITY;
    ck_fails(p2p_compressor_encode(c, view(x), &env, buf, CAP, &len), P2P_EINVAL, "entry 4 is not finite");
    ck_assert_uint_eq(len, 0);
    ck_assert_mem_eq(memory.data, before, sizeof before);
    p2p_compressor_destroy(&c);
}
END_TEST

/* A sender that adds huge numbers round after round must not make a receiver's copy infinite. */
START_TEST(ef21_refuses_to_overflow)
{
    p2p_compressor *c = open_spec("ef21(topk:k=20)", D, P2P_F64);
    uint8_t huge[CAP];
    size_t len;

    p2p_vec_fill(vec(x), 1.7e308);
    len = encode(c, x);
    memcpy(huge, buf, len);
    ck_ok(p2p_compressor_decode(c, &env, huge, len, vec(y)));
    ck_ok(p2p_compressor_check(c, &env, huge, len));
    p2p_vec_fill(vec(z), 7);
    ck_fails(p2p_compressor_decode(c, &env, huge, len, vec(z)), P2P_EPROTO, "would not be finite");
    ck_assert(z[0] == 7 && z[D - 1] == 7);
    p2p_compressor_destroy(&c);
}
END_TEST

START_TEST(zero_is_one_byte)
{
    static const char *const specs[] = { "topk:k=3",      "randk:k=3",         "sign",       "qsgd",      "qinf",
                                         "topk:k=3+qsgd", "scaled(randk:k=3)", "ef14(sign)", "ef21(qinf)" };
    p2p_compressor *c = open_spec(specs[_i], D, P2P_F64);
    size_t len, frame_len;

    p2p_vec_zero(vec(x));
    x[3] = -0.0;
    x[4] = 5e-324;
    len = encode(c, x);
    ck_assert_uint_eq(len, 1);
    ck_assert_uint_eq(buf[0], 8);
    ck_ok(p2p_compressor_frame(c, &env, buf, len, frame, CAP, &frame_len));
    ck_assert_uint_eq(frame_len, 16);
    p2p_vec_fill(vec(y), 1);
    ck_ok(p2p_compressor_decode(c, &env, buf, len, vec(y)));
    ck_assert(p2p_vec_norminf(view(y)) == 0);
    p2p_compressor_destroy(&c);
}
END_TEST

/* Payloads that add must not change their form for a zero. */
START_TEST(fixed_layouts_have_no_zero_message)
{
    static const char *const specs[] = { "identity", "randk:k=3,shared=1", "sign:norm=none", "binary", "levels" };
    p2p_compressor *c = open_spec(specs[_i], D, P2P_F64);
    const uint8_t zero = 8;

    p2p_vec_zero(vec(x));
    ck_assert_uint_gt(encode(c, x), 1);
    ck_fails(p2p_compressor_check(c, &env, &zero, 1), P2P_EPROTO, "flags 0x08");
    p2p_compressor_destroy(&c);
}
END_TEST

/* What rounds to zero is zero: the reals of a short format, a quantiser that rounds down. */
START_TEST(vectors_that_decode_to_zero_are_zero)
{
    static const char *const specs[] = { "topk:k=3,vt=f16", "randk:k=3,vt=f16", "qsgd:levels=1,round=floor" };
    p2p_compressor *c = open_spec(specs[_i], D, P2P_F64);

    p2p_vec_fill(vec(x), 1e-9);
    ck_assert_uint_eq(encode(c, x), 1);
    p2p_compressor_destroy(&c);
}
END_TEST

START_TEST(numbers_that_do_not_fit_are_refused)
{
    static const struct {
        const char *spec;
        double entry;
        const char *why;
    } cases[] = {
        { "topk:k=2,vt=f16", 1e5, "value 100000 does not fit the wire format f16" },
        { "identity:vt=f32", 1e39, "value 1e+39 does not fit the wire format f32" },
        { "qsgd:vt=f16", 65504, "does not fit a scale in f16" },
        { "qsgd", 1.7e308, "does not fit a scale in f64" },
        /* a third of the largest number, three times over, is infinite */
        { "qsgd:levels=3,norm=inf", 1.7976931348623157e308, "does not fit a scale in f64" },
        { "sign", 1.7e308, "does not fit a scale in f64" },
        { "qinf:vt=bf16", 3.4e38, "does not fit a scale in bf16" },
    };
    p2p_compressor *c = open_spec(cases[_i].spec, D, P2P_F64);
    size_t len;

    p2p_vec_fill(vec(x), cases[_i].entry);
    ck_fails(p2p_compressor_encode(c, view(x), &env, buf, CAP, &len), P2P_EINVAL, cases[_i].why);
    p2p_compressor_destroy(&c);
}
END_TEST

START_TEST(a_scale_of_the_round_is_checked)
{
    static const double bad[] = { 0, -1, NAN, INFINITY, 1e-320 };
    static const char *const specs[] = { "binary", "levels", "sign:norm=none" };
    p2p_compressor *c = open_spec(specs[_i % 3], D, P2P_F64);
    p2p_env wrong = env;
    size_t len;

    draw(5);
    len = encode(c, x);
    wrong.scale = bad[_i / 3];
    ck_fails(p2p_compressor_decode(c, &wrong, buf, len, vec(y)), P2P_EINVAL, "of the round: expected a positive");
    ck_fails(p2p_compressor_encode(c, view(x), &wrong, buf, CAP, &len), P2P_EINVAL, "of the round");
    p2p_compressor_destroy(&c);
}
END_TEST

/* A layer's rows and columns are the matrix that a low-rank compressor sees. */
START_TEST(layers_are_matrices)
{
    static const char *const specs[] = { "layers(lowrank:rank=1,sizes=10x4/60)", "lowrank:rank=1,rows=10" };
    p2p_env env = { 1, 0, 0, 0, 1 };
    double x[100], y[2][100];
    uint8_t bytes[4096];
    p2p_random r = p2p_random_open(1, 0, 0, 0);

    p2p_random_normal(&r, 100, x);
    for (size_t i = 0; i < 2; i++) {
        p2p_shape shape = { i == 0 ? 100 : 40, P2P_F64, 1 };
        p2p_compressor *c;
        size_t len;

        ck_ok(p2p_compressor_new(&c, specs[i], &shape));
        ck_ok(p2p_compressor_encode(c, (p2p_view){ x, shape.dim, P2P_F64 }, &env, bytes, sizeof bytes, &len));
        ck_ok(p2p_compressor_decode(c, &env, bytes, len, (p2p_vec){ y[i], shape.dim, P2P_F64 }));
        p2p_compressor_destroy(&c);
    }
    ck_assert_mem_eq(y[0], y[1], 40 * sizeof(double));
}
END_TEST

START_TEST(arguments_must_fit)
{
    p2p_compressor *c = open_spec("topk:k=3", D, P2P_F64);
    p2p_view narrow = { x, D - 1, P2P_F64 };
    p2p_vec other = { y, D, P2P_F32 };
    size_t len, n = p2p_compressor_bound(c);

    draw(6);
    ck_fails(p2p_compressor_encode(c, narrow, &env, buf, CAP, &len), P2P_EINVAL,
             "a vector of 19 f64: expected 20 f64");
    ck_fails(p2p_compressor_encode(c, view(x), &env, buf, n - 1, &len), P2P_ENOSPC, "expected at least");
    ck_ok(p2p_compressor_encode(c, view(x), &env, buf, n, &len));
    ck_fails(p2p_compressor_decode(c, &env, buf, len, other), P2P_EINVAL, "a vector of 20 f32: expected 20 f64");
    ck_fails(p2p_compressor_frame(c, &env, buf, len, frame, len + P2P_FRAME_EXTRA - 1, &len), P2P_ENOSPC, "expected");
    ck_fails(p2p_compressor_decode(c, &env, buf, 0, vec(y)), P2P_EPROTO, "empty");
    p2p_compressor_destroy(&c);
    p2p_compressor_destroy(&c);
}
END_TEST

/* A frame tells what it is: of another compressor, dimension, type or parameter it is refused with the reason. */
START_TEST(frames_of_another_configuration_are_refused)
{
    static const struct {
        const char *spec;
        size_t dim;
        p2p_dtype type;
        const char *why;
    } others[] = {
        { "topk:k=3", D, P2P_F64, "family 23 with 0 inside: expected 2 with 0" },
        { "qinf", D, P2P_F64, "family 23" },
        { "qsgd", D + 1, P2P_F64, "dimension 20: expected 21" },
        { "qsgd", D, P2P_F32, "types 0x11: expected 0x00" },
        { "qsgd:vt=f16", D, P2P_F64, "types 0x11: expected 0x21" },
        { "qsgd:levels=5", D, P2P_F64, "parameter is not that of the configuration" },
        { "qsgd:bucket=5", D, P2P_F64, "parameter is not that of the configuration" },
    };
    p2p_compressor *c = open_spec("qsgd", D, P2P_F64);
    p2p_compressor *other = open_spec(others[_i].spec, others[_i].dim, others[_i].type);
    size_t len, frame_len;

    draw(7);
    len = encode(c, x);
    ck_ok(p2p_compressor_frame(c, &env, buf, len, frame, CAP, &frame_len));
    ck_ok(p2p_compressor_unframe(c, &env, frame, frame_len, buf, CAP, &len));
    ck_fails(p2p_compressor_unframe(other, &env, frame, frame_len, buf, CAP, &len), P2P_EPROTO, others[_i].why);
    p2p_compressor_destroy(&c);
    p2p_compressor_destroy(&other);
}
END_TEST

Suite *
compressor_suite(void)
{
    Suite *suite = suite_create("compressor");
    TCase *tc = tcase_create("door");

    tcase_add_loop_test(tc, constants, 0, 24);
    tcase_add_loop_test(tc, nominal_bits, 0, 13);
    tcase_add_loop_test(tc, ef14_sends_everything_in_the_end, 0, 4);
    tcase_add_test(tc, ef21_reaches_a_vector_that_stays);
    tcase_add_loop_test(tc, refused_input_leaves_memory_alone, 0, 2);
    tcase_add_test(tc, ef21_refuses_to_overflow);
    tcase_add_loop_test(tc, zero_is_one_byte, 0, 9);
    tcase_add_loop_test(tc, fixed_layouts_have_no_zero_message, 0, 5);
    tcase_add_loop_test(tc, vectors_that_decode_to_zero_are_zero, 0, 3);
    tcase_add_loop_test(tc, numbers_that_do_not_fit_are_refused, 0, 7);
    tcase_add_loop_test(tc, a_scale_of_the_round_is_checked, 0, 15);
    tcase_add_test(tc, layers_are_matrices);
    tcase_add_test(tc, arguments_must_fit);
    tcase_add_loop_test(tc, frames_of_another_configuration_are_refused, 0, 7);
    suite_add_tcase(suite, tc);
    return suite;
}
