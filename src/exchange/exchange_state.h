/* Inside the exchange room: the parts of an exchange. */
#ifndef P2PI_EXCHANGE_STATE_H
#define P2PI_EXCHANGE_STATE_H

#include "base/arena.h"
#include "base/cursor.h"
#include "exchange/exchange.h"

#include <p2popt/random.h>

#include <math.h>

/** Beside the kinds of p2popt/method.h and exchange.h: parts of an all-reduce. */
enum { EXCHANGE_SLOT_REDUCED = 16 };

/** One vector a node may broadcast in a stage. */
typedef struct {
    unsigned kind;
    p2p_compressor *compressor;
    uint32_t stream;        /* number of the slot among the compressed ones: what its random words are drawn for */
    int plain;              /* the payload is a flags byte and the reals themselves */
    uint8_t *buffer;        /* for own messages, unless the driver placed another */
    p2pi_message own;       /* what was sent in this stage */
    size_t tried;           /* bytes of what p2pi_exchange_try has put into the buffer */
    p2pi_message *received; /* a neighbour each */
    double scale;           /* of the stage, before a sender's doublings */
    unsigned doublings;     /* of the own range */
    char *decoded;          /* dense payloads with codes: the decoded vectors of the neighbours, then the own one */
    p2p_view *vectors;      /* P2P_SLOT_AGGREGATE: views of those that were heard */
    struct p2pi_all_reduce *reduce; /* whose slot it is; NULL: a vector's */
    int late;                       /* whether the reals are finite is seen while they are mixed */
} exchange_slot;

struct p2p_estimate {
    p2p_estimate *next;
    char *vectors;   /* own, then a neighbour each; exchange_stride apart */
    p2p_view *heard; /* scratch: views of those that an aggregator is given */
};

struct p2p_edge_duals {
    p2p_edge_duals *next;
    char *vectors; /* a neighbour each, then their sum */
};

struct p2p_exchange {
    p2pi_arena *arena;
    p2pi_pool *pool, *own_pool;
    p2p_shape shape;
    uint64_t seed;
    uint32_t rank, round;
    p2p_neighbourhood at;         /* with the weights of the round */
    const p2p_topology *schedule; /* NULL: the same in every round */
    double *round_weights;        /* what at.weights points to with a schedule */
    uint8_t *sends;               /* a neighbour each, by the schedule */
    int begun;                    /* round is that of a begun stage */
    size_t before; /* neighbours of a lower number than rank: where the own term goes in ascending order */

    char *layers;
    char *compressor_spec;
    p2p_compressor *compressor;
    char *rule_spec;
    p2p_aggregator *rule; /* NULL: the mean, which needs no vectors of its own; or it is the hub's */
    int rule_at_hub;

    exchange_slot slots[P2PI_SLOTS_MAX];
    size_t slot_count, compressed_count, bound;
    p2p_estimate *estimates, **last_estimate;
    p2p_edge_duals *duals, **last_duals;
    p2pi_part parts[P2PI_PARTS_MAX];
    size_t part_count;
    double *agreed[P2PI_AGREED_MAX];
    size_t agreed_count;

    const p2pi_trial *trial; /* NULL: all are honest */
    struct p2pi_liar *liar;  /* NULL: what this node sends is what its method says */
    uint64_t stage_number;

    const p2p_topology *topology; /* borrowed; NULL: not known */
    p2pi_pattern pattern;

    /* the stage */
    p2pi_direction direction;
    uint8_t *takes_part; /* a node each; read if some do not; NULL: all always do */
    size_t *nodes_drawn; /* scratch for drawing them */
    int partial;
    size_t stage[P2PI_SLOTS_MAX]; /* slot of each message, in order of sending */
    size_t stage_count;
    uint8_t *placed[P2PI_SLOTS_MAX];
    uint8_t *alive, *heard, *delivered, *refused; /* a neighbour each */
    const void **source;                          /* degree + 1 operands of a kernel, */
    double *weight;                               /* their weights, */
    void **target;                                /* and results */

    uint64_t bits, overloads, changes;
    double bits_nominal, vectors;
};

static inline size_t
exchange_bytes(const p2p_exchange *self)
{
    return self->shape.dim * p2p_dtype_size(self->shape.type);
}

/* Vectors that stand one after the other are this far apart. */
static inline size_t
exchange_stride(const p2p_exchange *self)
{
    return (exchange_bytes(self) + 63) / 64 * 64;
}

static inline p2p_vec
exchange_vec(const p2p_exchange *self, void *data)
{
    return (p2p_vec){ data, self->shape.dim, self->shape.type };
}

/** A slot's decoded vector of a neighbour, of this node for neighbour = degree. */
static inline p2p_vec
exchange_decoded(const p2p_exchange *self, const exchange_slot *slot, size_t neighbour)
{
    return exchange_vec(self, slot->decoded + neighbour * exchange_stride(self));
}

