/* Collective execution of one round in one process: every node's stages, reduced in the order of the nodes. */
#ifndef COLLECTIVE_ROUND_H
#define COLLECTIVE_ROUND_H

#include "compress/collective.h"

/** Called for every stage of every node, with its bytes before they are reduced. */
typedef void collective_look(void *user, size_t node, size_t stage, const p2pi_stage *what, const uint8_t *bytes);

/**
 * @param c, x  a node each, opened for that many nodes.
 * @param env   of the round; node is set here.
 * @param y     a node each: what it holds in the end.
 * @param rest  a node each: what its part leaves of what it meant to send; NULL: not wanted.
 * @param look  NULL: nobody looks.
 */
p2p_status collective_round(p2p_compressor *const *c, size_t nodes, const p2p_view *x, p2p_env env, const p2p_vec *y,
                            const p2p_vec *rest, collective_look *look, void *user);

#endif
