/* Data files of every format: what is read, and what a malformed one is told. */
#include "problem/dataset.h"
#include "runner.h"

#include <p2popt.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

static p2p_data *
read_data(const char *path)
{
    p2p_data *data;

    ck_ok(p2p_data_read(&data, path, NULL));
    return data;
}

/* Entry (row, column), dense or sparse. */
static double
entry(const p2p_data *data, size_t row, size_t column)
{
    const p2pi_rows *a = &data->rows;

    if (a->columns == NULL)
        return a->values[row * a->cols + column];
    for (size_t i = a->starts[row]; i < a->starts[row + 1]; i++)
        if (a->columns[i] == column)
            return a->values[i];
    return 0;
}

static void
check_entries(const p2p_data *data, size_t rows, size_t cols, const double *labels, const double *a)
{
    ck_assert_uint_eq(p2p_data_rows(data), rows);
    ck_assert_uint_eq(p2p_data_rows_total(data), rows);
    ck_assert_uint_eq(p2p_data_features(data), cols);
    for (size_t j = 0; j < rows; j++) {
        ck_assert(p2p_data_labels(data)[j] == labels[j]);
        for (size_t k = 0; k < cols; k++)
            ck_assert(entry(data, j, k) == a[j * cols + k]);
    }
}

/* ---- LIBSVM */

START_TEST(libsvm_as_people_write_it)
{
    static const char *const texts[] = {
        "+1 1:0.5 3:-2\n-1 2:1e-1\n+1\n",
        "+1 1:0.5 3:-2\r\n-1 2:1e-1\r\n+1\r\n", /* DOS */
        "1.0\t1:0.5 \t3:-2  \n  -1 2:.1\n\n1",  /* blanks, an empty line, no newline at the end */
        "1 qid:7 1:0.5 3:-2 # best\n# nothing\n-1 qid:8 2:0.1\n1 qid:7\n",
        "\357\273\2771 1:0.5 3:-2\n-1 2:0.1\n1\n", /* byte-order mark */
    };
    const double labels[] = { 1, -1, 1 }, a[] = { 0.5, 0, -2, 0, 0.1, 0, 0, 0, 0 };
    p2p_data *data;

    write_text("x.svm", texts[_i]);
    data = read_data("x.svm");
    check_entries(data, 3, 3, labels, a);
    ck_assert_ptr_nonnull(data->rows.columns); /* 3 of 9 entries: sparse */
    ck_assert_uint_eq(p2p_data_classes(data), 2);
    ck_assert_str_eq(p2p_data_notice(data), "");
    p2p_data_destroy(&data);
    ck_assert_ptr_null(data);
}
END_TEST

START_TEST(dense_libsvm_is_kept_dense)
{
    const double labels[] = { 3.5, -7 }, a[] = { 1, 2, 0, 4 };
    p2p_data *data;

    write_text("x.libsvm", "3.5 1:1 2:2\n-7 2:4\n");
    data = read_data("x.libsvm");
    check_entries(data, 2, 2, labels, a);
    ck_assert_ptr_null(data->rows.columns);
    ck_assert_uint_eq(p2p_data_classes(data), 0);
    p2p_data_destroy(&data);
}
END_TEST

