/* Rules that combine a node's own vector and those of its neighbours; some of the neighbours may lie. */
#ifndef P2POPT_AGGREGATOR_H
#define P2POPT_AGGREGATOR_H

#include <p2popt/option.h>
#include <p2popt/status.h>
#include <p2popt/vector.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A rule opened for a number of vectors, a dimension and a type; holds work memory, so one thread at a time. */
typedef struct p2p_aggregator p2p_aggregator;

/**
 * Open a rule.
 *
 * @param out   set to the new rule, owned by the caller; NULL on error.
 * @param spec  "mean", "trimmed-mean:f=1", or with pre-aggregators before it "nnm|trimmed-mean:f=1";
 *              p2popt-aggregators(7) has them all.
 * @param count most neighbours' vectors that apply will be given; 0 is allowed.
 * @param dim   entries of every vector, at least 1.
 * @return P2P_OK; P2P_EPARSE or P2P_EINVAL (the sentence lists what is allowed, or says how many vectors the rule
 *         needs for its f and what its breakdown point is); P2P_ENOMEM.
 */
P2P_API p2p_status p2p_aggregator_new(p2p_aggregator **out, const char *spec, size_t count, size_t dim,
                                      p2p_dtype type);

/** Free a rule and set the pointer to NULL; NULL is accepted. */
P2P_API void p2p_aggregator_destroy(p2p_aggregator **self);

/** Say which round comes next: bucketing draws its groups from (seed, round), alike at every node. 0, 0 at first. */
P2P_API void p2p_aggregator_round(p2p_aggregator *self, uint64_t seed, uint32_t round);

/**
 * z = rule(own; vectors).
 *
 * A vector with an entry that is NaN, infinite or of magnitude above 1e150 (P2P_F32: 1e18) is refused before the
 * rule sees it: its sender counts as absent and as one of the f liars that the rule need no longer reckon with, its
 * weight goes to own, and p2p_aggregator_refused lists it.
 *
 * @param own     this node's vector; own.data NULL at a hub that has none.
 * @param count   number of vectors, at most the count given to p2p_aggregator_new; with 0, z = own.
 * @param vectors count vectors of the dimension and type the rule was opened for.
 * @param weights count + 1 numbers >= 0 of sum 1: own (0 without one), then one a vector; NULL: all alike.
 * @param z       result; may be the memory of own or of one of the vectors.
 * @return P2P_OK;
 *         P2P_EINVAL   own is not finite, or a shape or a weight is outside what is said above;
 *         P2P_ENOTSUP  too few vectors are left for the rule and its f: go on without mixing this round.
 * On error z is unchanged. No allocation. Same input, same bits, on any machine. Cost: p2popt-aggregators(7).
 */
P2P_API p2p_status p2p_aggregator_apply(p2p_aggregator *self, p2p_view own, size_t count, const p2p_view *vectors,
                                        const double *weights, p2p_vec z);

/** How many vectors the last apply refused; *senders lists their indices in ascending order, owned by self. */
P2P_API size_t p2p_aggregator_refused(const p2p_aggregator *self, const size_t **senders);

/** What the rule keeps from call to call, to save and restore (centered-clip: its last answer); data NULL: none. */
P2P_API p2p_vec p2p_aggregator_memory(p2p_aggregator *self);

/** Canonical spec text, owned by self. */
P2P_API const char *p2p_aggregator_spec(const p2p_aggregator *self);

#ifdef __cplusplus
}
#endif
#endif
