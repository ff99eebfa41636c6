/* Games: what the methods for variational inequalities promise, and who refuses what. */
#include "trial.h"

#include <math.h>

/* Saddle(8, 20, seed 3), z0 = 0: rounds to a relative error, by the parameters of the spec. */
START_TEST(reaches_the_solution_in_the_rounds_of_the_spec)
{
    static const struct {
        const char *topology, *method, *compressor;
        double error;
        uint32_t rounds;
    } rows[] = {
        { "ring", "cold-vi:step=0.4/L,gossip=0.5", "identity", 1e-9, 500 },
        { "ring", "cold-vi:step=0.2/L,gossip=0.4", "qinf:bits=2", 1e-10, 1000 },
        { "ring", "cold-vi:step=0.1/L,gossip=0.3,dual=0.03", "topk:k=2", 1e-4, 1000 },
        { "ring", "cold-vi:step=0.1/L,gossip=0.3,dual=0.03", "topk:k=2", 1e-10, 3000 },
        { "ring", "cold-vi:step=0.1/L,gossip=0.3,dual=0.01", "sign", 1e-10, 3000 },
        { "ring", "dyna-cold-vi:step=0.1/L,gossip=0.2,dual=0.1,scale=1,decay=0.99", "binary", 1e-4, 1000 },
        { "ring", "dyna-cold-vi:step=0.1/L,gossip=0.2,dual=0.1,scale=1,decay=0.99", "binary", 1e-10, 3000 },
        { "ring", "gt-ogda:step=0.3/L", "identity", 1e-10, 665 },
        { "complete", "extragradient:step=0.7/M", "identity", 1e-9, 100 },
        { "complete", "popov:step=0.5/M", "identity", 1e-9, 250 },
        { "star", "frb:step=0.45/M", "identity", 1e-9, 300 },
        { "star", "masha1:step=1/L,p=0.1", "qinf:bits=2", 1e-6, 291 },
        { "complete", "masha1:step=0.3/L,p=0.125", "permk:part=rank", 1e-6, 710 },
        { "star", "masha2:step=0.4/L,p=0.1", "topk:k=2", 1e-6, 529 },
        { "star", "masha2:step=0.4/L,p=0.1", "sign", 1e-6, 524 },
    };
    trial t;

    trial_open(&t, rows[_i].topology, 8, "quadratic-game:dim=20", P2P_F64, 3);
    t.seed = 0;
    ck_ok(trial_start(&t, rows[_i].method, rows[_i].compressor));
    trial_reach(&t, rows[_i].error, rows[_i].rounds);
    trial_close(&t);
}
END_TEST

START_TEST(automatic_parameters_solve_games)
{
    static const struct {
        const char *topology, *problem, *method, *compressor;
    } rows[] = {
        { "ring", "quadratic-game", "cold-vi", "identity" },
        { "ring", "quadratic-game", "cold-vi", "qinf:bits=2" },
        { "ring", "quadratic-game", "cold-vi", "topk:k=2" },
        { "ring", "quadratic-game", "cold-vi", "randk:k=5" },
        { "ring", "quadratic-game", "cold-vi", "sign" },
        { "ring", "quadratic-game", "dyna-cold-vi", "binary" },
        { "ring", "quadratic-game", "gt-ogda", "identity" },
        { "ring", "bilinear-game", "cold-vi", "qinf:bits=2" },
        { "ring", "bilinear-game", "gt-ogda", "identity" },
        { "ring", "lagrangian", "cold-vi", "qinf:bits=2" },
        { "star", "quadratic-game", "extragradient", "identity" },
        { "star", "bilinear-game", "popov", "identity" },
        { "complete", "bilinear-game", "extragradient", "identity" },
        { "complete", "lagrangian", "frb", "identity" },
        { "star", "quadratic-game", "masha1", "qinf:bits=2" },
        { "star", "quadratic-game", "masha1", "permk" },
        { "complete", "quadratic-game", "masha1", "randk:k=2" },
        { "complete", "quadratic-game", "masha1", "identity" },
        { "star", "quadratic-game", "masha2", "topk:k=2" },
        { "complete", "quadratic-game", "masha2", "sign" },
        { "star", "bilinear-game", "masha1", "qinf:bits=2" },
        { "star", "bilinear-game", "masha2", "topk:k=2" },
        { "star", "quadratic-game", "three-pillars", "permk" },
        { "complete", "quadratic-game", "three-pillars", "identity" },
        { "complete", "lagrangian", "three-pillars", "permk" },
    };
    trial t;

    trial_open(&t, rows[_i].topology, 6, rows[_i].problem, P2P_F64, 2);
    ck_ok(trial_start(&t, rows[_i].method, rows[_i].compressor));
    trial_reach(&t, 1e-9, 20000);
    trial_close(&t);
}
END_TEST

