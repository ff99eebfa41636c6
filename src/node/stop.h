/*
 * How all nodes end after the same round without anyone in charge.
 *
 * Each node counts its calm: 0 in a round whose residual is above the tolerance, else 1 + the least count in its
 * closed neighbourhood a round ago. A count above the diameter of the topology says that every node was calm not long
 * ago; the node that sees it names a round so far ahead that the news reaches everyone first, and the earliest named
 * round wins. A request to stop names its round the same way. Both numbers ride in the header of every vector.
 */
#ifndef P2PI_STOP_H
#define P2PI_STOP_H

#include <stdint.h>

typedef struct {
    uint32_t calm;  /* after the last round that was closed */
    uint32_t stop;  /* rounds after which to end; P2PI_NEVER: none named */
    int asked;      /* the stop round comes from a request */
    uint32_t least; /* of the neighbours' counts in the current round */
} p2pi_stop;

void p2pi_stop_start(p2pi_stop *self);

/** A stop round heard of; the earlier one wins, and of equal ones that of calm. */
void p2pi_stop_hear(p2pi_stop *self, uint32_t stop, int asked);

/** What a neighbour's vector of the current round says. */
void p2pi_stop_fold(p2pi_stop *self, uint32_t calm, uint32_t stop, int asked);

/**
 * End of a round.
 *
 * @param completed rounds that are now done.
 * @param calm      whether this node's residual meets the tolerance.
 * @param asked     whether this node was asked to stop.
 * @param reach     rounds that news needs to reach every node: the diameter, or a bound on it.
 */
void p2pi_stop_close(p2pi_stop *self, uint32_t completed, int calm, int asked, uint32_t reach);

#endif
