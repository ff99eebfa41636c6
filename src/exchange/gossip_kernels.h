/*
 * The loops of gossip over whole vectors, each operand read once. They run in blocks that stay in the first-level
 * cache: at 1 MiB a vector a node is bound by memory, and a pass saved is time saved.
 *
 * Operands marked loose may stand at any address (payloads do).
 */
#ifndef P2PI_GOSSIP_KERNELS_H
#define P2PI_GOSSIP_KERNELS_H

#include <p2popt/vector.h>

/**
 * z = a y + b sum_j weight_j source_j, in the order of j; y is not read if a = 0. Sources are loose. Returns 0 if an
 * entry of z is not finite.
 */
int p2pi_gossip_mix(double a, p2p_view y, double b, size_t count, const void *const *source, const double *weight,
                    p2p_vec z);

/** s = sum_j weight_j (own - source_j). own and sources are loose. */
void p2pi_gossip_laplacian(const void *own, size_t count, const void *const *source, const double *weight, p2p_vec s);

/**
 * As laplacian, and dual_j += c weight_j (own - source_j), sum = sum_j dual_j. s without data: not wanted.
 *
 * The difference at the other end of the edge is the exact negative, so the two duals stay negatives of each other.
 */
void p2pi_gossip_laplacian_dual(const void *own, size_t count, const void *const *source, const double *weight,
                                double c, void *const *dual, p2p_vec sum, p2p_vec s);

/** sum = sum_j dual_j, with the bits that laplacian_dual would leave. */
void p2pi_gossip_sum(size_t count, void *const *dual, p2p_vec sum);

/** e += a q, q loose. */
void p2pi_gossip_update(p2p_vec e, double a, const void *q);

/** q = x, q loose; returns as innovation does. */
size_t p2pi_gossip_copy(p2p_view x, void *q);

/** q = y - e, q loose; returns the index of the first entry of q that is not finite, else the dimension. */
size_t p2pi_gossip_innovation(p2p_view y, p2p_view e, void *q);

/** Whether dim reals, loose, are all finite. */
int p2pi_gossip_is_finite(size_t dim, p2p_dtype type, const void *q);

/** How many entries have |x_i| > limit. */
size_t p2pi_gossip_outside(p2p_view x, double limit);

#endif
