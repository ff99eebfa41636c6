/* .npy files: what is written reads back, what NumPy writes is read, what is wrong is named. */
#include "runner.h"

#include <p2popt/array.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

START_TEST(arrays_read_back)
{
    double a[6] = { 1, -2.5, 3e300, 0, -0.0, 6 };
    float b[3] = { 1, 2, 3 };
    p2p_array matrix = { a, 2, 3, 2, P2P_F64 }, vector = { b, 3, 1, 1, P2P_F32 }, got;

    ck_ok(p2p_array_write(&matrix, "a.npy"));
    ck_ok(p2p_array_read(&got, "a.npy"));
    ck_assert(got.rows == 2 && got.cols == 3 && got.axes == 2 && got.type == P2P_F64);
    ck_assert_mem_eq(got.data, a, sizeof a);
    p2p_array_clear(&got);
    ck_assert_ptr_null(got.data);
    ck_ok(p2p_array_write(&vector, "b.npy"));
    ck_ok(p2p_array_read(&got, "b.npy"));
    ck_assert(got.rows == 3 && got.cols == 1 && got.axes == 1 && got.type == P2P_F32);
    ck_assert_mem_eq(got.data, b, sizeof b);
    p2p_array_clear(&got);
}
END_TEST

/* The bytes that numpy.save writes for arange(3.0). */
START_TEST(header_is_numpys)
{
    static const char expected[] = "\x93NUMPY\x01\x00v\x00{'descr': '<f8', 'fortran_order': False, 'shape': (3,), }"
                                   "                                                            \n";
    double a[3] = { 0, 1, 2 };
    p2p_array vector = { a, 3, 1, 1, P2P_F64 };
    char bytes[256];
    FILE *f;

    ck_ok(p2p_array_write(&vector, "a.npy"));
    ck_assert_ptr_nonnull(f = fopen("a.npy", "rb"));
    ck_assert_uint_eq(fread(bytes, 1, sizeof bytes, f), 128 + sizeof a);
    fclose(f);
    ck_assert_uint_eq(sizeof expected - 1, 128);
    ck_assert_mem_eq(bytes, expected, 128);
    ck_assert_mem_eq(bytes + 128, a, sizeof a);
}
END_TEST

/* A header of the given version and dictionary, then some entries. */
static void
write_npy(int version, const char *dictionary, size_t entries)
{
    const double a[8] = { 1, 2, 3, 4, 5, 6, 7, 8 };
    size_t len = strlen(dictionary), at = 8;
    unsigned char bytes[512] = { 0x93, 'N', 'U', 'M', 'P', 'Y' };

    bytes[6] = (unsigned char)version;
    bytes[at++] = (unsigned char)len;
    bytes[at++] = (unsigned char)(len >> 8);
    if (version != 1)
        at += 2;
    memcpy(bytes + at, dictionary, len);
    memcpy(bytes + at + len, a, entries * sizeof *a);
    write_file("x.npy", bytes, at + len + entries * sizeof *a);
}

START_TEST(other_versions_and_spellings_are_read)
{
    static const struct {
        int version;
        const char *dictionary;
        size_t rows, cols;
        int axes;
    } good[] = {
        { 1, "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }\n", 2, 3, 2 },
        { 2, "{'shape':(2,3),'fortran_order':False,'descr':'<f8'}", 2, 3, 2 },
        { 3, "{ 'fortran_order' : True , 'descr' : '<f8' , 'shape' : ( 6 , ) }", 6, 1, 1 },
        { 1, "{'descr': '<f8', 'fortran_order': False, 'shape': (6, 1,)}", 6, 1, 2 },
    };
    p2p_array got;

    write_npy(good[_i].version, good[_i].dictionary, 6);
    ck_ok(p2p_array_read(&got, "x.npy"));
    ck_assert(got.rows == good[_i].rows && got.cols == good[_i].cols && got.axes == good[_i].axes);
    ck_assert(((double *)got.data)[5] == 6);
    p2p_array_clear(&got);
}
END_TEST

