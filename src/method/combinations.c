/*
 * How the vectors of n nodes become one that all have:
 *
 *     hub         q_i = C(u_i) up;  G = mean q_i;  down G, or with a compressor w = G + e, out = C(w), e = w - out
 *     hub model   up the same;  the hub's y steps with G;  down out = C(y - x), x += out
 *     majority    a sign up, the sign that most have down; the swarm's coin where as many have one as the other
 *     all-reduce  the stages of a compressor whose messages add
 *
 * On a complete graph nothing goes down: every node repeats the hub's part.
 */
#include "base/text.h"
#include "method/engine_state.h"
#include "method/training.h"
#include "method/training_kernels.h"

#include <p2popt/random.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { UP, DOWN, DOWN_STREAM = 64 };

/* ---- hub */

static int
is_biased(const p2p_compressor_constants *c)
{
    return !(c->traits & (P2P_UNBIASED | P2P_LOSSLESS | P2P_STATEFUL));
}

static p2p_status
choose_feedback(p2pi_training *self, p2p_method_context *m, const p2p_compressor_constants *c)
{
    enum { AUTO, NO, YES };

    if (self->row->feedback != NULL)
        return P2P_OK;
    if (self->p.ef == NO && is_biased(c))
        p2p_method_warn(m, "method \"%s\": ef=no with a biased compressor: what it loses is lost for good",
                        m->setting->method);
    if (self->p.ef == YES || (self->p.ef == AUTO && is_biased(c)))
        self->feedback = &p2pi_feedback_ef;
    return P2P_OK;
}

static p2p_status
choose_feedback_of(p2pi_training *self, p2p_method_context *m, const char *spec)
{
    const p2p_compressor_constants *c;
    p2p_status st = p2pi_exchange_constants(m->exchange, spec, &c);

    return st == P2P_OK ? choose_feedback(self, m, c) : st;
}

/* dgc's k shrinks to its own over the first epochs. */
static double
share_of_epoch(const p2pi_training *self, double k, size_t epoch)
{
    return fmax(k, pow(k, ((double)epoch + 1) / ((double)self->p.warm + 1)));
}

static p2p_status
up_spec(p2pi_training *self, p2p_method_context *m, size_t epoch, char spec[P2PI_SPEC_MAX])
{
    const double d = (double)m->setting->dim;
    const double k = self->p.k.share > 0 ? self->p.k.share : (double)self->p.k.count / d;
    char own[64];

    if (!(k > 0))
        return p2pi_training_spec(&self->p, m, self->p.up.s, spec);
    snprintf(own, sizeof own, "topk:k=%.17g%%", 100 * fmin(1, share_of_epoch(self, k, epoch)));
    return p2pi_training_spec(&self->p, m, own, spec);
}

static p2p_status
hub_up(p2pi_training *self, p2p_method_context *m)
{
    char spec[P2PI_SPEC_MAX];
    p2p_status st = p2pi_need_hub(m);

    for (size_t i = 0; i <= (size_t)self->p.warm && st == P2P_OK; i++)
        if ((st = up_spec(self, m, i, spec)) == P2P_OK)
            st = p2pi_exchange_slot_with(m->exchange, 0, spec, 0, &self->up[i]);
    return st == P2P_OK ? choose_feedback(self, m, p2pi_exchange_slot_constants(m->exchange, self->up[0])) : st;
}

static p2p_status
hub_down(p2pi_training *self, p2p_method_context *m)
{
    char spec[P2PI_SPEC_MAX];
    p2p_status st;

    if (self->p.down.s[0] == '\0' || strcmp(self->p.down.s, "none") == 0)
        return p2pi_exchange_slot(m->exchange, P2P_SLOT_RAW | P2PI_SLOT_FROM_HUB, &self->down);
    if ((st = p2pi_training_spec(&self->p, m, self->p.down.s, spec)) != P2P_OK ||
        (st = p2pi_exchange_slot_with(m->exchange, P2PI_SLOT_FROM_HUB | P2PI_SLOT_BY_LAST, spec, DOWN_STREAM,
                                      &self->down)) != P2P_OK)
        return st;
    self->down_ef = is_biased(p2pi_exchange_slot_constants(m->exchange, self->down));
    return P2P_OK;
}

