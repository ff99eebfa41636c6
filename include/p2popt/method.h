/* Methods: the algorithm a node runs, as a state machine that the engine drives. */
#ifndef P2POPT_METHOD_H
#define P2POPT_METHOD_H

#include <p2popt/compressor.h>
#include <p2popt/option.h>
#include <p2popt/problem.h>
#include <p2popt/status.h>
#include <p2popt/vector.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What a method sees of the network in its node: slots, estimates, outbox, inbox, named state. */
typedef struct p2p_exchange p2p_exchange;

/** A vector of this node and a copy of it at each neighbour, both moved by the same decoded bytes. */
typedef struct p2p_estimate p2p_estimate;

/** One vector per edge of this node, antisymmetric over the swarm: d_ij = -d_ji; and their sum d_i. */
typedef struct p2p_edge_duals p2p_edge_duals;

/** What the swarm agreed on before a method starts; 0 where unknown. */
typedef struct {
    const char *method; /* its name, for sentences */
    size_t rank, nodes, dim;
    p2p_dtype type;
    double smoothness;                    /* L: largest over the nodes */
    double convexity;                     /* mu: smallest over the nodes */
    double lambda_2, lambda_n, gap, beta; /* of W, as in p2p_topology_figures */
    unsigned topology;                    /* P2P_TOPOLOGY_* flags; 0: the same symmetric W in every round */
} p2p_setting;

/** A method's view of one node. Lives as long as the method instance. */
typedef struct {
    const p2p_setting *setting;
    p2p_exchange *exchange;
    p2p_problem *problem;
    uint32_t round; /* k: this round turns x_k into x_{k+1} */
    p2p_vec x;      /* the iterate: x_0 at start; named state "x" */
    double step;    /* set by the method: the step size in force; 0 if it has none */
    void *engine;   /* the engine's own; not for methods */
} p2p_method_context;

enum {
    P2P_METHOD_DUAL = 1,       /* keeps duals tied to W */
    P2P_METHOD_RAW = 2,        /* sends iterates: refuses a lossy compressor */
    P2P_METHOD_RANGED = 4,     /* supplies the scale s_k: needs a P2P_ABSOLUTE compressor, the others refuse one */
    P2P_METHOD_CONSENSUS = 8,  /* averages x_0: uses no gradient */
    P2P_METHOD_EXACT = 16,     /* its fixed point is the optimum, so movement tells the distance to it */
    P2P_METHOD_AGGREGATE = 32, /* combines by the configured aggregator; the others refuse rules other than mean */
    P2P_METHOD_PUSH = 64,      /* needs no more of the weights than columns that sum to 1: directed graphs too */
    P2P_METHOD_PAIRS = 128,     /* for topologies on which a node hears at most one other in a round */
    P2P_METHOD_ASYNCHRONOUS = 256, /* waits for nobody, see p2p_method_vt */
    P2P_METHOD_OPERATOR = 512,     /* solves games too; the others refuse them */
    P2P_METHOD_PROX = 1024,        /* keeps to the set of the problem, by p2p_problem_prox; the others refuse one */
    P2P_METHOD_ABSOLUTE = 2048,    /* gives P2P_ABSOLUTE compressors the scale 1 */
    P2P_METHOD_HUB = 4096,         /* with P2P_METHOD_AGGREGATE: the rule combines all nodes' vectors, at the hub */
    P2P_METHOD_COMPRESSES = 8192   /* its own options say how: a swarm that names no compressor has identity */
};

/**
 * A method: one table per member.
 *
 * self points at instance_size zeroed bytes that start with the parameter struct (entry.param_size), already parsed.
 * start replaces every automatic parameter there by its value. Round k runs, for each stage s, emit(s), absorb(s).
 *
 * With P2P_METHOD_ASYNCHRONOUS a round has one stage, in which emit sends x in slot 0 to one neighbour, of the node's
 * own choice, and goes on; absorb finds no messages. Between rounds the engine moves x half of the way towards what a
 * neighbour has sent, and the neighbour as far towards x when it learns of it.
 */
