/* The kernels and the shortcuts of rules against plain loops that follow the definitions. */
#include "runner.h"

#include "aggregate/ordering.h"
#include "aggregate/paired_columns.h"
#include "cloud.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DIM = 300 };

static int
ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Mean of a coordinate's values without the cut smallest and largest. */
static double
trimmed(const cloud *c, size_t i, size_t cut)
{
    double value[CLOUD_MAX], sum = 0;

    for (size_t j = 0; j < c->count; j++)
        value[j] = p2p_vec_get(c->row[j], i);
    qsort(value, c->count, sizeof *value, ascending);
    for (size_t j = cut; j < c->count - cut; j++)
        sum += value[j];
    return sum / (double)(c->count - 2 * cut);
}

START_TEST(columns_are_sorted_whatever_their_number)
{
    for (size_t rows = 1; rows < CLOUD_MAX; rows++)
        for (int type = P2P_F32; type <= P2P_F64; type++) {
            cloud c = cloud_new(rows, DIM, (p2p_dtype)type, (unsigned)rows);
            double z[DIM];

            cloud_apply(&c, "median", z);
            for (size_t i = 0; i < DIM; i++)
                ck_assert_double_eq_tol(z[i], trimmed(&c, i, (rows - 1) / 2), type == P2P_F32 ? 1e-7 : 1e-16);
            if (rows > 2) {
                cloud_apply(&c, "trimmed-mean:f=1", z);
                for (size_t i = 0; i < DIM; i++)
                    ck_assert_double_eq_tol(z[i], trimmed(&c, i, 1), type == P2P_F32 ? 1e-7 : 1e-15);
            }
            cloud_free(&c);
        }
}
END_TEST

START_TEST(equal_values_and_both_zeros_are_sorted)
{
    static const double value[] = { 0.0, -0.0, 1, -0.0, 1, 0.0, -1 };
    cloud c = cloud_new(7, DIM, P2P_F64, 1);
    double z[DIM];

    for (size_t j = 0; j < 7; j++)
        p2p_vec_fill((p2p_vec){ c.data[j], DIM, P2P_F64 }, value[j]);
    cloud_apply(&c, "trimmed-mean:f=1", z);
    for (size_t i = 0; i < DIM; i++)
        ck_assert_double_eq(z[i], 0.2);
    cloud_free(&c);
}
END_TEST

START_TEST(of_values_equally_far_from_the_median_the_later_goes)
{
    static const double left_first[] = { -1, 0, 1 }, right_first[] = { 1, 0, -1 };
    cloud c = cloud_new(3, 1, P2P_F64, 1);
    double z;

    for (size_t j = 0; j < 3; j++)
        *(double *)c.data[j] = left_first[j];
    cloud_apply(&c, "meamed:f=1", &z);
    ck_assert_double_eq(z, -0.5);
    for (size_t j = 0; j < 3; j++)
        *(double *)c.data[j] = right_first[j];
    cloud_apply(&c, "meamed:f=1", &z);
    ck_assert_double_eq(z, 0.5);
    cloud_free(&c);
}
END_TEST

static p2pi_rows
rows_of(const cloud *c, const void **row)
{
    p2pi_rows rows = { .count = c->count, .own = 1, .row = row, .dim = c->dim, .type = c->type };

    for (size_t j = 0; j < c->count; j++)
        row[j] = c->data[j];
    return rows;
}

START_TEST(pairs_are_distances_and_products_about_the_median)
{
    size_t count = (size_t)_i;

    for (int type = P2P_F32; type <= P2P_F64; type++) {
        cloud c = cloud_new(count, DIM, (p2p_dtype)type, 3);
        const void *row[CLOUD_MAX];
        p2pi_rows rows = rows_of(&c, row);
        double *block, pair[16 * 16], tolerance = type == P2P_F32 ? 1e-7 : 1e-15;

        ck_assert_int_eq(posix_memalign((void **)&block, 64, 2 * count * P2PI_STRIDE * sizeof *block), 0);
        p2pi_paired_distances(&rows, block, pair);
        for (size_t i = 0; i < count; i++)
            for (size_t j = 0; j < count; j++)
                ck_assert_double_eq_tol(sqrt(pair[i * count + j]), p2p_vec_distance(c.row[i], c.row[j]), tolerance);
        p2pi_paired_products(&rows, block, pair);
        for (size_t i = 0; i < count; i++)
            for (size_t j = 0; j < count; j++) {
                double product = 0;

                for (size_t k = 0; k < DIM; k++) {
                    double median = trimmed(&c, k, (count - 1) / 2);

                    product += (p2p_vec_get(c.row[i], k) - median) * (p2p_vec_get(c.row[j], k) - median);
                }
                ck_assert_double_eq_tol(pair[i * count + j], product, tolerance);
            }
        free(block);
        cloud_free(&c);
    }
}
END_TEST

