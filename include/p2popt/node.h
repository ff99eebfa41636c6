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

/**
 * Read a czmq certificate (the NAME_secret file, ZPL text).
 *
 * @return P2P_OK; P2P_EIO; P2P_EPARSE with file:line; P2P_EREFUSED if the group or others may read or write the file.
 *         No message contains a secret.
 */
P2P_API p2p_status p2p_identity_read(p2p_identity *out, const char *path);
/** A new random key pair. P2P_EIO without a source of randomness. */
P2P_API p2p_status p2p_identity_new(p2p_identity *out);
/** Overwrite the keys; the compiler cannot leave this out. */
P2P_API void p2p_identity_clear(p2p_identity *self);

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
    uint64_t vectors_sent; /* each once, however many receivers: what bits_sent would be without compression */
    uint64_t bits_sent;    /* payload bits, once per message however many receivers */
    uint64_t bytes_out, bytes_in; /* on the wire, headers included, over all neighbours */
    size_t neighbours, absent;
    double residual;       /* the node's own estimate of its suboptimality; NaN if it has none */
    double seconds;        /* since round 0; virtual in sim */
    p2p_end end;           /* not P2P_END_NONE in the last report */
    const char *parameters; /* of the method, as in force: "cold:step=0.39,gossip=0.5,dual=0.5" */
} p2p_report;

/** Called on the node's thread, between two rounds. */
typedef void p2p_report_fn(void *user, const p2p_report *report);

/**
 * An event for the log: one line without a newline; level 0 error, 1 warning, 2 notice, 3 debug.
 * Called on the node's thread.
 */
typedef void p2p_log_fn(void *user, int level, size_t rank, const char *line);

/** How a node is made; zero it, then fill what is needed. */
typedef struct {
    size_t size;                  /* sizeof(p2p_node_config) */
    p2p_swarm *swarm;             /* borrowed until the node is destroyed */
    size_t rank;
    const p2p_identity *identity; /* copied; NULL where security is none */
    p2p_problem *problem;         /* borrowed; NULL: made from the swarm's problem and data */
    const char *listen;           /* endpoint to bind where it is not the swarm's ("tcp://0.0.0.0:5600"); NULL: the same */
    int listen_fd;                /* a listening socket for the node's endpoint, closed by the node; 0: bind it */
    uint32_t report_every;        /* rounds between reports; 0: the swarm's report-every */
    const char *checkpoint;       /* folder for checkpoints, which is there; NULL: none */
    uint32_t checkpoint_every;    /* rounds between them; 0: only at the end */
    int resume;                   /* begin with the newest round of which every node has a checkpoint */
    p2p_report_fn *on_report;
    p2p_log_fn *on_log;
    void *user;                   /* for both callbacks */
    const char *byzantine;        /* a test with liars, see p2p_byzantine_nodes; NULL: none */
} p2p_node_config;

/**
 * Which nodes lie in a test of a deployment: "ATTACK[:OPTIONS]@NODES", such as "sign-flip:scale=5@3,5-7".
 *
 * A liar takes part in rounds and in what is agreed as any node does; its vectors, its data or its bytes are those of
 * the attack (p2popt-aggregators(7) has them). Its own failure, once the others have dropped it, is not that of the
 * run. Attacks that need to know what honest nodes send do so in p2p_swarm_run; a node by itself goes by what its
 * neighbours have sent before. In the config of a p2p_node the nodes may be missing: then it lies itself.
 *
 * @param lies set to 1 for liars, else to 0; room for nodes entries.
 * @return P2P_OK; P2P_EPARSE (unknown attack or option, no nodes); P2P_EINVAL (no such node; half of them or more);
 *         P2P_ENOMEM.
 */
P2P_API p2p_status p2p_byzantine_nodes(const char *text, size_t nodes, unsigned char *lies);

/**
 * Make a node: check everything, read its data, build the method, bind the socket.
 *
 * The endpoint tells the transport: tcp://HOST:PORT, ipc://PATH.
 * @return P2P_OK; P2P_EINVAL, P2P_EPARSE, P2P_ENOTSUP (the sentence names the value and what is allowed); P2P_EIO
 *         (data, address in use); P2P_ENOMEM.
 */
P2P_API p2p_status p2p_node_new(p2p_node **out, const p2p_node_config *config);

/**
 * Run to the end on this thread: connect, agree, rounds, orderly end. Once per node.
 *
 * Waits on the network only; a silent neighbour becomes absent after round-timeout and the rest goes on. BLAS uses one
 * thread and denormals are flushed to zero meanwhile.
 *
 * @return P2P_OK at an orderly end; P2P_EREFUSED (key, or the field of the description that differs); P2P_ETIMEDOUT
 *         (who did not come within connect-timeout, or every neighbour was lost); P2P_EDIVERGED; P2P_EUSER; P2P_ENOMEM.
 */
P2P_API p2p_status p2p_node_run(p2p_node *self);

/** Ask the swarm to end after a round that all can reach. Safe from signal handlers and other threads, any time. */
P2P_API void p2p_node_stop(p2p_node *self);

/** The iterate; valid until the node is destroyed. */
P2P_API p2p_view p2p_node_solution(const p2p_node *self);
P2P_API p2p_end p2p_node_end(const p2p_node *self);
P2P_API void p2p_node_destroy(p2p_node **self);

/** Links of a simulated network; zero: ideal. */
typedef struct {
    double latency;   /* seconds */
    double bandwidth; /* bytes a second, of each link and direction; 0: unbounded */
    double compute;   /* seconds a node needs for a stage */
} p2p_sim_links;

/**
 * Run a whole swarm in this process.
 *
 * @param config     rank, identity, listen, listen_fd and problem are not used; callbacks come from one thread at a
 *                   time. The last report of each node (end is not P2P_END_NONE) has its solution.
 * @param transport  "sim" or "sim:latency=0.001,bandwidth=1e8,compute=0.01" (one thread, virtual clock: same
 *                   description, same events, same reports), or "inproc" (a thread a node).
 * @param links      of "sim"; NULL: those of the spec.
 * @param problem_of gives each node its problem, which the node then owns; NULL: the swarm's problem and data.
 * @param stop       set to not 0 (signal handler, other thread) to end the run as p2p_node_stop does; may be NULL.
 * @return P2P_OK if every node came to an orderly end; else the first failure, with "node N: " before its sentence.
 */
P2P_API p2p_status p2p_swarm_run(const p2p_node_config *config, const char *transport, const p2p_sim_links *links,
                                 p2p_status (*problem_of)(void *user, size_t rank, p2p_problem **out),
                                 volatile int *stop);

#ifdef __cplusplus
}
#endif
#endif
