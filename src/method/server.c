/*
 * Server-style methods: estimator x step x down link, a row each.
 *
 *     worker i    m_i = C(v_i), v_i as the estimator says of g = grad f_i(x)     stage 0, up
 *     hub         G from the m_i;  x <- x - step G
 *     hub         x                                                            stage 1, down, dense
 *
 *     estimator         v_i             then                     G
 *     plain             g                                        mean m_i
 *     ef                e_i + g         e_i <- v_i - m_i         mean m_i
 *     shift(lam, nu)    g - h_i         h_i <- h_i + lam m_i     mean (h_i before + nu m_i)
 *
 * On a star node 0 is the hub, and worker 0. On a complete graph every node hears all messages and repeats the hub's
 * step with the same operations in the same order; nothing goes down. The hub keeps each h_i, so that the mean is
 * over those that are there. A worker that is lost is left out; without the hub there is no step.
 *
 * Sources: Stich, arXiv:2009.02388 (dqsgd, ef-sgd); Beznosikov et al., arXiv:2002.12410 (dcgd); Mishchenko et al.,
 * arXiv:1901.09269 (diana); Richtarik et al., arXiv:2106.05203 (ef21); Condat et al., arXiv:2205.04180 (ef-bv).
 */
#include "exchange/exchange.h"
#include "method/automatic.h"

#include <math.h>

enum { UP, DOWN };

typedef enum { PLAIN, FEEDBACK, SHIFT } estimator;

typedef struct {
    double step, lam, nu;
} server_param;

typedef struct server_row server_row;

typedef struct {
    server_param p;
    const server_row *row;
    size_t up, down;
    p2p_vec v, q;    /* what is compressed, and what became of it */
    p2p_vec mean;    /* G */
    p2p_vec e;       /* FEEDBACK */
    p2p_estimate *h; /* SHIFT */
} server;

/* A row: its estimator, the class of compressor it takes (0: any), and its automatic parameters. */
struct server_row {
    estimator estimator;
    unsigned class;
    const char *wanted; /* the class in words */
    /** Replace the automatic lam and nu; the factor of step = factor / L. */
    double (*choose)(server_param *p, const p2p_setting *at, const p2p_compressor_constants *c);
};

/* ---- start */

static double
omega_of(const p2p_compressor_constants *c)
{
    return c->traits & P2P_LOSSLESS ? 0 : c->omega;
}

static double
delta_of(const p2p_compressor_constants *c)
{
    return c->traits & P2P_LOSSLESS ? 1 : c->delta;
}

static void
if_auto(double *value, double chosen)
{
    if (p2p_is_auto(*value))
        *value = chosen;
}

static double
choose_gd(server_param *p, const p2p_setting *at, const p2p_compressor_constants *c)
{
    (void)p;
    (void)at;
    (void)c;
    return 1;
}

static double
choose_dqsgd(server_param *p, const p2p_setting *at, const p2p_compressor_constants *c)
{
    (void)p;
    return 1 / (1 + 2 * omega_of(c) / (double)at->nodes);
}

static double
choose_ef(server_param *p, const p2p_setting *at, const p2p_compressor_constants *c)
{
    (void)p;
    (void)at;
    return delta_of(c) / 10;
}

static double
choose_diana(server_param *p, const p2p_setting *at, const p2p_compressor_constants *c)
{
    if_auto(&p->lam, 1 / (1 + omega_of(c)));
    if_auto(&p->nu, 1);
    return 1 / (1 + 6 * omega_of(c) / (double)at->nodes);
}

static double
choose_ef21(server_param *p, const p2p_setting *at, const p2p_compressor_constants *c)
{
    const double theta = 1 - sqrt(1 - delta_of(c)), beta = (1 - delta_of(c)) / theta;
    double factor = 1 / (1 + sqrt(2 * beta / theta));

    if_auto(&p->lam, 1);
    if_auto(&p->nu, 1);
    if (at->convexity > 0)
        factor = fmin(factor, theta * at->smoothness / (2 * at->convexity));
    return factor;
}

/* Bias eta and variance omega of the compressor; the mean of n independent ones has variance omega / n. */
static double
choose_ef_bv(server_param *p, const p2p_setting *at, const p2p_compressor_constants *c)
{
    const int unbiased = (c->traits & (P2P_UNBIASED | P2P_LOSSLESS)) != 0;
    const double eta = unbiased ? 0 : sqrt(1 - c->delta), omega = unbiased ? omega_of(c) : 0;
    const double bias = (1 - eta) * (1 - eta), mean = omega / (double)at->nodes;
    double r, r_mean, s;

    if_auto(&p->lam, fmin(1, (1 - eta) / (bias + omega)));
    if_auto(&p->nu, fmin(1, (1 - eta) / (bias + mean)));
    r = (1 - p->lam + p->lam * eta) * (1 - p->lam + p->lam * eta) + p->lam * p->lam * omega;
    r_mean = (1 - p->nu + p->nu * eta) * (1 - p->nu + p->nu * eta) + p->nu * p->nu * mean;
    if (!(r > 0))
        return 1;
    s = sqrt((1 + r) / (2 * r)) - 1;
    return 1 / (1 + sqrt(r_mean / r) / s);
}