START_TEST(malformed_libsvm_is_named)
{
    static const struct {
        const char *text, *sentence;
    } bad[] = {
        { "1 1:1\nx 1:1\n", "x.svm:2: \"x\": expected a label, a finite number, at the start of the line" },
        { "1:2 3:4\n", "x.svm:1: \"1:2\": expected a label" },
        { "nan 1:1\n", "x.svm:1: \"nan\": expected a label, a finite number" },
        { "1e999 1:1\n", "x.svm:1: \"1e999\": expected a label, a finite number" },
        { "1,2 1:1\n", "x.svm:1: \"1,2\": expected a label" },
        { "1 1:1 0:1\n", "x.svm:1: \"0:1\": index 0: indices start at 1" },
        { "1 2:1 2:1\n", "x.svm:1: \"2:1\": index 2 after 2: indices must ascend" },
        { "1 1:1\n\n-1 5:1 3:1\n", "x.svm:3: \"3:1\": index 3 after 5: indices must ascend" },
        { "1 -1:1\n", "x.svm:1: \"-1:1\": expected index:value" },
        { "1 1\n", "x.svm:1: \"1\": expected index:value" },
        { "1 1 :2\n", "x.svm:1: \"1\": expected index:value" },
        { "1 :2\n", "x.svm:1: \":2\": expected index:value" },
        { "1 1.5:2\n", "x.svm:1: \"1.5:2\": expected index:value" },
        { "1 1:\n", "x.svm:1: \"1:\": expected a finite number behind the colon" },
        { "1 1:2x\n", "x.svm:1: \"1:2x\": expected a finite number behind the colon" },
        { "1 1:nan\n", "x.svm:1: \"1:nan\": expected a finite number" },
        { "1 1:-inf\n", "x.svm:1: \"1:-inf\": expected a finite number" },
        { "1 1:1e309\n", "x.svm:1: \"1:1e309\": expected a finite number" },
        { "1 1:0x10\n", "x.svm:1: \"1:0x10\": expected a finite number" },
        { "1 2147483648:1\n", "x.svm:1: \"2147483648:1\": the index is beyond 2147483647" },
        { "1 99999999999999999999999:1\n", "the index is beyond 2147483647" },
        { "1 1:1 qid:3\n", "x.svm:1: \"qid:3\": expected index:value" },
        { "1 qid:x 1:1\n", "x.svm:1: \"qid:x\": expected index:value" },
        { "", "x.svm: holds no rows" },
        { "\n# all gone\n", "x.svm: holds no rows" },
        { "1\n-1\n", "x.svm: its rows hold no features" },
    };
    p2p_data *data;

    write_text("x.svm", bad[_i].text);
    ck_fails(p2p_data_read(&data, "x.svm", NULL), P2P_EPARSE, bad[_i].sentence);
    ck_assert_ptr_null(data);
}
END_TEST

START_TEST(a_nul_byte_is_refused)
{
    p2p_data *data;

    write_file("x.svm", "1 1:1\n1 2\0:1\n", 13);
    ck_fails(p2p_data_read(&data, "x.svm", NULL), P2P_EPARSE, "x.svm:2: a NUL byte: expected text");
}
END_TEST

/* A line longer than any buffer, over the border of the reader's chunks. */
START_TEST(long_lines_are_read_whole)
{
    const size_t features = 30000;
    FILE *f = fopen("x.svm", "w");
    p2p_data *data;

    fputs("1", f);
    for (size_t k = 1; k <= features; k++)
        fprintf(f, " %zu:%zu", k, k);
    fputs("\n-1 1:2", f);
    fclose(f);
    data = read_data("x.svm");
    ck_assert_uint_eq(p2p_data_features(data), features);
    for (size_t k = 0; k < features; k++)
        ck_assert(entry(data, 0, k) == (double)(k + 1));
    ck_assert(entry(data, 1, 0) == 2);
    p2p_data_destroy(&data);
}
END_TEST

/* ---- compression and parts */

static void
write_gzip(const char *name, const char *text)
{
    gzFile f = gzopen(name, "wb");

    ck_assert_int_eq(gzputs(f, text), (int)strlen(text));
    ck_assert_int_eq(gzclose(f), Z_OK);
}

