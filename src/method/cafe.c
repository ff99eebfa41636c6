/*
 * CAFe: workers keep nothing; what they compress is measured from a vector c that all know.
 *
 *     m_i = C(g_i(x) - c), sent;   G = c + mean m_i;   x <- x - step G
 *
 *     cafe      c is the G of the round before, 0 at first; it comes down, and all step
 *     cafe-s    c is the hub's own gradient at x, which comes down before; then x does. The hub sends nothing up.
 *
 * Sources: Ortega, Huang, Li, Jafarkhani, arXiv:2412.04538 (cafe), arXiv:2512.22623 (cafe-s).
 */
#include "method/server.h"

#include <math.h>

enum { AGGREGATE, GUIDED };

/* ---- the estimator; c is H */

static p2p_status
predictor_start(p2pi_server *self, p2p_method_context *m)
{
    p2p_status st;

    if (self->row->variant == GUIDED && !p2pi_has_hub(m))
        return p2p_fail(P2P_ENOTSUP, "method \"%s\" needs one node as a guide: use topology star",
                        m->setting->method);
    if ((st = p2p_method_slot(m, P2P_SLOT_COMPRESSED, &self->up)) != P2P_OK ||
        (st = p2p_method_scratch(m, &self->G)) != P2P_OK)
        return st;
    return p2p_method_vector(m, "c", &self->H);
}

static p2p_status
predictor_message(p2pi_server *self, p2p_method_context *m, p2p_view x)
{
    p2p_status st;

    if (self->row->variant == GUIDED && m->setting->rank == 0) {
        p2pi_exchange_hold(m->exchange, self->up);
        return P2P_OK;
    }
    if ((st = p2p_method_grad(m, m->round, x, self->v)) != P2P_OK)
        return st;
    p2p_vec_sub(self->v, p2p_view_of(self->v), p2p_view_of(self->H));
    return p2p_method_send(m, self->up, p2p_view_of(self->v), 1);
}

static p2p_status
predictor_estimate(p2pi_server *self, p2p_method_context *m)
{
    p2p_status st;

    if (!p2pi_is_hub(m))
        return P2P_OK;
    if ((st = p2pi_server_mean(m, self->up, self->G)) == P2P_OK)
        p2p_vec_axpy(self->G, 1, p2p_view_of(self->H));
    return st;
}

static const p2pi_estimator predictor = { predictor_start, predictor_message, predictor_estimate };

/* ---- cafe's link */

static p2p_status
aggregate_start(p2pi_server *self, p2p_method_context *m)
{
    return p2pi_exchange_slot(m->exchange, P2P_SLOT_RAW | P2PI_SLOT_FROM_HUB, &self->down);
}

static p2p_status
aggregate_cast(p2pi_server *self, p2p_method_context *m)
{
    return p2pi_server_cast(m, self->down, self->G);
}

static p2p_status
aggregate_apply(p2pi_server *self, p2p_method_context *m)
{
    p2p_status st = p2pi_server_take(m, self->down, self->H);

    if (st == P2P_OK)
        p2p_vec_axpy(m->x, -self->p.step, p2p_view_of(self->H));
    return st;
}

static const p2pi_link aggregate = { aggregate_start, NULL, aggregate_cast, aggregate_apply };

/* ---- cafe-s has a stage before the two */

enum { GUIDE };

static p2p_status
guided_emit(void *instance, p2p_method_context *m, size_t stage)
{
    p2pi_server *self = instance;
    p2p_status st = P2P_OK;

    if (stage != GUIDE)
        return p2pi_server_emit(self, m, stage - 1);
    p2pi_exchange_direct(m->exchange, P2PI_FROM_HUB);
    if (m->setting->rank == 0)
        st = p2p_method_grad(m, m->round, p2p_view_of(m->x), self->v);
    return st == P2P_OK ? p2pi_server_cast(m, self->dense, self->v) : st;
}

static p2p_status
guided_absorb(void *instance, p2p_method_context *m, size_t stage)
{
    p2pi_server *self = instance;

    return stage == GUIDE ? p2pi_server_take(m, self->dense, self->H) : p2pi_server_absorb(self, m, stage - 1);
}

/* ---- rows */

static double
choose_cafe(p2pi_server_param *p, const p2p_setting *at, const p2p_compressor_constants *c)
{
    const double lost = sqrt(1 - p2pi_delta(c));

    (void)p;
    (void)at;
    return 1 / (1 + lost / (1 - lost));
}

static double
choose_guided(p2pi_server_param *p, const p2p_setting *at, const p2p_compressor_constants *c)
{
    (void)p;
    (void)at;
    (void)c;
    return 1;
}

static const p2p_option cafe_options[] = { P2PI_SERVER_STEP, P2PI_SERVER_END };

P2PI_SERVER_ROW(cafe, "cafe", "predictor, sgd, the estimate down: workers without memory; down to a noise floor",
                "arXiv:2412.04538", cafe_options, 0, &predictor, &aggregate, P2P_CONTRACTIVE,
                "contractive; use diana, or scaled() of it", choose_cafe, AGGREGATE);

static p2p_status
cafe_s_start(void *instance, p2p_method_context *m)
{
    static const p2pi_server_row row = { &predictor,      &p2pi_link_dense,
                                         P2P_CONTRACTIVE, "contractive; use diana, or scaled() of it",
                                         choose_guided,   GUIDED };
    p2pi_server *self = instance;
    p2p_status st = p2pi_server_start(self, m, &row);

    return st == P2P_OK ? p2pi_exchange_slot(m->exchange, P2P_SLOT_RAW | P2PI_SLOT_FROM_HUB, &self->dense) : st;
}

const p2p_method_vt p2pi_method_cafe_s = {
    .size = sizeof(p2p_method_vt),
    .entry = { "cafe-s",
               "predictor from the hub's data, sgd, dense down: workers without memory; down to a noise floor",
               "arXiv:2512.22623", cafe_options, sizeof(p2pi_server_param) },
    .instance_size = sizeof(p2pi_server),
    .stages = 3,
    .start = cafe_s_start,
    .emit = guided_emit,
    .absorb = guided_absorb,
};
