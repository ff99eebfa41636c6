/*
 * The mean over all nodes of a vector that each has, at every node: on a star by way of the hub, in two stages, on a
 * complete graph in one, each node by itself. All nodes have the same bits of it, so what they go on to compute from
 * it need not be sent. Those that were not heard are left out.
 */
#ifndef P2PI_MEAN_OVER_NODES_H
#define P2PI_MEAN_OVER_NODES_H

#include "exchange/exchange.h"

typedef struct {
    size_t up, down;
    p2p_vec mean;
} p2pi_mean;

/**
 * @param kind of the slot towards the mean, P2P_SLOT_RAW or P2P_SLOT_COMPRESSED; with P2P_SLOT_AGGREGATE or'ed in the
 *             configured aggregator takes the place of the mean.
 * @return P2P_ENOTSUP: another topology.
 */
p2p_status p2pi_mean_start(p2pi_mean *self, p2p_method_context *m, unsigned kind);
/** Stages that a mean takes: its parts, numbered from 0. */
size_t p2pi_mean_parts(const p2p_method_context *m);
/** Part 0 sends own; it is not read in the other. */
p2p_status p2pi_mean_emit(p2pi_mean *self, p2p_method_context *m, size_t part, p2p_view own);
/** After the last part self->mean is there. P2P_EIO: the hub is lost. */
p2p_status p2pi_mean_absorb(p2pi_mean *self, p2p_method_context *m, size_t part);

/** Whether this node is the hub of a star, or one of those that do without. */
int p2pi_is_hub(const p2p_method_context *m);
int p2pi_has_hub(const p2p_method_context *m);
/** P2P_ENOTSUP: neither a star nor a complete graph. */
p2p_status p2pi_need_hub(const p2p_method_context *m);

#endif
