/* Sharding: every row goes to one node, by the rule, and a file read in shards equals one split in memory. */
#include "problem/dataset.h"
#include "problem/deal.h"
#include "runner.h"

#include <math.h>
#include <p2popt.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 103, NODES = 7 };

/* Row j has the features (j, 1) and its label among three classes; sparse files leave most columns out. */
static void
write_rows(int sparse)
{
    FILE *f = fopen("x.svm", "w");

    for (int j = 0; j < ROWS; j++)
        fprintf(f, sparse ? "%d 1:%d %d:1\n" : "%d 1:%d 2:1\n", j * j % 3, j, sparse ? 2 + j % 30 : 2);
    fclose(f);
}

static int
row_number(const p2p_data *data, size_t j)
{
    const p2pi_rows *a = &data->rows;

    return (int)a->values[a->columns ? a->starts[j] : j * a->cols];
}

static const char *const rules[] = { NULL,       "contiguous",          "shuffled:seed=5",
                                     "by-label", "dirichlet:alpha=0.3", "dirichlet:alpha=0.001,seed=2" };

START_TEST(every_row_goes_to_one_node)
{
    const char *rule = rules[_i / 2];
    p2p_data *whole, *parts[NODES], *read;
    int seen[ROWS] = { 0 };

    write_rows(_i % 2);
    ck_ok(p2p_data_read(&whole, "x.svm", NULL));
    ck_assert_int_eq(whole->rows.columns != NULL, _i % 2);
    ck_ok(p2p_data_split(whole, rule, NODES, parts));
    for (size_t i = 0; i < NODES; i++) {
        const p2p_shard shard = { NODES, i, rule };
        const p2pi_rows *a = &parts[i]->rows, *b;
        size_t entries;

        ck_assert_uint_ge(p2p_data_rows(parts[i]), 1);
        ck_assert_uint_eq(p2p_data_rows_total(parts[i]), ROWS);
        ck_assert_uint_eq(p2p_data_classes(parts[i]), p2p_data_classes(whole));
        for (size_t j = 0; j < p2p_data_rows(parts[i]); j++) {
            int row = row_number(parts[i], j);

            seen[row]++;
            ck_assert(p2p_data_labels(parts[i])[j] == row * row % 3);
        }
        ck_ok(p2p_data_read(&read, "x.svm", &shard));
        b = &read->rows;
        ck_assert(a->rows == b->rows && a->cols == b->cols && (a->columns == NULL) == (b->columns == NULL));
        entries = a->columns ? a->starts[a->rows] : a->rows * a->cols;
        ck_assert_mem_eq(a->values, b->values, entries * sizeof *a->values);
        if (a->columns != NULL) {
            ck_assert_mem_eq(a->columns, b->columns, entries * sizeof *a->columns);
            ck_assert_mem_eq(a->starts, b->starts, (a->rows + 1) * sizeof *a->starts);
        }
        ck_assert_mem_eq(parts[i]->labels, read->labels, a->rows * sizeof *read->labels);
        ck_assert_str_eq(p2p_data_notice(parts[i]), p2p_data_notice(read));
        p2p_data_destroy(&read);
        p2p_data_destroy(&parts[i]);
    }
    for (int j = 0; j < ROWS; j++)
        ck_assert_int_eq(seen[j], 1);
    p2p_data_destroy(&whole);
}
END_TEST

/* Labels 0, 1, 2, 0, 1, 2, ...: what each rule makes of them. */
static p2pi_deal
deal(const char *rule, size_t nodes, size_t rows)
{
    double labels[ROWS];
    p2pi_classes classes;
    p2pi_deal out;

    for (size_t j = 0; j < rows; j++)
        labels[j] = (double)(j % 3);
    classes = p2pi_classes_of(labels, rows);
    ck_ok(p2pi_deal_make(&out, rule, nodes, rows, labels, &classes));
    return out;
}

START_TEST(equal_pieces_follow_the_formula)
{
    p2pi_deal d = deal("contiguous", NODES, ROWS);

    for (size_t i = 0; i <= NODES; i++)
        ck_assert_uint_eq(d.cut[i], i * ROWS / NODES);
    for (size_t j = 0; j < ROWS; j++)
        ck_assert_uint_eq(d.order[j], j);
    p2pi_deal_clear(&d);
}
END_TEST

START_TEST(shuffling_is_the_documented_permutation)
{
    p2pi_deal d = deal("shuffled:seed=9", NODES, ROWS);
    p2p_random r = p2p_random_open(9, 0, 0, P2P_STREAM_DATA);
    size_t expected[ROWS];

    p2p_random_permutation(&r, ROWS, expected);
    ck_assert_mem_eq(d.order, expected, sizeof expected);
    p2pi_deal_clear(&d);
}
END_TEST

START_TEST(by_label_is_stable)
{
    p2pi_deal d = deal("by-label", 3, 9);
    const size_t expected[9] = { 0, 3, 6, 1, 4, 7, 2, 5, 8 };

    ck_assert_mem_eq(d.order, expected, sizeof expected);
    p2pi_deal_clear(&d);
}
END_TEST

