/* What plain libzmq reaches: a ring of processes, one ROUTER a node and one DEALER for each neighbour. */
#ifndef RAW_RING_H
#define RAW_RING_H

#include <stddef.h>

typedef struct {
    int nodes;
    int curve;
    size_t size; /* bytes of a message */
    int rounds;  /* in each, a node sends one message to both neighbours and receives one from each */
} raw_ring;

/** Seconds of the rounds, connecting excluded. Forks: call it before this process has a ZeroMQ context. */
double raw_ring_run(const raw_ring *ring);

#endif