START_TEST(malformed_headers_are_named)
{
    static const struct {
        int version;
        const char *dictionary, *sentence;
    } bad[] = {
        { 4, "{}", "x.npy: .npy version 4.0: expected 1.0, 2.0 or 3.0" },
        { 1, "", "x.npy: .npy header: \"\": expected a dictionary" },
        { 1, "{}", "expected 'descr', 'fortran_order' and 'shape', once each" },
        { 1, "{'descr': '<f8', 'shape': (6,)}", "expected 'descr', 'fortran_order' and 'shape', once each" },
        { 1, "{'descr': '<f8', 'descr': '<f8', 'fortran_order': False, 'shape': (6,)}", "once each" },
        { 1, "{'descr': '>f8', 'fortran_order': False, 'shape': (6,)}", "\"'>f8'" },
        { 1, "{'descr': '<i8', 'fortran_order': False, 'shape': (6,)}", "expected '<f8' or '<f4'" },
        { 1, "{'descr': '<f8', 'fortran_order': 0, 'shape': (6,)}", "expected True or False" },
        { 1, "{'descr': '<f8', 'fortran_order': True, 'shape': (2, 3)}", "fortran_order True: expected False" },
        { 1, "{'descr': '<f8', 'fortran_order': False, 'shape': ()}", "expected a shape of one or two axes" },
        { 1, "{'descr': '<f8', 'fortran_order': False, 'shape': (1, 2, 3)}", "expected a shape of one or two axes" },
        { 1, "{'descr': '<f8', 'fortran_order': False, 'shape': (-6,)}", "expected a shape of one or two axes" },
        { 1, "{'descr': '<f8', 'fortran_order': False, 'shape': (0,)}", "expected at least one entry" },
        { 1, "{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999999999999,)}", "expected a shape" },
        { 1, "{'descr': '<f8', 'fortran_order': False, 'shape': (4294967296, 4294967296)}", "fits into memory" },
        { 1, "{'descr': '<f8', 'fortran_order': False, 'shape': (1000000000000,)}",
          "x.npy: 1000000000000 x 1 entries of f64 need 8000000000000 bytes behind the header, the file has 48" },
        { 1, "{'descr': '<f8', 'fortran_order': False, 'shape': (5,)}",
          "need 40 bytes behind the header, the file has 48" },
    };
    p2p_array got;

    write_npy(bad[_i].version, bad[_i].dictionary, 6);
    ck_fails(p2p_array_read(&got, "x.npy"), P2P_EPARSE, bad[_i].sentence);
    ck_assert_ptr_null(got.data);
}
END_TEST

START_TEST(every_cut_is_refused)
{
    double a[3] = { 0, 1, 2 };
    p2p_array vector = { a, 3, 1, 1, P2P_F64 }, got;
    char bytes[256];
    size_t len;
    FILE *f;

    ck_ok(p2p_array_write(&vector, "a.npy"));
    ck_assert_ptr_nonnull(f = fopen("a.npy", "rb"));
    len = fread(bytes, 1, sizeof bytes, f);
    fclose(f);
    for (size_t cut = 0; cut < len; cut++) {
        write_file("x.npy", bytes, cut);
        ck_fails(p2p_array_read(&got, "x.npy"), P2P_EPARSE, "x.npy: ");
    }
}
END_TEST

START_TEST(files_that_are_not_arrays)
{
    double a[1] = { 1 };
    p2p_array vector = { a, 1, 1, 1, P2P_F64 }, got;

    write_text("text", "label,feature\n1,2\n");
    ck_fails(p2p_array_read(&got, "text"), P2P_EPARSE, "text: not a .npy file");
    ck_fails(p2p_array_read(&got, "none"), P2P_EIO, "none: cannot be read: No such file");
    ck_fails(p2p_array_read(&got, "."), P2P_EIO, ".: cannot be read: Is a directory");
    ck_fails(p2p_array_write(&vector, "none/x.npy"), P2P_EIO, "none/x.npy: cannot be written: No such file");
}
END_TEST

Suite *
array_suite(void)
{
    Suite *suite = suite_create("array");
    TCase *tc = tcase_create("npy");

    tcase_add_checked_fixture(tc, enter_folder, leave_folder);
    tcase_add_test(tc, arrays_read_back);
    tcase_add_test(tc, header_is_numpys);
    tcase_add_loop_test(tc, other_versions_and_spellings_are_read, 0, 4);
    tcase_add_loop_test(tc, malformed_headers_are_named, 0, 17);
    tcase_add_test(tc, every_cut_is_refused);
    tcase_add_test(tc, files_that_are_not_arrays);
    suite_add_tcase(suite, tc);
    return suite;
}
