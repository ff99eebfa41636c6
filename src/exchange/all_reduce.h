/*
 * All-reduce: every node gives a vector, all get the mean of what the compressor makes of them, by the stages of its
 * collective execution (compress/collective.h). A stage takes steps, each a stage of the exchange:
 *
 *     complete graph   1         all to all; everyone reduces in ascending order of node
 *     star             2         to the hub, which reduces in that order; the result back: the same bits
 *     ring             2 (n-1)   segments to the next node, which adds its own; then whole ones around
 *
 * All nodes take part in a round or none does: a lost one ends the run.
 */
#ifndef P2PI_ALL_REDUCE_H
#define P2PI_ALL_REDUCE_H

#include "exchange/exchange.h"

typedef struct p2pi_all_reduce p2pi_all_reduce;

/**
 * Make a slot of the exchange for all-reduces of entries from .. from + dim of its vectors by a compressor, whose
 * draws are those of slot number `stream`. Owned by the exchange. All-reduces of one round run side by side, step by
 * step.
 *
 * @return also P2P_ENOTSUP: another topology, or a compressor whose messages do not add.
 */
p2p_status p2pi_all_reduce_new(p2pi_all_reduce **out, p2p_exchange *exchange, const char *spec, uint32_t stream,
                               size_t from, size_t dim);

/** Stages of the exchange for each all-reduce; some of them may have no messages. */
size_t p2pi_all_reduce_steps(const p2pi_all_reduce *self);

/** Send what the step has; x, which has the entries from .. from + dim, is read in step 0; nothing after the last
 * step. P2P_EINVAL: an entry is not finite. */
p2p_status p2pi_all_reduce_emit(p2pi_all_reduce *self, size_t step, p2p_view x);
/** Take what came. P2P_EIO: a node was not heard; P2P_EPROTO: no nodes can have sent what adds up to it. */
p2p_status p2pi_all_reduce_absorb(p2pi_all_reduce *self, size_t step);
/** After the last step: its entries of y = their mean, of residual = what this node's own part has lost of x. */
p2p_status p2pi_all_reduce_finish(p2pi_all_reduce *self, p2p_vec y, p2p_vec residual);

/* ---- for the exchange */

/** Whether the message of a neighbour is what the step has of that node. P2P_EPROTO. */
p2p_status p2pi_all_reduce_accept(const p2pi_all_reduce *self, uint32_t node, p2pi_message message);
void p2pi_all_reduce_close(p2pi_all_reduce *self);
/** The compressor whose stages it runs. */
p2p_compressor *p2pi_all_reduce_compressor(const p2pi_all_reduce *self);

#endif
