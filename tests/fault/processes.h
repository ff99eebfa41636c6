/* Swarms of real processes on this machine: started, watched, killed. Nothing here depends on how fast they run. */
#ifndef PROCESSES_H
#define PROCESSES_H

#include "swarms.h"

#include <sys/types.h>

typedef enum { NEWS_REPORT = 1, NEWS_LOG, NEWS_RESULT } news_kind;

/** What a process tells; it is written in one piece. */
typedef struct {
    news_kind kind;
    uint32_t rank, round;
    p2p_end end;
    p2p_status status;
    size_t absent;
    uint64_t bits;
    double x[SWARM_DIM];
    char line[512]; /* of the log, or the sentence of the result */
} news;

typedef struct {
    size_t n;
    const char *const *keys; /* of the description, as swarm_of takes them */
    const char *scheme;      /* "tcp" or "ipc" */
    int secure;
    p2p_identity identity[SWARM_MOST];
    char endpoint[SWARM_MOST][96];
    int listener[SWARM_MOST]; /* 0: the node binds its endpoint itself */
    char folder[64];          /* of ipc sockets */
    int pipe[2];
    pid_t pid[SWARM_MOST];
    uint32_t round[SWARM_MOST]; /* last reported */
    outcome seen;
    p2p_status status[SWARM_MOST];
    char sentence[SWARM_MOST][512];
    int over[SWARM_MOST];     /* its result is in */
    double pause[SWARM_MOST]; /* seconds that its gradients take; set between prepare and start */
} crowd;

/** How a process differs from what the crowd says. */
typedef struct {
    const char *const *keys; /* NULL: the crowd's */
    const p2p_identity
        *identity; /* of its own; the description it has names this key at its rank. NULL: the crowd's */
} oddity;

/** Prepare endpoints and keys; nothing runs yet. */
void crowd_prepare(crowd *c, size_t n, const char *scheme, int secure, const char *const *keys);
/** Start the process of one node. */
void crowd_start(crowd *c, size_t rank, const oddity *odd);
void crowd_start_all(crowd *c);
/** Take in the next news, and fail after a minute without any. */
void crowd_listen(crowd *c);
void crowd_signal(crowd *c, size_t rank, int signal);
/** Until the node has reported the round. */
void crowd_until_round(crowd *c, size_t rank, uint32_t round);
/** Until a line with the text is in the log. */
void crowd_until_log(crowd *c, const char *text);
/** Until the results of all nodes but those killed are in. */
void crowd_until_over(crowd *c);
/** Wait for the processes, remove what is left. */
void crowd_finish(crowd *c);

#endif
