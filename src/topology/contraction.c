/*
 * How fast a schedule mixes. Where rounds are drawn, in the mean of their squares; else no eigenvalue of one matrix
 * says it, so the rounds are run.
 */
#include "topology/schedule.h"

#include "base/fail.h"

#include <p2popt/random.h>

#include <math.h>
#include <stdlib.h>

enum {
    SETTLE = 32,      /* rounds before the measure: the slowest direction takes over */
    ROUNDS_LOG = 8,   /* 2^8 measured, */
    ROUNDS_LEAST = 4, /* at least 2^4, */
    VISITS = 20000000 /* and in between so many that edges are visited at most this often */
};

/* What rounding leaves of a vector that a round has averaged. */
static const double exact = 1e-12;

/* A product of positive factors that never leaves the range of a double. */
typedef struct {
    double fraction;
    long exponent;
} product;

static void
multiply(product *p, double factor)
{
    int exponent;

    p->fraction = frexp(p->fraction * factor, &exponent);
    p->exponent += exponent;
}

/* Its 2^log-th root, by square roots alone: the same on every machine. */
static double
root(product p, int log)
{
    for (int i = 0; i < log; i++) {
        if (p.exponent % 2 != 0) {
            p.fraction *= 2;
            p.exponent--;
        }
        p.fraction = sqrt(p.fraction);
        p.exponent /= 2;
    }
    return ldexp(p.fraction, (int)p.exponent);
}

typedef struct {
    const p2p_topology *topology;
    double *x, *y, *weights;
    unsigned char *sends;
} trial;

/* Scale to norm 1 what is left without the mean; returns the norm it had. */
static double
normalise(trial *t)
{
    const size_t n = t->topology->nodes;
    double mean = 0, square = 0;

    for (size_t i = 0; i < n; i++)
        mean += t->x[i] / (double)n;
    for (size_t i = 0; i < n; i++) {
        t->x[i] -= mean;
        square += t->x[i] * t->x[i];
    }
    for (size_t i = 0; i < n && square > 0; i++)
        t->x[i] /= sqrt(square);
    return sqrt(square);
}

/* One round; returns what is left of a vector of norm 1. */
static double
advance(trial *t, uint32_t round)
{
    const p2p_topology *g = t->topology;
    double own, *swap = t->x;

    for (size_t i = 0; i < g->nodes; i++) {
        p2p_topology_round(g, i, round, &own, t->weights, t->sends);
        t->y[i] = own * t->x[i];
        for (size_t k = g->start[i]; k < g->start[i + 1]; k++)
            t->y[i] += t->weights[k - g->start[i]] * t->x[g->peers[k]];
    }
    t->x = t->y;
    t->y = swap;
    return normalise(t);
}

static double
measure(trial *t)
{
    product all = { 1, 0 };
    int log = ROUNDS_LOG;
    uint32_t round = 0;

    while (log > ROUNDS_LEAST && ldexp((double)t->topology->edges, log) > VISITS)
        log--;
    normalise(t);
    for (; round < SETTLE + (1u << log); round++) {
        double left = advance(t, round);

        if (left < exact)
            return 0;
        if (round >= SETTLE)
            multiply(&all, left);
    }
    return root(all, log);
}

static p2p_status
in_the_long_run(const p2p_topology *self, double *factor)
{
    const size_t n = self->nodes;
    trial t = { self, calloc(n, sizeof *t.x), calloc(n, sizeof *t.y), calloc(n, sizeof *t.weights), calloc(n, 1) };
    p2p_random draw = p2p_random_open(0, 0, 0, P2P_STREAM_TOPOLOGY);
    p2p_status st = P2P_OK;

    if (t.x == NULL || t.y == NULL || t.weights == NULL || t.sends == NULL)
        st = p2pi_fail_memory("topology", 3 * n * sizeof *t.x);
    else {
        p2p_random_uniform(&draw, n, t.x);
        *factor = measure(&t);
    }
    free(t.x);
    free(t.y);
    free(t.weights);
    free(t.sends);
    return st;
}

p2p_status
p2pi_schedule_contraction(const p2p_topology *self, double *factor)
{
    double square;
    p2p_status st;

    if (self->schedule->mean_square == NULL)
        return in_the_long_run(self, factor);
    if ((st = self->schedule->mean_square(self, &square)) == P2P_OK)
        *factor = square > 0 ? sqrt(square) : 0;
    return st;
}
