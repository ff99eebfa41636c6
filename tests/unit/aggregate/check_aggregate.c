#include "runner.h"

#include <math.h>
#include <p2popt/aggregator.h>

static p2p_view
view(const double *x, size_t dim)
{
    p2p_view v = { x, dim, P2P_F64 };
    return v;
}

static const double one[] = { 1, 2 }, two[] = { 3, 6 }, bad[] = { 0, NAN };

START_TEST(mean_moves_towards_the_neighbours)
{
    const double weights[] = { 0.5, 0.25, 0.25 };
    p2p_view vectors[] = { view(two, 2), view(bad, 2) };
    double z[2];
    p2p_vec out = { z, 2, P2P_F64 };
    p2p_aggregator *mean;
    const size_t *senders;

    ck_ok(p2p_aggregator_new(&mean, "mean", 2, 2, P2P_F64));
    ck_ok(p2p_aggregator_apply(mean, view(one, 2), 2, vectors, weights, out));
    ck_assert_double_eq(z[0], 1.5);
    ck_assert_double_eq(z[1], 3);
    ck_assert_uint_eq(p2p_aggregator_refused(mean, &senders), 1);
    ck_assert_uint_eq(senders[0], 1);
    ck_fails(p2p_aggregator_apply(mean, view(bad, 2), 1, vectors, NULL, out), P2P_EINVAL, "entry 1 of the own");
    p2p_aggregator_destroy(&mean);
}
END_TEST

START_TEST(an_unknown_rule_lists_the_rules)
{
    p2p_aggregator *rule;

    ck_fails(p2p_aggregator_new(&rule, "meen", 2, 2, P2P_F64), P2P_EPARSE, "expected one of: mean");
    ck_assert_ptr_null(rule);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("aggregate");
    TCase *tc = tcase_create("rules");

    tcase_add_test(tc, mean_moves_towards_the_neighbours);
    tcase_add_test(tc, an_unknown_rule_lists_the_rules);
    suite_add_tcase(suite, tc);
    return run_suites(1, &suite);
}
