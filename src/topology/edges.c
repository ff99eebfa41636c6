/* A growing list of edges, its order and its components. */
#include "topology/edges.h"

#include "base/fail.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void
p2pi_edges_clear(p2pi_edges *self)
{
    for (size_t i = 0; self->names != NULL && i < self->nodes; i++)
        free(self->names[i]);
    free(self->names);
    free(self->source);
    free(self->lines);
    free(self->weights);
    free(self->ends);
    memset(self, 0, sizeof *self);
}

/* The array with room for count entries of size bytes; NULL (sentence set) leaves it as it was. */
static void *
grown(void *array, size_t count, size_t size)
{
    void *larger = realloc(array, count * size);

    if (larger == NULL)
        p2pi_fail_memory("edges", count * size);
    return larger;
}

static p2p_status
grow(p2pi_edges *self, size_t room)
{
    void *ends = grown(self->ends, 2 * room, sizeof *self->ends);
    void *weights = ends && self->weights ? grown(self->weights, room, sizeof *self->weights) : NULL;
    void *lines = ends && self->lines ? grown(self->lines, room, sizeof *self->lines) : NULL;
    int ok = ends && !weights == !self->weights && !lines == !self->lines;

    self->ends = ends ? ends : self->ends;
    self->weights = weights ? weights : self->weights;
    self->lines = lines ? lines : self->lines;
    if (ok)
        self->room = room;
    return ok ? P2P_OK : P2P_ENOMEM;
}

p2p_status
p2pi_edges_reserve(p2pi_edges *self, size_t count)
{
    size_t wanted = self->count + count, room = self->room ? self->room : 64;

    if (count > P2P_TOPOLOGY_EDGES_MAX || wanted > P2P_TOPOLOGY_EDGES_MAX)
        return p2p_fail(P2P_EINVAL, "%s: %zu edges; at most %d are allowed", self->source ? self->source : "topology",
                        wanted, P2P_TOPOLOGY_EDGES_MAX);
    if (wanted <= self->room)
        return P2P_OK;
    while (room < wanted)
        room *= 2;
    return grow(self, room);
}

p2p_status
p2pi_edges_add(p2pi_edges *self, uint32_t u, uint32_t v)
{
    p2p_status st = p2pi_edges_reserve(self, 1);

    if (st != P2P_OK)
        return st;
    self->ends[2 * self->count] = u;
    self->ends[2 * self->count + 1] = v;
    self->count++;
    return P2P_OK;
}

p2p_status
p2pi_edges_add_weighted(p2pi_edges *self, uint32_t u, uint32_t v, double weight)
{
    p2p_status st = p2pi_edges_add(self, u, v);

    if (st == P2P_OK && self->weights == NULL &&
        (self->weights = grown(NULL, self->room, sizeof *self->weights)) == NULL)
        st = P2P_ENOMEM;
    if (st == P2P_OK)
        self->weights[self->count - 1] = weight;
    return st;
}

p2p_status
p2pi_edges_set_line(p2pi_edges *self, uint32_t line)
{
    if (self->lines == NULL && (self->lines = grown(NULL, self->room, sizeof *self->lines)) == NULL)
        return P2P_ENOMEM;
    self->lines[self->count - 1] = line;
    return P2P_OK;
}

p2p_status
p2pi_edges_set_nodes(p2pi_edges *self, size_t nodes)
{
    if (nodes > P2P_TOPOLOGY_NODES_MAX)
        return p2p_fail(P2P_EINVAL, "%s: %zu nodes; at most %d are allowed", self->source ? self->source : "topology",
                        nodes, P2P_TOPOLOGY_NODES_MAX);
    self->nodes = nodes;
    return P2P_OK;
}

p2p_status
p2pi_edges_set_source(p2pi_edges *self, const char *path)
{
    free(self->source);
    self->source = strdup(path);
    return self->source ? P2P_OK : p2pi_fail_memory(path, strlen(path) + 1);
}

p2p_status
p2pi_edges_name(p2pi_edges *self, size_t node, const char *name, size_t len)
{
    char *copy;

    if (self->names == NULL && (self->names = calloc(self->nodes, sizeof *self->names)) == NULL)
        return p2pi_fail_memory("node names", self->nodes * sizeof *self->names);
    if ((copy = malloc(len + 1)) == NULL)
        return p2pi_fail_memory("node name", len + 1);
    for (size_t i = 0; i < len; i++)
        copy[i] = (unsigned char)name[i] < ' ' ? ' ' : name[i];
    copy[len] = '\0';
    free(self->names[node]);
    self->names[node] = copy;
    return P2P_OK;
}

static uint32_t
smaller(const p2pi_edges *self, size_t e)
{
    uint32_t u = self->ends[2 * e], v = self->ends[2 * e + 1];

    return u < v ? u : v;
}

static uint32_t
larger(const p2pi_edges *self, size_t e)
{
    uint32_t u = self->ends[2 * e], v = self->ends[2 * e + 1];

    return u < v ? v : u;
}

/* One stable pass of counting sort: out is in by key. first has nodes + 1 entries of scratch. */
static void
sort_by(const p2pi_edges *self, uint32_t (*key)(const p2pi_edges *, size_t), const uint32_t *in, uint32_t *out,
        size_t *first)
{
    memset(first, 0, (self->nodes + 1) * sizeof *first);
    for (size_t e = 0; e < self->count; e++)
        first[key(self, e) + 1]++;
    for (size_t i = 0; i < self->nodes; i++)
        first[i + 1] += first[i];
    for (size_t k = 0; k < self->count; k++)
        out[first[key(self, in[k])]++] = in[k];
}

