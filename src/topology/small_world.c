/* Watts and Strogatz: a ring on which each node is joined to the k nearest, with some edges led elsewhere. */
#include "topology/draws.h"
#include "topology/generator.h"
#include "topology/pair_set.h"

#include "base/fail.h"

#include <stdlib.h>

typedef struct {
    int64_t k;
    double p;
} small_world_param;

static const p2p_option small_world_options[] = {
    { "k", P2P_OPT_INT, "auto", "2", "16777216",
      "neighbours on the ring, even; auto: 4, or 2 with two or three nodes", offsetof(small_world_param, k) },
    { "p", P2P_OPT_REAL, "0.1", "0", "1", "probability that an edge is led to a random node",
      offsetof(small_world_param, p) },
    { NULL, P2P_OPT_INT, NULL, NULL, NULL, NULL, 0 },
};

/* What is being rewired. */
typedef struct {
    p2pi_edges *edges;
    p2pi_pair_set present;
    uint32_t *degree;
} ring_lattice;

/* Edges (u, u + hop) for hop = 1 .. k / 2; a pair that two hops reach counts once. */
static p2p_status
build_ring_lattice(ring_lattice *ring, size_t reach)
{
    size_t n = ring->edges->nodes;
    p2p_status st = P2P_OK;

    for (size_t hop = 1; hop <= reach; hop++)
        for (size_t u = 0; st == P2P_OK && u < n; u++) {
            size_t v = (u + hop) % n;

            if (!p2pi_pair_set_add(&ring->present, (uint32_t)u, (uint32_t)v))
                continue;
            ring->degree[u]++;
            ring->degree[v]++;
            st = p2pi_edges_add(ring->edges, (uint32_t)u, (uint32_t)v);
        }
    return st;
}

/* Lead the far end of edge e to a node that is not yet a neighbour of the near end. */
static void
rewire(ring_lattice *ring, size_t e, p2pi_draws *draws)
{
    uint32_t u = ring->edges->ends[2 * e], v = ring->edges->ends[2 * e + 1], w;

    if (ring->degree[u] + 1 >= ring->edges->nodes)
        return;
    do
        w = p2pi_draw_below(draws, (uint32_t)ring->edges->nodes);
    while (w == u || p2pi_pair_set_has(&ring->present, u, w));
    p2pi_pair_set_remove(&ring->present, u, v);
    p2pi_pair_set_add(&ring->present, u, w);
    ring->degree[v]--;
    ring->degree[w]++;
    ring->edges->ends[2 * e + 1] = w;
}

static p2p_status
build_small_world(const void *param, size_t nodes, p2p_random *draw, p2pi_edges *out)
{
    const small_world_param *p = param;
    size_t k = p->k != P2P_AUTO_INT ? (size_t)p->k : nodes < 4 ? 2 : 4;
    p2pi_draws draws = p2pi_draws_of(draw);
    ring_lattice ring = { .edges = out };
    p2p_status st;

    if ((st = p2pi_topology_need_nodes("small-world", nodes, out)) != P2P_OK)
        return st;
    if (k % 2 != 0 || (k > nodes && nodes > 1))
        return p2p_fail(P2P_EINVAL,
                        "topology \"small-world\": k=%zu with %zu nodes; expected an even number of at most %zu", k,
                        nodes, nodes);
    if (nodes == 1)
        return P2P_OK;
    if ((st = p2pi_edges_reserve(out, nodes * (k / 2))) != P2P_OK ||
        (st = p2pi_pair_set_new(&ring.present, nodes * k)) != P2P_OK)
        return st;
    if ((ring.degree = calloc(nodes, sizeof *ring.degree)) == NULL)
        st = p2pi_fail_memory("small-world", nodes * sizeof *ring.degree);
    else
        st = build_ring_lattice(&ring, k / 2);
    for (size_t e = 0; st == P2P_OK && e < out->count; e++)
        if (p2pi_draw_event(&draws, p->p))
            rewire(&ring, e, &draws);
    free(ring.degree);
    p2pi_pair_set_clear(&ring.present);
    return st;
}

const p2pi_generator p2pi_topology_small_world = {
    .size = sizeof(p2pi_generator),
    .entry = { .name = "small-world",
               .help = "a ring of k nearest neighbours with edges rewired with probability p",
               .source = "Watts, Strogatz 1998, Nature 393",
               .options = small_world_options,
               .param_size = sizeof(small_world_param) },
    .traits = P2PI_RANDOM,
    .build = build_small_world,
};
