/* A list of edges: what generators and file readers make, and topologies are built from. */
#ifndef P2PI_EDGES_H
#define P2PI_EDGES_H

#include <p2popt/topology.h>
#include <stddef.h>
#include <stdint.h>

/** Zero it, add edges, clear it. Edges may come in any order and direction, more than once, and be loops. */
typedef struct {
    size_t nodes, count, room;
    uint32_t *ends;  /* 2 * count */
    double *weights; /* count, or NULL: no weights */
    uint32_t *lines; /* of a file, for messages: count, or NULL */
    char **names;    /* nodes, each NULL or from malloc; or NULL: no names */
    char *source;    /* a file's path for messages, from malloc; NULL: not from a file */
    int drop_loops;  /* loops carry no weight and are left out */
    int directed;    /* some edge had a direction, which was not kept */
    int arcs;        /* edges are (from, to), and stay so */
    size_t left_out; /* nodes of smaller components that were dropped */
} p2pi_edges;

void p2pi_edges_clear(p2pi_edges *self);

/** Make room for count edges more. P2P_EINVAL beyond P2P_TOPOLOGY_EDGES_MAX, P2P_ENOMEM. */
p2p_status p2pi_edges_reserve(p2pi_edges *self, size_t count);
/** Append an edge. */
p2p_status p2pi_edges_add(p2pi_edges *self, uint32_t u, uint32_t v);
/** Append an edge with its weight: all edges of a list have one, or none has. */
p2p_status p2pi_edges_add_weighted(p2pi_edges *self, uint32_t u, uint32_t v, double weight);
/** Note the line of the source that the last edge is from: for all edges of a list, or none. */
p2p_status p2pi_edges_set_line(p2pi_edges *self, uint32_t line);
/** Set the number of nodes. P2P_EINVAL beyond P2P_TOPOLOGY_NODES_MAX. */
p2p_status p2pi_edges_set_nodes(p2pi_edges *self, size_t nodes);
/** Set the source. P2P_ENOMEM. */
p2p_status p2pi_edges_set_source(p2pi_edges *self, const char *path);
/** Name a node; nodes must be set. len bytes of name are copied, control characters become blanks. */
p2p_status p2pi_edges_name(p2pi_edges *self, size_t node, const char *name, size_t len);

/** Sort by (smaller end, larger end): order[0 .. count) are indices. O(nodes + count). P2P_ENOMEM. */
p2p_status p2pi_edges_order(const p2pi_edges *self, uint32_t *order);

/** Keep the largest component (of equals the first) and renumber its nodes in order. P2P_ENOMEM. */
p2p_status p2pi_edges_keep_largest(p2pi_edges *self);

/** Refuse more than one component: names one node of each of two. P2P_EINVAL, P2P_ENOMEM. */
p2p_status p2pi_edges_check_connected(const p2pi_edges *self);

/** Whether there is one component. *out; P2P_ENOMEM. */
p2p_status p2pi_edges_connected(const p2pi_edges *self, int *out);

#endif
