/*
 * Directed graphs: a node sends along its outgoing edges and hears along its incoming ones. Without anybody's word
 * but its own it can only share itself out: node i gives 1 / (1 + out-degree) to each receiver and keeps as much, so
 * the columns of P sum to 1. Its rows need not.
 *
 * Source: Assran, Loizou, Ballas, Rabbat, ICML 2019, arXiv:1811.10792.
 */
#include "topology/generator.h"
#include "topology/schedule.h"

#include "base/fail.h"

#include <stdlib.h>

/* How many nodes are reached from node 0 along the edges, or against them. */
static p2p_status
reach(const p2p_topology *self, int against, size_t *lost)
{
    const double *table = self->schedule->table;
    unsigned char *seen = calloc(self->nodes, 1);
    uint32_t *queue = malloc(self->nodes * sizeof *queue);
    size_t head = 0, tail = 0;

    if (seen == NULL || queue == NULL) {
        free(seen);
        free(queue);
        return p2pi_fail_memory("topology", self->nodes * sizeof *queue);
    }
    seen[0] = 1;
    queue[tail++] = 0;
    while (head < tail) {
        uint32_t i = queue[head++];

        for (size_t k = self->start[i]; k < self->start[i + 1]; k++) {
            uint32_t j = self->peers[k];

            if (!seen[j] && table[against ? k : p2pi_topology_find(self, j, i)] > 0) {
                seen[j] = 1;
                queue[tail++] = j;
            }
        }
    }
    for (*lost = 0; *lost < self->nodes && seen[*lost]; ++*lost)
        ;
    free(seen);
    free(queue);
    return P2P_OK;
}

static p2p_status
check_strongly_connected(const p2p_topology *self)
{
    size_t lost = 0;
    p2p_status st;

    for (int against = 0; against < 2; against++) {
        if ((st = reach(self, against, &lost)) != P2P_OK)
            return st;
        if (lost < self->nodes)
            return p2p_fail(P2P_EINVAL,
                            "directed edges: there is no way from node %zu to node %zu; expected one from "
                            "every node to every other",
                            against ? lost : 0, against ? 0 : lost);
    }
    return P2P_OK;
}

p2p_status
p2pi_topology_direct(p2p_topology *self, const p2pi_edges *edges)
{
    size_t *out = calloc(self->nodes, sizeof *out), most = 0;
    p2p_status st;
    double *table;

    if (out == NULL)
        return p2pi_fail_memory("topology", self->nodes * sizeof *out);
    if ((st = p2pi_schedule_new(self, P2P_TOPOLOGY_DIRECTED | P2P_TOPOLOGY_PUSH, 1)) != P2P_OK) {
        free(out);
        return st;
    }
    table = self->schedule->table;
    for (size_t e = 0; e < edges->count; e++) {
        size_t at = p2pi_topology_find(self, edges->ends[2 * e + 1], edges->ends[2 * e]);

        if (at != SIZE_MAX && table[at] == 0) {
            table[at] = 1;
            out[edges->ends[2 * e]]++;
        }
    }
    for (size_t k = 0; k < 2 * self->edges; k++)
        table[k] /= 1.0 + (double)out[self->peers[k]];
    for (size_t i = 0; i < self->nodes; i++)
        most = out[i] > most ? out[i] : most;
    self->schedule->beta = 2 * (double)most / (1 + (double)most);
    free(out);
    return check_strongly_connected(self);
}

static p2p_status
build_directed_ring(const void *param, size_t nodes, p2p_random *draw, p2pi_edges *out)
{
    p2p_status st = p2pi_topology_need_nodes("directed-ring", nodes, out);

    (void)param;
    (void)draw;
    out->arcs = 1;
    for (size_t i = 0; st == P2P_OK && nodes > 1 && i < nodes; i++)
        st = p2pi_edges_add(out, (uint32_t)i, (uint32_t)((i + 1) % nodes));
    return st;
}

static p2p_status
build_directed_exponential(const void *param, size_t nodes, p2p_random *draw, p2pi_edges *out)
{
    p2p_status st = p2pi_topology_need_nodes("directed-exponential", nodes, out);

    (void)param;
    (void)draw;
    out->arcs = 1;
    for (size_t i = 0; st == P2P_OK && i < nodes; i++)
        for (size_t hop = 1; st == P2P_OK && hop < nodes; hop *= 2)
            st = p2pi_edges_add(out, (uint32_t)i, (uint32_t)((i + hop) % nodes));
    return st;
}

const p2pi_generator p2pi_topology_directed_ring = {
    .size = sizeof(p2pi_generator),
    .entry = { .name = "directed-ring",
               .help = "node i sends to i + 1 modulo n alone; for methods that push",
               .source = "folklore" },
    .traits = P2PI_ALIKE,
    .build = build_directed_ring,
};

const p2pi_generator p2pi_topology_directed_exponential = {
    .size = sizeof(p2pi_generator),
    .entry = { .name = "directed-exponential",
               .help = "node i sends to i + 1, i + 2, i + 4, ... modulo n; for methods that push",
               .source = "Assran, Loizou, Ballas, Rabbat 2019, arXiv:1811.10792" },
    .traits = P2PI_ALIKE,
    .build = build_directed_exponential,
};
