/*
 * The engine: one node's method, exchange and problem, driven stage by stage. Knows nothing of sockets.
 *
 * A driver (the node loop, the lockstep runner of the golden cases) does, for each round and stage:
 *
 *     emit  ->  send every outgoing message to its receivers  ->  deliver what arrived  ->  absorb
 */
#ifndef P2PI_ENGINE_H
#define P2PI_ENGINE_H

#include "exchange/exchange.h"

#include <p2popt/compressor.h>
#include <p2popt/method.h>
#include <p2popt/problem.h>
#include <p2popt/topology.h>

typedef struct p2pi_engine p2pi_engine;

typedef struct {
    size_t rank;
    uint64_t seed;
    const p2p_topology *topology;                 /* borrowed, shared by all nodes of a process */
    const p2p_topology_figures *figures;          /* borrowed; NULL: step and gossip must not be auto */
    p2p_problem *problem;                         /* borrowed */
    const char *method, *compressor, *aggregator; /* spec strings; compressor NULL: identity, aggregator NULL: mean */
    p2p_batch batch;
    double smoothness, convexity; /* agreed over the swarm; 0 unknown */
    p2p_view start;               /* x_0; no data: the problem's own */
    p2pi_pool *pool;              /* borrowed, for engines that run on one thread; NULL: the engine's own */
    const p2pi_trial *trial;      /* borrowed; NULL: all nodes are honest */
} p2pi_engine_config;

/** One message of the stage just emitted. bytes stay valid and unchanged until the next emit. */
typedef struct {
    uint32_t slot; /* number of the message in the stage */
    const uint8_t *bytes;
    size_t len;         /* 0: "nothing to say" in this slot, to be sent all the same */
    unsigned doublings; /* of its range: receivers need it to decode */
} p2pi_outgoing;

/** @return also P2P_EPARSE, P2P_EINVAL, P2P_ENOTSUP: what cannot work together, with a sentence. */
p2p_status p2pi_engine_new(p2pi_engine **out, const p2pi_engine_config *config);
void p2pi_engine_destroy(p2pi_engine **self);

/** Values to be replaced by their maximum over the swarm before round 0; count may be 0. */
size_t p2pi_engine_agreement(p2pi_engine *self, double *const **values);

/** Between two rounds: every array and number that the next rounds depend on, the exchange's first; P2P_OK or what visit returned. */
p2p_status p2pi_engine_memory(p2pi_engine *self, p2pi_memory_fn *visit, void *user);

size_t p2pi_engine_stages(const p2pi_engine *self);
/** Largest payload of any message, for sizing buffers. */
size_t p2pi_engine_bound(const p2pi_engine *self);

/**
 * Write message `slot` of every later stage to buffer (bound bytes, not touched by others until absorb) instead of
 * the engine's own memory: a driver that sends without a copy gives a fresh buffer before each emit. NULL: as before.
 */
void p2pi_engine_place(p2pi_engine *self, uint32_t slot, uint8_t *buffer);

/** @return P2P_EDIVERGED names the parameters in force; what a user's callback returned. */
p2p_status p2pi_engine_emit(p2pi_engine *self, uint32_t round, size_t stage);
/** Messages of the stage, each for all neighbours that p2pi_engine_sends names: the same number and slots at every
 * node. */
size_t p2pi_engine_outgoing(const p2pi_engine *self, const p2pi_outgoing **messages);
/**
 * How many messages each neighbour sends in this stage: a message a slot, slots 0 .. count-1 of the answer.
 * To be asked from the stage's emit on; it may be 0 (the first round of nids).
 */
size_t p2pi_engine_expected(const p2pi_engine *self, uint32_t round, size_t stage);

/**
 * Whether the neighbour is to get this stage's messages as they are. Else the round does not use the edge that way,
 * and it gets as many empty ones.
 */
int p2pi_engine_sends(const p2pi_engine *self, size_t neighbour);

/** Whether this node lies in its vectors, and then what the neighbour is told in place of message number slot. */
int p2pi_engine_lies(const p2pi_engine *self);
p2pi_message p2pi_engine_told(const p2pi_engine *self, uint32_t slot, size_t neighbour);

/**
 * Hand over a neighbour's message of the current stage: checked now, read until absorb has returned.
 *
 * @param neighbour index into the topology's neighbourhood of this node. A dropped one's messages are ignored.
 * @return P2P_OK; P2P_EPROTO: refused (counts against the sender; the stage goes on without it).
 */
p2p_status p2pi_engine_deliver(p2pi_engine *self, size_t neighbour, uint32_t slot, p2pi_message message);

