/* The family of topologies: one table per generator, listed in topologies.def. The room's door for the registry. */
#ifndef P2PI_GENERATOR_H
#define P2PI_GENERATOR_H

#include "topology/edges.h"

#include <p2popt/option.h>
#include <p2popt/random.h>

enum {
    P2PI_ALIKE = 1,  /* every node sees the same graph: one search finds the diameter */
    P2PI_RANDOM = 2, /* draws: repeated with the next round of the stream until it is connected */
    P2PI_FILE = 4    /* options may begin with a path or a name: "file:a/b.edges,component=largest" */
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
} p2pi_generator;

/** Entry i of topologies.def, or NULL past the last. */
const p2p_entry *p2pi_topology_entry(size_t i);

#endif
