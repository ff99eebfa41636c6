/*
 * Three pillars: similarity, compression and local steps, over a hub that is node 0. The hub's own operator F_0 stands
 * for all of them in an inner problem that costs no messages; compressed differences correct what it misses. P is the
 * projection on the set, w the snapshot.
 *
 *     hub:     c = x + p (w - x)
 *              u ~ zero of F_0(u) - F_0(w) + F(w) + (u - c) / step, by `local` extragradient steps eta from u = x
 *              u and F_0(u) -> all
 *     device:  q_i = C_i(F_i(w) - F_0(w) - F_i(u) + F_0(u)) -> hub
 *     hub:     x <- P(u + step mean q_i)
 *     with probability p, by a coin that all nodes toss alike:  w = x;  x and F_0(x) -> all;  F_i(w) -> hub
 *
 * On a star the other nodes know x at snapshots alone: their iterate is u in between. On a complete graph every node
 * repeats what the hub does with the messages.
 *
 * Sources: Beznosikov, Takac, Gasnikov, "Similarity, compression and local steps: three pillars of efficient
 * communications for distributed variational inequalities", NeurIPS 2023, arXiv:2302.07615; Beznosikov, Gasnikov,
 * arXiv:2206.09446.
 */
#include "method/automatic.h"
#include "method/mean_over_nodes.h"

#include <math.h>

typedef struct {
    double step, p, eta, delta;
    int64_t local;
} pillars_param;

typedef struct {
    pillars_param p;
    size_t point, value; /* slots of u or x, and of F_0 there, from node 0 */
    size_t up, raw;      /* slots of q_i and of F_i(w) */
    p2p_vec w, own, hub, all; /* w, F_i(w), F_0(w), F(w) */
    p2p_vec u, hub_u;    /* u and F_0(u) */
    p2p_vec c, v, h;     /* c, what is sent, half point of the inner steps */
    p2p_vec base;        /* F(w) - F_0(w) */
} pillars;

/* ---- start */

static p2p_status
check(const p2p_method_context *m)
{
    p2p_status st = p2pi_need_hub(m);

    if (st != P2P_OK || (p2p_method_compressor(m)->traits & (P2P_UNBIASED | P2P_LOSSLESS)))
        return st;
    return p2p_fail(P2P_ENOTSUP, "method \"%s\": compressor \"%s\" is not unbiased; use permk", m->setting->method,
                    p2pi_exchange_compressor_spec(m->exchange));
}

/* The step is bound by how much the operators differ, the inner steps by the inner problem's Lipschitz constant. */
static p2p_status
choose(pillars *self, p2p_method_context *m)
{
    const double L = m->setting->smoothness;
    pillars_param *p = &self->p;

    if (m->setting->nodes == 1)
        p2p_method_warn(m, "method \"%s\": with one node it is extragradient on an inner problem", m->setting->method);
    if (p2p_is_auto(p->p))
        p->p = 1 / (double)m->setting->nodes;
    if (p2p_is_auto(p->delta))
        p->delta = L;
    if (p2p_is_auto(p->step) && !(p->delta > 0))
        return p2p_fail(P2P_EINVAL, "method \"%s\": step=auto needs delta, or the Lipschitz constant of the operators",
                        m->setting->method);
    if (p2p_is_auto(p->step))
        p->step = 1 / (2 * p->delta);
    if ((p2p_is_auto(p->eta) || p->local == P2P_AUTO_INT) && !(L > 0))
        return p2p_fail(P2P_EINVAL, "method \"%s\": eta=auto and local=auto need the Lipschitz constant of the operators",
                        m->setting->method);
    if (p2p_is_auto(p->eta))
        p->eta = 0.5 / (L + 1 / p->step);
    else if (L > 0 && p->eta >= 1 / (L + 1 / p->step))
        p2p_method_warn(m, "method \"%s\": eta=%g is not below 1/(L + 1/step) = %g: expect divergence",
                        m->setting->method, p->eta, 1 / (L + 1 / p->step));
    /* Where nothing but the set ends the game, what the inner problem is short of adds up. */
    if (p->local == P2P_AUTO_INT)
        p->local = (int64_t)fmin(1e6, fmax(5, ceil((m->setting->convexity > 0 ? 4 : 16) * (1 + L * p->step))));
    m->step = p->step;
    return P2P_OK;
}

