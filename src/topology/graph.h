/* The topology itself: rows of neighbours (CSR) with their weights, and what the room's files share of it. */
#ifndef P2PI_GRAPH_H
#define P2PI_GRAPH_H

#include "topology/edges.h"

#include <p2popt/topology.h>

struct p2pi_schedule;

struct p2p_topology {
    size_t nodes, edges;
    size_t *start;    /* row i is start[i] .. start[i + 1): nodes + 1 */
    uint32_t *peers;  /* 2 * edges, ascending in each row */
    double *weights;  /* 2 * edges, w_ij = w_ji exactly */
    double *self;     /* nodes, w_ii */
    int weighted;     /* the source came with weights */
    int alike;        /* every node sees the same graph (vertex-transitive) */
    double low, high; /* of the Laplacian, as in p2pi_topology_spectrum with unit weights; 0: not known beforehand */
    char **names;     /* nodes, each NULL or a text; or NULL */
    size_t diameter;
    int diameter_exact;
    struct p2pi_schedule *schedule; /* NULL: W in every round */
    char spec[512], mixing[512], notice[256];
};

/**
 * Rows from a list of edges: sorts, merges what is given twice, takes the names over, checks connectivity. If the
 * list has weights they become W, checked; else weights are 0 until a mixing rule sets them.
 */
p2p_status p2pi_topology_assemble(p2p_topology **out, p2pi_edges *edges);

/** Set w_ii = 1 - sum of row i for all i. */
void p2pi_topology_close_rows(p2p_topology *self);

/** Sum of the weights of row i in NumPy's order of a dense row with w_ii = 0 (pairwise, blocks of 128). */
double p2pi_topology_row_sum(const p2p_topology *self, size_t i);

/** Weights > 0 and finite, rows that sum to 1 within 1e-12, no eigenvalue below -1. `what` begins the sentence. */
p2p_status p2pi_topology_check_weights(const p2p_topology *self, const char *what);

/** Position of edge (u, v) in the arrays, or SIZE_MAX. */
size_t p2pi_topology_find(const p2p_topology *self, uint32_t u, uint32_t v);

/** W from a file, which must have a weight for every edge of self and for no other. */
p2p_status p2pi_topology_weights_from_file(p2p_topology *self, const char *path);

/** Apply a mixing rule by its spec; NULL or "auto" keeps weights that are there. */
p2p_status p2pi_topology_mix(p2p_topology *self, const char *spec);

/**
 * Extreme eigenvalues of the weighted Laplacian (row i: sum_j w_ij (x_i - x_j)) off the constant vector.
 *
 * @param unit take every weight as 1: the graph's own Laplacian. Else I - W.
 * @param low, high smallest and largest; at least two nodes.
 */
p2p_status p2pi_topology_spectrum(const p2p_topology *self, int unit, double *low, double *high);

/** Find the diameter, or a bound, and store it. P2P_ENOMEM. */
p2p_status p2pi_topology_find_diameter(p2p_topology *self);

#endif
