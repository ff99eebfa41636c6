/* What a swarm description holds: the values of its keys, its nodes, and what is derived from them once. */
#ifndef P2PI_DESCRIPTION_H
#define P2PI_DESCRIPTION_H

#include <p2popt/swarm.h>

#include "node/plan.h"

/** The values behind p2p_swarm_options(). */
typedef struct {
    p2p_text name, topology, mixing, method, compressor, aggregator, problem, data, shard;
    int64_t batch, shuffle, dtype, seed, rounds, security, zstd, report_every;
    double tolerance, round_timeout, connect_timeout;
} p2pi_description;

/** The words of the key security. */
enum { P2PI_SECURITY_CURVE, P2PI_SECURITY_NONE, P2PI_SECURITY_INSECURE };

enum { P2PI_KEYS_MAX = 32 };

typedef struct {
    char *endpoint;      /* or NULL */
    char public_key[41]; /* "" without */
    unsigned line;       /* of the file; 0: none */
} p2pi_member;

struct p2p_swarm {
    p2pi_description values;
    char text[P2PI_KEYS_MAX][P2P_TEXT_MAX]; /* each key's value, as p2p_swarm_get tells it */
    unsigned line[P2PI_KEYS_MAX];           /* where the file set it; 0: elsewhere */
    int compressor_given;                   /* else it follows from the method */
    char *path;                             /* of the file; NULL: none */
    p2pi_member *members;
    size_t count, room;
    p2pi_plan *plan; /* once built, the description is fixed */
};

/** Set key number i from text. */
p2p_status p2pi_swarm_set_at(p2p_swarm *self, size_t i, const char *value);

/** P2P_EPARSE: the sentence lists the keys, and then further (", nodes" or ""). */
p2p_status p2pi_swarm_unknown(const char *key, const char *further);

/** Read a description from text; path is for messages. */
p2p_status p2pi_swarm_parse(p2p_swarm **out, const char *path, const uint8_t *text, size_t len);

/** The plan, built at the first call. */
p2p_status p2pi_swarm_plan(p2p_swarm *self, const p2pi_plan **out);

/** Put "FILE:LINE: " before the last sentence if the key was read from a file. */
p2p_status p2pi_swarm_blame(const p2p_swarm *self, const char *key, p2p_status status);

#endif