START_TEST(compressed_files_and_their_damages)
{
    const double labels[] = { 1, -1 }, a[] = { 1, 2, 3, 4 };
    unsigned char bytes[256];
    p2p_data *data;
    size_t len;
    FILE *f;

    write_gzip("x.svm.gz", "1 1:1 2:2\n-1 1:3 2:4\n");
    data = read_data("x.svm.gz");
    check_entries(data, 2, 2, labels, a);
    p2p_data_destroy(&data);
    f = fopen("x.svm.gz", "rb");
    len = fread(bytes, 1, sizeof bytes, f);
    fclose(f);
    write_file("cut.svm.gz", bytes, len - 10);
    ck_fails(p2p_data_read(&data, "cut.svm.gz", NULL), P2P_EIO, "cut.svm.gz: the compressed file is cut off");
    bytes[len - 6] ^= 1; /* the checksum */
    write_file("bad.svm.gz", bytes, len);
    ck_fails(p2p_data_read(&data, "bad.svm.gz", NULL), P2P_EIO, "bad.svm.gz: the compressed file is damaged");
    write_gzip("y.svm.gz", "1 1:1\n1 1:x\n");
    ck_fails(p2p_data_read(&data, "y.svm.gz", NULL), P2P_EPARSE, "y.svm.gz:2: \"1:x\"");
}
END_TEST

START_TEST(parts_are_read_as_one)
{
    static const char *const names[] = { "x.svm.gz", "x", "libsvm:x", "./x.svm.gz" };
    const double labels[] = { 1, -1, 5 }, a[] = { 1, 0, 0, 2, 3, 0 };
    p2p_data *data;

    write_gzip("x.1of3.svm.gz", "1 1:1\n");
    write_gzip("x.2of3.svm.gz", "-1 2:2"); /* no newline: the next part starts a line all the same */
    write_gzip("x.3of3.svm.gz", "5 1:3\n");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        data = read_data(names[i]);
        check_entries(data, 3, 2, labels, a);
        p2p_data_destroy(&data);
    }
    write_gzip("x.3of3.svm.gz", "5 1:3\n5 1:?\n");
    ck_fails(p2p_data_read(&data, "x", NULL), P2P_EPARSE, "x.3of3.svm.gz:2: \"1:?\"");
    remove("x.2of3.svm.gz");
    ck_fails(p2p_data_read(&data, "x.svm.gz", NULL), P2P_EIO, "x.2of3.svm.gz: cannot be read: No such file");
}
END_TEST

/* ---- tables */

START_TEST(csv_as_people_write_it)
{
    static const struct {
        const char *name, *text;
    } tables[] = {
        { "x.csv", "1,0.5,3\n-1,2,4\n" },
        { "x.csv", "class,weight,height\r\n1, 0.5 , 3\r\n\r\n-1,2,4" },
        { "x.csv", "\357\273\2771;0.5;3\n-1;2;4\n" },
        { "x.tsv", "label\tfirst one\tsecond\n1\t0.5\t3\n-1\t2\t4\n" },
        { "x.csv", "1  0.5  3 \n -1 2 4\n" },
        { "csv:label=last:x.csv", "0.5,3,1\n2,4,-1\n" },
        { "csv:label=last,delimiter=space,header=yes:x.csv", "0 0 0\n0.5 3 1\n2 4 -1\n" },
        { "csv:header=no,delimiter=semicolon:./x.csv", "1;0.5;3\n-1;2;4\n" },
        { "csv:x.csv", "1,5e-1,+3\n-1.0,2.,4\n" },
    };
    const double labels[] = { 1, -1 }, a[] = { 0.5, 3, 2, 4 };
    p2p_data *data;

    write_text(strcmp(tables[_i].name, "x.tsv") == 0 ? "x.tsv" : "x.csv", tables[_i].text);
    data = read_data(tables[_i].name);
    check_entries(data, 2, 2, labels, a);
    p2p_data_destroy(&data);
}
END_TEST

START_TEST(sparse_tables_are_kept_sparse)
{
    const double labels[] = { 1, 2 }, a[] = { 0, 0, 0, 7, 0, -1, 0, 0 };
    p2p_data *data;

    write_text("x.csv", "1,0,0,0,7\n2,-0,-1,0,0\n");
    data = read_data("x.csv");
    check_entries(data, 2, 4, labels, a);
    ck_assert_ptr_nonnull(data->rows.columns);
    ck_assert_uint_eq(data->rows.starts[2], 2);
    p2p_data_destroy(&data);
}
END_TEST

