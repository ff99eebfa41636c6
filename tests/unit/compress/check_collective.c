/* Collective execution gives all nodes one vector: the mean of what each would have sent alone. */
#include "collective_round.h"
#include "runner.h"

#include "compress/collective.h"

#include <math.h>
#include <p2popt/random.h>
#include <stdlib.h>

enum { NODES = 5, D = 1500 };

static double x[NODES][D], y[NODES][D], residual[D], mean[D], own[D];
static uint8_t buffers[NODES][16 * D], lean[16 * D + 100];

static p2p_env
env_of(size_t node)
{
    p2p_env env = { 3, (uint32_t)node, 4, 0, 2.5 };

    return env;
}

static void
draw(p2p_dtype type)
{
    for (size_t node = 0; node < NODES; node++) {
        p2p_random r = p2p_random_open(8, (uint32_t)node, 0, 0);
        double g;

        for (size_t i = 0; i < D; i++) {
            p2p_random_normal(&r, 1, &g);
            p2p_vec_set((p2p_vec){ x[node], D, type }, i, g);
        }
    }
}

static const char *const reducible[] = { "identity", "randk:k=10%,shared=1", "randk:k=30%,shared=1,scale=0",
                                         "binary",   "levels:bits=4",        "sign:norm=none" };

START_TEST(all_nodes_hold_the_mean)
{
    p2p_dtype type = _i % 2 ? P2P_F64 : P2P_F32;
    p2p_shape shape = { D, type, NODES };
    p2p_compressor *c[NODES];
    const p2pi_stage *stages;
    p2p_vec total = { mean, D, P2P_F64 };

    draw(type);
    p2p_vec_zero(total);
    for (size_t j = 0; j < NODES; j++) {
        p2p_env env = env_of(j);
        double decoded[D];
        size_t len;

        ck_ok(p2p_compressor_new(&c[j], reducible[_i / 2], &shape));
        ck_assert_uint_eq(p2pi_collective_stages(c[j], &env, &stages), 1);
        ck_assert(stages[0].reduction == P2PI_REDUCE_SUM && stages[0].bytes <= sizeof buffers[0]);
        ck_ok(p2p_compressor_encode(c[j], (p2p_view){ x[j], D, type }, &env, lean, sizeof lean, &len));
        ck_ok(p2p_compressor_decode(c[j], &env, lean, len, (p2p_vec){ own, D, type }));
        p2p_vec_convert((p2p_vec){ decoded, D, P2P_F64 }, (p2p_view){ own, D, type });
        p2p_vec_axpy(total, 1.0 / NODES, (p2p_view){ decoded, D, P2P_F64 });
        /* Nothing is written beyond the stage's bytes. */
        memset(buffers[j], 0xA5, sizeof buffers[j]);
        ck_ok(p2pi_collective_emit(c[j], 0, (p2p_view){ x[j], D, type }, &env, buffers[j]));
        ck_assert(buffers[j][stages[0].bytes] == 0xA5);
    }
    /* In two segments, as a ring does. */
    for (size_t j = 1; j < NODES; j++) {
        size_t middle = stages[0].count / 2 / 8 * 8;

        p2pi_stage_reduce(&stages[0], type, 0, middle, buffers[0], buffers[j]);
        p2pi_stage_reduce(&stages[0], type, middle, stages[0].count - middle, buffers[0], buffers[j]);
    }
    for (size_t j = 0; j < NODES; j++) {
        p2p_env env = env_of(j);
        p2p_vec rest = { residual, D, type };

        ck_ok(p2pi_collective_absorb(c[j], 0, &env, buffers[0]));
        ck_ok(p2pi_collective_finish(c[j], &env, (p2p_vec){ y[j], D, type }, rest));
        ck_assert_mem_eq(y[0], y[j], D * p2p_dtype_size(type));
        for (size_t i = 0; i < D; i++)
            ck_assert_double_eq_tol(p2p_vec_get((p2p_view){ y[j], D, type }, i), mean[i],
                                    type == P2P_F32 ? 1e-5 : 1e-13);
        if (j == NODES - 1)
            for (size_t i = 0; i < D; i++)
                ck_assert_double_eq_tol(
                    p2p_vec_get(p2p_view_of(rest), i),
                    p2p_vec_get((p2p_view){ x[j], D, type }, i) - p2p_vec_get((p2p_view){ own, D, type }, i), 1e-6);
        p2p_compressor_destroy(&c[j]);
    }
}
END_TEST

