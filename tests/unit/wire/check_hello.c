/* The handshake's fields: differences are named, and a list that is none is refused. */
#include "runner.h"
#include "wire/hello.h"

#include <p2popt/random.h>
#include <sodium.h>
#include <stdio.h>

static void
fill(p2pi_hello *h, const char *compressor, const char *dim)
{
    memset(h, 0, sizeof *h);
    ck_ok(p2pi_hello_add(h, "method", "cold"));
    ck_ok(p2pi_hello_add(h, "compressor", "%s", compressor));
    ck_ok(p2pi_hello_add(h, "dim", "%s", dim));
}

static p2p_status
compare(const p2pi_hello *a, const p2pi_hello *b)
{
    return p2pi_hello_compare(a->bytes, a->len, "node 2", b->bytes, b->len, "node 5");
}

START_TEST(alike_is_accepted)
{
    p2pi_hello a, b;

    fill(&a, "qinf:bits=2", "30");
    fill(&b, "qinf:bits=2", "30");
    ck_ok(compare(&a, &b));
    ck_assert(p2pi_hello_fingerprint(&a) == p2pi_hello_fingerprint(&b));
}
END_TEST

START_TEST(the_first_difference_is_named)
{
    p2pi_hello a, b;

    fill(&a, "qinf:bits=2", "30");
    fill(&b, "qinf:bits=4", "31");
    ck_fails(compare(&a, &b), P2P_EREFUSED,
             "compressor differs: node 2 has \"qinf:bits=2\", node 5 has \"qinf:bits=4\"");
    ck_assert(p2pi_hello_fingerprint(&a) != p2pi_hello_fingerprint(&b));
}
END_TEST

START_TEST(other_fields_are_named)
{
    p2pi_hello a, b;

    fill(&a, "sign", "30");
    fill(&b, "sign", "30");
    ck_ok(p2pi_hello_add(&b, "momentum", "1"));
    ck_fails(compare(&a, &b), P2P_EREFUSED, "where node 2 has \"\", node 5 has \"momentum\"");
    ck_fails(compare(&b, &a), P2P_EREFUSED, "node 2 has 4 fields, node 5 has 3");
}
END_TEST

START_TEST(every_cut_is_refused)
{
    p2pi_hello a, b;

    fill(&a, "sign", "30");
    fill(&b, "sign", "30");
    for (b.len = 0; b.len < a.len; b.len++)
        ck_fails(compare(&a, &b), P2P_EPROTO, "hello");
    b.len = a.len + 1;
    ck_fails(compare(&a, &b), P2P_EPROTO, "its length");
}
END_TEST

/* Flip each byte to each of some values: the result is refused or a difference, never accepted. */
START_TEST(every_changed_byte_is_noticed)
{
    static const uint8_t flips[] = { 1, 0x80, 0xff };
    p2pi_hello a, b;

    fill(&a, "sign", "30");
    for (size_t i = 0; i < a.len; i++) {
        fill(&b, "sign", "30");
        b.bytes[i] ^= flips[_i];
        ck_assert(compare(&a, &b) != P2P_OK);
    }
}
END_TEST

START_TEST(unprintable_values_are_refused)
{
    p2pi_hello a, b;

    fill(&a, "sign", "30");
    fill(&b, "sign\x1b[2J", "30");
    ck_fails(compare(&a, &b), P2P_EPROTO, "field 1 does not decode");
}
END_TEST

START_TEST(long_values_are_refused)
{
    char text[P2PI_FIELD_VALUE_MAX + 2];
    p2pi_hello a = { .len = 0 };

    memset(text, 'x', sizeof text);
    text[sizeof text - 1] = '\0';
    ck_fails(p2pi_hello_add(&a, "data", "%s", text), P2P_ENOSPC, "field \"data\"");
    ck_ok(p2pi_hello_add(&a, "data", "%s", text + 1));
}
END_TEST

/* The text is the first eight bytes of BLAKE2b-128 of 64 little-endian draws. */
START_TEST(draws_are_hashed)
{
    p2p_random r = p2p_random_open(0, 0, 0, P2P_STREAM_INIT);
    double draws[64];
    uint8_t hash[16];
    char text[17], expected[17];
    uint64_t value = 0;

    p2p_random_normal(&r, 64, draws);
    crypto_generichash(hash, sizeof hash, (const uint8_t *)draws, sizeof draws, NULL, 0);
    for (int i = 7; i >= 0; i--)
        value = value << 8 | hash[i];
    snprintf(expected, sizeof expected, "%016llx", (unsigned long long)value);
    p2pi_draws_text(text);
    ck_assert_str_eq(text, expected);
}
END_TEST

Suite *
hello_suite(void)
{
    Suite *suite = suite_create("hello");
    TCase *tc = tcase_create("fields");

    tcase_add_test(tc, alike_is_accepted);
    tcase_add_test(tc, the_first_difference_is_named);
    tcase_add_test(tc, other_fields_are_named);
    tcase_add_test(tc, every_cut_is_refused);
    tcase_add_loop_test(tc, every_changed_byte_is_noticed, 0, 3);
    tcase_add_test(tc, unprintable_values_are_refused);
    tcase_add_test(tc, long_values_are_refused);
    tcase_add_test(tc, draws_are_hashed);
    suite_add_tcase(suite, tc);
    return suite;
}