START_TEST(malformed_csv_is_named)
{
    static const struct {
        const char *name, *text, *sentence;
    } bad[] = {
        { "x.csv", "1,2,3\n1,x,3\n", "x.csv:2: column 2: \"x\": expected a finite number" },
        { "x.csv", "1,2,3\n1,,3\n", "x.csv:2: column 2 is empty: expected a finite number" },
        { "x.csv", "1,2,3\n1,2,\n", "x.csv:2: column 3 is empty: expected a finite number" },
        { "x.csv", "1,2,3\n1,2\n", "x.csv:2: 2 columns: expected 3, as in the rows before" },
        { "x.csv", "a,b\n1,2\n1,2,3\n", "x.csv:3: 3 columns: expected 2, as in the rows before" },
        { "x.csv", "1,2,3\n1,nan,3\n", "x.csv:2: column 2: \"nan\": expected a finite number" },
        { "x.csv", "1,2,3\n1,2,1e999\n", "x.csv:2: column 3: \"1e999\": expected a finite number" },
        { "x.csv", "1,2,3\n1,\"2\",3\n", "x.csv:2: column 2: \"\"2\"\": expected a finite number" },
        { "x.csv", "1\n2\n", "x.csv:1: one column: expected a label and at least one feature" },
        { "csv:header=no:x.csv", "a,b\n1,2\n", "x.csv:1: column 1: \"a\": expected a finite number" },
        { "csv:delimiter=comma:x.csv", "1;2\n3;4\n5;6\n", "x.csv:2: column 1: \"3;4\": expected a finite number" },
        { "x.csv", "a,b\n", "x.csv: holds no rows" },
        { "x.csv", "1,0\n2,0\n", NULL }, /* features that are all zero are features */
    };
    p2p_data *data;

    write_text("x.csv", bad[_i].text);
    if (bad[_i].sentence == NULL) {
        data = read_data(bad[_i].name);
        ck_assert_uint_eq(p2p_data_features(data), 1);
        p2p_data_destroy(&data);
    } else
        ck_fails(p2p_data_read(&data, bad[_i].name, NULL), P2P_EPARSE, bad[_i].sentence);
}
END_TEST

/* ---- .npy */

START_TEST(npy_rows)
{
    double a[] = { 1, 0.5, 3, -1, 2, 4 };
    float last[] = { 0.5f, 3, 1, 2, 4, -1 };
    const double labels[] = { 1, -1 }, features[] = { 0.5, 3, 2, 4 };
    p2p_array first_array = { a, 2, 3, 2, P2P_F64 }, last_array = { last, 2, 3, 2, P2P_F32 };
    p2p_array vector = { a, 6, 1, 1, P2P_F64 }, column = { a, 6, 1, 2, P2P_F64 };
    p2p_data *data;

    ck_ok(p2p_array_write(&first_array, "x.npy"));
    data = read_data("x.npy");
    check_entries(data, 2, 2, labels, features);
    p2p_data_destroy(&data);
    ck_ok(p2p_array_write(&last_array, "x.npy"));
    data = read_data("npy:label=last:x.npy");
    check_entries(data, 2, 2, labels, features);
    p2p_data_destroy(&data);

    ck_ok(p2p_array_write(&vector, "v.npy"));
    ck_fails(p2p_data_read(&data, "v.npy", NULL), P2P_EPARSE, "v.npy: 6 rows, 1 columns: expected two axes");
    ck_ok(p2p_array_write(&column, "v.npy"));
    ck_fails(p2p_data_read(&data, "v.npy", NULL), P2P_EPARSE, "expected two axes, a label and at least one feature");
    a[4] = 1.0 / 0.0;
    ck_ok(p2p_array_write(&first_array, "x.npy"));
    ck_fails(p2p_data_read(&data, "x.npy", NULL), P2P_EPARSE, "x.npy: row 2, column 2: expected a finite number");
    write_text("t.npy", "1,2,3\n");
    ck_fails(p2p_data_read(&data, "t.npy", NULL), P2P_EPARSE, "t.npy: the file ends within its .npy header");
}
END_TEST

/* ---- from memory */