static p2p_status
make_slots(pillars *self, p2p_method_context *m)
{
    p2p_status st;

    if ((st = p2p_method_slot(m, P2P_SLOT_RAW, &self->point)) != P2P_OK ||
        (st = p2p_method_slot(m, P2P_SLOT_RAW, &self->value)) != P2P_OK ||
        (st = p2p_method_slot(m, P2P_SLOT_COMPRESSED, &self->up)) != P2P_OK)
        return st;
    return p2p_method_slot(m, P2P_SLOT_RAW, &self->raw);
}

static p2p_status
pillars_start(void *instance, p2p_method_context *m)
{
    pillars *self = instance;
    p2p_vec *const scratch[] = { &self->u, &self->hub_u, &self->c, &self->v, &self->h, &self->base };
    p2p_status st;

    p2p_method_stages(m, p2pi_has_hub(m) ? 6 : 4);
    if ((st = check(m)) != P2P_OK || (st = choose(self, m)) != P2P_OK || (st = make_slots(self, m)) != P2P_OK ||
        (st = p2p_method_vector(m, "w", &self->w)) != P2P_OK || (st = p2p_method_vector(m, "own", &self->own)) != P2P_OK ||
        (st = p2p_method_vector(m, "hub", &self->hub)) != P2P_OK || (st = p2p_method_vector(m, "all", &self->all)) != P2P_OK)
        return st;
    for (size_t i = 0; i < sizeof scratch / sizeof scratch[0] && st == P2P_OK; i++)
        st = p2p_method_scratch(m, scratch[i]);
    return st;
}

/* ---- the inner problem, at node 0 */

/* g = F_0(at) + base + (at - c) / step */
static p2p_status
inner_operator(pillars *self, p2p_method_context *m, p2p_view at, p2p_vec g)
{
    p2p_status st = p2p_method_grad(m, m->round, at, g);

    if (st != P2P_OK)
        return st;
    p2p_vec_axpy(g, 1, p2p_view_of(self->base));
    p2p_vec_combine3(g, 1, p2p_view_of(g), 1 / self->p.step, at, -1 / self->p.step, p2p_view_of(self->c));
    return P2P_OK;
}

/* z = P(u - eta g(at)) */
static p2p_status
inner_step(pillars *self, p2p_method_context *m, p2p_vec at, p2p_vec z)
{
    p2p_status st = inner_operator(self, m, p2p_view_of(at), self->v);

    if (st != P2P_OK)
        return st;
    p2p_vec_combine(z, 1, p2p_view_of(self->u), -self->p.eta, p2p_view_of(self->v));
    return p2p_problem_prox(m->problem, self->p.eta, z);
}

/* u and F_0(u) */
static p2p_status
solve_inner(pillars *self, p2p_method_context *m)
{
    p2p_status st = P2P_OK;

    p2p_vec_sub(self->base, p2p_view_of(self->all), p2p_view_of(self->own));
    p2p_vec_combine(self->c, 1 - self->p.p, p2p_view_of(m->x), self->p.p, p2p_view_of(self->w));
    p2p_vec_copy(self->u, p2p_view_of(m->x));
    for (int64_t i = 0; i < self->p.local && st == P2P_OK; i++)
        if ((st = inner_step(self, m, self->u, self->h)) == P2P_OK)
            st = inner_step(self, m, self->h, self->u);
    return st == P2P_OK ? p2p_method_grad(m, m->round, p2p_view_of(self->u), self->hub_u) : st;
}

/* ---- stages: a snapshot before the first round, u down, q_i up, a snapshot if the coin says so */

