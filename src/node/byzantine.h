/* Swarms that are tested with liars: who lies, and how. */
#ifndef P2PI_BYZANTINE_H
#define P2PI_BYZANTINE_H

#include "aggregate/attack.h"
#include "exchange/exchange.h"
#include "node/plan.h"

/** What "ATTACK[:OPTIONS][@NODES]" says, for a swarm of that many nodes. */
typedef struct {
    p2pi_trial given; /* without a board */
    char attack[P2P_TEXT_MAX];
    unsigned char *lies;
} p2pi_trial_spec;

/**
 * Read a text. Without nodes, `alone` lies; where that is no node, nodes are missing.
 *
 * @return P2P_OK, to be cleared; P2P_EPARSE, P2P_EINVAL (no such node, or half of them and more), P2P_ENOMEM.
 */
p2p_status p2pi_trial_read(p2pi_trial_spec *out, const char *text, size_t nodes, size_t alone);
void p2pi_trial_clear(p2pi_trial_spec *self);

/** The board of a swarm in one process, if the attack needs one; else, and for text NULL, *out is NULL. */
p2p_status p2pi_trial_board_of(p2pi_board **out, const char *text, const p2pi_plan *plan);

#endif
