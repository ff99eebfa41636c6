/*
 * The global objective f = (1/m) sum of f_i, or the operator F of a game, over the m nodes that take part: every node's
 * problem, opened here too.
 */
#ifndef OBJECTIVE_H
#define OBJECTIVE_H

#include <p2popt.h>

typedef struct objective objective;

/** Open the problems of all nodes from the keys of a swarm description, in double precision. */
p2p_status objective_new(objective **out, const p2p_swarm *swarm, size_t nodes);
void objective_destroy(objective **self);

size_t objective_dim(const objective *self);

/** Leave a node's f_i out from now on. */
void objective_leave(objective *self, size_t rank);

/** The problems of the nodes that take part; owned by self, in the order of their ranks. */
p2p_problem **objective_parts(const objective *self, size_t *count);

/** f at x, dim doubles; the saddle function of a game. P2P_ENOTSUP: the problem has no value. */
p2p_status objective_value(objective *self, const double *x, double *value);

/** What tells how far a point is from the solution. */
typedef enum {
    MEASURE_SUBOPTIMALITY, /* f - f* */
    MEASURE_DUALITY_GAP,   /* a game on a bounded set: max F(z)'(z - w) over w in Z */
    MEASURE_DISTANCE,      /* a game whose solution is known: |z - z*| */
    MEASURE_RESIDUAL       /* any game: |z - P(z - F(z))| */
} measure_kind;

int objective_is_game(const objective *self);
measure_kind objective_measure(const objective *self);
/** The solution of a game, copied; NULL: it is not known any more. */
p2p_status objective_know(objective *self, const double *solution);
/** Share of all samples classified correctly at x; NaN where there are no classes. */
double objective_accuracy(objective *self, const double *x);

/** The measure of a game at x; NaN where it cannot be had. */
double objective_error(objective *self, const double *x);

#endif
