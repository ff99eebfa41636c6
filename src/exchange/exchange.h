/*
 * A node's exchange: the slots in which it broadcasts vectors, what its neighbours sent in them, and the state that
 * follows from both (estimates, edge duals). The method sees it through p2popt/method.h; the engine drives it:
 *
 *     begin  ->  the method sends  ->  deliver  ->  close  ->  the method reads
 *
 * A neighbour that is not heard in a stage counts as holding what this node itself holds: its edge then adds nothing
 * to a Laplacian or a dual, and its weight in a mix goes to the own term.
 */
#ifndef P2PI_EXCHANGE_H
#define P2PI_EXCHANGE_H

#include "exchange/board.h"
#include "exchange/pool.h"

#include <p2popt/aggregator.h>
#include <p2popt/method.h>
#include <p2popt/topology.h>

/** A test of a swarm with liars. */
typedef struct {
    const char *attack;        /* spec of aggregate/attack.h */
    const unsigned char *lies; /* a node each */
    size_t liars;
    p2pi_board *board; /* NULL: liars know what their neighbours have sent them, and no more */
} p2pi_trial;

typedef struct {
    size_t rank, nodes, dim;
    p2p_dtype type;
    uint64_t seed;
    p2p_neighbourhood neighbourhood;     /* borrowed */
    const p2p_topology *schedule;        /* borrowed: which of it each round uses; NULL: all, with its weights */
    const char *compressor, *aggregator; /* specs */
    int rule_at_hub;                     /* on a star the rule combines the vectors of all nodes, at the hub alone */
    const char *layers; /* of the vectors, for compressors that go by layers: "784x128/128"; or NULL */
    p2pi_pool *pool;    /* borrowed; NULL: its own */
    const p2pi_trial *trial; /* borrowed; NULL: all are honest */
} p2pi_exchange_config;

p2p_status p2pi_exchange_new(p2p_exchange **out, const p2pi_exchange_config *config);
void p2pi_exchange_destroy(p2p_exchange **self);

/* ---- making state; everything is zeroed */

enum { P2PI_SLOTS_MAX = 20, P2PI_PARTS_MAX = 32, P2PI_AGREED_MAX = 8 };

/* Kinds of slots beside those of p2popt/method.h, or'ed in. */
enum {
    P2PI_SLOT_OPTIONAL = 32, /* may be empty (p2pi_exchange_skip), at no nominal cost */
    P2PI_SLOT_FROM_HUB =
        64,                 /* the hub's: draws are those of P2P_NODE_SHARED; where all repeat the hub, kept unsent */
    P2PI_SLOT_BY_LAST = 128 /* draws are those of a node after the last, as if the hub were one more */
};

p2p_status p2pi_exchange_slot(p2p_exchange *self, unsigned kind, size_t *slot);
/** A slot with a compressor of its own, whose draws are those of slot number `stream` among the compressed ones. */
p2p_status p2pi_exchange_slot_with(p2p_exchange *self, unsigned kind, const char *spec, uint32_t stream,
                                   size_t *slot);
/** The same for vectors of another dimension; only send, sent and sum take them. */
p2p_status p2pi_exchange_slot_wide(p2p_exchange *self, unsigned kind, const char *spec, uint32_t stream, size_t dim,
                                   size_t *slot);
/** Constants of another compressor on the exchange's vectors. */
p2p_status p2pi_exchange_constants(p2p_exchange *self, const char *spec, const p2p_compressor_constants **out);
const p2p_compressor_constants *p2pi_exchange_slot_constants(const p2p_exchange *self, size_t slot);
p2p_status p2pi_exchange_estimate(p2p_exchange *self, const char *name, p2p_estimate **out);
p2p_status p2pi_exchange_duals(p2p_exchange *self, const char *name, p2p_edge_duals **out);
/** A vector; name NULL: scratch, not part of the state. */
p2p_status p2pi_exchange_vector(p2p_exchange *self, const char *name, p2p_vec *out);
/** The same of another dimension. */
p2p_status p2pi_exchange_vector_of(p2p_exchange *self, const char *name, size_t dim, p2p_vec *out);
/** Scratch for so many indices. */
p2p_status p2pi_exchange_indices(p2p_exchange *self, size_t count, size_t **out);
p2p_status p2pi_exchange_scalar(p2p_exchange *self, const char *name, double *where);
p2p_status p2pi_exchange_agree_max(p2p_exchange *self, double *where);
/** Replace the compressor C by scaled(C); refused once a slot has it. */
p2p_status p2pi_exchange_scale_compressor(p2p_exchange *self);

