/* What methods refuse, warn of, and report as diverged; the values of automatic parameters. */
#include "trial.h"

#include <math.h>

static trial t;

static void
open_ring(void)
{
    trial_open(&t, "ring", 8, "quadratic:dim=20", P2P_F64, 1);
}

static void
close_ring(void)
{
    trial_close(&t);
}

START_TEST(bad_settings_are_refused)
{
    static const struct {
        const char *method, *compressor, *sentence;
        p2p_status status;
    } rows[] = {
        { "gold", "identity", "method \"gold\": unknown; expected one of: cold,", P2P_EPARSE },
        { "cold:stp=1", "identity", "unknown option \"stp\"; allowed: step, gossip, dual, prox", P2P_EPARSE },
        { "cold:step=0", "identity", "step=0: expected a number of at least 0 (0 excluded), or auto", P2P_EINVAL },
        { "cold:step=-1", "identity", "step=-1: expected", P2P_EINVAL },
        { "cold:step=nan", "identity", "step=nan: expected", P2P_EINVAL },
        { "cold:step=inf", "identity", "step=inf: expected", P2P_EINVAL },
        { "cold:gossip=0", "identity", "gossip=0: expected", P2P_EINVAL },
        { "cold:gossip=0.8", "identity", "gossip=0.8: expected a number from 0 (excluded) to 1/beta = 0.75",
          P2P_EINVAL },
        { "cold:gossip=0.3,dual=0.4", "identity", "dual=0.4: expected a number from 0 (excluded) to gossip = 0.3",
          P2P_EINVAL },
        { "cold", "no-such", "compressor \"no-such\"", P2P_EPARSE },
        { "cold", "binary", "compressor \"binary\" needs a scale from the method", P2P_ENOTSUP },
        { "choco", "binary", "compressor \"binary\" needs a scale from the method", P2P_ENOTSUP },
        { "cold", "ef21(topk:k=2)", "keeps an estimate at its receivers", P2P_ENOTSUP },
        { "cold:prox=l2", "identity", "regulariser \"l2\": unknown; expected one of: none, l1, box, orthant, ball, l1-ball, simplex",
          P2P_EPARSE },
        { "cold:prox=l1:lambda=-1", "identity", "lambda=-1: expected", P2P_EINVAL },
        { "dyna-cold", "sign", "compressor \"sign\" sends its own scale", P2P_ENOTSUP },
        { "dyna-cold", "identity", "sends its own scale", P2P_ENOTSUP },
        { "dyna-cold:decay=0.5", "binary", "decay=0.5: expected a number from 1/2 to 1 (1/2 excluded) (1 excluded)",
          P2P_EINVAL },
        { "dyna-cold:decay=1", "binary", "decay=1: expected", P2P_EINVAL },
        { "dyna-cold:scale=0", "binary", "scale=0: expected", P2P_EINVAL },
        { "dyna-cold:gossip=0.2,dual=0.3", "binary", "dual=0.3: expected", P2P_EINVAL },
        { "lead:gossip=1.5", "qinf", "gossip=1.5: expected a number from 0 to 1 (0 excluded)", P2P_EINVAL },
        { "lead:alpha=0", "qinf", "alpha=0: expected", P2P_EINVAL },
        { "lead", "topk:k=2", "gossip=auto is for unbiased compressors", P2P_ENOTSUP },
        { "dgd", "topk:k=2", "method \"dgd\" sends its vectors as they are: compressor \"topk:k=2\"", P2P_ENOTSUP },
        { "nids", "sign", "method \"nids\" sends its vectors as they are", P2P_ENOTSUP },
        { "extra", "qinf", "method \"extra\" sends its vectors as they are", P2P_ENOTSUP },
        { "gt", "qinf", "method \"gt\" sends its vectors as they are", P2P_ENOTSUP },
        { "d2", "identity", "the smallest eigenvalue of (1 - lazy) I + lazy W is -0.3333, expected above -1/3",
          P2P_ENOTSUP },
        { "dgd:local=0", "identity", "local=0: expected", P2P_EINVAL },
        { "dgd:order=abc", "identity", "order=abc: expected one of cta|atc", P2P_EINVAL },
        { "squarm:momentum=1", "identity", "momentum=1: expected", P2P_EINVAL },
        { "choco-gossip:gossip=1", "identity", "gossip=1: expected a number from 0 (excluded) to 1/beta",
          P2P_EINVAL },
    };

    ck_fails(trial_start(&t, rows[_i].method, rows[_i].compressor), rows[_i].status, rows[_i].sentence);
}
END_TEST
enum { BAD_SETTINGS = 33 };

START_TEST(rules_are_for_methods_that_take_them)
{
    t.aggregator = "median";
    ck_fails(trial_start(&t, "cold", "identity"), P2P_ENOTSUP, "aggregator \"median\" works with dgd");
}
END_TEST

