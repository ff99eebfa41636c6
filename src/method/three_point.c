/*
 * Three point compressors: h_i, what the hub knows of worker i's gradient x_i, follows it by a map of h_i, of y_i,
 * the gradient of the round before, and of x_i. G = mean h_i.
 *
 *     ef21     h + C(x - h)
 *     lag      h if lazy, else x                                   lazy: ||x - h||^2 <= zeta ||x - y||^2
 *     clag     h if lazy, else h + C(x - h)
 *     3pcv1    y + C(x - y)                                        y is sent as it is
 *     3pcv2    b + C(x - b),  b = h + Q(x - y)                     Q unbiased
 *     3pcv3    b + C(x - b),  b = h if lazy, else x
 *     3pcv4    b + C(x - b),  b = h + C(x - h)
 *     3pcv5    x with probability p, by a coin that all toss alike; else h + C(x - y)
 *     adacgd   h if lazy, else h + C_j(x - h), C_j the first of some levels with ||x - h'||^2 <= zeta ||x - y||^2
 *
 * In round 0 gradients are sent as they are. Lazy workers send nothing.
 *
 * Sources: Richtarik, Sokolov, Gasanov, Fatkhullin, Li, Gorbunov, "3PC", ICML 2022, arXiv:2202.00998; Makarenko,
 * Gasanov, Islamov, Sadiev, Richtarik, "Adaptive compression for communication-efficient distributed training", TMLR
 * 2023, arXiv:2211.00188.
 */
#include "base/spec.h"
#include "method/server.h"

#include <math.h>
#include <string.h>

enum { EF21, LAG, CLAG, V1, V2, V3, V4, V5, ADAPTIVE };

/* ---- slots: up is C's, extra what else a map sends */

static p2p_status
same_again(p2pi_server *self, p2p_method_context *m, uint32_t stream, size_t *slot)
{
    (void)self;
    return p2pi_exchange_slot_with(m->exchange, 0, p2pi_exchange_compressor_spec(m->exchange), stream, slot);
}

static p2p_status
unbiased_slot(p2pi_server *self, p2p_method_context *m)
{
    p2p_status st;

    p2pi_unwrap(&self->p.q);
    if ((st = p2pi_exchange_slot_with(m->exchange, 0, self->p.q.s, 1, &self->extra)) != P2P_OK)
        return st;
    if (p2pi_exchange_slot_constants(m->exchange, self->extra)->traits & (P2P_UNBIASED | P2P_LOSSLESS))
        return P2P_OK;
    return p2p_fail(P2P_ENOTSUP, "method \"%s\": q=%s is not unbiased", m->setting->method, self->p.q.s);
}

/* The levels before the last, which is the configured compressor, from coarse to fine. */
static p2p_status
level_slots(p2pi_server *self, p2p_method_context *m)
{
    p2pi_span rest, piece;
    p2p_status st;

    p2pi_unwrap(&self->p.levels);
    rest = p2pi_span_of(self->p.levels.s);
    while (rest.len > 0 && p2pi_span_next(&rest, ';', &piece)) {
        p2p_text spec;

        if (self->levels + 1 == P2PI_LEVELS_MAX)
            return p2p_fail(P2P_EINVAL, "method \"%s\": levels: expected at most %d", m->setting->method,
                            P2PI_LEVELS_MAX - 1);
        memcpy(spec.s, piece.at, piece.len);
        spec.s[piece.len] = '\0';
        st = p2pi_exchange_slot_with(m->exchange, P2PI_SLOT_OPTIONAL, spec.s, 0, &self->level[self->levels++]);
        if (st != P2P_OK)
            return st;
    }
    return p2p_method_slot(m, P2P_SLOT_COMPRESSED | P2PI_SLOT_OPTIONAL, &self->level[self->levels++]);
}

