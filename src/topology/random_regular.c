/*
 * Random regular graphs: every node gets `degree` stubs, stubs are paired at random, and a pair that would be a loop
 * or an edge that is there goes back; when what is left cannot be paired, all starts again. Close to uniform for
 * degrees that are small against the number of nodes. Above half of it the complement is drawn.
 */
#include "topology/draws.h"
#include "topology/generator.h"
#include "topology/pair_set.h"

#include "base/fail.h"

#include <stdlib.h>

typedef struct {
    int64_t degree;
} random_regular_param;

static const p2p_option random_regular_options[] = {
    { "degree", P2P_OPT_INT, "auto", "0", "16777215",
      "neighbours of every node; nodes * degree is even; auto: 4, or all others if they are fewer",
      offsetof(random_regular_param, degree) },
    { NULL, P2P_OPT_INT, NULL, NULL, NULL, NULL, 0 },
};

enum { FRUITLESS = 20, TRIES = 1000 };

static void
shuffle(uint32_t *items, size_t count, p2pi_draws *draws)
{
    for (size_t i = count; i-- > 1;) {
        size_t j = p2pi_draw_below(draws, (uint32_t)(i + 1));
        uint32_t kept = items[i];

        items[i] = items[j];
        items[j] = kept;
    }
}

/* Pair all stubs into the set. *done is 0 if the pairing ran into a dead end. */
static p2p_status
pair_stubs(size_t nodes, size_t degree, p2pi_draws *draws, uint32_t *stubs, p2pi_pair_set *set, int *done)
{
    size_t count = nodes * degree, fruitless = 0;
    p2p_status st = p2pi_pair_set_new(set, count / 2);

    if (st != P2P_OK)
        return st;
    for (size_t k = 0; k < count; k++)
        stubs[k] = (uint32_t)(k / degree);
    while (count > 0 && fruitless < FRUITLESS) {
        size_t left = 0;

        shuffle(stubs, count, draws);
        for (size_t k = 0; k < count; k += 2) {
            uint32_t u = stubs[k], v = stubs[k + 1];

            if (u != v && p2pi_pair_set_add(set, u, v))
                continue;
            stubs[left++] = u;
            stubs[left++] = v;
        }
        fruitless = left == count ? fruitless + 1 : 0;
        count = left;
    }
    *done = count == 0;
    return P2P_OK;
}

/* Pairs of the set as edges, or with `others` the pairs that are not in it. */
static p2p_status
take_pairs(const p2pi_pair_set *set, size_t nodes, int others, p2pi_edges *out)
{
    p2p_status st = P2P_OK;

    for (size_t k = 0; !others && st == P2P_OK && k <= set->mask; k++)
        if (set->slots[k] != 0)
            st = p2pi_edges_add(out, (uint32_t)(set->slots[k] >> 32), (uint32_t)set->slots[k]);
    for (uint32_t u = 0; others && u < nodes; u++)
        for (uint32_t v = u + 1; st == P2P_OK && v < nodes; v++)
            if (!p2pi_pair_set_has(set, u, v))
                st = p2pi_edges_add(out, u, v);
    return st;
}

static p2p_status
draw_pairs(size_t nodes, size_t degree, p2pi_draws *draws, p2pi_pair_set *set)
{
    uint32_t *stubs = malloc((nodes * degree + 1) * sizeof *stubs);
    p2p_status st = P2P_OK;
    int done = 0;

    if (stubs == NULL)
        return p2pi_fail_memory("random-regular", nodes * degree * sizeof *stubs);
    for (int i = 0; st == P2P_OK && !done && i < TRIES; i++) {
        p2pi_pair_set_clear(set);
        st = pair_stubs(nodes, degree, draws, stubs, set, &done);
    }
    free(stubs);
    if (st == P2P_OK && !done)
        st = p2p_fail(P2P_EINVAL, "topology \"random-regular\": no graph of %zu nodes with degree %zu in %d tries",
                      nodes, degree, TRIES);
    return st;
}

static p2p_status
build_random_regular(const void *param, size_t nodes, p2p_random *draw, p2pi_edges *out)
{
    const random_regular_param *p = param;
    size_t degree = p->degree != P2P_AUTO_INT ? (size_t)p->degree : nodes < 5 ? nodes - 1 : 4;
    p2pi_draws draws = p2pi_draws_of(draw);
    p2pi_pair_set set = { NULL, 0 };
    int others = degree > (nodes - 1) / 2;
    p2p_status st;

    if ((st = p2pi_topology_need_nodes("random-regular", nodes, out)) != P2P_OK)
        return st;
    if (degree >= nodes || nodes * degree % 2 != 0)
        return p2p_fail(P2P_EINVAL,
                        "topology \"random-regular\": degree=%zu with %zu nodes; expected at most %zu, and an "
                        "even product",
                        degree, nodes, nodes - 1);
    if ((st = p2pi_edges_reserve(out, nodes * degree / 2)) != P2P_OK)
        return st;
    if ((st = draw_pairs(nodes, others ? nodes - 1 - degree : degree, &draws, &set)) == P2P_OK)
        st = take_pairs(&set, nodes, others, out);
    p2pi_pair_set_clear(&set);
    return st;
}

const p2pi_generator p2pi_topology_random_regular = {
    .size = sizeof(p2pi_generator),
    .entry = { .name = "random-regular",
               .help = "every node has `degree` neighbours, drawn at random",
               .source = "Steger, Wormald 1999, Combin. Probab. Comput. 8(4)",
               .options = random_regular_options,
               .param_size = sizeof(random_regular_param) },
    .traits = P2PI_RANDOM,
    .build = build_random_regular,
};
