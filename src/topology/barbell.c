/* Two complete graphs joined by a path: the slowest mixing graph of its size, and so a hard case. */
#include "topology/generator.h"

#include "base/fail.h"

typedef struct {
    int64_t clique, bridge;
} barbell_param;

static const p2p_option barbell_options[] = {
    { "clique", P2P_OPT_INT, "auto", "1", "16384",
      "nodes of each complete graph; auto: half of those not on the bridge", offsetof(barbell_param, clique) },
    { "bridge", P2P_OPT_INT, "auto", "0", "16777216",
      "nodes between the two; auto: what is left if clique is given, else 0 or 1", offsetof(barbell_param, bridge) },
    { NULL, P2P_OPT_INT, NULL, NULL, NULL, NULL, 0 },
};

/* Clique and bridge from what is given of nodes, clique and bridge. */
static p2p_status
shape(const barbell_param *p, size_t nodes, size_t *clique, size_t *bridge)
{
    int all = p->clique != P2P_AUTO_INT && p->bridge != P2P_AUTO_INT;

    if (nodes == 0 && !all)
        return p2p_fail(P2P_EINVAL, "topology \"barbell\": the number of nodes is missing; expected nodes, or clique "
                                    "and bridge");
    *clique = p->clique == P2P_AUTO_INT ? 0 : (size_t)p->clique;
    *bridge = p->bridge == P2P_AUTO_INT ? nodes % 2 : (size_t)p->bridge;
    if (p->clique == P2P_AUTO_INT && *bridge <= nodes)
        *clique = (nodes - *bridge) / 2;
    else if (p->bridge == P2P_AUTO_INT && 2 * *clique <= nodes)
        *bridge = nodes - 2 * *clique;
    if (nodes != 0 && 2 * *clique + *bridge != nodes)
        return p2p_fail(P2P_EINVAL,
                        "topology \"barbell\": clique=%zu, bridge=%zu do not make %zu nodes; expected 2 clique "
                        "+ bridge nodes",
                        *clique, *bridge, nodes);
    return P2P_OK;
}

static p2p_status
add_clique(p2pi_edges *out, size_t first, size_t nodes)
{
    p2p_status st = p2pi_edges_reserve(out, nodes * (nodes - (nodes > 0)) / 2);

    for (size_t i = first; st == P2P_OK && i < first + nodes; i++)
        for (size_t j = i + 1; st == P2P_OK && j < first + nodes; j++)
            st = p2pi_edges_add(out, (uint32_t)i, (uint32_t)j);
    return st;
}

/* Nodes in order: one clique, the bridge, the other clique. */
static p2p_status
build_barbell(const void *param, size_t nodes, p2p_random *draw, p2pi_edges *out)
{
    size_t clique = 0, bridge = 0;
    p2p_status st;

    (void)draw;
    if ((st = shape(param, nodes, &clique, &bridge)) != P2P_OK ||
        (st = p2pi_edges_set_nodes(out, 2 * clique + bridge)) != P2P_OK ||
        (st = add_clique(out, 0, clique)) != P2P_OK || (st = add_clique(out, clique + bridge, clique)) != P2P_OK)
        return st;
    for (size_t i = clique; st == P2P_OK && i <= clique + bridge; i++)
        if (i > 0 && i < out->nodes)
            st = p2pi_edges_add(out, (uint32_t)(i - 1), (uint32_t)i);
    return st;
}

const p2pi_generator p2pi_topology_barbell = {
    .size = sizeof(p2pi_generator),
    .entry = { .name = "barbell",
               .help = "two complete graphs joined by a path of bridge nodes",
               .source = "Aldous, Fill, Reversible Markov Chains and Random Walks on Graphs, example 5.11",
               .options = barbell_options,
               .param_size = sizeof(barbell_param) },
    .build = build_barbell,
};
