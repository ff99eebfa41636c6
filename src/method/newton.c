/*
 * Newton-type methods with compressed Hessians: H_i, what the hub knows of worker i's Hessian X_i, follows it by a
 * map. The hub keeps H = mean H_i and takes, by `option`,
 *
 *     1    x <- x - [H]^-1 mean g_i        [H] has the eigenvalues of H, those below mu raised to it
 *     2    x <- x - (H + l I)^-1 mean g_i  l = mean of l_i = ||H_i - X_i||, a number that each worker sends
 *
 *     fednl         H_i <- H_i + a C(X_i - H_i), after the step
 *     newton-3pc    H_i <- H_i + C(X_i - H_i)
 *     newton-clag   the same, unless ||X_i - H_i||^2 <= zeta ||X_i - Y_i||^2, Y_i the Hessian of the round before
 *     newton-bag    H_i <- X_i as it is, with probability p by a coin that all toss alike; else nothing
 *     newton-cbag   newton-3pc with probability p, else nothing
 *
 * In round 0 Hessians are sent as they are. A symmetric matrix travels as its upper triangle, row by row, entries off
 * the diagonal times sqrt(2): the norm of that vector is the Frobenius norm, so that a compressor has the constants
 * that it has for vectors. A worker that is lost leaves its part in H.
 *
 * Sources: Safaryan, Islamov, Qian, Richtarik, "FedNL", ICML 2022, arXiv:2106.02969; Islamov, Qian, Hanzely,
 * Safaryan, Richtarik, TMLR 2023, arXiv:2206.03588.
 */
#include "base/symmetric.h"
#include "method/server.h"

#include <math.h>

enum { FEDNL, PLAIN, LAZY, BERNOULLI, BERNOULLI_COMPRESSED };
enum { DIM_MAX = 4096 };

/* ---- matrices as vectors */

static size_t
packed_dim(const p2p_method_context *m)
{
    return m->setting->dim * (m->setting->dim + 1) / 2;
}

static void
pack(size_t d, const double *matrix, p2p_vec packed)
{
    size_t at = 0;

    for (size_t i = 0; i < d; i++)
        for (size_t j = i; j < d; j++)
            p2p_vec_set(packed, at++, i == j ? matrix[i * d + j] : M_SQRT2 * matrix[i * d + j]);
}

static void
unpack(size_t d, p2p_view packed, double *matrix)
{
    size_t at = 0;

    for (size_t i = 0; i < d; i++)
        for (size_t j = i; j < d; j++) {
            const double entry = p2p_vec_get(packed, at++);

            matrix[i * d + j] = matrix[j * d + i] = i == j ? entry : M_SQRT1_2 * entry;
        }
}

/* ---- start. H is the hub's mean, own is H_i, y is Y_i; v, q are X_i and scratch, all packed. */

static unsigned
can_be_silent(const p2pi_server *self)
{
    return self->row->variant >= LAZY ? P2P_SLOT_SILENT : 0;
}

static p2p_status
packed_vectors(p2pi_server *self, p2p_method_context *m)
{
    const size_t packed = packed_dim(m);
    p2p_status st;

    if ((st = p2pi_exchange_vector_of(m->exchange, "H", packed, &self->H)) != P2P_OK ||
        (st = p2pi_exchange_vector_of(m->exchange, "own", packed, &self->own)) != P2P_OK ||
        (st = p2pi_exchange_vector_of(m->exchange, NULL, packed, &self->X)) != P2P_OK ||
        (st = p2pi_exchange_vector_of(m->exchange, NULL, packed, &self->Q)) != P2P_OK)
        return st;
    return self->row->variant == LAZY ? p2pi_exchange_vector_of(m->exchange, "y", packed, &self->y) : P2P_OK;
}

/* Doubles, whatever the type of vectors is: two matrices and two vectors. */
static p2p_status
take_work(p2pi_server *self, p2p_method_context *m)
{
    const size_t d = m->setting->dim, per = sizeof(double) / p2p_dtype_size(m->setting->type);
    p2p_vec room;
    p2p_status st = p2pi_exchange_vector_of(m->exchange, NULL, per * (2 * d * d + 2 * d), &room);

    self->work = room.data;
    return st;
}

static p2p_status
hessian_slots(p2pi_server *self, p2p_method_context *m)
{
    const size_t packed = packed_dim(m);
    const unsigned silent = can_be_silent(self);
    const char *spec = self->row->variant == BERNOULLI ? "identity" : p2pi_exchange_compressor_spec(m->exchange);
    p2p_status st;

    if ((st = p2p_method_slot(m, P2P_SLOT_RAW, &self->dense)) != P2P_OK ||
        (st = p2pi_exchange_slot_wide(m->exchange, silent, spec, 0, packed, &self->up)) != P2P_OK ||
        (st = p2pi_exchange_slot_wide(m->exchange, 0, "identity", 0, packed, &self->level[0])) != P2P_OK)
        return st;
    return p2pi_exchange_slot_wide(m->exchange, 0, "identity", 0, 1, &self->extra);
}