typedef struct {
    size_t size;
    p2p_entry entry;
    unsigned traits;
    size_t instance_size;
    size_t stages; /* of a round */
    /** Allocate slots and named state, choose automatic parameters, refuse what cannot work. */
    p2p_status (*start)(void *self, p2p_method_context *m);
    p2p_status (*emit)(void *self, p2p_method_context *m, size_t stage);
    p2p_status (*absorb)(void *self, p2p_method_context *m, size_t stage);
} p2p_method_vt;

/* ---- for start: allocation. Names are unique in a method; everything is zeroed and lives as long as the node. */

/** A vector of setting->dim entries, part of checkpoints. */
P2P_API p2p_status p2p_method_vector(p2p_method_context *m, const char *name, p2p_vec *out);
/** Scratch of the same shape, not part of the state; it keeps its content from emit to absorb. */
P2P_API p2p_status p2p_method_scratch(p2p_method_context *m, p2p_vec *out);
/** An estimate pair, starting at 0 at every node. */
P2P_API p2p_status p2p_method_estimate(p2p_method_context *m, const char *name, p2p_estimate **out);
P2P_API p2p_status p2p_method_edge_duals(p2p_method_context *m, const char *name, p2p_edge_duals **out);
/** A scalar of the state (checkpointed). */
P2P_API p2p_status p2p_method_scalar(p2p_method_context *m, const char *name, double *where);
/** Before round 0 *where becomes the largest of all nodes' values (max-consensus by the engine). */
P2P_API p2p_status p2p_method_agree_max(p2p_method_context *m, double *where);

/** This swarm's rounds have another number of stages than the table says, 1 to 255, the same at every node. */
P2P_API void p2p_method_stages(p2p_method_context *m, size_t stages);

enum {
    P2P_SLOT_RAW = 0,        /* plain reals, whatever the compressor */
    P2P_SLOT_COMPRESSED = 1, /* the configured compressor */
    P2P_SLOT_SILENT = 2,     /* or'ed in: the node may stay silent (p2p_method_silent) */
    P2P_SLOT_AGGREGATE = 4,  /* or'ed in: for p2p_method_aggregate */
    P2P_SLOT_SCALAR = 8      /* alone: one positive number, whatever the compressor */
};

/** A slot: one vector a node may broadcast in a stage. */
P2P_API p2p_status p2p_method_slot(p2p_method_context *m, unsigned kind, size_t *slot);
/** Constants of the configured compressor C on this dimension. */
P2P_API const p2p_compressor_constants *p2p_method_compressor(const p2p_method_context *m);
/** Use scaled(C), C / (1 + omega), in C's place: contractive. Before the first slot is made. */
P2P_API p2p_status p2p_method_scale_compressor(p2p_method_context *m);
/** E||C(v) - v||^2 / ||v||^2 of C on Gaussian vectors, measured (the same figure at every node). */
P2P_API p2p_status p2p_method_compressor_error(p2p_method_context *m, double *error);

/* ---- for emit and absorb */

/** g = gradient of f_i at x, full or on the minibatch of draw number t (round * draws per round + i). */
P2P_API p2p_status p2p_method_grad(p2p_method_context *m, uint32_t t, p2p_view x, p2p_vec g);

/** Broadcast C(x) in this stage; scale is s_k for ranged compressors, else 1. Encoded once for all neighbours. */
P2P_API p2p_status p2p_method_send(p2p_method_context *m, size_t slot, p2p_view x, double scale);
/** As send, of the innovation y - e, e this node's own estimate. */
P2P_API p2p_status p2p_method_send_innovation(p2p_method_context *m, size_t slot, const p2p_estimate *e, p2p_view y,
                                              double scale);
/** Broadcast that there is nothing to say: every receiver takes q = 0. Only in slots made with P2P_SLOT_SILENT. */
P2P_API void p2p_method_silent(p2p_method_context *m, size_t slot);
/** Broadcast a positive number in a slot made with P2P_SLOT_SCALAR. */
P2P_API void p2p_method_send_scalar(p2p_method_context *m, size_t slot, double value);
/** q = what this node sent in the slot, as receivers decode it. */
P2P_API p2p_status p2p_method_sent(p2p_method_context *m, size_t slot, p2p_vec q);