/* A swarm of one node is the method itself. */
START_TEST(one_node_is_enough)
{
    static const char *const methods[] = { "extragradient", "popov", "frb", "cold-vi", "gt-ogda", "d-eg", "local-eg",
                                           "masha1", "masha2", "three-pillars" };
    trial t;

    trial_open(&t, "complete", 1, "quadratic-game", P2P_F64, 2);
    ck_ok(trial_start(&t, methods[_i], "identity"));
    trial_reach(&t, 1e-10, 3000);
    trial_close(&t);
}
END_TEST

/* d-eg and local-eg stop at a floor; that of d-eg falls as it mixes more. */
START_TEST(plain_gossip_leaves_an_error)
{
    double floor[3];
    static const char *const methods[] = { "local-eg", "d-eg:mixes=1", "d-eg:mixes=8" };
    trial t;

    trial_open(&t, "ring", 8, "quadratic-game:dim=20", P2P_F64, 3);
    for (size_t i = 0; i < 3; i++) {
        ck_ok(trial_start(&t, methods[i], "identity"));
        ck_ok(lockstep_rounds(&t.swarm, 0, 1000));
        floor[i] = lockstep_error(&t.swarm, t.optimum);
        ck_assert_double_lt(floor[i], 1);
    }
    ck_assert_double_gt(floor[1], 0.1);
    ck_assert_double_lt(floor[2], floor[1] / 5);
    trial_close(&t);
}
END_TEST

/* The duality gap at the mean of the iterates. */
static double
gap_of(const trial *t)
{
    double z[TRIAL_DIM] = { 0 }, f[TRIAL_DIM] = { 0 }, g[TRIAL_DIM], gap;
    const p2p_vec at = { z, t->d, P2P_F64 }, sum = { f, t->d, P2P_F64 }, one = { g, t->d, P2P_F64 };

    for (size_t i = 0; i < t->n; i++)
        p2p_vec_axpy(at, 1 / (double)t->n, p2pi_engine_iterate(t->swarm.engines[i]));
    for (size_t i = 0; i < t->n; i++) {
        ck_ok(p2p_problem_grad(t->problems[i], p2p_view_of(at), NULL, 0, one));
        p2p_vec_axpy(sum, 1 / (double)t->n, p2p_view_of(one));
    }
    ck_ok(p2p_problem_duality_gap(t->problems[0], p2p_view_of(at), p2p_view_of(sum), &gap));
    return gap;
}

