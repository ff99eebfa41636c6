/* The list of rules, for the catalogue. */
#ifndef P2PI_AGGREGATOR_FAMILY_H
#define P2PI_AGGREGATOR_FAMILY_H

#include <p2popt/option.h>

/** Entry i of aggregators.def; NULL past the last. */
const p2p_entry *p2pi_aggregator_entry(size_t i);

#endif