/* In the first rounds of some methods nothing is compressed. */
static p2p_status
hub_dense(p2pi_training *self, p2p_method_context *m)
{
    p2p_status st;

    if (self->p.dense == 0)
        return P2P_OK;
    if ((st = p2pi_exchange_slot(m->exchange, P2P_SLOT_RAW, &self->dense_up)) != P2P_OK)
        return st;
    return p2pi_exchange_slot(m->exchange, P2P_SLOT_RAW | P2PI_SLOT_FROM_HUB, &self->dense_down);
}

static p2p_status
hub_start(p2pi_training *self, p2p_method_context *m)
{
    p2p_status st;

    self->stages = 2;
    if ((st = hub_up(self, m)) != P2P_OK || (st = hub_down(self, m)) != P2P_OK || (st = hub_dense(self, m)) != P2P_OK)
        return st;
    return self->down_ef ? p2p_method_vector(m, "e-down", &self->e_down) : P2P_OK;
}

static p2p_status
send_up(p2pi_training *self, p2p_method_context *m)
{
    const int64_t epoch = self->p.warm > 0 ? m->round / self->p.epoch : 0;

    self->used = self->up[epoch < self->p.warm ? epoch : self->p.warm];
    if (m->round < self->p.dense)
        self->used = self->dense_up;
    if (p2pi_has_hub(m))
        p2pi_exchange_direct(m->exchange, P2PI_TO_HUB);
    return p2p_method_send(m, self->used, p2p_view_of(self->v), 1);
}

static size_t
down_slot(const p2pi_training *self, const p2p_method_context *m)
{
    return m->round < self->p.dense ? self->dense_down : self->down;
}

static p2p_status
send_down(p2pi_training *self, p2p_method_context *m, p2p_vec v)
{
    if (p2pi_has_hub(m))
        p2pi_exchange_direct(m->exchange, P2PI_FROM_HUB);
    if (p2pi_is_hub(m))
        return p2p_method_send(m, down_slot(self, m), p2p_view_of(v), 1);
    p2pi_exchange_hold(m->exchange, down_slot(self, m));
    return P2P_OK;
}

static p2p_status
take(p2pi_training *self, p2p_method_context *m)
{
    return p2pi_is_hub(m) ? p2p_method_sent(m, down_slot(self, m), self->out)
                          : p2pi_exchange_take_from_hub(m->exchange, down_slot(self, m), self->out);
}

static p2p_status
hub_emit(p2pi_training *self, p2p_method_context *m, size_t stage)
{
    if (stage == UP)
        return send_up(self, m);
    if (self->down_ef && p2pi_is_hub(m)) {
        p2p_vec_axpy(self->out, 1, p2p_view_of(self->e_down));
        p2p_vec_copy(self->v, p2p_view_of(self->out));
    }
    return send_down(self, m, self->out);
}

/* mean = that of a slot, at the hub. */
static p2p_status
gather_slot(p2p_method_context *m, size_t slot, p2p_vec mean)
{
    size_t count;
    p2p_status st;

    if (!p2pi_is_hub(m))
        return P2P_OK;
    if ((st = p2pi_exchange_sum(m->exchange, slot, mean, &count)) == P2P_OK)
        p2p_vec_scale(mean, 1 / (double)count);
    return st;
}

static p2p_status
gather(p2pi_training *self, p2p_method_context *m)
{
    p2p_status st;

    if (self->needs_sent) {
        if ((st = p2p_method_sent(m, self->used, self->q)) != P2P_OK)
            return st;
        p2pi_training_sent(self);
    }
    return gather_slot(m, self->used, self->out);
}

static p2p_status
hub_absorb(p2pi_training *self, p2p_method_context *m, size_t stage)
{
    p2p_status st;

    if (stage == UP)
        return gather(self, m);
    if ((st = take(self, m)) == P2P_OK && self->down_ef && p2pi_is_hub(m))
        p2p_vec_sub(self->e_down, p2p_view_of(self->v), p2p_view_of(self->out));
    return st;
}

const p2pi_combination p2pi_combine_hub = { hub_start, hub_emit, hub_absorb, 0 };

/* ---- hub pair: a second vector w goes along, as it is */