START_TEST(others_have_messages_only)
{
    static const char *const specs[] = { "topk",
                                         "randk",
                                         "qsgd",
                                         "sign",
                                         "identity:vt=f16",
                                         "randk:shared=1,send=1",
                                         "scaled(randk:shared=1)",
                                         "ef14(topk)",
                                         "topk:k=5+binary" };
    p2p_shape shape = { D, P2P_F64, NODES };
    p2p_env env = env_of(0);
    const p2pi_stage *stages;
    p2p_compressor *c;

    draw(P2P_F64);
    ck_ok(p2p_compressor_new(&c, specs[_i], &shape));
    ck_assert_uint_eq(p2pi_collective_stages(c, &env, &stages), 1);
    ck_assert(stages[0].reduction == P2PI_REDUCE_NONE);
    ck_fails(p2pi_collective_emit(c, 0, (p2p_view){ x[0], D, P2P_F64 }, &env, buffers[0]), P2P_ENOTSUP,
             "expected a linear or additive one");
    p2p_compressor_destroy(&c);
}
END_TEST

START_TEST(impossible_sums_are_refused)
{
    static const char *const specs[] = { "identity", "binary" };
    p2p_shape shape = { D, P2P_F64, NODES };
    p2p_env env = env_of(0);
    p2p_compressor *c;

    draw(P2P_F64);
    ck_ok(p2p_compressor_new(&c, specs[_i], &shape));
    ck_fails(p2pi_collective_finish(c, &env, (p2p_vec){ y[0], D, P2P_F64 }, (p2p_vec){ NULL, 0, P2P_F64 }),
             P2P_EINVAL, "before anything was absorbed");
    /* All ones: NaN as reals, and 7 votes of 5 nodes. */
    memset(buffers[0], 0xFF, sizeof buffers[0]);
    ck_fails(p2pi_collective_absorb(c, 0, &env, buffers[0]), P2P_EPROTO, "reduced stage");
    p2p_compressor_destroy(&c);
}
END_TEST

/* Schemes of several stages, without what they keep between rounds. */
static const char *const staged[] = {
    "clt:k=10%,beta=0.5",
    "maxnorm:levels=5",
    "maxnorm:levels=20,norm=inf,k=30%",
    "multiscale:levels=3/15/60",
    "multiscale:levels=255/16,k=100,scale=0",
    "powersgd:rank=3,memory=none",
    "powersgd:rows=7,warm=0,memory=none",
    "powersgd+:rank=2,tau=2,memory=none",
    "acpsgd:rank=2,memory=none",
    "greedylore:rank=2,tau=3,memory=none",
    "greedylore:rank=2,rows=100,tau=3,memory=none",
    "powersgd:rank=40,memory=none",
    "sketch:rows=3,cols=10%,k=0",
    "jl:m=90",
    "hdc:rows=30,ratio=3,keys=shared",
    "topk:k=2%+lhc:arith=int",
    "topk:k=2%+lhc:arith=float",
};
enum { STAGED = sizeof staged / sizeof *staged };

/* Every node ends with the same bits: the mean of what each has sent of its own, in every round. */
START_TEST(stages_end_in_the_mean_of_what_was_sent)
{
    p2p_dtype type = _i % 2 ? P2P_F64 : P2P_F32;
    p2p_shape shape = { D, type, NODES };
    static double left[NODES][D];
    p2p_compressor *c[NODES];
    p2p_view in[NODES];
    p2p_vec out[NODES], rest[NODES];

    draw(type);
    for (size_t j = 0; j < NODES; j++) {
        ck_ok(p2p_compressor_new(&c[j], staged[_i / 2], &shape));
        in[j] = (p2p_view){ x[j], D, type };
        out[j] = (p2p_vec){ y[j], D, type };
        rest[j] = (p2p_vec){ left[j], D, type };
    }
    for (uint32_t round = 0; round < 5; round++) {
        p2p_env env = { 3, 0, round, 0, 1 };
        int owes = strncmp(staged[_i / 2], "clt", 3) == 0 && round > 0;

        ck_ok(collective_round(c, NODES, in, env, out, rest, NULL, NULL));
        for (size_t i = 0; i < D && !owes; i++) {
            double sum = 0;

            for (size_t j = 0; j < NODES; j++)
                sum += p2p_vec_get(in[j], i) - p2p_vec_get(p2p_view_of(rest[j]), i);
            ck_assert_double_eq_tol(p2p_vec_get(p2p_view_of(out[0]), i), sum / NODES, type == P2P_F32 ? 2e-4 : 1e-11);
        }
        for (size_t j = 1; j < NODES; j++)
            ck_assert_mem_eq(y[0], y[j], D * p2p_dtype_size(type));
    }
    for (size_t j = 0; j < NODES; j++)
        p2p_compressor_destroy(&c[j]);
}
END_TEST

