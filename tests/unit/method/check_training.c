/* Training methods: what they are in special cases, the same bits over a star and a complete graph, what they refuse.
 */
#include "trial.h"

#include "method/optimiser.h"
#include "method/step_schedule.h"

#include <math.h>
#include <string.h>

static void
open_of(trial *t, const char *topology, p2p_dtype type)
{
    trial_open(t, topology, 5, "quadratic:dim=20", type, 3);
}

static void
open_quadratics(trial *t, const char *topology)
{
    open_of(t, topology, P2P_F64);
}

static const void *
iterate(const trial *t, size_t node)
{
    return p2pi_engine_iterate(t->swarm.engines[node]).data;
}

/* ---- special cases */

static const struct {
    const char *one, *other;
} identities[] = {
    { "comp-ams:step=0.05,up=identity", "amsgrad:step=0.05" },
    { "clan:step=0.05,up=identity", "lans:step=0.05" },
    { "gmc:step=0.1/L,up=identity", "heavy-ball:step=0.1/L" },
    { "gmc+:step=0.1/L,up=identity", "heavy-ball:step=0.1/L" },
    { "def:step=0.1/L,up=identity", "heavy-ball:step=0.1/L" },
    { "dgc:step=0.1/L,k=100%,mask=no", "heavy-ball:step=0.1/L" },
    { "dgc:step=0.1/L,k=100%,mask=no,nesterov=yes", "nesterov:step=0.1/L" },
    { "dgc:step=0.1/L,k=100%", "sgd:step=0.1/L" },
    { "3lc:step=0.1/L,up=identity", "heavy-ball:step=0.1/L" },
    { "sgd:step=0.1/L,wd=0.1,optimiser=add,beta=0", "sgd:step=0.2/L,wd=0.1" },
    { "adam:step=0.05,wd=0.1,optimiser=adamw", "adamw:step=0.05,wd=0.1" },
    { "allreduce:step=0.1/L", "sgd:step=0.1/L" },
    { "scalecom:step=0.1/L,up=(clt:k=100%,beta=0.1)", "heavy-ball:step=0.1/L" },
    { "powersgd:step=0.1/L,up=identity", "sgd:step=0.1/L,optimiser=add" },
    { "sgd:step=0.1/L", "gd:step=0.1/L" },
    { "local-sgd:step=0.1/L,tau=1", "sgd:step=0.1/L" },
    { "fedcom:step=0.1/L,tau=1,up=identity", "sgd:step=0.1/L" },
    { "fedcomgate:step=0.1/L,tau=1,up=identity", "sgd:step=0.1/L" },
    { "scaffold:step=0.1/L,tau=1", "sgd:step=0.1/L" },
    { "qsparse-local:step=0.1/L,tau=5,up=topk:k=100%", "local-sgd:step=0.1/L,tau=5" },
    { "scaffnew:step=0.1/L,p=1", "sgd:step=0.1/L" },
    { "compose:step=0.1/L,collective=all-reduce", "sgd:step=0.1/L" },
    { "compose:step=0.05,optimiser=lans,up=sign,down=same", "clan:step=0.05" },
    { "compose:step=0.1/L,source=global-momentum,up=topk:k=4", "gmc:step=0.1/L,up=topk:k=4" },
    { "compose:step=0.01,source=momentum,collective=majority", "signum-mv:step=0.01" },
    { "compose:step=0.1/L,source=gate,up=qinf:bits=4", "fedcomgate:step=0.1/L" },
    { "compose:step=0.1/L,optimiser=heavy-ball,collective=hub-model,up=threelc,down=same", "3lc:step=0.1/L" },
    { "choco-opt:step=0.1/L,gossip=1,optimiser=sgd", "sgd:step=0.1/L" },
};
enum { IDENTITIES = sizeof identities / sizeof *identities };

