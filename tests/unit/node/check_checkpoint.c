/* Checkpoints: what comes back, and what is refused. */
#include "node/checkpoint.h"
#include "runner.h"

#include <p2popt/random.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

enum { DIM = 37, FILE_MAX = 2048 };

static double x[DIM];
static uint32_t count;
static p2pi_checkpoint_part parts[] = { { "x", x, sizeof x },
                                        { "nothing", NULL, 0 },
                                        { "count", &count, sizeof count } };
static const p2pi_checkpoint ours = { .fingerprint = 0x1234, .node = 3, .parts = parts, .count = 3 };
static char folder[64], path[96], previous[P2PI_CHECKPOINT_PATH];
static uint8_t bytes[FILE_MAX];

static void
fill(double value)
{
    for (size_t i = 0; i < DIM; i++)
        x[i] = value + (double)i;
    count = (uint32_t)value;
}

static void
expect(double value)
{
    for (size_t i = 0; i < DIM; i++)
        ck_assert_double_eq(x[i], value + (double)i);
    ck_assert_uint_eq(count, (uint32_t)value);
}

static void
set_up(void)
{
    strcpy(folder, "checkpoint.XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/node3", folder);
    ck_ok(p2pi_checkpoint_previous(previous, path));
}

static void
clear(void)
{
    unlink(path);
    unlink(previous);
    ck_assert_msg(rmdir(folder) == 0, "%s is not empty", folder);
}

static void
save(double value)
{
    fill(value);
    ck_ok(p2pi_checkpoint_save(&ours, path, (uint32_t)value));
    fill(-1);
}

static size_t
slurp(void)
{
    FILE *f = fopen(path, "rb");
    size_t len;

    ck_assert_ptr_nonnull(f);
    len = fread(bytes, 1, sizeof bytes, f);
    fclose(f);
    return len;
}

static void
overwrite(size_t len)
{
    FILE *f = fopen(path, "wb");

    ck_assert_ptr_nonnull(f);
    ck_assert_uint_eq(fwrite(bytes, 1, len, f), len);
    fclose(f);
}

START_TEST(the_newest_comes_back)
{
    uint32_t round = 0;

    save(10);
    save(20);
    ck_ok(p2pi_checkpoint_load(&ours, path, &round));
    ck_assert_uint_eq(round, 20);
    expect(20);
    ck_assert_uint_eq(slurp(), p2pi_checkpoint_size(&ours));
}
END_TEST

/* Every truncation and every changed byte; nothing is touched by what is refused. */
START_TEST(spoilt_files_are_refused)
{
    uint32_t round = 7;
    size_t len;

    save(10);
    len = slurp();
    for (size_t cut = 0; cut < len; cut++)
        ck_assert_int_eq(p2pi_checkpoint_decode(&ours, "f", bytes, cut, &round), P2P_EPARSE);
    for (size_t at = 0; at < len; at++) {
        bytes[at] ^= 0x10;
        ck_assert_int_ne(p2pi_checkpoint_decode(&ours, "f", bytes, len, &round), P2P_OK);
        ck_assert_int_eq(strncmp(p2p_last_error(), "f: offset ", 10), 0);
        bytes[at] ^= 0x10;
    }
    ck_assert_uint_eq(round, 7);
    for (size_t i = 0; i < DIM; i++)
        ck_assert_double_eq(x[i], (double)i - 1);
    ck_ok(p2pi_checkpoint_decode(&ours, "f", bytes, len, &round));
    expect(10);
}
END_TEST

START_TEST(the_previous_one_stays)
{
    uint32_t round = 0;
    char expected[160];

    save(10);
    save(20);
    overwrite(slurp() - 5);
    ck_assert_int_eq(p2pi_checkpoint_look(&ours, path, &round), P2P_EPARSE);
    snprintf(expected, sizeof expected, "%s: offset %zu: the file ends here", path, p2pi_checkpoint_size(&ours) - 5);
    ck_assert_msg(strncmp(p2p_last_error(), expected, strlen(expected)) == 0, "%s", p2p_last_error());
    ck_ok(p2pi_checkpoint_look(&ours, previous, &round));
    ck_assert_uint_eq(round, 10);
    ck_ok(p2pi_checkpoint_load(&ours, previous, &round));
    expect(10);
    unlink(path);
    ck_assert_int_eq(p2pi_checkpoint_load(&ours, path, &round), P2P_EIO);
}
END_TEST

START_TEST(those_of_others_are_refused)
{
    p2pi_checkpoint other = ours;
    p2pi_checkpoint_part renamed[] = { parts[0], parts[1], parts[2] };
    uint32_t round;

    save(10);
    other.fingerprint++;
    ck_assert_int_eq(p2pi_checkpoint_load(&other, path, &round), P2P_EREFUSED);
    ck_assert_ptr_nonnull(strstr(p2p_last_error(), "offset 16: of the swarm with fingerprint 0000000000001234"));
    other = ours;
    other.node = 4;
    ck_assert_int_eq(p2pi_checkpoint_load(&other, path, &round), P2P_EREFUSED);
    ck_assert_ptr_nonnull(strstr(p2p_last_error(), "offset 12: of node 3: expected node 4"));
    other = ours;
    other.count = 2;
    ck_assert_int_eq(p2pi_checkpoint_load(&other, path, &round), P2P_EREFUSED);
    other = ours;
    other.parts = renamed;
    renamed[2].name = "Count";
    ck_assert_int_eq(p2pi_checkpoint_load(&other, path, &round), P2P_EREFUSED);
    ck_assert_ptr_nonnull(strstr(p2p_last_error(), "expected part \"Count\" of 4 bytes"));
    renamed[2] = parts[2];
    renamed[0].bytes -= 8;
    ck_assert_int_eq(p2pi_checkpoint_load(&other, path, &round), P2P_EREFUSED);
}
END_TEST

START_TEST(a_full_disk_leaves_what_was_there)
{
    struct rlimit was, little;
    uint32_t round;

    save(10);
    signal(SIGXFSZ, SIG_IGN);
    ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &was), 0);
    little = was;
    little.rlim_cur = 100;
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &little), 0);
    fill(20);
    ck_assert_int_eq(p2pi_checkpoint_save(&ours, path, 20), P2P_EIO);
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &was), 0);
    ck_ok(p2pi_checkpoint_load(&ours, path, &round));
    expect(10);
}
END_TEST

Suite *
checkpoint_suite(void)
{
    Suite *suite = suite_create("checkpoints");
    TCase *tc = tcase_create("files");

    tcase_add_checked_fixture(tc, set_up, clear);
    tcase_add_test(tc, the_newest_comes_back);
    tcase_add_test(tc, spoilt_files_are_refused);
    tcase_add_test(tc, the_previous_one_stays);
    tcase_add_test(tc, those_of_others_are_refused);
    tcase_add_test(tc, a_full_disk_leaves_what_was_there);
    suite_add_tcase(suite, tc);
    return suite;
}