p2p_status
p2pi_edges_order(const p2pi_edges *self, uint32_t *order)
{
    size_t *first = malloc((self->nodes + 1) * sizeof *first);
    uint32_t *half = malloc((self->count + 1) * sizeof *half);

    if (first == NULL || half == NULL) {
        free(first);
        free(half);
        return p2pi_fail_memory("edge order", self->nodes * sizeof *first + self->count * sizeof *half);
    }
    for (size_t e = 0; e < self->count; e++)
        order[e] = (uint32_t)e;
    sort_by(self, larger, order, half, first);
    sort_by(self, smaller, half, order, first);
    free(first);
    free(half);
    return P2P_OK;
}

/* Root of a node's tree, halving the path on the way. */
static uint32_t
root(uint32_t *parent, uint32_t i)
{
    while (parent[i] != i) {
        parent[i] = parent[parent[i]];
        i = parent[i];
    }
    return i;
}

/*
 * Components: (*component)[i], to be freed, is the number of node i's, in order of their smallest nodes. Union-find
 * in which the smallest node of a tree is its root, so that one pass in order numbers them.
 */
static p2p_status
components_of(const p2pi_edges *self, uint32_t **component, size_t *count)
{
    uint32_t *parent = malloc((self->nodes + 1) * sizeof *parent);

    *count = 0;
    *component = malloc((self->nodes + 1) * sizeof **component);
    if (parent == NULL || *component == NULL) {
        free(parent);
        return p2pi_fail_memory("components", 2 * self->nodes * sizeof *parent);
    }
    for (size_t i = 0; i < self->nodes; i++)
        parent[i] = (uint32_t)i;
    for (size_t e = 0; e < self->count; e++) {
        uint32_t u = root(parent, self->ends[2 * e]), v = root(parent, self->ends[2 * e + 1]);

        if (u < v)
            parent[v] = u;
        else
            parent[u] = v;
    }
    for (size_t i = 0; i < self->nodes; i++) {
        uint32_t r = root(parent, (uint32_t)i);

        (*component)[i] = r == i ? (uint32_t)(*count)++ : (*component)[r];
    }
    free(parent);
    return P2P_OK;
}

p2p_status
p2pi_edges_connected(const p2pi_edges *self, int *out)
{
    uint32_t *component;
    size_t count = 0;
    p2p_status st = components_of(self, &component, &count);

    *out = count <= 1;
    free(component);
    return st;
}

/* Number of the largest component, and its size. */
static p2p_status
largest_of(const p2pi_edges *self, const uint32_t *component, size_t count, uint32_t *which, size_t *size)
{
    size_t *sizes = calloc(count + 1, sizeof *sizes);

    if (sizes == NULL)
        return p2pi_fail_memory("components", count * sizeof *sizes);
    for (size_t i = 0; i < self->nodes; i++)
        sizes[component[i]]++;
    *which = 0;
    for (size_t c = 1; c < count; c++)
        if (sizes[c] > sizes[*which])
            *which = (uint32_t)c;
    *size = sizes[*which];
    free(sizes);
    return P2P_OK;
}

/* Move what belongs to component `kept` to the front. The component array becomes the new numbers. */
static void
keep(p2pi_edges *self, uint32_t *component, uint32_t kept, size_t size)
{
    size_t next = 0, to = 0;

    for (size_t e = 0; e < self->count; e++) {
        if (component[self->ends[2 * e]] != kept)
            continue;
        self->ends[2 * to] = self->ends[2 * e];
        self->ends[2 * to + 1] = self->ends[2 * e + 1];
        if (self->weights != NULL)
            self->weights[to] = self->weights[e];
        if (self->lines != NULL)
            self->lines[to] = self->lines[e];
        to++;
    }
    self->count = to;
    for (size_t i = 0; i < self->nodes; i++) {
        char *name = self->names ? self->names[i] : NULL;

        if (self->names != NULL)
            self->names[i] = NULL;
        if (component[i] != kept) {
            free(name);
            continue;
        }
        if (self->names != NULL)
            self->names[next] = name;
        component[i] = (uint32_t)next++;
    }
    for (size_t k = 0; k < 2 * self->count; k++)
        self->ends[k] = component[self->ends[k]];
    self->nodes = size;
}

p2p_status
p2pi_edges_keep_largest(p2pi_edges *self)
{
    uint32_t *component, kept;
    size_t count, size;
    p2p_status st;

    if ((st = components_of(self, &component, &count)) == P2P_OK && count > 1 &&
        (st = largest_of(self, component, count, &kept, &size)) == P2P_OK)
        keep(self, component, kept, size);
    free(component);
    return st;
}

static int
has_edge(const p2pi_edges *self, uint32_t node)
{
    for (size_t k = 0; k < 2 * self->count; k++)
        if (self->ends[k] == node)
            return 1;
    return 0;
}

p2p_status
p2pi_edges_check_connected(const p2pi_edges *self)
{
    const char *source = self->source ? self->source : "topology";
    uint32_t *component, kept;
    size_t count, size, i = 0;
    p2p_status st;

    if (self->nodes > 1 && !has_edge(self, 0))
        return p2p_fail(P2P_EINVAL, "%s: not connected: node 0 has no edge; nodes are numbered from 0", source);
    if (self->nodes > self->count + 1)
        return p2p_fail(P2P_EINVAL, "%s: not connected: %zu edges cannot join %zu nodes", source, self->count,
                        self->nodes);
    if ((st = components_of(self, &component, &count)) == P2P_OK && count > 1 &&
        (st = largest_of(self, component, count, &kept, &size)) == P2P_OK) {
        while (component[i] == 0)
            i++;
        st =
            p2p_fail(P2P_EINVAL,
                     "%s: not connected: node %zu cannot be reached from node 0; %zu components, the largest has %zu "
                     "of %zu nodes",
                     source, i, count, size, self->nodes);
    }
    free(component);
    return st;
}
