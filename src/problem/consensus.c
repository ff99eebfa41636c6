/*
 * f_i = 0: nothing but agreement. Each node starts at a vector of its own, a row of a file or random; methods that
 * average find their mean.
 */
#include "problem/problems.h"

#include "base/fail.h"

#include <p2popt/random.h>

#include <inttypes.h>
#include <string.h>

typedef struct {
    int64_t dim;
} consensus;

enum { DIM_DEFAULT = 20 };

/* Entries of the node's row: what is a label elsewhere is the first of them. */
static size_t
row_width(const p2p_data *data)
{
    return 1 + data->rows.cols;
}

static p2p_status
check_rows(const p2p_problem *self, int64_t dim)
{
    const p2p_data *data = self->data;

    if (data->total != self->nodes || data->rows.rows != 1)
        return p2p_fail(P2P_EINVAL, "%zu rows of data for %zu nodes: expected one row a node", data->total,
                        self->nodes);
    if (dim != P2P_AUTO_INT && (size_t)dim != row_width(data))
        return p2p_fail(P2P_EINVAL, "dim=%" PRId64 ": the rows of the data have %zu entries", dim, row_width(data));
    return P2P_OK;
}

static p2p_status
consensus_open(p2p_problem *self)
{
    const consensus *s = self->state;
    size_t dim = s->dim == P2P_AUTO_INT ? DIM_DEFAULT : (size_t)s->dim;
    p2p_status st;

    self->flags |= P2P_PROBLEM_ZERO;
    if (self->data != NULL) {
        if ((st = check_rows(self, s->dim)) != P2P_OK)
            return st;
        dim = row_width(self->data);
    }
    return p2pi_problem_layer(self, "x", dim, 1, 0);
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

/* The node's row; else standard normals: round 0 of the node's start stream. */
static void
consensus_start(p2p_problem *self, double *x)
{
    p2p_random r = p2p_random_open(self->seed, (uint32_t)self->node, 0, P2P_STREAM_INIT);
    const p2pi_pick own = { NULL, 0, 1 };
    const double once = 1;

    if (self->data != NULL) {
        memset(x, 0, self->dim * sizeof *x);
        x[0] = self->data->labels[0];
        p2pi_rows_add(&self->data->rows, own, &once, x + 1);
        return;
    }
    p2p_random_normal(&r, self->dim, x);
}

static const p2p_option consensus_options[] = {
    { "dim", P2P_OPT_INT, "auto", "1", "1e9", "dimension; auto: that of the data, 20 without",
      offsetof(consensus, dim) },
    { NULL, P2P_OPT_TEXT, NULL, NULL, NULL, NULL, 0 },
};
const p2pi_problem_vt p2pi_problem_consensus = {
    .size = sizeof(p2pi_problem_vt),
    .entry = { "consensus", "f = 0: agree on the mean of random starting points, or of the rows of a file",
               "DeGroot, JASA 1974", consensus_options, sizeof(consensus) },
    .traits = P2PI_PROBLEM_VALUES,
    .state_size = sizeof(consensus),
    .open = consensus_open,
    .value = consensus_value,
    .grad = consensus_grad,
    .constants = consensus_constants,
    .start = consensus_start,
};