static p2p_status
check(const server *self, const p2p_method_context *m)
{
    const p2p_compressor_constants *c = p2p_method_compressor(m);
    const unsigned class = self->row->class;

    if (p2pi_exchange_pattern(m->exchange) != P2PI_PATTERN_HUB &&
        p2pi_exchange_pattern(m->exchange) != P2PI_PATTERN_REPLICATED)
        return p2p_fail(P2P_ENOTSUP,
                        "method \"%s\" needs a hub: use topology star, or complete, where every node repeats the "
                        "hub's step",
                        m->setting->method);
    if (class != 0 && !(c->traits & (class | P2P_LOSSLESS)))
        return p2p_fail(P2P_ENOTSUP, "method \"%s\": compressor \"%s\" is not %s", m->setting->method,
                        p2pi_exchange_compressor_spec(m->exchange), self->row->wanted);
    return P2P_OK;
}

static p2p_status
server_start(server *self, p2p_method_context *m, const server_row *row)
{
    const p2p_compressor_constants *c = p2p_method_compressor(m);
    double factor;
    p2p_status st;

    self->row = row;
    if ((st = check(self, m)) != P2P_OK)
        return st;
    if (row->class == 0 && !(c->traits & (P2P_UNBIASED | P2P_LOSSLESS)) && m->setting->nodes > 1)
        p2p_method_warn(m, "method \"%s\": with a biased compressor and several nodes it may diverge; use ef21",
                        m->setting->method);
    factor = row->choose(&self->p, m->setting, c);
    if (p2p_is_auto(self->p.step) && !(factor > 0))
        return p2p_fail(P2P_EINVAL, "method \"%s\": step=auto: the compressor has no known constants; give a step",
                        m->setting->method);
    if ((st = p2pi_auto_step(m, factor, 2, &self->p.step)) != P2P_OK ||
        (st = p2p_method_slot(m, P2P_SLOT_COMPRESSED, &self->up)) != P2P_OK ||
        (st = p2p_method_slot(m, P2P_SLOT_RAW, &self->down)) != P2P_OK ||
        (st = p2p_method_scratch(m, &self->v)) != P2P_OK || (st = p2p_method_scratch(m, &self->q)) != P2P_OK ||
        (st = p2p_method_scratch(m, &self->mean)) != P2P_OK)
        return st;
    if (row->estimator == FEEDBACK)
        return p2p_method_vector(m, "e", &self->e);
    return row->estimator == SHIFT ? p2p_method_estimate(m, "h", &self->h) : P2P_OK;
}

/* ---- the hooks */

static int
has_hub(const p2p_method_context *m)
{
    return p2pi_exchange_pattern(m->exchange) == P2PI_PATTERN_HUB;
}

static int
steps(const p2p_method_context *m)
{
    return !has_hub(m) || m->setting->rank == 0;
}

static p2p_status
worker_message(server *self, p2p_method_context *m)
{
    p2p_status st = p2p_method_grad(m, m->round, p2p_view_of(m->x), self->v);

    if (st != P2P_OK)
        return st;
    if (has_hub(m))
        p2pi_exchange_direct(m->exchange, P2PI_TO_HUB);
    if (self->row->estimator == SHIFT)
        return p2p_method_send_innovation(m, self->up, self->h, p2p_view_of(self->v), 1);
    if (self->row->estimator == FEEDBACK)
        p2p_vec_axpy(self->v, 1, p2p_view_of(self->e));
    return p2p_method_send(m, self->up, p2p_view_of(self->v), 1);
}

/* What this node owes after its message. */
static p2p_status
remember(server *self, p2p_method_context *m)
{
    p2p_status st;

    if (self->row->estimator != FEEDBACK)
        return P2P_OK;
    if ((st = p2p_method_sent(m, self->up, self->q)) == P2P_OK)
        p2p_vec_sub(self->e, p2p_view_of(self->v), p2p_view_of(self->q));
    return st;
}

/* G over the workers that were heard; the shifts move behind it. */
static p2p_status
server_combine(server *self, p2p_method_context *m)
{
    size_t count;
    p2p_status st;

    if ((st = p2pi_exchange_sum(m->exchange, self->up, self->mean, &count)) != P2P_OK)
        return st;
    if (self->row->estimator == SHIFT) {
        p2pi_exchange_estimate_sum(m->exchange, self->h, self->q);
        p2p_vec_axpby(self->mean, 1, p2p_view_of(self->q), self->p.nu);
    }
    p2p_vec_scale(self->mean, 1 / (double)count);
    p2p_vec_axpy(m->x, -self->p.step, p2p_view_of(self->mean));
    return P2P_OK;
}

