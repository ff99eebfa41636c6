/* f*, where it is known: from a file, from the optima that ship with the sample data, or from the reference solver. */
#ifndef KNOWN_OPTIMUM_H
#define KNOWN_OPTIMUM_H

#include "objective.h"

/**
 * The least value of the objective. Games have none: theirs is NaN, and the objective comes to know the solution.
 *
 * @param wish  "none": *value is NaN; "auto": at the optimum that ships with the sample data where data and problem
 *              match one, else by the reference solver if every f_i is strongly convex, else NaN; otherwise the .npy
 *              file of the minimiser.
 * @return P2P_OK; errors of a file that was named.
 */
p2p_status known_optimum(const char *wish, const p2p_swarm *swarm, objective *f, double *value);

/** After a node has left the objective: by the reference solver where "auto" would take it, else NaN. */
double known_optimum_without(const char *wish, objective *f);

#endif
