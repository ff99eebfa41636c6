/* One node of a swarm, and whole swarms in one process. */
#ifndef P2POPT_NODE_H
#define P2POPT_NODE_H

#include <p2popt/problem.h>
#include <p2popt/status.h>
#include <p2popt/swarm.h>
#include <p2popt/vector.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct p2p_node p2p_node;

/** A node's own CURVE key pair, as Z85 text with its NUL. */
typedef struct {
    char public_key[41];
    char secret_key[41];
} p2p_identity;

/** Read a czmq certificate (the NAME_secret file). Refused if other users may read it. P2P_EIO, P2P_EPARSE. */
P2P_API p2p_status p2p_identity_read(p2p_identity *out, const char *path);
/** A new random key pair. */
P2P_API p2p_status p2p_identity_new(p2p_identity *out);

/** Why a run ended. */
typedef enum {
    P2P_END_NONE = 0,      /* still running */
    P2P_END_ROUNDS,        /* the agreed number of rounds */
    P2P_END_TOLERANCE,     /* every node met the tolerance */
    P2P_END_STOPPED,       /* a node was asked to stop, and all stopped after the same round */
    P2P_END_FAILED         /* see the status and the sentence */
} p2p_end;

/** A report of a running node; pointers are valid during the call. */
typedef struct {
    size_t rank;
    uint32_t round;        /* rounds finished */
    p2p_view x;            /* the iterate */
    uint64_t bits_sent;    /* payload bits, once per message however many receivers */
    uint64_t bytes_out, bytes_in; /* on the wire, headers included, over all neighbours */
    size_t neighbours, absent;
    double residual;       /* the node's own estimate of its suboptimality; NaN if it has none */
    double seconds;        /* since round 0; virtual in sim */
    p2p_end end;           /* not P2P_END_NONE in the last report */
} p2p_report;

typedef void p2p_report_fn(void *user, const p2p_report *report);

/** An event for the log: one line without a newline; level 0 error, 1 warning, 2 notice, 3 debug. */
typedef void p2p_log_fn(void *user, int level, size_t rank, const char *line);

/** How a node is made; zero it, then fill what is needed. */
typedef struct {
    size_t size;                  /* sizeof(p2p_node_config) */
    p2p_swarm *swarm;             /* borrowed until the node is destroyed */
    size_t rank;
    const p2p_identity *identity; /* copied; NULL where security is none */
    p2p_problem *problem;         /* borrowed; NULL: made from the swarm's problem and data */
    int listen_fd;                /* a listening socket for the node's endpoint; 0: bind it */
    uint32_t report_every;        /* rounds between reports; 0: only the last */
    p2p_report_fn *on_report;
    p2p_log_fn *on_log;
    void *user;                   /* for both callbacks */
} p2p_node_config;

/** Make a node: check everything, build the method, bind the socket. Errors name the value and what is allowed. */
P2P_API p2p_status p2p_node_new(p2p_node **out, const p2p_node_config *config);

/**
 * Run to the end on this thread: connect, agree, rounds, orderly end.
 *
 * @return P2P_OK at an orderly end; P2P_EREFUSED (key, fingerprint field), P2P_ETIMEDOUT (no neighbour came),
 *         P2P_EDIVERGED, P2P_EUSER, ...
 */
P2P_API p2p_status p2p_node_run(p2p_node *self);

/** Ask the swarm to end after the round that all can reach. Safe from signal handlers and other threads. */
P2P_API void p2p_node_stop(p2p_node *self);

/** The iterate; valid until the node is destroyed. */
P2P_API p2p_view p2p_node_solution(const p2p_node *self);
P2P_API p2p_end p2p_node_end(const p2p_node *self);
P2P_API void p2p_node_destroy(p2p_node **self);

/** Links of a simulated network; zero: ideal. */
typedef struct {
    double latency;   /* seconds */
    double bandwidth; /* bytes a second; 0: unbounded */
    double compute;   /* seconds a node needs for a stage */
} p2p_sim_links;

/**
 * Run a whole swarm in this process: transport "sim" (one thread, virtual clock) or "inproc" (a thread a node).
 *
 * config->rank, identity, listen_fd and problem are not used; problem_of (may be NULL) gives each node its problem.
 */
P2P_API p2p_status p2p_swarm_run(const p2p_node_config *config, const char *transport, const p2p_sim_links *links,
                                 p2p_status (*problem_of)(void *user, size_t rank, p2p_problem **out),
                                 volatile int *stop);

#ifdef __cplusplus
}
#endif
#endif
