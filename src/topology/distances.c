/*
 * The diameter by breadth-first searches that bound every node's eccentricity: a search from v gives
 * max(ecc(v) - d(v, w), d(v, w)) <= ecc(w) <= ecc(v) + d(v, w). Takes and Kosters, "Determining the diameter of small
 * world networks", CIKM 2011. Real networks are done after a few searches.
 */
#include "topology/graph.h"

#include "base/fail.h"

#include <stdlib.h>
#include <string.h>

enum { UNSEEN = -1 };
static const double VISITS = 6e7; /* edges and nodes looked at before a bound must do */

typedef struct {
    const p2p_topology *t;
    int32_t *distance; /* of the last search */
    uint32_t *queue;
    uint32_t *low, *high; /* bounds of every node's eccentricity */
} search;

/* Distances from v to all; returns the largest. The graph is connected. */
static uint32_t
breadth_first(search *s, uint32_t v)
{
    const p2p_topology *t = s->t;
    size_t head = 0, tail = 0;

    for (size_t i = 0; i < t->nodes; i++)
        s->distance[i] = UNSEEN;
    s->distance[v] = 0;
    s->queue[tail++] = v;
    while (head < tail) {
        uint32_t i = s->queue[head++];

        for (size_t k = t->start[i]; k < t->start[i + 1]; k++) {
            uint32_t j = t->peers[k];

            if (s->distance[j] == UNSEEN) {
                s->distance[j] = s->distance[i] + 1;
                s->queue[tail++] = j;
            }
        }
    }
    return (uint32_t)s->distance[s->queue[tail - 1]];
}

/* Take a search from v into every node's bounds; *lower is the largest distance known to occur. */
static void
tighten(search *s, uint32_t v, uint32_t *lower)
{
    uint32_t ecc = breadth_first(s, v);

    for (size_t i = 0; i < s->t->nodes; i++) {
        uint32_t d = (uint32_t)s->distance[i];
        uint32_t low = d > ecc - d ? d : ecc - d;

        s->low[i] = low > s->low[i] ? low : s->low[i];
        s->high[i] = ecc + d < s->high[i] ? ecc + d : s->high[i];
    }
    s->low[v] = s->high[v] = ecc;
    *lower = ecc > *lower ? ecc : *lower;
}

/* The largest upper bound; the next node to search from, by turns of largest upper or of smallest lower bound. */
static uint32_t
next_node(const search *s, uint32_t lower, int turn, uint32_t *upper)
{
    uint32_t best = UINT32_MAX;

    *upper = lower;
    for (size_t i = 0; i < s->t->nodes; i++) {
        if (s->high[i] <= lower)
            continue;
        *upper = s->high[i] > *upper ? s->high[i] : *upper;
        if (best == UINT32_MAX || (turn ? s->low[i] < s->low[best] : s->high[i] > s->high[best]))
            best = (uint32_t)i;
    }
    return best;
}

static void
bound(p2p_topology *self, search *s)
{
    double cost = (double)self->nodes + 2.0 * (double)self->edges, spent = 0;
    uint32_t v = 0, lower = 0, upper = UINT32_MAX;
    int turn = 1;

    for (size_t i = 0; i < self->nodes; i++)
        s->high[i] = UINT32_MAX;
    do {
        tighten(s, v, &lower);
        v = next_node(s, lower, turn, &upper);
        turn = !turn;
        spent += cost;
    } while (upper > lower && !self->alike && spent < VISITS);
    self->diameter = self->alike ? lower : upper;
    self->diameter_exact = self->alike || upper == lower;
}

p2p_status
p2pi_topology_find_diameter(p2p_topology *self)
{
    search s = { .t = self };
    p2p_status st = P2P_OK;

    s.distance = malloc(self->nodes * sizeof *s.distance);
    s.queue = malloc(self->nodes * sizeof *s.queue);
    s.low = calloc(self->nodes, sizeof *s.low);
    s.high = malloc(self->nodes * sizeof *s.high);
    if (s.distance == NULL || s.queue == NULL || s.low == NULL || s.high == NULL)
        st = p2pi_fail_memory("diameter", self->nodes * 4 * sizeof *s.low);
    else
        bound(self, &s);
    free(s.high);
    free(s.low);
    free(s.queue);
    free(s.distance);
    return st;
}
