/* Methods with a hub: what they are in special cases, how fast they converge, what they refuse. */
#include "trial.h"

#include <string.h>

Suite *liars_suite(void);

static void
open_quadratics(trial *t, const char *topology)
{
    trial_open(t, topology, 8, "quadratic:dim=20", P2P_F64, 1);
}

/* The largest distance between node 0's iterates over the rounds. */
static double
apart(trial *a, trial *b, uint32_t rounds)
{
    double worst = 0;

    for (uint32_t k = 0; k < rounds; k++) {
        double distance;

        ck_ok(lockstep_round(&a->swarm, k));
        ck_ok(lockstep_round(&b->swarm, k));
        distance =
            p2p_vec_distance(p2pi_engine_iterate(a->swarm.engines[0]), p2pi_engine_iterate(b->swarm.engines[0]));
        worst = distance > worst ? distance : worst;
    }
    return worst;
}

typedef struct {
    const char *one, *one_compressor, *other, *other_compressor;
} identity;

static const identity identities[] = {
    { "ef-bv:step=0.1/L,lam=1,nu=1", "topk:k=4", "ef21:step=0.1/L", "topk:k=4" },
    { "ef-bv:step=0.1/L,lam=0.2,nu=1", "randk:k=4", "diana:step=0.1/L,lam=0.2", "randk:k=4" },
    { "artemis:step=0.2/L,lam=0.5,down=identity", "qinf:bits=4", "diana:step=0.2/L,lam=0.5", "qinf:bits=4" },
    { "artemis-pp:step=0.2/L,part=8", "qinf:bits=4", "artemis:step=0.2/L", "qinf:bits=4" },
    { "mcm:step=0.2/L,lam=0.5,down=identity", "qinf:bits=4", "diana:step=0.2/L,lam=0.5", "qinf:bits=4" },
    { "dore:step=0.2/L,lam=0.5,beta=1,eta=0.3,down=identity", "qinf:bits=4", "diana:step=0.2/L,lam=0.5",
      "qinf:bits=4" },
    { "marina:step=0.2/L,p=1", "qinf:bits=4", "gd:step=0.2/L", "identity" },
    { "pp-marina:step=0.2/L,p=0.3,part=8", "randk:k=4", "marina:step=0.2/L,p=0.3", "randk:k=4" },
    { "vr-marina:step=0.2/L,p=0.3", "randk:k=4", "marina:step=0.2/L,p=0.3", "randk:k=4" },
    { "neolithic:step=0.1/L,passes=1,momentum=0,down=identity", "topk:k=4", "ef-sgd:step=0.1/L", "topk:k=4" },
    { "ef-sgd-linear:step=0.1/L", "randk:k=4,scale=0,shared=1", "ef-sgd:step=0.1/L", "randk:k=4,scale=0,shared=1" },
    { "ec-sgd:step=0.2/L", "threshold:lambda=1e-300", "gd:step=0.2/L", "identity" },
    { "clag:step=0.2/L,zeta=3", "identity", "lag:step=0.2/L,zeta=3", "identity" },
    { "adacgd:step=0.2/L,zeta=3", "topk:k=4", "clag:step=0.2/L,zeta=3", "topk:k=4" },
    { "adacgd:step=0.1/L,zeta=0", "topk:k=4", "clag:step=0.1/L,zeta=0", "topk:k=4" },
    { "ef21-bc:step=0.1/L,down=identity", "topk:k=4", "adacgd:step=0.1/L,zeta=0", "topk:k=4" },
    { "adacgd:step=0.1/L,zeta=0,down=topk:k=4", "topk:k=4", "ef21-bc:step=0.1/L", "topk:k=4" },
    { "diana:step=0.05/L,down=qinf:bits=3,down-mode=mcm", "qinf:bits=4", "mcm:step=0.05/L,down=qinf:bits=3",
      "qinf:bits=4" },
    { "marina:step=0.2/L,p=0.3,down=identity", "randk:k=4", "marina:step=0.2/L,p=0.3", "randk:k=4" },
    { "3pcv5:step=0.1/L,p=1", "topk:k=4", "gd:step=0.1/L", "identity" },
};

