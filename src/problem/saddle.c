/*
 * Saddle points of quadratics, each node with numbers of its own:
 *
 *     min over u, max over v:  f_i = u'P u / 2 + u'B v - v'Q v / 2 - p'u + q'v,  P and Q diagonal
 *     F_i(u, v) = (P u + B v - p, -B'u + Q v - q)
 *
 * Members differ in the sizes of u and v and in what they draw. Uniform numbers are of the node's data stream: round 0
 * is for P, 1 for Q, 2 for B, 3 for p and 4 for q.
 */
#include "problem/problems.h"

#include "base/fail.h"
#include "base/lanczos.h"
#include "base/sum.h"

#include <p2popt/random.h>

#include <inttypes.h>
#include <math.h>
#include <string.h>

typedef struct {
    double mu, smoothness;
    int64_t dim, rows, cols, atmost;
    p2p_text set;
} saddle_param;

typedef struct {
    saddle_param param; /* first: options are parsed into it */
    size_t m, k;        /* entries of u and v */
    double *P, *Q;      /* NULL: zero */
    double *B;          /* m x k */
    double *p, *q;      /* NULL: zero */
    double *jacobian_x; /* scratch of the constants, m + k entries */
} saddle;

/* ---- the oracle */

static p2pi_rows
rows_of(const saddle *s)
{
    return (p2pi_rows){ .rows = s->m, .cols = s->k, .values = s->B };
}

static p2pi_pick
all_rows(const saddle *s)
{
    return (p2pi_pick){ NULL, 0, s->m };
}

/* y = M x, M the derivative of F; with transposed = 1 its transpose, which has B and -B' exchanged. */
static void
multiply(const saddle *s, int transposed, const double *x, double *y)
{
    const p2pi_rows B = rows_of(s);
    const double *u = x, *v = x + s->m;
    const double sign = transposed ? -1 : 1;

    p2pi_rows_times(&B, all_rows(s), v, y);
    memset(y + s->m, 0, s->k * sizeof *y);
    p2pi_rows_add(&B, all_rows(s), u, y + s->m);
    for (size_t i = 0; i < s->m; i++)
        y[i] = sign * y[i] + (s->P ? s->P[i] * u[i] : 0);
    for (size_t i = 0; i < s->k; i++)
        y[s->m + i] = -sign * y[s->m + i] + (s->Q ? s->Q[i] * v[i] : 0);
}

static void
saddle_grad(p2p_problem *self, const double *x, const size_t *idx, size_t count, double *g)
{
    const saddle *s = self->state;

    (void)idx, (void)count;
    multiply(s, 0, x, g);
    for (size_t i = 0; i < s->m && s->p != NULL; i++)
        g[i] -= s->p[i];
    for (size_t i = 0; i < s->k && s->q != NULL; i++)
        g[s->m + i] -= s->q[i];
}

static void
saddle_hvp(p2p_problem *self, const double *x, const double *v, double *h)
{
    (void)x;
    multiply(self->state, 0, v, h);
}

static double
form(size_t n, const double *diagonal, const double *linear, const double *x)
{
    double square = 0, product = 0;

    if (diagonal != NULL)
        P2PI_SUM(square, n, i, diagonal[i] * x[i] * x[i]);
    if (linear != NULL)
        P2PI_SUM(product, n, i, linear[i] * x[i]);
    return 0.5 * square - product;
}

static double
saddle_value(p2p_problem *self, const double *x, const size_t *idx, size_t count)
{
    const saddle *s = self->state;
    const double *v = x + s->m;
    double coupled = 0;

    (void)idx, (void)count;
    for (size_t i = 0; i < s->m; i++) {
        double inner;

        P2PI_SUM(inner, s->k, j, s->B[i * s->k + j] * v[j]);
        coupled += x[i] * inner;
    }
    return form(s->m, s->P, s->p, x) + coupled - form(s->k, s->Q, s->q, v);
}

static p2p_status
saddle_hessian(p2p_problem *self, const double *x, double *h)
{
    const saddle *s = self->state;
    const size_t d = s->m + s->k;

    (void)x;
    for (size_t i = 0; i < s->m; i++)
        for (size_t j = 0; j < s->k; j++) {
            h[i * d + s->m + j] = s->B[i * s->k + j];
            h[(s->m + j) * d + i] = -s->B[i * s->k + j];
        }
    for (size_t i = 0; i < s->m && s->P != NULL; i++)
        h[i * d + i] = s->P[i];
    for (size_t i = 0; i < s->k && s->Q != NULL; i++)
        h[(s->m + i) * d + s->m + i] = s->Q[i];
    return P2P_OK;
}

static void
square(void *user, const double *x, double *y)
{
    const saddle *s = user;

    multiply(s, 0, x, s->jacobian_x);
    multiply(s, 1, s->jacobian_x, y);
}

