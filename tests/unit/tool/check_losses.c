/* A reason many nodes were lost for is told once. */
#include "losses.h"
#include "runner.h"

START_TEST(a_reason_is_new_once)
{
    losses *l = losses_new(6);

    ck_assert_uint_eq(losses_take(l, 5, "node 4: diverged in round 9"), 5);
    ck_assert_uint_eq(losses_take(l, 4, "diverged in round 9"), 5);
    ck_assert_uint_eq(losses_take(l, 0, "diverged in round 8"), 0);
    ck_assert_uint_eq(losses_take(l, 1, "node 4: diverged in round 9"), 5);
    ck_assert_uint_eq(losses_take(l, 3, "node 0: diverged in round 8"), 0);
    losses_destroy(&l);
    ck_assert_ptr_null(l);
}
END_TEST

START_TEST(only_names_of_nodes_are_left_out)
{
    losses *l = losses_new(3);

    ck_assert_uint_eq(losses_take(l, 0, "node x: y"), 0);
    ck_assert_uint_eq(losses_take(l, 1, "y"), 1);
    ck_assert_uint_eq(losses_take(l, 2, "node : y"), 2);
    losses_destroy(&l);
    ck_assert_uint_eq(losses_take(NULL, 2, "y"), 2);
}
END_TEST

Suite *
losses_suite(void)
{
    Suite *suite = suite_create("losses");
    TCase *tc = tcase_create("losses");

    tcase_add_test(tc, a_reason_is_new_once);
    tcase_add_test(tc, only_names_of_nodes_are_left_out);
    suite_add_tcase(suite, tc);
    return suite;
}
