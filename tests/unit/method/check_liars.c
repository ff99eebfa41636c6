/* A rule at the hub: two of nine workers lie, and it makes no difference; with the mean it does. */
#include "trial.h"

#include <math.h>
#include <string.h>

enum { NODES = 9, LIARS = 2, DIM = 12 };

/* What a liar says instead of a plain message: the reverse of it, and more. */
static p2p_status
reverse(void *user, uint32_t round, size_t from, size_t to, p2pi_message *message)
{
    static uint8_t bytes[1 + DIM * sizeof(double)];
    double x[DIM];

    (void)user;
    (void)round;
    (void)to;
    if (from < NODES - LIARS || message->len != sizeof bytes)
        return P2P_OK;
    memcpy(x, message->bytes + 1, sizeof x);
    for (size_t i = 0; i < DIM; i++)
        x[i] *= -20;
    bytes[0] = 0;
    memcpy(bytes + 1, x, sizeof x);
    message->bytes = bytes;
    return P2P_OK;
}

/* The distance of the hub's iterate from the optimum, of quadratics that of the honest nodes, relative to it. */
static double
error_with(trial *t, const char *topology, const char *rule, const char *method, const char *problem)
{
    int honest[TRIAL_NODES] = { 0 };
    double norm = 0;
    p2p_view x;
    double error;

    trial_open(t, topology, NODES, problem, P2P_F64, 5);
    for (size_t i = 0; i < NODES - LIARS; i++)
        honest[i] = 1;
    if (strncmp(problem, "quadratic:", 10) == 0)
        trial_optimum(t, honest);
    t->aggregator = rule;
    ck_ok(trial_start(t, method, "identity"));
    t->swarm.said = reverse;
    for (uint32_t k = 0; k < 400; k++)
        if (lockstep_round(&t->swarm, k) != P2P_OK)
            return INFINITY;
    x = p2pi_engine_iterate(t->swarm.engines[0]);
    error = p2p_vec_distance(x, (p2p_view){ t->optimum, t->d, P2P_F64 });
    for (size_t i = 0; i < t->d; i++)
        norm += t->optimum[i] * t->optimum[i];
    return error / sqrt(norm);
}

static const struct {
    const char *method, *problem;
} rows[] = {
    { "gd", "quadratic:dim=12" },
    { "ef-sgd", "quadratic:dim=12" },
    { "sgda-ra:step=0.3/M", "quadratic-game:dim=12" },
    { "m-sgda-ra:step=0.1/M,momentum=0.5", "quadratic-game:dim=12" },
    { "seg-ra", "quadratic-game:dim=12" },
};

START_TEST(a_rule_at_the_hub_withstands_liars)
{
    static trial t;
    double star, complete, mean;

    star = error_with(&t, "star", "nnm|trimmed-mean:f=2", rows[_i].method, rows[_i].problem);
    trial_close(&t);
    complete = error_with(&t, "complete", "nnm|trimmed-mean:f=2", rows[_i].method, rows[_i].problem);
    trial_close(&t);
    mean = error_with(&t, "star", "mean", rows[_i].method, rows[_i].problem);
    trial_close(&t);
    ck_assert_msg(star < 2, "%s: %g with the rule", rows[_i].method, star);
    /* A node of the complete graph does not lie to itself, but node 0 is honest. */
    ck_assert(star == complete);
    ck_assert_msg(!(mean < 20 * star), "%s: %g with the mean", rows[_i].method, mean);
}
END_TEST

/* Workers hear the hub alone: the rule is none of their business, but its text is still checked there. */
START_TEST(rules_are_checked_for_the_whole_swarm)
{
    trial t;

    trial_open(&t, "star", 4, "quadratic:dim=12", P2P_F64, 5);
    t.aggregator = "trimmed-mean:f=1";
    ck_ok(trial_start(&t, "gd", "identity"));
    t.aggregator = "trimmed-mean:f=2";
    ck_fails(trial_start(&t, "gd", "identity"), P2P_EINVAL, "needs at least 5");
    t.aggregator = "trimmed-mean:f=1";
    ck_fails(trial_start(&t, "robust-gossip", "identity"), P2P_EINVAL, "needs at least 3");
    ck_fails(trial_start(&t, "diana", "identity"), P2P_ENOTSUP, "sgda-ra");
    trial_close(&t);
}
END_TEST

Suite *
liars_suite(void)
{
    Suite *suite = suite_create("liars");
    TCase *tc = tcase_create("hub");

    tcase_add_loop_test(tc, a_rule_at_the_hub_withstands_liars, 0, sizeof rows / sizeof rows[0]);
    tcase_add_test(tc, rules_are_checked_for_the_whole_swarm);
    suite_add_tcase(suite, tc);
    return suite;
}
