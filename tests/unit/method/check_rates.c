/* Rates: what spec and papers promise for given parameters, and that automatic ones converge everywhere. */
#include "trial.h"

#include <math.h>

/* ring(8), Quadratic(8, 20, seed 1), x0 = 0: rounds to a relative error of 1e-10. */
START_TEST(reaches_1e_10_in_the_rounds_of_the_spec)
{
    static const struct {
        const char *method, *compressor;
        uint32_t rounds;
    } rows[] = {
        { "cold:step=0.2/L,gossip=0.2,dual=0.04", "topk:k=2", 500 },
        { "cold:step=0.2/L,gossip=0.4,dual=0.04", "sign", 550 },
        { "cold:step=1/L,gossip=0.6", "qinf:bits=2", 200 },
        { "cold:step=1/L,gossip=0.5", "identity", 175 },
        { "dyna-cold:step=1/L,gossip=0.3,dual=0.3,scale=1,decay=0.93", "binary", 350 },
        { "lead:step=0.5/L,gossip=1,alpha=0.5", "qinf:bits=2", 170 },
        { "nids:step=1/L", "identity", 175 },
        { "extra:step=0.7/L", "identity", 131 },
        { "gt:step=0.3/L,order=atc", "identity", 251 },
        { "cgt:step=0.1/L,gossip=0.5", "sign", 556 },
        { "beer:step=0.1/L,gossip=0.5", "sign", 556 },
    };
    trial t;

    trial_open(&t, "ring", 8, "quadratic:dim=20", P2P_F64, 1);
    ck_ok(trial_start(&t, rows[_i].method, rows[_i].compressor));
    trial_reach(&t, 1e-10, rows[_i].rounds);
    trial_close(&t);
}
END_TEST

START_TEST(dyna_cold_spends_a_bit_an_entry)
{
    trial t;

    trial_open(&t, "ring", 8, "quadratic:dim=20", P2P_F64, 1);
    ck_ok(trial_start(&t, "dyna-cold:step=1/L,gossip=0.3,dual=0.3,scale=1,decay=0.93", "binary"));
    trial_reach(&t, 1e-6, 189);
    ck_assert_double_le(t.swarm.bits_sent, 60480);
    trial_close(&t);
}
END_TEST

START_TEST(cold_without_loss_is_nids)
{
    trial cold, nids;

    trial_open(&cold, "ring", 8, "quadratic:dim=20", P2P_F64, 1);
    trial_open(&nids, "ring", 8, "quadratic:dim=20", P2P_F64, 1);
    ck_ok(trial_start(&cold, "cold:step=1/L,gossip=0.5", "identity"));
    ck_ok(trial_start(&nids, "nids:step=1/L,mixed=yes", "identity"));
    for (uint32_t k = 0; k < 50; k++) {
        ck_ok(lockstep_round(&cold.swarm, k));
        ck_ok(lockstep_round(&nids.swarm, k));
        for (size_t i = 0; i < 8; i++)
            ck_assert_double_le(p2p_vec_distance(p2pi_engine_iterate(cold.swarm.engines[i]),
                                                 p2pi_engine_iterate(nids.swarm.engines[i])),
                                1e-12);
    }
    trial_close(&cold);
    trial_close(&nids);
}
END_TEST

