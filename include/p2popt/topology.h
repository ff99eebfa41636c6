/* Topologies: who talks to whom, and the mixing matrix W. */
#ifndef P2POPT_TOPOLOGY_H
#define P2POPT_TOPOLOGY_H

#include <p2popt/option.h>
#include <p2popt/status.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A connected undirected graph with a symmetric, doubly stochastic W. Immutable once made: share it freely. */
typedef struct p2p_topology p2p_topology;

/** What node i sees: its neighbours in ascending order and the weights w_ij. Owned by the topology. */
typedef struct {
    size_t degree;
    const uint32_t *peers; /* degree numbers, ascending, without i itself */
    const double *weights; /* w_ij of those, > 0 */
    double self_weight;    /* w_ii; below 0 only where best-constant or a file asks for it */
} p2p_neighbourhood;

/** What tells a topology from one graph with one symmetric W. */
enum {
    P2P_TOPOLOGY_VARIES = 1,   /* the edges in use change with the round */
    P2P_TOPOLOGY_DIRECTED = 2, /* a node may hear one to whom it does not send */
    P2P_TOPOLOGY_PUSH = 4,     /* the columns of the weights sum to 1, the rows need not */
    P2P_TOPOLOGY_PAIRS = 8     /* in any round a node hears at most one other, with weight 1/2 */
};

/**
 * Figures of W and of the graph. One node: lambda_2 = lambda_n = 0, gap = beta = 1, diameter 0.
 *
 * With P2P_TOPOLOGY_VARIES or P2P_TOPOLOGY_DIRECTED nodes, edges, degrees and diameter are those of the graph of who
 * may talk to whom; lambda_2 is the factor by which disagreement shrinks a round: where rounds are drawn the root of
 * the largest eigenvalue of the mean of W'W off the constant vector, else the long-run factor, 0 if some rounds average
 * exactly; beta is a bound on the norm of I - W in any round; lambda_n is 1 - beta.
 */
typedef struct {
    size_t nodes, edges, degree_min, degree_max, diameter;
    int diameter_exact; /* 0: diameter is an upper bound, see p2p_topology_diameter */
    double degree_mean;
    double lambda_2, lambda_n; /* second largest and smallest eigenvalue of W */
    double gap;                /* 1 - lambda_2, without cancellation */
    double beta;               /* 1 - lambda_n = largest eigenvalue of I - W */
} p2p_topology_figures;

/** Most nodes and most edges of a topology. */
enum { P2P_TOPOLOGY_NODES_MAX = 1 << 24, P2P_TOPOLOGY_EDGES_MAX = 1 << 27 };

/**
 * Build a topology.
 *
 * @param out    set to the new topology, owned by the caller; NULL on error.
 * @param spec   "ring", "torus:rows=4,cols=4", "erdos-renyi:p=0.3", ..., "sample:NAME" for an installed file, or
 *               "file:PATH" (see p2p_topology_read). p2popt-topologies(7) lists all.
 * @param mixing "metropolis", "lazy:stay=0.25", "file:PATH", ... (P2P_FAMILY_MIXING); NULL or "auto": the weights of
 *               the topology's file if it has them, else metropolis.
 * @param nodes  number of nodes; 0 takes it from the spec or the file; a contradiction is an error.
 * @param seed   of random graphs (stream P2P_STREAM_TOPOLOGY). The same graph on every machine.
 * @return P2P_OK; P2P_EPARSE or P2P_EINVAL (the sentence names the value, for files file:line; a graph that is not
 *         connected names a node of the second component; a matrix that is not symmetric or not doubly stochastic
 *         to 1e-12 names the row); P2P_ENOMEM; P2P_EIO.
 */
P2P_API p2p_status p2p_topology_new(p2p_topology **out, const char *spec, const char *mixing, size_t nodes,
                                    uint64_t seed);

/**
 * Read a topology file. The content tells the format:
 *
 *   edge list  lines "u v" or "u v w" with node numbers from 0 and w = w_ij; "u u w" gives w_uu, which otherwise is
 *              1 less the sum of its row; '#' starts a comment; the comment "# node 3 Oslo" names node 3;
 *   GraphML    a single graph; node names are the data called label or name, else the ids; weights the edge data
 *              called mixing-weight. Loops are dropped, directed edges taken as undirected: see p2p_topology_notice;
 *   .npy       the n x n matrix W; its nonzero entries off the diagonal are the edges.
 *
 * An edge that is given more than once counts once; if its weights differ it is refused.
 *
 * @param mixing  as for p2p_topology_new.
 * @param largest 0: a file of several components is refused; 1: the largest one is kept and renumbered in order.
 */
P2P_API p2p_status p2p_topology_read(p2p_topology **out, const char *path, const char *mixing, int largest);

/**
 * Build from edges and, optionally, weights.
 *
 * @param edges   2 * count node numbers; each undirected edge in either direction; no loops.
 * @param weights count values w_ij, or NULL for Metropolis weights.
 * @return P2P_OK; P2P_EINVAL (the sentence has the edge's index, or the row); P2P_ENOMEM.
 */
P2P_API p2p_status p2p_topology_from_edges(p2p_topology **out, size_t nodes, size_t count, const uint32_t *edges,
                                           const double *weights);