static p2p_status
check_levels(const p2pi_server *self, const p2p_method_context *m)
{
    for (size_t j = 1; j < self->levels; j++)
        if (p2pi_exchange_slot_constants(m->exchange, self->level[j])->bits_nominal <
            p2pi_exchange_slot_constants(m->exchange, self->level[j - 1])->bits_nominal)
            return p2p_fail(P2P_EINVAL,
                            "method \"%s\": level %zu costs less than the one before: expected levels from coarse to "
                            "fine, the compressor \"%s\" last",
                            m->setting->method, j + 1, p2pi_exchange_compressor_spec(m->exchange));
    return P2P_OK;
}

static p2p_status
map_slots(p2pi_server *self, p2p_method_context *m)
{
    const unsigned silent = P2P_SLOT_RAW | P2P_SLOT_SILENT;
    p2p_status st;

    switch (self->row->variant) {
    case LAG:
        return p2p_method_slot(m, silent, &self->extra);
    case CLAG:
        return p2p_method_slot(m, P2P_SLOT_COMPRESSED | P2P_SLOT_SILENT, &self->up);
    case V3:
        if ((st = p2p_method_slot(m, P2P_SLOT_RAW | P2PI_SLOT_OPTIONAL, &self->extra)) != P2P_OK)
            return st;
        return same_again(self, m, 1, &self->up);
    case V5:
        if ((st = p2p_method_slot(m, silent, &self->extra)) != P2P_OK)
            return st;
        return p2p_method_slot(m, P2P_SLOT_COMPRESSED | P2P_SLOT_SILENT, &self->up);
    case ADAPTIVE:
        return (st = level_slots(self, m)) == P2P_OK ? check_levels(self, m) : st;
    default:
        break;
    }
    if ((st = p2p_method_slot(m, P2P_SLOT_COMPRESSED, &self->up)) != P2P_OK)
        return st;
    switch (self->row->variant) {
    case V1:
        return p2p_method_slot(m, P2P_SLOT_RAW, &self->extra);
    case V2:
        return unbiased_slot(self, m);
    case V4:
        return same_again(self, m, 1, &self->extra);
    default:
        return P2P_OK;
    }
}

static p2p_status
three_point_start(p2pi_server *self, p2p_method_context *m)
{
    p2p_status st;

    if ((st = map_slots(self, m)) != P2P_OK || (st = p2p_method_slot(m, P2P_SLOT_RAW, &self->dense)) != P2P_OK ||
        (st = p2p_method_scratch(m, &self->G)) != P2P_OK || (st = p2p_method_estimate(m, "h", &self->h)) != P2P_OK)
        return st;
    return p2p_method_vector(m, "y", &self->y);
}

/* ---- the pieces that a worker sends; v is x_i */

static double
square(double a)
{
    return a * a;
}

static double
moved(const p2pi_server *self)
{
    return self->p.zeta * square(p2p_vec_distance(p2p_view_of(self->v), p2p_view_of(self->y)));
}

static int
is_lazy(const p2pi_server *self, const p2p_method_context *m)
{
    return square(p2p_vec_distance(p2p_view_of(self->v), p2p_estimate_own(m, self->h))) <= moved(self);
}

/* C(x - from) in the slot. */
static p2p_status
send_from(p2pi_server *self, p2p_method_context *m, size_t slot, p2p_view from)
{
    p2p_vec_sub(self->g, p2p_view_of(self->v), from);
    return p2p_method_send(m, slot, p2p_view_of(self->g), 1);
}

/* What `slot` says of x - from brings h to b; then C(x - b). */
static p2p_status
send_in_two(p2pi_server *self, p2p_method_context *m, size_t slot, p2p_view from)
{
    p2p_status st;

    if ((st = send_from(self, m, slot, from)) != P2P_OK || (st = p2p_method_sent(m, slot, self->q)) != P2P_OK)
        return st;
    p2p_vec_axpy(self->q, 1, p2p_estimate_own(m, self->h));
    return send_from(self, m, self->up, p2p_view_of(self->q));
}

