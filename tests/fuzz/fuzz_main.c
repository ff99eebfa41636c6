/*
 * Runs a fuzz target without libFuzzer: every file of tests/fuzz/corpus/FUZZ_CORPUS and each of its truncations, in
 * blocks of exactly their length, so that the sanitizers and valgrind see the first byte read beyond.
 */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

static void
run_block(const uint8_t *bytes, size_t len)
{
    uint8_t *block = malloc(len ? len : 1);

    if (block == NULL)
        exit(99);
    memcpy(block, bytes, len);
    LLVMFuzzerTestOneInput(block, len);
    free(block);
}

static int
run_file(const char *path)
{
    static uint8_t bytes[1 << 16];
    FILE *f = fopen(path, "rb");
    size_t len;

    if (f == NULL)
        return 0;
    len = fread(bytes, 1, sizeof bytes, f);
    fclose(f);
    for (size_t cut = 0; cut <= len; cut++)
        run_block(bytes, cut);
    return 1;
}

static int
is_visible(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

int
main(void)
{
    const char *source = getenv("SRCDIR");
    struct dirent **files;
    char folder[4096], path[8192];
    int count, failed = 0;

    snprintf(folder, sizeof folder, "%s/tests/fuzz/corpus/%s", source ? source : ".", FUZZ_CORPUS);
    if ((count = scandir(folder, &files, is_visible, alphasort)) <= 0) {
        printf("Bail out! no corpus in %s\n", folder);
        return 99;
    }
    printf("1..%d\n", count);
    for (int i = 0; i < count; i++) {
        int ok;

        snprintf(path, sizeof path, "%s/%s", folder, files[i]->d_name);
        ok = run_file(path);
        failed |= !ok;
        printf("%s %d - %s\n", ok ? "ok" : "not ok", i + 1, files[i]->d_name);
        fflush(stdout);
        free(files[i]);
    }
    free(files);
    return failed;
}