static double
least_of(size_t n, const double *diagonal, double least)
{
    for (size_t i = 0; i < n && diagonal != NULL; i++)
        least = fmin(least, diagonal[i]);
    return diagonal != NULL ? least : 0;
}

/* The largest singular value of M; the least entry of P and Q. */
static p2p_status
saddle_constants(p2p_problem *self, double *smoothness, double *convexity)
{
    saddle *s = self->state;
    double largest;
    p2p_status st = p2pi_lanczos_largest(self->dim, square, s, 0, &largest);

    *smoothness = sqrt(largest);
    *convexity = least_of(s->k, s->Q, least_of(s->m, s->P, INFINITY));
    return st;
}

/* ---- making */

/* n numbers low + (high - low) u. */
static p2p_status
draw(p2p_problem *self, uint32_t round, size_t n, double low, double high, double **out)
{
    p2p_random r = p2p_random_open(self->seed, (uint32_t)self->node, round, P2P_STREAM_DATA);

    if ((*out = p2pi_arena_array(self->arena, n, sizeof **out)) == NULL)
        return P2P_ENOMEM;
    p2p_random_uniform(&r, n, *out);
    for (size_t i = 0; i < n; i++)
        (*out)[i] = low + (high - low) * (*out)[i];
    return P2P_OK;
}

static p2p_status
make_layers(p2p_problem *self, size_t m, size_t k, const char *u, const char *v)
{
    saddle *s = self->state;
    size_t entries;
    p2p_status st;

    s->m = m;
    s->k = k;
    self->flags |= P2P_PROBLEM_GAME;
    if (__builtin_mul_overflow(m, k, &entries))
        return p2p_fail(P2P_EINVAL, "a matrix of %zu x %zu entries does not fit into memory", m, k);
    if ((st = p2pi_problem_layer(self, u, m, 1, 0)) != P2P_OK ||
        (st = p2pi_problem_layer(self, v, k, 1, P2P_LAYER_MAX)) != P2P_OK)
        return st;
    s->jacobian_x = p2pi_arena_array(self->arena, self->dim, sizeof *s->jacobian_x);
    return s->jacobian_x != NULL ? P2P_OK : P2P_ENOMEM;
}

static p2p_status
make_halves(p2p_problem *self)
{
    const saddle *s = self->state;

    if (s->param.dim % 2 != 0)
        return p2p_fail(P2P_EINVAL, "dim=%" PRId64 ": expected an even number, one half to minimise and one to maximise",
                        s->param.dim);
    return make_layers(self, (size_t)s->param.dim / 2, (size_t)s->param.dim / 2, "u", "v");
}

static p2p_status
check_mu(const saddle_param *p)
{
    if (p->mu > p->smoothness)
        return p2p_fail(P2P_EINVAL, "mu=%g, L=%g: expected mu of at most L", p->mu, p->smoothness);
    return P2P_OK;
}

/* P and Q of a tenth of the range, so that the coupling rules; p and q are the halves of one draw. */
static p2p_status
quadratic_game_open(p2p_problem *self)
{
    saddle *s = self->state;
    const double mu = s->param.mu, L = s->param.smoothness, most = mu + 0.1 * (L - mu);
    double size;
    p2p_status st;

    if ((st = check_mu(&s->param)) != P2P_OK || (st = make_halves(self)) != P2P_OK)
        return st;
    size = L / sqrt((double)s->m);
    if ((st = draw(self, 0, s->m, mu, most, &s->P)) != P2P_OK || (st = draw(self, 1, s->k, mu, most, &s->Q)) != P2P_OK ||
        (st = draw(self, 2, s->m * s->k, -size, size, &s->B)) != P2P_OK ||
        (st = draw(self, 3, s->m + s->k, -1, 1, &s->p)) != P2P_OK)
        return st;
    s->q = s->p + s->m;
    return p2pi_problem_set(self, s->param.set.s);
}

/* B is the identity and a random part that keeps it invertible. */
static p2p_status
bilinear_game_open(p2p_problem *self)
{
    saddle *s = self->state;
    double size;
    p2p_status st;

    if ((st = make_halves(self)) != P2P_OK)
        return st;
    size = 1 / (double)s->m;
    if ((st = draw(self, 2, s->m * s->k, -size, size, &s->B)) != P2P_OK ||
        (st = draw(self, 3, s->m, -1, 1, &s->p)) != P2P_OK || (st = draw(self, 4, s->k, -1, 1, &s->q)) != P2P_OK)
        return st;
    for (size_t i = 0; i < s->m; i++)
        s->B[i * s->k + i] += 1;
    return p2pi_problem_set(self, s->param.set.s);
}