/* Papers count a bit for being silent with lag alone. */
static p2p_status
send_lazily(p2pi_server *self, p2p_method_context *m, int lazy)
{
    if (!lazy)
        return p2p_method_send(m, self->extra, p2p_view_of(self->v), 1);
    if (self->row->variant == LAG)
        p2p_method_silent(m, self->extra);
    else
        p2pi_exchange_skip(m->exchange, self->extra);
    return P2P_OK;
}

static p2p_status
send_level(p2pi_server *self, p2p_method_context *m)
{
    const double enough = moved(self);
    int done = is_lazy(self, m);
    p2p_status st;

    p2pi_exchange_count_nominal(m->exchange, fmax(1, ceil(log2((double)self->levels + 1))));
    p2p_vec_sub(self->g, p2p_view_of(self->v), p2p_estimate_own(m, self->h));
    for (size_t j = 0; j < self->levels; j++) {
        if (!done) {
            if ((st = p2pi_exchange_try(m->exchange, self->level[j], p2p_view_of(self->g), self->q)) != P2P_OK)
                return st == P2P_EINVAL ? P2P_EDIVERGED : st;
            done = j + 1 == self->levels ||
                   square(p2p_vec_distance(p2p_view_of(self->g), p2p_view_of(self->q))) <= enough;
            if (done) {
                p2pi_exchange_commit(m->exchange, self->level[j]);
                continue;
            }
        }
        p2pi_exchange_skip(m->exchange, self->level[j]);
    }
    return P2P_OK;
}

static p2p_status
send_map(p2pi_server *self, p2p_method_context *m)
{
    const p2p_view h = p2p_estimate_own(m, self->h), y = p2p_view_of(self->y);
    p2p_status st;
    int lazy;

    switch (self->row->variant) {
    case LAG:
        return send_lazily(self, m, is_lazy(self, m));
    case CLAG:
        if (!is_lazy(self, m))
            return send_from(self, m, self->up, h);
        p2p_method_silent(m, self->up);
        return P2P_OK;
    case V1:
        return (st = p2p_method_send(m, self->extra, y, 1)) == P2P_OK ? send_from(self, m, self->up, y) : st;
    case V2:
        return send_in_two(self, m, self->extra, y);
    case V3:
        lazy = is_lazy(self, m);
        if ((st = send_lazily(self, m, lazy)) != P2P_OK)
            return st;
        return send_from(self, m, self->up, lazy ? h : p2p_view_of(self->v));
    case V4:
        return send_in_two(self, m, self->extra, h);
    case V5:
        if (p2pi_exchange_hub_coin(m->exchange, 0, self->p.p))
            return p2p_method_send(m, self->extra, p2p_view_of(self->v), 1);
        return send_from(self, m, self->up, y);
    case ADAPTIVE:
        return send_level(self, m);
    default:
        return send_from(self, m, self->up, h);
    }
}

static p2p_status
three_point_message(p2pi_server *self, p2p_method_context *m, p2p_view x)
{
    p2p_status st = p2p_method_grad(m, m->round, x, self->v);

    if (st == P2P_OK)
        st = m->round == 0 ? p2p_method_send(m, self->dense, p2p_view_of(self->v), 1) : send_map(self, m);
    p2p_vec_copy(self->y, p2p_view_of(self->v));
    return st;
}

/* ---- the same pieces at receivers */