START_TEST(data_from_memory)
{
    const double a[] = { 1, 2, 3, 4 }, bad[] = { 1, 2, 1.0 / 0.0, 4 }, labels[] = { 1, 0.0 / 0.0 };
    p2p_data *data;

    ck_ok(p2p_data_from_dense(&data, 2, 2, a, a));
    check_entries(data, 2, 2, a, a);
    p2p_data_destroy(&data);
    p2p_data_destroy(&data);
    ck_fails(p2p_data_from_dense(&data, 2, 2, bad, a), P2P_EINVAL, "data: row 1, feature 0: not finite");
    ck_fails(p2p_data_from_dense(&data, 2, 2, a, labels), P2P_EINVAL, "data: label of row 1: not finite");
    ck_fails(p2p_data_from_dense(&data, 0, 2, a, a), P2P_EINVAL, "data: 0 rows of 2 features: expected at least one");
    ck_fails(p2p_data_from_dense(&data, 2, 0, a, a), P2P_EINVAL, "data: 2 rows of 0 features");
    ck_assert_ptr_null(data);
}
END_TEST

/* ---- names */

START_TEST(names_that_lead_nowhere)
{
    static const struct {
        const char *name, *sentence;
        p2p_status status;
    } bad[] = {
        { "", "data: no file is named", P2P_EINVAL },
        { "none", "none: cannot be read: no such file", P2P_EIO },
        { "none.svm", "none.svm: cannot be read: No such file", P2P_EIO },
        { "none.csv.gz", "none.csv.gz: cannot be read: No such file", P2P_EIO },
        { "none.npy", "none.npy: cannot be read: No such file", P2P_EIO },
        { "libsvm:none", "none: cannot be read: No such file", P2P_EIO },
        { "libsvm:", "data: no file is named", P2P_EINVAL },
        { "libsvm:.", ".: cannot be read: Is a directory", P2P_EIO },
        { "data.txt", "data data.txt: the name does not tell the format: expected one that ends with .svm.gz, .svm",
          P2P_EINVAL },
        { "csv:label=middle:data.txt", "data format \"csv\": label=middle: expected one of first|last", P2P_EINVAL },
        { "csv:lable=last:data.txt",
          "data format \"csv\": unknown option \"lable\"; allowed: label, delimiter, header", P2P_EPARSE },
        { "libsvm:label=last:data.txt", "data format \"libsvm\": unknown option \"label\"; it has none", P2P_EPARSE },
        { "sample:iris", "data sample:iris: unknown; installed: a9a, breast-cancer, digits, fashion10k, heart",
          P2P_EINVAL },
        { "sample:", "data sample:: unknown; installed: a9a", P2P_EINVAL },
        { "sample:../data/heart", "unknown; installed: a9a", P2P_EINVAL },
    };
    p2p_data *data;

    write_text("data.txt", "1 1:1\n");
    ck_fails(p2p_data_read(&data, bad[_i].name, NULL), bad[_i].status, bad[_i].sentence);
    ck_assert_ptr_null(data);
}
END_TEST

START_TEST(samples_are_installed)
{
    static const struct {
        const char *name;
        size_t rows, features, classes;
    } samples[] = {
        { "sample:a9a", 32561, 123, 2 },   { "sample:breast-cancer", 569, 30, 2 },
        { "sample:digits", 1797, 64, 10 }, { "sample:fashion10k", 10000, 784, 10 },
        { "sample:heart", 270, 13, 2 },
    };
    p2p_data *data = read_data(samples[_i].name);

    ck_assert_uint_eq(p2p_data_rows(data), samples[_i].rows);
    ck_assert_uint_eq(p2p_data_features(data), samples[_i].features);
    ck_assert_uint_eq(p2p_data_classes(data), samples[_i].classes);
    ck_assert_str_eq(p2p_data_notice(data), "");
    p2p_data_destroy(&data);
}
END_TEST