/* Mean over seeds of sum_i share_i^2 of a class is (1 + alpha) / (1 + n alpha), and the seed decides. */
START_TEST(dirichlet_shares_have_their_spread)
{
    static const double alphas[] = { 0.1, 1, 10 };
    const double alpha = alphas[_i], n = NODES, expected = (1 + alpha) / (1 + n * alpha);
    double mean = 0, rows = 3000;
    double *labels = calloc((size_t)rows, sizeof *labels);
    p2pi_classes classes = p2pi_classes_of(labels, (size_t)rows);

    for (int seed = 0; seed < 200; seed++) {
        char rule[64];
        p2pi_deal d;

        snprintf(rule, sizeof rule, "dirichlet:alpha=%g,seed=%d", alpha, seed);
        ck_ok(p2pi_deal_make(&d, rule, NODES, (size_t)rows, labels, &classes));
        for (size_t i = 0; i < NODES; i++)
            mean += pow((double)(d.cut[i + 1] - d.cut[i]) / rows, 2) / 200;
        p2pi_deal_clear(&d);
    }
    free(labels);
    ck_assert_msg(fabs(mean / expected - 1) < 0.08, "alpha %g: %g, expected %g", alpha, mean, expected);
}
END_TEST

START_TEST(more_nodes_than_rows_are_refused)
{
    const p2p_shard shard = { 104, 0, NULL }, beyond = { 4, 4, NULL }, none = { 0, 0, NULL };
    p2p_data *data;

    write_rows(0);
    ck_fails(p2p_data_read(&data, "x.svm", &shard), P2P_EINVAL,
             "x.svm: 103 rows for 104 nodes: expected at least one row a node");
    ck_fails(p2p_data_read(&data, "x.svm", &beyond), P2P_EINVAL,
             "shard 4 of 4: expected a number below the number of nodes");
    ck_fails(p2p_data_read(&data, "x.svm", &none), P2P_EINVAL, "shard 0 of 0");
}
END_TEST

START_TEST(as_many_nodes_as_rows)
{
    p2pi_deal d = deal(rules[_i], ROWS, ROWS);

    for (size_t i = 0; i < ROWS; i++)
        ck_assert_uint_eq(d.cut[i + 1] - d.cut[i], 1);
    p2pi_deal_clear(&d);
}
END_TEST

START_TEST(bad_rules_are_named)
{
    static const struct {
        const char *rule, *sentence;
        p2p_status status;
    } bad[] = {
        { "random", "shard rule \"random\": unknown; expected one of: contiguous, shuffled, by-label, dirichlet",
          P2P_EPARSE },
        { "shuffled:seeds=1", "shard rule \"shuffled\": unknown option \"seeds\"; allowed: seed", P2P_EPARSE },
        { "dirichlet:alpha=0", "alpha=0: expected a number from 0 to 1e6 (0 excluded)", P2P_EINVAL },
        { "contiguous:x=1", "unknown option \"x\"; it has none", P2P_EPARSE },
    };
    const p2p_shard shard = { 2, 0, bad[_i].rule };
    p2p_data *data, *parts[2];

    ck_fails(p2p_data_read(&data, "none.svm", &shard), bad[_i].status, bad[_i].sentence);
    write_rows(0);
    ck_ok(p2p_data_read(&data, "x.svm", NULL));
    ck_fails(p2p_data_split(data, bad[_i].rule, 2, parts), bad[_i].status, bad[_i].sentence);
    ck_assert(parts[0] == NULL && parts[1] == NULL);
    p2p_data_destroy(&data);
}
END_TEST

START_TEST(dirichlet_needs_classes)
{
    const p2p_shard shard = { 2, 0, "dirichlet" };
    p2p_data *data;

    write_text("x.svm", "0.5 1:1\n1.5 1:2\n");
    ck_fails(p2p_data_read(&data, "x.svm", &shard), P2P_EINVAL,
             "x.svm: shard rule \"dirichlet\": needs labels that are classes");
}
END_TEST

Suite *
shards_suite(void)
{
    Suite *suite = suite_create("shards");
    TCase *tc = tcase_create("deal");

    tcase_add_checked_fixture(tc, enter_folder, leave_folder);
    tcase_add_loop_test(tc, every_row_goes_to_one_node, 0, 12);
    tcase_add_test(tc, equal_pieces_follow_the_formula);
    tcase_add_test(tc, shuffling_is_the_documented_permutation);
    tcase_add_test(tc, by_label_is_stable);
    tcase_add_loop_test(tc, dirichlet_shares_have_their_spread, 0, 3);
    tcase_add_test(tc, more_nodes_than_rows_are_refused);
    tcase_add_loop_test(tc, as_many_nodes_as_rows, 0, 6);
    tcase_add_loop_test(tc, bad_rules_are_named, 0, 4);
    tcase_add_test(tc, dirichlet_needs_classes);
    suite_add_tcase(suite, tc);
    return suite;
}
