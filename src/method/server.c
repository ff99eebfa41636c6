#include "method/server.h"

#include "method/engine_state.h"

#include <math.h>
#include <string.h>

enum { UP, DOWN };

/* ---- start */

double
p2pi_omega(const p2p_compressor_constants *c)
{
    return c->traits & P2P_LOSSLESS ? 0 : c->omega;
}

double
p2pi_delta(const p2p_compressor_constants *c)
{
    return c->traits & P2P_LOSSLESS ? 1 : c->delta;
}

double
p2pi_payload_share(const p2p_setting *at, const p2p_compressor_constants *c)
{
    const double share = c->bits_nominal / (8.0 * (double)p2p_dtype_size(at->type) * (double)at->dim);

    return c->traits & P2P_LOSSLESS || !(share < 1) ? 1 : share;
}

void
p2pi_if_auto(double *value, double chosen)
{
    if (p2p_is_auto(*value))
        *value = chosen;
}

void
p2pi_unwrap(p2p_text *text)
{
    const size_t len = strlen(text->s);

    if (len < 2 || text->s[0] != '(' || text->s[len - 1] != ')')
        return;
    memmove(text->s, text->s + 1, len - 2);
    text->s[len - 2] = '\0';
}

static p2p_status
check(const p2pi_server *self, p2p_method_context *m)
{
    const p2p_compressor_constants *c = p2p_method_compressor(m);
    const unsigned class = self->row->class;
    p2p_status st = p2pi_need_hub(m);

    if (st != P2P_OK)
        return st;
    if (class != 0 && !(c->traits & (class | P2P_LOSSLESS)))
        return p2p_fail(P2P_ENOTSUP, "method \"%s\": compressor \"%s\" is not %s", m->setting->method,
                        p2pi_exchange_compressor_spec(m->exchange), self->row->wanted);
    if (class == 0 && !(c->traits & (P2P_UNBIASED | P2P_LOSSLESS)) && m->setting->nodes > 1)
        p2p_method_warn(m, "method \"%s\": with a biased compressor and several nodes it may diverge; use ef21",
                        m->setting->method);
    return P2P_OK;
}

/* ---- the link down */

enum { MODE_EF21, MODE_MCM };

static const char *
down_spec(const p2pi_server *self, const p2p_method_context *m)
{
    const char *down = self->p.down.s;

    return strcmp(down, "same") == 0 ? p2pi_exchange_compressor_spec(m->exchange) : down;
}

static p2p_status
check_down(const p2pi_server *self, const p2p_method_context *m, unsigned traits)
{
    const int estimate = self->p.down_mode == MODE_EF21;
    const unsigned class = !self->mode ? self->row->class : estimate ? P2P_CONTRACTIVE : P2P_UNBIASED;

    if (class == 0 || (traits & (class | P2P_LOSSLESS)))
        return P2P_OK;
    return p2p_fail(P2P_ENOTSUP, "method \"%s\": down=%s is not %s", m->setting->method, down_spec(self, m),
                    !self->mode ? self->row->wanted
                    : estimate  ? "contractive; use down-mode=mcm"
                                : "unbiased; use down-mode=ef21");
}

/* With a down-mode the row's dense link is replaced by one that compresses. */
static p2p_status
choose_link(p2pi_server *self, p2p_method_context *m)
{
    const p2p_compressor_constants *c;
    p2p_status st;

    p2pi_unwrap(&self->p.down);
    self->link = self->row->link;
    if (self->p.down.s[0] == '\0' || strcmp(self->p.down.s, "none") == 0)
        return P2P_OK;
    if ((st = p2pi_exchange_constants(m->exchange, down_spec(self, m), &c)) != P2P_OK)
        return st;
    self->p.omega_down = p2pi_omega(c);
    self->mode = self->link == &p2pi_link_dense;
    if (self->mode) {
        self->link = self->p.down_mode == MODE_EF21 ? &p2pi_link_ef21 : &p2pi_link_mcm;
        self->p.alpha_down = NAN;
    }
    return check_down(self, m, c->traits);
}

/* What a down-mode leaves of a step: with ef21 a quarter; with mcm what its own row says for a lossless link up. */
static double
share_of_mode(const p2pi_server *self)
{
    const double omega = self->p.omega_down;

    return self->p.down_mode == MODE_EF21 ? 0.25 : 1 / (2 + 8 * omega + 8 * pow(omega, 1.5));
}

/* ---- */

static p2p_status
choose_step(p2pi_server *self, p2p_method_context *m)
{
    double factor = self->row->choose(&self->p, m->setting, p2p_method_compressor(m));

    if (self->mode)
        factor *= share_of_mode(self);
    if (p2p_is_auto(self->p.step) && !(factor > 0))
        return p2p_fail(P2P_EINVAL, "method \"%s\": step=auto: the compressor has no known constants; give a step",
                        m->setting->method);
    return p2pi_auto_step(m, factor, 2, &self->p.step);
}

