/* Rules that combine a node's own vector and its neighbours'. */
#ifndef P2POPT_AGGREGATOR_H
#define P2POPT_AGGREGATOR_H

#include <p2popt/option.h>
#include <p2popt/status.h>
#include <p2popt/vector.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * A rule: one table per member. z = rule(own; vectors), all of one dim and type, every entry finite.
 *
 * weights[0] belongs to own, weights[1 + j] to vectors[j]; they are >= 0 and sum to 1.
 */
typedef struct {
    size_t size;
    p2p_entry entry;
    size_t (*work)(const void *param, size_t count, size_t dim, p2p_dtype type); /* bytes of scratch; NULL: none */
    p2p_status (*apply)(const void *param, void *work, p2p_view own, size_t count, const p2p_view *vectors,
                        const double *weights, p2p_vec z);
} p2p_aggregator_vt;

typedef struct p2p_aggregator p2p_aggregator;

/** Open a rule for up to count neighbours of dim entries. The spec is as in "mean" or "trimmed-mean:f=1". */
P2P_API p2p_status p2p_aggregator_new(p2p_aggregator **out, const char *spec, size_t count, size_t dim,
                                      p2p_dtype type);
P2P_API void p2p_aggregator_destroy(p2p_aggregator **self);
P2P_API p2p_status p2p_aggregator_apply(p2p_aggregator *self, p2p_view own, size_t count, const p2p_view *vectors,
                                        const double *weights, p2p_vec z);
/** Canonical spec text, owned by self. */
P2P_API const char *p2p_aggregator_spec(const p2p_aggregator *self);

#ifdef __cplusplus
}
#endif
#endif