static p2p_status
follow(p2pi_server *self, p2p_method_context *m)
{
    p2p_status st = P2P_OK;

    switch (self->row->variant) {
    case LAG:
        return p2pi_exchange_estimate_set(m->exchange, self->h, self->extra);
    case V1:
    case V3:
        if ((st = p2pi_exchange_estimate_set(m->exchange, self->h, self->extra)) != P2P_OK)
            return st;
        return p2p_estimate_update(m, self->h, self->up, 1);
    case V2:
    case V4:
        if ((st = p2p_estimate_update(m, self->h, self->extra, 1)) != P2P_OK)
            return st;
        return p2p_estimate_update(m, self->h, self->up, 1);
    case V5:
        if (p2pi_exchange_hub_coin(m->exchange, 0, self->p.p))
            return p2pi_exchange_estimate_set(m->exchange, self->h, self->extra);
        return p2p_estimate_update(m, self->h, self->up, 1);
    case ADAPTIVE:
        for (size_t j = 0; j < self->levels && st == P2P_OK; j++)
            st = p2p_estimate_update(m, self->h, self->level[j], 1);
        return st;
    default:
        return p2p_estimate_update(m, self->h, self->up, 1);
    }
}

static p2p_status
three_point_estimate(p2pi_server *self, p2p_method_context *m)
{
    p2p_status st = m->round == 0 ? p2pi_exchange_estimate_set(m->exchange, self->h, self->dense) : follow(self, m);

    if (st == P2P_OK && p2pi_is_hub(m))
        p2pi_exchange_estimate_mean(m->exchange, self->h, 0, self->G);
    return st;
}

static const p2pi_estimator three_point = { three_point_start, three_point_message, three_point_estimate };

/* ---- rows: constants A and B of a map give the step */

static double
step_of(double A, double B, const p2p_setting *at)
{
    const double factor = 1 / (1 + sqrt(2 * B / A));

    return at->convexity > 0 ? fmin(factor, A * at->smoothness / (2 * at->convexity)) : factor;
}

static double
theta(const p2p_compressor_constants *c)
{
    return 1 - sqrt(1 - p2pi_delta(c));
}

static double
choose_lag(p2pi_server_param *p, const p2p_setting *at, const p2p_compressor_constants *c)
{
    (void)c;
    return step_of(1, p->zeta, at);
}

static double
choose_clag(p2pi_server_param *p, const p2p_setting *at, const p2p_compressor_constants *c)
{
    return step_of(theta(c), fmax((1 - p2pi_delta(c)) / theta(c), p->zeta), at);
}

static double
choose_v1(p2pi_server_param *p, const p2p_setting *at, const p2p_compressor_constants *c)
{
    (void)p;
    return step_of(1, 1 - p2pi_delta(c), at);
}

/* As if Q's omega were d: it is not known before the slot is made. */
static double
choose_v2(p2pi_server_param *p, const p2p_setting *at, const p2p_compressor_constants *c)
{
    (void)p;
    return step_of(p2pi_delta(c), (1 - p2pi_delta(c)) * (double)at->dim, at);
}

static double
choose_v3(p2pi_server_param *p, const p2p_setting *at, const p2p_compressor_constants *c)
{
    return step_of(1, (1 - p2pi_delta(c)) * p->zeta, at);
}

static double
choose_v4(p2pi_server_param *p, const p2p_setting *at, const p2p_compressor_constants *c)
{
    const double r = 1 - p2pi_delta(c);

    (void)p;
    return step_of(1 - r, r * r / (1 - r), at);
}

static double
choose_v5(p2pi_server_param *p, const p2p_setting *at, const p2p_compressor_constants *c)
{
    double s;

    p2pi_if_auto(&p->p, fmin(0.5, p2pi_payload_share(at, c)));
    if (p->p == 1)
        return step_of(1, 0, at);
    s = 1 / sqrt(1 - p->p) - 1;
    return step_of(1 - (1 - p->p) * (1 + s), (1 - p->p) * (1 - p2pi_delta(c)) * (1 + 1 / s), at);
}

static double
choose_ef21_bc(p2pi_server_param *p, const p2p_setting *at, const p2p_compressor_constants *c)
{
    p->zeta = 0;
    return choose_clag(p, at, c) / 4;
}

#define ZETA                                                                                                         \
    {                                                                                                                \
        "zeta", P2P_OPT_REAL, "1", "0", NULL, "how lazy workers are", offsetof(p2pi_server_param, zeta)              \
    }

