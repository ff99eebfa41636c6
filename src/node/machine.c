/* Making the machine, the dispatch of what arrives, time. */
#include "node/machine_inside.h"

#include "base/fail.h"
#include "base/spec.h"
#include "base/text.h"
#include "compress/layered_spec.h"
#include "node/catalogue.h"
#include "problem/dataset.h"
#include "problem/problems.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- making it */

/* Those of a liar that computes honestly from wrong labels. */
static p2p_status
flip_labels(p2pi_machine *self)
{
    if (!self->lies || p2pi_attack_lie(self->attack) != P2PI_LIE_DATA)
        return P2P_OK;
    if (self->data == NULL)
        return p2p_fail(P2P_ENOTSUP, "byzantine \"%s\": node %u has no data with labels", self->trial.attack,
                        self->rank);
    return p2pi_data_flip_labels(self->data);
}

static p2p_status
take_problem(p2pi_machine *self, p2p_problem *given)
{
    const p2pi_description *v = self->values;
    p2p_shard shard = { p2p_swarm_size(self->swarm), self->rank, v->shard.s };
    p2p_status st;

    self->problem = given;
    if (given == NULL) {
        if (v->data.s[0] != '\0' && (st = p2p_data_read(&self->data, v->data.s, &shard)) != P2P_OK)
            return p2pi_swarm_blame(self->swarm, "data", st);
        if ((st = flip_labels(self)) != P2P_OK)
            return st;
        st = p2p_problem_new(&self->own_problem, v->problem.s, self->data, (p2p_dtype)v->dtype, self->rank,
                             shard.nodes, (uint64_t)v->seed);
        if (st != P2P_OK)
            return p2pi_swarm_blame(self->swarm, "problem", st);
        self->problem = self->own_problem;
    } else if ((st = flip_labels(self)) != P2P_OK)
        return st;
    self->dim = p2p_problem_dim(self->problem);
    self->type = p2p_problem_type(self->problem);
    if (self->type != (p2p_dtype)v->dtype)
        return p2p_fail(P2P_EINVAL, "node %u: the problem has %s vectors, the swarm's dtype is %s", self->rank,
                        p2p_dtype_name(self->type), p2p_dtype_name((p2p_dtype)v->dtype));
    return P2P_OK;
}

/* The compressor's canonical text, which only an open one tells. */
static p2p_status
add_compressor(p2pi_hello *hello, const p2pi_machine *self)
{
    p2p_shape shape = { self->dim, self->type, p2p_swarm_size(self->swarm) };
    char layers[P2PI_SPEC_MAX], spec[P2PI_SPEC_MAX];
    p2p_compressor *compressor;
    p2p_status st;

    p2pi_problem_layer_sizes(self->problem, layers, sizeof layers);
    if ((st = p2pi_compressor_layered(self->values->compressor.s, layers, spec, sizeof spec)) == P2P_OK)
        st = p2p_compressor_new(&compressor, spec, &shape);
    if (st != P2P_OK)
        return p2pi_swarm_blame(self->swarm, "compressor", st);
    st = p2pi_hello_add(hello, "compressor", "%s", p2p_compressor_spec(compressor));
    p2p_compressor_destroy(&compressor);
    return st;
}

static p2p_status
add_spec(p2pi_hello *hello, const p2pi_machine *self, p2p_family family, const char *spec)
{
    char text[P2PI_FIELD_VALUE_MAX + 2];
    p2p_status st = p2pi_catalogue_canonical(family, spec, text, sizeof text);

    if (st != P2P_OK)
        return p2pi_swarm_blame(self->swarm, p2p_family_name(family), st);
    return p2pi_hello_add(hello, p2p_family_name(family), "%s", text);
}

