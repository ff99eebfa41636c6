/* The spec-string parser: values, ranges, and messages that say what is allowed. */
#include "base/spec.h"
#include "runner.h"

#include <string.h>

typedef struct {
    p2p_count k;
    double step, share;
    int64_t bits, flag, mode;
    p2p_text inner;
} sample;

static const p2p_option sample_options[] = {
    { "k", P2P_OPT_COUNT, "1%", "1", "100%", "entries kept", offsetof(sample, k) },
    { "step", P2P_OPT_REAL, "auto", "(0", "2)", "step size", offsetof(sample, step) },
    { "lambda|lam", P2P_OPT_REAL, "0.5", "0", "1", "a share", offsetof(sample, share) },
    { "bits", P2P_OPT_INT, "2", "1", "21", "bits", offsetof(sample, bits) },
    { "flag", P2P_OPT_BOOL, "no", NULL, NULL, "a flag", offsetof(sample, flag) },
    { "mode", P2P_OPT_CHOICE, "auto", "auto|fixed|gaps", NULL, "a mode", offsetof(sample, mode) },
    { "inner", P2P_OPT_TEXT, "", NULL, NULL, "a text", offsetof(sample, inner) },
    { NULL, P2P_OPT_TEXT, NULL, NULL, NULL, NULL, 0 }
};
static const p2p_entry sample_entry = { "sample", "a sample", "none", sample_options, sizeof(sample) };

static p2p_status
parse(const char *options, sample *value)
{
    return p2pi_spec_parse("thing", &sample_entry, p2pi_span_of(options), value);
}

START_TEST(defaults_are_parsed)
{
    sample s;

    ck_ok(parse("", &s));
    ck_assert(s.k.share == 0.01 && s.k.count == 0);
    ck_assert(p2p_is_auto(s.step));
    ck_assert(s.share == 0.5 && s.bits == 2 && s.flag == 0 && s.mode == 0);
    ck_assert_str_eq(s.inner.s, "");
}
END_TEST

START_TEST(values_are_parsed)
{
    sample s;

    ck_ok(parse("k=12,step=1/8,lam=1e-3,bits=21,flag=yes,mode=gaps,inner=f(a,b)", &s));
    ck_assert(s.k.count == 12 && s.k.share == 0);
    ck_assert(s.step == 0.125 && s.share == 1e-3 && s.bits == 21 && s.flag == 1 && s.mode == 2);
    ck_assert_str_eq(s.inner.s, "f(a,b)");
}
END_TEST

START_TEST(counts_and_shares)
{
    sample s;

    ck_ok(parse("k=0.02", &s));
    ck_assert_uint_eq(p2p_count_of(s.k, 101), 3);
    ck_assert_uint_eq(p2p_count_of(s.k, 1), 1);
    ck_ok(parse("k=100%", &s));
    ck_assert_uint_eq(p2p_count_of(s.k, 7), 7);
    ck_ok(parse("k=9", &s));
    ck_assert_uint_eq(p2p_count_of(s.k, 7), 7);
}
END_TEST

START_TEST(errors_say_what_is_allowed)
{
    static const struct {
        const char *options, *sentence;
        p2p_status status;
    } bad[] = {
        { "kk=1", "unknown option \"kk\"; allowed: k, step, lambda, bits, flag, mode, inner", P2P_EPARSE },
        { "k", "option \"k\" has no value; write k=VALUE", P2P_EPARSE },
        { "bits=3,bits=4", "\"bits\" is given twice", P2P_EPARSE },
        { "lam=0.1,lambda=0.2", "\"lambda\" is given twice", P2P_EPARSE },
        { "bits=22", "bits=22: expected an integer from 1 to 21", P2P_EINVAL },
        { "bits=2.5", "expected an integer from 1 to 21", P2P_EINVAL },
        { "bits=", "expected an integer from 1 to 21", P2P_EINVAL },
        { "bits=99999999999999999999", "expected an integer from 1 to 21", P2P_EINVAL },
        { "step=0", "step=0: expected a number from 0 to 2 (0 excluded) (2 excluded), or auto", P2P_EINVAL },
        { "step=2", "expected a number from 0 to 2", P2P_EINVAL },
        { "step=nan", "expected a number", P2P_EINVAL },
        { "step=inf", "expected a number", P2P_EINVAL },
        { "step=0x1p-3", "expected a number", P2P_EINVAL },
        { "lam=auto", "lambda=auto: expected a number from 0 to 1", P2P_EINVAL },
        { "k=0", "expected a count, or a share such as 1%", P2P_EINVAL },
        { "k=101%", "expected a count, or a share such as 1%", P2P_EINVAL },
        { "k=1.5", "expected a count, or a share such as 1%", P2P_EINVAL },
        { "flag=2", "expected 0 or 1", P2P_EINVAL },
        { "mode=x", "expected one of auto|fixed|gaps", P2P_EINVAL },
    };
    sample s;

    ck_fails(parse(bad[_i].options, &s), bad[_i].status, bad[_i].sentence);
}
END_TEST

START_TEST(canonical_text_reads_back)
{
    static const char *const texts[] = { "sample", "sample:k=3%,step=0.1", "sample:lambda=0.001,bits=7,flag=1",
                                         "sample:mode=fixed,inner=g(x,y)", "sample:step=0.28537469804022003" };
    char text[256];
    p2pi_span name, options;
    sample s;

    p2pi_spec_split(p2pi_span_of(texts[_i]), &name, &options);
    ck_assert(p2pi_span_is(name, "sample"));
    ck_ok(p2pi_spec_parse("thing", &sample_entry, options, &s));
    p2pi_spec_format(&sample_entry, &s, text, sizeof text);
    ck_assert_str_eq(text, texts[_i]);
}
END_TEST

static const p2p_entry *
only_entry(size_t i)
{
    return i == 0 ? &sample_entry : NULL;
}

START_TEST(unknown_names_list_the_known)
{
    size_t index;

    ck_ok(p2pi_spec_find("thing", p2pi_span_of("sample"), only_entry, &index));
    ck_fails(p2pi_spec_find("thing", p2pi_span_of("simple"), only_entry, &index), P2P_EPARSE,
             "thing \"simple\": unknown; expected one of: sample");
}
END_TEST

Suite *
spec_suite(void)
{
    Suite *suite = suite_create("spec");
    TCase *tc = tcase_create("parse");

    tcase_add_test(tc, defaults_are_parsed);
    tcase_add_test(tc, values_are_parsed);
    tcase_add_test(tc, counts_and_shares);
    tcase_add_loop_test(tc, errors_say_what_is_allowed, 0, 19);
    tcase_add_loop_test(tc, canonical_text_reads_back, 0, 5);
    tcase_add_test(tc, unknown_names_list_the_known);
    suite_add_tcase(suite, tc);
    return suite;
}
