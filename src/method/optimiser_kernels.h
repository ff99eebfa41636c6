/* The loops of optimisers, over vectors of one dimension and type each. */
#ifndef P2PI_OPTIMISER_KERNELS_H
#define P2PI_OPTIMISER_KERNELS_H

#include <p2popt/vector.h>

/** m = b1 m + (1 - b1) g,  v = b2 v + (1 - b2) g^2. */
void p2pi_moments(double b1, double b2, p2p_view g, p2p_vec m, p2p_vec v);
/** top = max(top, c v) */
void p2pi_largest_moment(double c, p2p_view v, p2p_vec top);
/** r = a m / (sqrt(b v + inside) + outside); r may be m. */
void p2pi_over_root(double a, p2p_view m, double b, p2p_view v, double inside, double outside, p2p_vec r);
/** v = max(v, least) */
void p2pi_raise(double least, p2p_vec v);
/** x = x between -most and most */
void p2pi_clip_entries(double most, p2p_vec x);

#endif