START_TEST(rows_are_others_in_special_cases)
{
    trial a, b;

    /* where gossip is a mean */
    open_quadratics(&a, strncmp(identities[_i].one, "choco", 5) == 0 ? "complete" : "star");
    open_quadratics(&b, "star");
    ck_ok(trial_start(&a, identities[_i].one, "identity"));
    ck_ok(trial_start(&b, identities[_i].other, "identity"));
    for (uint32_t k = 0; k < 30; k++) {
        ck_ok(lockstep_round(&a.swarm, k));
        ck_ok(lockstep_round(&b.swarm, k));
        ck_assert_double_le(
            p2p_vec_distance(p2pi_engine_iterate(a.swarm.engines[0]), p2pi_engine_iterate(b.swarm.engines[0])),
            1e-11);
    }
    trial_close(&a);
    trial_close(&b);
}
END_TEST

/* ---- topologies */

static const char *const rows[] = {
    "sgd:step=0.1/L,up=topk:k=4",
    "heavy-ball:step=0.1/L,up=qinf",
    "nesterov:step=0.1/L",
    "adam:schedule=cosine,total=20",
    "amsgrad:warmup=5",
    "adamw",
    "lamb",
    "lans",
    "comp-ams",
    "clan",
    "onebit-sgd:step=0.1/L",
    "onebit-adam:warm=4",
    "fo-sgd:step=0.01/L",
    "fo-sgd:step=0.01/L,lam=3",
    "sketched-ams:k=30%",
    "sketched-ams:k=30%,averaging=parameter",
    "local-sgd:step=0.1/L",
    "fedcom:step=0.1/L",
    "fedcomgate:step=0.1/L",
    "qsparse-local:step=0.1/L",
    "scaffold:step=0.1/L",
    "natural-sgd:step=0.1/L",
    "terngrad:step=0.1/L",
    "adacomp:step=0.01/L",
    "3lc:step=0.05/L",
    "gmc:step=0.05/L,up=topk:k=4",
    "gmc+:step=0.05/L,up=(randk:k=4,shared=1,scale=0)",
    "def:step=0.05/L,up=(randk:k=4,shared=1,scale=0)",
    "dgc:step=0.05/L,k=10%,warm=2,epoch=4,clip=5",
    "signsgd-mv",
    "signum-mv",
    "powersgd:step=0.01/L,up=powersgd:rank=1",
    "powersgd+:step=0.01/L",
    "acpsgd:step=0.01/L",
    "greedylore:step=0.01/L",
    "greedylore-adam",
    "scalecom:step=0.01/L",
    "qallreduce:step=0.1/L",
    "qallreduce-ms:step=0.1/L",
};
enum { ROWS = sizeof rows / sizeof *rows };

/* As doubles, then as floats. */
START_TEST(star_and_complete_graph_have_the_same_bits)
{
    const p2p_dtype type = _i < ROWS ? P2P_F64 : P2P_F32;
    const size_t bytes = 20 * p2p_dtype_size(type);
    trial a, b;

    open_of(&a, "star", type);
    open_of(&b, "complete", type);
    ck_ok(trial_start(&a, rows[_i % ROWS], "identity"));
    ck_ok(trial_start(&b, rows[_i % ROWS], "identity"));
    ck_ok(lockstep_rounds(&a.swarm, 0, 12));
    ck_ok(lockstep_rounds(&b.swarm, 0, 12));
    for (size_t i = 0; i < 5; i++) {
        ck_assert_mem_eq(iterate(&a, 0), iterate(&a, i), bytes);
        ck_assert_mem_eq(iterate(&a, 0), iterate(&b, i), bytes);
    }
    trial_close(&a);
    trial_close(&b);
}
END_TEST

/* On a ring the mean of those whose messages add is an all-reduce. */
START_TEST(rings_have_the_same_but_for_rounding)
{
    static const char *const sums[] = { "adam", "local-sgd:step=0.1/L",
                                        "def:step=0.05/L,up=(randk:k=4,shared=1,scale=0)",
                                        "gmc+:step=0.05/L,up=(randk:k=4,shared=1,scale=0)" };
    trial a, b;

    open_quadratics(&a, "star");
    open_quadratics(&b, "ring");
    ck_ok(trial_start(&a, sums[_i], "identity"));
    ck_ok(trial_start(&b, sums[_i], "identity"));
    ck_ok(lockstep_rounds(&a.swarm, 0, 12));
    ck_ok(lockstep_rounds(&b.swarm, 0, 12));
    ck_assert_double_le(
        p2p_vec_distance(p2pi_engine_iterate(a.swarm.engines[0]), p2pi_engine_iterate(b.swarm.engines[2])), 1e-11);
    trial_close(&a);
    trial_close(&b);
}
END_TEST

