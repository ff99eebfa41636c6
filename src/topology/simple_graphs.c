/* Graphs that need no options: ring, path, star, complete. One node is a graph without edges. */
#include "topology/generator.h"

#include <math.h>

static p2p_status
build_ring(const void *param, size_t nodes, p2p_random *draw, p2pi_edges *out)
{
    p2p_status st = p2pi_topology_need_nodes("ring", nodes, out);

    (void)param;
    (void)draw;
    for (size_t i = 0; st == P2P_OK && i < (nodes > 2 ? nodes : nodes - 1); i++)
        st = p2pi_edges_add(out, (uint32_t)i, (uint32_t)((i + 1) % nodes));
    return st;
}

/* Slow graphs of any size are what iterations are slowest for, so ring and path bring their eigenvalues. */
static void
path_laplacian(size_t nodes, double *low, double *high)
{
    double s = sin(M_PI / (2.0 * (double)nodes)), c = cos(M_PI / (2.0 * (double)nodes));

    *low = 4 * s * s;
    *high = 4 * c * c;
}

static void
ring_laplacian(size_t nodes, double *low, double *high)
{
    double s = sin(M_PI / (double)nodes), t = sin(M_PI * (double)(nodes / 2) / (double)nodes);

    *low = 4 * s * s;
    *high = 4 * t * t;
    if (nodes == 2)
        path_laplacian(nodes, low, high);
}

static p2p_status
build_path(const void *param, size_t nodes, p2p_random *draw, p2pi_edges *out)
{
    p2p_status st = p2pi_topology_need_nodes("path", nodes, out);

    (void)param;
    (void)draw;
    for (size_t i = 1; st == P2P_OK && i < nodes; i++)
        st = p2pi_edges_add(out, (uint32_t)(i - 1), (uint32_t)i);
    return st;
}

static p2p_status
build_star(const void *param, size_t nodes, p2p_random *draw, p2pi_edges *out)
{
    p2p_status st = p2pi_topology_need_nodes("star", nodes, out);

    (void)param;
    (void)draw;
    for (size_t i = 1; st == P2P_OK && i < nodes; i++)
        st = p2pi_edges_add(out, 0, (uint32_t)i);
    return st;
}

static p2p_status
build_complete(const void *param, size_t nodes, p2p_random *draw, p2pi_edges *out)
{
    p2p_status st = p2pi_topology_need_nodes("complete", nodes, out);

    (void)param;
    (void)draw;
    if (st == P2P_OK)
        st = p2pi_edges_reserve(out, nodes * (nodes - 1) / 2);
    for (size_t i = 0; st == P2P_OK && i < nodes; i++)
        for (size_t j = i + 1; st == P2P_OK && j < nodes; j++)
            st = p2pi_edges_add(out, (uint32_t)i, (uint32_t)j);
    return st;
}

const p2pi_generator p2pi_topology_ring = {
    .size = sizeof(p2pi_generator),
    .entry = { .name = "ring",
               .help = "every node has two neighbours, i - 1 and i + 1 modulo n",
               .source = "folklore" },
    .traits = P2PI_ALIKE,
    .build = build_ring,
    .laplacian = ring_laplacian,
};

const p2pi_generator p2pi_topology_path = {
    .size = sizeof(p2pi_generator),
    .entry = { .name = "path",
               .help = "a ring without the edge from the last node to the first",
               .source = "folklore" },
    .build = build_path,
    .laplacian = path_laplacian,
};

const p2pi_generator p2pi_topology_star = {
    .size = sizeof(p2pi_generator),
    .entry = { .name = "star",
               .help = "node 0 is the neighbour of all others, which have no further ones",
               .source = "folklore" },
    .build = build_star,
};

const p2pi_generator p2pi_topology_complete = {
    .size = sizeof(p2pi_generator),
    .entry = { .name = "complete", .help = "every node is the neighbour of every other", .source = "folklore" },
    .traits = P2PI_ALIKE,
    .build = build_complete,
};
