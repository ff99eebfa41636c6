/* The family of topologies: one table per generator, listed in topologies.def. The room's door for the registry. */
#ifndef P2PI_GENERATOR_H
#define P2PI_GENERATOR_H

#include "base/spec.h"
#include "topology/edges.h"

#include <p2popt/option.h>
#include <p2popt/random.h>

enum {
    P2PI_ALIKE = 1,  /* every node sees the same graph: one search finds the diameter */
    P2PI_RANDOM = 2, /* draws: repeated with the next round of the stream until it is connected */
    P2PI_BARE = 4    /* the first option needs no key: "file:a/b.edges,component=largest" */
};

/** A generator. `param` is the parsed parameter struct. */
typedef struct {
    size_t size;
    p2p_entry entry;
    unsigned traits;
    /**
     * Fill a zeroed list with the graph.
     *
     * @param nodes as asked for, 0 if it is to follow from the options; a contradiction is P2P_EINVAL.
     * @param draw  the stream of this attempt.
     */
    p2p_status (*build)(const void *param, size_t nodes, p2p_random *draw, p2pi_edges *out);
    /** Smallest nonzero and largest eigenvalue of the Laplacian of at least two nodes; NULL: not known. */
    void (*laplacian)(size_t nodes, double *low, double *high);
    /** Give the topology that was built a schedule, if the parameters ask for one; NULL: never. */
    p2p_status (*schedule)(const void *param, uint64_t seed, p2p_topology *self);
} p2pi_generator;

/** Set the number of nodes of a graph that cannot guess it: 0 is P2P_EINVAL. */
p2p_status p2pi_topology_need_nodes(const char *name, size_t nodes, p2pi_edges *out);

/**
 * Options of a spec into the parameter struct. With `bare`, text without a known key is the value of the first
 * option: "file:a/b.edges" means "file:path=a/b.edges".
 */
p2p_status p2pi_topology_parse(const char *family, const p2p_entry *entry, int bare, p2pi_span options, void *param);

/** Entry i of topologies.def, or NULL past the last. */
const p2p_entry *p2pi_topology_entry(size_t i);

/** Mixing rule i, or NULL past the last. */
const p2p_entry *p2pi_mixing_entry(size_t i);

#endif
