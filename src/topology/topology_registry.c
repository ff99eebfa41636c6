/* The list of topologies, and how a spec becomes one. */
#include "topology/generator.h"
#include "topology/graph.h"
#include "topology/graph_files.h"
#include "topology/schedule.h"

#include "base/fail.h"
#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define P2P_TOPOLOGY(name) extern const p2pi_generator p2pi_topology_##name;
#include "topology/topologies.def"
#undef P2P_TOPOLOGY

static const p2pi_generator *const generators[] = {
#define P2P_TOPOLOGY(name) &p2pi_topology_##name,
#include "topology/topologies.def"
#undef P2P_TOPOLOGY
};

/* Draws of a random graph before giving up on a connected one. */
enum { DRAWS = 100 };

const p2p_entry *
p2pi_topology_entry(size_t i)
{
    return i < sizeof generators / sizeof *generators ? &generators[i]->entry : NULL;
}

p2p_status
p2pi_topology_need_nodes(const char *name, size_t nodes, p2pi_edges *out)
{
    if (nodes == 0)
        return p2p_fail(P2P_EINVAL, "topology \"%s\": the number of nodes is missing; expected at least 1", name);
    return p2pi_edges_set_nodes(out, nodes);
}

p2p_status
p2pi_topology_parse(const char *family, const p2p_entry *entry, int bare, p2pi_span options, void *param)
{
    char whole[2 * P2P_TEXT_MAX] = "";
    p2pi_span pieces = options, first, key;

    if (options.len == 0 || !bare)
        return p2pi_spec_parse(family, entry, options, param);
    p2pi_span_next(&pieces, ',', &first);
    p2pi_span_next(&first, '=', &key);
    if (first.at != NULL && p2pi_option_find(entry->options, key) != NULL)
        return p2pi_spec_parse(family, entry, options, param);
    if (options.len > P2P_TEXT_MAX)
        return p2p_fail(P2P_EPARSE, "%s \"%s\": \"%.40s...\": expected at most %d characters", family, entry->name,
                        options.at, P2P_TEXT_MAX);
    p2pi_text_append(whole, sizeof whole, "%s=%.*s", entry->options[0].key, (int)options.len, options.at);
    return p2pi_spec_parse(family, entry, p2pi_span_of(whole), param);
}

/* Build the edges; a random graph is drawn again, with the next round of the stream, until it is connected. */
static p2p_status
draw_edges(const p2pi_generator *g, const void *param, size_t nodes, uint64_t seed, p2pi_edges *edges)
{
    p2p_status st;

    for (uint32_t attempt = 0; attempt < DRAWS; attempt++) {
        p2p_random draw = p2p_random_open(seed, P2P_NODE_SHARED, attempt, P2P_STREAM_TOPOLOGY);
        int connected = 0;

        p2pi_edges_clear(edges);
        if ((st = g->build(param, nodes, &draw, edges)) != P2P_OK || !(g->traits & P2PI_RANDOM))
            return st;
        if ((st = p2pi_edges_connected(edges, &connected)) != P2P_OK || connected)
            return st;
    }
    return p2p_fail(P2P_EINVAL, "topology \"%s\": none of %d draws of %zu nodes was connected; expected more edges",
                    g->entry.name, DRAWS, edges->nodes);
}

/* A graph that changes or has directions weighs its edges itself. */
static p2p_status
check_mixing(const p2p_topology *self, const char *mixing)
{
    if (self->schedule == NULL || mixing == NULL || strcmp(mixing, "auto") == 0)
        return P2P_OK;
    return p2p_fail(P2P_EINVAL,
                    "topology \"%s\": the weights of its edges follow from the round: mixing \"%.80s\" "
                    "has no place; expected auto",
                    self->spec, mixing);
}

/* What every topology has besides its rows: W, texts, diameter. param, seed: for the schedule of a generator. */
static p2p_status
finish(p2p_topology *self, const char *spec, const char *mixing, const p2pi_generator *g, const void *param,
       uint64_t seed)
{
    p2p_status st;

    p2pi_text_append(self->spec, sizeof self->spec, "%s", spec);
    for (char *c = self->spec; *c != '\0'; c++)
        *c = (unsigned char)*c < ' ' ? '?' : *c;
    self->alike = g != NULL && (g->traits & P2PI_ALIKE);
    if (g != NULL && g->laplacian != NULL && self->nodes > 1)
        g->laplacian(self->nodes, &self->low, &self->high);
    if (g != NULL && g->schedule != NULL && (st = g->schedule(param, seed, self)) != P2P_OK)
        return st;
    if ((st = check_mixing(self, mixing)) != P2P_OK || (st = p2pi_topology_mix(self, mixing)) != P2P_OK)
        return st;
    if (self->schedule != NULL)
        snprintf(self->mixing, sizeof self->mixing, "%s",
                 self->schedule->traits & P2P_TOPOLOGY_PUSH ? "push" : "by round");
    return p2pi_topology_find_diameter(self);
}