START_TEST(samples_of_a_folder_of_ones_own)
{
    char path[64];
    p2p_data *data;

    ck_assert_int_eq(mkdir("data", 0700), 0);
    write_gzip("data/mine.svm.gz", "1 1:1\n");
    ck_assert_int_eq(setenv("P2POPT_DATADIR", "/none:.", 1), 0);
    ck_ok(p2p_data_locate(path, sizeof path, "data/mine.svm.gz"));
    ck_assert_str_eq(path, "./data/mine.svm.gz");
    data = read_data("sample:mine");
    p2p_data_destroy(&data);
    ck_fails(p2p_data_read(&data, "sample:yours", NULL), P2P_EINVAL, "data sample:yours: unknown; installed: mine");
    ck_fails(p2p_data_locate(path, 8, "data/none.svm.gz"), P2P_ENOSPC, "the path is longer than 7 bytes");
    remove("data/mine.svm.gz");
    ck_assert_int_eq(rmdir("data"), 0);
}
END_TEST

/* ---- labels */

START_TEST(notices_of_labels)
{
    static const struct {
        const char *text, *notice;
        size_t classes;
    } sets[] = {
        { "1 1:1\n-1 1:1\n", "", 2 },
        { "0 1:1\n1 1:1\n0 1:1\n", "labels 0 and 1 are taken as -1 and +1 by two-class problems", 2 },
        { "2 1:1\n1 1:1\n", "labels 1 and 2 are taken as -1 and +1 by two-class problems", 2 },
        { "2 1:1\n1 1:1\n3 1:1\n", "labels 1 to 3 are taken as classes 0 to 2", 3 },
        { "2 1:1\n0 1:1\n1 1:1\n", "", 3 },
        { "0.5 1:1\n0 1:1\n", "", 0 },
        { "1 1:1\n", "", 1 },
    };
    p2p_data *data;

    write_text("x.svm", sets[_i].text);
    data = read_data("x.svm");
    ck_assert_str_eq(p2p_data_notice(data), sets[_i].notice);
    ck_assert_uint_eq(p2p_data_classes(data), sets[_i].classes);
    p2p_data_destroy(&data);
}
END_TEST

START_TEST(many_labels_are_not_classes)
{
    double labels[P2PI_CLASSES_MAX + 1];

    for (size_t i = 0; i <= P2PI_CLASSES_MAX; i++)
        labels[i] = (double)((i * 5) % (P2PI_CLASSES_MAX + 1)) - 3;
    ck_assert_uint_eq(p2pi_classes_of(labels, P2PI_CLASSES_MAX).count, P2PI_CLASSES_MAX);
    ck_assert_uint_eq(p2pi_classes_of(labels, P2PI_CLASSES_MAX + 1).count, 0);
}
END_TEST

Suite *
readers_suite(void)
{
    Suite *suite = suite_create("readers");
    TCase *tc = tcase_create("files");

    tcase_add_checked_fixture(tc, enter_folder, leave_folder);
    tcase_add_loop_test(tc, libsvm_as_people_write_it, 0, 5);
    tcase_add_test(tc, dense_libsvm_is_kept_dense);
    tcase_add_loop_test(tc, malformed_libsvm_is_named, 0, 26);
    tcase_add_test(tc, a_nul_byte_is_refused);
    tcase_add_test(tc, long_lines_are_read_whole);
    tcase_add_test(tc, compressed_files_and_their_damages);
    tcase_add_test(tc, parts_are_read_as_one);
    tcase_add_loop_test(tc, csv_as_people_write_it, 0, 9);
    tcase_add_test(tc, sparse_tables_are_kept_sparse);
    tcase_add_loop_test(tc, malformed_csv_is_named, 0, 13);
    tcase_add_test(tc, npy_rows);
    tcase_add_test(tc, data_from_memory);
    tcase_add_loop_test(tc, names_that_lead_nowhere, 0, 15);
    tcase_add_loop_test(tc, samples_are_installed, 0, 5);
    tcase_add_test(tc, samples_of_a_folder_of_ones_own);
    tcase_add_loop_test(tc, notices_of_labels, 0, 7);
    tcase_add_test(tc, many_labels_are_not_classes);
    suite_add_tcase(suite, tc);
    return suite;
}