p2p_status
p2pi_server_start(p2pi_server *self, p2p_method_context *m, const p2pi_server_row *row)
{
    p2p_status st;

    self->row = row;
    if ((st = check(self, m)) != P2P_OK || (st = choose_link(self, m)) != P2P_OK ||
        (st = choose_step(self, m)) != P2P_OK || (st = p2p_method_scratch(m, &self->v)) != P2P_OK ||
        (st = p2p_method_scratch(m, &self->q)) != P2P_OK || (st = p2p_method_scratch(m, &self->g)) != P2P_OK ||
        (st = row->estimator->start(self, m)) != P2P_OK)
        return st;
    return self->link->start(self, m);
}

/* ---- for estimators */

p2p_status
p2pi_grad_full(p2p_method_context *m, p2p_view x, p2p_vec g)
{
    return p2p_problem_grad(m->problem, x, NULL, 0, g);
}

int
p2pi_has_batch(const p2p_method_context *m)
{
    return engine_of(m)->batch.size > 0;
}

p2p_status
p2pi_server_mean(p2p_method_context *m, size_t slot, p2p_vec G)
{
    size_t count;
    p2p_status st = p2pi_exchange_sum(m->exchange, slot, G, &count);

    if (st == P2P_OK && count > 0)
        p2p_vec_scale(G, 1 / (double)count);
    return st;
}

p2p_status
p2pi_reserve_samples(p2p_method_context *m, size_t count)
{
    p2pi_engine *engine = engine_of(m);

    if (count <= engine->batch.size)
        return P2P_OK;
    engine->samples = p2pi_arena_array(engine->arena, count, sizeof *engine->samples);
    return engine->samples ? P2P_OK : P2P_ENOMEM;
}

p2p_status
p2pi_grad_samples(p2p_method_context *m, size_t count, uint32_t t, p2p_view x, p2p_vec g)
{
    const p2pi_engine *engine = engine_of(m);
    const p2p_batch batch = { count, engine->batch.shuffle };
    size_t drawn;
    p2p_status st =
        p2p_problem_batch(m->problem, &batch, engine->seed, (uint32_t)m->setting->rank, t, engine->samples, &drawn);

    if (st != P2P_OK)
        return st;
    return p2p_problem_grad(m->problem, x, drawn > 0 ? engine->samples : NULL, drawn, g);
}

/* ---- for links */

p2p_status
p2pi_server_participants(p2pi_server *self, p2p_method_context *m)
{
    if (self->p.part > (int64_t)m->setting->nodes)
        return p2p_fail(P2P_EINVAL, "method \"%s\": part=%lld: expected 0 (all), or 1 to %zu workers",
                        m->setting->method, (long long)self->p.part, m->setting->nodes);
    return self->p.part > 0 ? p2pi_exchange_participants(m->exchange) : P2P_OK;
}

p2p_status
p2pi_server_down_slot(p2pi_server *self, p2p_method_context *m, uint32_t stream, size_t *slot)
{
    return p2pi_exchange_slot_with(m->exchange, P2PI_SLOT_FROM_HUB, down_spec(self, m), stream, slot);
}

p2p_status
p2pi_server_cast(p2p_method_context *m, size_t slot, p2p_vec v)
{
    if (p2pi_is_hub(m))
        return p2p_method_send(m, slot, p2p_view_of(v), 1);
    p2pi_exchange_hold(m->exchange, slot);
    return P2P_OK;
}

p2p_status
p2pi_server_take(p2p_method_context *m, size_t slot, p2p_vec v)
{
    return p2pi_is_hub(m) ? p2p_method_sent(m, slot, v) : p2pi_exchange_take_from_hub(m->exchange, slot, v);
}

/* ---- the two stages */

p2p_status
p2pi_server_emit(void *instance, p2p_method_context *m, size_t stage)
{
    p2pi_server *self = instance;

    if (p2pi_has_hub(m))
        p2pi_exchange_direct(m->exchange, stage == UP ? P2PI_TO_HUB : P2PI_FROM_HUB);
    if (stage == DOWN)
        return self->link->cast(self, m);
    return self->row->estimator->message(self, m, self->link->point ? self->link->point(self, m) : p2p_view_of(m->x));
}

p2p_status
p2pi_server_absorb(void *instance, p2p_method_context *m, size_t stage)
{
    p2pi_server *self = instance;

    return stage == UP ? self->row->estimator->estimate(self, m) : self->link->apply(self, m);
}
