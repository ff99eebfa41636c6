#include "method/engine.h"

#include "base/fail.h"
#include "base/spec.h"
#include "base/text.h"
#include "method/engine_state.h"
#include "method/method_family.h"
#include "problem/problems.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- making */

static p2p_status
parse_method(p2pi_engine *self, const char *spec)
{
    char text[ENGINE_TEXT_MAX];
    p2pi_span name, options;
    p2p_status st;
    size_t index;

    p2pi_spec_split(p2pi_span_of(spec), &name, &options);
    if ((st = p2pi_spec_find("method", name, p2pi_method_entry, &index)) != P2P_OK)
        return st;
    self->method = p2pi_method_table(index);
    self->setting.method = self->method->entry.name;
    if ((self->instance = p2pi_arena_take(self->arena, self->method->instance_size)) == NULL)
        return P2P_ENOMEM;
    if ((st = p2pi_spec_parse("method", &self->method->entry, options, self->instance)) != P2P_OK)
        return st;
    p2pi_spec_format(&self->method->entry, self->instance, text, sizeof text);
    self->method_spec = p2pi_arena_text(self->arena, text);
    return self->method_spec ? P2P_OK : P2P_ENOMEM;
}

static p2p_status
make_exchange(p2pi_engine *self, const p2pi_engine_config *config)
{
    char layers[P2PI_SPEC_MAX];
    p2pi_exchange_config exchange = {
        .rank = config->rank,
        .nodes = self->setting.nodes,
        .dim = self->setting.dim,
        .type = self->setting.type,
        .seed = config->seed,
        .neighbourhood = p2p_topology_at(config->topology, config->rank),
        .schedule = config->topology,
        .compressor = config->compressor ? config->compressor : "identity",
        .aggregator = config->aggregator ? config->aggregator : "mean",
        .pool = config->pool,
        .layers = layers,
        .rule_at_hub = (self->method->traits & P2P_METHOD_HUB) != 0,
        .trial = config->trial,
    };

    p2pi_problem_layer_sizes(config->problem, layers, sizeof layers);
    return p2pi_exchange_new(&self->exchange, &exchange);
}

/* What the traits of method, compressor and aggregator say about each other. */
static p2p_status
check_combination(const p2pi_engine *self)
{
    const char *method = self->method->entry.name, *rule = p2pi_exchange_aggregator_spec(self->exchange);
    unsigned wants = self->method->traits, has = p2pi_exchange_compressor(self->exchange)->traits;

    if ((wants & P2P_METHOD_RAW) && !(has & P2P_LOSSLESS))
        return p2p_fail(P2P_ENOTSUP,
                        "method \"%s\" sends its vectors as they are: compressor \"%s\" would lose a part "
                        "of them in every round; use identity, or a method that sends innovations (cold, "
                        "lead, choco)",
                        method, self->compressor_spec);
    if ((wants & P2P_METHOD_RANGED) && !(has & P2P_ABSOLUTE))
        return p2p_fail(P2P_ENOTSUP,
                        "method \"%s\" needs a quantiser for a range that all nodes know, such as binary: "
                        "compressor \"%s\" sends its own scale; use it with cold",
                        method, self->compressor_spec);
    if (!(wants & (P2P_METHOD_RANGED | P2P_METHOD_ABSOLUTE)) && (has & P2P_ABSOLUTE) &&
        !(has & (P2P_CONTRACTIVE | P2P_UNBIASED)))
        return p2p_fail(P2P_ENOTSUP,
                        "compressor \"%s\" needs a scale from the method: method \"%s\" has none; use "
                        "dyna-cold, or a compressor that sends its scale, such as sign",
                        self->compressor_spec, method);
    if (has & P2P_TRACKED)
        return p2p_fail(P2P_ENOTSUP,
                        "compressor \"%s\" keeps an estimate at its receivers: the methods do so themselves; "
                        "use the compressor inside it",
                        self->compressor_spec);
    if (!(wants & P2P_METHOD_AGGREGATE) && strcmp(rule, "mean") != 0)
        return p2p_fail(P2P_ENOTSUP,
                        "method \"%s\" combines neighbours by their mean: aggregator \"%s\" works with "
                        "dgd, robust-gossip and robust-choco, over a hub with rosdhb, gd, dqsgd, dcgd and ef-sgd, and with "
                        "sgda-ra, m-sgda-ra and seg-ra",
                        method, rule);
    return P2P_OK;
}