/* memory=own, clt: what a node still owes is what its part has left. */
START_TEST(own_memory_is_what_was_left)
{
    static const char *const specs[] = { "powersgd:rank=3,memory=own", "powersgd+:rank=2,tau=2,memory=own",
                                         "acpsgd:rank=2,memory=own", "greedylore:rank=2,tau=3,memory=own",
                                         "clt:k=5%" };
    p2p_shape shape = { D, P2P_F64, NODES };
    static double left[NODES][D];
    p2p_compressor *c[NODES];
    p2p_view in[NODES];
    p2p_vec out[NODES], rest[NODES];

    draw(P2P_F64);
    for (size_t j = 0; j < NODES; j++) {
        ck_ok(p2p_compressor_new(&c[j], specs[_i], &shape));
        in[j] = (p2p_view){ x[j], D, P2P_F64 };
        out[j] = (p2p_vec){ y[j], D, P2P_F64 };
        rest[j] = (p2p_vec){ left[j], D, P2P_F64 };
    }
    for (uint32_t round = 0; round < 4; round++) {
        ck_ok(collective_round(c, NODES, in, (p2p_env){ 3, 0, round, 0, 1 }, out, rest, NULL, NULL));
        for (size_t j = 0; j < NODES; j++)
            ck_assert_double_le(
                p2p_vec_distance(p2p_view_of(p2pi_compressor_codec(c[j])->plan.state[0].value), p2p_view_of(rest[j])),
                1e-12);
    }
    for (size_t j = 0; j < NODES; j++)
        p2p_compressor_destroy(&c[j]);
}
END_TEST

/* The second exchange of a sketch: exact means at the heavy hitters. */
START_TEST(a_second_exchange_is_exact)
{
    p2p_shape shape = { D, P2P_F64, NODES };
    p2p_compressor *c[NODES];
    p2p_view in[NODES];
    p2p_vec out[NODES];
    size_t kept = 0;

    draw(P2P_F64);
    for (size_t j = 0; j < NODES; j++) {
        ck_ok(p2p_compressor_new(&c[j], "sketch:rows=5,cols=20%,k=20,second=1", &shape));
        in[j] = (p2p_view){ x[j], D, P2P_F64 };
        out[j] = (p2p_vec){ y[j], D, P2P_F64 };
    }
    ck_ok(collective_round(c, NODES, in, (p2p_env){ 3, 0, 0, 0, 1 }, out, NULL, NULL, NULL));
    for (size_t i = 0; i < D; i++) {
        double sum = 0;

        for (size_t j = 0; j < NODES; j++)
            sum += x[j][i];
        kept += y[0][i] != 0;
        if (y[0][i] != 0)
            ck_assert_double_eq_tol(y[0][i], sum / NODES, 1e-14);
    }
    ck_assert_uint_eq(kept, 20);
    for (size_t j = 0; j < NODES; j++)
        p2p_compressor_destroy(&c[j]);
}
END_TEST

