/*
 * The one-peer exponential graph: in round k node i sends to i + 2^(k mod t) and hears i - 2^(k mod t), modulo n,
 * t = ceil(log2 n), and takes the mean of the two. With n a power of two, t rounds average exactly.
 *
 * Sources: Assran, Loizou, Ballas, Rabbat, ICML 2019, arXiv:1811.10792; Ying, Yuan, Chen, Hu, Pan, Yin, NeurIPS 2021,
 * arXiv:2110.13363.
 */
#include "topology/generator.h"
#include "topology/schedule.h"

static p2p_status
build_one_peer(const void *param, size_t nodes, p2p_random *draw, p2pi_edges *out)
{
    p2p_status st = p2pi_topology_need_nodes("one-peer", nodes, out);

    (void)param;
    (void)draw;
    for (size_t i = 0; st == P2P_OK && i < nodes; i++)
        for (size_t hop = 1; st == P2P_OK && hop < nodes; hop *= 2)
            st = p2pi_edges_add(out, (uint32_t)i, (uint32_t)((i + hop) % nodes));
    return st;
}

static p2p_status
schedule_one_peer(const void *param, uint64_t seed, p2p_topology *self)
{
    const size_t n = self->nodes;
    size_t period = 1, hop = 1;
    p2p_status st;

    (void)param;
    (void)seed;
    while ((size_t)1 << period < n)
        period++;
    if ((st = p2pi_schedule_new(self, P2P_TOPOLOGY_VARIES | P2P_TOPOLOGY_DIRECTED | P2P_TOPOLOGY_PAIRS, period)) !=
        P2P_OK)
        return st;
    self->schedule->beta = 1;
    for (size_t k = 0; k < period && n > 1; k++, hop *= 2)
        for (size_t i = 0; i < n; i++) {
            size_t at = p2pi_topology_find(self, (uint32_t)i, (uint32_t)((i + n - hop) % n));

            self->schedule->table[k * 2 * self->edges + at] = 0.5;
        }
    return P2P_OK;
}

const p2pi_generator p2pi_topology_one_peer = {
    .size = sizeof(p2pi_generator),
    .entry = { .name = "one-peer",
               .help = "in round k node i sends to i + 2^(k mod log2 n) modulo n alone, and hears one",
               .source = "Ying, Yuan, Chen, Hu, Pan, Yin 2021, arXiv:2110.13363" },
    .traits = P2PI_ALIKE,
    .build = build_one_peer,
    .schedule = schedule_one_peer,
};