/* ---- layers */

enum { ROWS_OF_A = 6, COLS_OF_A = 3, ENTRIES = ROWS_OF_A * COLS_OF_A + 2 };

/* |x - target|^2 / 2, the target the node's number in every entry. */
static p2p_status
pull(void *user, p2p_view x, const size_t *idx, size_t count, p2p_vec g)
{
    const double *target = user;

    (void)idx;
    (void)count;
    for (size_t i = 0; i < x.dim; i++)
        p2p_vec_set(g, i, p2p_vec_get(x, i) - *target * (double)(1 + i % 7));
    return P2P_OK;
}

static void
use_layers(trial *t, double *targets)
{
    static const p2p_layer layers[] = { { "A", ROWS_OF_A, COLS_OF_A, 0, 0 },
                                        { "b", 2, 1, ROWS_OF_A * COLS_OF_A, 0 } };
    const p2p_problem_vt table = {
        .size = sizeof table, .layers = layers, .layer_count = 2, .grad = pull, .smoothness = 1, .convexity = 1
    };

    for (size_t i = 0; i < t->n; i++) {
        targets[i] = (double)i;
        p2p_problem_destroy(&t->problems[i]);
        ck_ok(p2p_problem_callback(&t->problems[i], &table, &targets[i], P2P_F64));
    }
}

/* A layer each, side by side: the same bits over a star and a complete graph, and the mean target in the end. */
START_TEST(layers_are_reduced_side_by_side)
{
    static const char *const methods[] = { "powersgd:up=powersgd:rank=1,step=0.05",
                                           "qallreduce:step=0.05",
                                           "greedylore:up=(greedylore:rank=1,tau=4,memory=own),step=0.05",
                                           "onebit-sgd:step=0.05",
                                           "lans",
                                           "clan" };
    static const char *const topologies[] = { "star", "complete", "ring" };
    trial t[3];
    double targets[5];

    for (size_t k = 0; k < 3; k++) {
        trial_open(&t[k], topologies[k], 5, "quadratic:dim=20", P2P_F64, 3);
        use_layers(&t[k], targets);
        if (k == 2 && _i > 2)
            continue;
        ck_ok(trial_start(&t[k], methods[_i], "identity"));
        ck_ok(lockstep_rounds(&t[k].swarm, 0, 20));
        ck_assert_mem_eq(iterate(&t[k], 0), iterate(&t[k], 4), ENTRIES * sizeof(double));
    }
    ck_assert_mem_eq(iterate(&t[0], 0), iterate(&t[1], 0), ENTRIES * sizeof(double));
    for (size_t k = 0; k < 3; k++)
        trial_close(&t[k]);
}
END_TEST

/* Nodes that differ: control variates get to the optimum, plain local steps do not. */
START_TEST(control_variates_remove_drift)
{
    static const char *const exact[] = { "scaffold:step=0.2/L,tau=5", "fedcomgate:step=0.2/L,tau=5,up=identity",
                                         "scaffnew:p=0.2" };
    trial t;

    open_quadratics(&t, "star");
    ck_ok(trial_start(&t, exact[_i], "identity"));
    trial_reach(&t, 1e-9, 3000);
    ck_ok(trial_start(&t, "local-sgd:step=0.2/L,tau=5", "identity"));
    ck_ok(lockstep_rounds(&t.swarm, 0, 1000));
    ck_assert_double_gt(lockstep_error(&t.swarm, t.optimum), 1e-3);
    trial_close(&t);
}
END_TEST

/* ---- building blocks */