static p2p_status
check_problem(p2pi_server *self, p2p_method_context *m)
{
    if (m->setting->dim > DIM_MAX)
        return p2p_fail(P2P_ENOTSUP, "method \"%s\": dimension %zu: expected at most %d, for it keeps d x d matrices",
                        m->setting->method, m->setting->dim, DIM_MAX);
    if (self->p.option == 1 && !(self->p.mu > 0))
        return p2p_fail(P2P_EINVAL, "method \"%s\": option=1 needs mu above 0; give mu, or option=2",
                        m->setting->method);
    return p2p_problem_hessian(m->problem, p2p_view_of(m->x), self->work);
}

static p2p_status
hessian_start(p2pi_server *self, p2p_method_context *m)
{
    p2p_status st;

    self->p.step = 1;
    if ((st = take_work(self, m)) != P2P_OK || (st = check_problem(self, m)) != P2P_OK ||
        (st = packed_vectors(self, m)) != P2P_OK || (st = hessian_slots(self, m)) != P2P_OK)
        return st;
    if (self->row->variant == FEDNL)
        p2pi_if_auto(&self->p.a, 1 / (1 + (p2p_method_compressor(m)->traits & P2P_UNBIASED
                                               ? p2pi_omega(p2pi_exchange_slot_constants(m->exchange, self->up))
                                               : 0)));
    return p2p_method_scratch(m, &self->G);
}

/* ---- what a worker sends: its gradient, what its map says, and l_i */

static double
gain(const p2pi_server *self)
{
    return self->row->variant == FEDNL ? self->p.a : 1;
}

static int
says_nothing(const p2pi_server *self, const p2p_method_context *m)
{
    const p2p_view X = p2p_view_of(self->X);

    if (self->row->variant >= BERNOULLI)
        return !p2pi_exchange_hub_coin(m->exchange, 0, self->p.p);
    return self->row->variant == LAZY && pow(p2p_vec_distance(X, p2p_view_of(self->own)), 2) <=
                                             self->p.zeta * pow(p2p_vec_distance(X, p2p_view_of(self->y)), 2);
}

static p2p_status
send_hessian(p2pi_server *self, p2p_method_context *m)
{
    const p2p_view X = p2p_view_of(self->X);
    p2p_status st;

    if (m->round == 0) {
        p2p_vec_copy(self->own, X);
        return p2p_method_send(m, self->level[0], X, 1);
    }
    if (says_nothing(self, m)) {
        p2p_method_silent(m, self->up);
        return P2P_OK;
    }
    if (self->row->variant == BERNOULLI) {
        p2p_vec_copy(self->own, X);
        return p2p_method_send(m, self->up, X, 1);
    }
    p2p_vec_sub(self->Q, X, p2p_view_of(self->own));
    if ((st = p2p_method_send(m, self->up, p2p_view_of(self->Q), 1)) != P2P_OK ||
        (st = p2p_method_sent(m, self->up, self->Q)) != P2P_OK)
        return st;
    p2p_vec_axpy(self->own, gain(self), p2p_view_of(self->Q));
    return P2P_OK;
}

static p2p_status
send_distance(p2pi_server *self, p2p_method_context *m, double distance)
{
    const float single = (float)distance;
    const p2p_view one = { m->setting->type == P2P_F64 ? (const void *)&distance : &single, 1, m->setting->type };

    return self->p.option == 2 ? p2p_method_send(m, self->extra, one, 1) : P2P_OK;
}

static p2p_status
hessian_message(p2pi_server *self, p2p_method_context *m, p2p_view x)
{
    double before;
    p2p_status st;

    if ((st = p2p_problem_hessian(m->problem, x, self->work)) != P2P_OK ||
        (st = p2p_method_grad(m, m->round, x, self->g)) != P2P_OK ||
        (st = p2p_method_send(m, self->dense, p2p_view_of(self->g), 1)) != P2P_OK)
        return st;
    pack(m->setting->dim, self->work, self->X);
    before = m->round == 0 ? 0 : p2p_vec_distance(p2p_view_of(self->own), p2p_view_of(self->X));
    if ((st = send_hessian(self, m)) != P2P_OK)
        return st;
    if (self->row->variant == LAZY)
        p2p_vec_copy(self->y, p2p_view_of(self->X));
    return send_distance(
        self, m,
        self->row->variant == FEDNL ? before : p2p_vec_distance(p2p_view_of(self->own), p2p_view_of(self->X)));
}

/* ---- the hub: G becomes the Newton direction */

static p2p_status
follow(p2pi_server *self, p2p_method_context *m)
{
    p2p_status st;

    if (m->round == 0)
        return p2pi_server_mean(m, self->level[0], self->H);
    if (self->row->variant == BERNOULLI)
        return p2pi_exchange_hub_coin(m->exchange, 0, self->p.p) ? p2pi_server_mean(m, self->up, self->H) : P2P_OK;
    if ((st = p2pi_server_mean(m, self->up, self->Q)) == P2P_OK)
        p2p_vec_axpy(self->H, gain(self), p2p_view_of(self->Q));
    return st;
}

