/*
 * The swarm description: everything all nodes must agree on, and where they are.
 *
 * One thread at a time while it is changed; nodes of one process may share it once its topology is built.
 */
#ifndef P2POPT_SWARM_H
#define P2POPT_SWARM_H

#include <p2popt/option.h>
#include <p2popt/status.h>
#include <p2popt/topology.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct p2p_swarm p2p_swarm;

/** An empty description with every default. */
P2P_API p2p_status p2p_swarm_new(p2p_swarm **out);

/** Read a description file (YAML, p2popt-swarm(5)). Errors: P2P_EIO, P2P_EPARSE with file:line. */
P2P_API p2p_status p2p_swarm_read(p2p_swarm **out, const char *path);

/** Write the description with a comment on every key; the file appears whole or not at all. */
P2P_API p2p_status p2p_swarm_write(const p2p_swarm *self, const char *path);
P2P_API void p2p_swarm_destroy(p2p_swarm **self);

/** The keys of a description (method, compressor, topology, rounds, ...), with types, defaults, ranges, help. */
P2P_API const p2p_option *p2p_swarm_options(void);

/** Set one key from text; checked as in the file. P2P_EINVAL or P2P_EPARSE lists what is allowed. */
P2P_API p2p_status p2p_swarm_set(p2p_swarm *self, const char *key, const char *value);
/** The value of a key as text, owned by self; NULL for an unknown key. */
P2P_API const char *p2p_swarm_get(const p2p_swarm *self, const char *key);

/**
 * Append a node; its rank is the number of nodes before it.
 *
 * @param endpoint   "tcp://HOST:PORT" or "ipc://PATH"; NULL for p2p_swarm_run, which needs none.
 * @param public_key 40 characters of Z85, or NULL where security is none.
 * @return P2P_OK; P2P_EINVAL (a key or endpoint that cannot be one, or that another node has); P2P_ENOMEM.
 */
P2P_API p2p_status p2p_swarm_add(p2p_swarm *self, const char *endpoint, const char *public_key);
/** Nodes appended, or once the topology is built, nodes of it. */
P2P_API size_t p2p_swarm_size(const p2p_swarm *self);
/** Endpoint of a node, or NULL. */
P2P_API const char *p2p_swarm_endpoint(const p2p_swarm *self, size_t rank);
/** Z85 key of a node, or NULL. */
P2P_API const char *p2p_swarm_public_key(const p2p_swarm *self, size_t rank);

/**
 * Check the description as a whole and build its topology (owned by self, the same at each call).
 *
 * From then on the description is fixed: p2p_swarm_set and p2p_swarm_add fail with P2P_EINVAL. Without nodes, the
 * topology's spec or file says how many there are.
 * @return P2P_OK; errors of p2p_topology_new; P2P_EPARSE for a spec that does not parse, with file:line if read.
 */
P2P_API p2p_status p2p_swarm_topology(p2p_swarm *self, const p2p_topology **out);

#ifdef __cplusplus
}
#endif
#endif