/**
 * Whether the absorb just done has found a message of the neighbour that should have been refused: plain reals for a
 * mean are looked through as they are mixed. The neighbour was left out; as for a refusal, it counts against it.
 */
int p2pi_engine_refused(const p2pi_engine *self, size_t neighbour);

/**
 * Finish the stage. A neighbour that has not delivered all its messages is not heard: its edge is skipped. Where the
 * method keeps shared state (estimates, duals) the two ends then differ, and the edge is dropped until it is
 * restored.
 */
p2p_status p2pi_engine_absorb(p2pi_engine *self, size_t stage);

/*
 * Asynchronous methods: the stage's one message goes to one neighbour, asking it to meet. That one moves and answers
 * with how far it has moved; the asker moves as far the other way when the answer comes, so the swarm's sum stays.
 */
int p2pi_engine_is_asynchronous(const p2pi_engine *self);
/**
 * Meet: x += d, d = share * (theirs - x).
 *
 * @param share above 0, at most 1/2.
 * @param out   bound bytes for the answer, d; *len is set.
 * @return P2P_OK; P2P_EPROTO: the message does not decode, and nothing has changed.
 */
p2p_status p2pi_engine_meet(p2pi_engine *self, size_t neighbour, double share, const uint8_t *bytes, size_t size,
                            uint8_t *out, size_t *len);
/** An ask outside of the method's rounds: x as emit would send it, to bound bytes at out. P2P_EDIVERGED. */
p2p_status p2pi_engine_ask(p2pi_engine *self, uint8_t *out, size_t *len);
/** How far the last meeting or answer has moved x, as a share of its norm. */
double p2pi_engine_moved(const p2pi_engine *self);
/** Take an answer: x -= d. P2P_EPROTO as above. */
p2p_status p2pi_engine_settle(p2pi_engine *self, size_t neighbour, const uint8_t *bytes, size_t size);

p2p_view p2pi_engine_iterate(const p2pi_engine *self);
/**
 * Estimate of f(x) - f* from movement (method/movement.h); of the squared distance to the mean for consensus. NaN
 * while unknown, and always for methods whose fixed point is not the optimum (dgd, choco, squarm, deepsqueeze).
 */
double p2pi_engine_residual(const p2pi_engine *self);
/** Payload bits sent so far, each message once; and the nominal count of papers. */
uint64_t p2pi_engine_bits(const p2pi_engine *self);
double p2pi_engine_bits_nominal(const p2pi_engine *self);
/** Vectors sent so far, whole ones. */
double p2pi_engine_vectors(const p2pi_engine *self);
/** Entries so far that were outside the range of a quantiser with a given scale (dyna-cold, dyna-gossip). */
uint64_t p2pi_engine_overloads(const p2pi_engine *self);
/** A warning for the user that was not yet taken, or NULL; valid until the next call on self. */
const char *p2pi_engine_warning(p2pi_engine *self);
/** Canonical texts for the fingerprint and the parameters in force, owned by self. */
const char *p2pi_engine_method_spec(const p2pi_engine *self);
const char *p2pi_engine_compressor_spec(const p2pi_engine *self);
/** Valid until the next call; after the agreement it has every automatic value. */
const char *p2pi_engine_parameters(const p2pi_engine *self);

/* Membership. A dropped edge loses its duals at this end and is skipped until it is restored. */
void p2pi_engine_drop(p2pi_engine *self, size_t neighbour);
/** An edge of the swarm, this node's or not, was lost or came back. */
void p2pi_engine_changed(p2pi_engine *self);
/** Whether the edge is dropped, by the driver or by absorb. */
int p2pi_engine_dropped(const p2pi_engine *self, size_t neighbour);
/** Bytes of this node's shared estimates, for a neighbour that must be resynchronised; 0: it has none. */
size_t p2pi_engine_shared_size(const p2pi_engine *self);
void p2pi_engine_shared_export(const p2pi_engine *self, uint8_t *out);
/**
 * Take a neighbour's shared estimates and restore the edge; its duals start at 0 at both ends, so both ends restore
 * between the same two rounds. P2P_EPROTO if size or values are wrong.
 */
p2p_status p2pi_engine_restore(p2pi_engine *self, size_t neighbour, const uint8_t *bytes, size_t len);

/* Named state, for checkpoints. */
typedef struct {
    const char *name;
    void *data;
    size_t bytes;
} p2pi_state_part;
size_t p2pi_engine_state_count(const p2pi_engine *self);
p2pi_state_part p2pi_engine_state(const p2pi_engine *self, size_t index);

#endif