/* Assemble and finish; all or NULL. g is NULL if no generator made the edges. */
static p2p_status
make(p2p_topology **out, p2pi_edges *edges, const char *spec, const char *mixing, const p2pi_generator *g,
     const void *param, uint64_t seed)
{
    p2p_status st = p2pi_topology_assemble(out, edges);

    /* Where a generator gives an edge twice that is its own affair. */
    if (st == P2P_OK && g != NULL && edges->source == NULL)
        (*out)->notice[0] = '\0';
    if (st == P2P_OK && edges->arcs)
        st = p2pi_topology_direct(*out, edges);
    if (st == P2P_OK)
        st = finish(*out, spec, mixing, g, param, seed);
    if (st != P2P_OK)
        p2p_topology_destroy(out);
    return st;
}

/* "file:path=a.edges" as users write it: "file:a.edges". */
static void
drop_first_key(const p2p_entry *entry, char *spec)
{
    const char *key = entry->options[0].key;
    char *options = strchr(spec, ':');
    size_t len = strlen(key);

    if (options != NULL && strncmp(options + 1, key, len) == 0 && options[1 + len] == '=')
        memmove(options + 1, options + len + 2, strlen(options + len + 2) + 1);
}

p2p_status
p2p_topology_new(p2p_topology **out, const char *spec, const char *mixing, size_t nodes, uint64_t seed)
{
    p2pi_span name, options;
    const p2pi_generator *g;
    p2pi_edges edges = { 0 };
    char canonical[512];
    void *param;
    size_t index;
    p2p_status st;

    *out = NULL;
    p2pi_spec_split(p2pi_span_of(spec), &name, &options);
    if ((st = p2pi_spec_find("topology", name, p2pi_topology_entry, &index)) != P2P_OK)
        return st;
    g = generators[index];
    if ((param = malloc(g->entry.param_size + 1)) == NULL)
        return p2pi_fail_memory("topology", g->entry.param_size);
    if ((st = p2pi_topology_parse("topology", &g->entry, g->traits & P2PI_BARE, options, param)) == P2P_OK &&
        (st = draw_edges(g, param, nodes, seed, &edges)) == P2P_OK) {
        p2pi_spec_format(&g->entry, param, canonical, sizeof canonical);
        if (g->traits & P2PI_BARE)
            drop_first_key(&g->entry, canonical);
        st = make(out, &edges, canonical, mixing, g, param, seed);
    }
    p2pi_edges_clear(&edges);
    free(param);
    return st;
}

p2p_status
p2p_topology_read(p2p_topology **out, const char *path, const char *mixing, int largest)
{
    p2pi_edges edges = { 0 };
    char spec[512] = "";
    p2p_status st;

    *out = NULL;
    p2pi_text_append(spec, sizeof spec, "file:%s%s", path, largest ? ",component=largest" : "");
    if ((st = p2pi_graph_read(&edges, path, largest)) == P2P_OK)
        st = make(out, &edges, spec, mixing, NULL, NULL, 0);
    p2pi_edges_clear(&edges);
    return st;
}

/* An edge of a caller's list. */
static p2p_status
add_given(p2pi_edges *edges, size_t e, uint32_t u, uint32_t v, const double *weight)
{
    if (u >= edges->nodes || v >= edges->nodes || u == v)
        return p2p_fail(P2P_EINVAL, "edge %zu (%u %u): expected two different nodes from 0 to %zu", e, u, v,
                        edges->nodes - 1);
    return weight ? p2pi_edges_add_weighted(edges, u, v, *weight) : p2pi_edges_add(edges, u, v);
}

static p2p_status
from_list(p2p_topology **out, size_t nodes, size_t count, const uint32_t *ends, const double *weights, int arcs)
{
    p2pi_edges edges = { .arcs = arcs };
    p2p_status st;

    *out = NULL;
    st = p2pi_edges_set_nodes(&edges, nodes);
    for (size_t e = 0; st == P2P_OK && e < count; e++)
        st = add_given(&edges, e, ends[2 * e], ends[2 * e + 1], weights ? &weights[e] : NULL);
    if (st == P2P_OK)
        st = make(out, &edges, arcs ? "arcs" : "edges", NULL, NULL, NULL, 0);
    p2pi_edges_clear(&edges);
    return st;
}

p2p_status
p2p_topology_from_edges(p2p_topology **out, size_t nodes, size_t count, const uint32_t *ends, const double *weights)
{
    return from_list(out, nodes, count, ends, weights, 0);
}

p2p_status
p2p_topology_from_arcs(p2p_topology **out, size_t nodes, size_t count, const uint32_t *arcs)
{
    return from_list(out, nodes, count, arcs, NULL, 1);
}
