#include "trial.h"

#include <lapacke.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void
read_quadratic(trial *t, size_t i)
{
    double x[TRIAL_DIM] = { 0 }, g[TRIAL_DIM];
    float xf[TRIAL_DIM] = { 0 }, gf[TRIAL_DIM];
    p2p_dtype type = p2p_problem_type(t->problems[i]);
    p2p_view at = { type == P2P_F32 ? (void *)xf : (void *)x, t->d, type };
    p2p_vec to = { type == P2P_F32 ? (void *)gf : (void *)g, t->d, type };

    ck_ok(p2p_problem_grad(t->problems[i], at, NULL, 0, to));
    for (size_t k = 0; k < t->d; k++) {
        t->linear[i][k] = -p2p_vec_get(p2p_view_of(to), k);
        x[k] = xf[k] = 1;
    }
    ck_ok(p2p_problem_grad(t->problems[i], at, NULL, 0, to));
    for (size_t k = 0; k < t->d; k++)
        t->diagonal[i][k] = p2p_vec_get(p2p_view_of(to), k) + t->linear[i][k];
}

static void
open_graph(trial *t, const char *topology, size_t nodes)
{
    memset(t, 0, sizeof *t);
    ck_ok(p2p_topology_new(&t->topology, topology, NULL, nodes, 1));
    ck_ok(p2p_topology_measure(t->topology, &t->figures));
    t->n = p2p_topology_size(t->topology);
    ck_assert_uint_le(t->n, TRIAL_NODES);
    t->convexity = INFINITY;
    t->seed = 7;
}

static void
take_constants(trial *t, size_t i)
{
    double L, mu;

    t->d = p2p_problem_dim(t->problems[i]);
    ck_assert_uint_le(t->d, TRIAL_DIM);
    ck_ok(p2p_problem_constants(t->problems[i], &L, &mu));
    t->smoothness = fmax(t->smoothness, L);
    t->convexity = fmin(t->convexity, mu);
}

static int
is_game(const trial *t)
{
    return (p2p_problem_flags(t->problems[0]) & P2P_PROBLEM_GAME) != 0;
}

/* The largest singular value of the d x d matrix M, by the power method. */
static double
norm_of(size_t d, const double *M)
{
    double x[TRIAL_DIM], y[TRIAL_DIM], norm = 1;

    for (size_t i = 0; i < d; i++)
        x[i] = 1 + 0.1 * (double)i;
    for (int k = 0; k < 1000; k++) {
        for (size_t i = 0; i < d; i++) {
            y[i] = 0;
            for (size_t j = 0; j < d; j++)
                y[i] += M[i * d + j] * x[j];
        }
        for (size_t j = 0; j < d; j++) {
            x[j] = 0;
            for (size_t i = 0; i < d; i++)
                x[j] += M[i * d + j] * y[i];
        }
        norm = p2p_vec_norm2((p2p_view){ x, d, P2P_F64 });
        p2p_vec_scale((p2p_vec){ x, d, P2P_F64 }, 1 / norm);
    }
    return sqrt(norm);
}

/* Affine: the mean operator is M z + F(0). */
static void
solve_game(trial *t)
{
    static double M[TRIAL_DIM * TRIAL_DIM], part[TRIAL_DIM * TRIAL_DIM];
    double zero[TRIAL_DIM] = { 0 }, g[TRIAL_DIM];
    const p2p_view at = { zero, t->d, P2P_F64 };
    lapack_int pivots[TRIAL_DIM];

    memset(M, 0, sizeof M);
    for (size_t i = 0; i < t->n; i++) {
        ck_ok(p2p_problem_hessian(t->problems[i], at, part));
        ck_ok(p2p_problem_grad(t->problems[i], at, NULL, 0, (p2p_vec){ g, t->d, P2P_F64 }));
        for (size_t k = 0; k < t->d * t->d; k++)
            M[k] += part[k] / (double)t->n;
        for (size_t k = 0; k < t->d; k++)
            t->optimum[k] -= g[k] / (double)t->n;
    }
    t->mean_norm = norm_of(t->d, M);
    if (!(p2p_problem_flags(t->problems[0]) & P2P_PROBLEM_PROX))
        ck_assert_int_eq(LAPACKE_dgesv(LAPACK_ROW_MAJOR, (lapack_int)t->d, 1, M, (lapack_int)t->d, pivots, t->optimum, 1), 0);
}

