/* Packing messages once more, and what strangers may send instead. */
#include "node/squeeze.h"
#include "runner.h"

#include <p2popt/random.h>

enum { LEN = 4000 };

static uint8_t plain[LEN], again[LEN], received[2 * LEN];
static p2pi_squeeze *squeeze;

static size_t
pack_zeros(void)
{
    const uint8_t *packed;
    size_t len;

    memset(plain, 0, sizeof plain);
    plain[17] = 3;
    len = p2pi_squeeze_pack(&squeeze, plain, LEN, &packed);
    ck_assert(len > 0 && len < LEN / 10);
    memcpy(received, packed, len);
    return len;
}

START_TEST(what_was_packed_comes_back)
{
    size_t len = pack_zeros();

    ck_assert_uint_eq(p2pi_squeeze_length(received, len, LEN), LEN);
    ck_ok(p2pi_squeeze_unpack(&squeeze, received, len, again, LEN));
    ck_assert_mem_eq(plain, again, LEN);
    p2pi_squeeze_destroy(&squeeze);
    ck_assert(squeeze == NULL);
}
END_TEST

START_TEST(what_gets_no_shorter_stays)
{
    p2p_random r = p2p_random_open(1, 0, 0, 0);
    const uint8_t *packed;

    p2p_random_words(&r, LEN / 4, (uint32_t *)(void *)plain);
    ck_assert_uint_eq(p2pi_squeeze_pack(&squeeze, plain, LEN, &packed), 0);
    ck_assert_uint_eq(p2pi_squeeze_pack(&squeeze, plain, 0, &packed), 0);
    p2pi_squeeze_destroy(&squeeze);
}
END_TEST

/* A few bytes must not become gigabytes. */
START_TEST(more_than_a_message_can_have_is_refused)
{
    size_t len = pack_zeros();

    ck_assert_uint_eq(p2pi_squeeze_length(received, len, LEN - 1), 0);
    p2pi_squeeze_destroy(&squeeze);
}
END_TEST

START_TEST(spoilt_bytes_are_refused)
{
    size_t len = pack_zeros();

    for (size_t cut = 0; cut < len; cut++) {
        size_t length = p2pi_squeeze_length(received, cut, LEN);

        ck_assert(length == 0 || length == LEN);
        if (length > 0)
            ck_assert_int_eq(p2pi_squeeze_unpack(&squeeze, received, cut, again, length), P2P_EPROTO);
    }
    for (size_t at = 0; at < len; at++) {
        size_t length;

        received[at] ^= 0xFF;
        /* Some bytes may change and still be packed data, of as many bytes as they say. */
        if ((length = p2pi_squeeze_length(received, len, LEN)) > 0)
            ck_assert_int_ne(p2pi_squeeze_unpack(&squeeze, received, len, again, length), P2P_ENOMEM);
        received[at] ^= 0xFF;
    }
    p2pi_squeeze_destroy(&squeeze);
}
END_TEST

Suite *
squeeze_suite(void)
{
    Suite *suite = suite_create("packed messages");
    TCase *tc = tcase_create("zstd");

    tcase_add_test(tc, what_was_packed_comes_back);
    tcase_add_test(tc, what_gets_no_shorter_stays);
    tcase_add_test(tc, more_than_a_message_can_have_is_refused);
    tcase_add_test(tc, spoilt_bytes_are_refused);
    suite_add_tcase(suite, tc);
    return suite;
}
