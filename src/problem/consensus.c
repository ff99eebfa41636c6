/* f_i = 0: nothing but agreement. Each node starts at its own random vector; methods that average find their mean. */
#include "problem/problems.h"

#include <p2popt/random.h>

#include <string.h>

typedef struct {
    int64_t dim;
} consensus;

static p2p_status
consensus_open(p2p_problem *self)
{
    const consensus *s = self->state;

    self->flags |= P2P_PROBLEM_ZERO;
    return p2pi_problem_layer(self, "x", (size_t)s->dim, 1, 0);
}

static double
consensus_value(p2p_problem *self, const double *x, const size_t *idx, size_t count)
{
    (void)self, (void)x, (void)idx, (void)count;
    return 0;
}

static void
consensus_grad(p2p_problem *self, const double *x, const size_t *idx, size_t count, double *g)
{
    (void)x, (void)idx, (void)count;
    memset(g, 0, self->dim * sizeof *g);
}

static p2p_status
consensus_constants(p2p_problem *self, double *smoothness, double *convexity)
{
    (void)self;
    *smoothness = *convexity = 0;
    return P2P_OK;
}

/* Standard normals: round 0 of the node's start stream. */
static void
consensus_start(p2p_problem *self, double *x)
{
    p2p_random r = p2p_random_open(self->seed, (uint32_t)self->node, 0, P2P_STREAM_INIT);

    p2p_random_normal(&r, self->dim, x);
}

static const p2p_option consensus_options[] = {
    { "dim", P2P_OPT_INT, "20", "1", "1e9", "dimension", offsetof(consensus, dim) },
    { NULL, P2P_OPT_TEXT, NULL, NULL, NULL, NULL, 0 },
};
const p2pi_problem_vt p2pi_problem_consensus = {
    .size = sizeof(p2pi_problem_vt),
    .entry = { "consensus", "f = 0: agree on the mean of random starting points", "DeGroot, JASA 1974",
               consensus_options, sizeof(consensus) },
    .state_size = sizeof(consensus),
    .open = consensus_open,
    .value = consensus_value,
    .grad = consensus_grad,
    .constants = consensus_constants,
    .start = consensus_start,
};
