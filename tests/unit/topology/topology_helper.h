/* What the suites of this room share. */
#ifndef TOPOLOGY_HELPER_H
#define TOPOLOGY_HELPER_H

#include "runner.h"

#include <p2popt/topology.h>

/** A topology of seed 1; fails the test if there is none. */
p2p_topology *topology_of(const char *spec, const char *mixing, size_t nodes);

/** "0-1 0-4 1-2 ..." in ascending order; static storage. */
const char *edges_text(const p2p_topology *t);

/** w_ij, 0 if there is no edge. */
double weight_of(const p2p_topology *t, size_t i, size_t j);

/** Rows ascending and without the node itself, weights > 0, W symmetric, rows sum to 1 within 1e-12. */
void check_sound(const p2p_topology *t);

/** Fail unless |got - wanted| <= tolerance. */
void check_close(double got, double wanted, double tolerance);

#endif
