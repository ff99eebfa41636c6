/*
 * A node without its network and its clock: a state machine that is told what arrived and what time it is, and never
 * waits. It runs the same under sockets (node.c) and under the simulator (swarm_run.c).
 *
 *     start  ->  while not ended: { step while ready;  hand over what arrived;  tick when due }
 */
#ifndef P2PI_MACHINE_H
#define P2PI_MACHINE_H

#include <p2popt/node.h>

#include "exchange/board.h"
#include "exchange/pool.h"
#include "transport/transport.h"

typedef struct p2pi_machine p2pi_machine;

/**
 * Make a node from its description: reads its data unless config->problem is given, checks everything.
 *
 * @param config  listen and listen_fd are not looked at.
 * @param session tells this start of the node from earlier ones; not 0.
 * @param pool    shared by the machines of one thread, borrowed; NULL: its own.
 */
p2p_status p2pi_machine_new(p2pi_machine **out, const p2p_node_config *config, uint32_t session, p2pi_pool *pool);
void p2pi_machine_destroy(p2pi_machine **self);

/** What honest nodes of the process send, borrowed; before start. A liar that needs it waits for them. */
void p2pi_machine_show(p2pi_machine *self, p2pi_board *board);
/** Whether the node lies in this test. */
int p2pi_machine_lies(const p2pi_machine *self);
/** Whether it may have to wait for the board, which nothing wakes it for. */
int p2pi_machine_watches(const p2pi_machine *self);

/** Make the method with this node's own constants and throw it away, so that what cannot work is said early. */
p2p_status p2pi_machine_rehearse(p2pi_machine *self);

/** Give it its link, borrowed; before start. */
void p2pi_machine_attach(p2pi_machine *self, p2pi_link *link);
/** The most bytes any message it accepts can have. */
size_t p2pi_machine_message_bound(const p2pi_machine *self);
/** What its link calls; user is the machine. */
p2pi_link_client p2pi_machine_client(p2pi_machine *self);

/** now: seconds of the driver's clock, never going back. */
void p2pi_machine_start(p2pi_machine *self, double now);

/** Whether step has something to do. */
int p2pi_machine_ready(const p2pi_machine *self);
/** Finish the stage that is complete, and begin the next. */
void p2pi_machine_step(p2pi_machine *self, double now);

/** Whether the machine must be handed what has arrived after every step, as it waits for nothing. */
int p2pi_machine_listens(const p2pi_machine *self);

/** Whether the rounds have begun. */
int p2pi_machine_started(const p2pi_machine *self);

/** When tick wants to be called. */
double p2pi_machine_due(const p2pi_machine *self);
/** Look after time: retries, silence, deadlines. Harmless before it is due. */
void p2pi_machine_tick(p2pi_machine *self, double now);

/** Ask the swarm to stop: at once before the first round. */
void p2pi_machine_stop(p2pi_machine *self, double now);

p2p_end p2pi_machine_end(const p2pi_machine *self);
/** P2P_OK, or why it failed; then *sentence says it. */
p2p_status p2pi_machine_status(const p2pi_machine *self, const char **sentence);
p2p_view p2pi_machine_solution(const p2pi_machine *self);
/** Rounds finished. */
uint32_t p2pi_machine_round(const p2pi_machine *self);
/** Neighbours that take part. */
size_t p2pi_machine_live(const p2pi_machine *self);

#endif