/* With the identity, gossip = 1 and beta = 1 the compressed methods are their uncompressed counterparts. */
START_TEST(without_loss_they_are_the_uncompressed_methods)
{
    static const struct {
        const char *with, *without;
    } pairs[] = { { "choco:step=0.3/L,gossip=1,decay=0", "dgd:step=0.3/L,order=atc" },
                  { "squarm:step=0.3/L,gossip=1,decay=0,momentum=0", "dgd:step=0.3/L,order=atc" },
                  { "robust-gossip:step=0.3/L", "dgd:step=0.3/L,order=atc" },
                  { "robust-choco:step=0.3/L,gossip=1", "dgd:step=0.3/L,order=atc" },
                  { "robust-choco:step=0.3/L,gossip=1,momentum=0.5", "robust-gossip:step=0.3/L,momentum=0.5" },
                  { "cgt:step=0.3/L,gossip=1", "gt:step=0.3/L,order=diging" } };
    trial a, b;

    trial_open(&a, "complete", 5, "quadratic:dim=7", P2P_F64, 3);
    trial_open(&b, "complete", 5, "quadratic:dim=7", P2P_F64, 3);
    ck_ok(trial_start(&a, pairs[_i].with, "identity"));
    ck_ok(trial_start(&b, pairs[_i].without, "identity"));
    for (uint32_t k = 0; k < 40; k++) {
        ck_ok(lockstep_round(&a.swarm, k));
        ck_ok(lockstep_round(&b.swarm, k));
        for (size_t i = 0; i < 5; i++)
            ck_assert_double_le(
                p2p_vec_distance(p2pi_engine_iterate(a.swarm.engines[i]), p2pi_engine_iterate(b.swarm.engines[i])),
                1e-12);
    }
    trial_close(&a);
    trial_close(&b);
}
END_TEST

/* breast_cancer, lambda 0.01, ring(8): kappa 300, bound by optimisation, not by compression. */
START_TEST(logistic_regression_in_the_rounds_of_the_spec)
{
    static const struct {
        const char *method, *compressor;
        uint32_t rounds;
    } rows[] = {
        { "cold:step=1/L,gossip=0.3,dual=0.06", "topk:k=10%", 6100 },
        { "cold:step=1/L,gossip=0.4,dual=0.02", "sign", 6100 },
        { "cold:step=1.4/L,gossip=0.4", "qinf:bits=2", 4300 },
        { "dyna-cold:step=1.4/L,gossip=0.2,dual=0.1,scale=1,decay=0.9964", "binary", 5800 },
    };
    trial t;

    trial_open_logistic(&t, "ring", 8, "logistic:lambda=0.01", "sample:breast-cancer");
    ck_assert_double_eq_tol(t.smoothness, 2.995, 1e-3);
    ck_ok(trial_start(&t, rows[_i].method, rows[_i].compressor));
    trial_reach(&t, 1e-10, rows[_i].rounds);
    trial_close(&t);
}
END_TEST

START_TEST(a_decay_that_is_too_fast_freezes_logistic_regression)
{
    trial t;

    trial_open_logistic(&t, "ring", 8, "logistic:lambda=0.01", "sample:breast-cancer");
    ck_ok(trial_start(&t, "dyna-cold:step=1.4/L,gossip=0.2,dual=0.1,scale=1,decay=0.9", "binary"));
    ck_ok(lockstep_rounds(&t.swarm, 0, 800));
    ck_assert_double_gt(lockstep_error(&t.swarm, t.optimum), 1);
    ck_assert_uint_gt(p2pi_engine_overloads(t.swarm.engines[0]), 800 * t.d / 2);
    ck_assert_ptr_nonnull(strstr(p2pi_engine_warning(t.swarm.engines[0]), "raise decay (now 0.9)"));
    trial_close(&t);
}
END_TEST

static const char *const graphs[] = { "ring", "star", "path", "complete", "torus:rows=4,cols=4" };

