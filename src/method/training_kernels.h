/* The loops of training methods, over vectors of one dimension and type each. */
#ifndef P2PI_TRAINING_KERNELS_H
#define P2PI_TRAINING_KERNELS_H

#include <p2popt/vector.h>
#include <stdint.h>

/** x_i = 0 where q_i is not. */
void p2pi_clear_where_sent(p2p_view q, p2p_vec x);
/** s_i = its sign; where it is 0, -1 if bit i of coins, 32 a word from the lowest on, is set, else 1. */
void p2pi_majority(const uint32_t *coins, p2p_vec s);
/** The mean of the entries that are not negative, and that of the magnitudes of the others; 0 where there are none.
 */
void p2pi_signed_means(p2p_view x, double mean[2]);
/** x_i += up where x_i is not negative, x_i -= down elsewhere. */
void p2pi_shift_by_sign(double up, double down, p2p_vec x);
/** x_i = |x_i| */
void p2pi_magnitudes(p2p_vec x);
/** s_i += a x_i^2 */
void p2pi_add_squares(double a, p2p_view x, p2p_vec s);
/** z_i = 1 if z_i + lam (2 u_i - 1) is not negative, else -1. */
void p2pi_dithered_signs(size_t n, double lam, const double *u, double *z);

#endif