/* What the method needs of the weights, and what the topology's rounds give. */
static p2p_status
check_topology(const p2pi_engine *self, const char *topology)
{
    const char *method = self->method->entry.name;
    unsigned wants = self->method->traits, has = self->setting.topology;

    if ((has & P2P_TOPOLOGY_PUSH) && !(wants & P2P_METHOD_PUSH))
        return p2p_fail(P2P_ENOTSUP,
                        "method \"%s\" needs weights whose rows and columns sum to 1: those of the directed topology "
                        "\"%s\" do not; use sgp",
                        method, topology);
    if ((wants & P2P_METHOD_DUAL) && has != 0)
        return p2p_fail(
            P2P_ENOTSUP,
            "method \"%s\" ties its duals to one symmetric W: topology \"%s\" changes from round to round; "
            "use gt, cgt, beer, choco or dgd",
            method, topology);
    if ((has & P2P_TOPOLOGY_PAIRS) && strcmp(p2pi_exchange_aggregator_spec(self->exchange), "mean") != 0)
        return p2p_fail(
            P2P_ENOTSUP,
            "aggregator \"%s\" compares neighbours: with topology \"%s\" a node hears at most one in a round; "
            "use mean, or another topology",
            p2pi_exchange_aggregator_spec(self->exchange), topology);
    if ((wants & P2P_METHOD_ASYNCHRONOUS) && has != 0)
        return p2p_fail(
            P2P_ENOTSUP,
            "method \"%s\" knows no common rounds: topology \"%s\" names edges for each; use an undirected "
            "one that stays as it is",
            method, topology);
    if ((wants & P2P_METHOD_PAIRS) && !(has & P2P_TOPOLOGY_PAIRS))
        return p2p_fail(P2P_ENOTSUP,
                        "method \"%s\" takes the mean with one other node a round: topology \"%s\" has no such "
                        "rounds; use topology one-peer or matchings, or method dgd",
                        method, topology);
    return P2P_OK;
}

/* Games, and problems with a set or a regulariser, are for methods that know of them. */
static p2p_status
check_problem(const p2pi_engine *self)
{
    const char *method = self->method->entry.name, *problem = p2p_problem_spec(self->problem);
    const unsigned wants = self->method->traits, has = p2p_problem_flags(self->problem);

    if (wants & P2P_METHOD_CONSENSUS)
        return P2P_OK;
    if ((has & P2P_PROBLEM_GAME) && !(wants & P2P_METHOD_OPERATOR))
        return p2p_fail(
            P2P_ENOTSUP,
            "method \"%s\" minimises: problem \"%s\" is a game; use cold-vi, gt-ogda, or, on topology star "
            "or complete, extragradient, frb or masha1",
            method, problem);
    if ((has & P2P_PROBLEM_PROX) && !(wants & P2P_METHOD_PROX))
        return p2p_fail(
            P2P_ENOTSUP, "method \"%s\" has no proximal step: problem \"%s\" has a set or a regulariser; use %s",
            method, problem,
            has & P2P_PROBLEM_GAME ? "cold-vi, or, on topology star or complete, extragradient, frb or masha1"
                                   : "cold or nids, or, on topology star or complete, gd, diana or ef21");
    return P2P_OK;
}

/* Liars lie in the vectors of rounds that all have in common, each from one node to its neighbours. */
static p2p_status
check_trial(const p2pi_engine *self, const p2pi_trial *trial)
{
    if (trial != NULL &&
        ((self->method->traits & P2P_METHOD_ASYNCHRONOUS) || p2pi_exchange_reduces(self->exchange)))
        return p2p_fail(P2P_ENOTSUP,
                        "byzantine \"%s\": method \"%s\" does not send vectors to neighbours in common rounds",
                        trial->attack, self->method->entry.name);
    return P2P_OK;
}

static p2p_status
take_start(p2pi_engine *self, p2p_view start)
{
    p2p_vec x;
    p2p_status st;
    size_t bad;

    if ((st = p2pi_exchange_vector(self->exchange, "x", &x)) != P2P_OK)
        return st;
    self->context.x = x;
    if (start.data == NULL)
        st = p2p_problem_start(self->problem, x);
    else if (start.dim != x.dim)
        return p2p_fail(P2P_EINVAL, "starting point: %zu entries, expected %zu", start.dim, x.dim);
    else
        p2p_vec_convert(x, start);
    if (st == P2P_OK && (bad = p2p_vec_first_nonfinite(p2p_view_of(x))) < x.dim)
        return p2p_fail(P2P_EINVAL, "starting point: entry %zu is not finite", bad);
    return st;
}

