/*
 * DASHA: the hub's estimate G follows compressed moves of what each worker has learnt of its gradient, h_i.
 *
 *     round 0:  h_i = own_i = g_i(x), sent as it is;  G = mean
 *     later:    h' by the variant;  m_i = C(h' - h_i - a (own_i - h_i)), sent;  h_i <- h';  own_i <- own_i + m_i
 *               G <- G + mean m_i
 *
 *     dasha           h' = g_i(x)
 *     dasha-page      with probability p, by a coin that all toss alike: g_i(x); else h_i + b_i(x) - b_i(x')
 *     dasha-mvr       h' = b_i(x) + (1 - b) (h_i - b_i(x'))
 *     dasha-sync-mvr  with probability p: over `big` rows, h' = own_i = that, sent as it is, G = mean; else as page
 *
 * b_i is the gradient over a batch, one draw for both points; x' the model of the round before. Only dasha-sync-mvr
 * has rounds in which all must meet. A worker that is lost leaves its part in G.
 *
 * Source: Tyurin, Richtarik, "DASHA: distributed nonconvex optimization with communication compression, optimal
 * oracle complexity, and no client synchronization", ICLR 2023, arXiv:2202.01268.
 */
#include "method/server.h"

#include <math.h>

enum { GRAD, PAGE, MVR, SYNC };

static p2p_status
moments_start(p2pi_server *self, p2p_method_context *m)
{
    p2p_status st;

    if (self->row->variant == SYNC && p2p_problem_samples(m->problem) == 0)
        return p2p_fail(P2P_ENOTSUP, "method \"%s\" needs a problem with rows: use dasha", m->setting->method);
    if (self->row->variant == SYNC && (st = p2pi_reserve_samples(m, (size_t)self->p.big)) != P2P_OK)
        return st;
    if ((st = p2p_method_slot(m, P2P_SLOT_COMPRESSED, &self->up)) != P2P_OK ||
        (st = p2p_method_slot(m, P2P_SLOT_RAW, &self->dense)) != P2P_OK ||
        (st = p2p_method_vector(m, "G", &self->G)) != P2P_OK ||
        (st = p2p_method_vector(m, "own", &self->own)) != P2P_OK ||
        (st = p2p_method_vector(m, "h", &self->y)) != P2P_OK)
        return st;
    return self->row->variant == GRAD ? P2P_OK : p2p_method_vector(m, "before", &self->before);
}

static int
is_dense(const p2pi_server *self, const p2p_method_context *m)
{
    return m->round == 0 || (self->row->variant == SYNC && p2pi_exchange_hub_coin(m->exchange, 0, self->p.p));
}

/* v = a h_i + b_i(x) - a b_i(x') */
static p2p_status
by_batch(p2pi_server *self, p2p_method_context *m, p2p_view x, double a)
{
    p2p_status st;

    if ((st = p2p_method_grad(m, m->round, x, self->v)) != P2P_OK ||
        (st = p2p_method_grad(m, m->round, p2p_view_of(self->before), self->g)) != P2P_OK)
        return st;
    p2p_vec_combine3(self->v, 1, p2p_view_of(self->v), -a, p2p_view_of(self->g), a, p2p_view_of(self->y));
    return P2P_OK;
}

/* v = h' */
static p2p_status
learn(p2pi_server *self, p2p_method_context *m, p2p_view x)
{
    const int variant = self->row->variant;

    if (m->round == 0 || variant == GRAD)
        return m->round == 0 ? p2pi_grad_full(m, x, self->v) : p2p_method_grad(m, m->round, x, self->v);
    if (is_dense(self, m))
        return p2pi_grad_samples(m, (size_t)self->p.big, m->round, x, self->v);
    if (variant == PAGE && p2pi_exchange_hub_coin(m->exchange, 0, self->p.p))
        return p2pi_grad_full(m, x, self->v);
    return by_batch(self, m, x, variant == MVR ? 1 - self->p.b : 1);
}

static p2p_status
moments_message(p2pi_server *self, p2p_method_context *m, p2p_view x)
{
    p2p_status st = learn(self, m, x);

    if (st != P2P_OK)
        return st;
    if (self->row->variant != GRAD)
        p2p_vec_copy(self->before, x);
    if (is_dense(self, m)) {
        p2p_vec_copy(self->y, p2p_view_of(self->v));
        p2p_vec_copy(self->own, p2p_view_of(self->v));
        return p2p_method_send(m, self->dense, p2p_view_of(self->v), 1);
    }
    p2p_vec_sub(self->g, p2p_view_of(self->own), p2p_view_of(self->y));
    p2p_vec_combine3(self->g, 1, p2p_view_of(self->v), -1, p2p_view_of(self->y), -self->p.a, p2p_view_of(self->g));
    p2p_vec_copy(self->y, p2p_view_of(self->v));
    return p2p_method_send(m, self->up, p2p_view_of(self->g), 1);
}

