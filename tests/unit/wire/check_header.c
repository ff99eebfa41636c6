/* Headers and control payloads: what is written reads back, and nothing else reads. */
#include "runner.h"
#include "wire/control.h"
#include "wire/header.h"

#include <math.h>
#include <zlib.h>

static const p2pi_header sample = {
    .kind = P2PI_DATA,
    .type = P2P_F64,
    .flags = P2PI_FLAG_ASKED,
    .fingerprint = UINT64_C(0x0123456789abcdef),
    .sender = 7,
    .session = 0xdeadbeef,
    .round = 1000000,
    .stage = 1,
    .doublings = 5,
    .slot = 2,
    .sequence = UINT64_C(0x1122334455667788),
    .dim = 50,
    .payload = 3,
    .calm = 9,
    .stop = P2PI_NEVER,
};

START_TEST(header_reads_back)
{
    uint8_t bytes[P2PI_HEADER_BYTES + 3] = { 0 };
    p2pi_header h;

    p2pi_header_write(&sample, bytes);
    ck_ok(p2pi_header_read(&h, bytes, sizeof bytes));
    ck_assert(h.kind == sample.kind && h.type == sample.type && h.flags == sample.flags);
    ck_assert(h.fingerprint == sample.fingerprint && h.sender == sample.sender && h.session == sample.session);
    ck_assert(h.round == sample.round && h.stage == sample.stage && h.doublings == sample.doublings &&
              h.slot == sample.slot);
    ck_assert(h.sequence == sample.sequence && h.dim == sample.dim && h.payload == sample.payload);
    ck_assert(h.calm == sample.calm && h.stop == sample.stop);
}
END_TEST