START_TEST(matrix_games_are_solved_on_their_simplices)
{
    static const struct {
        const char *topology, *method, *compressor;
    } rows[] = {
        { "ring", "cold-vi", "identity" },
        { "ring", "cold-vi:step=0.4/L", "qinf:bits=4" },
        { "star", "extragradient", "identity" },
        { "complete", "frb", "identity" },
        { "star", "masha1", "qinf:bits=4" },
        { "complete", "three-pillars", "permk" },
    };
    trial t;

    trial_open(&t, rows[_i].topology, 6, "matrix-game:rows=6,cols=5", P2P_F64, 2);
    ck_ok(trial_start(&t, rows[_i].method, rows[_i].compressor));
    ck_assert_double_gt(gap_of(&t), 1e-2);
    ck_ok(lockstep_rounds(&t.swarm, 0, 20000));
    ck_assert_double_lt(gap_of(&t), 1e-4);
    for (size_t i = 0; i < t.n; i++) {
        const double *z = p2pi_engine_iterate(t.swarm.engines[i]).data;
        double u = 0, v = 0;

        for (size_t k = 0; k < 11; k++) {
            ck_assert_double_ge(z[k], 0);
            *(k < 6 ? &u : &v) += z[k];
        }
        ck_assert_double_eq_tol(u, 1, 1e-12);
        ck_assert_double_eq_tol(v, 1, 1e-12);
    }
    trial_close(&t);
}
END_TEST

START_TEST(what_does_not_fit_is_refused)
{
    static const struct {
        const char *topology, *problem, *method, *sentence;
        p2p_status status;
    } rows[] = {
        { "ring", "quadratic-game", "cold",
          "method \"cold\" minimises: problem \"quadratic-game\" is a game; use cold-vi",
          P2P_ENOTSUP },
        { "ring", "matrix-game", "nids", "is a game", P2P_ENOTSUP },
        { "ring", "matrix-game", "gt-ogda", "method \"gt-ogda\" has no proximal step", P2P_ENOTSUP },
        { "ring", "quadratic-game", "frb", "method \"frb\" needs a hub: use topology star, or complete",
          P2P_ENOTSUP },
        { "ring", "quadratic-game", "d-eg:mixes=0", "mixes=0: expected an integer from 1 to 127", P2P_EINVAL },
        { "ring", "quadratic-game", "local-eg:local=0", "local=0: expected an integer", P2P_EINVAL },
        { "ring", "quadratic-game", "masha1", "method \"masha1\" needs a hub", P2P_ENOTSUP },
        { "star", "matrix-game", "masha2", "use cold-vi, or, on topology star or complete, extragradient, frb or masha1",
          P2P_ENOTSUP },
        { "star", "quadratic-game", "masha1:p=0", "p=0: expected", P2P_EINVAL },
        { "star", "quadratic-game", "masha1:p=1.5", "p=1.5: expected", P2P_EINVAL },
        { "star", "quadratic-game", "three-pillars:local=0", "local=0: expected", P2P_EINVAL },
    };
    trial t;

    trial_open(&t, rows[_i].topology, 4, rows[_i].problem, P2P_F64, 1);
    ck_fails(trial_start(&t, rows[_i].method, "identity"), rows[_i].status, rows[_i].sentence);
    trial_close(&t);
}
END_TEST

/* Minimisation is a variational inequality too. */
START_TEST(minimisers_are_found)
{
    static const char *const methods[] = { "cold-vi", "gt-ogda" };
    trial t;

    trial_open(&t, "ring", 8, "quadratic:dim=20", P2P_F64, 1);
    ck_ok(trial_start(&t, methods[_i], "identity"));
    trial_reach(&t, 1e-9, 3000);
    trial_close(&t);
}
END_TEST

Suite *
games_suite(void)
{
    Suite *suite = suite_create("games");
    TCase *tc = tcase_create("games");

    tcase_set_timeout(tc, 120);
    tcase_add_loop_test(tc, reaches_the_solution_in_the_rounds_of_the_spec, 0, 15);
    tcase_add_loop_test(tc, automatic_parameters_solve_games, 0, 25);
    tcase_add_loop_test(tc, one_node_is_enough, 0, 10);
    tcase_add_test(tc, plain_gossip_leaves_an_error);
    tcase_add_loop_test(tc, matrix_games_are_solved_on_their_simplices, 0, 6);
    tcase_add_loop_test(tc, what_does_not_fit_is_refused, 0, 11);
    tcase_add_loop_test(tc, minimisers_are_found, 0, 2);
    suite_add_tcase(suite, tc);
    return suite;
}