static p2p_status
solve(p2pi_server *self, p2p_method_context *m, double more)
{
    const size_t d = m->setting->dim;
    double *matrix = self->work, *vectors = matrix + d * d, *b = vectors + d * d;

    unpack(d, p2p_view_of(self->H), matrix);
    for (size_t i = 0; i < d; i++) {
        b[i] = p2p_vec_get(p2p_view_of(self->G), i);
        matrix[i * d + i] += more;
    }
    if (self->p.option == 1)
        p2pi_solve_clipped(d, matrix, self->p.mu, b, vectors, b + d);
    else if (!p2pi_solve_positive(d, matrix, b))
        return p2p_fail(P2P_EDIVERGED, "the mean Hessian is not positive definite: use option=1");
    for (size_t i = 0; i < d; i++)
        p2p_vec_set(self->G, i, b[i]);
    return P2P_OK;
}

static p2p_status
mean_distance(const p2pi_server *self, p2p_method_context *m, double *mean)
{
    double number = 0;
    p2p_vec one = { &number, 1, m->setting->type };
    p2p_status st = self->p.option == 2 ? p2pi_server_mean(m, self->extra, one) : P2P_OK;

    *mean = p2p_vec_get(p2p_view_of(one), 0);
    return st;
}

static p2p_status
hessian_estimate(p2pi_server *self, p2p_method_context *m)
{
    const int after = self->row->variant == FEDNL && m->round > 0;
    double more;
    p2p_status st;

    if (!p2pi_is_hub(m))
        return P2P_OK;
    if ((!after && (st = follow(self, m)) != P2P_OK) || (st = p2pi_server_mean(m, self->dense, self->G)) != P2P_OK ||
        (st = mean_distance(self, m, &more)) != P2P_OK || (st = solve(self, m, more)) != P2P_OK)
        return st;
    return after ? follow(self, m) : P2P_OK;
}

static const p2pi_estimator hessian = { hessian_start, hessian_message, hessian_estimate };

/* ---- rows */

/* There is no step. */
static double
choose_newton(p2pi_server_param *p, const p2p_setting *at, const p2p_compressor_constants *c)
{
    (void)c;
    p2pi_if_auto(&p->mu, at->convexity);
    return 1;
}

#define OPTION                                                                                                       \
    { "option",                                                                                                      \
      P2P_OPT_INT,                                                                                                   \
      "2",                                                                                                           \
      "1",                                                                                                           \
      "2",                                                                                                           \
      "1: eigenvalues at least mu; 2: the mean distance is added",                                                   \
      offsetof(p2pi_server_param, option) },                                                                         \
    {                                                                                                                \
        "mu", P2P_OPT_REAL, "auto", "0", NULL, "least eigenvalue of option 1", offsetof(p2pi_server_param, mu)       \
    }
#define P                                                                                                            \
    {                                                                                                                \
        "p", P2P_OPT_REAL, "0.5", "(0", "1", "probability that Hessians are sent", offsetof(p2pi_server_param, p)    \
    }

static const p2p_option fednl_options[] = { OPTION,
                                            { "a", P2P_OPT_REAL, "auto", "(0", "1", "how far Hessians follow",
                                              offsetof(p2pi_server_param, a) },
                                            P2PI_SERVER_END };
static const p2p_option newton_options[] = { OPTION, P2PI_SERVER_END };
static const p2p_option lazy_options[] = { OPTION,
                                           { "zeta", P2P_OPT_REAL, "1", "0", NULL, "how lazy workers are",
                                             offsetof(p2pi_server_param, zeta) },
                                           P2PI_SERVER_END };
static const p2p_option bernoulli_options[] = { OPTION, P, P2PI_SERVER_END };

#define ROW(id, name, help, source, options, traits, class, wanted, variant)                                         \
    P2PI_SERVER_ROW(id, name, help, source, options, traits, &hessian, &p2pi_link_dense, class, wanted,              \
                    choose_newton, variant)

ROW(fednl, "fednl", "hessian learnt after the step, newton, dense down: superlinear, whatever kappa is",
    "arXiv:2106.02969", fednl_options, 0, P2P_UNBIASED | P2P_CONTRACTIVE, "unbiased or contractive", FEDNL);
ROW(newton_3pc, "newton-3pc", "hessian by three-point ef21, newton, dense down: superlinear, whatever kappa is",
    "arXiv:2206.03588", newton_options, 0, P2P_CONTRACTIVE, "contractive", PLAIN);
ROW(newton_clag, "newton-clag", "hessian by three-point clag, newton, dense down", "arXiv:2206.03588", lazy_options,
    0, P2P_CONTRACTIVE, "contractive", LAZY);
ROW(newton_bag, "newton-bag", "hessian by a coin, newton, dense down: nothing is compressed but rounds",
    "arXiv:2206.03588", bernoulli_options, P2P_METHOD_RAW, 0, "", BERNOULLI);
ROW(newton_cbag, "newton-cbag", "hessian by a coin and compressed, newton, dense down", "arXiv:2206.03588",
    bernoulli_options, 0, P2P_CONTRACTIVE, "contractive", BERNOULLI_COMPRESSED);