/* The swarm's scale for the divergence guard: this node's part of it, agreed with the others before round 0. */
static p2p_status
watch_movement(p2pi_engine *self)
{
    p2p_vec before;
    double scale = p2p_vec_norm2(p2p_view_of(self->context.x));
    p2p_status st;

    if ((st = p2pi_exchange_vector(self->exchange, NULL, &before)) != P2P_OK)
        return st;
    if (self->context.step > 0) {
        if ((st = p2p_problem_grad(self->problem, p2p_view_of(self->context.x), NULL, 0, before)) != P2P_OK)
            return st;
        scale = fmax(scale, self->context.step * p2p_vec_norm2(p2p_view_of(before)));
    }
    p2pi_movement_start(&self->movement, before, scale, (self->method->traits & P2P_METHOD_EXACT) != 0);
    return p2pi_exchange_agree_max(self->exchange, &self->movement.scale);
}

static void
describe_setting(p2p_setting *setting, const p2pi_engine_config *config)
{
    setting->rank = config->rank;
    setting->nodes = p2p_topology_size(config->topology);
    setting->dim = p2p_problem_dim(config->problem);
    setting->type = p2p_problem_type(config->problem);
    setting->smoothness = config->smoothness;
    setting->convexity = config->convexity;
    setting->topology = p2p_topology_traits(config->topology);
    if (config->figures != NULL) {
        setting->lambda_2 = config->figures->lambda_2;
        setting->lambda_n = config->figures->lambda_n;
        setting->gap = config->figures->gap;
        setting->beta = config->figures->beta;
    }
}

static p2p_status
set_up(p2pi_engine *self, const p2pi_engine_config *config)
{
    p2p_status st;

    describe_setting(&self->setting, config);
    if ((st = p2pi_arena_new(&self->arena)) != P2P_OK || (st = parse_method(self, config->method)) != P2P_OK ||
        (st = make_exchange(self, config)) != P2P_OK)
        return st;
    self->compressor_spec = p2pi_arena_text(self->arena, p2pi_exchange_compressor_spec(self->exchange));
    if (self->compressor_spec == NULL)
        return P2P_ENOMEM;
    if ((st = check_combination(self)) != P2P_OK ||
        (st = check_topology(self, p2p_topology_spec(config->topology))) != P2P_OK)
        return st;
    self->stages = self->method->stages;
    self->problem = config->problem;
    self->seed = config->seed;
    self->batch = config->batch;
    if ((self->samples = p2pi_arena_array(self->arena, self->batch.size, sizeof *self->samples)) == NULL)
        return P2P_ENOMEM;
    self->context = (p2p_method_context){
        .setting = &self->setting,
        .exchange = self->exchange,
        .problem = self->problem,
        .engine = self,
    };
    if ((st = check_problem(self)) != P2P_OK)
        return st;
    if ((self->method->traits & P2P_METHOD_ASYNCHRONOUS) &&
        (st = p2pi_exchange_vector(self->exchange, NULL, &self->theirs)) != P2P_OK)
        return st;
    if ((st = take_start(self, config->start)) != P2P_OK ||
        (st = self->method->start(self->instance, &self->context)) != P2P_OK ||
        (st = check_trial(self, config->trial)) != P2P_OK)
        return st;
    return watch_movement(self);
}

p2p_status
p2pi_engine_new(p2pi_engine **out, const p2pi_engine_config *config)
{
    p2p_status st;

    if ((*out = calloc(1, sizeof **out)) == NULL)
        return p2pi_fail_memory("engine", sizeof **out);
    if ((st = set_up(*out, config)) != P2P_OK)
        p2pi_engine_destroy(out);
    return st;
}

void
p2pi_engine_destroy(p2pi_engine **self)
{
    if (*self == NULL)
        return;
    p2pi_exchange_destroy(&(*self)->exchange);
    p2pi_arena_destroy(&(*self)->arena);
    free(*self);
    *self = NULL;
}

size_t
p2pi_engine_agreement(p2pi_engine *self, double *const **values)
{
    return p2pi_exchange_agreed(self->exchange, values);
}

/* ---- rounds */

