#include "node/plan.h"

#include "base/fail.h"
#include "node/description.h"
#include "wire/hello.h"

#include <stdlib.h>
#include <string.h>

void
p2pi_plan_destroy(p2pi_plan **self)
{
    if (*self == NULL)
        return;
    p2p_topology_destroy(&(*self)->topology);
    free((*self)->parent);
    free(*self);
    *self = NULL;
}

typedef struct {
    const char *text;
    size_t rank;
} named;

static int
by_text(const void *a, const void *b)
{
    int order = strcmp(((const named *)a)->text, ((const named *)b)->text);

    return order ? order : (((const named *)a)->rank > ((const named *)b)->rank) * 2 - 1;
}

/* Put "FILE:LINE: " before the sentence if the node was read from a file. */
static p2p_status
blame_member(const p2p_swarm *swarm, size_t rank, p2p_status status)
{
    if (swarm->path == NULL || swarm->members[rank].line == 0)
        return status;
    return p2pi_fail_context(status, "%s:%u", swarm->path, swarm->members[rank].line);
}

/* Endpoints and keys are each used once. */
static p2p_status
check_unique(const p2p_swarm *swarm, const char *what, const char *(*text_of)(const p2p_swarm *, size_t))
{
    named *all;
    size_t n = 0;
    p2p_status st = P2P_OK;

    if (swarm->count == 0)
        return P2P_OK;
    if ((all = calloc(swarm->count, sizeof *all)) == NULL)
        return p2pi_fail_memory("swarm", swarm->count * sizeof *all);
    for (size_t i = 0; i < swarm->count; i++)
        if (text_of(swarm, i) != NULL)
            all[n++] = (named){ text_of(swarm, i), i };
    qsort(all, n, sizeof *all, by_text);
    for (size_t i = 1; i < n && st == P2P_OK; i++)
        if (strcmp(all[i - 1].text, all[i].text) == 0)
            st = blame_member(swarm, all[i].rank,
                              p2p_fail(P2P_EINVAL, "node %zu: %s \"%s\" is that of node %zu", all[i].rank, what,
                                       all[i].text, all[i - 1].rank));
    free(all);
    return st;
}

/* Breadth first from node 0. */
static p2p_status
grow_tree(p2pi_plan *self)
{
    size_t n = p2p_topology_size(self->topology), head = 0, tail = 0;
    uint32_t *queue = calloc(n, sizeof *queue);

    self->parent = malloc(n * sizeof *self->parent);
    if (queue == NULL || self->parent == NULL) {
        free(queue);
        return p2pi_fail_memory("swarm", n * sizeof *queue);
    }
    memset(self->parent, 0xff, n * sizeof *self->parent);
    self->parent[0] = 0;
    queue[tail++] = 0;
    while (head < tail) {
        uint32_t i = queue[head++];
        p2p_neighbourhood near = p2p_topology_at(self->topology, i);

        for (size_t e = 0; e < near.degree; e++)
            if (self->parent[near.peers[e]] == UINT32_MAX) {
                self->parent[near.peers[e]] = i;
                queue[tail++] = near.peers[e];
            }
    }
    free(queue);
    return P2P_OK;
}

p2p_status
p2pi_plan_new(p2pi_plan **out, const p2p_swarm *swarm)
{
    const p2pi_description *v = &swarm->values;
    p2pi_plan *self;
    p2p_status st;

    *out = NULL;
    if ((st = check_unique(swarm, "endpoint", p2p_swarm_endpoint)) != P2P_OK ||
        (st = check_unique(swarm, "key", p2p_swarm_public_key)) != P2P_OK)
        return st;
    if ((self = calloc(1, sizeof *self)) == NULL)
        return p2pi_fail_memory("swarm", sizeof *self);
    st = p2p_topology_new(&self->topology, v->topology.s, v->mixing.s, swarm->count, (uint64_t)v->seed);
    if (st != P2P_OK) {
        st = p2pi_swarm_blame(swarm, "topology", st);
        goto fail;
    }
    if ((st = p2p_topology_measure(self->topology, &self->figures)) != P2P_OK || (st = grow_tree(self)) != P2P_OK)
        goto fail;
    self->hash = p2p_topology_hash(self->topology);
    p2pi_draws_text(self->draws);
    *out = self;
    return P2P_OK;
fail:
    p2pi_plan_destroy(&self);
    return st;
}
