#include "method/training.h"

#include "base/fail.h"
#include "base/text.h"
#include "method/automatic.h"
#include "method/optimiser_kernels.h"
#include "method/server.h"

#include <math.h>
#include <string.h>

/* ---- start */

/* Steps of methods that divide by moments are not in units of 1/L. */
static p2p_status
choose_step(p2pi_training *self, p2p_method_context *m)
{
    const p2pi_source *source = self->row->source;
    const int inside = (source->is_step && source->step == NULL) || self->row->feedback == &p2pi_feedback_dgc;
    const double factor = p2pi_optimiser_factor(&self->p.optimiser) * (inside ? 1 - self->p.momentum : 1);

    if (factor > 0)
        return p2pi_auto_step(m, factor, 2 * (1 + self->p.optimiser.beta), &self->p.step);
    if (p2p_is_auto(self->p.step))
        self->p.step = 1e-3;
    m->step = self->p.step;
    return P2P_OK;
}

/* On a ring the hub's mean is an all-reduce. */
static const p2pi_combination *
combination_for(const p2pi_training *self, const p2p_method_context *m)
{
    const int dense_down = self->p.down.s[0] == '\0' || strcmp(self->p.down.s, "none") == 0;
    const int averages = self->row->combination == &p2pi_combine_hub && self->feedback != &p2pi_feedback_dgc;

    if (p2pi_exchange_pattern(m->exchange) == P2PI_PATTERN_GOSSIP && averages && dense_down)
        return &p2pi_combine_all_reduce;
    return self->row->combination;
}

/* Rows that say how they compress take no other compressor. */
static p2p_status
check_compressor(const p2pi_training *self, const p2p_method_context *m)
{
    if (self->p.up.s[0] != '\0' || (p2p_method_compressor(m)->traits & P2P_LOSSLESS))
        return P2P_OK;
    return p2p_fail(P2P_ENOTSUP, "method \"%s\" compresses in its own way: use compressor identity, not \"%s\"",
                    m->setting->method, p2pi_exchange_compressor_spec(m->exchange));
}

p2p_status
p2pi_training_start(p2pi_training *self, p2p_method_context *m, const p2pi_training_row *row)
{
    p2p_status st;

    self->row = row;
    p2pi_unwrap(&self->p.up);
    p2pi_unwrap(&self->p.down);
    self->feedback = row->feedback ? row->feedback : &p2pi_feedback_none;
    self->combination = combination_for(self, m);
    if ((st = check_compressor(self, m)) != P2P_OK || (st = choose_step(self, m)) != P2P_OK ||
        (st = p2p_method_scratch(m, &self->v)) != P2P_OK || (st = p2p_method_scratch(m, &self->q)) != P2P_OK ||
        (st = p2p_method_scratch(m, &self->out)) != P2P_OK ||
        (row->source->start != NULL && (st = row->source->start(self, m)) != P2P_OK) ||
        (st = self->combination->start(self, m)) != P2P_OK ||
        (self->feedback->start != NULL && (st = self->feedback->start(self, m)) != P2P_OK))
        return st;
    self->needs_sent = self->feedback->after != NULL || row->source->needs_sent;
    p2p_method_stages(m, self->stages);
    return row->source->is_step ? P2P_OK : p2pi_optimiser_start(&self->optimiser, m, &self->p.optimiser);
}

/* Whether layers are anything but the vector itself. */
static int
has_layers(const p2p_method_context *m)
{
    const p2p_layer *layer;
    size_t layers;

    p2p_problem_layers(m->problem, &layers, &layer);
    return layers > 1 || layer[0].cols > 1;
}

p2p_status
p2pi_training_spec(const p2pi_training_param *p, p2p_method_context *m, const char *spec, char text[P2PI_SPEC_MAX])
{
    const char *own = p2pi_exchange_compressor_spec(m->exchange);
    const p2p_compressor_constants *c;
    p2p_status st;
    int by_layers;

    if (strcmp(spec, "same") == 0 || (spec == p->up.s && strcmp(own, "identity") != 0))
        spec = strcmp(own, "identity") != 0 ? own : p->up.s;
    if ((st = p2pi_exchange_constants(m->exchange, spec, &c)) != P2P_OK)
        return st;
    by_layers = p->layers && has_layers(m) && !(c->traits & (P2P_STATEFUL | P2P_LOSSLESS)) &&
                strncmp(spec, "layers", strlen("layers")) != 0;
    text[0] = '\0';
    p2pi_text_append(text, P2PI_SPEC_MAX, by_layers ? "layers(%s)" : "%s", spec);
    return P2P_OK;
}

/* ---- rounds */

void
p2pi_training_begin(p2pi_training *self, p2p_method_context *m)
{
    m->step = self->lr = p2pi_schedule_at(&self->p.schedule, self->p.step, m->round);
}

p2p_status
p2pi_clipped_gradient(const p2pi_training_param *p, p2p_method_context *m, uint32_t t, p2p_view x, p2p_vec g)
{
    p2p_status st = p2p_method_grad(m, t, x, g);
    double norm;

    if (st != P2P_OK)
        return st;
    if (p->clip > 0 && (norm = p2p_vec_norm2(p2p_view_of(g))) > p->clip)
        p2p_vec_scale(g, p->clip / norm);
    if (p->clip_value > 0)
        p2pi_clip_entries(p->clip_value, g);
    return P2P_OK;
}

p2p_status
p2pi_training_emit(void *instance, p2p_method_context *m, size_t stage)
{
    p2pi_training *self = instance;
    p2p_status st;

    if (stage == 0) {
        p2pi_training_begin(self, m);
        if ((st = self->row->source->emit(self, m)) != P2P_OK)
            return st;
        if (self->feedback->before != NULL)
            self->feedback->before(self);
    }
    st = self->combination->emit(self, m, stage);
    return st == P2P_EINVAL ? P2P_EDIVERGED : st;
}

void
p2pi_training_sent(p2pi_training *self)
{
    if (self->feedback->after != NULL)
        self->feedback->after(self);
}

static void
step(p2pi_training *self, p2p_method_context *m)
{
    const p2pi_source *source = self->row->source;

    if (source->done != NULL)
        source->done(self, m);
    if (source->step != NULL)
        source->step(self, m);
    else if (source->is_step)
        p2p_vec_axpy(m->x, -1, p2p_view_of(self->out));
    else
        p2pi_optimiser_step(&self->optimiser, m->x, self->out, source->rate ? source->rate(self) : self->lr);
}

p2p_status
p2pi_training_absorb(void *instance, p2p_method_context *m, size_t stage)
{
    p2pi_training *self = instance;
    p2p_status st = self->combination->absorb(self, m, stage);

    if (st == P2P_OK && stage + 1 == self->stages && !self->combination->steps)
        step(self, m);
    return st;
}
