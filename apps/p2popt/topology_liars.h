/* What a topology offers against liars: p2popt topology check --byzantine. */
#ifndef TOPOLOGY_LIARS_H
#define TOPOLOGY_LIARS_H

#include <p2popt.h>

/**
 * Print what `liars` nodes can do, wherever they are.
 *
 * @param bears set to whether the others stay connected whichever they are.
 * @return P2P_OK; P2P_ENOMEM, P2P_ENOTSUP.
 */
p2p_status liars_check(const p2p_topology *t, size_t liars, int *bears);

#endif