/** Where the reals of a heard neighbour's dense vector are, of the own one for neighbour = degree. */
static inline const void *
exchange_reals(const p2p_exchange *self, const exchange_slot *slot, size_t neighbour)
{
    p2pi_message message = neighbour < self->at.degree ? slot->received[neighbour] : slot->own;

    /* A plain payload has them behind its flags byte. */
    return slot->plain ? message.bytes + 1 : exchange_decoded(self, slot, neighbour).data;
}

static inline p2p_vec
exchange_own_estimate(const p2p_exchange *self, const p2p_estimate *e)
{
    return exchange_vec(self, e->vectors);
}

static inline p2p_vec
exchange_neighbour_estimate(const p2p_exchange *self, const p2p_estimate *e, size_t neighbour)
{
    return exchange_vec(self, e->vectors + (1 + neighbour) * exchange_stride(self));
}

static inline p2p_vec
exchange_dual(const p2p_exchange *self, const p2p_edge_duals *d, size_t neighbour)
{
    return exchange_vec(self, d->vectors + neighbour * exchange_stride(self));
}

static inline p2p_vec
exchange_dual_sum(const p2p_exchange *self, const p2p_edge_duals *d)
{
    return exchange_dual(self, d, self->at.degree);
}

/** Whether the node sends to the hub in this round. */
static inline int
exchange_takes_part(const p2p_exchange *self, uint32_t node)
{
    return !self->partial || self->takes_part[node];
}

/** Both ends hold something of each other that every message moves. */
static inline int
exchange_is_tracked(const p2p_exchange *self)
{
    return self->estimates != NULL || self->duals != NULL;
}

static inline double
exchange_scalar(p2pi_message message)
{
    p2pi_reader r = p2pi_reader_of(message.bytes, message.len);

    return p2pi_read_double(&r);
}

/** A compressor of the exchange's vectors and layers; the pool's. */
p2p_status p2pi_exchange_find_compressor(p2p_exchange *self, const char *spec, p2p_compressor **out);

/** The compressor of slots that do not name their own. */
p2p_status p2pi_exchange_open_compressor(p2p_exchange *self, const char *spec);

/** An array that is state of the method; with no name it is not. P2P_ENOMEM if data is NULL. */
p2p_status p2pi_exchange_add_part(p2p_exchange *self, const char *name, void *data, size_t bytes);

/** z = the rule's combination of own and others, weights in self->weight, own's first; own if they are too few. */
p2p_status p2pi_exchange_apply_rule(p2p_exchange *self, p2p_view own, size_t count, const p2p_view *vectors,
                                    p2p_vec z);

/** y += a C(x) for the vector of a heard neighbour, the own one for neighbour = degree; a silent node's is zero. */
p2p_status p2pi_exchange_add_message(const p2p_exchange *self, const exchange_slot *slot, size_t neighbour, double a,
                                     p2p_vec y);

static inline double
exchange_range(const exchange_slot *slot, unsigned doublings)
{
    return ldexp(slot->scale, (int)doublings);
}

/* ---- liar.c */
p2p_status p2pi_liar_open(p2p_exchange *self);
void p2pi_liar_close(p2p_exchange *self);
/** The method has sent a vector, or moves an estimate towards it. P2P_ENOMEM. */
p2p_status p2pi_liar_note(p2p_exchange *self, size_t slot, p2p_view value, const p2p_estimate *e);
/** Estimates are moved by what was sent: receivers' of this node by what they were told. */
p2p_status p2pi_liar_update(p2p_exchange *self, const p2p_estimate *e, size_t slot, double a);
/** The neighbour has this node's own estimates. */
void p2pi_liar_restored(p2p_exchange *self, size_t neighbour);
/** The stage is over: what neighbours have sent in it is still there. */
p2p_status p2pi_liar_overhear(p2p_exchange *self);

/** A slot for the parts of an all-reduce, of at most `bound` bytes, and its message in this stage. */
p2p_status p2pi_exchange_reduced_slot(p2p_exchange *self, struct p2pi_all_reduce *reduce, size_t bound, size_t *slot);
void p2pi_exchange_send_reduced(p2p_exchange *self, size_t slot, const uint8_t *bytes, size_t len);

/** What both ends know of a message in the slot sent by node, with its range doubled so often. */
static inline p2p_env
exchange_env(const p2p_exchange *self, const exchange_slot *slot, uint32_t node, unsigned doublings)
{
    const uint32_t by = (slot->kind & P2PI_SLOT_BY_LAST)    ? (uint32_t)self->shape.nodes
                        : (slot->kind & P2PI_SLOT_FROM_HUB) ? P2P_NODE_SHARED
                                                            : node;

    return (p2p_env){ .seed = self->seed,
                      .node = by,
                      .round = self->round,
                      .slot = slot->stream,
                      .scale = exchange_range(slot, doublings) };
}

#endif
