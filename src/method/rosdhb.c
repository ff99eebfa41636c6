/*
 * RoSDHB: coordinated sparsification and heavy-ball momentum at a hub that bears liars among its workers. In each
 * round all nodes keep the same k coordinates, so that compression adds no spread between honest vectors in which a
 * lie could hide; the hub keeps a momentum of each worker, and steps along the rule R of all of them:
 *
 *     worker     sends g_i(x) on mask_t, k coordinates drawn alike: permutation(seed, node 0, round t)[0 .. k)
 *     hub        m_i <- momentum m_i + (1 - momentum) (d/k) mask_t g_i;   x <- x - step R(m_1, .., m_n)
 *
 * On a complete graph every node is the hub for itself.
 *
 * Gupta, Honsell, Xu, Gupta, Neglia, AISTATS 2026, arXiv:2508.17129.
 */
#include "base/fail.h"
#include "method/automatic.h"
#include "method/mean_over_nodes.h"

#include <p2popt/random.h>

enum { UP, DOWN };

typedef struct {
    double step, momentum;
    p2p_count k;
} rosdhb_param;

typedef struct {
    rosdhb_param p;
    size_t up, down, k;
    p2p_vec g, kept, q; /* scratch: the gradient, what is kept of it, the same of another */
    p2p_vec aggregate;  /* scratch */
    size_t *order;      /* a permutation of the coordinates */
    p2p_estimate *m;
} rosdhb;

static p2p_status
make_vectors(rosdhb *self, p2p_method_context *m)
{
    const size_t dim = m->setting->dim;
    p2p_status st;

    if ((st = p2p_method_estimate(m, "m", &self->m)) != P2P_OK || (st = p2p_method_scratch(m, &self->g)) != P2P_OK ||
        (st = p2p_method_scratch(m, &self->aggregate)) != P2P_OK ||
        (st = p2pi_exchange_vector_of(m->exchange, NULL, self->k, &self->kept)) != P2P_OK ||
        (st = p2pi_exchange_vector_of(m->exchange, NULL, self->k, &self->q)) != P2P_OK)
        return st;
    return p2pi_exchange_indices(m->exchange, dim, &self->order);
}

static p2p_status
start(void *instance, p2p_method_context *m)
{
    rosdhb *self = instance;
    const size_t dim = m->setting->dim;
    p2p_status st = p2pi_need_hub(m);

    self->k = p2p_count_of(self->p.k, dim);
    if (st != P2P_OK || (st = p2pi_auto_step(m, (double)self->k / (double)dim, 2, &self->p.step)) != P2P_OK ||
        (st = p2pi_exchange_slot_wide(m->exchange, P2P_SLOT_RAW, "identity", 0, self->k, &self->up)) != P2P_OK ||
        (st = p2p_method_slot(m, P2P_SLOT_RAW, &self->down)) != P2P_OK)
        return st;
    p2p_method_stages(m, p2pi_mean_parts(m));
    return make_vectors(self, m);
}

static p2p_status
send_up(rosdhb *self, p2p_method_context *m)
{
    p2p_random draw = p2p_random_open(p2pi_exchange_seed(m->exchange), 0, m->round, P2P_STREAM_SHARED);
    p2p_status st = p2p_method_grad(m, m->round, p2p_view_of(m->x), self->g);

    if (st != P2P_OK)
        return st;
    p2p_random_permutation(&draw, m->setting->dim, self->order);
    for (size_t i = 0; i < self->k; i++)
        p2p_vec_set(self->kept, i, p2p_vec_get(p2p_view_of(self->g), self->order[i]));
    return p2p_method_send(m, self->up, p2p_view_of(self->kept), 1);
}

static p2p_status
emit(void *instance, p2p_method_context *m, size_t stage)
{
    rosdhb *self = instance;

    if (p2pi_has_hub(m))
        p2pi_exchange_direct(m->exchange, stage == UP ? P2PI_TO_HUB : P2PI_FROM_HUB);
    if (stage == UP)
        return send_up(self, m);
    if (p2pi_is_hub(m))
        return p2p_method_send(m, self->down, p2p_view_of(self->aggregate), 1);
    p2pi_exchange_hold(m->exchange, self->down);
    return P2P_OK;
}

static p2p_status
aggregate(rosdhb *self, p2p_method_context *m)
{
    const double fresh = (1 - self->p.momentum) * ((double)m->setting->dim / (double)self->k);
    p2p_status st =
        p2pi_exchange_estimate_scatter(m->exchange, self->m, self->up, self->p.momentum, fresh, self->order, self->q);

    return st == P2P_OK ? p2pi_exchange_estimate_combine(m->exchange, self->m, self->aggregate) : st;
}

static p2p_status
absorb(void *instance, p2p_method_context *m, size_t stage)
{
    rosdhb *self = instance;
    p2p_status st = P2P_OK;

    if (stage == UP && p2pi_is_hub(m))
        st = aggregate(self, m);
    else if (stage == DOWN && !p2pi_is_hub(m))
        st = p2pi_exchange_take_from_hub(m->exchange, self->down, self->aggregate);
    if (st == P2P_OK && stage + 1 == p2pi_mean_parts(m))
        p2p_vec_axpy(m->x, -self->p.step, p2p_view_of(self->aggregate));
    return st;
}

static const p2p_option options[] = {
    { "step", P2P_OPT_REAL, "auto", "(0", NULL, "step size", offsetof(rosdhb_param, step) },
    { "k", P2P_OPT_COUNT, "10%", "1", "100%", "coordinates kept: a count, or a share of the dimension",
      offsetof(rosdhb_param, k) },
    { "momentum", P2P_OPT_REAL, "0.9", "0", "1)", "weight of the gradients before",
      offsetof(rosdhb_param, momentum) },
    { NULL, P2P_OPT_TEXT, NULL, NULL, NULL, NULL, 0 }
};

const p2p_method_vt p2pi_method_rosdhb = {
    .size = sizeof(p2p_method_vt),
    .entry = { "rosdhb", "over a hub with liars: the same coordinates at all nodes, momentum, a robust aggregator",
               "arXiv:2508.17129", options, sizeof(rosdhb_param) },
    .traits = P2P_METHOD_RAW | P2P_METHOD_AGGREGATE | P2P_METHOD_HUB,
    .instance_size = sizeof(rosdhb),
    .stages = 2,
    .start = start,
    .emit = emit,
    .absorb = absorb,
};
