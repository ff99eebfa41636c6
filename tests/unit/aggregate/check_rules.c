/* What holds for every rule in the registry, on both types and at dimensions around the edges of blocks. */
#include "runner.h"

#include "aggregate/rule.h"
#include "cloud.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 12, LIARS = 2, DIM_MAX = 1000 };

static const size_t dims[] = { 1, 31, 33, 256, 257, DIM_MAX };
static const p2p_dtype types[] = { P2P_F32, P2P_F64 };

static double
tolerance(p2p_dtype type)
{
    return type == P2P_F32 ? 2e-6 : 1e-13;
}

/* Run the body for every rule, dimension and type. */
#define FOR_ALL(spec, dim, type)                                                                                     \
    for (size_t rule_i = 0; cloud_spec(rule_i, LIARS) != NULL; rule_i++)                                             \
        for (size_t dim_i = 0; dim_i < sizeof dims / sizeof *dims; dim_i++)                                          \
            for (size_t type_i = 0; type_i < 2; type_i++)                                                            \
                for (const char *spec = cloud_spec(rule_i, LIARS); spec != NULL; spec = NULL)                        \
                    for (size_t dim = dims[dim_i]; dim != 0; dim = 0)                                                \
                        for (p2p_dtype type = types[type_i], once = P2P_F32; once == P2P_F32; once = P2P_F64)

static int
is(const char *spec, const char *name)
{
    return strncmp(spec, name, strlen(name)) == 0;
}

/*
 * Bucketing groups indices. Ties are common in two rules, and go to the lower index: of two vectors nearest to each
 * other in Krum's last picks for Bulyan, of choices that share their farthest pair for MDA.
 */
static int
order_matters(const char *spec)
{
    return is(spec, "bucketing") || is(spec, "bulyan") || is(spec, "bridge-b") || is(spec, "mda");
}

START_TEST(neighbours_may_come_in_any_order)
{
    static const size_t order[ROWS] = { 0, 7, 3, 11, 1, 9, 2, 10, 4, 8, 6, 5 };
    double z[DIM_MAX], turned[DIM_MAX];

    FOR_ALL(spec, dim, type)
    {
        cloud c;

        if (order_matters(spec))
            continue;
        c = cloud_new(ROWS, dim, type, 1);
        cloud_apply(&c, spec, z);
        cloud_permute(&c, order);
        cloud_apply(&c, spec, turned);
        ck_assert_msg(cloud_distance(dim, z, turned) <= tolerance(type), "%s, %zu: %g", spec, dim,
                      cloud_distance(dim, z, turned));
        cloud_free(&c);
    }
}
END_TEST

START_TEST(a_translation_of_all_moves_the_result_along)
{
    const double offset = 0.25;
    double z[DIM_MAX], moved[DIM_MAX];

    FOR_ALL(spec, dim, type)
    {
        cloud c;

        if (is(spec, "centered-clip"))
            continue; /* it starts at 0 */
        c = cloud_new(ROWS, dim, type, 2);
        cloud_apply(&c, spec, z);
        cloud_lie(&c, ROWS, offset);
        cloud_apply(&c, spec, moved);
        for (size_t i = 0; i < dim; i++)
            ck_assert_msg(fabs(moved[i] - offset - z[i]) <= tolerance(type), "%s, %zu: %g", spec, dim,
                          moved[i] - offset - z[i]);
        cloud_free(&c);
    }
}
END_TEST

START_TEST(equal_vectors_give_themselves)
{
    double z[DIM_MAX];

    FOR_ALL(spec, dim, type)
    {
        cloud c = cloud_new(ROWS, dim, type, 3);

        for (size_t j = 1; j < ROWS; j++)
            memcpy(c.data[j], c.data[0], dim * p2p_dtype_size(type));
        cloud_apply(&c, spec, z);
        for (size_t i = 0; i < dim; i++)
            ck_assert_msg(fabs(z[i] - p2p_vec_get(c.row[0], i)) <= 4e-16, "%s, %zu: %.17g, expected %.17g", spec, dim,
                          z[i], p2p_vec_get(c.row[0], i));
        cloud_free(&c);
    }
}
END_TEST

