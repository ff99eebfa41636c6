/* G(n, p): each pair of nodes is an edge with probability p, independently of the others. O(nodes + edges). */
#include "topology/draws.h"
#include "topology/generator.h"

typedef struct {
    double p;
} erdos_renyi_param;

static const p2p_option erdos_renyi_options[] = {
    { "p", P2P_OPT_REAL, "auto", "(0", "1",
      "probability of an edge; auto: 1.5 ceil(log2 n) / n, about twice what connects the graph",
      offsetof(erdos_renyi_param, p) },
    { NULL, P2P_OPT_REAL, NULL, NULL, NULL, NULL, 0 },
};

/* In integers, lest two machines' logarithms differ. */
static double
default_probability(size_t nodes)
{
    size_t bits = 0;
    double p;

    while ((size_t)1 << bits < nodes)
        bits++;
    p = 1.5 * (double)bits / (double)nodes;
    return p < 1 ? p : 1;
}

/* Walk over the pairs (u, v), u < v, in order, jumping over those that are no edges. */
static p2p_status
build_erdos_renyi(const void *param, size_t nodes, p2p_random *draw, p2pi_edges *out)
{
    double p = ((const erdos_renyi_param *)param)->p;
    p2pi_draws draws = p2pi_draws_of(draw);
    p2pi_geometric skip;
    uint64_t u = 0, v = 0;
    p2p_status st;

    if ((st = p2pi_topology_need_nodes("erdos-renyi", nodes, out)) != P2P_OK)
        return st;
    p = p2p_is_auto(p) ? default_probability(nodes) : p;
    skip = p2pi_geometric_of(p);
    st = p2pi_edges_reserve(out, (size_t)(p * (double)nodes * (double)(nodes - 1) / 2));
    while (st == P2P_OK) {
        v += 1 + p2pi_draw_geometric(&draws, &skip);
        while (u + 1 < nodes && v >= nodes) {
            v = v - nodes + u + 2;
            u++;
        }
        if (u + 1 >= nodes)
            break;
        st = p2pi_edges_add(out, (uint32_t)u, (uint32_t)v);
    }
    return st;
}

const p2pi_generator p2pi_topology_erdos_renyi = {
    .size = sizeof(p2pi_generator),
    .entry = { .name = "erdos-renyi",
               .help = "each pair of nodes is joined with probability p",
               .source = "Gilbert 1959, Ann. Math. Statist. 30(4)",
               .options = erdos_renyi_options,
               .param_size = sizeof(erdos_renyi_param) },
    .traits = P2PI_RANDOM,
    .build = build_erdos_renyi,
};
