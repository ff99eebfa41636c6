/* A parsed graph that makes a topology must be written and read back to the same edges and weights. */
#ifndef FUZZ_TOPOLOGY_H
#define FUZZ_TOPOLOGY_H

#include <p2popt/topology.h>
#include <stdint.h>

#include "topology/edges.h"

typedef p2p_status graph_parser(p2pi_edges *out, const char *path, const uint8_t *bytes, size_t len);

/** Parse, and if it is accepted write it as `format` and parse that; aborts if the two differ. */
void fuzz_round_trip(graph_parser *parse, p2p_topology_format format, const uint8_t *bytes, size_t len);

#endif
