/* Preferential attachment: nodes come one by one and join m others, chosen in proportion to their degrees. */
#include "topology/draws.h"
#include "topology/generator.h"

#include "base/fail.h"

typedef struct {
    int64_t m;
} barabasi_albert_param;

static const p2p_option barabasi_albert_options[] = {
    { "m", P2P_OPT_INT, "auto", "1", "1000", "edges that each new node brings; auto: 2, or 1 with two nodes",
      offsetof(barabasi_albert_param, m) },
    { NULL, P2P_OPT_INT, NULL, NULL, NULL, NULL, 0 },
};

/* Whether the edges from number `first` on already lead from the new node to v. */
static int
chosen(const p2pi_edges *out, size_t first, uint32_t v)
{
    for (size_t e = first; e < out->count; e++)
        if (out->ends[2 * e + 1] == v)
            return 1;
    return 0;
}

/* Join the new node to m different ones; a random end of a random edge is one in proportion to its degree. */
static p2p_status
attach(p2pi_edges *out, uint32_t fresh, size_t m, p2pi_draws *draws)
{
    size_t first = out->count;
    p2p_status st = P2P_OK;

    while (st == P2P_OK && out->count < first + m) {
        uint32_t v = out->ends[p2pi_draw_below(draws, (uint32_t)(2 * first))];

        if (!chosen(out, first, v))
            st = p2pi_edges_add(out, fresh, v);
    }
    return st;
}

static p2p_status
build_barabasi_albert(const void *param, size_t nodes, p2p_random *draw, p2pi_edges *out)
{
    const barabasi_albert_param *p = param;
    size_t m = p->m != P2P_AUTO_INT ? (size_t)p->m : nodes < 3 ? 1 : 2;
    p2pi_draws draws = p2pi_draws_of(draw);
    p2p_status st;

    if ((st = p2pi_topology_need_nodes("barabasi-albert", nodes, out)) != P2P_OK)
        return st;
    if (m >= nodes && nodes > 1)
        return p2p_fail(P2P_EINVAL, "topology \"barabasi-albert\": m=%zu with %zu nodes; expected at most %zu", m,
                        nodes, nodes - 1);
    st = p2pi_edges_reserve(out, m * (nodes - 1));
    for (uint32_t i = 1; st == P2P_OK && i < nodes; i++)
        st = i <= m ? p2pi_edges_add(out, 0, i) : attach(out, i, m, &draws);
    return st;
}

const p2pi_generator p2pi_topology_barabasi_albert = {
    .size = sizeof(p2pi_generator),
    .entry = { .name = "barabasi-albert",
               .help = "a star of m + 1 nodes grows by nodes that join m others by degree",
               .source = "Barabasi, Albert 1999, Science 286",
               .options = barabasi_albert_options,
               .param_size = sizeof(barabasi_albert_param) },
    .traits = P2PI_RANDOM,
    .build = build_barabasi_albert,
};