/** e_j += a q_j for this node and every neighbour that was heard, straight from the bytes. */
P2P_API p2p_status p2p_estimate_update(p2p_method_context *m, p2p_estimate *e, size_t slot, double a);
P2P_API p2p_view p2p_estimate_own(const p2p_method_context *m, const p2p_estimate *e);
/**
 * z = rule(e_i; the estimates of the heard neighbours): the configured aggregator, weights as in mix; e_i where they
 * are too few for the rule. z must not be an estimate.
 */
P2P_API p2p_status p2p_estimate_aggregate(p2p_method_context *m, const p2p_estimate *e, p2p_vec z);
/** s = sum over heard neighbours of w_ij (e_i - e_j). */
P2P_API void p2p_estimate_laplacian(const p2p_method_context *m, const p2p_estimate *e, p2p_vec s);
/** As laplacian, and d_ij += c w_ij (e_i - e_j) on each of those edges. s without data: not wanted. */
P2P_API void p2p_estimate_laplacian_dual(const p2p_method_context *m, const p2p_estimate *e, double c,
                                         p2p_edge_duals *duals, p2p_vec s);
/** The same on what was sent in a slot in this stage, not a sparse or silent one: s = sum w_ij (q_i - q_j). */
P2P_API void p2p_method_laplacian_dual(const p2p_method_context *m, size_t slot, double c, p2p_edge_duals *duals,
                                       p2p_vec s);
/** d_i = sum over edges of d_ij, as of the last change. */
P2P_API p2p_view p2p_edge_duals_sum(const p2p_method_context *m, const p2p_edge_duals *duals);

/**
 * z = a y + b sum_j w_ij q_j, own term included, in ascending order of j; the weight of a neighbour not heard goes to
 * the own term. z may be y; y is not read if a = 0.
 */
P2P_API p2p_status p2p_method_mix(p2p_method_context *m, size_t slot, double a, p2p_view y, double b, p2p_vec z);
/** sum_j w_ij v_j of the numbers sent in a slot made with P2P_SLOT_SCALAR, as mix. */
P2P_API double p2p_method_mix_scalar(const p2p_method_context *m, size_t slot);
/**
 * z = a y + rule(own; what the heard neighbours sent): the configured aggregator, weights as in mix. own is what this
 * node has sent in the slot; z may be own's memory, not y's; y is not read if a = 0.
 */
P2P_API p2p_status p2p_method_aggregate(p2p_method_context *m, size_t slot, p2p_view own, double a, p2p_view y,
                                        p2p_vec z);

/** Entries that this node has sent outside the range of a ranged compressor, since the start. */
P2P_API uint64_t p2p_method_overloads(const p2p_method_context *m);

enum { P2P_DOUBLINGS_MAX = 64 };

/**
 * From now on what this node sends in the slot is encoded in a range 2^doublings times the scale given with it, and
 * receivers are told so. 0 to P2P_DOUBLINGS_MAX; 0 at the start.
 */
P2P_API void p2p_method_widen(p2p_method_context *m, size_t slot, unsigned doublings);
/** How often, as far as this node has heard, an edge of the swarm was lost or came back. */
P2P_API uint64_t p2p_method_changes(const p2p_method_context *m);
/** The iterate is held back by something other than the optimum: the run is not to end on how little it moves now. */
P2P_API void p2p_method_restless(p2p_method_context *m);

/** Tell the user, once, of something that does not stop the run. At most 255 bytes; the oldest unread one is kept. */
P2P_API void p2p_method_warn(p2p_method_context *m, const char *format, ...) P2P_PRINTF(2, 3);

/**
 * Register a user's method beside the built-in ones, before any node is made; the table must outlive its use.
 *
 * @return P2P_OK; P2P_EINVAL: a required member is missing, or the name is taken; P2P_ENOSPC: 32 are registered.
 */
P2P_API p2p_status p2p_method_register(const p2p_method_vt *table);

#ifdef __cplusplus
}
#endif
#endif