/* Sums of integers have no rounding: the mean of vectors on a grid is exact, whatever the order. */
START_TEST(lhc_loses_nothing)
{
    p2p_shape shape = { D, P2P_F32, NODES };
    p2p_compressor *c[NODES];
    p2p_view in[NODES];
    p2p_vec out[NODES];

    for (size_t j = 0; j < NODES; j++) {
        ck_ok(p2p_compressor_new(&c[j], "topk:k=30+lhc:strict=1", &shape));
        in[j] = (p2p_view){ x[j], D, P2P_F32 };
        out[j] = (p2p_vec){ y[j], D, P2P_F32 };
        memset(x[j], 0, sizeof x[j]);
        for (size_t i = 0; i < 30; i++)
            p2p_vec_set((p2p_vec){ x[j], D, P2P_F32 }, (37 * i + 11 * j * i) % D,
                        ldexp(3 + 2 * (double)i, (int)i - 20));
    }
    ck_ok(collective_round(c, NODES, in, (p2p_env){ 3, 0, 0, 0, 1 }, out, NULL, NULL, NULL));
    for (size_t i = 0; i < D; i++) {
        double sum = 0;

        for (size_t j = 0; j < NODES; j++)
            sum += p2p_vec_get(in[j], i);
        ck_assert(p2p_vec_get(p2p_view_of(out[0]), i) == (double)(float)(sum / NODES));
    }
    for (size_t j = 0; j < NODES; j++)
        p2p_compressor_destroy(&c[j]);
}
END_TEST

/* What no nodes can have sent: stage by stage, all ones. */
START_TEST(impossible_stages_are_refused)
{
    p2p_shape shape = { D, P2P_F64, NODES };
    p2p_env env = env_of(0);
    const p2pi_stage *stages;
    p2p_compressor *c;
    size_t count;

    draw(P2P_F64);
    ck_ok(p2p_compressor_new(&c, staged[_i], &shape));
    count = p2pi_collective_stages(c, &env, &stages);
    ck_fails(p2pi_collective_finish(c, &env, (p2p_vec){ y[0], D, P2P_F64 }, (p2p_vec){ NULL, 0, P2P_F64 }),
             P2P_EINVAL, "finish before");
    for (size_t s = 0; s < count; s++) {
        /* What fills its one bit is never too large. */
        int full = stages[s].width == 1;

        ck_assert_uint_le(stages[s].bytes, sizeof buffers[0]);
        ck_ok(p2pi_collective_emit(c, s, (p2p_view){ x[0], D, P2P_F64 }, &env, buffers[0]));
        memset(buffers[1], 0xFF, sizeof buffers[1]);
        if (!full)
            ck_assert_int_eq(p2pi_collective_absorb(c, s, &env, buffers[1]), P2P_EPROTO);
        ck_ok(p2pi_collective_absorb(c, s, &env, buffers[0]));
    }
    p2p_compressor_destroy(&c);
}
END_TEST

/* Maxima and minima, for schemes that agree on a scale first. */
START_TEST(maxima_and_minima)
{
    static const p2pi_reduction ops[] = { P2PI_REDUCE_MAX, P2PI_REDUCE_MIN };
    double a[3] = { 1, -2, 5 }, b[3] = { 0, 7, 5 };
    uint8_t integers[2] = { 0x12, 0x34 };
    const uint8_t others[2] = { 0x31, 0x25 };
    p2pi_stage reals = { ops[_i], 3, 0, 24 }, fields = { ops[_i], 4, 4, 2 };

    p2pi_stage_reduce(&reals, P2P_F64, 0, 3, (uint8_t *)a, (const uint8_t *)b);
    ck_assert(a[0] == (_i ? 0 : 1) && a[1] == (_i ? -2 : 7) && a[2] == 5);
    p2pi_stage_reduce(&fields, P2P_F64, 0, 4, integers, others);
    ck_assert_uint_eq(integers[0], _i ? 0x11 : 0x32);
    ck_assert_uint_eq(integers[1], _i ? 0x24 : 0x35);
}
END_TEST

Suite *
collective_suite(void)
{
    Suite *suite = suite_create("collective");
    TCase *tc = tcase_create("stages");

    tcase_add_loop_test(tc, all_nodes_hold_the_mean, 0, 12);
    tcase_add_loop_test(tc, others_have_messages_only, 0, 9);
    tcase_add_loop_test(tc, impossible_sums_are_refused, 0, 2);
    tcase_add_loop_test(tc, maxima_and_minima, 0, 2);
    tcase_add_loop_test(tc, stages_end_in_the_mean_of_what_was_sent, 0, 2 * STAGED);
    tcase_add_loop_test(tc, own_memory_is_what_was_left, 0, 5);
    tcase_add_test(tc, a_second_exchange_is_exact);
    tcase_add_test(tc, lhc_loses_nothing);
    tcase_add_loop_test(tc, impossible_stages_are_refused, 0, STAGED);
    suite_add_tcase(suite, tc);
    return suite;
}