typedef enum { SNAPSHOT_DOWN, SNAPSHOT_UP, POINT_DOWN, MESSAGE_UP, NOTHING } action;

/* What a stage is for; on a complete graph every node knows x, and no snapshot goes down. */
static action
action_of(const pillars *self, const p2p_method_context *m, size_t stage)
{
    static const action star[] = { SNAPSHOT_DOWN, SNAPSHOT_UP, POINT_DOWN, MESSAGE_UP, SNAPSHOT_DOWN, SNAPSHOT_UP };
    static const action complete[] = { SNAPSHOT_UP, POINT_DOWN, MESSAGE_UP, SNAPSHOT_UP };
    const action what = p2pi_has_hub(m) ? star[stage] : complete[stage];
    const int first = stage < (p2pi_has_hub(m) ? 2U : 1U);

    if (what == POINT_DOWN || what == MESSAGE_UP)
        return what;
    if (first ? m->round > 0 : !p2pi_exchange_first_coin(m->exchange, self->p.p))
        return NOTHING;
    return what;
}

/* Node 0 sends a point and F_0 there. */
static p2p_status
send_down(pillars *self, p2p_method_context *m, p2p_vec point, p2p_vec value)
{
    p2p_status st;

    p2pi_exchange_direct(m->exchange, P2PI_FROM_HUB);
    if (m->setting->rank != 0) {
        p2pi_exchange_hold(m->exchange, self->point);
        p2pi_exchange_hold(m->exchange, self->value);
        return P2P_OK;
    }
    st = p2p_method_send(m, self->point, p2p_view_of(point), 1);
    return st == P2P_OK ? p2p_method_send(m, self->value, p2p_view_of(value), 1) : st;
}

static p2p_status
take_down(pillars *self, p2p_method_context *m, p2p_vec point, p2p_vec value)
{
    p2p_status st;

    if (m->setting->rank == 0)
        return P2P_OK;
    if ((st = p2pi_exchange_take_from_hub(m->exchange, self->point, point)) != P2P_OK)
        return st;
    return p2pi_exchange_take_from_hub(m->exchange, self->value, value);
}

/* w = x and F_0(w), which the hub has before all others. */
static p2p_status
snapshot_down(pillars *self, p2p_method_context *m)
{
    p2p_status st = P2P_OK;

    if (m->setting->rank == 0)
        st = p2p_method_grad(m, m->round, p2p_view_of(m->x), self->hub);
    return st == P2P_OK ? send_down(self, m, m->x, self->hub) : st;
}

static p2p_status
snapshot_up(pillars *self, p2p_method_context *m)
{
    p2p_status st;

    p2p_vec_copy(self->w, p2p_view_of(m->x));
    if ((st = p2p_method_grad(m, m->round, p2p_view_of(self->w), self->own)) != P2P_OK)
        return st;
    if (p2pi_has_hub(m))
        p2pi_exchange_direct(m->exchange, P2PI_TO_HUB);
    return p2p_method_send(m, self->raw, p2p_view_of(self->own), 1);
}

/* q_i = C_i(F_i(w) - F_0(w) - (F_i(u) - F_0(u))); that of node 0 is 0 */
static p2p_status
message_up(pillars *self, p2p_method_context *m)
{
    p2p_status st = p2p_method_grad(m, m->round, p2p_view_of(self->u), self->v);

    if (st != P2P_OK)
        return st;
    p2p_vec_sub(self->v, p2p_view_of(self->hub_u), p2p_view_of(self->v));
    p2p_vec_combine3(self->v, 1, p2p_view_of(self->own), -1, p2p_view_of(self->hub), 1, p2p_view_of(self->v));
    if (p2pi_has_hub(m))
        p2pi_exchange_direct(m->exchange, P2PI_TO_HUB);
    return p2p_method_send(m, self->up, p2p_view_of(self->v), 1);
}