static const p2p_option step_options[] = { P2PI_SERVER_STEP, P2PI_SERVER_DOWN_MODE, P2PI_SERVER_END };
static const p2p_option lazy_options[] = { P2PI_SERVER_STEP, ZETA, P2PI_SERVER_DOWN_MODE, P2PI_SERVER_END };
static const p2p_option v2_options[] = { P2PI_SERVER_STEP,
                                         { "q", P2P_OPT_TEXT, "randk:k=10%", NULL, NULL,
                                           "unbiased compressor of the first piece", offsetof(p2pi_server_param, q) },
                                         P2PI_SERVER_DOWN_MODE,
                                         P2PI_SERVER_END };
static const p2p_option v5_options[] = { P2PI_SERVER_STEP,
                                         { "p", P2P_OPT_REAL, "auto", "(0", "1",
                                           "probability of a round without compression",
                                           offsetof(p2pi_server_param, p) },
                                         P2PI_SERVER_DOWN_MODE,
                                         P2PI_SERVER_END };
static const p2p_option adaptive_options[] = { P2PI_SERVER_STEP,
                                               ZETA,
                                               { "levels", P2P_OPT_TEXT, "", NULL, NULL,
                                                 "compressors to try first, from coarse to fine, with ; between",
                                                 offsetof(p2pi_server_param, levels) },
                                               P2PI_SERVER_DOWN_MODE,
                                               P2PI_SERVER_END };
static const p2p_option both_ways_options[] = { P2PI_SERVER_STEP, P2PI_SERVER_DOWN, P2PI_SERVER_END };

#define ROW(id, name, help, source, options, choose, variant)                                                        \
    P2PI_SERVER_ROW(id, name, help, source, options, P2P_METHOD_EXACT, &three_point, &p2pi_link_dense,               \
                    P2P_CONTRACTIVE, "contractive; use diana, or scaled() of it", choose, variant)

P2PI_SERVER_ROW(lag, "lag",
                "three-point lag, sgd, dense down: workers whose gradient has moved little are silent; exact",
                "arXiv:2202.00998", lazy_options, P2P_METHOD_RAW | P2P_METHOD_EXACT, &three_point, &p2pi_link_dense,
                0, "", choose_lag, LAG);
ROW(clag, "clag", "three-point clag, sgd, dense down: lag with compressed differences; exact", "arXiv:2202.00998",
    lazy_options, choose_clag, CLAG);
ROW(threepc_v1, "3pcv1",
    "three-point, sgd, dense down: differences from the last gradient, sent too; a yardstick; exact",
    "arXiv:2202.00998", step_options, choose_v1, V1);
ROW(threepc_v2, "3pcv2", "three-point, sgd, dense down: an unbiased piece, then a contractive one; exact",
    "arXiv:2202.00998", v2_options, choose_v2, V2);
ROW(threepc_v3, "3pcv3", "three-point, sgd, dense down: lag, then a compressed piece; exact", "arXiv:2202.00998",
    lazy_options, choose_v3, V3);
ROW(threepc_v4, "3pcv4", "three-point, sgd, dense down: two compressed pieces; exact", "arXiv:2202.00998",
    step_options, choose_v4, V4);
ROW(threepc_v5, "3pcv5", "three-point, sgd, dense down: marina under a contractive compressor; exact",
    "arXiv:2202.00998", v5_options, choose_v5, V5);
ROW(adacgd, "adacgd", "three-point, sgd, dense down: the coarsest of several compressors that is good enough; exact",
    "arXiv:2211.00188", adaptive_options, choose_clag, ADAPTIVE);
P2PI_SERVER_ROW(ef21_bc, "ef21-bc", "shift(1,1) both ways, sgd: ef21, and ef21 on the estimate down; exact",
                "arXiv:2202.00998", both_ways_options, P2P_METHOD_EXACT, &three_point, &p2pi_link_ef21,
                P2P_CONTRACTIVE, "contractive; use artemis", choose_ef21_bc, EF21);
