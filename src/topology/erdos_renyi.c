/*
 * G(n, p): each pair of nodes is an edge with probability p, independently of the others. O(nodes + edges).
 *
 * Redrawn, the graph is another one in every round, with its Metropolis weights; it need not be connected. A node
 * draws the edges of its own and, for their weights, those of the nodes it hears.
 */
#include "topology/draws.h"
#include "topology/generator.h"
#include "topology/schedule.h"

#include "base/fail.h"

#include <math.h>
#include <stdlib.h>

typedef struct {
    double p;
    int64_t redraw;
} erdos_renyi_param;

static const p2p_option erdos_renyi_options[] = {
    { "p", P2P_OPT_REAL, "auto", "(0", "1",
      "probability of an edge; auto: 1.5 ceil(log2 n) / n, about twice what connects the graph",
      offsetof(erdos_renyi_param, p) },
    { "redraw", P2P_OPT_BOOL, "no", NULL, NULL, "draw another graph in every round; every node may then talk to any",
      offsetof(erdos_renyi_param, redraw) },
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
    double p = ((const erdos_renyi_param *)param)->redraw ? 1 : ((const erdos_renyi_param *)param)->p;
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

static int
is_drawn(const p2p_topology *self, uint32_t round, size_t u, size_t v)
{
    return p2pi_schedule_word(self, round, u, v) * 0x1p-32 < self->schedule->p;
}

static size_t
drawn_degree(const p2p_topology *self, uint32_t round, size_t node)
{
    size_t degree = 0;

    for (size_t k = self->start[node]; k < self->start[node + 1]; k++)
        degree += (size_t)is_drawn(self, round, node, self->peers[k]);
    return degree;
}

static void
drawn_weights(const p2p_topology *self, size_t node, uint32_t round, double *weights)
{
    const size_t first = self->start[node], count = self->start[node + 1] - first;
    const size_t here = drawn_degree(self, round, node);

    for (size_t k = 0; k < count; k++) {
        uint32_t peer = self->peers[first + k];
        size_t there;

        weights[k] = 0;
        if (!is_drawn(self, round, node, peer))
            continue;
        there = drawn_degree(self, round, peer);
        weights[k] = 1.0 / (1.0 + (double)(here > there ? here : there));
    }
}

/*
 * All nodes are alike, so the mean of W^2 has one eigenvalue off the constant vector: (mean of the trace - 1) / (n -
 * 1). The trace, the sum of the squares of all weights, is measured on one node in each of many rounds.
 */
static p2p_status
mean_square_redrawn(const p2p_topology *self, double *value)
{
    const double n = (double)self->nodes, draws = n * (1 + self->schedule->p * n);
    const uint32_t rounds = (uint32_t)fmin(fmax(5e6 / draws, 16), 4096);
    double *weights = malloc(self->nodes * sizeof *weights), sum = 0, own;
    unsigned char *sends = malloc(self->nodes);
    p2p_status st = P2P_OK;

    if (weights == NULL || sends == NULL)
        st = p2pi_fail_memory("topology", self->nodes * sizeof *weights);
    for (uint32_t round = 0; st == P2P_OK && round < rounds; round++) {
        p2p_topology_round(self, round % self->nodes, round, &own, weights, sends);
        sum += own * own;
        for (size_t k = 0; k + 1 < self->nodes; k++)
            sum += weights[k] * weights[k];
    }
    free(weights);
    free(sends);
    *value = (n * sum / rounds - 1) / (n - 1);
    return st;
}

static p2p_status
schedule_erdos_renyi(const void *param, uint64_t seed, p2p_topology *self)
{
    const erdos_renyi_param *p = param;
    p2p_status st;

    if (!p->redraw)
        return P2P_OK;
    if ((st = p2pi_schedule_new(self, P2P_TOPOLOGY_VARIES, 0)) != P2P_OK)
        return st;
    self->schedule->seed = seed;
    self->schedule->p = p2p_is_auto(p->p) ? default_probability(self->nodes) : p->p;
    self->schedule->beta = 2 * (1 - 1 / (double)self->nodes);
    self->schedule->weights = drawn_weights;
    self->schedule->mean_square = mean_square_redrawn;
    return P2P_OK;
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
    .schedule = schedule_erdos_renyi,
};