/* What two nodes of a swarm must hold alike, in the order in which a difference is named. */
static p2p_status
fill_hello(p2pi_hello *hello, p2pi_machine *self)
{
    const p2pi_description *v = self->values;
    const p2p_topology *t = self->plan->topology;
    const char *topology = strncmp(v->topology.s, "file:", 5) == 0 ? "file" : v->topology.s;
    const char *mixing = strncmp(v->mixing.s, "file:", 5) == 0 ? "file" : v->mixing.s;
    char tolerance[32];
    p2p_status st;

    p2pi_text_real(tolerance, sizeof tolerance, v->tolerance);
    if ((st = p2pi_hello_add(hello, "name", "%s", v->name.s)) != P2P_OK ||
        (st = add_spec(hello, self, P2P_FAMILY_METHOD, v->method.s)) != P2P_OK ||
        (st = add_compressor(hello, self)) != P2P_OK ||
        (st = add_spec(hello, self, P2P_FAMILY_AGGREGATOR, v->aggregator.s)) != P2P_OK ||
        (st = p2pi_hello_add(hello, "problem", "%s", p2p_problem_spec(self->problem))) != P2P_OK ||
        (st = p2pi_hello_add(hello, "dtype", "%s", p2p_dtype_name(self->type))) != P2P_OK ||
        (st = p2pi_hello_add(hello, "dimension", "%zu", self->dim)) != P2P_OK ||
        (st = p2pi_hello_add(hello, "topology", "%s mixed by %s, %zu nodes, %zu edges, hash %016llx", topology,
                             mixing, p2p_topology_size(t), p2p_topology_edges(t),
                             (unsigned long long)self->plan->hash)) != P2P_OK ||
        (st = p2pi_hello_add(hello, "shard", "%s", v->shard.s)) != P2P_OK ||
        (st = p2pi_hello_add(hello, "batch", "%lld%s", (long long)v->batch, v->shuffle ? " shuffled" : "")) !=
            P2P_OK ||
        (st = p2pi_hello_add(hello, "seed", "%lld", (long long)v->seed)) != P2P_OK ||
        (st = p2pi_hello_add(hello, "draws", "%s", self->plan->draws)) != P2P_OK)
        return st;
    self->kinship = p2pi_hello_fingerprint(hello);
    if ((st = p2pi_hello_add(hello, "rounds", "%lld", (long long)v->rounds)) != P2P_OK ||
        (st = p2pi_hello_add(hello, "tolerance", "%s", tolerance)) != P2P_OK)
        return st;
    return p2pi_hello_add(hello, "resume", "%s", self->saving.resume ? "yes" : "no");
}

static p2p_status
make_hello(p2pi_machine *self, const p2p_node_config *config)
{
    p2pi_hello hello = { .len = 0 };
    p2p_status st;

    self->saving.resume = config->resume;
    st = fill_hello(&hello, self);

    if (st != P2P_OK)
        return st;
    if ((self->hello = malloc(hello.len)) == NULL)
        return p2pi_fail_memory("node", hello.len);
    memcpy(self->hello, hello.bytes, hello.len);
    self->hello_len = hello.len;
    self->fingerprint = p2pi_hello_fingerprint(&hello);
    return p2pi_saving_open(self, config);
}

static p2p_status
make_peers(p2pi_machine *self)
{
    self->peers = calloc(self->near.degree + 1, sizeof *self->peers);
    if (self->peers == NULL)
        return p2pi_fail_memory("node", self->near.degree * sizeof *self->peers);
    for (size_t i = 0; i < self->near.degree; i++) {
        p2pi_peer *peer = &self->peers[i];

        peer->rank = self->near.peers[i];
        peer->restore = P2PI_NEVER;
        peer->margin = P2PI_MARGIN;
        peer->hello_at = -INFINITY;
        peer->down_at = NAN;
        if (peer->rank != 0 && self->plan->parent[peer->rank] == self->rank)
            self->children++;
    }
    return P2P_OK;
}

p2p_status
p2pi_machine_new(p2pi_machine **out, const p2p_node_config *config, uint32_t session, p2pi_pool *pool)
{
    p2pi_machine *self;
    const p2pi_plan *plan;
    p2p_status st;

    *out = NULL;
    if ((st = p2pi_swarm_plan(config->swarm, &plan)) != P2P_OK)
        return st;
    if (config->rank >= p2p_swarm_size(config->swarm))
        return p2p_fail(P2P_EINVAL, "rank %zu: expected 0 to %zu", config->rank, p2p_swarm_size(config->swarm) - 1);
    if ((self = calloc(1, sizeof *self)) == NULL)
        return p2pi_fail_memory("node", sizeof *self);
    self->swarm = config->swarm;
    self->values = &config->swarm->values;
    self->plan = plan;
    self->rank = (uint32_t)config->rank;
    self->session = session;
    self->pool = pool;
    self->near = p2p_topology_at(plan->topology, config->rank);
    self->on_report = config->on_report;
    self->on_log = config->on_log;
    self->user = config->user;
    self->report_every = config->report_every ? config->report_every : (uint32_t)self->values->report_every;
    self->reach = p2p_topology_size(plan->topology);
    p2pi_live_view_start(&self->view, plan->topology);
    self->round_zero = NAN;
    p2pi_stop_start(&self->stop);
    self->told = self->stop;
    if ((st = p2pi_lying_open(self, config->byzantine)) != P2P_OK ||
        (st = take_problem(self, config->problem)) != P2P_OK || (st = make_hello(self, config)) != P2P_OK ||
        (st = make_peers(self)) != P2P_OK) {
        p2pi_machine_destroy(&self);
        return st;
    }
    *out = self;
    return P2P_OK;
}

