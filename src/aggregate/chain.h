/* A spec as members in a row: pre-aggregators, then one rule. "nnm|trimmed-mean:f=1". */
#ifndef P2PI_CHAIN_H
#define P2PI_CHAIN_H

#include "aggregate/rule.h"
#include "base/arena.h"

enum { P2PI_CHAIN_MAX = 4, P2PI_CHAIN_TEXT = 512 };

typedef struct {
    const p2pi_aggregator_vt *vt;
    void *param;
    size_t f; /* vectors that may lie; 0 for a member without the option */
} p2pi_chain_member;

typedef struct {
    p2pi_chain_member member[P2PI_CHAIN_MAX];
    size_t count;
    char spec[P2PI_CHAIN_TEXT]; /* canonical */
} p2pi_chain;

/** Parse into members whose parameters live in the arena. P2P_EPARSE, P2P_EINVAL, P2P_ENOMEM. */
p2p_status p2pi_chain_parse(p2pi_chain *chain, p2pi_arena *arena, const char *spec);

/** Liars a member reckons with when some vectors have been refused. */
size_t p2pi_chain_liars(const p2pi_chain_member *member, size_t refused);

/** Rows behind a member. */
size_t p2pi_chain_outputs(const p2pi_chain_member *member, size_t rows);

/** Whether every member can work on what reaches it; returns status, with the sentence, if one cannot. */
p2p_status p2pi_chain_check(const p2pi_chain *chain, p2p_status status, size_t rows, int own, size_t refused);

#endif
