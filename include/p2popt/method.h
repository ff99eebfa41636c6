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

/** One vector per edge of this node, antisymmetric over the swarm: d_ij = -d_ji. */
typedef struct p2p_edge_duals p2p_edge_duals;

/** What the swarm agreed on before a method starts; 0 where unknown. */
typedef struct {
    size_t rank, nodes, dim;
    p2p_dtype type;
    double smoothness;     /* L: largest over the nodes */
    double convexity;      /* mu: smallest over the nodes */
    double lambda_2, lambda_n, gap, beta; /* of W, as in p2p_topology_figures */
} p2p_setting;

/** A method's view of one node. Lives as long as the method instance. */
typedef struct {
    const p2p_setting *setting;
    p2p_exchange *exchange;
    p2p_problem *problem;
    uint32_t round; /* k: this round turns x_k into x_{k+1} */
    p2p_vec x;      /* the iterate: x_0 at start; named state "x" */
    void *engine;   /* the engine's own; not for methods */
} p2p_method_context;

enum {
    P2P_METHOD_DUAL = 1,       /* keeps duals tied to W */
    P2P_METHOD_RAW = 2,        /* sends iterates: refuses a lossy compressor */
    P2P_METHOD_RANGED = 4,     /* supplies the scale s_k: needs a P2P_ABSOLUTE compressor */
    P2P_METHOD_CONSENSUS = 8   /* averages x_0: uses no gradient */
};

/**
 * A method: one table per member.
 *
 * self points at instance_size zeroed bytes that start with the parameter struct (entry.param_size), already parsed.
 * Round k runs, for each stage s, emit(s) then absorb(s).
 */
typedef struct {
    size_t size;
    p2p_entry entry;
    unsigned traits;
    size_t instance_size;
    size_t stages;
    /** Allocate slots and named state, choose automatic parameters, refuse what cannot work. */
    p2p_status (*start)(void *self, p2p_method_context *m);
    p2p_status (*emit)(void *self, p2p_method_context *m, size_t stage);
    p2p_status (*absorb)(void *self, p2p_method_context *m, size_t stage);
    /** The parameters in force, as a spec with absolute values ("cold:step=0.39,gossip=0.5,dual=0.5"). */
    void (*describe)(const void *self, char *text, size_t cap);
} p2p_method_vt;

/* ---- for start: allocation. Names are unique in a method; everything is zeroed. */

/** A vector of setting->dim entries, part of checkpoints. */
P2P_API p2p_status p2p_method_vector(p2p_method_context *m, const char *name, p2p_vec *out);
/** Scratch of the same shape, not part of the state. */
P2P_API p2p_status p2p_method_scratch(p2p_method_context *m, p2p_vec *out);
/** An estimate pair, starting at 0 at every node. */
P2P_API p2p_status p2p_method_estimate(p2p_method_context *m, const char *name, p2p_estimate **out);
P2P_API p2p_status p2p_method_edge_duals(p2p_method_context *m, const char *name, p2p_edge_duals **out);
/** A scalar of the state (checkpointed). */
P2P_API p2p_status p2p_method_scalar(p2p_method_context *m, const char *name, double *where);
/** Before round 0 *where becomes the largest of all nodes' values (max-consensus by the engine). */
P2P_API p2p_status p2p_method_agree_max(p2p_method_context *m, double *where);

/** A slot: one vector a node may broadcast in a stage. compressed = 0: raw reals whatever the compressor. */
P2P_API p2p_status p2p_method_slot(p2p_method_context *m, int compressed, size_t *slot);
/** Constants of the configured compressor on this dimension. */
P2P_API const p2p_compressor_constants *p2p_method_compressor(const p2p_method_context *m);

/* ---- for emit and absorb */

/** g = gradient of f_i at x, full or on the minibatch of draw number t (round * draws per round + i). */
P2P_API p2p_status p2p_method_grad(p2p_method_context *m, uint32_t t, p2p_view x, p2p_vec g);

/** Broadcast C(x) in this stage; scale is s_k for ranged compressors, else 1. Encoded once for all neighbours. */
P2P_API p2p_status p2p_method_send(p2p_method_context *m, size_t slot, p2p_view x, double scale);
/** q = y - own estimate, then broadcast it. */
P2P_API p2p_status p2p_method_send_innovation(p2p_method_context *m, size_t slot, const p2p_estimate *e, p2p_view y,
                                              double scale);
/** What this node sent in the slot, as receivers decode it. */
P2P_API p2p_status p2p_method_sent(p2p_method_context *m, size_t slot, p2p_vec q);

/** e_j += a q_j for this node and every neighbour that was heard, straight from the bytes. */
P2P_API p2p_status p2p_estimate_update(p2p_method_context *m, p2p_estimate *e, size_t slot, double a);
P2P_API p2p_view p2p_estimate_own(const p2p_estimate *e);
/** s = sum over heard neighbours of w_ij (e_i - e_j). */
P2P_API void p2p_estimate_laplacian(const p2p_method_context *m, const p2p_estimate *e, p2p_vec s);
/** As laplacian, and d_ij += c w_ij (e_i - e_j) on each of those edges; d = sum_j d_ij over all of them. */
P2P_API void p2p_estimate_laplacian_dual(const p2p_method_context *m, const p2p_estimate *e, double c,
                                         p2p_edge_duals *duals, p2p_vec s, p2p_vec d);

/** y = a y + b sum_j w_ij q_j, own term included; the weight of a neighbour not heard goes to the own term. */
P2P_API p2p_status p2p_method_mix(p2p_method_context *m, size_t slot, double a, double b, p2p_vec y);
/** z = rule(own; what neighbours sent): the configured aggregator. */
P2P_API p2p_status p2p_method_aggregate(p2p_method_context *m, size_t slot, p2p_view own, p2p_vec z);

/** Register a user's method beside the built-in ones, before any node is made. The table must outlive its use. */
P2P_API p2p_status p2p_method_register(const p2p_method_vt *table);

#ifdef __cplusplus
}
#endif
#endif
