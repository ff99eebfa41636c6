#include "node/live_view.h"

#include "base/fail.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

void
p2pi_live_view_start(p2pi_live_view *self, const p2p_topology *topology)
{
    memset(self, 0, sizeof *self);
    self->topology = topology;
}

void
p2pi_live_view_clear(p2pi_live_view *self)
{
    free(self->edges);
    self->edges = NULL;
    self->count = self->room = self->down = 0;
}

static p2pi_edge *
find(const p2pi_live_view *self, uint32_t a, uint32_t b)
{
    uint32_t low = a < b ? a : b, high = a < b ? b : a;

    for (size_t i = 0; i < self->count; i++)
        if (self->edges[i].low == low && self->edges[i].high == high)
            return &self->edges[i];
    return NULL;
}

uint32_t
p2pi_live_view_next(const p2pi_live_view *self, uint32_t low, uint32_t high)
{
    const p2pi_edge *known = find(self, low, high);

    return known ? known->version + 1 : 1;
}

static int
exists(const p2p_topology *topology, uint32_t low, uint32_t high)
{
    p2p_neighbourhood near = p2p_topology_at(topology, low);

    for (size_t i = 0; i < near.degree; i++)
        if (near.peers[i] == high)
            return 1;
    return 0;
}

static p2pi_edge *
add(p2pi_live_view *self, const p2pi_edge *news)
{
    p2pi_edge *edge;

    if (self->count == self->room) {
        size_t room = self->room ? 2 * self->room : 8;

        if ((edge = realloc(self->edges, room * sizeof *edge)) == NULL)
            return NULL;
        self->edges = edge;
        self->room = room;
    }
    edge = &self->edges[self->count++];
    *edge = *news;
    edge->version = 0;
    edge->up = 1;
    return edge;
}

p2p_status
p2pi_live_view_take(p2pi_live_view *self, const p2pi_edge *news, int *fresh)
{
    p2pi_edge *known = find(self, news->low, news->high);

    *fresh = 0;
    if (known == NULL && !exists(self->topology, news->low, news->high))
        return p2p_fail(P2P_EPROTO, "edge %u-%u: not in the topology", news->low, news->high);
    if (known == NULL && (known = add(self, news)) == NULL)
        return p2pi_fail_memory("node", self->count * sizeof *known);
    if (news->version <= known->version)
        return P2P_OK;
    self->down += (size_t)known->up - (size_t)(news->up != 0);
    *known = *news;
    *fresh = 1;
    return P2P_OK;
}

/* Numbers of the nodes that are not marked, as ranges. */
static void
list_lost(const uint8_t *reached, size_t n, char *text, size_t cap)
{
    for (size_t i = 0; i < n; i++) {
        size_t first = i;

        if (reached[i])
            continue;
        while (i + 1 < n && !reached[i + 1])
            i++;
        p2pi_text_append(text, cap, "%s%zu", text[0] ? ", " : "", first);
        if (i > first)
            p2pi_text_append(text, cap, "-%zu", i);
    }
}

p2p_status
p2pi_live_view_reach(const p2pi_live_view *self, uint32_t from, size_t *reached, char *lost, size_t cap)
{
    size_t n = p2p_topology_size(self->topology), head = 0, tail = 0;
    uint32_t *queue = malloc(n * sizeof *queue);
    uint8_t *mark = calloc(n, 1);
    p2p_status st = P2P_OK;

    lost[0] = '\0';
    if (queue == NULL || mark == NULL)
        st = p2pi_fail_memory("node", n * sizeof *queue);
    else {
        queue[tail++] = from;
        mark[from] = 1;
    }
    while (head < tail) {
        uint32_t i = queue[head++];
        p2p_neighbourhood near = p2p_topology_at(self->topology, i);

        for (size_t e = 0; e < near.degree; e++) {
            uint32_t j = near.peers[e];
            const p2pi_edge *edge = mark[j] ? NULL : find(self, i, j);

            if (mark[j] || (edge != NULL && !edge->up))
                continue;
            mark[j] = 1;
            queue[tail++] = j;
        }
    }
    *reached = tail;
    if (st == P2P_OK)
        list_lost(mark, n, lost, cap);
    free(queue);
    free(mark);
    return st;
}
