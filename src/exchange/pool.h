/*
 * What the engines of one thread share: opened compressors and scratch that nobody needs between two calls. A process
 * that simulates thousands of nodes has one pool; a node alone has its own.
 */
#ifndef P2PI_POOL_H
#define P2PI_POOL_H

#include <p2popt/compressor.h>

typedef struct p2pi_pool p2pi_pool;

p2p_status p2pi_pool_new(p2pi_pool **out);
void p2pi_pool_destroy(p2pi_pool **self);

/**
 * A compressor opened for the shape, owned by the pool.
 *
 * One without state is opened once and shared; one with state (P2P_STATEFUL) is a new one at each call.
 */
p2p_status p2pi_pool_compressor(p2pi_pool *self, const char *spec, const p2p_shape *shape, p2p_compressor **out);

/** Mean of ||C(v) - v||^2 / ||v||^2 over Gaussian vectors v: how C does on vectors that are not its worst case. */
p2p_status p2pi_pool_compressor_error(p2pi_pool *self, const char *spec, const p2p_shape *shape, double *error);

/** At least bytes of memory, 64-byte aligned; the content may change with any later use of the pool. */
p2p_status p2pi_pool_reserve(p2pi_pool *self, size_t bytes);
void *p2pi_pool_scratch(p2pi_pool *self);

#endif
