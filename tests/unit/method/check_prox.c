/* Proximal steps: values, optimality, and composite problems solved by cold and nids. */
#include "problem/prox.h"
#include "trial.h"

#include <p2popt.h>

#include <math.h>

static void
apply(const char *text, double step, size_t n, const double *in, double *out, p2p_dtype type)
{
    float single[8];
    p2p_vec x = { type == P2P_F32 ? (void *)single : (void *)out, n, type };
    p2pi_prox prox;

    ck_ok(p2pi_prox_parse(&prox, p2pi_span_of(text)));
    for (size_t i = 0; i < n; i++)
        p2p_vec_set(x, i, in[i]);
    p2pi_prox_apply(&prox, step, x);
    for (size_t i = 0; i < n; i++)
        out[i] = p2p_vec_get(p2p_view_of(x), i);
}

START_TEST(values_are_those_of_the_definition)
{
    static const struct {
        const char *text;
        double step, in[4], out[4];
    } rows[] = {
        { "none", 1, { 1, -2, 3, -4 }, { 1, -2, 3, -4 } },
        { "l1:lambda=2", 0.25, { 1, -2, 0.25, -0.5 }, { 0.5, -1.5, 0, 0 } },
        { "box", 1, { -1, 0.5, 2, 0 }, { 0, 0.5, 1, 0 } },
        { "(box:lo=-2,hi=2)", 1, { -3, 0.5, 2.5, 0 }, { -2, 0.5, 2, 0 } },
        { "ball:r=2.5", 1, { 3, 0, -4, 0 }, { 1.5, 0, -2, 0 } },
        { "ball:r=9", 1, { 3, 0, -4, 0 }, { 3, 0, -4, 0 } },
        { "orthant", 1, { -1, 0.5, 2, 0 }, { 0, 0.5, 2, 0 } },
        { "l1-ball:r=2", 1, { 1, -0.5, 0.25, 0 }, { 1, -0.5, 0.25, 0 } },
        { "l1-ball:r=2", 1, { 3, -2, 0.5, 0 }, { 1.5, -0.5, 0, 0 } },
        { "simplex", 1, { 0.25, 0.25, 0.25, 0.25 }, { 0.25, 0.25, 0.25, 0.25 } },
        { "simplex", 1, { 5, 1, 0, -7 }, { 1, 0, 0, 0 } },
        { "simplex", 1, { 1, 0.5, -1, -1 }, { 0.75, 0.25, 0, 0 } },
        { "simplex:total=2", 1, { 2, 1, -5, -5 }, { 1.5, 0.5, 0, 0 } },
    };
    double out[4];

    apply(rows[_i].text, rows[_i].step, 4, rows[_i].in, out, P2P_F64);
    for (size_t k = 0; k < 4; k++)
        ck_assert_double_eq_tol(out[k], rows[_i].out[k], 1e-15);
    apply(rows[_i].text, rows[_i].step, 4, rows[_i].in, out, P2P_F32);
    for (size_t k = 0; k < 4; k++)
        ck_assert_double_eq_tol(out[k], rows[_i].out[k], 1e-6);
}
END_TEST

/* z is the projection of x iff (x - z)'(y - z) <= 0 for every vertex y of the simplex. */
START_TEST(simplex_projections_are_optimal)
{
    double x[50], z[50], total = 0, at = 0;
    p2p_random random = p2p_random_open((uint64_t)_i, 0, 0, P2P_STREAM_DATA);
    p2pi_prox prox;

    p2p_random_normal(&random, 50, x);
    memcpy(z, x, sizeof z);
    ck_ok(p2pi_prox_parse(&prox, p2pi_span_of("simplex")));
    p2pi_prox_apply(&prox, 1, (p2p_vec){ z, 50, P2P_F64 });
    for (size_t k = 0; k < 50; k++) {
        ck_assert_double_ge(z[k], 0);
        total += z[k];
        at += (x[k] - z[k]) * z[k];
    }
    ck_assert_double_eq_tol(total, 1, 1e-12);
    for (size_t k = 0; k < 50; k++)
        ck_assert_double_le(x[k] - z[k], at + 1e-12);
}
END_TEST

START_TEST(bad_regularisers_are_refused)
{
    static const char *const bad[][2] = {
        { "ridge", "expected one of: none, l1, box, orthant, ball, l1-ball, simplex" },
        { "l1:0.1", "option \"0.1\"" },
        { "l1:lambda=-1", "lambda=-1: expected a number of at least 0" },
        { "(box:lo=2,hi=1)", "lo=2 is above hi=1" },
        { "ball:r=0", "r=0: expected" },
        { "simplex:total=nan", "total=nan: expected" },
    };
    p2pi_prox prox;

    ck_assert_int_ne(p2pi_prox_parse(&prox, p2pi_span_of(bad[_i][0])), P2P_OK);
    ck_assert_msg(strstr(p2p_last_error(), bad[_i][1]) != NULL, "%s", p2p_last_error());
}
END_TEST

/* Diagonal quadratics with the 1-norm: x* is the soft threshold of the unconstrained one, entry by entry. */
START_TEST(composite_problems_are_solved)
{
    static const char *const rows[][2] = { { "cold:prox=l1:lambda=0.5", "identity" },
                                           { "cold:prox=l1:lambda=0.5", "qinf:bits=2" },
                                           { "dyna-cold:prox=l1:lambda=0.5", "binary" },
                                           { "nids:prox=l1:lambda=0.5", "identity" },
                                           { "cold:prox=(box:lo=0,hi=0.1)", "identity" } };
    trial t;

    trial_open(&t, "ring", 8, "quadratic:dim=20", P2P_F64, 1);
    for (size_t k = 0; k < t.d; k++) {
        double D = 0, x = t.optimum[k];

        for (size_t i = 0; i < t.n; i++)
            D += t.diagonal[i][k] / (double)t.n;
        if (_i < 4)
            t.optimum[k] = x > 0.5 / D ? x - 0.5 / D : x < -0.5 / D ? x + 0.5 / D : 0;
        else
            t.optimum[k] = fmin(0.1, fmax(0, x));
    }
    ck_ok(trial_start(&t, rows[_i][0], rows[_i][1]));
    trial_reach(&t, 1e-9, 3000);
    trial_close(&t);
}
END_TEST

Suite *
prox_suite(void)
{
    Suite *suite = suite_create("prox");
    TCase *tc = tcase_create("prox");

    tcase_add_loop_test(tc, values_are_those_of_the_definition, 0, 13);
    tcase_add_loop_test(tc, simplex_projections_are_optimal, 0, 5);
    tcase_add_loop_test(tc, bad_regularisers_are_refused, 0, 6);
    tcase_add_loop_test(tc, composite_problems_are_solved, 0, 5);
    suite_add_tcase(suite, tc);
    return suite;
}
