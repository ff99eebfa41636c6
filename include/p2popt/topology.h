/* Topologies: who talks to whom, and the mixing matrix W. */
#ifndef P2POPT_TOPOLOGY_H
#define P2POPT_TOPOLOGY_H

#include <p2popt/option.h>
#include <p2popt/status.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A connected undirected graph with a symmetric, doubly stochastic W. Immutable once made: share it freely. */
typedef struct p2p_topology p2p_topology;

/** What node i sees: its neighbours in ascending order and the weights w_ij. Owned by the topology. */
typedef struct {
    size_t degree;
    const uint32_t *peers;  /* degree numbers, ascending, without i itself */
    const double *weights;  /* w_ij of those, > 0 */
    double self_weight;     /* w_ii */
} p2p_neighbourhood;

/** Figures of W and of the graph. */
typedef struct {
    size_t nodes, edges, degree_min, degree_max, diameter;
    double degree_mean;
    double lambda_2, lambda_n; /* second largest and smallest eigenvalue of W */
    double gap;                /* 1 - lambda_2 */
    double beta;               /* 1 - lambda_n = largest eigenvalue of I - W */
} p2p_topology_figures;

/**
 * Build a topology.
 *
 * @param out    set to the new topology, owned by the caller; NULL on error.
 * @param spec   "ring", "torus:rows=4,cols=4", "erdos-renyi:p=0.3", ... or "file:PATH" (edge list, DOT, GraphML).
 * @param mixing "metropolis" (NULL means this), "max-degree", "lazy", "best-constant", "file:PATH", ...
 * @param nodes  number of nodes; 0 takes it from the spec or the file; a contradiction is an error.
 * @param seed   of random graphs (stream P2P_STREAM_TOPOLOGY).
 * @return P2P_OK; P2P_EPARSE or P2P_EINVAL (the sentence names the value, for files file:line); P2P_ENOMEM; P2P_EIO.
 */
P2P_API p2p_status p2p_topology_new(p2p_topology **out, const char *spec, const char *mixing, size_t nodes,
                                    uint64_t seed);

/**
 * Build from edges and, optionally, weights.
 *
 * @param edges   2 * count node numbers; each undirected edge once, in either direction; no loops.
 * @param weights count values w_ij, or NULL for Metropolis weights.
 */
P2P_API p2p_status p2p_topology_from_edges(p2p_topology **out, size_t nodes, size_t count, const uint32_t *edges,
                                           const double *weights);

P2P_API void p2p_topology_destroy(p2p_topology **self);

P2P_API size_t p2p_topology_size(const p2p_topology *self);
P2P_API size_t p2p_topology_edges(const p2p_topology *self);
P2P_API p2p_neighbourhood p2p_topology_at(const p2p_topology *self, size_t node);

/** Name of a node from the file, or NULL. */
P2P_API const char *p2p_topology_node_name(const p2p_topology *self, size_t node);

/** Largest graph distance between two nodes: what a flood needs to reach all. O(nodes * edges). */
P2P_API size_t p2p_topology_diameter(const p2p_topology *self);

/** Eigenvalues (dense LAPACK to 2000 nodes, Lanczos beyond), diameter, degrees. */
P2P_API p2p_status p2p_topology_measure(const p2p_topology *self, p2p_topology_figures *out);

/** 64-bit hash of edges and weights, for the swarm's fingerprint. */
P2P_API uint64_t p2p_topology_hash(const p2p_topology *self);

#ifdef __cplusplus
}
#endif
#endif
