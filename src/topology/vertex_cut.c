/*
 * The fewest nodes whose loss cuts a graph apart. Of any most + 1 nodes one is in no cut of `most` nodes, and some
 * other node is behind the cut as seen from it: so it is enough to count disjoint ways from each of the first most +
 * 1 nodes to all others, Even, SIAM J. Computing 4(3), 1975; ways are counted by augmenting paths, Menger's theorem.
 *
 * A node is split into an entry and an exit with room for one way between them; edges have room for any number, so
 * that what is full is a set of nodes.
 */
#include "topology/graph.h"

#include "base/fail.h"

#include <stdlib.h>
#include <string.h>

enum { UNSEEN = -1 };

/* Places: entry of v is 2 v, its exit 2 v + 1. */
typedef struct {
    const p2p_topology *t;
    uint8_t *uses;  /* an arc each: a way goes along it */
    uint8_t *holds; /* a node each: a way goes through it */
    int64_t *from;  /* the place before, of the last search */
    uint32_t *queue;
    size_t tail;
} network;

static void
see(network *w, size_t place, size_t from)
{
    if (w->from[place] != UNSEEN)
        return;
    w->from[place] = (int64_t)from;
    w->queue[w->tail++] = (uint32_t)place;
}

static void
look_from_exit(network *w, size_t v)
{
    const p2p_topology *t = w->t;

    for (size_t k = t->start[v]; k < t->start[v + 1]; k++)
        see(w, 2 * (size_t)t->peers[k], 2 * v + 1);
    if (w->holds[v])
        see(w, 2 * v, 2 * v + 1);
}

static void
look_from_entry(network *w, size_t v)
{
    const p2p_topology *t = w->t;

    if (!w->holds[v])
        see(w, 2 * v + 1, 2 * v);
    for (size_t k = t->start[v]; k < t->start[v + 1]; k++)
        if (w->uses[p2pi_topology_find(t, t->peers[k], (uint32_t)v)])
            see(w, 2 * (size_t)t->peers[k] + 1, 2 * v);
}

/* Whether there is room for another way from the exit of s to the entry of t. */
static int
search(network *w, size_t s, size_t t)
{
    for (size_t i = 0; i < 2 * w->t->nodes; i++)
        w->from[i] = UNSEEN;
    w->tail = 0;
    see(w, 2 * s + 1, 2 * s + 1);
    for (size_t head = 0; head < w->tail && w->from[2 * t] == UNSEEN; head++) {
        size_t place = w->queue[head];

        if (place % 2)
            look_from_exit(w, place / 2);
        else
            look_from_entry(w, place / 2);
    }
    return w->from[2 * t] != UNSEEN;
}

/* The way that was found, step by step from its end: along arcs or back, through nodes or back. */
static void
add_way(network *w, size_t s, size_t t)
{
    for (size_t place = 2 * t; place != 2 * s + 1;) {
        size_t before = (size_t)w->from[place], u = before / 2, v = place / 2;

        if (u == v)
            w->holds[v] = place % 2;
        else if (place % 2 == 0)
            w->uses[p2pi_topology_find(w->t, (uint32_t)u, (uint32_t)v)] = 1;
        else
            w->uses[p2pi_topology_find(w->t, (uint32_t)v, (uint32_t)u)] = 0;
        place = before;
    }
}

/* Disjoint ways between two nodes that are no neighbours, at most limit + 1. */
static size_t
count_ways(network *w, size_t s, size_t t, size_t limit)
{
    size_t count = 0;

    memset(w->uses, 0, 2 * w->t->edges);
    memset(w->holds, 0, w->t->nodes);
    while (count <= limit && search(w, s, t)) {
        add_way(w, s, t);
        count++;
    }
    return count;
}

/* After a search that found nothing: nodes that are entered and not left. */
static void
take_cut(const network *w, uint32_t *cut)
{
    for (size_t v = 0, n = 0; v < w->t->nodes; v++)
        if (w->from[2 * v] != UNSEEN && w->from[2 * v + 1] == UNSEEN)
            cut[n++] = (uint32_t)v;
}

static void
look_for_cuts(network *w, size_t most, uint32_t *cut, size_t *size)
{
    const size_t nodes = w->t->nodes;

    *size = most + 1;
    for (size_t s = 0; s <= most && s < nodes; s++)
        for (size_t t = 0; t<nodes && * size> 0; t++) {
            size_t ways;

            if (t == s || p2pi_topology_find(w->t, (uint32_t)s, (uint32_t)t) != SIZE_MAX)
                continue;
            if ((ways = count_ways(w, s, t, *size - 1)) < *size) {
                *size = ways;
                take_cut(w, cut);
            }
        }
}

p2p_status
p2p_topology_cut(const p2p_topology *self, size_t most, uint32_t *cut, size_t *size)
{
    network w = { .t = self };
    p2p_status st = P2P_OK;

    w.uses = calloc(2 * self->edges + 1, 1);
    w.holds = calloc(self->nodes, 1);
    w.from = calloc(2 * self->nodes, sizeof *w.from);
    w.queue = calloc(2 * self->nodes, sizeof *w.queue);
    if (w.uses == NULL || w.holds == NULL || w.from == NULL || w.queue == NULL)
        st = p2pi_fail_memory("cut of a topology", 2 * self->nodes * sizeof *w.from);
    else
        look_for_cuts(&w, most, cut, size);
    free(w.uses);
    free(w.holds);
    free(w.from);
    free(w.queue);
    return st;
}