const p2p_compressor_constants *p2pi_exchange_compressor(const p2p_exchange *self);
uint64_t p2pi_exchange_seed(const p2p_exchange *self);
const char *p2pi_exchange_compressor_spec(const p2p_exchange *self);
const char *p2pi_exchange_aggregator_spec(const p2p_exchange *self);
p2p_status p2pi_exchange_compressor_error(p2p_exchange *self, double *error);
size_t p2pi_exchange_agreed(p2p_exchange *self, double *const **values);

typedef struct {
    const char *name;
    void *data;
    size_t bytes;
} p2pi_part;
size_t p2pi_exchange_parts(const p2p_exchange *self);
p2pi_part p2pi_exchange_part(const p2p_exchange *self, size_t index);

/** A piece of memory that lasts from round to round: to be written somewhere, or to be filled from there. */
typedef p2p_status p2pi_memory_fn(void *user, const char *name, void *data, size_t bytes);

/** Every part, what compressors of slots keep, and what has been counted. P2P_OK, or what visit returned. */
p2p_status p2pi_exchange_memory(p2p_exchange *self, p2pi_memory_fn *visit, void *user);

/* ---- a stage */

typedef struct {
    const uint8_t *bytes;
    size_t len;
    unsigned doublings; /* of its range, see p2p_method_widen */
} p2pi_message;

/**
 * Start the stage of a round: nothing is sent or received yet. With a schedule the round's edges are looked up.
 */
void p2pi_exchange_begin(p2p_exchange *self, uint32_t round);
p2p_status p2pi_exchange_send(p2p_exchange *self, size_t slot, p2p_view x, double scale);
p2p_status p2pi_exchange_send_innovation(p2p_exchange *self, size_t slot, const p2p_estimate *e, p2p_view y,
                                         double scale);
void p2pi_exchange_widen(p2p_exchange *self, size_t slot, unsigned doublings);
void p2pi_exchange_silent(p2p_exchange *self, size_t slot);
/** An optional slot stays empty in this stage. */
void p2pi_exchange_skip(p2p_exchange *self, size_t slot);
/** q = C(x) as the next message in the slot would be; it is sent by p2pi_exchange_commit, or replaced by skip. */
p2p_status p2pi_exchange_try(p2p_exchange *self, size_t slot, p2p_view x, p2p_vec q);
void p2pi_exchange_commit(p2p_exchange *self, size_t slot);
/** Bits that papers count beside the payloads. */
void p2pi_exchange_count_nominal(p2p_exchange *self, double bits);
/** Messages sent in this stage, in order of sending: message number i of every node is for the same slot. */
size_t p2pi_exchange_outgoing(const p2p_exchange *self);
p2pi_message p2pi_exchange_message(const p2p_exchange *self, size_t index);
/** Most bytes of any message. */
size_t p2pi_exchange_bound(const p2p_exchange *self);
/** Write message number index of later stages there (bound bytes) instead of in the exchange's own buffer. */
void p2pi_exchange_place(p2p_exchange *self, size_t index, uint8_t *buffer);
/**
 * Whether the round's edges carry this node's messages to the neighbour, and the neighbour's to it. All do where both
 * ends keep estimates or duals of each other; a message that is not carried arrives empty.
 */
int p2pi_exchange_sends(const p2p_exchange *self, size_t neighbour);
int p2pi_exchange_hears(const p2p_exchange *self, size_t neighbour);
/** Check a neighbour's message number index and keep it (not a copy) until the stage is over. P2P_EPROTO. */
p2p_status p2pi_exchange_deliver(p2p_exchange *self, size_t neighbour, size_t index, p2pi_message message);
/** Whether mixing has found a message of the neighbour in this stage that deliver should have refused. */
int p2pi_exchange_refused(const p2p_exchange *self, size_t neighbour);
/** No more messages: decide which neighbours were heard. One with shared state that was not is dropped. */
p2p_status p2pi_exchange_close(p2p_exchange *self);
p2p_status p2pi_exchange_sent(p2p_exchange *self, size_t slot, p2p_vec q);

