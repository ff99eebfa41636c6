#include "objective.h"

#include "equilibrium.h"
#include "optimum.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct objective {
    size_t nodes, dim, taking_part;
    p2p_data **shards; /* NULLs for problems that make their own data */
    p2p_problem **problems;
    p2p_problem **parts; /* the first taking_part are those that count */
    double *solution;    /* of a game; NULL: unknown */
    double *f, *work;    /* dim entries each, for the error of a game */
};

/* The file is read once and dealt out as the nodes' own readers would. */
static p2p_status
open_data(objective *self, const p2p_swarm *swarm)
{
    const char *path = p2p_swarm_get(swarm, "data");
    p2p_data *whole;
    p2p_status st;

    if (*path == '\0')
        return P2P_OK;
    if ((st = p2p_data_read(&whole, path, NULL)) != P2P_OK)
        return st;
    st = p2p_data_split(whole, p2p_swarm_get(swarm, "shard"), self->nodes, self->shards);
    p2p_data_destroy(&whole);
    return st;
}

static p2p_status
open_problems(objective *self, const p2p_swarm *swarm)
{
    const char *spec = p2p_swarm_get(swarm, "problem");
    uint64_t seed = strtoull(p2p_swarm_get(swarm, "seed"), NULL, 10);
    p2p_status st = open_data(self, swarm);

    for (size_t rank = 0; rank < self->nodes && st == P2P_OK; rank++) {
        st = p2p_problem_new(&self->problems[rank], spec, self->shards[rank], P2P_F64, rank, self->nodes, seed);
        self->parts[rank] = self->problems[rank];
    }
    return st;
}

p2p_status
objective_new(objective **out, const p2p_swarm *swarm, size_t nodes)
{
    objective *self = calloc(1, sizeof *self);
    p2p_status st;

    *out = NULL;
    if (self == NULL)
        return p2p_fail(P2P_ENOMEM, "no memory for the objective");
    self->nodes = self->taking_part = nodes;
    self->shards = calloc(nodes, sizeof *self->shards);
    self->problems = calloc(nodes, sizeof *self->problems);
    self->parts = calloc(nodes, sizeof *self->parts);
    if (self->shards == NULL || self->problems == NULL || self->parts == NULL)
        st = p2p_fail(P2P_ENOMEM, "no memory for the problems of %zu nodes", nodes);
    else
        st = open_problems(self, swarm);
    if (st != P2P_OK) {
        objective_destroy(&self);
        return st;
    }
    self->dim = p2p_problem_dim(self->problems[0]);
    self->f = calloc(2 * self->dim, sizeof *self->f);
    if (self->f == NULL) {
        objective_destroy(&self);
        return p2p_fail(P2P_ENOMEM, "no memory for vectors of the objective");
    }
    self->work = self->f + self->dim;
    *out = self;
    return P2P_OK;
}

void
objective_destroy(objective **self)
{
    objective *o = *self;

    if (o == NULL)
        return;
    for (size_t rank = 0; rank < o->nodes && o->problems != NULL; rank++)
        p2p_problem_destroy(&o->problems[rank]);
    for (size_t rank = 0; rank < o->nodes && o->shards != NULL; rank++)
        p2p_data_destroy(&o->shards[rank]);
    free(o->shards);
    free(o->problems);
    free(o->parts);
    free(o->solution);
    free(o->f);
    free(o);
    *self = NULL;
}

size_t
objective_dim(const objective *self)
{
    return self->dim;
}

void
objective_leave(objective *self, size_t rank)
{
    for (size_t i = 0; i < self->taking_part; i++)
        if (self->parts[i] == self->problems[rank]) {
            self->taking_part--;
            memmove(&self->parts[i], &self->parts[i + 1], (self->taking_part - i) * sizeof *self->parts);
            return;
        }
}

p2p_problem **
objective_parts(const objective *self, size_t *count)
{
    *count = self->taking_part;
    return self->parts;
}

p2p_status
objective_value(objective *self, const double *x, double *value)
{
    if (self->taking_part == 0)
        return p2p_fail(P2P_ENOTSUP, "no node is left");
    return optimum_value(self->parts, self->taking_part, x, value);
}

double
objective_accuracy(objective *self, const double *x)
{
    const p2p_view at = { x, self->dim, P2P_F64 };
    double right = 0, samples = 0;

    for (size_t i = 0; i < self->taking_part; i++) {
        const double count = (double)p2p_problem_samples(self->parts[i]);
        double share;

        if (p2p_problem_accuracy(self->parts[i], at, &share) != P2P_OK)
            return NAN;
        right += share * count;
        samples += count;
    }
    return right / samples;
}

/* ---- games */

int
objective_is_game(const objective *self)
{
    return (p2p_problem_flags(self->problems[0]) & P2P_PROBLEM_GAME) != 0;
}

measure_kind
objective_measure(const objective *self)
{
    const p2p_view zero = { self->f, self->dim, P2P_F64 };
    double gap;

    if (!objective_is_game(self))
        return MEASURE_SUBOPTIMALITY;
    if (p2p_problem_duality_gap(self->problems[0], zero, zero, &gap) == P2P_OK)
        return MEASURE_DUALITY_GAP;
    return self->solution != NULL ? MEASURE_DISTANCE : MEASURE_RESIDUAL;
}

p2p_status
objective_know(objective *self, const double *solution)
{
    free(self->solution);
    self->solution = NULL;
    if (solution == NULL)
        return P2P_OK;
    if ((self->solution = malloc(self->dim * sizeof *self->solution)) == NULL)
        return p2p_fail(P2P_ENOMEM, "no memory for the solution");
    memcpy(self->solution, solution, self->dim * sizeof *self->solution);
    return P2P_OK;
}

double
objective_error(objective *self, const double *x)
{
    const p2p_view at = { x, self->dim, P2P_F64 };
    double error = NAN;

    if (self->taking_part == 0)
        return NAN;
    switch (objective_measure(self)) {
    case MEASURE_SUBOPTIMALITY:
        break;
    case MEASURE_DUALITY_GAP:
        if (optimum_evaluate(self->parts, self->taking_part, x, NULL, self->f, self->work) != P2P_OK ||
            p2p_problem_duality_gap(self->parts[0], at, (p2p_view){ self->f, self->dim, P2P_F64 }, &error) != P2P_OK)
            return NAN;
        break;
    case MEASURE_DISTANCE:
        return p2p_vec_distance(at, (p2p_view){ self->solution, self->dim, P2P_F64 });
    case MEASURE_RESIDUAL:
        if (optimum_residual(self->parts, self->taking_part, x, &error, self->f, self->work) != P2P_OK)
            return NAN;
    }
    return error;
}