static uint32_t
read32(const uint8_t *bytes)
{
    return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

/* As a peer that means it would. */
static void
set_check(uint8_t *bytes)
{
    uint32_t check = (uint32_t)crc32(0, bytes, 60);

    for (int i = 0; i < 4; i++)
        bytes[60 + i] = (uint8_t)(check >> (8 * i));
}

/* Machines of any byte order write the same bytes. */
START_TEST(header_has_its_layout)
{
    static const uint8_t expected[P2PI_HEADER_BYTES - 4] = {
        'P',  '2', 'P',  'O',  1,    6,    1,    1,    0xef, 0xcd, 0xab, 0x89, 0x67, 0x45, 0x23,
        0x01, 7,   0,    0,    0,    0xef, 0xbe, 0xad, 0xde, 0x40, 0x42, 0x0f, 0,    1,    5,
        2,    0,   0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11, 50,   0,    0,    0,    0,
        0,    0,   0,    3,    0,    0,    0,    9,    0,    0,    0,    0xff, 0xff, 0xff, 0xff,
    };
    uint8_t bytes[P2PI_HEADER_BYTES];

    p2pi_header_write(&sample, bytes);
    ck_assert_mem_eq(bytes, expected, sizeof expected);
    ck_assert(read32(bytes + 60) == crc32(0, expected, sizeof expected));
}
END_TEST

START_TEST(bad_headers_are_refused)
{
    static const struct {
        size_t at;
        uint8_t value;
        const char *sentence;
    } bad[] = {
        { 0, 'X', "does not begin" },    { 4, 2, "protocol 2" },     { 5, 0, "kind 0" },
        { 5, P2PI_KIND_END, "kind" },    { 6, 2, "element type 2" }, { 7, 4, "flags 0x4" },
        { 48, 4, "payload of 4 bytes" }, { 51, 0xff, "payload of" },
    };
    uint8_t bytes[P2PI_HEADER_BYTES + 3] = { 0 };
    p2pi_header h;

    p2pi_header_write(&sample, bytes);
    bytes[bad[_i].at] = bad[_i].value;
    set_check(bytes);
    ck_fails(p2pi_header_read(&h, bytes, sizeof bytes), P2P_EPROTO, bad[_i].sentence);
}
END_TEST

START_TEST(damaged_headers_are_refused)
{
    uint8_t bytes[P2PI_HEADER_BYTES + 3] = { 0 };
    p2pi_header h;

    for (int bit = 0; bit < 8; bit++) {
        p2pi_header_write(&sample, bytes);
        bytes[_i] ^= (uint8_t)(1 << bit);
        ck_assert_int_eq(p2pi_header_read(&h, bytes, sizeof bytes), P2P_EPROTO);
    }
}
END_TEST

START_TEST(short_headers_are_refused)
{
    uint8_t bytes[P2PI_HEADER_BYTES];
    p2pi_header h;

    p2pi_header_write(&sample, bytes);
    ck_fails(p2pi_header_read(&h, bytes, (size_t)_i), P2P_EPROTO, "expected a header");
}
END_TEST

START_TEST(every_kind_has_a_name)
{
    for (unsigned kind = 1; kind < P2PI_KIND_END; kind++)
        ck_assert(strlen(p2pi_kind_name(kind)) > 2);
    ck_assert_str_eq(p2pi_kind_name(P2PI_BYE), "bye");
    ck_assert_str_eq(p2pi_kind_name(P2PI_KIND_END), "unknown");
}
END_TEST

START_TEST(agreement_reads_back_and_every_cut_is_refused)
{
    p2pi_numbers n = { 3, { 1.5, -2, 1e300 } }, read;
    uint8_t bytes[P2PI_CONTROL_MAX];
    size_t len = p2pi_agree_write(bytes, 1, &n);
    unsigned phase;

    ck_ok(p2pi_agree_read(bytes, len, &phase, &read));
    ck_assert(phase == 1 && read.count == 3);
    ck_assert_mem_eq(read.values, n.values, 3 * sizeof *n.values);
    for (size_t cut = 0; cut < len; cut++)
        ck_fails(p2pi_agree_read(bytes, cut, &phase, &read), P2P_EPROTO, "agreement");
    ck_fails(p2pi_agree_read(bytes, len + 1, &phase, &read), P2P_EPROTO, "does not fit");
    bytes[0] = P2PI_AGREE_PHASES;
    ck_fails(p2pi_agree_read(bytes, len, &phase, &read), P2P_EPROTO, "phase 2");
    bytes[0] = 0;
    bytes[1] = P2PI_AGREE_MAX + 1;
    ck_fails(p2pi_agree_read(bytes, len, &phase, &read), P2P_EPROTO, "expected at most 16");
    n.values[1] = NAN;
    len = p2pi_agree_write(bytes, 0, &n);
    ck_fails(p2pi_agree_read(bytes, len, &phase, &read), P2P_EPROTO, "number 1 is not finite");
}
END_TEST

START_TEST(welcome_reads_back_and_every_cut_is_refused)
{
    p2pi_welcome w = { 77, 2, { { 1, { 3 } }, { 2, { 4, 5 } } } }, read;
    uint8_t bytes[P2PI_CONTROL_MAX];
    size_t len = p2pi_welcome_write(bytes, &w);

    ck_ok(p2pi_welcome_read(bytes, len, &read));
    ck_assert(read.session == 77 && read.phases == 2 && read.agreed[0].count == 1 && read.agreed[1].count == 2);
    ck_assert(read.agreed[0].values[0] == 3 && read.agreed[1].values[1] == 5);
    for (size_t cut = 0; cut < len; cut++)
        ck_fails(p2pi_welcome_read(bytes, cut, &read), P2P_EPROTO, "");
    bytes[4] = P2PI_AGREE_PHASES + 1;
    ck_fails(p2pi_welcome_read(bytes, len, &read), P2P_EPROTO, "3 phases");
}
END_TEST

START_TEST(notices_are_cleaned)
{
    p2pi_notice n = { 5, 3, P2P_EDIVERGED, "a reason" }, read;
    uint8_t bytes[P2PI_CONTROL_MAX] = { 0 };
    size_t len = p2pi_notice_write(bytes, &n);

    ck_ok(p2pi_notice_read(bytes, len, &read));
    ck_assert(read.session == 5 && read.end == 3 && read.status == P2P_EDIVERGED);
    ck_assert_str_eq(read.reason, "a reason");
    bytes[7] = '\n';
    bytes[8] = 0xff;
    ck_ok(p2pi_notice_read(bytes, len, &read));
    ck_assert_str_eq(read.reason, "a??eason");
    ck_ok(p2pi_notice_read(bytes, sizeof bytes, &read));
    ck_assert_uint_eq(strlen(read.reason), P2PI_REASON_MAX);
    ck_fails(p2pi_notice_read(bytes, 5, &read), P2P_EPROTO, "too short");
}
END_TEST

START_TEST(edges_are_checked)
{
    p2pi_edge e = { 2, 3, 9, 1 }, read;
    uint8_t bytes[P2PI_CONTROL_MAX];
    size_t len = p2pi_edge_write(bytes, &e);

    ck_ok(p2pi_edge_read(bytes, len, 4, &read));
    ck_assert(read.low == 2 && read.high == 3 && read.version == 9 && read.up == 1);
    ck_fails(p2pi_edge_read(bytes, len, 3, &read), P2P_EPROTO, "no edge of 3 nodes");
    ck_fails(p2pi_edge_read(bytes, len - 1, 4, &read), P2P_EPROTO, "does not fit");
    bytes[12] = 2;
    ck_fails(p2pi_edge_read(bytes, len, 4, &read), P2P_EPROTO, "edge 2-3");
    e.low = 3;
    len = p2pi_edge_write(bytes, &e);
    ck_fails(p2pi_edge_read(bytes, len, 4, &read), P2P_EPROTO, "edge 3-3");
}
END_TEST

Suite *
header_suite(void)
{
    Suite *suite = suite_create("header");
    TCase *tc = tcase_create("bytes");

    tcase_add_test(tc, header_reads_back);
    tcase_add_test(tc, header_has_its_layout);
    tcase_add_loop_test(tc, bad_headers_are_refused, 0, 8);
    tcase_add_loop_test(tc, damaged_headers_are_refused, 0, P2PI_HEADER_BYTES);
    tcase_add_loop_test(tc, short_headers_are_refused, 0, P2PI_HEADER_BYTES);
    tcase_add_test(tc, every_kind_has_a_name);
    tcase_add_test(tc, agreement_reads_back_and_every_cut_is_refused);
    tcase_add_test(tc, welcome_reads_back_and_every_cut_is_refused);
    tcase_add_test(tc, notices_are_cleaned);
    tcase_add_test(tc, edges_are_checked);
    suite_add_tcase(suite, tc);
    return suite;
}