static p2p_status
moments_estimate(p2pi_server *self, p2p_method_context *m)
{
    p2p_status st;

    if (is_dense(self, m))
        return p2pi_is_hub(m) ? p2pi_server_mean(m, self->dense, self->G) : P2P_OK;
    if ((st = p2p_method_sent(m, self->up, self->q)) != P2P_OK)
        return st;
    p2p_vec_axpy(self->own, 1, p2p_view_of(self->q));
    if (!p2pi_is_hub(m) || (st = p2pi_server_mean(m, self->up, self->q)) != P2P_OK)
        return st;
    p2p_vec_axpy(self->G, 1, p2p_view_of(self->q));
    return P2P_OK;
}

static const p2pi_estimator moments = { moments_start, moments_message, moments_estimate };

/* ---- rows; the rows' constants are taken to be those of the nodes, for a batch of one */

static double
with_convexity(double factor, const p2pi_server_param *p, const p2p_setting *at)
{
    return at->convexity > 0 ? fmin(factor, p->a * at->smoothness / (2 * at->convexity)) : factor;
}

/* a, and omega (2 omega + 1) / n */
static double
choose_a(p2pi_server_param *p, const p2p_setting *at, const p2p_compressor_constants *c)
{
    const double omega = p2pi_omega(c);

    p2pi_if_auto(&p->a, 1 / (2 * omega + 1));
    return omega * (2 * omega + 1) / (double)at->nodes;
}

static double
choose_dasha(p2pi_server_param *p, const p2p_setting *at, const p2p_compressor_constants *c)
{
    return with_convexity(1 / (1 + sqrt(40 * choose_a(p, at, c))), p, at);
}

static double
choose_page(p2pi_server_param *p, const p2p_setting *at, const p2p_compressor_constants *c)
{
    const double k = choose_a(p, at, c);

    p2pi_if_auto(&p->p, 0.1);
    return with_convexity(1 / (1 + sqrt(48 * k * (2 - p->p) + 2 * (1 - p->p) / (p->p * (double)at->nodes))), p, at);
}

static double
choose_mvr(p2pi_server_param *p, const p2p_setting *at, const p2p_compressor_constants *c)
{
    const double k = choose_a(p, at, c), rest = (1 - p->b) * (1 - p->b);

    return with_convexity(1 / (1 + sqrt(96 * k * (rest + 1) + 4 * rest / (p->b * (double)at->nodes))), p, at);
}

static double
choose_sync(p2pi_server_param *p, const p2p_setting *at, const p2p_compressor_constants *c)
{
    const double k = choose_a(p, at, c);

    p2pi_if_auto(&p->p, fmin(p2pi_payload_share(at, c), 0.25));
    return with_convexity(1 / (1 + sqrt(24 * k * (1 - p->p) + (1 - p->p) / ((double)at->nodes * p->p))), p, at);
}

#define A                                                                                                            \
    {                                                                                                                \
        "a", P2P_OPT_REAL, "auto", "(0", "1", "how fast the hub's part is pulled to what was learnt",                \
            offsetof(p2pi_server_param, a)                                                                           \
    }
#define P(help)                                                                                                      \
    {                                                                                                                \
        "p", P2P_OPT_REAL, "auto", "(0", "1", help, offsetof(p2pi_server_param, p)                                   \
    }

static const p2p_option dasha_options[] = { P2PI_SERVER_STEP, A, P2PI_SERVER_DOWN_MODE, P2PI_SERVER_END };
static const p2p_option page_options[] = { P2PI_SERVER_STEP, A, P("probability of a full gradient"),
                                           P2PI_SERVER_DOWN_MODE, P2PI_SERVER_END };
static const p2p_option mvr_options[] = { P2PI_SERVER_STEP,
                                          A,
                                          { "b", P2P_OPT_REAL, "0.1", "(0", "1", "weight of a new batch",
                                            offsetof(p2pi_server_param, b) },
                                          P2PI_SERVER_DOWN_MODE,
                                          P2PI_SERVER_END };
static const p2p_option sync_options[] = { P2PI_SERVER_STEP,
                                           A,
                                           P("probability of a round without compression"),
                                           { "big", P2P_OPT_INT, "64", "1", "1000000", "rows in such a round",
                                             offsetof(p2pi_server_param, big) },
                                           P2PI_SERVER_DOWN_MODE,
                                           P2PI_SERVER_END };

#define ROW(id, name, help, options, traits, choose, variant)                                                        \
    P2PI_SERVER_ROW(id, name, help, "arXiv:2202.01268", options, traits, &moments, &p2pi_link_dense, P2P_UNBIASED,   \
                    "unbiased; use 3pcv2 or ef21", choose, variant)

ROW(dasha, "dasha", "momentum difference, sgd, dense down: no round in which all must meet; exact", dasha_options,
    P2P_METHOD_EXACT, choose_dasha, GRAD);
ROW(dasha_page, "dasha-page", "momentum difference over a batch, a full gradient with probability p; exact",
    page_options, P2P_METHOD_EXACT, choose_page, PAGE);
ROW(dasha_mvr, "dasha-mvr", "momentum difference over batches alone; down to a noise floor", mvr_options, 0,
    choose_mvr, MVR);
ROW(dasha_sync_mvr, "dasha-sync-mvr", "momentum difference over batches, large ones with probability p", sync_options,
    0, choose_sync, SYNC);
