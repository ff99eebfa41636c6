#include "topology_liars.h"

#include <stdio.h>
#include <stdlib.h>

static void
print_cut(const uint32_t *cut, size_t size)
{
    printf("; node%s", size == 1 ? "" : "s");
    for (size_t i = 0; i < size; i++)
        printf("%s %u", i == 0 ? "" : i + 1 < size ? "," : " and", cut[i]);
    printf(" cut%s it apart", size == 1 ? "s" : "");
}

/* Trimming rules want 2 f + 1 disjoint ways between any two nodes, and as many neighbours. */
static p2p_status
check_ways(const p2p_topology *t, size_t liars, int *bears)
{
    const size_t nodes = p2p_topology_size(t), wanted = 2 * liars + 1;
    uint32_t *cut = malloc(wanted * sizeof *cut);
    size_t size, ways;
    p2p_status st = cut != NULL ? p2p_topology_cut(t, wanted - 1, cut, &size) : P2P_ENOMEM;

    if (st == P2P_OK) {
        /* Where all are neighbours, nothing cuts, and the others are the ways. */
        ways = size < nodes ? size : nodes - 1;
        *bears = size > liars && nodes > liars + 1;
        printf(*bears ? "connected  yes: whichever %zu lie, the others stay connected"
                      : "connected  no: if the wrong %zu lie, the others come apart",
               liars);
        if (size <= liars)
            print_cut(cut, size);
        printf("\nways       %s%zu disjoint between any two nodes; trimming rules want %zu: %s\n",
               ways == wanted ? "at least " : "", ways, wanted, ways == wanted ? "enough" : "too few");
    }
    free(cut);
    return st;
}

/* How many liars among its neighbours each rule bears at the node with the fewest. */
static void
print_neighbourhoods(const p2p_topology *t, size_t liars)
{
    size_t least = 0, degree;

    for (size_t i = 1; i < p2p_topology_size(t); i++)
        least = p2p_topology_at(t, i).degree < p2p_topology_at(t, least).degree ? i : least;
    degree = p2p_topology_at(t, least).degree;
    printf(
        "neighbours node %zu has %zu, the fewest: bridge-t bears f=%zu there, bridge-k %zu, bridge-b %zu, nna %zu; "
        "wanted %zu\n",
        least, degree, degree > 0 ? (degree - 1) / 2 : 0, degree > 1 ? (degree - 2) / 2 : 0,
        degree > 1 ? (degree - 2) / 4 : 0, degree > 0 ? (degree - 1) / 2 : 0, liars);
}

static int
falling(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x < y) - (x > y);
}

/* The most weight that so many liars can have next to one node. */
static p2p_status
heaviest_liars(const p2p_topology *t, size_t liars, double *most)
{
    double *weight = malloc(p2p_topology_size(t) * sizeof *weight);

    *most = 0;
    if (weight == NULL)
        return P2P_ENOMEM;
    for (size_t i = 0; i < p2p_topology_size(t); i++) {
        p2p_neighbourhood at = p2p_topology_at(t, i);
        double sum = 0;

        for (size_t j = 0; j < at.degree; j++)
            weight[j] = at.weights[j];
        qsort(weight, at.degree, sizeof *weight, falling);
        for (size_t j = 0; j < at.degree && j < liars; j++)
            sum += weight[j];
        *most = sum > *most ? sum : *most;
    }
    free(weight);
    return P2P_OK;
}

/* No weighted rule survives 2 b >= mu_2; what is proved needs rho b < mu_2. Gaucher et al., arXiv:2410.10418. */
static p2p_status
check_weights(const p2p_topology *t, size_t liars)
{
    p2p_topology_figures f;
    double b;
    p2p_status st = heaviest_liars(t, liars, &b);

    if (st != P2P_OK || (st = p2p_topology_measure(t, &f)) != P2P_OK)
        return st;
    printf("weights    b = %.6g next to one node at worst, mu_2 = %.6g of the whole graph, mu_2/b = %.6g: %s\n", b,
           f.gap, f.gap / b,
           2 * b >= f.gap   ? "no weighted rule survives the worst case"
           : 4 * b >= f.gap ? "proved for gts with known liars (2), not for cs-plus and nna (4)"
                            : "proved for gts (2), cs-plus and nna (4)");
    return P2P_OK;
}

p2p_status
liars_check(const p2p_topology *t, size_t liars, int *bears)
{
    p2p_status st;

    if (p2p_topology_traits(t) != 0)
        return p2p_fail(P2P_ENOTSUP, "--byzantine: expected a topology that is the same in every round");
    if ((st = check_ways(t, liars, bears)) != P2P_OK)
        return st;
    print_neighbourhoods(t, liars);
    return check_weights(t, liars);
}