static p2p_status
explain(p2pi_engine *self, p2p_status st)
{
    if (st != P2P_EDIVERGED)
        return st;
    return p2pi_fail_context(st, "diverged in round %u with %s; smaller steps or less gossip may help",
                             (unsigned)self->context.round, p2pi_engine_parameters(self));
}

size_t
p2pi_engine_stages(const p2pi_engine *self)
{
    return self->stages;
}

size_t
p2pi_engine_bound(const p2pi_engine *self)
{
    return p2pi_exchange_bound(self->exchange);
}

void
p2pi_engine_place(p2pi_engine *self, uint32_t slot, uint8_t *buffer)
{
    p2pi_exchange_place(self->exchange, slot, buffer);
}

p2p_status
p2pi_engine_emit(p2pi_engine *self, uint32_t round, size_t stage)
{
    p2p_status st;

    assert(stage < self->stages);
    self->context.round = round;
    p2pi_exchange_begin(self->exchange, round);
    p2pi_exchange_stage(self->exchange, (uint64_t)round * self->stages + stage);
    if (stage == 0)
        p2pi_movement_begin(&self->movement, round, p2p_view_of(self->context.x));
    if ((st = self->method->emit(self->instance, &self->context, stage)) != P2P_OK)
        return explain(self, st);
    p2pi_exchange_emitted(self->exchange);
    for (uint32_t i = 0; i < p2pi_exchange_outgoing(self->exchange); i++) {
        p2pi_message message = p2pi_exchange_message(self->exchange, i);

        self->outgoing[i] = (p2pi_outgoing){ i, message.bytes, message.len, message.doublings };
    }
    return P2P_OK;
}

size_t
p2pi_engine_outgoing(const p2pi_engine *self, const p2pi_outgoing **messages)
{
    *messages = self->outgoing;
    return p2pi_exchange_outgoing(self->exchange);
}

int
p2pi_engine_sends(const p2pi_engine *self, size_t neighbour)
{
    return p2pi_exchange_sends(self->exchange, neighbour);
}

int
p2pi_engine_lies(const p2pi_engine *self)
{
    return p2pi_exchange_lies(self->exchange);
}

p2pi_message
p2pi_engine_told(const p2pi_engine *self, uint32_t slot, size_t neighbour)
{
    return p2pi_exchange_told(self->exchange, slot, neighbour);
}

size_t
p2pi_engine_expected(const p2pi_engine *self, uint32_t round, size_t stage)
{
    assert(round == self->context.round && stage < self->stages);
    (void)round;
    (void)stage;
    return p2pi_exchange_outgoing(self->exchange);
}

p2p_status
p2pi_engine_deliver(p2pi_engine *self, size_t neighbour, uint32_t slot, p2pi_message message)
{
    return p2pi_exchange_deliver(self->exchange, neighbour, slot, message);
}

int
p2pi_engine_refused(const p2pi_engine *self, size_t neighbour)
{
    return p2pi_exchange_refused(self->exchange, neighbour);
}

p2p_status
p2pi_engine_absorb(p2pi_engine *self, size_t stage)
{
    p2p_status st;

    if ((st = p2pi_exchange_close(self->exchange)) != P2P_OK)
        return st;
    st = self->method->absorb(self->instance, &self->context, stage);
    if (st == P2P_OK && stage + 1 == self->stages)
        st = p2pi_movement_end(&self->movement, p2p_view_of(self->context.x));
    return explain(self, st);
}

/* ---- asynchronous methods */

int
p2pi_engine_is_asynchronous(const p2pi_engine *self)
{
    return (self->method->traits & P2P_METHOD_ASYNCHRONOUS) != 0;
}

p2p_status
p2pi_engine_meet(p2pi_engine *self, size_t neighbour, double share, const uint8_t *bytes, size_t size, uint8_t *out,
                 size_t *len)
{
    const p2p_vec d = self->theirs, x = self->context.x;
    p2p_status st;

    if ((st = p2pi_exchange_read(self->exchange, neighbour, bytes, size, d)) != P2P_OK)
        return st;
    p2p_vec_combine(d, share, p2p_view_of(d), -share, p2p_view_of(x));
    if ((st = p2pi_exchange_write(self->exchange, p2p_view_of(d), out, len)) != P2P_OK)
        return p2p_fail(P2P_EPROTO, "a vector too far away: %s", p2p_last_error());
    p2p_vec_axpy(x, 1, p2p_view_of(d));
    return P2P_OK;
}