static p2p_status
server_message(server *self, p2p_method_context *m)
{
    if (!has_hub(m))
        return P2P_OK;
    p2pi_exchange_direct(m->exchange, P2PI_FROM_HUB);
    if (m->setting->rank == 0)
        return p2p_method_send(m, self->down, p2p_view_of(m->x), 1);
    p2pi_exchange_hold(m->exchange, self->down);
    return P2P_OK;
}

static p2p_status
worker_apply(server *self, p2p_method_context *m)
{
    if (!has_hub(m) || m->setting->rank == 0)
        return P2P_OK;
    return p2pi_exchange_take_from_hub(m->exchange, self->down, m->x);
}

static p2p_status
server_emit(void *instance, p2p_method_context *m, size_t stage)
{
    return stage == UP ? worker_message(instance, m) : server_message(instance, m);
}

static p2p_status
server_absorb(void *instance, p2p_method_context *m, size_t stage)
{
    server *self = instance;
    p2p_status st;

    if (stage == DOWN)
        return worker_apply(self, m);
    if ((st = remember(self, m)) != P2P_OK || (steps(m) && (st = server_combine(self, m)) != P2P_OK))
        return st;
    return self->row->estimator == SHIFT ? p2p_estimate_update(m, self->h, self->up, self->p.lam) : P2P_OK;
}

/* ---- the rows */

#define STEP { "step", P2P_OPT_REAL, "auto", "(0", NULL, "step size", offsetof(server_param, step) }
#define END                                                                                                          \
    {                                                                                                                \
        NULL, P2P_OPT_TEXT, NULL, NULL, NULL, NULL, 0                                                                \
    }

static const p2p_option plain_options[] = { STEP, END };
static const p2p_option shift_options[] = {
    STEP,
    { "lam", P2P_OPT_REAL, "auto", "(0", "1", "how far the shifts follow", offsetof(server_param, lam) },
    { "nu", P2P_OPT_REAL, "auto", "(0", "1", "weight of the messages in the estimate", offsetof(server_param, nu) },
    END
};

#define ROW(id, name, help, source, options, traits_, ...)                                                           \
    static p2p_status id##_start(void *instance, p2p_method_context *m)                                              \
    {                                                                                                                \
        static const server_row row = { __VA_ARGS__ };                                                               \
                                                                                                                     \
        return server_start(instance, m, &row);                                                                      \
    }                                                                                                                \
    const p2p_method_vt p2pi_method_##id = { .size = sizeof(p2p_method_vt),                                          \
                                             .entry = { name, help, source, options, sizeof(server_param) },         \
                                             .traits = traits_,                                                      \
                                             .instance_size = sizeof(server),                                        \
                                             .stages = 2,                                                            \
                                             .start = id##_start,                                                    \
                                             .emit = server_emit,                                                    \
                                             .absorb = server_absorb }

ROW(gd, "gd", "plain, sgd, dense down: gradient descent over a hub", "Cauchy 1847", plain_options,
    P2P_METHOD_RAW | P2P_METHOD_EXACT, PLAIN, 0, "", choose_gd);
ROW(dqsgd, "dqsgd", "plain, sgd, dense down: unbiased compressed gradients; down to a noise floor", "arXiv:2009.02388",
    plain_options, 0, PLAIN, P2P_UNBIASED, "unbiased; use ef21 or ef-bv", choose_dqsgd);
ROW(dcgd, "dcgd", "plain, sgd, dense down: gradients under any compressor; may diverge with a biased one",
    "arXiv:2002.12410", plain_options, 0, PLAIN, 0, "", choose_gd);
ROW(ef_sgd, "ef-sgd", "ef, sgd, dense down: what a message lost is added to the next", "arXiv:2009.02388",
    plain_options, 0, FEEDBACK, P2P_CONTRACTIVE, "contractive; use diana, or scaled() of it", choose_ef);
ROW(diana, "diana", "shift(1/(1+omega),1), sgd, dense down: unbiased gradient differences; exact", "arXiv:1901.09269",
    shift_options, P2P_METHOD_EXACT, SHIFT, P2P_UNBIASED, "unbiased; use ef21 or ef-bv", choose_diana);
ROW(ef21, "ef21", "shift(1,1), sgd, dense down: contractive gradient differences; exact", "arXiv:2106.05203",
    shift_options, P2P_METHOD_EXACT, SHIFT, P2P_CONTRACTIVE, "contractive; use diana, or scaled() of it",
    choose_ef21);
ROW(ef_bv, "ef-bv", "shift(lam,nu), sgd, dense down: gradient differences by bias and variance; exact",
    "arXiv:2205.04180", shift_options, P2P_METHOD_EXACT, SHIFT, P2P_UNBIASED | P2P_CONTRACTIVE,
    "unbiased or contractive", choose_ef_bv);
