/* Fields written straight from the entries: the bytes that the list of symbols gives, or a refusal to write them. */
#include "runner.h"

#include "base/arena.h"
#include "compress/pipeline/pipeline.h"

#include <p2popt/random.h>
#include <stdlib.h>

enum { D = 5000 };

enum { GAUSS, POSITIVE, NEGATIVE, SPARSE_AFTER_A_CHUNK, POSITIVE_AFTER_A_CHUNK };

static double values[D];

static void
fill(int kind)
{
    p2p_random r = p2p_random_open(8, (uint32_t)kind, 0, 0);

    p2p_random_normal(&r, D, values);
    for (size_t i = 0; i < D; i++) {
        if (kind == POSITIVE || (kind == POSITIVE_AFTER_A_CHUNK && i >= 1024))
            values[i] = fabs(values[i]);
        else if (kind == NEGATIVE)
            values[i] = -fabs(values[i]);
        else if (kind == SPARSE_AFTER_A_CHUNK && i >= 1024)
            values[i] = i % 100 == 0 ? values[i] : 0;
    }
}

static const struct {
    const char *spec;
    int kind;
    int written; /* by the way without a list */
} cases[] = {
    { "sign", GAUSS, 1 },
    { "sign", NEGATIVE, 1 },
    { "sign", POSITIVE, 1 }, /* no bits at all */
    { "sign", POSITIVE_AFTER_A_CHUNK, 1 },
    { "sign:code=gamma", GAUSS, 0 },
    { "topk:k=4000+sign", GAUSS, 1 },
    { "binary", GAUSS, 1 },
    { "levels:bits=4,code=fixed", GAUSS, 1 },
    { "levels:bits=4,code=fixed", POSITIVE, 1 },
    { "qinf:bits=4,code=fixed", POSITIVE, 1 }, /* 16, 5 bits */
    { "qinf:bits=4,code=fixed", NEGATIVE, 1 }, /* 15: narrower than the widest */
    { "qinf:bits=1,code=fixed,round=near", NEGATIVE, 1 },
    { "qinf:bits=2,code=fixed,dither=8,bucket=1000", GAUSS, 1 },
    { "qinf:bits=2,code=fixed,dither=16,bucket=1500", SPARSE_AFTER_A_CHUNK, 1 },
    { "qinf:bits=9,code=fixed", GAUSS, 1 },
    { "qsgd:levels=5000,code=fixed", POSITIVE, 1 }, /* 14 bits */
    { "fp", GAUSS, 1 },
    { "fp:type=bf16", POSITIVE, 1 }, /* 16, 15 bits */
    { "fp:type=e4m3,code=fixed", NEGATIVE, 1 },
    { "qsgd:levels=20000,norm=inf,code=fixed", SPARSE_AFTER_A_CHUNK, 1 },
    { "qinf:bits=18,code=fixed", GAUSS, 0 }, /* wide */
    { "qsgd:levels=100,code=fixed", GAUSS, 1 },
    { "qsgd:levels=7,norm=inf", SPARSE_AFTER_A_CHUNK, 0 },
};

static void
check_case(const char *spec, int written, p2p_dtype type, const void *data)
{
    p2p_shape shape = { D, type, 1 };
    p2p_env env = { .seed = 2, .node = 1, .round = 7, .scale = 4 };
    p2pi_pipeline_content m;
    p2pi_arena *arena;
    p2pi_codec *c;
    uint8_t *straight, *listed;
    size_t straight_len = 0, listed_len;

    ck_ok(p2pi_arena_new(&arena));
    ck_ok(p2pi_codec_open(&c, spec, &shape, arena));
    straight = malloc(c->plan.bound);
    listed = malloc(c->plan.bound);
    ck_ok(p2pi_pipeline_prepare(c->work, (p2p_view){ data, D, type }, &env, &m));
    ck_assert_int_eq(p2pi_pipeline_write_fields(c->work, &env, &m, D, straight, &straight_len), written);
    p2pi_pipeline_write_symbols(c->work, &env, &m, D, listed, &listed_len);
    if (written) {
        ck_assert_uint_eq(straight_len, listed_len);
        ck_assert_mem_eq(straight, listed, listed_len);
    }
    free(straight);
    free(listed);
    p2pi_arena_destroy(&arena);
}

START_TEST(fields_are_those_of_the_list)
{
    static float floats[D];

    fill(cases[_i].kind);
    for (size_t i = 0; i < D; i++)
        floats[i] = (float)values[i];
    check_case(cases[_i].spec, cases[_i].written, P2P_F64, values);
    check_case(cases[_i].spec, cases[_i].written, P2P_F32, floats);
}
END_TEST

Suite *
pipeline_fields_suite(void)
{
    Suite *suite = suite_create("pipeline fields");
    TCase *tc = tcase_create("fields");

    tcase_add_loop_test(tc, fields_are_those_of_the_list, 0, sizeof cases / sizeof *cases);
    suite_add_tcase(suite, tc);
    return suite;
}