p2p_status
p2pi_machine_rehearse(p2pi_machine *self)
{
    double smoothness, convexity;
    p2p_status st = p2p_problem_constants(self->problem, &smoothness, &convexity);

    if (st == P2P_OK)
        st = p2pi_rounds_engine(self, smoothness, convexity);
    p2pi_engine_destroy(&self->engine);
    return st;
}

void
p2pi_machine_destroy(p2pi_machine **out)
{
    p2pi_machine *self = *out;

    if (self == NULL)
        return;
    if (self->peers != NULL)
        p2pi_rounds_empty(self);
    p2pi_engine_destroy(&self->engine);
    p2p_problem_destroy(&self->own_problem);
    p2p_data_destroy(&self->data);
    p2pi_live_view_clear(&self->view);
    p2pi_squeeze_destroy(&self->squeeze);
    p2pi_lying_close(self);
    p2pi_saving_close(self);
    free(self->peers);
    free(self->hello);
    free(self);
    *out = NULL;
}

void
p2pi_machine_attach(p2pi_machine *self, p2pi_link *link)
{
    self->link = link;
}

/* Room for the shared estimates of any method there is, and more. */
size_t
p2pi_machine_message_bound(const p2pi_machine *self)
{
    return P2PI_HEADER_BYTES + P2PI_HELLO_MAX + P2PI_ESTIMATES * 8 * self->dim;
}

/* ---- what arrives */

/* The message is from the neighbour's present start; what an earlier one sent is passed over. */
static void
dispatch_session(p2pi_machine *self, p2pi_peer *peer, const p2pi_header *h, p2pi_packet **packet)
{
    const uint8_t *payload = (*packet)->bytes + P2PI_HEADER_BYTES;

    if (h->session != peer->session)
        return;
    peer->heard = 1;
    if ((h->kind >= P2PI_ASK || h->kind == P2PI_ALIVE || self->pairing) && p2pi_pairing_take(self, peer, h, payload))
        return;
    switch (h->kind) {
    case P2PI_DATA:
        p2pi_rounds_data(self, peer, h, *packet);
        *packet = NULL;
        break;
    case P2PI_STATE:
        p2pi_member_state(self, peer, h, *packet);
        *packet = NULL;
        break;
    case P2PI_AGREE:
    case P2PI_AGREED:
        p2pi_agreement_take(self, peer, h, payload);
        break;
    case P2PI_LATE:
        p2pi_member_late(self, peer, h, payload);
        break;
    case P2PI_OFFER:
        p2pi_member_offer(self, peer, h, payload);
        break;
    case P2PI_EDGE:
        p2pi_member_edge(self, peer, h, payload);
        break;
    case P2PI_ALIVE:
        p2pi_member_alive(self, peer, h);
        break;
    case P2PI_BYE:
        p2pi_member_bye(self, peer, h, payload);
        break;
    default:
        break;
    }
}

/* Whether the sender's key and its claims agree; if not, the sentence is set. */
static int
genuine(const p2pi_machine *self, const p2pi_header *h, uint32_t sender)
{
    if (sender != P2PI_SENDER_UNKNOWN && h->sender != sender)
        p2p_fail(P2P_EPROTO, "it claims to be node %u", h->sender);
    else if (h->fingerprint != self->fingerprint && h->kind != P2PI_HELLO && h->kind != P2PI_REFUSE)
        p2p_fail(P2P_EPROTO, "%s with the fingerprint of another swarm", p2pi_kind_name(h->kind));
    else
        return 1;
    return 0;
}

static void
arrived(void *user, uint32_t sender, p2pi_packet *packet)
{
    p2pi_machine *self = user;
    const uint8_t *payload = packet->bytes + P2PI_HEADER_BYTES;
    p2pi_peer *peer;
    p2pi_header h;

    self->bytes_in += packet->len;
    if (self->phase == P2PI_ENDED) {
        self->link->vt->release(self->link, packet);
        return;
    }
    if (p2pi_header_read(&h, packet->bytes, packet->len) != P2P_OK)
        p2pi_member_bad(self, sender == P2PI_SENDER_UNKNOWN ? NULL : p2pi_machine_peer(self, sender), sender);
    else if (!genuine(self, &h, sender))
        p2pi_member_bad(self, sender == P2PI_SENDER_UNKNOWN ? NULL : p2pi_machine_peer(self, sender), sender);
    else if (h.kind == P2PI_HELLO)
        p2pi_opening_hello(self, &h, payload);
    else if ((peer = p2pi_machine_peer(self, h.sender)) == NULL) {
        p2p_fail(P2P_EPROTO, "%s from a node that is no neighbour", p2pi_kind_name(h.kind));
        p2pi_member_bad(self, NULL, h.sender);
    } else if (h.kind == P2PI_WELCOME)
        p2pi_opening_welcome(self, peer, &h, payload);
    else if (h.kind == P2PI_REFUSE)
        p2pi_opening_refuse(self, peer, &h, payload);
    else
        dispatch_session(self, peer, &h, &packet);
    if (packet != NULL)
        self->link->vt->release(self->link, packet);
}

