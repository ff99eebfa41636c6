/* Spec texts: canonical forms, other names, and sentences that say what is allowed. */
#include "runner.h"

#include "base/spec.h"
#include "compress/compressor_registry.h"
#include "compress/layered_spec.h"

#include <p2popt/compressor.h>

static const p2p_shape shape = { 100, P2P_F64, 4 };

START_TEST(canonical_texts)
{
    static const char *const texts[][2] = {
        { "topk", "topk" },
        { "topk:k=1%", "topk" },
        { "topk:k=5,index=gamma", "topk:k=5,index=gamma" },
        { "qinf:bits=2,code=elias", "qinf:code=gamma" },
        { "qsgd:code=gamma,levels=4", "qsgd:levels=4,code=gamma" },
        { "sign-l1", "sign" },
        { "sign-l1:code=fixed", "sign:code=fixed" },
        { "uniform:bits=4", "levels:bits=4" },
        { "uniform", "levels" },
        { "topk:k=10%+qinf:bits=4", "topk:k=10%+qinf:bits=4" },
        { "topk:k=10%+sign-l1", "topk:k=10%+sign" },
        { "scaled(randk:k=10%)", "scaled(randk:k=10%)" },
        { "scaled(randk:k=10%,a=0.5)", "scaled(randk:k=10%,a=0.5)" },
        { "scaled(randk:k=10%,a=0.5,shared=1)", "scaled(randk:k=10%,shared=1,a=0.5)" },
        { "scaled(randk,k=10%)", "scaled(randk:k=10%)" },
        { "scaled(topk:k=5%+qsgd:levels=1)", "scaled(topk:k=5%+qsgd:levels=1)" },
        { "ef14(scaled(qinf:bits=1,a=auto))", "ef14(scaled(qinf:bits=1))" },
        { "ef21(topk:k=3)", "ef21(topk:k=3)" },
        { "topk:k=5%+lhc", "lhc(topk:k=5%)" },
        { "topk:k=5%+qsgd:levels=4+lhc:cells=2,strict=1", "lhc(topk:k=5%+qsgd:levels=4,cells=2,strict=1)" },
        { "ef14(topk:k=5%+lhc:cells=2)", "ef14(lhc(topk:k=5%,cells=2))" },
        { "scaled(randk)+lhc", "lhc(scaled(randk))" },
    };
    p2p_compressor *c;
    char again[256];

    ck_ok(p2p_compressor_new(&c, texts[_i][0], &shape));
    ck_assert_str_eq(p2p_compressor_spec(c), texts[_i][1]);
    ck_ok(p2pi_compressor_canonical(p2p_compressor_spec(c), again, sizeof again));
    ck_assert_str_eq(again, texts[_i][1]);
    p2p_compressor_destroy(&c);
}
END_TEST

/* Who goes by layers and does not say which, gets the problem's. */
START_TEST(layers_without_sizes_get_them)
{
    static const char *const texts[][2] = {
        { "topk", "topk" },
        { "layers(topk:k=5%)", "layers(topk:k=5%,sizes=8x10/20)" },
        { "layers(topk,sizes=50/50)", "layers(topk,sizes=50/50)" },
        { "ef14(layers(sign,dense=30))", "ef14(layers(sign,sizes=8x10/20,dense=30))" },
        { "induced(layers(sign),layers(qsgd,sizes=100))",
          "induced(layers(sign,sizes=8x10/20),layers(qsgd,sizes=100))" },
    };
    p2p_compressor *c;
    char text[256], sizes[300];

    ck_ok(p2pi_compressor_layered(texts[_i][0], "8x10/20", text, sizeof text));
    ck_assert_str_eq(text, texts[_i][1]);
    ck_ok(p2p_compressor_new(&c, text, &shape));
    p2p_compressor_destroy(&c);
    memset(sizes, '1', sizeof sizes);
    sizes[sizeof sizes - 1] = '\0';
    if (_i == 1)
        ck_fails(p2pi_compressor_layered(texts[_i][0], sizes, text, sizeof text), P2P_EINVAL, "more than 255");
}
END_TEST