p2p_status
p2pi_engine_ask(p2pi_engine *self, uint8_t *out, size_t *len)
{
    p2p_status st = p2pi_exchange_write(self->exchange, p2p_view_of(self->context.x), out, len);

    return explain(self, st == P2P_EINVAL ? P2P_EDIVERGED : st);
}

double
p2pi_engine_moved(const p2pi_engine *self)
{
    double norm = p2p_vec_norm2(p2p_view_of(self->context.x));

    return norm > 0 ? p2p_vec_norm2(p2p_view_of(self->theirs)) / norm : 0;
}

p2p_status
p2pi_engine_settle(p2pi_engine *self, size_t neighbour, const uint8_t *bytes, size_t size)
{
    p2p_status st = p2pi_exchange_read(self->exchange, neighbour, bytes, size, self->theirs);

    if (st == P2P_OK)
        p2p_vec_axpy(self->context.x, -1, p2p_view_of(self->theirs));
    return st;
}

/* ---- figures and texts */

p2p_view
p2pi_engine_iterate(const p2pi_engine *self)
{
    return p2p_view_of(self->context.x);
}

double
p2pi_engine_residual(const p2pi_engine *self)
{
    if (!(self->method->traits & P2P_METHOD_EXACT))
        return NAN;
    if (p2p_problem_flags(self->problem) & P2P_PROBLEM_GAME)
        return p2pi_movement_distance(&self->movement);
    return p2pi_movement_residual(&self->movement, self->context.step);
}

uint64_t
p2pi_engine_bits(const p2pi_engine *self)
{
    return p2pi_exchange_bits(self->exchange);
}

double
p2pi_engine_bits_nominal(const p2pi_engine *self)
{
    return p2pi_exchange_bits_nominal(self->exchange);
}

double
p2pi_engine_vectors(const p2pi_engine *self)
{
    return p2pi_exchange_vectors(self->exchange);
}

uint64_t
p2pi_engine_overloads(const p2pi_engine *self)
{
    return p2pi_exchange_overloads(self->exchange);
}

const char *
p2pi_engine_warning(p2pi_engine *self)
{
    if (self->warning[0] == '\0')
        return NULL;
    memcpy(self->taken, self->warning, sizeof self->taken);
    self->warning[0] = '\0';
    return self->taken;
}

const char *
p2pi_engine_method_spec(const p2pi_engine *self)
{
    return self->method_spec;
}

const char *
p2pi_engine_compressor_spec(const p2pi_engine *self)
{
    return self->compressor_spec;
}

const char *
p2pi_engine_parameters(const p2pi_engine *self)
{
    char *text = ((p2pi_engine *)self)->parameters;
    const char *compressor = p2pi_exchange_compressor_spec(self->exchange);

    p2pi_spec_format(&self->method->entry, self->instance, text, ENGINE_TEXT_MAX);
    if (strcmp(compressor, self->compressor_spec) != 0)
        p2pi_text_append(text, ENGINE_TEXT_MAX, " over %s", compressor);
    return text;
}

/* ---- membership and state */

void
p2pi_engine_drop(p2pi_engine *self, size_t neighbour)
{
    p2pi_exchange_drop(self->exchange, neighbour);
}

void
p2pi_engine_changed(p2pi_engine *self)
{
    p2pi_exchange_changed(self->exchange);
}

int
p2pi_engine_dropped(const p2pi_engine *self, size_t neighbour)
{
    return p2pi_exchange_dropped(self->exchange, neighbour);
}

size_t
p2pi_engine_shared_size(const p2pi_engine *self)
{
    return p2pi_exchange_shared_size(self->exchange);
}

void
p2pi_engine_shared_export(const p2pi_engine *self, uint8_t *out)
{
    p2pi_exchange_shared_export(self->exchange, out);
}

p2p_status
p2pi_engine_restore(p2pi_engine *self, size_t neighbour, const uint8_t *bytes, size_t len)
{
    return p2pi_exchange_restore(self->exchange, neighbour, bytes, len);
}

size_t
p2pi_engine_state_count(const p2pi_engine *self)
{
    return p2pi_exchange_parts(self->exchange);
}

p2pi_state_part
p2pi_engine_state(const p2pi_engine *self, size_t index)
{
    p2pi_part part = p2pi_exchange_part(self->exchange, index);

    return (p2pi_state_part){ part.name, part.data, part.bytes };
}
