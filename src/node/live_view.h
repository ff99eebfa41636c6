/*
 * What a node knows of edges that are down anywhere in the swarm, by flooded news, and who can still be reached.
 * Empty as long as all is well.
 */
#ifndef P2PI_LIVE_VIEW_H
#define P2PI_LIVE_VIEW_H

#include <p2popt/topology.h>

#include "wire/control.h"

typedef struct {
    const p2p_topology *topology;
    p2pi_edge *edges; /* every edge that was ever down */
    size_t count, room, down;
} p2pi_live_view;

void p2pi_live_view_start(p2pi_live_view *self, const p2p_topology *topology);
void p2pi_live_view_clear(p2pi_live_view *self);

/** The version to tell of an edge's next change. */
uint32_t p2pi_live_view_next(const p2pi_live_view *self, uint32_t low, uint32_t high);

/** Take news in; *fresh says whether they were. P2P_EPROTO: no such edge; P2P_ENOMEM. */
p2p_status p2pi_live_view_take(p2pi_live_view *self, const p2pi_edge *news, int *fresh);

/**
 * Nodes that a node reaches over edges that are up, itself included.
 *
 * @param lost text of cap bytes: the numbers of those it does not reach, as "3, 5-7"; cut if longer.
 */
p2p_status p2pi_live_view_reach(const p2pi_live_view *self, uint32_t from, size_t *reached, char *lost, size_t cap);

#endif