/** A positive number in a slot of its own (P2P_SLOT_SCALAR), and its mix over those heard, own one included. */
void p2pi_exchange_send_scalar(p2p_exchange *self, size_t slot, double value);
double p2pi_exchange_mix_scalar(const p2p_exchange *self, size_t slot);

/** The largest of those heard in the slot, own one included. */
double p2pi_exchange_largest_scalar(const p2p_exchange *self, size_t slot);
/** What the hub sent to this worker. P2P_EIO: the hub was not heard. */
p2p_status p2pi_exchange_scalar_from_hub(const p2p_exchange *self, size_t slot, double *value);

/* ---- vectors outside of stages, coded as those of slot 0, which is plain */

/** Decode a neighbour's vector. P2P_EPROTO: it does not decode, and x is as it was. */
p2p_status p2pi_exchange_read(p2p_exchange *self, size_t neighbour, const uint8_t *bytes, size_t len, p2p_vec x);
/** Code a vector to bound bytes, and count it as sent. P2P_EINVAL: an entry is not finite. */
p2p_status p2pi_exchange_write(p2p_exchange *self, p2p_view x, uint8_t *out, size_t *len);

/* ---- arithmetic on what was sent and received; the public functions of the same names say what they do */

p2p_status p2pi_exchange_update(p2p_exchange *self, p2p_estimate *e, size_t slot, double a);
p2p_view p2pi_exchange_own(const p2p_exchange *self, const p2p_estimate *e);
p2p_view p2pi_exchange_duals_sum(const p2p_exchange *self, const p2p_edge_duals *duals);
/** duals NULL: Laplacian alone. */
void p2pi_exchange_estimate_laplacian(const p2p_exchange *self, const p2p_estimate *e, double c,
                                      p2p_edge_duals *duals, p2p_vec s);
void p2pi_exchange_slot_laplacian(const p2p_exchange *self, size_t slot, double c, p2p_edge_duals *duals, p2p_vec s);
p2p_status p2pi_exchange_mix(p2p_exchange *self, size_t slot, double a, p2p_view y, double b, p2p_vec z);
p2p_status p2pi_exchange_estimate_aggregate(p2p_exchange *self, const p2p_estimate *e, p2p_vec z);
p2p_status p2pi_exchange_aggregate(p2p_exchange *self, size_t slot, p2p_view own, double a, p2p_view y, p2p_vec z);

/* ---- tests with liars: between begin and what the method sends, after it, and what a neighbour is to get */

/** The number of the stage, from the first of round 0. */
void p2pi_exchange_stage(p2p_exchange *self, uint64_t stage);
/** All is sent: honest nodes post it, liars make their lies. */
void p2pi_exchange_emitted(p2p_exchange *self);
/** Whether what the neighbours get differs from p2pi_exchange_message; and message number index for one of them. */
int p2pi_exchange_lies(const p2p_exchange *self);
p2pi_message p2pi_exchange_told(const p2p_exchange *self, size_t index, size_t neighbour);

/*
 * ---- patterns with a hub, and rings
 *
 * In a directed stage messages go one way only: those that are not carried arrive empty.
 */

typedef enum {
    P2PI_PATTERN_GOSSIP,
    P2PI_PATTERN_HUB,        /* a star around node 0 */
    P2PI_PATTERN_REPLICATED, /* all hear all, and each repeats what a hub would do */
    P2PI_PATTERN_RING        /* of an all-reduce: node i between i - 1 and i + 1, four nodes at least */
} p2pi_pattern;

typedef enum { P2PI_TO_ALL, P2PI_TO_HUB, P2PI_FROM_HUB, P2PI_TO_NEXT } p2pi_direction;

