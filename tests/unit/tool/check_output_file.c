/* Result files that appear whole or not at all. */
#include "output_file.h"
#include "runner.h"

#include <stdlib.h>
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
    unlink("out/result");
    rmdir("out");
    ck_assert_int_eq(chdir("/"), 0);
    ck_assert_int_eq(rmdir(folder), 0); /* fails if a part was left */
}

START_TEST(a_file_appears_when_it_is_committed)
{
    output_file f;

    ck_ok(output_folder("out"));
    ck_ok(output_folder("out"));
    ck_ok(output_begin(&f, "out", "result"));
    fputs("whole", f.stream);
    ck_assert_int_ne(access("out/result", F_OK), 0);
    ck_ok(output_commit(&f));
    ck_assert_int_eq(access("out/result", F_OK), 0);
    output_abandon(&f);
    ck_assert_int_eq(access("out/result", F_OK), 0);
}
END_TEST

START_TEST(an_abandoned_file_leaves_nothing)
{
    output_file f;

    ck_ok(output_folder("out"));
    ck_ok(output_begin(&f, "out", "result"));
    output_abandon(&f);
    output_abandon(&f);
    ck_assert_int_eq(rmdir("out"), 0);
}
END_TEST

START_TEST(a_full_disk_is_told)
{
    output_file f;
    FILE *full = fopen("/dev/full", "w");

    if (full == NULL)
        return; /* a machine without it */
    ck_ok(output_folder("out"));
    ck_ok(output_begin(&f, "out", "result"));
    fclose(f.stream);
    f.stream = full;
    fputs("does not fit", f.stream);
    ck_fails(output_commit(&f), P2P_EIO, "out/result: No space left on device");
    ck_assert_int_ne(access("out/result", F_OK), 0);
}
END_TEST

START_TEST(what_cannot_be_made_is_named)
{
    output_file f;

    ck_fails(output_folder("absent/out"), P2P_EIO, "absent/out: No such file");
    ck_fails(output_begin(&f, "absent", "result"), P2P_EIO, "absent/result.part: No such file");
    ck_fails(output_folder("/dev/null"), P2P_EIO, "/dev/null: not a folder");
}
END_TEST

Suite *
output_file_suite(void)
{
    Suite *s = suite_create("output file");
    TCase *t = tcase_create("files");

    tcase_add_checked_fixture(t, make_folder, remove_folder);
    tcase_add_test(t, a_file_appears_when_it_is_committed);
    tcase_add_test(t, an_abandoned_file_leaves_nothing);
    tcase_add_test(t, a_full_disk_is_told);
    tcase_add_test(t, what_cannot_be_made_is_named);
    suite_add_tcase(s, t);
    return s;
}