START_TEST(automatic_parameters_converge)
{
    static const struct {
        const char *method, *compressor;
        double error;
        uint32_t rounds;
    } rows[] = {
        { "cold", "identity", 1e-10, 2500 },    { "cold", "qinf:bits=2", 1e-10, 2500 },
        { "cold", "topk:k=10%", 1e-10, 12000 }, { "cold", "sign", 1e-10, 12000 },
        { "cold", "qinf:bits=1", 1e-6, 12000 }, { "cold", "randk:k=50%", 1e-6, 12000 },
        { "dyna-cold", "binary", 1e-10, 7000 }, { "lead", "qinf:bits=2", 1e-10, 2500 },
        { "nids", "identity", 1e-10, 2500 },    { "d2", "identity", 1e-10, 2500 },
        { "extra", "identity", 1e-10, 2500 },   { "gt", "identity", 1e-10, 4000 },
        { "cgt", "topk:k=10%", 1e-4, 12000 },   { "beer", "sign", 1e-6, 12000 },
        { "dgd", "identity", 2, 500 },          { "choco", "topk:k=10%", 2, 4000 },
        { "squarm", "topk:k=10%", 2, 4000 },    { "deepsqueeze", "qinf:bits=4", 2, 4000 },
    };
    const int row = _i / 5, graph = _i % 5;
    trial t;

    trial_open(&t, graphs[graph], graph == 4 ? 16 : 8, "quadratic:dim=20", P2P_F64, 1);
    if (strcmp(rows[row].method, "d2") == 0 && t.figures.lambda_n <= -1.0 / 3 + 1e-9)
        ck_fails(trial_start(&t, "d2", "identity"), P2P_ENOTSUP, "above -1/3");
    else {
        ck_ok(trial_start(&t, rows[row].method, rows[row].compressor));
        trial_reach(&t, rows[row].error, rows[row].rounds);
    }
    trial_close(&t);
}
END_TEST

START_TEST(consensus_keeps_the_mean)
{
    static const struct {
        const char *method, *compressor;
    } rows[] = { { "choco-gossip", "topk:k=10%" },
                 { "choco-gossip", "qinf:bits=2" },
                 { "choco-gossip", "sign" },
                 { "choco-gossip", "identity" },
                 { "dyna-gossip", "binary" } };
    trial t;

    trial_open(&t, "torus:rows=3,cols=3", 9, "consensus:dim=20", P2P_F64, 1);
    ck_ok(trial_start(&t, rows[_i].method, rows[_i].compressor));
    for (uint32_t k = 0; k <= 1500; k++) {
        for (size_t c = 0; c < t.d; c++) {
            double mean = 0;

            for (size_t i = 0; i < t.n; i++)
                mean += p2p_vec_get(p2pi_engine_iterate(t.swarm.engines[i]), c) / (double)t.n;
            if (k == 0)
                t.optimum[c] = mean;
            ck_assert_double_eq_tol(mean, t.optimum[c], 1e-12);
        }
        ck_ok(lockstep_round(&t.swarm, k));
    }
    ck_assert_double_lt(lockstep_error(&t.swarm, t.optimum), 1e-6);
    trial_close(&t);
}
END_TEST

START_TEST(single_precision_runs)
{
    static const struct {
        const char *method, *compressor;
    } rows[] = { { "cold", "qinf:bits=2" }, { "cold", "topk:k=10%" },  { "cold", "sign" },
                 { "dyna-cold", "binary" }, { "lead", "qinf:bits=4" }, { "nids", "identity" },
                 { "extra", "identity" },   { "gt", "identity" },      { "cgt", "sign" } };
    trial t;

    trial_open(&t, "ring", 8, "quadratic:dim=20", P2P_F32, 1);
    ck_ok(trial_start(&t, rows[_i].method, rows[_i].compressor));
    trial_reach(&t, 1e-5, 4000);
    trial_close(&t);
}
END_TEST

/* Every method that takes the compressor runs alone, and on its own function's optimum where it is exact. */
START_TEST(a_swarm_of_one)
{
    static const struct {
        const char *method, *compressor;
        double error;
    } rows[] = {
        { "cold", "topk:k=2", 1e-10 }, { "dyna-cold", "binary", 1e-10 }, { "lead", "qinf:bits=2", 1e-10 },
        { "choco", "sign", 1e-4 },     { "squarm", "topk:k=2", 1e-4 },   { "cgt", "topk:k=2", 1e-10 },
        { "beer", "topk:k=2", 1e-10 }, { "nids", "identity", 1e-10 },    { "exact-diffusion", "identity", 1e-10 },
        { "d2", "identity", 1e-10 },   { "extra", "identity", 1e-10 },   { "gt", "identity", 1e-10 },
        { "dgd", "identity", 1e-10 },
    };
    trial t;

    trial_open(&t, "complete", 1, "quadratic:dim=20", P2P_F64, 1);
    ck_ok(trial_start(&t, rows[_i].method, rows[_i].compressor));
    trial_reach(&t, rows[_i].error, 4000);
    trial_close(&t);
}
END_TEST