/**
 * Build a directed graph, for methods that push: node i gives 1 / (1 + out-degree) of what it holds to each receiver.
 *
 * @param arcs 2 * count node numbers (from, to); no loops; one that is given twice counts once.
 * @return P2P_OK; P2P_EINVAL (the sentence has the arc's index, or two nodes without a way from one to the other);
 *         P2P_ENOMEM.
 * Source: Assran, Loizou, Ballas, Rabbat, ICML 2019, arXiv:1811.10792.
 */
P2P_API p2p_status p2p_topology_from_arcs(p2p_topology **out, size_t nodes, size_t count, const uint32_t *arcs);

P2P_API void p2p_topology_destroy(p2p_topology **self);

P2P_API size_t p2p_topology_size(const p2p_topology *self);
P2P_API size_t p2p_topology_edges(const p2p_topology *self);
/** Whom the node may talk to; with a schedule, in any round: the weights are then those of no round in particular. */
P2P_API p2p_neighbourhood p2p_topology_at(const p2p_topology *self, size_t node);

/** P2P_TOPOLOGY_* flags; 0: one graph, one W. */
P2P_API unsigned p2p_topology_traits(const p2p_topology *self);

/**
 * What of its neighbourhood a node uses in a round, the same whoever asks.
 *
 * @param self_weight set to w_ii of the round.
 * @param weights     degree entries, set to w_ij of the round for each neighbour j; 0: j is not heard.
 * @param sends       degree entries, set to 1 where the neighbour hears this node, else to 0.
 *
 * O(degree), for erdos-renyi:redraw=yes with the degrees of those heard; no allocation.
 */
P2P_API void p2p_topology_round(const p2p_topology *self, size_t node, uint32_t round, double *self_weight,
                                double *weights, unsigned char *sends);

/** Name of a node from the file, or NULL. */
P2P_API const char *p2p_topology_node_name(const p2p_topology *self, size_t node);

/** Canonical texts of what it was made from ("torus:rows=2", "lazy:stay=0.25"), owned by self. */
P2P_API const char *p2p_topology_spec(const p2p_topology *self);
P2P_API const char *p2p_topology_mixing(const p2p_topology *self);

/** What was changed on reading ("2 parallel edges merged"), or "". */
P2P_API const char *p2p_topology_notice(const p2p_topology *self);

/**
 * Rounds that a flood needs to reach all from any node: the largest graph distance, found when the topology was made.
 *
 * Exact for graphs that look alike from every node (ring, torus, complete, hypercube, exponential), wherever
 * nodes * (nodes + 2 edges) <= 6e7, and where the bounds meet; otherwise an upper bound, at most twice the distance.
 * O(1).
 */
P2P_API size_t p2p_topology_diameter(const p2p_topology *self);

/**
 * Eigenvalues of W, diameter, degrees.
 *
 * Rings and paths of equal weights in closed form. Else up to 2000 nodes by dense LAPACK, gap and beta to about 1e-14
 * absolute; O(nodes^3). Beyond, by Lanczos on the sparse matrix, to a residual of 1e-7 of the value (or 8e-15): the
 * value is at most that far from an eigenvalue, and in practice eight digits or more are right. A step costs
 * O(nodes + edges) and about 20 / sqrt(gap) steps are needed, nodes / 2 for long cycles.
 *
 * @return P2P_OK; P2P_ENOMEM; P2P_ENOTSUP the iteration did not settle.
 * Source: Parlett, "The Symmetric Eigenvalue Problem", chapter 13.
 */
P2P_API p2p_status p2p_topology_measure(const p2p_topology *self, p2p_topology_figures *out);

/**
 * A smallest set of nodes whose loss cuts the others apart, if it has at most `most` nodes: what liars need to be.
 *
 * @param cut  `most` entries, set to the nodes, ascending, if there is such a set.
 * @param size set to how many these are; most + 1: there is none so small.
 *
 * O(most^2 nodes edges). P2P_ENOMEM. Source: Even, SIAM J. Computing 4(3), 1975.
 */
P2P_API p2p_status p2p_topology_cut(const p2p_topology *self, size_t most, uint32_t *cut, size_t *size);

/** 64-bit hash (FNV-1a) of edges and weights, for the swarm's fingerprint. The same on every machine. */
P2P_API uint64_t p2p_topology_hash(const p2p_topology *self);

/** Formats that are written. */
typedef enum {
    P2P_TOPOLOGY_EDGES,  /* "u v w" lines; reads back to the same hash */
    P2P_TOPOLOGY_PLAIN,  /* "u v" lines, no weights */
    P2P_TOPOLOGY_DOT,    /* Graphviz: names as labels, weights as edge attribute "w" */
    P2P_TOPOLOGY_GRAPHML /* names as "label", weights as "mixing-weight"; reads back to the same hash */
} p2p_topology_format;

/** Write to a stream. The caller checks the stream for errors. */
P2P_API void p2p_topology_print(const p2p_topology *self, p2p_topology_format format, FILE *stream);

/** Write a file, which appears whole or not at all. P2P_EIO. */
P2P_API p2p_status p2p_topology_write(const p2p_topology *self, p2p_topology_format format, const char *path);

#ifdef __cplusplus
}
#endif
#endif