p2pi_pattern p2pi_exchange_pattern(const p2p_exchange *self);
/** Whether the method's vectors are summed on their way. */
int p2pi_exchange_reduces(const p2p_exchange *self);
/** The round's coin of a method with a hub: 1 with probability p, the same at every node; word: which of several. */
int p2pi_exchange_hub_coin(const p2p_exchange *self, unsigned word, double p);
/** The round's random words that all nodes draw alike. */
void p2pi_exchange_shared_words(const p2p_exchange *self, size_t count, uint32_t *words);
/** The node's own coin of the round. */
int p2pi_exchange_own_coin(const p2p_exchange *self, double p);
/** Node 0's own coin, which every node can toss. */
int p2pi_exchange_first_coin(const p2p_exchange *self, double p);
/** Memory for drawing participants, an entry for every node of the swarm. P2P_ENOMEM. */
p2p_status p2pi_exchange_participants(p2p_exchange *self);
/**
 * Before the first send: only some workers send to the hub in this stage, `count` that all nodes draw alike.
 *
 * @return whether this node is one of them; if not it calls p2pi_exchange_hold in each slot.
 */
int p2pi_exchange_draw_participants(p2p_exchange *self, size_t count);
/** Direction of the stage, before its first send, or the same again; begin sets it to P2PI_TO_ALL. */
void p2pi_exchange_direct(p2p_exchange *self, p2pi_direction direction);
/** This node has nothing to send in the slot in this stage: the direction is another. */
void p2pi_exchange_hold(p2p_exchange *self, size_t slot);
/** z = the sum of the own message and of those heard, in ascending order of node; count: how many. */
p2p_status p2pi_exchange_sum(const p2p_exchange *self, size_t slot, p2p_vec z, size_t *count);
/**
 * z = the aggregator's combination of the same vectors, of a slot made with P2P_SLOT_AGGREGATE; count: of how many.
 * The first of them, in order of node, stands for the rule's own: every node that does this gets the same.
 */
p2p_status p2pi_exchange_combine(p2p_exchange *self, size_t slot, p2p_vec z, size_t *count);
/** z = the mean of the estimates of all nodes that are not lost, or of those that took part, in ascending order. */
void p2pi_exchange_estimate_mean(const p2p_exchange *self, const p2p_estimate *e, int took_part, p2p_vec z);
/** z = the rule's combination of the estimates of all nodes that are not lost, in ascending order. */
p2p_status p2pi_exchange_estimate_combine(p2p_exchange *self, const p2p_estimate *e, p2p_vec z);
/**
 * e_j = decay e_j + a q_j for this node and every neighbour that was heard, where entry i of q_j, from a slot of another
 * dimension, is entry index[i] of what is added.
 *
 * @param q scratch of that dimension.
 */
p2p_status p2pi_exchange_estimate_scatter(p2p_exchange *self, p2p_estimate *e, size_t slot, double decay, double a,
                                          const size_t *index, p2p_vec q);
/** e_j = q_j for this node and every neighbour that was heard, where the slot was not empty. */
p2p_status p2pi_exchange_estimate_set(p2p_exchange *self, p2p_estimate *e, size_t slot);
/** x = what the hub sent to this worker. P2P_EIO: the hub was not heard. */
p2p_status p2pi_exchange_take_from_hub(const p2p_exchange *self, size_t slot, p2p_vec x);

/* ---- counts since the start */

uint64_t p2pi_exchange_bits(const p2p_exchange *self);
double p2pi_exchange_bits_nominal(const p2p_exchange *self);
/** Vectors that these bits stand for; a message that is a part of one counts as that. */
double p2pi_exchange_vectors(const p2p_exchange *self);
/** Entries sent with |x| above the scale of a ranged compressor. */
uint64_t p2pi_exchange_overloads(const p2p_exchange *self);

/* ---- membership: an edge that is dropped is skipped, and its duals are 0 */

void p2pi_exchange_drop(p2p_exchange *self, size_t neighbour);
/** An edge of the swarm, this node's or not, was lost or came back. */
void p2pi_exchange_changed(p2p_exchange *self);
uint64_t p2pi_exchange_changes(const p2p_exchange *self);
int p2pi_exchange_dropped(const p2p_exchange *self, size_t neighbour);
size_t p2pi_exchange_shared_size(const p2p_exchange *self);
void p2pi_exchange_shared_export(const p2p_exchange *self, uint8_t *out);
/** Take the neighbour's own estimates and use the edge again. P2P_EPROTO. */
p2p_status p2pi_exchange_restore(p2p_exchange *self, size_t neighbour, const uint8_t *bytes, size_t len);

#endif