START_TEST(errors_say_what_is_allowed)
{
    static const struct {
        const char *spec, *sentence;
        p2p_status status;
    } bad[] = {
        { "", "compressor \"\": unknown; expected one of: identity, topk", P2P_EPARSE },
        { "top", "compressor \"top\": unknown; expected one of: identity, topk", P2P_EPARSE },
        { "layers(topk,sizes=8x13)", "positive sizes that add up to 100", P2P_EINVAL },
        { "layers(topk,sizes=8x/36)", "positive sizes that add up to 100", P2P_EINVAL },
        { "layers(topk,sizes=8x10x2)", "positive sizes that add up to 100", P2P_EINVAL },
        { "layers(topk,sizes=0x10/100)", "positive sizes that add up to 100", P2P_EINVAL },
        { "topk:kk=1", "unknown option \"kk\"; allowed: k, index, vt", P2P_EPARSE },
        { "topk:k=0", "k=0: expected a count, or a share such as 1%", P2P_EINVAL },
        { "topk:index=huffman", "expected one of auto|fixed|bitmap|gaps|gamma|rice", P2P_EINVAL },
        { "qinf:bits=22", "bits=22: expected an integer from 1 to 21", P2P_EINVAL },
        { "qsgd:levels=1048577", "expected an integer from 1 to 1048576", P2P_EINVAL },
        { "qsgd:code=x", "expected one of auto|best|fixed|gamma", P2P_EINVAL },
        { "qsgd:code=trit", "code=trit takes symbols up to 2, not 32", P2P_EINVAL },
        { "qsgd:levels=512,code=range", "code=range takes symbols up to 1023, not 1024", P2P_EINVAL },
        { "qsgd:round=near,dither=8", "dither is for round=random", P2P_EINVAL },
        { "sign:norm=none,vt=f32", "vt is for a scale that travels", P2P_EINVAL },
        { "randk:index=rice", "index is for a support that travels", P2P_EINVAL },
        { "levels:bits=17", "expected an integer from 1 to 16", P2P_EINVAL },
        { "sign+topk", "compressor \"sign\": expected a sparsifier", P2P_EPARSE },
        { "topk+randk", "compressor \"randk\": expected a quantiser", P2P_EPARSE },
        { "topk+sign+sign", "a pipeline has two parts", P2P_EPARSE },
        { "topk+", "compressor \"topk+\": unknown; expected one of", P2P_EPARSE },
        { "identity+sign", "identity keeps every entry: write sign alone", P2P_EINVAL },
        { "topk:vt=f16+sign", "vt belongs to sign", P2P_EINVAL },
        { "ef14", "expected a compressor in parentheses behind the name", P2P_EPARSE },
        { "ef14:topk", "unknown option", P2P_EPARSE },
        { "ef14(topk", "expected \")\" at the end", P2P_EPARSE },
        { "ef14(topk)+sign", "expected \")\" at the end", P2P_EPARSE },
        { "ef14()", "unknown; expected one of", P2P_EPARSE },
        { "ef14(topk,sign)", "has 2 compressors in the parentheses: expected 1", P2P_EPARSE },
        { "ef14(topk,sign,sign)", "more than 2 compressors", P2P_EPARSE },
        { "ef14(k=3)", "unknown; expected one of", P2P_EPARSE },
        { "topk(sign)", "takes no compressor in parentheses", P2P_EPARSE },
        { "scaled(sign)", "a=auto needs an unbiased compressor", P2P_EINVAL },
        { "scaled(randk,a=0)", "expected a number from 0 to 1 (0 excluded)", P2P_EINVAL },
        { "scaled(ef14(topk),a=1)", "memory goes outside", P2P_EINVAL },
        { "ef14(qinf)", "ef14(scaled(C))", P2P_EINVAL },
        { "ef21(ef21(topk))", "memory inside one with memory", P2P_EINVAL },
        { "scaled(scaled(scaled(scaled(scaled(randk,a=1),a=1),a=1),a=1),a=1)", "inside one another", P2P_EPARSE },
    };
    p2p_compressor *c = NULL;

    ck_fails(p2p_compressor_new(&c, bad[_i].spec, &shape), bad[_i].status, bad[_i].sentence);
    ck_assert_ptr_null(c);
}
END_TEST

