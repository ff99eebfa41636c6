/* The option pair b, f of rules that reckon with weights: how much weight liars may have among the neighbours. */
#ifndef P2PI_LIAR_WEIGHT_H
#define P2PI_LIAR_WEIGHT_H

#include "aggregate/rule.h"

typedef struct {
    int64_t f;
    double b;
} p2pi_liar_weight;

/** Their two entries of an option table; at: offset of the p2pi_liar_weight in the parameter struct. */
#define P2PI_OPTIONS_LIAR_WEIGHT(at)                                                                                 \
    { "f", P2P_OPT_INT, "1", "0", "1000000", "neighbours that may lie", (at) + offsetof(p2pi_liar_weight, f) },      \
    {                                                                                                                \
        "b", P2P_OPT_REAL, "auto", "0", "1", "weight that liars may have; auto: f times the largest weight",         \
            (at) + offsetof(p2pi_liar_weight, b)                                                                     \
    }

/** b as given, or f max_j w_j over the neighbours that are left. */
static inline double
p2pi_liar_weight_of(const p2pi_liar_weight *self, const p2pi_rows *rows)
{
    double largest = 0;

    if (!p2p_is_auto(self->b))
        return self->b;
    for (size_t j = 1; j < rows->count; j++)
        if (rows->weight[j] > largest)
            largest = rows->weight[j];
    return (double)rows->liars * largest;
}

#endif