void
trial_open(trial *t, const char *topology, size_t nodes, const char *problem, p2p_dtype type, uint64_t seed)
{
    open_graph(t, topology, nodes);
    for (size_t i = 0; i < t->n; i++) {
        ck_ok(p2p_problem_new(&t->problems[i], problem, NULL, type, i, t->n, seed));
        take_constants(t, i);
        if (strncmp(problem, "quadratic", 9) == 0 && !is_game(t))
            read_quadratic(t, i);
    }
    if (is_game(t))
        solve_game(t);
    else
        trial_optimum(t, NULL);
}

void
trial_open_logistic(trial *t, const char *topology, size_t nodes, const char *problem, const char *data)
{
    open_graph(t, topology, nodes);
    for (size_t i = 0; i < t->n; i++) {
        ck_ok(p2p_data_read(&t->shards[i], data, &(p2p_shard){ t->n, i, NULL }));
        ck_ok(p2p_problem_new(&t->problems[i], problem, t->shards[i], P2P_F64, i, t->n, 0));
        take_constants(t, i);
    }
    ck_ok(trial_start(t, "nids:step=1.8/L", "identity"));
    ck_ok(lockstep_rounds(&t->swarm, 0, 5000));
    memcpy(t->optimum, p2pi_engine_iterate(t->swarm.engines[0]).data, t->d * sizeof *t->optimum);
    ck_assert_double_lt(lockstep_error(&t->swarm, t->optimum), 1e-12);
}

void
trial_close(trial *t)
{
    lockstep_clear(&t->swarm);
    for (size_t i = 0; i < t->n; i++) {
        p2p_problem_destroy(&t->problems[i]);
        p2p_data_destroy(&t->shards[i]);
    }
    p2p_topology_destroy(&t->topology);
}

void
trial_optimum(trial *t, const int *is_in)
{
    for (size_t k = 0; k < t->d; k++) {
        double D = 0, l = 0;

        for (size_t i = 0; i < t->n; i++)
            if (is_in == NULL || is_in[i]) {
                D += t->diagonal[i][k];
                l += t->linear[i][k];
            }
        t->optimum[k] = l / D;
    }
}

/* "step=0.2/L,..." to "step=0.0200...,...", and the same with "/M". */
static void
expand(const trial *t, const char *method, char *text, size_t cap)
{
    const char *by_L = strstr(method, "/L"), *mark = by_L ? by_L : strstr(method, "/M"), *number = mark;

    if (mark == NULL) {
        snprintf(text, cap, "%s", method);
        return;
    }
    while (number[-1] != '=')
        number--;
    snprintf(text, cap, "%.*s%.17g%s", (int)(number - method), method, strtod(number, NULL) / (by_L ? t->smoothness : t->mean_norm),
             mark + 2);
}

p2p_status
trial_start(trial *t, const char *method, const char *compressor)
{
    char text[256];
    p2pi_engine_config config = {
        .seed = t->seed,
        .topology = t->topology,
        .figures = &t->figures,
        .method = text,
        .compressor = compressor,
        .aggregator = t->aggregator,
        .batch = t->batch,
        .smoothness = t->smoothness,
        .convexity = t->convexity,
    };

    expand(t, method, text, sizeof text);
    lockstep_clear(&t->swarm);
    return lockstep_new(&t->swarm, &config, t->problems, NULL);
}

uint32_t
trial_reach(trial *t, double bound, uint32_t limit)
{
    double error = INFINITY;
    uint32_t k;

    for (k = 0; k < limit; k++) {
        ck_ok(lockstep_round(&t->swarm, k));
        if ((error = lockstep_error(&t->swarm, t->optimum)) < bound)
            return k + 1;
    }
    ck_abort_msg("relative error %g after %u rounds, expected below %g: %s", error, (unsigned)k, bound,
                 p2pi_engine_parameters(t->swarm.engines[0]));
    return k;
}

const double *
trial_state(const trial *t, size_t k, const char *name, size_t row)
{
    const p2pi_engine *engine = t->swarm.engines[k];
    size_t stride = (t->d * sizeof(double) + 63) / 64 * 8;

    for (size_t i = 0; i < p2pi_engine_state_count(engine); i++)
        if (strcmp(p2pi_engine_state(engine, i).name, name) == 0)
            return (const double *)p2pi_engine_state(engine, i).data + row * stride;
    ck_abort_msg("no part \"%s\" in the state", name);
    return NULL;
}

double
trial_gap(const trial *t)
{
    double gap = 0;

    for (size_t k = 0; k < t->d; k++) {
        double mean = 0, D = 0;

        for (size_t i = 0; i < t->n; i++) {
            mean += p2p_vec_get(p2pi_engine_iterate(t->swarm.engines[i]), k) / (double)t->n;
            D += t->diagonal[i][k] / (double)t->n;
        }
        gap += 0.5 * D * (mean - t->optimum[k]) * (mean - t->optimum[k]);
    }
    return gap;
}