START_TEST(shapes_are_checked)
{
    static const p2p_shape bad[] = {
        { 0, P2P_F64, 1 }, { (size_t)UINT32_MAX + 1, P2P_F64, 1 }, { 5, (p2p_dtype)7, 1 }, { 5, P2P_F64, 0 }
    };
    p2p_compressor *c = NULL;

    ck_fails(p2p_compressor_new(&c, "sign", &bad[_i]), P2P_EINVAL, "expected");
    ck_assert_ptr_null(c);
}
END_TEST

START_TEST(long_specs_are_refused)
{
    char spec[2000];
    p2p_compressor *c = NULL;

    memset(spec, 'a', sizeof spec - 1);
    spec[sizeof spec - 1] = '\0';
    ck_fails(p2p_compressor_new(&c, spec, &shape), P2P_EPARSE, "longer than");
}
END_TEST

/* Inside parentheses a key must tell whose option it is. */
START_TEST(keys_of_schemes_and_parts_differ)
{
    for (size_t i = 0; p2pi_compressor_entry(i) != NULL; i++)
        for (size_t j = 0; p2pi_compressor_entry(j) != NULL; j++) {
            const p2pi_compressor_vt *scheme = p2pi_compressor_member(i), *other = p2pi_compressor_member(j);

            for (const p2p_option *o = scheme->entry.options; o != NULL && o->key != NULL && scheme->operands; o++)
                ck_assert_msg(i == j || p2pi_option_find(other->entry.options, p2pi_option_key(o)) == NULL,
                              "%s and %s both have %s", scheme->entry.name, other->entry.name, o->key);
        }
}
END_TEST

START_TEST(tables_are_complete)
{
    for (size_t i = 0; p2pi_compressor_entry(i) != NULL; i++) {
        const p2pi_compressor_vt *m = p2pi_compressor_member(i);
        int roles = (m->sparsifier != NULL) + (m->quantiser != NULL) + (m->scheme != NULL);

        ck_assert_uint_eq(m->size, sizeof *m);
        ck_assert_msg(roles == 1, "%s has %d roles", m->entry.name, roles);
        for (size_t j = 0; j < i; j++) {
            const char *before = p2pi_compressor_entry(j)->name;

            ck_assert_str_ne(m->entry.name, before);
            /* powersgd+ sends frames of powersgd. */
            ck_assert_msg(m->family == 0 || m->family != p2pi_compressor_member(j)->family ||
                              strncmp(m->entry.name, before, strlen(before)) == 0,
                          "%s", m->entry.name);
        }
    }
}
END_TEST

Suite *
compressor_specs_suite(void)
{
    Suite *suite = suite_create("compressor specs");
    TCase *tc = tcase_create("texts");

    tcase_add_loop_test(tc, canonical_texts, 0, 22);
    tcase_add_loop_test(tc, layers_without_sizes_get_them, 0, 5);
    tcase_add_loop_test(tc, errors_say_what_is_allowed, 0, 39);
    tcase_add_loop_test(tc, shapes_are_checked, 0, 4);
    tcase_add_test(tc, long_specs_are_refused);
    tcase_add_test(tc, keys_of_schemes_and_parts_differ);
    tcase_add_test(tc, tables_are_complete);
    suite_add_tcase(suite, tc);
    return suite;
}