START_TEST(rows_are_others_in_special_cases)
{
    const identity *row = &identities[_i];
    trial a, b;
    double distance;

    open_quadratics(&a, "star");
    open_quadratics(&b, "star");
    ck_ok(trial_start(&a, row->one, row->one_compressor));
    ck_ok(trial_start(&b, row->other, row->other_compressor));
    distance = apart(&a, &b, 60);
    ck_assert_msg(distance <= 1e-11, "%s and %s: %g apart", row->one, row->other, distance);
    trial_close(&a);
    trial_close(&b);
}
END_TEST

static const char *const lossless[] = {
    "dqsgd:step=0.2/L",       "dcgd:step=0.2/L",          "ef-sgd:step=0.2/L",       "diana:step=0.2/L",
    "ef21:step=0.2/L",        "ef-bv:step=0.2/L",         "marina:step=0.2/L,p=0.3", "vr-marina:step=0.2/L,p=0.3",
    "dasha:step=0.2/L",       "dasha-page:step=0.2/L",    "dasha-mvr:step=0.2/L",    "artemis:step=0.2/L",
    "mcm:step=0.2/L",         "dore:step=0.2/L,beta=1",   "lag:step=0.2/L,zeta=0",   "clag:step=0.2/L,zeta=0",
    "3pcv1:step=0.2/L",       "3pcv2:step=0.2/L",         "3pcv3:step=0.2/L",        "3pcv4:step=0.2/L",
    "3pcv5:step=0.2/L,p=0.3", "adacgd:step=0.2/L,zeta=0", "ef21-bc:step=0.2/L",
};

START_TEST(without_loss_they_are_gradient_descent)
{
    trial a, b;
    double distance;

    open_quadratics(&a, "complete");
    open_quadratics(&b, "complete");
    ck_ok(trial_start(&a, lossless[_i], "identity"));
    ck_ok(trial_start(&b, "gd:step=0.2/L", "identity"));
    distance = apart(&a, &b, 40);
    ck_assert_msg(distance <= 1e-11, "%s and gd: %g apart", lossless[_i], distance);
    trial_close(&a);
    trial_close(&b);
}
END_TEST

/* Star of 8, Quadratic(8, 20, seed 1), x0 = 0, automatic parameters. */
START_TEST(automatic_parameters_reach_1e_10)
{
    static const struct {
        const char *method, *compressor;
        uint32_t rounds;
    } rows[] = {
        { "marina", "randk:k=4", 1500 },
        { "pp-marina", "randk:k=4", 2500 },
        { "dasha", "qinf:bits=4", 800 },
        { "artemis", "qinf:bits=4", 400 },
        { "artemis-pp", "qinf:bits=4", 1000 },
        { "mcm", "qinf:bits=4", 800 },
        { "dore", "qinf:bits=4", 800 },
        { "lag", "identity", 800 },
        { "clag", "topk:k=4", 2500 },
        { "3pcv1", "topk:k=4", 700 },
        { "3pcv2:q=randk:k=4", "topk:k=4", 2500 },
        { "3pcv3", "topk:k=4", 1000 },
        { "3pcv4", "topk:k=4", 1700 },
        { "3pcv5:p=0.3", "topk:k=4", 1700 },
        { "adacgd:levels=topk:k=4;topk:k=8", "topk:k=16", 700 },
        { "ef21-bc", "topk:k=4", 8000 },
        { "adiana", "qinf:bits=4", 600 },
        { "ec-sgd-diana", "topk:k=4", 4500 },
        { "ef-sgd-linear", "randk:k=4,scale=0,shared=1", 4500 },
        { "neolithic:passes=6", "topk:k=10", 400 },
        { "diana:down=qinf:bits=4,down-mode=mcm", "qinf:bits=4", 900 },
        { "marina:down=topk:k=10", "randk:k=4", 6000 },
    };
    trial t;

    open_quadratics(&t, "complete");
    ck_ok(trial_start(&t, rows[_i].method, rows[_i].compressor));
    trial_reach(&t, 1e-10, rows[_i].rounds);
    trial_close(&t);
}
END_TEST