START_TEST(schedules_are_their_formulas)
{
    enum { CONST, STEP, COSINE, INV, SQRT, POLY };
    p2pi_schedule s = { .every = 5, .total = 20, .factor = 0.1, .least = 0.01, .decay = 0.1, .power = 2 };

    ck_assert_double_eq(p2pi_schedule_at(&s, 0.2, 9), 0.2);
    s.kind = STEP;
    ck_assert_double_eq_tol(p2pi_schedule_at(&s, 0.2, 14), 0.002, 1e-16);
    s.kind = COSINE;
    ck_assert_double_eq_tol(p2pi_schedule_at(&s, 0.2, 10), 0.105, 1e-16);
    ck_assert_double_eq_tol(p2pi_schedule_at(&s, 0.2, 40), 0.01, 1e-16);
    s.kind = INV;
    ck_assert_double_eq_tol(p2pi_schedule_at(&s, 0.2, 10), 0.1, 1e-16);
    s.kind = SQRT;
    ck_assert_double_eq_tol(p2pi_schedule_at(&s, 0.2, 30), 0.1, 1e-16);
    s.kind = POLY;
    ck_assert_double_eq_tol(p2pi_schedule_at(&s, 0.2, 10), 0.01 + 0.19 / 4, 1e-16);
    s.kind = CONST;
    s.warmup = 4;
    ck_assert_double_eq_tol(p2pi_schedule_at(&s, 0.2, 0), 0.05, 1e-16);
    ck_assert_double_eq_tol(p2pi_schedule_at(&s, 0.2, 3), 0.2, 1e-16);
}
END_TEST

/* ---- what cannot work */

static const struct {
    const char *topology, *method, *compressor, *says;
} refused[] = {
    { "ring", "clan", "identity", "needs a hub" },
    { "ring", "sgd:up=topk:k=4", "identity", "do not add up" },
    { "ring", "scaffold", "identity", "needs a hub" },
    { "star", "scaffnew", "topk:k=4", "sends its vectors as they are" },
    { "star", "fo-sgd", "topk:k=4", "compresses in its own way" },
    { "star", "dgc", "topk:k=4", "compresses in its own way" },
    { "star", "variance", "identity", "needs a problem with samples" },
    { "star", "a2sgd", "topk:k=4", "sends its vectors as they are" },
    { "star", "compose:collective=majority,source=gate", "identity", "votes have no memory" },
    { "star", "compose:collective=hub-model,source=delta", "identity", "the hub steps" },
    { "star", "local-sgd:tau=0", "identity", "tau=0: expected" },
    { "erdos-renyi:p=0.9", "powersgd", "identity", "needs topology ring, star or complete" },
    { "star", "powersgd", "topk:k=4", "do not add up" },
    { "star", "sgd:step=0", "identity", "step=0: expected" },
    { "star", "heavy-ball:beta=1", "identity", "beta=1: expected" },
    { "star", "adam:optimiser=newton", "identity", "newton" },
    { "star", "clan:up=nothing", "identity", "nothing" },
    { "star", "dgc:k=0", "identity", "k=0: expected" },
};
enum { REFUSED = sizeof refused / sizeof *refused };

START_TEST(what_cannot_work_is_refused)
{
    trial t;

    open_quadratics(&t, refused[_i].topology);
    ck_assert_msg(trial_start(&t, refused[_i].method, refused[_i].compressor) != P2P_OK, "%s was taken",
                  refused[_i].method);
    ck_assert_msg(strstr(p2p_last_error(), refused[_i].says) != NULL, "%s: \"%s\"", refused[_i].method,
                  p2p_last_error());
    trial_close(&t);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("training");
    TCase *tc = tcase_create("training");

    tcase_add_loop_test(tc, rows_are_others_in_special_cases, 0, IDENTITIES);
    tcase_add_loop_test(tc, star_and_complete_graph_have_the_same_bits, 0, 2 * ROWS);
    tcase_add_loop_test(tc, rings_have_the_same_but_for_rounding, 0, 4);
    tcase_add_loop_test(tc, layers_are_reduced_side_by_side, 0, 6);
    tcase_add_loop_test(tc, control_variates_remove_drift, 0, 3);
    tcase_add_test(tc, schedules_are_their_formulas);
    tcase_add_loop_test(tc, what_cannot_work_is_refused, 0, REFUSED);
    suite_add_tcase(suite, tc);
    return run_suites(1, &suite);
}
