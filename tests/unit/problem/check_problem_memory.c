/*
 * Without memory: the n-th allocation fails for n = 0, 1, 2, ... until the call succeeds. Each failure is P2P_ENOMEM
 * and leaves nothing behind (which the sanitizers and valgrind see).
 */
#include "failing_memory.h"
#include "runner.h"

#include <p2popt.h>
#include <stdlib.h>

enum { NODES = 3, ROWS = 12 };

static p2p_data *whole;
static p2p_problem *problem;

/* What a call makes, if it succeeds. */
static p2p_data *data, *parts[NODES];
static p2p_problem *made;
static p2p_array array;
static double result[64];

static p2p_status
read_libsvm(void)
{
    static const p2p_shard shard = { 2, 1, "dirichlet" };

    return p2p_data_read(&data, "x.svm", &shard);
}

static p2p_status
read_csv(void)
{
    static const p2p_shard shard = { 2, 0, "by-label" };

    return p2p_data_read(&data, "x.csv", &shard);
}

static p2p_status
read_npy(void)
{
    return p2p_data_read(&data, "x.npy", NULL);
}

static p2p_status
read_array(void)
{
    return p2p_array_read(&array, "x.npy");
}

static p2p_status
split(void)
{
    return p2p_data_split(whole, "shuffled", NODES, parts);
}

static p2p_status
copy_dense(void)
{
    static const double a[2] = { 1, 2 }, labels[2] = { 0, 1 };

    return p2p_data_from_dense(&data, 2, 1, a, labels);
}

static p2p_status
open_logistic(void)
{
    return p2p_problem_new(&made, "logistic:intercept=yes", whole, P2P_F32, 0, 1, 1);
}

static p2p_status
open_softmax(void)
{
    return p2p_problem_new(&made, "softmax:classes=300", whole, P2P_F64, 0, 1, 1);
}

static p2p_status
open_mlp(void)
{
    return p2p_problem_new(&made, "mlp:hidden=3/2/3", whole, P2P_F64, 0, 1, 1);
}

static p2p_status
open_tiny_gan(void)
{
    return p2p_problem_new(&made, "tiny-gan:p=50,samples=100", NULL, P2P_F32, 0, 1, 1);
}

static p2p_status
open_quadratic(void)
{
    return p2p_problem_new(&made, "quadratic:dim=1000", NULL, P2P_F64, 0, 1, 1);
}

static p2p_status
grad(void *user, p2p_view x, const size_t *idx, size_t count, p2p_vec g)
{
    (void)user, (void)idx, (void)count;
    p2p_vec_copy(g, x);
    return P2P_OK;
}

static p2p_status
open_callback(void)
{
    static const p2p_layer layer = { "x", 9, 1, 0, 0 };
    static const p2p_problem_vt table = {
        .size = sizeof table, .layers = &layer, .layer_count = 1, .samples = 3000, .grad = grad
    };

    return p2p_problem_callback(&made, &table, NULL, P2P_F64);
}

static p2p_status
constants(void)
{
    return p2p_problem_constants(problem, &result[0], &result[1]);
}

static p2p_status
hessian(void)
{
    static const double x[2] = { 1, 2 };

    return p2p_problem_hessian(problem, (p2p_view){ x, 2, P2P_F64 }, result);
}

static p2p_status
check_gradient(void)
{
    static const double x[2] = { 1, 2 };

    return p2p_problem_check(problem, (p2p_view){ x, 2, P2P_F64 }, 1e-6, result);
}

static const struct {
    const char *name;
    p2p_status (*call)(void);
} calls[] = {
    { "libsvm", read_libsvm },
    { "csv", read_csv },
    { "npy", read_npy },
    { "array", read_array },
    { "split", split },
    { "dense", copy_dense },
    { "logistic", open_logistic },
    { "softmax", open_softmax },
    { "mlp", open_mlp },
    { "tiny-gan", open_tiny_gan },
    { "quadratic", open_quadratic },
    { "callback", open_callback },
    { "constants", constants },
    { "hessian", hessian },
    { "gradient check", check_gradient },
};

static void
clear(void)
{
    p2p_data_destroy(&data);
    for (size_t i = 0; i < NODES; i++)
        p2p_data_destroy(&parts[i]);
    p2p_problem_destroy(&made);
    p2p_array_clear(&array);
}

static void
open_all(void)
{
    double a[ROWS * 2], labels[ROWS], table[6] = { 1, 2, 3, 0, 4, 5 };
    p2p_array npy = { table, 2, 3, 2, P2P_F64 };

    enter_folder();
    write_text("x.svm", "0 1:1 2:2\n1 2:1\n0 1:3\n1 9:1\n");
    write_text("x.csv", "a,b\n1,2\n0,3\n1,4\n");
    ck_ok(p2p_array_write(&npy, "x.npy"));
    for (size_t j = 0; j < ROWS; j++) {
        a[2 * j] = (double)j;
        a[2 * j + 1] = (double)(j * j % 7);
        labels[j] = (double)(j % 2);
    }
    ck_ok(p2p_data_from_dense(&whole, ROWS, 2, a, labels));
    ck_ok(p2p_problem_new(&problem, "ridge", whole, P2P_F64, 0, 1, 1));
}

static void
close_all(void)
{
    p2p_problem_destroy(&problem);
    p2p_data_destroy(&whole);
    leave_folder();
}

START_TEST(every_allocation_may_fail)
{
    p2p_status st = P2P_ENOMEM;
    long n;

    for (n = 0; st != P2P_OK; n++) {
        failing_memory_after(n);
        st = calls[_i].call();
        failing_memory_after(-1);
        if (st != P2P_OK) {
            ck_assert_msg(st == P2P_ENOMEM, "%s, allocation %ld: %s: %s", calls[_i].name, n, p2p_status_text(st),
                          p2p_last_error());
            ck_assert_msg(strstr(p2p_last_error(), "no memory") != NULL, "%s, allocation %ld: %s", calls[_i].name, n,
                          p2p_last_error());
            ck_assert(data == NULL && made == NULL && array.data == NULL);
            for (size_t i = 0; i < NODES; i++)
                ck_assert_ptr_null(parts[i]);
        }
        ck_assert_int_lt(n, 1000);
    }
    ck_assert_int_gt(n, 1);
    clear();
}
END_TEST

int
main(void)
{
    Suite *s = suite_create("problems without memory");
    TCase *tc = tcase_create("problems without memory");

    tcase_add_checked_fixture(tc, open_all, close_all);
    tcase_add_loop_test(tc, every_allocation_may_fail, 0, sizeof calls / sizeof *calls);
    suite_add_tcase(s, tc);
    return run_suites(1, &s);
}
