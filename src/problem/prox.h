/* Proximal steps of simple functions and projections on simple sets, from texts such as "l1:lambda=0.01". */
#ifndef P2PI_PROX_H
#define P2PI_PROX_H

#include "base/spec.h"

#include <p2popt/option.h>
#include <p2popt/vector.h>

/** A function r, or a set as the function that is 0 in it and infinite outside. */
typedef struct {
    int kind;
    double a, b; /* lambda; lo, hi; radius; total */
} p2pi_prox;

/** What the option's help says is allowed. */
#define P2PI_PROX_HELP "common regulariser: none, l1:lambda=, (box:lo=,hi=), orthant, ball:r=, l1-ball:r=, simplex"

/** Parentheses around the text are taken off: they protect a comma. @return P2P_EPARSE, P2P_EINVAL: the sentence
 * lists what is allowed. */
p2p_status p2pi_prox_parse(p2pi_prox *out, p2pi_span text);

/** x = prox_{step r}(x) = argmin_z r(z) + ||z - x||^2 / (2 step): for a set the nearest point, whatever the step. */
void p2pi_prox_apply(const p2pi_prox *self, double step, p2p_vec x);

/** r(x); of a set 0, whether x is in it or not. */
double p2pi_prox_value(const p2pi_prox *self, p2p_view x);

/** Whether r is 0 everywhere. */
int p2pi_prox_is_free(const p2pi_prox *self);
/** Whether r is that of a bounded set, which prox_lowest needs. */
int p2pi_prox_is_bounded(const p2pi_prox *self);
/** The least g'w over the points w of a bounded set. */
double p2pi_prox_lowest(const p2pi_prox *self, p2p_view g);

#endif
