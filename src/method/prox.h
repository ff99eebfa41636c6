/* The common regulariser r of a composite problem f + r: its proximal step, from a text such as "l1:lambda=0.01". */
#ifndef P2PI_PROX_H
#define P2PI_PROX_H

#include <p2popt/option.h>
#include <p2popt/vector.h>

typedef struct {
    int kind;
    double a, b; /* lambda; lo, hi; radius; total */
} p2pi_prox;

/** What the option's help says is allowed. */
#define P2PI_PROX_HELP "common regulariser: none, l1:lambda=, (box:lo=,hi=), ball:r=, simplex"

/** @return P2P_EPARSE, P2P_EINVAL: the sentence lists what is allowed. */
p2p_status p2pi_prox_parse(p2pi_prox *out, const char *text);

/** x = prox_{step r}(x) = argmin_z r(z) + ||z - x||^2 / (2 step). */
void p2pi_prox_apply(const p2pi_prox *self, double step, p2p_vec x);

#endif