START_TEST(unknown_constants_are_asked_for)
{
    t.convexity = 0;
    ck_ok(trial_start(&t, "cold", "topk:k=2"));
    ck_assert_double_eq_tol(1 / t.smoothness, 0.1001, 1e-3);
    ck_fails(trial_start(&t, "dyna-cold", "binary"), P2P_EINVAL, "decay=auto needs the strong convexity mu");
    ck_ok(trial_start(&t, "dyna-cold:decay=0.99", "binary"));
    t.smoothness = 0;
    ck_fails(trial_start(&t, "cold", "topk:k=2"), P2P_EINVAL,
             "method \"cold\": step=auto needs the smoothness constant L");
    ck_ok(trial_start(&t, "cold:step=0.1", "topk:k=2"));
    memset(&t.figures, 0, sizeof t.figures);
    ck_fails(trial_start(&t, "cold:step=0.1", "topk:k=2"), P2P_EINVAL, "gossip=auto needs the spectral gap of W");
    ck_ok(trial_start(&t, "cold:step=0.1,gossip=0.2", "topk:k=2"));
}
END_TEST

START_TEST(automatic_values_are_those_of_the_rules)
{
    const double L = t.smoothness, mu = t.convexity, g = t.figures.gap, beta = t.figures.beta;
    double gossip = 0.2 / beta, dual = 0.1 * gossip;
    char expected[256];

    ck_assert_double_eq_tol(beta, 4.0 / 3, 1e-12);
    ck_ok(trial_start(&t, "cold", "topk:k=10%"));
    snprintf(expected, sizeof expected, "cold:step=%.17g,gossip=%.17g,dual=%.17g",
             fmin(1, fmax(0.1, sqrt(dual * g * L / mu))) / L, gossip, dual);
    double step, shown_gossip, shown_dual;
    ck_assert_int_eq(sscanf(p2pi_engine_parameters(t.swarm.engines[0]), "cold:step=%lf,gossip=%lf,dual=%lf", &step,
                            &shown_gossip, &shown_dual),
                     3);
    ck_assert_double_eq_tol(step, fmin(1, fmax(0.1, sqrt(dual * g * L / mu))) / L, 1e-15);
    ck_assert_double_eq_tol(shown_gossip, gossip, 1e-15);
    ck_assert_double_eq_tol(shown_dual, dual, 1e-15);

    ck_ok(trial_start(&t, "dyna-cold", "binary"));
    double decay, scale, largest = 0;
    ck_assert_int_eq(sscanf(p2pi_engine_parameters(t.swarm.engines[5]),
                            "dyna-cold:step=%lf,gossip=%lf,dual=%lf,decay=%lf,scale=%lf", &step, &shown_gossip,
                            &shown_dual, &decay, &scale),
                     5);
    ck_assert_double_eq_tol(step, 1 / L, 1e-15);
    ck_assert(shown_gossip == 0.2 && shown_dual == 0.1);
    ck_assert_double_eq_tol(decay, 1 - 0.7 * fmin(fmin(mu / L, 0.1 * g), 0.1), 1e-15);
    for (size_t i = 0; i < t.n; i++)
        for (size_t k = 0; k < t.d; k++)
            largest = fmax(largest, fabs(t.linear[i][k]) / L);
    ck_assert_double_eq_tol(scale, 2 * largest, 1e-14);
}
END_TEST

START_TEST(divergence_is_reported_with_the_parameters)
{
    static const struct {
        const char *method, *compressor;
        const char *names[3];
    } rows[] = {
        { "cold:step=3/L", "identity", { "step=", "gossip=0.5", "dual=0.5" } },
        { "cold:step=1/L,gossip=0.7,dual=0.7", "topk:k=1", { "step=", "gossip=0.7", "dual=0.7" } },
        { "nids:step=3/L", "identity", { "step=", "nids", "round" } },
        { "dgd:step=2.5/L", "identity", { "step=", "dgd", "round" } },
    };
    p2p_status st;

    ck_ok(trial_start(&t, rows[_i].method, rows[_i].compressor));
    st = lockstep_rounds(&t.swarm, 0, 20000);
    ck_assert_msg(st == P2P_EDIVERGED, "%s", p2p_status_text(st));
    for (size_t k = 0; k < 3; k++)
        ck_assert_msg(strstr(p2p_last_error(), rows[_i].names[k]) != NULL, "%s", p2p_last_error());
}
END_TEST

static p2p_status
sick_gradient(void *user, p2p_view x, const size_t *idx, size_t count, p2p_vec g)
{
    (void)x;
    (void)idx;
    (void)count;
    p2p_vec_fill(g, ++*(int *)user > 3 ? NAN : 1);
    return P2P_OK;
}

static p2p_status
failing_gradient(void *user, p2p_view x, const size_t *idx, size_t count, p2p_vec g)
{
    (void)x;
    (void)idx;
    (void)count;
    p2p_vec_zero(g);
    return ++*(int *)user > 3 ? p2p_fail(P2P_EUSER, "the disk is on fire") : P2P_OK;
}

