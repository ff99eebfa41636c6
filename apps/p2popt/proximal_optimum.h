/* The minimiser of a mean of problems with a common regulariser, or on a set. */
#ifndef PROXIMAL_OPTIMUM_H
#define PROXIMAL_OPTIMUM_H

#include <p2popt.h>

/** As optimum_solve. P2P_ENOTSUP: a smoothness constant is unknown. */
p2p_status proximal_solve(p2p_problem **parts, size_t count, double *x, double *value);

#endif
