/* The public face: specs, shapes, weights, memory; and the main of the room's tests. */
#include "runner.h"

#include "cloud.h"

#include <math.h>
#include <p2popt/random.h>

Suite *rules_suite(void);
Suite *columns_suite(void);
Suite *attacks_suite(void);

static p2p_view
view(const double *x, size_t dim)
{
    p2p_view v = { x, dim, P2P_F64 };
    return v;
}

static const double one[] = { 1, 2 }, two[] = { 3, 6 };

START_TEST(mean_moves_towards_the_neighbours)
{
    const double weights[] = { 0.5, 0.25, 0.25 };
    p2p_view vectors[] = { view(two, 2), view(one, 2) };
    double z[2];
    p2p_vec out = { z, 2, P2P_F64 };
    p2p_aggregator *mean;

    ck_ok(p2p_aggregator_new(&mean, "mean", 2, 2, P2P_F64));
    ck_ok(p2p_aggregator_apply(mean, view(one, 2), 2, vectors, weights, out));
    ck_assert_double_eq(z[0], 1.5);
    ck_assert_double_eq(z[1], 3);
    ck_ok(p2p_aggregator_apply(mean, view(NULL, 2), 2, vectors, NULL, out));
    ck_assert_double_eq(z[0], 2);
    p2p_aggregator_destroy(&mean);
    ck_assert_ptr_null(mean);
    p2p_aggregator_destroy(&mean);
}
END_TEST

static const struct {
    const char *spec, *canonical;
} specs[] = {
    { "mean", "mean" },
    { "trimmed-mean:f=1", "trimmed-mean" },
    { "trimmed-mean:f=2", "trimmed-mean:f=2" },
    { "nnm|trimmed-mean:f=1", "nnm|trimmed-mean" },
    { "bucketing:size=3|clip:tau=2|nnm:f=1|geomed:iters=5,nu=0.1",
      "bucketing:size=3|clip:tau=2|nnm:f=1|geomed:iters=5,nu=0.1" },
    { "clipped-gossip:tau=0.5", "clipped-gossip:tau=0.5" },
    { "gts:b=0.2", "gts:b=0.2" },
};

START_TEST(specs_have_a_canonical_text)
{
    p2p_aggregator *rule, *again;

    ck_ok(p2p_aggregator_new(&rule, specs[_i].spec, 20, 4, P2P_F32));
    ck_assert_str_eq(p2p_aggregator_spec(rule), specs[_i].canonical);
    ck_ok(p2p_aggregator_new(&again, p2p_aggregator_spec(rule), 20, 4, P2P_F32));
    ck_assert_str_eq(p2p_aggregator_spec(again), specs[_i].canonical);
    p2p_aggregator_destroy(&rule);
    p2p_aggregator_destroy(&again);
}
END_TEST

static const struct {
    const char *spec;
    p2p_status status;
    const char *sentence;
} wrong[] = {
    { "meen", P2P_EPARSE, "aggregator \"meen\": unknown; expected one of: mean, trimmed-mean, median" },
    { "", P2P_EPARSE, "aggregator \"\": unknown" },
    { "median:f=1", P2P_EPARSE, "unknown option \"f\"; it has none" },
    { "trimmed-mean:g=1", P2P_EPARSE, "unknown option \"g\"; allowed: f" },
    { "trimmed-mean:f=-1", P2P_EINVAL, "f=-1: expected an integer from 0 to 1000000" },
    { "trimmed-mean:f=2", P2P_EINVAL,
      "aggregator \"trimmed-mean:f=2\": 4 vectors with own, trimmed-mean with f=2 "
      "needs at least 5 (breakdown point 1/2)" },
    { "bridge-t:f=2", P2P_EINVAL, "3 neighbours, bridge-t with f=2 needs at least 5 (breakdown point 1/2 of the" },
    { "nnm", P2P_EPARSE, "nnm works before a rule: write nnm|RULE, as in nnm|median" },
    { "median|mean", P2P_EPARSE, "median is a rule and must come last" },
    { "nnm|nnm|nnm|nnm|median", P2P_EPARSE, "more than 4 members" },
    { "nnm|", P2P_EPARSE, "aggregator \"\": unknown" },
    { "bucketing|gts", P2P_EINVAL, "gts needs the node's own vector, and there is none" },
    { "geomed:nu=0", P2P_EINVAL, "nu=0: expected a number" },
    { "centered-clip:tau=nan", P2P_EINVAL, "tau=nan: expected a number" },
    { "clipped-gossip:b=2", P2P_EINVAL, "b=2: expected a number from 0 to 1, or auto" },
};

