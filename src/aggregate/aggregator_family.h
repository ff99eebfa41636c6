/* The list of rules, for the catalogue. */
#ifndef P2PI_AGGREGATOR_FAMILY_H
#define P2PI_AGGREGATOR_FAMILY_H

#include <p2popt/option.h>
#include <stddef.h>

/** Entry i of aggregators.def; NULL past the last. */
const p2p_entry *p2pi_aggregator_entry(size_t i);

/** The canonical text of a spec, pre-aggregators and rule; cut at cap. P2P_EPARSE, P2P_EINVAL, P2P_ENOMEM. */
p2p_status p2pi_aggregator_canonical(const char *spec, char *text, size_t cap);

#endif