static p2p_status
pillars_emit(void *instance, p2p_method_context *m, size_t stage)
{
    pillars *self = instance;
    p2p_status st = P2P_OK;

    switch (action_of(self, m, stage)) {
    case SNAPSHOT_DOWN:
        return snapshot_down(self, m);
    case SNAPSHOT_UP:
        return snapshot_up(self, m);
    case POINT_DOWN:
        if (m->setting->rank == 0)
            st = solve_inner(self, m);
        return st == P2P_OK ? send_down(self, m, self->u, self->hub_u) : st;
    case MESSAGE_UP:
        return message_up(self, m);
    case NOTHING:
        break;
    }
    return P2P_OK;
}

/* F(w), and on a complete graph F_0(w) too. */
static p2p_status
take_snapshot(pillars *self, p2p_method_context *m)
{
    size_t count;
    p2p_status st = P2P_OK;

    if (m->setting->rank == 0)
        p2p_vec_copy(self->hub, p2p_view_of(self->own));
    else if (!p2pi_has_hub(m))
        st = p2pi_exchange_take_from_hub(m->exchange, self->raw, self->hub);
    if (st != P2P_OK || !p2pi_is_hub(m) || (st = p2pi_exchange_sum(m->exchange, self->raw, self->all, &count)) != P2P_OK)
        return st;
    p2p_vec_scale(self->all, 1 / (double)count);
    return P2P_OK;
}

/* x = P(u + step mean q_i) where the messages are, u elsewhere. */
static p2p_status
take_step(pillars *self, p2p_method_context *m)
{
    size_t count;
    p2p_status st;

    if (!p2pi_is_hub(m)) {
        p2p_vec_copy(m->x, p2p_view_of(self->u));
        return P2P_OK;
    }
    if ((st = p2pi_exchange_sum(m->exchange, self->up, self->v, &count)) != P2P_OK)
        return st;
    p2p_vec_combine(m->x, 1, p2p_view_of(self->u), self->p.step / (double)count, p2p_view_of(self->v));
    return p2p_problem_prox(m->problem, self->p.step, m->x);
}

static p2p_status
pillars_absorb(void *instance, p2p_method_context *m, size_t stage)
{
    pillars *self = instance;

    switch (action_of(self, m, stage)) {
    case SNAPSHOT_DOWN:
        return take_down(self, m, m->x, self->hub);
    case SNAPSHOT_UP:
        return take_snapshot(self, m);
    case POINT_DOWN:
        return take_down(self, m, self->u, self->hub_u);
    case MESSAGE_UP:
        return take_step(self, m);
    case NOTHING:
        break;
    }
    return P2P_OK;
}

static const p2p_option pillars_options[] = {
    { "step", P2P_OPT_REAL, "auto", "(0", NULL, "outer step size", offsetof(pillars_param, step) },
    { "p", P2P_OPT_REAL, "auto", "(0", "1", "probability of a new snapshot", offsetof(pillars_param, p) },
    { "delta", P2P_OPT_REAL, "auto", "(0", NULL, "largest Lipschitz constant of F_i - F",
      offsetof(pillars_param, delta) },
    { "local", P2P_OPT_INT, "auto", "1", "1000000", "extragradient steps on the inner problem",
      offsetof(pillars_param, local) },
    { "eta", P2P_OPT_REAL, "auto", "(0", NULL, "their size, below 1/(L + 1/step)", offsetof(pillars_param, eta) },
    { NULL, P2P_OPT_TEXT, NULL, NULL, NULL, NULL, 0 }
};
const p2p_method_vt p2pi_method_three_pillars = {
    .size = sizeof(p2p_method_vt),
    .entry = { "three-pillars", "games of alike operators over a hub: inner steps at the hub, compressed corrections; exact",
               "arXiv:2302.07615", pillars_options, sizeof(pillars_param) },
    .traits = P2P_METHOD_EXACT | P2P_METHOD_OPERATOR | P2P_METHOD_PROX,
    .instance_size = sizeof(pillars),
    .stages = 6,
    .start = pillars_start,
    .emit = pillars_emit,
    .absorb = pillars_absorb,
};