START_TEST(wrong_specs_are_refused_with_what_is_allowed)
{
    p2p_aggregator *rule = (p2p_aggregator *)&rule;

    ck_fails(p2p_aggregator_new(&rule, wrong[_i].spec, 3, 2, P2P_F64), wrong[_i].status, wrong[_i].sentence);
    ck_assert_ptr_null(rule);
}
END_TEST

START_TEST(a_search_through_too_many_choices_is_refused)
{
    p2p_aggregator *rule;

    ck_ok(p2p_aggregator_new(&rule, "mda:f=9", 19, 2, P2P_F64));
    p2p_aggregator_destroy(&rule);
    ck_fails(p2p_aggregator_new(&rule, "mda:f=12", 29, 2, P2P_F64), P2P_EINVAL,
             "aggregator \"mda:f=12\": f=12 of 30 vectors leaves 8.65e+07 choices to try: expected at most 400000");
}
END_TEST

START_TEST(wrong_calls_are_refused)
{
    const double nan[] = { 0, NAN }, heavy[] = { 0.5, 0.6 }, negative[] = { 1.5, -0.5 }, light[] = { 1, 0 };
    p2p_view floats = { one, 2, P2P_F32 }, vectors[] = { view(two, 2), view(nan, 2) };
    double z[3] = { 7, 7, 7 };
    p2p_vec out = { z, 2, P2P_F64 }, longer = { z, 3, P2P_F64 };
    p2p_aggregator *rule;

    ck_fails(p2p_aggregator_new(&rule, "mean", 1, 0, P2P_F64), P2P_EINVAL, "dimension 0");
    ck_ok(p2p_aggregator_new(&rule, "mean", 1, 2, P2P_F64));
    ck_fails(p2p_aggregator_apply(rule, view(one, 2), 2, vectors, NULL, out), P2P_EINVAL,
             "2 vectors: opened for at most 1");
    ck_fails(p2p_aggregator_apply(rule, view(one, 1), 1, vectors, NULL, out), P2P_EINVAL,
             "own and result must have 2");
    ck_fails(p2p_aggregator_apply(rule, view(one, 2), 1, vectors, NULL, longer), P2P_EINVAL,
             "own and result must have 2");
    ck_fails(p2p_aggregator_apply(rule, view(one, 2), 1, &floats, NULL, out), P2P_EINVAL,
             "vector 0 has 2 entries of f32");
    ck_fails(p2p_aggregator_apply(rule, view(one, 2), 1, vectors, heavy, out), P2P_EINVAL, "the weights sum to 1.1");
    ck_fails(p2p_aggregator_apply(rule, view(one, 2), 1, vectors, negative, out), P2P_EINVAL, "weight 0 is 1.5");
    ck_fails(p2p_aggregator_apply(rule, view(nan, 2), 1, vectors, NULL, out), P2P_EINVAL,
             "entry 1 of the own vector is nan");
    ck_fails(p2p_aggregator_apply(rule, view(NULL, 2), 0, NULL, NULL, out), P2P_EINVAL, "there is no vector");
    ck_fails(p2p_aggregator_apply(rule, view(NULL, 2), 1, vectors + 1, NULL, out), P2P_ENOTSUP,
             "all vectors were refused");
    ck_fails(p2p_aggregator_apply(rule, view(NULL, 2), 1, vectors, light, out), P2P_ENOTSUP, "has weight 0");
    ck_assert_double_eq(z[0], 7);
    p2p_aggregator_destroy(&rule);
}
END_TEST

START_TEST(a_hub_rule_needs_no_own_vector)
{
    cloud c = cloud_new(9, 5, P2P_F64, 1);
    double z[5], among[5];
    p2p_vec out = { z, 5, P2P_F64 }, out_among = { among, 5, P2P_F64 };
    p2p_aggregator *rule;

    ck_ok(p2p_aggregator_new(&rule, "nnm|trimmed-mean:f=2", 9, 5, P2P_F64));
    ck_ok(p2p_aggregator_apply(rule, view(NULL, 5), 9, c.row, NULL, out));
    ck_ok(p2p_aggregator_apply(rule, c.row[0], 8, c.row + 1, NULL, out_among));
    ck_assert_mem_eq(z, among, sizeof z);
    p2p_aggregator_destroy(&rule);
    ck_ok(p2p_aggregator_new(&rule, "nna:f=2", 9, 5, P2P_F64));
    ck_fails(p2p_aggregator_apply(rule, view(NULL, 5), 9, c.row, NULL, out), P2P_ENOTSUP,
             "needs the node's own vector");
    p2p_aggregator_destroy(&rule);
    cloud_free(&c);
}
END_TEST

