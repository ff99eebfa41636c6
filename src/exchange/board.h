/*
 * What honest nodes of one process send, for liars that know everything: each node posts its vectors before they are
 * coded, and a liar waits with a stage until all honest nodes have posted theirs of that stage. They need nothing of
 * a liar's stage for that, so it never waits in a circle.
 */
#ifndef P2PI_BOARD_H
#define P2PI_BOARD_H

#include <p2popt/vector.h>
#include <stdint.h>

typedef struct p2pi_board p2pi_board;

/** A board of that many nodes; lies[i] is set for liars, copied. depth: stages that one node may be ahead of another.
 */
p2p_status p2pi_board_new(p2pi_board **out, size_t nodes, size_t depth, const unsigned char *lies);
void p2pi_board_destroy(p2pi_board **self);

/* Any thread may call these. Stages are counted from the first of round 0. */

/** Message number index of a node in a stage. Without memory it is not there. */
void p2pi_board_post(p2pi_board *self, size_t node, uint64_t stage, size_t index, p2p_view value);
/** The node has posted the stage whole. */
void p2pi_board_close(p2pi_board *self, size_t node, uint64_t stage);
/** The node posts no more. */
void p2pi_board_leave(p2pi_board *self, size_t node);
/** Whether all honest nodes that are there have posted the stage. */
int p2pi_board_complete(p2pi_board *self, uint64_t stage);
/** Copy a message; 0: it is not there. */
int p2pi_board_read(p2pi_board *self, size_t node, uint64_t stage, size_t index, p2p_vec out);

#endif