/* breast-cancer, lambda 0.01: kappa is 300. */
START_TEST(acceleration_pays_where_curvatures_differ)
{
    static const char *const methods[] = { "diana", "adiana", "canita" };
    double error[3];

    for (size_t i = 0; i < 3; i++) {
        trial t;

        trial_open_logistic(&t, "complete", 8, "logistic:lambda=0.01", "sample:breast-cancer");
        ck_ok(trial_start(&t, methods[i], "qinf:bits=6"));
        ck_ok(lockstep_rounds(&t.swarm, 0, 400));
        error[i] = lockstep_error(&t.swarm, t.optimum);
        trial_close(&t);
    }
    ck_assert_double_lt(error[1], error[0] / 10);
    ck_assert_double_lt(error[2], error[0]);
}
END_TEST

/* breast-cancer, lambda 0.01, from 0: a third of the Hessian's entries a round. */
START_TEST(newton_methods_are_superlinear)
{
    static const struct {
        const char *method, *compressor;
        uint32_t rounds;
    } rows[] = { { "newton-3pc", "topk:k=150", 30 },
                 { "fednl", "topk:k=150", 35 },
                 { "newton-clag", "topk:k=150", 35 },
                 { "newton-bag", "identity", 25 },
                 { "newton-cbag", "topk:k=150", 60 } };
    trial t;

    trial_open_logistic(&t, "star", 8, "logistic:lambda=0.01", "sample:breast-cancer");
    ck_ok(trial_start(&t, rows[_i].method, rows[_i].compressor));
    trial_reach(&t, 1e-9, rows[_i].rounds);
    trial_close(&t);
}
END_TEST

/* Equal data: c is each worker's own shift. */
START_TEST(cafe_is_ef21_on_equal_data)
{
    trial a, b;

    open_quadratics(&a, "star");
    open_quadratics(&b, "star");
    for (trial *t = &a; t != NULL; t = t == &a ? &b : NULL)
        for (size_t i = 1; i < t->n; i++) {
            p2p_problem_destroy(&t->problems[i]);
            ck_ok(p2p_problem_new(&t->problems[i], "quadratic:dim=20", NULL, P2P_F64, 0, 8, 1));
        }
    ck_ok(trial_start(&a, "cafe:step=0.1/L", "topk:k=4"));
    ck_ok(trial_start(&b, "ef21:step=0.1/L", "topk:k=4"));
    ck_assert_double_le(apart(&a, &b, 200), 1e-11);
    trial_close(&a);
    trial_close(&b);
}
END_TEST

/* The floor falls with every pass. */
START_TEST(passes_lower_the_floor)
{
    static const char *const methods[] = { "neolithic:step=0.25/L,momentum=0,passes=1",
                                           "neolithic:step=0.25/L,momentum=0,passes=2",
                                           "neolithic:step=0.25/L,momentum=0,passes=4" };
    double error[3];

    for (size_t i = 0; i < 3; i++) {
        trial t;

        open_quadratics(&t, "complete");
        ck_ok(trial_start(&t, methods[i], "topk:k=4"));
        ck_ok(lockstep_rounds(&t.swarm, 0, 1500));
        error[i] = lockstep_error(&t.swarm, t.optimum);
        trial_close(&t);
    }
    ck_assert_double_lt(error[1], error[0] / 1.2);
    ck_assert_double_lt(error[2], error[1] / 1.5);
}
END_TEST

/* What each of a few workers says of all shifts is right; what it says of its own alone is not. */
START_TEST(participation_needs_the_shifts_of_all)
{
    trial t;

    open_quadratics(&t, "complete");
    ck_ok(trial_start(&t, "artemis-pp:part=4,pp=1", "qinf:bits=4"));
    ck_ok(lockstep_rounds(&t.swarm, 0, 1000));
    ck_assert_double_gt(lockstep_error(&t.swarm, t.optimum), 1e-3);
    trial_close(&t);
}
END_TEST