START_TEST(buckets_change_with_the_round_and_come_back)
{
    cloud c = cloud_new(12, 5, P2P_F64, 1);
    double first[5], other[5], again[5];
    double *results[] = { first, other, again };
    static const uint32_t rounds[] = { 3, 4, 3 };
    p2p_aggregator *rule;

    ck_ok(p2p_aggregator_new(&rule, "bucketing|median", 11, 5, P2P_F64));
    for (size_t k = 0; k < 3; k++) {
        p2p_vec out = { results[k], 5, P2P_F64 };

        p2p_aggregator_round(rule, 1, rounds[k]);
        ck_ok(p2p_aggregator_apply(rule, c.row[0], 11, c.row + 1, NULL, out));
    }
    ck_assert_mem_eq(first, again, sizeof first);
    ck_assert_mem_ne(first, other, sizeof first);
    p2p_aggregator_destroy(&rule);
    cloud_free(&c);
}
END_TEST

START_TEST(memory_can_be_saved_and_restored)
{
    cloud c = cloud_new(8, 5, P2P_F64, 1);
    double z[5], wanted[5], saved[5];
    p2p_vec out = { z, 5, P2P_F64 }, out_wanted = { wanted, 5, P2P_F64 }, save = { saved, 5, P2P_F64 };
    p2p_aggregator *rule, *restored;

    ck_ok(p2p_aggregator_new(&rule, "centered-clip:tau=0.1", 7, 5, P2P_F64));
    ck_ok(p2p_aggregator_apply(rule, c.row[0], 7, c.row + 1, NULL, out));
    p2p_vec_copy(save, p2p_view_of(p2p_aggregator_memory(rule)));
    ck_ok(p2p_aggregator_apply(rule, c.row[0], 7, c.row + 1, NULL, out_wanted));
    ck_assert_mem_ne(z, wanted, sizeof z);
    ck_ok(p2p_aggregator_new(&restored, "centered-clip:tau=0.1", 7, 5, P2P_F64));
    p2p_vec_copy(p2p_aggregator_memory(restored), p2p_view_of(save));
    ck_ok(p2p_aggregator_apply(restored, c.row[0], 7, c.row + 1, NULL, out));
    ck_assert_mem_eq(z, wanted, sizeof z);
    p2p_aggregator_destroy(&restored);
    p2p_aggregator_destroy(&rule);
    ck_ok(p2p_aggregator_new(&rule, "median", 7, 5, P2P_F64));
    ck_assert_ptr_null(p2p_aggregator_memory(rule).data);
    p2p_aggregator_destroy(&rule);
    cloud_free(&c);
}
END_TEST

START_TEST(a_neighbour_of_weight_zero_does_not_count)
{
    static const char *const weighted[] = { "mean", "clipped-gossip", "cs-plus", "gts" };
    cloud c = cloud_new(10, 5, P2P_F64, 2);
    double z[5], without[5];

    cloud_lie(&c, 1, 1000);
    c.weight[0] += c.weight[9];
    c.weight[9] = 0;
    for (size_t k = 0; k < sizeof weighted / sizeof *weighted; k++) {
        c.count = 10;
        cloud_apply(&c, weighted[k], z);
        c.count = 9;
        cloud_apply(&c, weighted[k], without);
        ck_assert_msg(cloud_distance(5, z, without) <= 1e-14, "%s", weighted[k]);
    }
    c.count = 10;
    cloud_free(&c);
}
END_TEST

int
main(void)
{
    Suite *suites[] = { suite_create("aggregate"), rules_suite(), columns_suite(), attacks_suite() };
    TCase *tc = tcase_create("interface");

    tcase_add_test(tc, mean_moves_towards_the_neighbours);
    tcase_add_loop_test(tc, specs_have_a_canonical_text, 0, sizeof specs / sizeof *specs);
    tcase_add_loop_test(tc, wrong_specs_are_refused_with_what_is_allowed, 0, sizeof wrong / sizeof *wrong);
    tcase_add_test(tc, a_search_through_too_many_choices_is_refused);
    tcase_add_test(tc, wrong_calls_are_refused);
    tcase_add_test(tc, a_hub_rule_needs_no_own_vector);
    tcase_add_test(tc, buckets_change_with_the_round_and_come_back);
    tcase_add_test(tc, memory_can_be_saved_and_restored);
    tcase_add_test(tc, a_neighbour_of_weight_zero_does_not_count);
    suite_add_tcase(suites[0], tc);
    return run_suites(4, suites);
}