static p2p_status
matrix_game_open(p2p_problem *self)
{
    saddle *s = self->state;
    p2p_status st;

    if ((st = make_layers(self, (size_t)s->param.rows, (size_t)s->param.cols, "u", "v")) != P2P_OK ||
        (st = draw(self, 2, s->m * s->k, -1, 1, &s->B)) != P2P_OK)
        return st;
    return p2pi_problem_set(self, "simplex|simplex");
}

/* u is x, v the multipliers of A x = b: B = A', q = -b. */
static p2p_status
lagrangian_open(p2p_problem *self)
{
    saddle *s = self->state;
    const double size = s->param.smoothness / sqrt((double)s->param.dim);
    p2p_status st;

    if ((st = check_mu(&s->param)) != P2P_OK)
        return st;
    if (s->param.rows > s->param.dim)
        return p2p_fail(P2P_EINVAL, "constraints=%" PRId64 ": expected at most dim = %" PRId64, s->param.rows,
                        s->param.dim);
    if ((st = make_layers(self, (size_t)s->param.dim, (size_t)s->param.rows, "x", "multipliers")) != P2P_OK ||
        (st = draw(self, 0, s->m, s->param.mu, s->param.smoothness, &s->P)) != P2P_OK ||
        (st = draw(self, 2, s->m * s->k, -size, size, &s->B)) != P2P_OK ||
        (st = draw(self, 3, s->m, -1, 1, &s->p)) != P2P_OK || (st = draw(self, 4, s->k, -1, 1, &s->q)) != P2P_OK)
        return st;
    return p2pi_problem_set(self, s->param.atmost ? "none|orthant" : "none");
}

/* ---- the members */

#define MU(help) { "mu", P2P_OPT_REAL, "1", "(0", NULL, help, offsetof(saddle_param, mu) }
#define LARGE(help) { "L", P2P_OPT_REAL, "10", "(0", NULL, help, offsetof(saddle_param, smoothness) }
#define DIM(help) { "dim", P2P_OPT_INT, "20", "1", "1e9", help, offsetof(saddle_param, dim) }
#define SET { "set", P2P_OPT_TEXT, "none", NULL, NULL, P2PI_DOMAIN_HELP, offsetof(saddle_param, set) }
#define END                                                                                                          \
    {                                                                                                                \
        NULL, P2P_OPT_TEXT, NULL, NULL, NULL, NULL, 0                                                                \
    }

static const p2p_option quadratic_game_options[] = { MU("least entry of P and Q"), LARGE("size of B"),
                                                     DIM("entries of u and v together, an even number"), SET, END };
static const p2p_option bilinear_game_options[] = { DIM("entries of u and v together, an even number"), SET, END };
static const p2p_option matrix_game_options[] = {
    { "rows", P2P_OPT_INT, "10", "1", "1e9", "moves of the player who pays", offsetof(saddle_param, rows) },
    { "cols", P2P_OPT_INT, "10", "1", "1e9", "moves of the player who gets", offsetof(saddle_param, cols) },
    END
};
static const p2p_option lagrangian_options[] = {
    MU("least entry of D"), LARGE("bound of the entries of D"), DIM("entries of x"),
    { "constraints", P2P_OPT_INT, "5", "1", "1e9", "number of constraints", offsetof(saddle_param, rows) },
    { "kind", P2P_OPT_CHOICE, "equal", "equal|atmost", NULL, "A x = b, or A x <= b", offsetof(saddle_param, atmost) },
    END
};

#define MEMBER(id, name, help, source)                                                                               \
    const p2pi_problem_vt p2pi_problem_##id = { .size = sizeof(p2pi_problem_vt),                                     \
                                                .entry = { name, help, source, id##_options, sizeof(saddle_param) }, \
                                                .state_size = sizeof(saddle),                                        \
                                                .open = id##_open,                                                   \
                                                .value = saddle_value,                                               \
                                                .grad = saddle_grad,                                                 \
                                                .hvp = saddle_hvp,                                                   \
                                                .hessian = saddle_hessian,                                           \
                                                .constants = saddle_constants }

MEMBER(quadratic_game, "quadratic-game", "strongly monotone game: quadratic in u and in v, drawn for each node",
       "Facchinei, Pang, Finite-dimensional variational inequalities, 2003");
MEMBER(bilinear_game, "bilinear-game", "u'B v - p'u + q'v, drawn for each node: plain gradient steps diverge",
       "Mescheder, Geiger, Nowozin, ICML 2018, arXiv:1801.04406");
MEMBER(matrix_game, "matrix-game", "u'A v on simplices: two players with mixed strategies, payoffs drawn for each node",
       "von Neumann, Math. Annalen 100, 1928");
MEMBER(lagrangian, "lagrangian", "minimise x'D x / 2 - p'x where A x = b: x and the multipliers, drawn for each node",
       "Arrow, Hurwicz, Uzawa, Studies in linear and non-linear programming, 1958");