static p2p_status
pair_start(p2pi_training *self, p2p_method_context *m)
{
    p2p_status st;

    if ((st = hub_start(self, m)) != P2P_OK || (st = p2p_method_scratch(m, &self->w)) != P2P_OK ||
        (st = p2p_method_scratch(m, &self->w_all)) != P2P_OK ||
        (st = p2pi_exchange_slot(m->exchange, P2P_SLOT_RAW, &self->pair_up)) != P2P_OK)
        return st;
    return p2pi_exchange_slot(m->exchange, P2P_SLOT_RAW | P2PI_SLOT_FROM_HUB, &self->pair_down);
}

static p2p_status
pair_emit(p2pi_training *self, p2p_method_context *m, size_t stage)
{
    p2p_status st = hub_emit(self, m, stage);

    if (st != P2P_OK)
        return st;
    if (stage == UP)
        return p2p_method_send(m, self->pair_up, p2p_view_of(self->w), 1);
    if (p2pi_is_hub(m))
        return p2p_method_send(m, self->pair_down, p2p_view_of(self->w_all), 1);
    p2pi_exchange_hold(m->exchange, self->pair_down);
    return P2P_OK;
}

static p2p_status
pair_absorb(p2pi_training *self, p2p_method_context *m, size_t stage)
{
    p2p_status st = hub_absorb(self, m, stage);

    if (st != P2P_OK)
        return st;
    if (stage == UP)
        return gather_slot(m, self->pair_up, self->w_all);
    return p2pi_is_hub(m) ? P2P_OK : p2pi_exchange_take_from_hub(m->exchange, self->pair_down, self->w_all);
}

const p2pi_combination p2pi_combine_hub_pair = { pair_start, pair_emit, pair_absorb, 0 };

/* ---- hub model: y - x is what the link down has lost */

static p2p_status
model_start(p2pi_training *self, p2p_method_context *m)
{
    p2p_status st;

    self->stages = 2;
    if ((st = hub_up(self, m)) != P2P_OK || (st = hub_down(self, m)) != P2P_OK ||
        (st = p2p_method_vector(m, "y", &self->y)) != P2P_OK)
        return st;
    self->down_ef = 0;
    p2p_vec_copy(self->y, p2p_view_of(m->x));
    return P2P_OK;
}

static p2p_status
model_emit(p2pi_training *self, p2p_method_context *m, size_t stage)
{
    if (stage == UP)
        return send_up(self, m);
    if (p2pi_is_hub(m)) {
        p2pi_optimiser_step(&self->optimiser, self->y, self->out, self->lr);
        p2p_vec_sub(self->out, p2p_view_of(self->y), p2p_view_of(m->x));
    }
    return send_down(self, m, self->out);
}

static p2p_status
model_absorb(p2pi_training *self, p2p_method_context *m, size_t stage)
{
    p2p_status st;

    if (stage == UP)
        return gather(self, m);
    if ((st = take(self, m)) == P2P_OK)
        p2p_vec_axpy(m->x, 1, p2p_view_of(self->out));
    return st;
}

const p2pi_combination p2pi_combine_hub_model = { model_start, model_emit, model_absorb, 1 };

/* ---- majority */

static p2p_status
majority_start(p2pi_training *self, p2p_method_context *m)
{
    static const char signs[] = "sign:norm=none";
    p2p_status st = p2pi_need_hub(m);

    self->stages = 2;
    self->coins = p2pi_arena_array(engine_of(m)->arena, (m->setting->dim + 31) / 32, sizeof *self->coins);
    if (st == P2P_OK && self->coins == NULL)
        return P2P_ENOMEM;
    if (st != P2P_OK || (st = p2pi_exchange_slot_with(m->exchange, 0, signs, 0, &self->up[0])) != P2P_OK)
        return st;
    return p2pi_exchange_slot_with(m->exchange, P2PI_SLOT_FROM_HUB, signs, 0, &self->down);
}

static p2p_status
majority_emit(p2pi_training *self, p2p_method_context *m, size_t stage)
{
    return stage == UP ? send_up(self, m) : send_down(self, m, self->out);
}

static p2p_status
majority_absorb(p2pi_training *self, p2p_method_context *m, size_t stage)
{
    size_t count;
    p2p_status st;

    if (stage == DOWN)
        return take(self, m);
    if (!p2pi_is_hub(m))
        return P2P_OK;
    if ((st = p2pi_exchange_sum(m->exchange, self->used, self->out, &count)) != P2P_OK)
        return st;
    p2pi_exchange_shared_words(m->exchange, (m->setting->dim + 31) / 32, self->coins);
    p2pi_majority(self->coins, self->out);
    return P2P_OK;
}

