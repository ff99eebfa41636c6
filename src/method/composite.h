/* The regulariser of a method: the problem's own, or else that of the method's option prox. */
#ifndef P2PI_COMPOSITE_H
#define P2PI_COMPOSITE_H

#include "problem/prox.h"

#include <p2popt/method.h>

/** Parse the option. P2P_EPARSE; P2P_EINVAL, also if the problem has one too. */
p2p_status p2pi_composite_start(p2pi_prox *own, const p2p_text *text, const p2p_method_context *m);
/** x = prox_{step r}(x) of the one there is. */
p2p_status p2pi_composite_step(const p2pi_prox *own, const p2p_method_context *m, double step, p2p_vec x);

#endif