START_TEST(what_cannot_work_is_refused)
{
    static const struct {
        const char *topology, *method, *compressor, *says;
    } rows[] = {
        { "ring", "marina", "randk:k=4", "needs a hub" },
        { "star", "marina", "topk:k=4", "is not unbiased; use 3pcv5" },
        { "star", "dasha", "topk:k=4", "is not unbiased" },
        { "star", "dasha-sync-mvr", "randk:k=4", "needs a problem with rows" },
        { "star", "clag", "randk:k=4", "is not contractive" },
        { "star", "lag", "topk:k=4", "sends its vectors as they are" },
        { "star", "artemis:down=topk:k=4", "qinf:bits=4", "down=topk:k=4 is not unbiased" },
        { "star", "artemis:down=nothing", "qinf:bits=4", "nothing" },
        { "star", "artemis-pp:part=9", "qinf:bits=4", "part=9: expected 0 (all), or 1 to 8" },
        { "star", "pp-marina:part=9", "randk:k=4", "part=9: expected 0 (all), or 1 to 8" },
        { "star", "marina:p=0", "randk:k=4", "p=0: expected" },
        { "star", "clag:zeta=-1", "topk:k=4", "zeta=-1: expected" },
        { "star", "3pcv2:q=topk:k=4", "topk:k=4", "q=topk:k=4 is not unbiased" },
        { "complete", "cafe-s", "topk:k=4", "needs one node as a guide" },
        { "star", "ef-sgd-linear", "topk:k=4", "is not linear and shared" },
        { "star", "ec-sgd-diana:shift=topk:k=4", "topk:k=4", "shift=topk:k=4 is not unbiased" },
        { "star", "ec-sgd:step=1", "threshold:lambda=-1", "lambda=-1" },
        { "star", "liec-sgd:period=0", "topk:k=4", "period=0: expected" },
        { "star", "adiana", "topk:k=4", "is not unbiased" },
        { "star", "diana:down=randk:k=4", "qinf:bits=4", "use down-mode=mcm" },
        { "star", "diana:down=topk:k=4,down-mode=mcm", "qinf:bits=4", "use down-mode=ef21" },
        { "star", "newton-3pc:option=3", "topk:k=4", "option=3: expected" },
        { "star", "newton-3pc", "randk:k=4", "is not contractive" },
        { "star", "newton-bag", "topk:k=4", "sends its vectors as they are" },
        { "star", "newton-3pc:option=1,mu=0", "topk:k=4", "needs mu above 0" },
        { "star", "neolithic:passes=7", "topk:k=4", "passes=7: expected" },
        { "star", "adacgd:levels=topk:k=8", "topk:k=4", "level 2 costs less" },
    };
    trial t;

    open_quadratics(&t, rows[_i].topology);
    ck_assert_msg(trial_start(&t, rows[_i].method, rows[_i].compressor) != P2P_OK, "%s was taken", rows[_i].method);
    ck_assert_msg(strstr(p2p_last_error(), rows[_i].says) != NULL, "%s: \"%s\"", rows[_i].method, p2p_last_error());
    trial_close(&t);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("hub"), *suites[2];
    TCase *tc = tcase_create("hub");

    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(tc, rows_are_others_in_special_cases, 0, sizeof identities / sizeof identities[0]);
    tcase_add_loop_test(tc, without_loss_they_are_gradient_descent, 0, sizeof lossless / sizeof lossless[0]);
    tcase_add_loop_test(tc, automatic_parameters_reach_1e_10, 0, 22);
    tcase_add_test(tc, acceleration_pays_where_curvatures_differ);
    tcase_add_loop_test(tc, newton_methods_are_superlinear, 0, 5);
    tcase_add_test(tc, cafe_is_ef21_on_equal_data);
    tcase_add_test(tc, passes_lower_the_floor);
    tcase_add_test(tc, participation_needs_the_shifts_of_all);
    tcase_add_loop_test(tc, what_cannot_work_is_refused, 0, 27);
    suite_add_tcase(suite, tc);
    suites[0] = suite;
    suites[1] = liars_suite();
    return run_suites(2, suites);
}
