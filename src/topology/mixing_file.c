/* W from a file: an edge list with weights, GraphML with mixing-weight, or a matrix in .npy. */
#include "topology/graph.h"
#include "topology/graph_files.h"

#include "base/fail.h"

#include <string.h>

/* First edge of a that b lacks; 0 if there is none. */
static int
find_missing(const p2p_topology *a, const p2p_topology *b, size_t *u, uint32_t *v)
{
    for (*u = 0; *u < a->nodes; ++*u)
        for (size_t k = a->start[*u]; k < a->start[*u + 1]; k++) {
            *v = a->peers[k];
            if (p2pi_topology_find(b, (uint32_t)*u, *v) == SIZE_MAX)
                return 1;
        }
    return 0;
}

/* The same nodes and the same edges, so that the arrays correspond. */
static p2p_status
check_same_edges(const p2p_topology *self, const p2p_topology *file, const char *path)
{
    uint32_t v;
    size_t u;

    if (file->nodes != self->nodes)
        return p2p_fail(P2P_EINVAL, "mixing \"file\": %s: W has %zu rows; expected %zu, one a node", path,
                        file->nodes, self->nodes);
    if (find_missing(self, file, &u, &v))
        return p2p_fail(P2P_EINVAL, "mixing \"file\": %s: no weight for edge %zu %u of the topology", path, u, v);
    if (find_missing(file, self, &u, &v))
        return p2p_fail(P2P_EINVAL, "mixing \"file\": %s: weight for %zu %u, which is not an edge of the topology",
                        path, u, v);
    return P2P_OK;
}

p2p_status
p2pi_topology_weights_from_file(p2p_topology *self, const char *path)
{
    p2pi_edges edges = { 0 };
    p2p_topology *file = NULL;
    p2p_status st;

    if (path[0] == '\0')
        return p2p_fail(P2P_EINVAL, "mixing \"file\": the path is missing; expected file:PATH");
    if ((st = p2pi_graph_read(&edges, path, 0)) == P2P_OK && (st = p2pi_topology_assemble(&file, &edges)) == P2P_OK)
        st = check_same_edges(self, file, path);
    if (st == P2P_OK && !file->weighted && file->nodes > 1)
        st = p2p_fail(P2P_EINVAL, "mixing \"file\": %s: the edges have no weights; expected u v w", path);
    if (st == P2P_OK) {
        memcpy(self->weights, file->weights, 2 * self->edges * sizeof *self->weights);
        memcpy(self->self, file->self, self->nodes * sizeof *self->self);
    }
    p2p_topology_destroy(&file);
    p2pi_edges_clear(&edges);
    return st;
}