START_TEST(far_liars_break_the_mean_alone)
{
    static const double far[] = { 50, -1e6, 1e12 };
    double z[DIM_MAX], honest[DIM_MAX];

    FOR_ALL(spec, dim, type)
    {
        for (size_t k = 0; k < 3; k++) {
            cloud c = cloud_new(ROWS, dim, type, 4);
            double distance;

            cloud_mean(&c, ROWS - LIARS, honest);
            cloud_lie(&c, LIARS, far[k]);
            cloud_apply(&c, spec, z);
            distance = cloud_distance(dim, z, honest);
            if (is(spec, "mean"))
                ck_assert_double_gt(distance, 2);
            else
                ck_assert_msg(distance < 0.5, "%s, %zu, %s, liars at %g: %g", spec, dim, p2p_dtype_name(type), far[k],
                              distance);
            cloud_free(&c);
        }
    }
}
END_TEST

/* The rule on the rows without number gone, whose weight own takes, for one liar less. */
static void
apply_without(const cloud *c, size_t rule, size_t gone, double *z)
{
    cloud rest = *c;

    rest.count--;
    for (size_t j = gone; j < rest.count; j++) {
        rest.row[j] = c->row[j + 1];
        rest.weight[j] = c->weight[j + 1];
    }
    rest.weight[0] += c->weight[gone];
    cloud_apply(&rest, cloud_spec(rule, LIARS - 1), z);
}

START_TEST(what_is_no_number_is_refused_and_its_sender_named)
{
    static const double poison[] = { NAN, INFINITY, -INFINITY, 1e20 };
    double z[DIM_MAX], without[DIM_MAX];
    const size_t gone = 5;

    FOR_ALL(spec, dim, type)
    {
        cloud c = cloud_new(ROWS, dim, type, 5);
        p2p_vec out = { malloc(dim * sizeof *z), dim, type }, doubles = { z, dim, P2P_F64 };
        double bad = poison[(dim_i + rule_i) % 4];
        p2p_aggregator *rule;
        const size_t *senders;

        p2p_vec_set((p2p_vec){ c.data[gone], dim, type }, dim - 1, bad == 1e20 && type == P2P_F64 ? 1e200 : bad);
        apply_without(&c, rule_i, gone, without);
        ck_ok(p2p_aggregator_new(&rule, cloud_spec(rule_i, LIARS), ROWS - 1, dim, type));
        ck_ok(p2p_aggregator_apply(rule, c.row[0], ROWS - 1, c.row + 1, c.weight, out));
        p2p_vec_convert(doubles, p2p_view_of(out));
        ck_assert_uint_eq(p2p_aggregator_refused(rule, &senders), 1);
        ck_assert_uint_eq(senders[0], gone - 1);
        if (is(spec, "ios")) /* own's share is what the caller said, the weights of all are scaled to 1 */
            for (size_t i = 0; i < dim; i++)
                ck_assert(isfinite(z[i]));
        else
            ck_assert_msg(cloud_distance(dim, z, without) <= tolerance(type), "%s, %zu", spec, dim);
        ck_fails(p2p_aggregator_apply(rule, c.row[gone], 1, c.row, NULL, out), P2P_EINVAL, "of the own vector is");
        p2p_aggregator_destroy(&rule);
        free(out.data);
        cloud_free(&c);
    }
}
END_TEST

START_TEST(alone_a_node_keeps_its_vector)
{
    FOR_ALL(spec, dim, type)
    {
        cloud c = cloud_new(1, dim, type, 6);
        p2p_vec out = { malloc(dim * sizeof(double)), dim, type };
        p2p_aggregator *rule;

        for (size_t most = 0; most < ROWS; most += ROWS - 1) {
            ck_ok(p2p_aggregator_new(&rule, spec, most, dim, type));
            ck_ok(p2p_aggregator_apply(rule, c.row[0], 0, NULL, NULL, out));
            ck_assert_mem_eq(out.data, c.data[0], dim * p2p_dtype_size(type));
            p2p_aggregator_destroy(&rule);
        }
        free(out.data);
        cloud_free(&c);
    }
}
END_TEST

START_TEST(floats_and_doubles_agree)
{
    double z[DIM_MAX], wide[DIM_MAX];

    FOR_ALL(spec, dim, type)
    {
        cloud c, d;

        if (type == P2P_F64)
            continue;
        c = cloud_new(ROWS, dim, type, 7);
        d = cloud_convert(&c, P2P_F64);
        cloud_apply(&c, spec, z);
        cloud_apply(&d, spec, wide);
        ck_assert_msg(cloud_distance(dim, z, wide) <= tolerance(P2P_F32), "%s, %zu: %g", spec, dim,
                      cloud_distance(dim, z, wide));
        cloud_free(&c);
        cloud_free(&d);
    }
}
END_TEST

