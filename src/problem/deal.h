/* How the rows of a data set are dealt to nodes. */
#ifndef P2PI_DEAL_H
#define P2PI_DEAL_H

#include "problem/dataset.h"

/** Node i holds rows order[cut[i]] .. order[cut[i + 1] - 1], in this order. */
typedef struct {
    size_t nodes;
    size_t *order; /* every row once */
    size_t *cut;   /* nodes + 1 */
} p2pi_deal;

/** Whether a rule is known and its options are in range; rule NULL means contiguous. P2P_EPARSE, P2P_EINVAL. */
p2p_status p2pi_deal_check(const char *rule);

/** Deal rows by a rule. P2P_EINVAL: fewer rows than nodes; P2P_ENOMEM. */
p2p_status p2pi_deal_make(p2pi_deal *out, const char *rule, size_t nodes, size_t rows, const double *labels,
                          const p2pi_classes *classes);
void p2pi_deal_clear(p2pi_deal *self);

#endif
