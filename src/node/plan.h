/* What every node of a swarm derives alike from the description: made once a process, shared by its nodes. */
#ifndef P2PI_PLAN_H
#define P2PI_PLAN_H

#include <p2popt/swarm.h>
#include <p2popt/topology.h>

typedef struct {
    p2p_topology *topology;
    p2p_topology_figures figures;
    /* A spanning tree that all nodes know: breadth first from node 0, neighbours in ascending order. */
    uint32_t *parent; /* of node 0: itself */
    uint64_t hash;    /* of the topology */
    char draws[17];   /* what this machine's libm makes of 64 normal draws */
} p2pi_plan;

p2p_status p2pi_plan_new(p2pi_plan **out, const p2p_swarm *swarm);
void p2pi_plan_destroy(p2pi_plan **self);

#endif