START_TEST(a_swarm_of_one_agrees_with_itself)
{
    static const char *const rows[][2] = { { "choco-gossip", "topk:k=2" },
                                           { "dyna-gossip", "binary" },
                                           { "deepsqueeze", "sign" } };
    trial t;

    trial_open(&t, "complete", 1, _i < 2 ? "consensus" : "quadratic", P2P_F64, 1);
    ck_ok(trial_start(&t, rows[_i][0], rows[_i][1]));
    ck_ok(lockstep_rounds(&t.swarm, 0, 100));
    trial_close(&t);
}
END_TEST

/* The residual is an estimate: it must not be below the truth, nor without relation to it. */
START_TEST(the_residual_follows_the_gap)
{
    static const struct {
        const char *method, *compressor;
    } rows[] = { { "cold", "qinf:bits=2" }, { "cold", "topk:k=10%" }, { "cold", "sign" },  { "dyna-cold", "binary" },
                 { "lead", "qinf:bits=2" }, { "nids", "identity" },   { "gt", "identity" } };
    trial t;
    uint32_t k;

    trial_open(&t, "ring", 8, "quadratic:dim=20", P2P_F64, 1);
    ck_ok(trial_start(&t, rows[_i].method, rows[_i].compressor));
    ck_assert_double_nan(p2pi_engine_residual(t.swarm.engines[0]));
    for (k = 0; k < 3000; k++) {
        double residual = 0;

        ck_ok(lockstep_round(&t.swarm, k));
        for (size_t i = 0; i < t.n; i++)
            residual = fmax(residual, p2pi_engine_residual(t.swarm.engines[i]));
        if (k < 32)
            continue;
        ck_assert_msg(residual > trial_gap(&t), "round %u: residual %g, gap %g", k, residual, trial_gap(&t));
        if (residual < 1e-12)
            break;
    }
    ck_assert_uint_lt(k, 3000);
    ck_assert_double_lt(trial_gap(&t), 1e-12);
    trial_close(&t);
}
END_TEST

Suite *edges_suite(void);
Suite *games_suite(void);
Suite *rounds_suite(void);

static Suite *
rates_suite(void)
{
    Suite *suite = suite_create("rates");
    TCase *tc = tcase_create("rates");

    tcase_set_timeout(tc, 300);
    tcase_add_loop_test(tc, reaches_1e_10_in_the_rounds_of_the_spec, 0, 11);
    tcase_add_test(tc, dyna_cold_spends_a_bit_an_entry);
    tcase_add_loop_test(tc, logistic_regression_in_the_rounds_of_the_spec, 0, 4);
    tcase_add_test(tc, a_decay_that_is_too_fast_freezes_logistic_regression);
    tcase_add_test(tc, cold_without_loss_is_nids);
    tcase_add_loop_test(tc, without_loss_they_are_the_uncompressed_methods, 0, 6);
    tcase_add_loop_test(tc, automatic_parameters_converge, 0, 18 * 5);
    tcase_add_loop_test(tc, consensus_keeps_the_mean, 0, 5);
    tcase_add_loop_test(tc, single_precision_runs, 0, 9);
    tcase_add_loop_test(tc, a_swarm_of_one, 0, 13);
    tcase_add_loop_test(tc, a_swarm_of_one_agrees_with_itself, 0, 3);
    tcase_add_loop_test(tc, the_residual_follows_the_gap, 0, 7);
    suite_add_tcase(suite, tc);
    return suite;
}

int
main(void)
{
    Suite *suites[] = { rates_suite(), edges_suite(), rounds_suite(), games_suite() };

    return run_suites(sizeof suites / sizeof suites[0], suites);
}
