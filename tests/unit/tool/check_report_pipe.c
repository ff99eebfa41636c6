/* Records through a pipe: whole, in pieces, and broken. */
#include "report_pipe.h"
#include "runner.h"

#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

static int ends[2];
static report_reader reader;
static char heard[4096];

static void
on_report(void *user, const p2p_report *r)
{
    size_t used = strlen(heard);

    (void)user;
    snprintf(heard + used, sizeof heard - used, "report %zu %u %g %s;", r->rank, (unsigned)r->round,
             p2p_vec_get(r->x, r->x.dim - 1), r->parameters);
}

static void
on_log(void *user, int level, const char *line)
{
    size_t used = strlen(heard);

    (void)user;
    snprintf(heard + used, sizeof heard - used, "log %d %s;", level, line);
}

static void
on_failure(void *user, p2p_status status, const char *sentence)
{
    size_t used = strlen(heard);

    (void)user;
    snprintf(heard + used, sizeof heard - used, "failure %d %s;", (int)status, sentence);
}

static const report_handlers handlers = { NULL, on_report, on_log, on_failure };

static void
open_pipe(void)
{
    signal(SIGPIPE, SIG_IGN);
    ck_assert_int_eq(pipe(ends), 0);
    memset(&reader, 0, sizeof reader);
    heard[0] = '\0';
}

static void
close_pipe(void)
{
    report_reader_clear(&reader);
    close(ends[0]);
    if (ends[1] >= 0)
        close(ends[1]);
}

static int
take(void)
{
    return report_reader_take(&reader, ends[0], &handlers);
}

static void
send_report(size_t dim, p2p_dtype type)
{
    double x[8] = { 0 };
    p2p_vec v = { x, dim, type };
    p2p_report r = { .rank = 3, .round = 12, .x = { x, dim, type }, .parameters = "cold:step=1" };

    p2p_vec_set(v, dim - 1, 2.5);
    ck_assert(report_pipe_report(ends[1], &r));
}

START_TEST(records_arrive_in_order)
{
    ck_assert(report_pipe_log(ends[1], 2, "odd"));
    send_report(7, P2P_F32);
    send_report(3, P2P_F64);
    ck_assert(report_pipe_failure(ends[1], P2P_EREFUSED, "refused: key"));
    ck_assert_int_eq(take(), 1);
    ck_assert_str_eq(heard, "log 2 odd;report 3 12 2.5 cold:step=1;report 3 12 2.5 cold:step=1;"
                            "failure -8 refused: key;");
    close(ends[1]);
    ends[1] = -1;
    ck_assert_int_eq(take(), 0);
}
END_TEST

/* Whatever the pieces in which bytes come. */
START_TEST(records_may_come_byte_by_byte)
{
    unsigned char bytes[4096];
    ssize_t n;

    send_report(5, P2P_F64);
    ck_assert(report_pipe_log(ends[1], 1, "a"));
    n = read(ends[0], bytes, sizeof bytes);
    ck_assert_int_gt(n, 0);
    for (ssize_t i = 0; i < n; i++) {
        ck_assert_int_eq(write(ends[1], bytes + i, 1), 1);
        ck_assert_int_eq(take(), 1);
    }
    ck_assert_str_eq(heard, "report 3 12 2.5 cold:step=1;log 1 a;");
}
END_TEST

START_TEST(what_is_no_record_is_refused)
{
    static const char text[64] = "p2popt: some program wrote text where records were expected.";

    ck_assert_int_eq(write(ends[1], text, sizeof text), (ssize_t)sizeof text);
    ck_assert_int_eq(take(), -1);
    ck_assert_str_eq(heard, "");
}
END_TEST

/* A report whose vector or text would lie outside its record. */
START_TEST(a_report_that_is_cut_is_refused)
{
    unsigned char bytes[4096];
    size_t length;
    ssize_t n;

    send_report(5, P2P_F64);
    n = read(ends[0], bytes, sizeof bytes);
    ck_assert_int_gt(n, 64);
    /* The head: kind, number, length. */
    memcpy(&length, bytes + 8, sizeof length);
    ck_assert_uint_eq(length, (size_t)n - 16);
    length -= 40;
    memcpy(bytes + 8, &length, sizeof length);
    ck_assert_int_eq(write(ends[1], bytes, length + 16), (ssize_t)length + 16);
    ck_assert_int_eq(take(), -1);
}
END_TEST

START_TEST(a_writer_learns_that_the_reader_is_gone)
{
    double x[1] = { 0 };
    p2p_report r = { .x = { x, 1, P2P_F64 } };

    close(ends[0]);
    ck_assert(!report_pipe_report(ends[1], &r));
    ends[0] = dup(1);
}
END_TEST

Suite *
report_pipe_suite(void)
{
    Suite *s = suite_create("report pipe");
    TCase *t = tcase_create("records");

    tcase_add_checked_fixture(t, open_pipe, close_pipe);
    tcase_add_test(t, records_arrive_in_order);
    tcase_add_test(t, records_may_come_byte_by_byte);
    tcase_add_test(t, what_is_no_record_is_refused);
    tcase_add_test(t, a_report_that_is_cut_is_refused);
    tcase_add_test(t, a_writer_learns_that_the_reader_is_gone);
    suite_add_tcase(s, t);
    return s;
}
