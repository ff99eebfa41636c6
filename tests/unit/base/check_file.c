/* Files that appear whole or not at all. */
#include "base/file.h"
#include "runner.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[64];

static void
make_folder(void)
{
    strcpy(folder, "/tmp/p2popt-check-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    ck_assert_int_eq(chdir(folder), 0);
}

static void
remove_folder(void)
{
    unlink("result");
    ck_assert_int_eq(chdir("/"), 0);
    ck_assert_int_eq(rmdir(folder), 0); /* fails if a temporary file was left */
}

START_TEST(a_committed_file_has_its_bytes_and_mode)
{
    p2pi_new_file f;
    uint8_t *bytes;
    size_t len;
    struct stat info;

    ck_ok(p2pi_file_begin(&f, "result", 0600));
    fputs("all of it\n", f.stream);
    ck_assert_int_ne(access("result", F_OK), 0);
    ck_ok(p2pi_file_commit(&f));
    ck_ok(p2pi_file_read("result", 100, &bytes, &len));
    ck_assert_uint_eq(len, 10);
    ck_assert_str_eq((char *)bytes, "all of it\n");
    free(bytes);
    ck_assert_int_eq(stat("result", &info), 0);
    ck_assert_int_eq(info.st_mode & 0777, 0600);
    ck_fails(p2pi_file_read("result", 9, &bytes, &len), P2P_EIO, "larger than the 9 bytes");
}
END_TEST

START_TEST(an_abandoned_file_leaves_nothing)
{
    p2pi_new_file f;

    ck_ok(p2pi_file_begin(&f, "result", 0644));
    fputs("half\n", f.stream);
    p2pi_file_abandon(&f);
    ck_assert_int_ne(access("result", F_OK), 0);
}
END_TEST

START_TEST(a_full_disk_keeps_the_old_file)
{
    p2pi_new_file f;
    uint8_t *bytes;
    size_t len;

    ck_ok(p2pi_file_begin(&f, "result", 0644));
    fputs("old\n", f.stream);
    ck_ok(p2pi_file_commit(&f));
    ck_ok(p2pi_file_begin(&f, "result", 0644));
    ck_assert_ptr_nonnull(freopen("/dev/full", "w", f.stream));
    fputs("new\n", f.stream);
    ck_fails(p2pi_file_commit(&f), P2P_EIO, "result: cannot be written: No space left on device");
    ck_ok(p2pi_file_read("result", 100, &bytes, &len));
    ck_assert_str_eq((char *)bytes, "old\n");
    free(bytes);
}
END_TEST

START_TEST(a_link_stays_a_link)
{
    p2pi_new_file f;
    uint8_t *bytes;
    size_t len;
    struct stat info;

    ck_assert_int_eq(symlink("target", "result"), 0);
    ck_assert_int_eq(close(open("target", O_CREAT | O_WRONLY, 0600)), 0);
    ck_ok(p2pi_file_begin(&f, "result", 0644));
    fputs("behind it\n", f.stream);
    ck_ok(p2pi_file_commit(&f));
    ck_assert_int_eq(lstat("result", &info), 0);
    ck_assert(S_ISLNK(info.st_mode));
    ck_ok(p2pi_file_read("target", 100, &bytes, &len));
    ck_assert_str_eq((char *)bytes, "behind it\n");
    free(bytes);
    unlink("target");
}
END_TEST

START_TEST(the_standard_output_is_added_to)
{
    int kept = dup(STDOUT_FILENO), fd = open("result", O_CREAT | O_WRONLY, 0600);
    p2pi_new_file f;
    uint8_t *bytes;
    size_t len;

    fflush(stdout);
    ck_assert_int_eq(dup2(fd, STDOUT_FILENO), STDOUT_FILENO);
    ck_assert_int_eq(write(STDOUT_FILENO, "before\n", 7), 7);
    ck_ok(p2pi_file_begin(&f, "/dev/stdout", 0644));
    fputs("after\n", f.stream);
    ck_ok(p2pi_file_commit(&f));
    ck_assert_int_eq(dup2(kept, STDOUT_FILENO), STDOUT_FILENO);
    close(kept);
    close(fd);
    ck_ok(p2pi_file_read("result", 100, &bytes, &len));
    ck_assert_str_eq((char *)bytes, "before\nafter\n");
    free(bytes);
}
END_TEST

/* A link to it, so that a mistake replaces the link. */
START_TEST(a_device_is_written_and_stays)
{
    static const char *const devices[] = { "/dev/null", "/dev/full" };
    p2pi_new_file f;
    struct stat info;

    if (stat(devices[_i], &info) != 0 || !S_ISCHR(info.st_mode))
        return;
    ck_assert_int_eq(symlink(devices[_i], "result"), 0);
    ck_ok(p2pi_file_begin(&f, "result", 0644));
    fputs("gone\n", f.stream);
    if (_i == 0)
        ck_ok(p2pi_file_commit(&f));
    else
        ck_fails(p2pi_file_commit(&f), P2P_EIO, "No space left");
    ck_assert_int_eq(lstat("result", &info), 0);
    ck_assert(S_ISLNK(info.st_mode));
    ck_assert_int_eq(stat("result", &info), 0);
    ck_assert(S_ISCHR(info.st_mode));
}
END_TEST

START_TEST(a_missing_folder_is_named)
{
    p2pi_new_file f;
    uint8_t *bytes;
    size_t len;

    ck_fails(p2pi_file_begin(&f, "none/result", 0644), P2P_EIO, "none/result: cannot be written: No such file");
    ck_fails(p2pi_file_read("none/result", 9, &bytes, &len), P2P_EIO, "none/result: cannot be read: No such file");
}
END_TEST

Suite *
file_suite(void)
{
    Suite *suite = suite_create("file");
    TCase *tc = tcase_create("replace");

    tcase_add_checked_fixture(tc, make_folder, remove_folder);
    tcase_add_test(tc, a_committed_file_has_its_bytes_and_mode);
    tcase_add_test(tc, an_abandoned_file_leaves_nothing);
    tcase_add_test(tc, a_full_disk_keeps_the_old_file);
    tcase_add_test(tc, a_link_stays_a_link);
    tcase_add_test(tc, the_standard_output_is_added_to);
    tcase_add_loop_test(tc, a_device_is_written_and_stays, 0, 2);
    tcase_add_test(tc, a_missing_folder_is_named);
    suite_add_tcase(suite, tc);
    return suite;
}
