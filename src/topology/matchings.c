/*
 * Random matchings: in every round each edge draws a number, and two neighbours whose common edge has the largest
 * number at both ends take the mean of their vectors. Each round's W is a projection, and two nodes know that they
 * are a pair from their own edges alone.
 *
 * An edge between nodes of degrees a and b is in a matching with probability 1 / (a + b - 1).
 *
 * Source: the locally heaviest edges of random weights, Preis, STACS 1999; gossip over pairs: Boyd, Ghosh, Prabhakar,
 * Shah, IEEE Trans. Inf. Theory 52(6), 2006.
 */
#include "topology/generator.h"
#include "topology/schedule.h"

#include "base/fail.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    p2p_text graph;
} matchings_param;

static const p2p_option matchings_options[] = {
    { "graph", P2P_OPT_TEXT, "complete", NULL, NULL,
      "the topology whose edges are drawn from, in parentheses if it has options of its own",
      offsetof(matchings_param, graph) },
    { NULL, P2P_OPT_TEXT, NULL, NULL, NULL, NULL, 0 },
};

/* The spec without the parentheses around it. */
static void
unwrap(char *spec)
{
    size_t len = strlen(spec);

    if (len >= 2 && spec[0] == '(' && spec[len - 1] == ')') {
        spec[len - 1] = '\0';
        memmove(spec, spec + 1, len - 1);
    }
}

static p2p_status
copy_edges(const p2p_topology *from, p2pi_edges *out)
{
    p2p_status st = p2pi_edges_set_nodes(out, from->nodes);

    for (size_t i = 0; i < from->nodes; i++)
        for (size_t k = from->start[i]; st == P2P_OK && k < from->start[i + 1]; k++)
            if (from->peers[k] > i)
                st = p2pi_edges_add(out, (uint32_t)i, from->peers[k]);
    return st;
}

static p2p_status
build_matchings(const void *param, size_t nodes, p2p_random *draw, p2pi_edges *out)
{
    matchings_param p = *(const matchings_param *)param;
    p2p_topology *graph;
    p2p_status st;

    unwrap(p.graph.s);
    if ((st = p2p_topology_new(&graph, p.graph.s, NULL, nodes, draw->seed)) != P2P_OK)
        return st;
    if (graph->schedule != NULL)
        st = p2p_fail(P2P_EINVAL, "topology \"matchings\": graph=%s: expected one that is the same in every round",
                      p.graph.s);
    else
        st = copy_edges(graph, out);
    p2p_topology_destroy(&graph);
    return st;
}

/* The neighbour on the other side of a node's heaviest edge; of equals the one of the lowest (smaller end, larger
 * end), so that both ends choose alike. SIZE_MAX: no neighbours. */
static size_t
heaviest(const p2p_topology *self, uint32_t round, size_t node)
{
    size_t best = SIZE_MAX;
    uint32_t most = 0;

    /* In ascending order of peers the pairs (smaller end, larger end) ascend too. */
    for (size_t k = self->start[node]; k < self->start[node + 1]; k++) {
        uint32_t word = p2pi_schedule_word(self, round, node, self->peers[k]);

        if (best == SIZE_MAX || word > most) {
            best = self->peers[k];
            most = word;
        }
    }
    return best;
}

static void
matched_weights(const p2p_topology *self, size_t node, uint32_t round, double *weights)
{
    const size_t first = self->start[node], degree = self->start[node + 1] - first;
    const size_t peer = heaviest(self, round, node);
    const int mutual = peer != SIZE_MAX && heaviest(self, round, peer) == node;

    for (size_t k = 0; k < degree; k++)
        weights[k] = mutual && self->peers[first + k] == peer ? 0.5 : 0;
}

/* W is a projection, so the mean of W'W is that of W: I less half the probability of each edge times its Laplacian.
 */
static p2p_status
mean_square_matching(const p2p_topology *self, double *value)
{
    p2p_topology mean = *self;
    double low, high;
    p2p_status st;

    if ((mean.weights = calloc(2 * self->edges + 1, sizeof *mean.weights)) == NULL)
        return p2pi_fail_memory("topology", 2 * self->edges * sizeof *mean.weights);
    for (size_t i = 0; i < self->nodes; i++)
        for (size_t k = self->start[i]; k < self->start[i + 1]; k++) {
            size_t j = self->peers[k],
                   degrees = self->start[i + 1] - self->start[i] + self->start[j + 1] - self->start[j];

            mean.weights[k] = 0.5 / (double)(degrees - 1);
        }
    if ((st = p2pi_topology_spectrum(&mean, 0, &low, &high)) == P2P_OK)
        *value = 1 - low;
    free(mean.weights);
    return st;
}

static p2p_status
schedule_matchings(const void *param, uint64_t seed, p2p_topology *self)
{
    p2p_status st = p2pi_schedule_new(self, P2P_TOPOLOGY_VARIES | P2P_TOPOLOGY_PAIRS, 0);

    (void)param;
    if (st != P2P_OK)
        return st;
    self->schedule->seed = seed;
    self->schedule->beta = 1;
    self->schedule->weights = matched_weights;
    self->schedule->mean_square = mean_square_matching;
    return P2P_OK;
}

const p2pi_generator p2pi_topology_matchings = {
    .size = sizeof(p2pi_generator),
    .entry = { .name = "matchings",
               .help = "a random matching of another topology's edges in every round: matchings:torus",
               .source = "Boyd, Ghosh, Prabhakar, Shah 2006, IEEE Trans. Inf. Theory 52(6)",
               .options = matchings_options,
               .param_size = sizeof(matchings_param) },
    .traits = P2PI_BARE,
    .build = build_matchings,
    .schedule = schedule_matchings,
};
