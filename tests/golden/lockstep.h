/* A swarm in one process, all engines in step: what golden cases and property tests run on. */
#ifndef LOCKSTEP_H
#define LOCKSTEP_H

#include "method/engine.h"

typedef struct {
    size_t count;
    p2pi_engine **engines;
    const p2p_topology *topology;
    p2pi_pool *pool;
    uint64_t seed;
    double bits_encoded, bits_sent; /* nominal: a message once, and once a receiver */
    double bits_up, bits_down;      /* of bits_encoded with a hub: towards it, and from it */
    /** Whether the message from node `from` reaches node `to` in this round; NULL: all do. */
    int (*arrives)(void *user, uint32_t round, size_t from, size_t to);
    /** Replaces what node `from` sends to node `to`, once all have sent; NULL: nobody lies. */
    p2p_status (*said)(void *user, uint32_t round, size_t from, size_t to, p2pi_message *message);
    void *user;
} lockstep;

/**
 * An engine for every node; then the agreement on maxima.
 *
 * @param common everything but rank, problem, start and pool.
 * @param problems one a node.
 * @param start  x_0 of every node, row by row in the problems' type; NULL: the problems' own.
 */
p2p_status lockstep_new(lockstep *out, const p2pi_engine_config *common, p2p_problem *const *problems,
                        const void *start);
void lockstep_clear(lockstep *self);

/** One round; of an asynchronous method, as many meetings as there are nodes, one after the other. */
p2p_status lockstep_round(lockstep *self, uint32_t round);
/** Rounds first .. last - 1. */
p2p_status lockstep_rounds(lockstep *self, uint32_t first, uint32_t last);

/** ||X - 1 x'||_F / ||1 x'||_F. */
double lockstep_error(const lockstep *self, const double *x);

/** A message of a range that was not doubled, to be checked and kept by the engine. */
p2p_status lockstep_hand(p2pi_engine *to, size_t neighbour, uint32_t slot, const uint8_t *bytes, size_t len);

/** Drop the edge at both ends; or make both ends take each other's shared state again; and tell every node. */
void lockstep_drop(lockstep *self, size_t i, size_t j);
p2p_status lockstep_restore(lockstep *self, size_t i, size_t j);

#endif
