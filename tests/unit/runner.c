#include "runner.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int
run_suites(int count, Suite **suites)
{
    SRunner *runner = srunner_create(suites[0]);
    int failed;

    for (int i = 1; i < count; i++)
        srunner_add_suite(runner, suites[i]);
    if (getenv("CK_TAP") != NULL) {
        srunner_set_tap(runner, "-");
        srunner_run_all(runner, CK_SILENT);
    } else
        srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

double
relative_error(size_t count, const double *x, const double *y)
{
    double difference = 0, norm = 0;

    for (size_t i = 0; i < count; i++) {
        difference += (x[i] - y[i]) * (x[i] - y[i]);
        norm += y[i] * y[i];
    }
    return sqrt(difference) / fmax(sqrt(norm), 1e-300);
}

static char folder[64];

void
enter_folder(void)
{
    strcpy(folder, "/tmp/p2popt-check-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    ck_assert_int_eq(chdir(folder), 0);
}

void
leave_folder(void)
{
    DIR *files = opendir(folder);
    struct dirent *entry;

    ck_assert_ptr_nonnull(files);
    while ((entry = readdir(files)) != NULL)
        unlink(entry->d_name);
    closedir(files);
    ck_assert_int_eq(chdir("/"), 0);
    ck_assert_int_eq(rmdir(folder), 0);
}

void
write_file(const char *name, const void *bytes, size_t len)
{
    FILE *f = fopen(name, "wb");

    ck_assert_ptr_nonnull(f);
    ck_assert_uint_eq(fwrite(bytes, 1, len, f), len);
    ck_assert_int_eq(fclose(f), 0);
}

void
write_text(const char *name, const char *text)
{
    write_file(name, text, strlen(text));
}
