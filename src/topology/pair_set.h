/* A set of unordered pairs of nodes: which edges there are already. */
#ifndef P2PI_PAIR_SET_H
#define P2PI_PAIR_SET_H

#include <p2popt/status.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
    uint64_t *slots;
    size_t mask;
} p2pi_pair_set;

/** Room for at most `pairs` insertions over its life, removed ones included. P2P_ENOMEM. */
p2p_status p2pi_pair_set_new(p2pi_pair_set *out, size_t pairs);
void p2pi_pair_set_clear(p2pi_pair_set *self);

int p2pi_pair_set_has(const p2pi_pair_set *self, uint32_t u, uint32_t v);
/** 1 if the pair is new, 0 if it was there. u and v differ. */
int p2pi_pair_set_add(p2pi_pair_set *self, uint32_t u, uint32_t v);
/** Remove a pair that is there. */
void p2pi_pair_set_remove(p2pi_pair_set *self, uint32_t u, uint32_t v);

#endif
