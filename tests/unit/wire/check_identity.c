/* Certificates: czmq's files are read, everything else is refused, and no message has a secret in it. */
#include "runner.h"

#include <fcntl.h>
#include <p2popt/node.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static char path[64];
static p2p_identity fresh;

static void
setup(void)
{
    int fd;

    strcpy(path, "/tmp/p2popt-identity-XXXXXX");
    fd = mkstemp(path);
    ck_assert(fd >= 0);
    close(fd);
    ck_ok(p2p_identity_new(&fresh));
}

static void
teardown(void)
{
    unlink(path);
}

static void
put(const char *format, const char *a, const char *b)
{
    FILE *f = fopen(path, "w");

    ck_assert(f != NULL);
    fprintf(f, format, a, b);
    fclose(f);
}

static const char usual[] = "#   ****  Generated on 2024-01-01 by CZMQ  ****\n"
                            "#   ZeroMQ CURVE **Secret** Certificate\n\n"
                            "metadata\n    name = \"node-3\"\ncurve\n"
                            "    public-key = \"%s\"\n    secret-key = \"%s\"\n";

START_TEST(certificates_are_read)
{
    p2p_identity read;

    put(usual, fresh.public_key, fresh.secret_key);
    ck_ok(p2p_identity_read(&read, path));
    ck_assert_str_eq(read.public_key, fresh.public_key);
    ck_assert_str_eq(read.secret_key, fresh.secret_key);
    p2p_identity_clear(&read);
    ck_assert(read.public_key[0] == '\0' && read.secret_key[0] == '\0');
}
END_TEST

START_TEST(readable_files_are_refused)
{
    p2p_identity read;

    put(usual, fresh.public_key, fresh.secret_key);
    chmod(path, 0640);
    ck_fails(p2p_identity_read(&read, path), P2P_EREFUSED, "mode 0640 lets others read");
    chmod(path, 0602);
    ck_fails(p2p_identity_read(&read, path), P2P_EREFUSED, "chmod 600");
}
END_TEST

START_TEST(what_is_no_certificate_is_refused)
{
    p2p_identity read, other;

    put("", "", "");
    ck_fails(p2p_identity_read(&read, path), P2P_EPARSE, "has no public-key");
    put("curve\n  public-key = \"%s\"\n", fresh.public_key, "");
    ck_fails(p2p_identity_read(&read, path), P2P_EPARSE, "has no secret-key; expected a secret certificate");
    put("curve\n  public-key = \"%s\"\n  secret-key = \"%.39s\"\n", fresh.public_key, fresh.secret_key);
    ck_fails(p2p_identity_read(&read, path), P2P_EPARSE, ":3: expected secret-key = \"40 characters of Z85\"");
    ck_assert_ptr_null(strstr(p2p_last_error(), "39"));
    put("curve\n  public-key = \"%s\"\n  secret-key = \"%s", fresh.public_key, fresh.secret_key);
    ck_fails(p2p_identity_read(&read, path), P2P_EPARSE, ":3: expected");
    ck_assert_msg(strstr(p2p_last_error(), fresh.secret_key) == NULL, "the secret is in the message");
    ck_ok(p2p_identity_new(&other));
    put(usual, other.public_key, fresh.secret_key);
    ck_fails(p2p_identity_read(&read, path), P2P_EPARSE, "public-key does not belong to secret-key");
    ck_assert(read.secret_key[0] == '\0');
}
END_TEST

START_TEST(large_binary_and_missing_files_are_refused)
{
    p2p_identity read;
    FILE *f = fopen(path, "w");

    for (int i = 0; i < 20000; i++)
        fputc('#', f);
    fclose(f);
    ck_fails(p2p_identity_read(&read, path), P2P_EPARSE, "too long");
    f = fopen(path, "w");
    fwrite("curve\0\n", 1, 7, f);
    fclose(f);
    ck_fails(p2p_identity_read(&read, path), P2P_EPARSE, "not a text");
    ck_fails(p2p_identity_read(&read, "/tmp"), P2P_EIO, "expected a file");
    ck_fails(p2p_identity_read(&read, "/nonexistent/node.cert_secret"), P2P_EIO, "No such file");
}
END_TEST

Suite *
identity_suite(void)
{
    Suite *suite = suite_create("identity");
    TCase *tc = tcase_create("certificates");

    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_add_test(tc, certificates_are_read);
    tcase_add_test(tc, readable_files_are_refused);
    tcase_add_test(tc, what_is_no_certificate_is_refused);
    tcase_add_test(tc, large_binary_and_missing_files_are_refused);
    suite_add_tcase(suite, tc);
    return suite;
}