const p2pi_combination p2pi_combine_majority = { majority_start, majority_emit, majority_absorb, 0 };

/* ---- all-reduce */

enum { STAGES_MOST = 255 /* a header counts them in a byte */ };

/* A low-rank compressor of a layer takes the layer's matrix. */
static void
name_rows(const p2p_layer *layer, const char *given, char spec[P2PI_SPEC_MAX])
{
    static const char *const names[] = { "powersgd", "powersgd+", "acpsgd", "greedylore" };
    const size_t len = strcspn(given, ":");

    spec[0] = '\0';
    p2pi_text_append(spec, P2PI_SPEC_MAX, "%s", given);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strlen(names[i]) == len && strncmp(given, names[i], len) == 0 && strstr(given, "rows=") == NULL)
            p2pi_text_append(spec, P2PI_SPEC_MAX, "%crows=%zu", given[len] == ':' ? ',' : ':', layer->rows);
}

static p2p_status
add_reduce(p2pi_training *self, p2p_method_context *m, const char *given, const p2p_layer *layer)
{
    const uint32_t number = (uint32_t)self->reduces;
    char spec[P2PI_SPEC_MAX];
    p2p_status st;
    size_t steps;

    name_rows(layer, given, spec);
    if ((st = p2pi_all_reduce_new(&self->reduce[number], m->exchange, spec, number, layer->offset,
                                  layer->rows * layer->cols)) != P2P_OK)
        return st;
    self->reduces++;
    steps = p2pi_all_reduce_steps(self->reduce[number]);
    self->stages = steps > self->stages ? steps : self->stages;
    if (self->stages > STAGES_MOST)
        return p2p_fail(
            P2P_ENOTSUP,
            "method \"%s\": %zu stages a round on a ring of %zu nodes: expected at most %d; use topology star",
            m->setting->method, self->stages, m->setting->nodes, STAGES_MOST);
    return P2P_OK;
}

static p2p_status
reduce_start(p2pi_training *self, p2p_method_context *m)
{
    const char *own = p2pi_exchange_compressor_spec(m->exchange);
    const char *spec = strcmp(own, "identity") != 0 ? own : self->p.up.s;
    const p2p_layer *layer, whole = { "x", m->setting->dim, 1, 0, 0 };
    size_t layers;
    p2p_status st = P2P_OK;

    p2p_problem_layers(m->problem, &layers, &layer);
    if (!self->p.layers || strcmp(spec, "identity") == 0)
        return add_reduce(self, m, spec, &whole);
    if (layers > P2PI_REDUCES_MAX)
        return p2p_fail(P2P_ENOTSUP, "method \"%s\": %zu layers: expected at most %d, or layers=no",
                        m->setting->method, layers, P2PI_REDUCES_MAX);
    for (size_t l = 0; l < layers && st == P2P_OK; l++)
        st = add_reduce(self, m, spec, &layer[l]);
    return st == P2P_OK ? choose_feedback_of(self, m, spec) : st;
}

static p2p_status
reduce_emit(p2pi_training *self, p2p_method_context *m, size_t stage)
{
    p2p_status st = P2P_OK;

    (void)m;
    for (size_t i = 0; i < self->reduces && st == P2P_OK; i++)
        st = p2pi_all_reduce_emit(self->reduce[i], stage, p2p_view_of(self->v));
    return st;
}

static p2p_status
reduce_finish(p2pi_training *self)
{
    p2p_status st = P2P_OK;

    for (size_t i = 0; i < self->reduces && st == P2P_OK; i++)
        st = p2pi_all_reduce_finish(self->reduce[i], self->out, self->q);
    if (st == P2P_OK && self->needs_sent) {
        p2p_vec_sub(self->q, p2p_view_of(self->v), p2p_view_of(self->q));
        p2pi_training_sent(self);
    }
    return st;
}

static p2p_status
reduce_absorb(p2pi_training *self, p2p_method_context *m, size_t stage)
{
    p2p_status st = P2P_OK;

    (void)m;
    for (size_t i = 0; i < self->reduces && st == P2P_OK; i++)
        st = p2pi_all_reduce_absorb(self->reduce[i], stage);
    return st == P2P_OK && stage + 1 == self->stages ? reduce_finish(self) : st;
}

const p2pi_combination p2pi_combine_all_reduce = { reduce_start, reduce_emit, reduce_absorb, 0 };