static void
changed(void *user, size_t neighbour, p2pi_link_event event)
{
    p2pi_machine *self = user;
    p2pi_peer *peer = &self->peers[neighbour];

    if (self->phase == P2PI_ENDED)
        return;
    switch (event) {
    case P2PI_LINK_UP:
        peer->down_at = NAN;
        peer->refused = 0;
        p2pi_opening_greet(self, peer);
        break;
    case P2PI_LINK_DOWN:
        peer->down_at = self->now;
        break;
    case P2PI_LINK_REFUSED:
        snprintf(peer->why, sizeof peer->why, "its swarm description does not have this node's key");
        p2pi_opening_turned_away(self, peer, 0);
        break;
    case P2PI_LINK_IMPOSTOR:
        snprintf(peer->why, sizeof peer->why, "who answers there does not hold the key of node %u", peer->rank);
        break;
    }
}

static void
noticed(void *user, const char *line)
{
    p2pi_machine *self = user;

    if (p2pi_member_worth_a_line(++self->strangers))
        p2pi_machine_log(self, 2, "%s", line);
}

p2pi_link_client
p2pi_machine_client(p2pi_machine *self)
{
    p2pi_link_client client = { self, arrived, changed, noticed };

    return client;
}

/* ---- time */

void
p2pi_machine_start(p2pi_machine *self, double now)
{
    self->now = self->started = now;
    p2pi_opening_start(self);
    self->due = now;
}

int
p2pi_machine_ready(const p2pi_machine *self)
{
    return p2pi_rounds_ready(self);
}

void
p2pi_machine_step(p2pi_machine *self, double now)
{
    self->now = now;
    if (!p2pi_rounds_ready(self))
        return;
    if (isnan(self->round_zero))
        self->round_zero = now;
    p2pi_rounds_step(self);
}

int
p2pi_machine_started(const p2pi_machine *self)
{
    return self->phase >= P2PI_RUNNING;
}

double
p2pi_machine_due(const p2pi_machine *self)
{
    return self->pairing ? fmin(self->due, p2pi_pairing_due(self)) : self->due;
}

int
p2pi_machine_listens(const p2pi_machine *self)
{
    return self->pairing;
}

/* Ticks are frequent while connecting, and otherwise as frequent as silence must be noticed. */
static double
interval(const p2pi_machine *self)
{
    double quarter = self->values->round_timeout / 4;

    if (self->phase == P2PI_OPENING && quarter > 0.1)
        return 0.1;
    return quarter > 1 ? 1 : quarter;
}

void
p2pi_machine_tick(p2pi_machine *self, double now)
{
    self->now = now;
    if (now < self->due || self->phase == P2PI_ENDED)
        return;
    self->due = now + interval(self);
    for (size_t i = 0; i < self->near.degree; i++)
        if (self->peers[i].heard) {
            self->peers[i].heard = 0;
            self->peers[i].heard_at = now;
        }
    if (self->phase == P2PI_RUNNING)
        p2pi_member_tick(self);
    else
        p2pi_opening_tick(self);
}

void
p2pi_machine_stop(p2pi_machine *self, double now)
{
    self->now = now;
    if (self->phase == P2PI_ENDED || self->asked)
        return;
    self->asked = 1;
    if (self->phase != P2PI_RUNNING || self->paused)
        p2pi_machine_finish(self, P2P_END_STOPPED);
    else if (self->pairing)
        p2pi_pairing_stop(self);
}

/* ---- results */

p2p_end
p2pi_machine_end(const p2pi_machine *self)
{
    return self->end;
}

p2p_status
p2pi_machine_status(const p2pi_machine *self, const char **sentence)
{
    *sentence = self->sentence;
    return self->status;
}

p2p_view
p2pi_machine_solution(const p2pi_machine *self)
{
    p2p_view none = { NULL, self->dim, self->type };

    return self->engine ? p2pi_engine_iterate(self->engine) : none;
}

uint32_t
p2pi_machine_round(const p2pi_machine *self)
{
    return self->round;
}

size_t
p2pi_machine_live(const p2pi_machine *self)
{
    return self->live;
}