START_TEST(gradients_that_fail_end_the_round)
{
    const p2p_layer layer = { "x", 4, 1, 0, 0 };
    const p2p_problem_vt table = {
        .size = sizeof table, .layers = &layer, .layer_count = 1, .grad = _i ? failing_gradient : sick_gradient
    };
    p2p_topology *alone;
    p2p_problem *problem;
    lockstep swarm;
    int calls = 0;
    p2p_status st;

    ck_ok(p2p_topology_new(&alone, "complete", NULL, 1, 0));
    ck_ok(p2p_problem_callback(&problem, &table, &calls, P2P_F64));
    const p2pi_engine_config config = { .topology = alone, .method = "nids:step=0.1" };
    ck_ok(lockstep_new(&swarm, &config, &problem, NULL));
    st = lockstep_rounds(&swarm, 0, 10);
    ck_assert_int_eq(st, _i ? P2P_EUSER : P2P_EDIVERGED);
    ck_assert_ptr_nonnull(strstr(p2p_last_error(), _i ? "the disk is on fire" : "step=0.1"));
    lockstep_clear(&swarm);
    p2p_problem_destroy(&problem);
    p2p_topology_destroy(&alone);
}
END_TEST

START_TEST(bold_steps_get_a_warning)
{
    const char *warning;

    ck_ok(trial_start(&t, "cold:step=2.5/L", "identity"));
    warning = p2pi_engine_warning(t.swarm.engines[0]);
    ck_assert_ptr_nonnull(warning);
    ck_assert_ptr_nonnull(strstr(warning, "is not below 2/L = 0.2"));
    ck_assert_ptr_null(p2pi_engine_warning(t.swarm.engines[0]));
    ck_ok(trial_start(&t, "cold:step=1.9/L", "identity"));
    ck_assert_ptr_null(p2pi_engine_warning(t.swarm.engines[0]));
}
END_TEST

/* A decay that is too fast freezes the estimates: no explosion, but the count shows it and the node says so. */
START_TEST(frozen_estimates_get_a_warning)
{
    const char *warning;
    uint64_t overloads;

    ck_ok(trial_start(&t, "dyna-cold:step=1/L,gossip=0.3,dual=0.3,scale=1,decay=0.93", "binary"));
    ck_ok(lockstep_rounds(&t.swarm, 0, 192));
    ck_assert_ptr_null(p2pi_engine_warning(t.swarm.engines[0]));
    overloads = p2pi_engine_overloads(t.swarm.engines[0]);
    ck_assert_uint_lt(overloads, 192 * 20 / 10);

    ck_ok(trial_start(&t, "dyna-cold:step=1/L,gossip=0.3,dual=0.3,scale=1,decay=0.7", "binary"));
    ck_ok(lockstep_rounds(&t.swarm, 0, 192));
    ck_assert_uint_gt(p2pi_engine_overloads(t.swarm.engines[0]), 192 * 20 / 2);
    warning = p2pi_engine_warning(t.swarm.engines[0]);
    ck_assert_ptr_nonnull(warning);
    ck_assert_ptr_nonnull(strstr(warning, "raise decay (now 0.7) or scale"));
    ck_assert_double_gt(lockstep_error(&t.swarm, t.optimum), 0.1);
}
END_TEST

START_TEST(starting_points_are_checked)
{
    double x[20] = { 0 };
    p2pi_engine_config config = { .topology = t.topology,
                                  .figures = &t.figures,
                                  .problem = t.problems[0],
                                  .method = "dgd:step=0.1",
                                  .start = { x, 19, P2P_F64 } };
    p2pi_engine *engine;

    ck_fails(p2pi_engine_new(&engine, &config), P2P_EINVAL, "starting point: 19 entries, expected 20");
    ck_assert_ptr_null(engine);
    config.start.dim = 20;
    x[3] = INFINITY;
    ck_fails(p2pi_engine_new(&engine, &config), P2P_EINVAL, "starting point: entry 3 is not finite");
    x[3] = 5;
    ck_ok(p2pi_engine_new(&engine, &config));
    ck_assert_double_eq(p2p_vec_get(p2pi_engine_iterate(engine), 3), 5);
    p2pi_engine_destroy(&engine);
}
END_TEST

Suite *
parameters_suite(void)
{
    Suite *suite = suite_create("parameters");
    TCase *tc = tcase_create("parameters");

    tcase_set_timeout(tc, 60);
    tcase_add_checked_fixture(tc, open_ring, close_ring);
    tcase_add_loop_test(tc, bad_settings_are_refused, 0, BAD_SETTINGS);
    tcase_add_test(tc, rules_are_for_methods_that_take_them);
    tcase_add_test(tc, unknown_constants_are_asked_for);
    tcase_add_test(tc, automatic_values_are_those_of_the_rules);
    tcase_add_loop_test(tc, divergence_is_reported_with_the_parameters, 0, 4);
    tcase_add_loop_test(tc, gradients_that_fail_end_the_round, 0, 2);
    tcase_add_test(tc, bold_steps_get_a_warning);
    tcase_add_test(tc, frozen_estimates_get_a_warning);
    tcase_add_test(tc, starting_points_are_checked);
    suite_add_tcase(suite, tc);
    return suite;
}
