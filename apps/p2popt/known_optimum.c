#include "known_optimum.h"

#include "equilibrium.h"
#include "optimum.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SOLVER_MOST = 4096 }; /* beyond, the reference solver may take longer than the run */

/* f at the minimiser in a file; a game's solution is kept. */
static p2p_status
value_at_file(const char *path, objective *f, double *value)
{
    p2p_array x;
    p2p_status st = p2p_array_read(&x, path);

    if (st != P2P_OK)
        return st;
    if (x.type != P2P_F64 || x.rows * x.cols != objective_dim(f))
        st = p2p_fail(P2P_EINVAL, "%s: %zu entries of %s; the minimiser has %zu of f64", path, x.rows * x.cols,
                      p2p_dtype_name(x.type), objective_dim(f));
    else
        st = objective_is_game(f) ? objective_know(f, x.data) : objective_value(f, x.data, value);
    p2p_array_clear(&x);
    return st;
}

/* ---- the optima that ship: of logistic and softmax regression over all rows alike, for some lambda */

static int
is_pooled(const char *spec)
{
    const char *options = strchr(spec, ':');

    return (strncmp(spec, "logistic:", 9) == 0 || strncmp(spec, "softmax:", 8) == 0) &&
           strstr(options, "weights=samples") != NULL && strstr(options, "lambda=") != NULL;
}

/* The tag of a row "NAME,rows,features,TAG,LAMBDA,..." for this data set and lambda. */
static int
row_matches(const char *row, const char *name, double lambda, char tag[32])
{
    char row_name[64];
    double row_lambda;

    return sscanf(row, "%63[^,],%*[^,],%*[^,],%31[^,],%lf", row_name, tag, &row_lambda) == 3 &&
           strcmp(row_name, name) == 0 && fabs(row_lambda - lambda) <= 1e-12 * lambda;
}

/* The path of the shipped minimiser; 0: there is none. */
static int
find_shipped(const p2p_swarm *swarm, const char *spec, char *path, size_t cap)
{
    const char *data = p2p_swarm_get(swarm, "data");
    char table[4096], row[512], tag[32], relative[128];
    double lambda;
    FILE *rows;
    int found = 0;

    if (strncmp(data, "sample:", 7) != 0 || !is_pooled(spec) ||
        p2p_data_locate(table, sizeof table, "optima/optima.csv") != P2P_OK || (rows = fopen(table, "re")) == NULL)
        return 0;
    lambda = strtod(strstr(spec, "lambda=") + 7, NULL);
    while (!found && fgets(row, sizeof row, rows) != NULL)
        found = row_matches(row, data + 7, lambda, tag);
    fclose(rows);
    if (!found)
        return 0;
    snprintf(relative, sizeof relative, "optima/%.60s_%s.npy", data + 7, tag);
    return p2p_data_locate(path, cap, relative) == P2P_OK;
}

/* ---- the reference solver */

static int
is_strongly_convex(p2p_problem **parts, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        double smoothness, convexity;

        if (p2p_problem_constants(parts[i], &smoothness, &convexity) != P2P_OK || !(convexity > 0))
            return 0;
    }
    return count > 0;
}

/* A game without a set has one solution if its derivative is regular. */
static void
solve_game(objective *f)
{
    size_t count, dim = objective_dim(f);
    p2p_problem **parts = objective_parts(f, &count);
    double residual, *x;

    objective_know(f, NULL);
    if (count == 0 || (p2p_problem_flags(parts[0]) & P2P_PROBLEM_PROX) || (x = calloc(dim, sizeof *x)) == NULL)
        return;
    if (equilibrium_solve(parts, count, x, &residual) == P2P_OK)
        objective_know(f, x);
    free(x);
}

static double
solve(objective *f)
{
    size_t count, dim = objective_dim(f);
    p2p_problem **parts = objective_parts(f, &count);
    double value = NAN, *x;

    if (objective_is_game(f)) {
        solve_game(f);
        return NAN;
    }
    if (dim > SOLVER_MOST || !is_strongly_convex(parts, count) || (x = calloc(dim, sizeof *x)) == NULL)
        return NAN;
    if (optimum_solve(parts, count, x, &value) != P2P_OK)
        value = NAN;
    free(x);
    return value;
}

p2p_status
known_optimum(const char *wish, const p2p_swarm *swarm, objective *f, double *value)
{
    size_t count;
    char path[4096];

    *value = NAN;
    if (strcmp(wish, "none") == 0)
        return P2P_OK;
    if (strcmp(wish, "auto") != 0)
        return value_at_file(wish, f, value);
    if (find_shipped(swarm, p2p_problem_spec(objective_parts(f, &count)[0]), path, sizeof path))
        return value_at_file(path, f, value);
    *value = solve(f);
    return P2P_OK;
}

double
known_optimum_without(const char *wish, objective *f)
{
    if (strcmp(wish, "auto") == 0)
        return solve(f);
    objective_know(f, NULL);
    return NAN;
}
