/* The loops of training methods, over vectors of one dimension and type each. */
#ifndef P2PI_TRAINING_KERNELS_H
#define P2PI_TRAINING_KERNELS_H

#include <p2popt/vector.h>
#include <stdint.h>

/** x_i = 0 where q_i is not. */
void p2pi_clear_where_sent(p2p_view q, p2p_vec x);
/** s_i = its sign; where it is 0, -1 if bit i of coins, 32 a word from the lowest on, is set, else 1. */
void p2pi_majority(const uint32_t *coins, p2p_vec s);

#endif