/* The definition: iterate in the space of the vectors. */
static void
weiszfeld(const cloud *c, int iters, double nu, double *z)
{
    for (size_t k = 0; k < c->dim; k++)
        z[k] = trimmed(c, k, (c->count - 1) / 2);
    for (int t = 0; t < iters; t++) {
        double next[DIM] = { 0 }, total = 0;

        for (size_t j = 0; j < c->count; j++) {
            double distance = 0, b;

            for (size_t k = 0; k < c->dim; k++)
                distance += pow(p2p_vec_get(c->row[j], k) - z[k], 2);
            b = 1 / fmax(nu, sqrt(distance));
            total += b;
            for (size_t k = 0; k < c->dim; k++)
                next[k] += b * p2p_vec_get(c->row[j], k);
        }
        for (size_t k = 0; k < c->dim; k++)
            z[k] = next[k] / total;
    }
}

/* Clouds that are hard for products: liars very far away, and a vector that most others equal. */
static cloud
hard_cloud(int kind, p2p_dtype type)
{
    cloud c = cloud_new(9, DIM, type, 4);

    if (kind == 1)
        cloud_lie(&c, 4, 1e9);
    if (kind == 2)
        cloud_lie(&c, 2, type == P2P_F32 ? 1e17 : 1e140);
    for (size_t j = 1; kind == 3 && j < 6; j++)
        memcpy(c.data[j], c.data[0], DIM * p2p_dtype_size(type));
    return c;
}

START_TEST(the_geometric_median_takes_the_steps_of_its_definition)
{
    for (int type = P2P_F32; type <= P2P_F64; type++) {
        cloud c = hard_cloud(_i, (p2p_dtype)type);
        double z[DIM], wanted[DIM];

        cloud_apply(&c, "geomed", z);
        weiszfeld(&c, 32, 1e-6, wanted);
        ck_assert_msg(cloud_distance(DIM, z, wanted) <= (type == P2P_F32 ? 1e-6 : 1e-13), "kind %d, %s: %g", _i,
                      p2p_dtype_name((p2p_dtype)type), cloud_distance(DIM, z, wanted));
        cloud_free(&c);
    }
}
END_TEST

START_TEST(squares_that_overflow_are_far_away)
{
    cloud c = cloud_new(9, 1u << 16, P2P_F64, 5);
    double *z = malloc((1u << 16) * sizeof *z), *honest = malloc((1u << 16) * sizeof *z);

    cloud_mean(&c, 7, honest);
    cloud_lie(&c, 2, 0.99e150); /* times 2^16 entries: squares of the difference of both reach 1.6e305 */
    cloud_lie(&c, 1, -1.98e150);
    for (size_t i = 0; cloud_spec(i, 2) != NULL; i++) {
        const char *spec = cloud_spec(i, 2);

        if (strncmp(spec, "mean", 4) == 0 || strncmp(spec, "bulyan", 6) == 0 || strcmp(spec, "bridge-b:f=2") == 0 ||
            strncmp(spec, "bucketing", 9) == 0)
            continue; /* no protection; too few vectors for f = 2 */
        cloud_apply(&c, spec, z);
        ck_assert_msg(cloud_distance(1u << 16, z, honest) < 0.5, "%s: %g", spec, cloud_distance(1u << 16, z, honest));
    }
    free(z);
    free(honest);
    cloud_free(&c);
}
END_TEST

START_TEST(sorting_keeps_equal_keys_in_order)
{
    double key[200];
    size_t index[200];

    for (size_t i = 0; i < 200; i++)
        key[i] = (double)(i * 7919 % 13);
    p2pi_order(200, key, index);
    for (size_t i = 1; i < 200; i++)
        ck_assert(key[index[i - 1]] < key[index[i]] ||
                  (key[index[i - 1]] == key[index[i]] && index[i - 1] < index[i]));
    p2pi_sort_indices(200, index);
    for (size_t i = 0; i < 200; i++)
        ck_assert_uint_eq(index[i], i);
    p2pi_sort(200, key);
    for (size_t i = 1; i < 200; i++)
        ck_assert(key[i - 1] <= key[i]);
}
END_TEST

Suite *
columns_suite(void)
{
    Suite *suite = suite_create("columns");
    TCase *tc = tcase_create("kernels");

    tcase_set_timeout(tc, 120);
    tcase_add_test(tc, columns_are_sorted_whatever_their_number);
    tcase_add_test(tc, equal_values_and_both_zeros_are_sorted);
    tcase_add_test(tc, of_values_equally_far_from_the_median_the_later_goes);
    tcase_add_loop_test(tc, pairs_are_distances_and_products_about_the_median, 1, 12);
    tcase_add_loop_test(tc, the_geometric_median_takes_the_steps_of_its_definition, 0, 4);
    tcase_add_test(tc, squares_that_overflow_are_far_away);
    tcase_add_test(tc, sorting_keeps_equal_keys_in_order);
    suite_add_tcase(suite, tc);
    return suite;
}
