/*
 * golden-run PATH...: run every golden case of the given folders (all *.json in them) and files.
 *
 * A line a case (verdict, name, worst relative error), then "N passed, N failed, N skipped". Exit status 1 if any
 * case failed or nothing was run, 2 for a usage error.
 */
#include "golden.h"

#include <dirent.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define GOLDEN_KIND(name) extern const golden_kind golden_##name;
#include "golden_kinds.def"
#undef GOLDEN_KIND

static const golden_kind *const kinds[] = {
#define GOLDEN_KIND(name) &golden_##name,
#include "golden_kinds.def"
#undef GOLDEN_KIND
    NULL
};

static size_t counts[3];

void
golden_report(golden_verdict verdict, const char *name, double error, const char *why, ...)
{
    static const char *const words[] = { "pass", "FAIL", "skipped" };
    va_list args;

    counts[verdict]++;
    printf("%-7s %s", words[verdict], name);
    if (!isnan(error))
        printf(": worst relative error %.2g", error);
    if (why != NULL) {
        printf(": ");
        va_start(args, why);
        vprintf(why, args);
        va_end(args);
    }
    putchar('\n');
}

void
golden_name(char *name, size_t cap, const char *path, long index)
{
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
    size_t len = strlen(base);

    if (len > 5 && strcmp(base + len - 5, ".json") == 0)
        len -= 5;
    if (index >= 0)
        snprintf(name, cap, "%.*s#%ld", (int)len, base, index);
    else
        snprintf(name, cap, "%.*s", (int)len, base);
}

size_t
golden_numbers(const json_t *value, size_t cap, double *out)
{
    size_t count = 0, index;
    const json_t *entry;

    if (!json_is_array(value)) {
        if (cap > 0)
            *out = json_is_number(value) ? json_number_value(value) : NAN;
        return 1;
    }
    json_array_foreach (value, index, entry)
        count += golden_numbers(entry, cap > count ? cap - count : 0, cap > count ? out + count : NULL);
    return count;
}

double
golden_error(size_t count, const double *x, const double *y)
{
    double difference = 0, norm = 0;

    for (size_t i = 0; i < count; i++) {
        difference += (x[i] - y[i]) * (x[i] - y[i]);
        norm += y[i] * y[i];
    }
    return sqrt(difference) / fmax(sqrt(norm), 1e-300);
}

static void
run_file(const char *path)
{
    json_error_t error;
    json_t *file = json_load_file(path, 0, &error);
    char name[256];
    size_t i;

    golden_name(name, sizeof name, path, -1);
    if (file == NULL) {
        golden_report(GOLDEN_FAIL, name, NAN, "%s:%d:%d: %s", path, error.line, error.column, error.text);
        return;
    }
    for (i = 0; kinds[i] != NULL && !kinds[i]->accepts(path, file); i++)
        continue;
    if (kinds[i] != NULL)
        kinds[i]->run(path, file);
    else
        golden_report(GOLDEN_SKIP, name, NAN, "no kind of case this program knows");
    json_decref(file);
}

static int
is_json(const struct dirent *entry)
{
    size_t len = strlen(entry->d_name);

    return len > 5 && strcmp(entry->d_name + len - 5, ".json") == 0;
}

/* 0: neither a file nor a folder that can be read. */
static int
run_path(const char *path)
{
    struct dirent **entries;
    struct stat info;
    int count;

    if (stat(path, &info) != 0)
        return 0;
    if (!S_ISDIR(info.st_mode)) {
        run_file(path);
        return 1;
    }
    if ((count = scandir(path, &entries, is_json, alphasort)) < 0)
        return 0;
    for (int i = 0; i < count; i++) {
        char file[4096];

        snprintf(file, sizeof file, "%s/%s", path, entries[i]->d_name);
        run_file(file);
        free(entries[i]);
    }
    free(entries);
    return 1;
}

int
main(int argc, char **argv)
{
    if (argc < 2 || argv[1][0] == '-') {
        fprintf(stderr, "Usage: golden-run PATH...\nRun the golden cases of folders and files.\n");
        return 2;
    }
    for (int i = 1; i < argc; i++)
        if (!run_path(argv[i])) {
            fprintf(stderr, "golden-run: %s: no file or folder that can be read\n", argv[i]);
            return 2;
        }
    printf("%zu passed, %zu failed, %zu skipped\n", counts[GOLDEN_PASS], counts[GOLDEN_FAIL], counts[GOLDEN_SKIP]);
    return counts[GOLDEN_FAIL] == 0 && counts[GOLDEN_PASS] + counts[GOLDEN_SKIP] > 0 ? 0 : 1;
}
