#include "topology/schedule.h"

#include "base/fail.h"

#include <p2popt/random.h>

#include <stdlib.h>
#include <string.h>

/* Draws of a round are apart from those that made the graph. */
enum { STREAM_SCHEDULE = P2P_STREAM_TOPOLOGY + 256 };

p2p_status
p2pi_schedule_new(p2p_topology *self, unsigned traits, size_t period)
{
    struct p2pi_schedule *s = self->schedule = calloc(1, sizeof *s);
    size_t entries = period * 2 * self->edges;

    if (s == NULL)
        return p2pi_fail_memory("schedule", sizeof *s);
    s->traits = traits;
    s->period = period;
    if (period > 0 && (s->table = calloc(entries + 1, sizeof *s->table)) == NULL)
        return p2pi_fail_memory("schedule", entries * sizeof *s->table);
    return P2P_OK;
}

void
p2pi_schedule_destroy(struct p2pi_schedule **self)
{
    if (*self == NULL)
        return;
    free((*self)->table);
    free(*self);
    *self = NULL;
}

uint32_t
p2pi_schedule_word(const p2p_topology *self, uint32_t round, size_t u, size_t v)
{
    const size_t low = u < v ? u : v, high = u < v ? v : u;
    p2p_random draw = p2p_random_open(self->schedule->seed, (uint32_t)low, round, STREAM_SCHEDULE);
    uint32_t word;

    draw.next = high;
    p2p_random_words(&draw, 1, &word);
    return word;
}

unsigned
p2p_topology_traits(const p2p_topology *self)
{
    return self->schedule ? self->schedule->traits : 0;
}

static void
round_weights(const p2p_topology *self, size_t node, uint32_t round, double *weights)
{
    const struct p2pi_schedule *s = self->schedule;
    const size_t first = self->start[node], degree = self->start[node + 1] - first;

    if (s->weights != NULL)
        s->weights(self, node, round, weights);
    else if (degree > 0)
        memcpy(weights, s->table + (round % s->period) * 2 * self->edges + first, degree * sizeof *weights);
}

/* Whether a peer takes this node's vectors in the round. */
static int
takes(const p2p_topology *self, size_t node, uint32_t round, size_t k, const double *weights)
{
    const struct p2pi_schedule *s = self->schedule;
    const uint32_t peer = self->peers[self->start[node] + k];

    if (!(s->traits & P2P_TOPOLOGY_DIRECTED))
        return weights[k] > 0;
    return s->table[(round % s->period) * 2 * self->edges + p2pi_topology_find(self, peer, (uint32_t)node)] > 0;
}

/* What a node keeps of its own: rows sum to 1, or columns. */
static double
own_weight(const p2p_topology *self, size_t degree, const double *weights, const unsigned char *sends)
{
    size_t out = 0;
    double rest = 1;

    for (size_t k = 0; k < degree; k++) {
        rest -= weights[k];
        out += sends[k];
    }
    return self->schedule->traits & P2P_TOPOLOGY_PUSH ? 1.0 / (1.0 + (double)out) : rest;
}

void
p2p_topology_round(const p2p_topology *self, size_t node, uint32_t round, double *self_weight, double *weights,
                   unsigned char *sends)
{
    const p2p_neighbourhood here = p2p_topology_at(self, node);

    if (self->schedule == NULL) {
        for (size_t k = 0; k < here.degree; k++)
            weights[k] = here.weights[k];
        memset(sends, 1, here.degree);
        *self_weight = here.self_weight;
        return;
    }
    round_weights(self, node, round, weights);
    for (size_t k = 0; k < here.degree; k++)
        sends[k] = (unsigned char)takes(self, node, round, k, weights);
    *self_weight = own_weight(self, here.degree, weights, sends);
}
