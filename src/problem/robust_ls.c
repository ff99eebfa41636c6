/*
 * Least squares against an adversary who moves the labels, at a price:
 *
 *     min over x, max over y:  f_i = |A_i x - y_i|^2 / (2 m_i) - rho |y_i - b_i|^2 / (2 m_i),  rho > 1
 *
 * y has an entry for each row of the whole set; node i owns the block y_i, and its operator is 0 elsewhere. The
 * adversary's best answer leaves rho / (rho - 1) times least squares, with the same x*.
 */
#include "problem/problems.h"

#include "base/fail.h"
#include "base/lanczos.h"

#include <math.h>
#include <string.h>

typedef struct {
    double rho;
    int64_t weights;
} robust_param;

typedef struct {
    robust_param param; /* first: options are parsed into it */
    double *product;    /* scratch for the derivative: twice p + m_i entries */
} robust;

static size_t
features_of(const p2p_problem *self)
{
    return self->data->rows.cols;
}

/* The node's block of y in a vector of all. */
static size_t
own_block(const p2p_problem *self)
{
    return features_of(self) + self->data->first;
}

static p2p_status
robust_open(p2p_problem *self)
{
    robust *s = self->state;
    p2p_status st;

    self->flags |= P2P_PROBLEM_GAME;
    p2pi_problem_weigh(self, s->param.weights);
    if ((st = p2pi_problem_layer(self, "x", features_of(self), 1, 0)) != P2P_OK ||
        (st = p2pi_problem_layer(self, "y", self->data->total, 1, P2P_LAYER_MAX)) != P2P_OK)
        return st;
    s->product = p2pi_arena_array(self->arena, 2 * (features_of(self) + self->samples), sizeof *s->product);
    return s->product != NULL ? P2P_OK : P2P_ENOMEM;
}

/* ---- sums over samples, a block of rows at a time */

typedef struct {
    p2pi_pick pick;
    double u[P2PI_BLOCK]; /* A x */
} block;

static size_t
count_of(const p2p_problem *self, const size_t *idx, size_t count)
{
    return idx != NULL ? count : self->samples;
}

static void
look(const p2p_problem *self, const double *x, const size_t *idx, size_t first, size_t count, block *out)
{
    const size_t most = p2pi_rows_block(&self->data->rows);

    out->pick = (p2pi_pick){ idx, first, count - first < most ? count - first : most };
    p2pi_rows_times(&self->data->rows, out->pick, x, out->u);
}

static double
robust_value(p2p_problem *self, const double *x, const size_t *idx, size_t count)
{
    const robust *s = self->state;
    const double *y = x + own_block(self), *b = self->data->labels;
    const size_t all = count_of(self, idx, count);
    double sum = 0;
    block at;

    for (size_t first = 0; first < all; first += at.pick.count) {
        look(self, x, idx, first, all, &at);
        for (size_t i = 0; i < at.pick.count; i++) {
            const size_t j = p2pi_pick_at(&at.pick, i);

            sum += (at.u[i] - y[j]) * (at.u[i] - y[j]) - s->param.rho * (y[j] - b[j]) * (y[j] - b[j]);
        }
    }
    return 0.5 * sum / (double)all;
}

static void
robust_grad(p2p_problem *self, const double *x, const size_t *idx, size_t count, double *g)
{
    const robust *s = self->state;
    const double *y = x + own_block(self), *b = self->data->labels;
    const size_t all = count_of(self, idx, count);
    const double share = 1 / (double)all;
    double *own = g + own_block(self);
    block at;

    memset(g, 0, self->dim * sizeof *g);
    for (size_t first = 0; first < all; first += at.pick.count) {
        look(self, x, idx, first, all, &at);
        for (size_t i = 0; i < at.pick.count; i++) {
            const size_t j = p2pi_pick_at(&at.pick, i);

            at.u[i] = share * (at.u[i] - y[j]);
            own[j] += at.u[i] + share * s->param.rho * (y[j] - b[j]);
        }
        p2pi_rows_add(&self->data->rows, at.pick, at.u, g);
    }
}

