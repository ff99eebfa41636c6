/*
 * The set Z of a variational inequality, or the regulariser of a composite problem: one map for the whole vector, or
 * the product of one map a layer, as in "simplex|(box:lo=-1,hi=1)".
 */
#ifndef P2PI_DOMAIN_H
#define P2PI_DOMAIN_H

#include "problem/prox.h"

#include <p2popt/problem.h>

enum { P2PI_DOMAIN_PARTS = 4 };

typedef struct {
    size_t count;
    struct {
        p2pi_prox prox;
        size_t offset, dim;
    } parts[P2PI_DOMAIN_PARTS];
} p2pi_domain;

/** What the option's help says is allowed. */
#define P2PI_DOMAIN_HELP "set of the solution, one for all or one a layer as in (simplex|ball:r=2)"

/**
 * @param layers count of them, one after the other: what the parts of a product stand for.
 * @return P2P_EPARSE, P2P_EINVAL: the sentence says what is allowed.
 */
p2p_status p2pi_domain_parse(p2pi_domain *out, const char *text, size_t count, const p2p_layer *layers);

/** Whether there is neither a set nor a regulariser. */
int p2pi_domain_is_free(const p2pi_domain *self);
void p2pi_domain_apply(const p2pi_domain *self, double step, p2p_vec x);
/** The sum of the regularisers at x; sets count 0. */
double p2pi_domain_value(const p2pi_domain *self, p2p_view x);
int p2pi_domain_is_bounded(const p2pi_domain *self);
/** The least g'w over the points w of a bounded set. */
double p2pi_domain_lowest(const p2pi_domain *self, p2p_view g);

#endif