START_TEST(the_result_may_lie_over_an_input)
{
    double z[DIM_MAX];

    FOR_ALL(spec, dim, type)
    {
        for (size_t over = 0; over < ROWS; over += ROWS - 1) {
            cloud c = cloud_new(ROWS, dim, type, 8);
            p2p_vec out = { c.data[over], dim, type }, doubles = { z, dim, P2P_F64 };
            double expected[DIM_MAX];
            p2p_aggregator *rule;

            cloud_apply(&c, spec, expected);
            ck_ok(p2p_aggregator_new(&rule, spec, ROWS - 1, dim, type));
            ck_ok(p2p_aggregator_apply(rule, c.row[0], ROWS - 1, c.row + 1, c.weight, out));
            p2p_vec_convert(doubles, p2p_view_of(out));
            ck_assert_mem_eq(z, expected, dim * sizeof *z);
            p2p_aggregator_destroy(&rule);
            cloud_free(&c);
        }
    }
}
END_TEST

/* The least number of neighbours at which p2p_aggregator_new accepts the rule, counted down from many. */
static size_t
least_neighbours(const char *spec)
{
    p2p_aggregator *rule;
    size_t count = 40;

    while (count > 0 && p2p_aggregator_new(&rule, spec, count, 3, P2P_F64) == P2P_OK) {
        p2p_aggregator_destroy(&rule);
        count--;
    }
    return count + 1;
}

START_TEST(too_few_vectors_are_refused_with_the_breakdown_point)
{
    static const struct {
        const char *spec;
        size_t neighbours;
    } least[] = {
        { "trimmed-mean:f=3", 6 }, { "meamed:f=3", 6 },
        { "krum:f=3", 8 },         { "multi-krum:f=3", 8 },
        { "bulyan:f=3", 14 },      { "mda:f=3", 6 },
        { "mva:f=3", 6 },          { "caf:f=3", 6 },
        { "nna:f=3", 7 },          { "ios:f=3", 4 },
        { "bridge-t:f=3", 7 },     { "bridge-k:f=3", 8 },
        { "bridge-b:f=3", 14 },    { "nnm:f=3|median", 6 },
        { "arc:f=3|median", 6 },   { "bucketing:size=3|trimmed-mean:f=2", 12 },
    };
    cloud c = cloud_new(30, 3, P2P_F64, 9);

    for (size_t k = 0; k < sizeof least / sizeof *least; k++) {
        double z[3] = { 7, 7, 7 };
        p2p_vec out = { z, 3, P2P_F64 };
        p2p_aggregator *rule;
        size_t n = least[k].neighbours;

        ck_assert_msg(least_neighbours(least[k].spec) == n, "%s: %zu", least[k].spec,
                      least_neighbours(least[k].spec));
        ck_fails(p2p_aggregator_new(&rule, least[k].spec, n - 1, 3, P2P_F64), P2P_EINVAL, "breakdown point");
        ck_ok(p2p_aggregator_new(&rule, least[k].spec, n, 3, P2P_F64));
        ck_fails(p2p_aggregator_apply(rule, c.row[0], n - 1, c.row + 1, NULL, out), P2P_ENOTSUP, "breakdown point");
        ck_assert_double_eq(z[0], 7);
        ck_ok(p2p_aggregator_apply(rule, c.row[0], n, c.row + 1, NULL, out));
        p2p_aggregator_destroy(&rule);
    }
    cloud_free(&c);
}
END_TEST

Suite *
rules_suite(void)
{
    Suite *suite = suite_create("rules");
    TCase *tc = tcase_create("every rule");

    tcase_set_timeout(tc, 120);
    tcase_add_test(tc, neighbours_may_come_in_any_order);
    tcase_add_test(tc, a_translation_of_all_moves_the_result_along);
    tcase_add_test(tc, equal_vectors_give_themselves);
    tcase_add_test(tc, far_liars_break_the_mean_alone);
    tcase_add_test(tc, what_is_no_number_is_refused_and_its_sender_named);
    tcase_add_test(tc, alone_a_node_keeps_its_vector);
    tcase_add_test(tc, floats_and_doubles_agree);
    tcase_add_test(tc, the_result_may_lie_over_an_input);
    tcase_add_test(tc, too_few_vectors_are_refused_with_the_breakdown_point);
    suite_add_tcase(suite, tc);
    return suite;
}