/* ---- the derivative: on x and the node's own block J = [A'A, -A'; A, (rho - 1) I] / m */

static void
multiply(const p2p_problem *self, int transposed, const double *v, double *h)
{
    const robust *s = self->state;
    const size_t p = features_of(self), all = self->samples;
    const double share = 1 / (double)all, sign = transposed ? -1 : 1;
    block at;

    memset(h, 0, p * sizeof *h);
    for (size_t first = 0; first < all; first += at.pick.count) {
        look(self, v, NULL, first, all, &at);
        for (size_t i = 0; i < at.pick.count; i++) {
            const double y = v[p + first + i];

            h[p + first + i] = share * (sign * at.u[i] + (s->param.rho - 1) * y);
            at.u[i] = share * (at.u[i] - sign * y);
        }
        p2pi_rows_add(&self->data->rows, at.pick, at.u, h);
    }
}

/* Place in a vector of all of entry i of x and the own block. */
static size_t
place_of(const p2p_problem *self, size_t i)
{
    const size_t p = features_of(self);

    return i < p ? i : own_block(self) + i - p;
}

static p2p_status
robust_hessian(p2p_problem *self, const double *x, double *h)
{
    const robust *s = self->state;
    const size_t n = features_of(self) + self->samples;
    double *unit = s->product, *column = unit + n;

    (void)x;
    memset(unit, 0, n * sizeof *unit);
    for (size_t k = 0; k < n; k++) {
        unit[k] = 1;
        multiply(self, 0, unit, column);
        unit[k] = 0;
        for (size_t i = 0; i < n; i++)
            h[place_of(self, i) * self->dim + place_of(self, k)] = column[i];
    }
    return P2P_OK;
}

static void
robust_hvp(p2p_problem *self, const double *x, const double *v, double *h)
{
    const robust *s = self->state;
    const size_t n = features_of(self) + self->samples;
    double *own = s->product, *product = own + n;

    (void)x;
    for (size_t i = 0; i < n; i++)
        own[i] = v[place_of(self, i)];
    multiply(self, 0, own, product);
    memset(h, 0, self->dim * sizeof *h);
    for (size_t i = 0; i < n; i++)
        h[place_of(self, i)] = product[i];
}

static void
square(void *user, const double *x, double *y)
{
    const p2p_problem *self = user;
    const robust *s = self->state;

    multiply(self, 0, x, s->product);
    multiply(self, 1, s->product, y);
}

/* Other nodes' blocks are free: the node's own operator is not strongly monotone. */
static p2p_status
robust_constants(p2p_problem *self, double *smoothness, double *convexity)
{
    double largest;
    p2p_status st = p2pi_lanczos_largest(features_of(self) + self->samples, square, self, 0, &largest);

    *smoothness = sqrt(largest);
    *convexity = 0;
    return st;
}

static const p2p_option robust_options[] = {
    { "rho", P2P_OPT_REAL, "4", "(1", NULL, "price of moving a label", offsetof(robust_param, rho) },
    P2PI_WEIGHTS_OPTION(robust_param, weights),
    { NULL, P2P_OPT_TEXT, NULL, NULL, NULL, NULL, 0 },
};
const p2pi_problem_vt p2pi_problem_robust_ls = {
    .size = sizeof(p2pi_problem_vt),
    .entry = { "robust-ls", "least squares against an adversary who moves the labels: a game",
               "El Ghaoui, Lebret, SIAM J. Matrix Anal. Appl. 18, 1997", robust_options, sizeof(robust_param) },
    .traits = P2PI_PROBLEM_DATA,
    .state_size = sizeof(robust),
    .open = robust_open,
    .value = robust_value,
    .grad = robust_grad,
    .hvp = robust_hvp,
    .hessian = robust_hessian,
    .constants = robust_constants,
};
