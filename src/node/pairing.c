/*
 * Asynchronous methods: no common rounds. Whenever a node has finished a round of its own it asks one neighbour to
 * meet: the ask has its vector. The neighbour moves and answers with how far; the asker moves as far the other way.
 * Whoever is asked answers between two of its own rounds, so a slow one answers late, and nobody waits for it:
 *
 *   - a node asks on when the latest ask has taken far longer than answers do, and at once when that is what the
 *     neighbour's take; one that owes an answer is not asked again;
 *   - an ask on top of m others moves both by 2^-(1 + m) of the way: all that is under way is less than all of it;
 *   - when two ask each other at the same time, the one of the lower number has its way, the other is answered "no".
 *
 * A node that has finished its rounds says so in every message and goes on answering, and asking while that moves it;
 * the swarm ends when all have finished. Who has finished counts one more than the least of its neighbours' counts: a
 * count of k says that all nodes within k - 1 steps have, and one above the diameter that all have. A neighbour that
 * is silent for too long is left alone until it is heard again; an exchange that a lost connection cuts may move the
 * average by what one end has moved.
 */
#include "node/machine_inside.h"

#include "base/fail.h"
#include "base/text.h"

#include <p2popt/random.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

/* How far a node is: told in every message, in the field calm, which has no other use here. From DONE on it counts.
 */
enum { NOT_YET, IN_ROUNDS, DONE };

enum { ASKS_MAX = 40 /* 2^-41 of the way is no way */ };

/* Answers that take this many times as long as the quickest neighbour's are not waited for, */
static const double slow = 4;
/* unless they take less than this, in seconds. */
static const double quick = 5e-3;
/* A move by this share of x is passed on after the last round. */
static const double noticeable = 1e-6;

static uint32_t
limit(const p2pi_machine *self)
{
    return self->asked || self->told.asked ? 0 : (uint32_t)self->values->rounds;
}

/* ---- whom to ask, and when */

static int
is_free(const p2pi_peer *peer)
{
    return peer->standing == P2PI_LIVE && peer->progress != NOT_YET && !peer->asked;
}

static size_t
count_free(const p2pi_machine *self)
{
    size_t count = 0;

    for (size_t i = 0; i < self->near.degree; i++)
        count += (size_t)is_free(&self->peers[i]);
    return count;
}

static unsigned
count_asked(const p2pi_machine *self)
{
    unsigned count = 0;

    for (size_t i = 0; i < self->near.degree; i++)
        count += self->peers[i].asked;
    return count;
}

/* How long an answer may take before the node goes on without it. */
static double
patience(const p2pi_machine *self)
{
    double least = INFINITY;

    for (size_t i = 0; i < self->near.degree; i++)
        if (self->peers[i].delay > 0)
            least = fmin(least, self->peers[i].delay);
    return least < INFINITY ? fmax(slow * least, quick) : quick;
}

/* Until when the latest ask keeps the node from the next. */
static double
waits_until(const p2pi_machine *self)
{
    const p2pi_peer *latest = self->latest;

    if (latest == NULL || !latest->asked || latest->delay > patience(self))
        return -INFINITY;
    return latest->asked_at + patience(self);
}

int
p2pi_pairing_ready(const p2pi_machine *self)
{
    if (self->phase != P2PI_RUNNING)
        return 0;
    if (self->done)
        return self->restless && count_asked(self) == 0 && count_free(self) > 0;
    if (self->round >= limit(self) || self->near.degree == 0)
        return 1;
    return count_free(self) > 0 && count_asked(self) < ASKS_MAX && self->now >= waits_until(self);
}

double
p2pi_pairing_due(const p2pi_machine *self)
{
    double until = waits_until(self);

    if (self->phase != P2PI_RUNNING || self->done || count_free(self) == 0)
        return INFINITY;
    return until > self->now ? until : INFINITY;
}

/* The neighbour for a round: each free one equally likely. */
static p2pi_peer *
draw_peer(p2pi_machine *self)
{
    p2p_random draw = p2p_random_open((uint64_t)self->values->seed, self->rank, self->round, P2P_STREAM_METHOD);
    size_t wanted;
    double u;

    draw.next = self->vectors_sent * (uint64_t)self->done; /* the round stays, the draws go on */
    p2p_random_uniform(&draw, 1, &u);
    wanted = (size_t)(u * (double)count_free(self));
    for (size_t i = 0; i < self->near.degree; i++)
        if (is_free(&self->peers[i]) && wanted-- == 0)
            return &self->peers[i];
    return NULL;
}

/* ---- messages */

/* The ask is under way, with what is in the packet. */
static void
send_ask(p2pi_machine *self, p2pi_peer *peer, p2pi_packet *packet)
{
    self->vectors_sent++;
    if (!p2pi_outbox_send(self, peer, packet)) {
        p2pi_member_drop(self, peer, 0, "it takes no messages");
        return;
    }
    peer->asked = 1;
    peer->asked_round = self->round;
    peer->asked_at = self->now;
    self->latest = peer;
}

static p2pi_packet *
ask_packet(p2pi_machine *self, size_t len)
{
    return p2pi_outbox_packet_in(self, P2PI_ASK, self->round, (uint16_t)count_asked(self), len);
}

/* Both have asked: the lower number has its way. A node that is not in its rounds refuses too. */
static void
answer(p2pi_machine *self, p2pi_peer *peer, const p2pi_header *h, const uint8_t *payload)
{
    const int refuse = !self->pairing || self->phase != P2PI_RUNNING || peer->standing != P2PI_LIVE ||
                       h->slot >= ASKS_MAX || (peer->asked && self->rank < peer->rank);
    p2pi_packet *packet;
    size_t len;

    if (refuse) {
        p2pi_outbox_control(self, peer, P2PI_ANSWER, h->round, NULL, 0);
        return;
    }
    packet = p2pi_outbox_packet(self, P2PI_ANSWER, h->round, h->payload);
    if (packet == NULL)
        return;
    if (h->payload > p2pi_engine_bound(self->engine) ||
        p2pi_engine_meet(self->engine, p2pi_machine_index(self, peer), ldexp(0.5, -(int)h->slot), payload, h->payload,
                         packet->bytes + P2PI_HEADER_BYTES, &len) != P2P_OK) {
        self->link->vt->release(self->link, packet);
        p2pi_member_bad(self, peer, peer->rank);
        return;
    }
    self->vectors_sent++;
    self->restless |= self->done && p2pi_engine_moved(self->engine) > noticeable;
    p2pi_outbox_send(self, peer, packet);
}

static void
take_answer(p2pi_machine *self, p2pi_peer *peer, const p2pi_header *h, const uint8_t *payload)
{
    double took = self->now - peer->asked_at;

    if (!peer->asked || h->round != peer->asked_round)
        return;
    peer->asked = 0;
    if (h->payload == 0)
        return;
    peer->delay = peer->delay > 0 ? 0.75 * peer->delay + 0.25 * took : took;
    if (p2pi_engine_settle(self->engine, p2pi_machine_index(self, peer), payload, h->payload) != P2P_OK)
        p2pi_member_bad(self, peer, peer->rank);
    else
        self->restless |= self->done && p2pi_engine_moved(self->engine) > noticeable;
}

/* ---- the end */

static void
tell_all(p2pi_machine *self)
{
    for (size_t i = 0; i < self->near.degree; i++)
        if (self->peers[i].standing == P2PI_LIVE)
            p2pi_outbox_control(self, &self->peers[i], P2PI_ALIVE, self->round, NULL, 0);
}

/* News of who has finished travels as far as this. */
static uint32_t
reach(const p2pi_machine *self)
{
    size_t n = p2p_topology_size(self->plan->topology);

    return (uint32_t)(self->view.down > 0 ? n - 1 : self->plan->figures.diameter);
}

/* One more than the least of the neighbours' counts; it never falls. */
static uint32_t
progress(const p2pi_machine *self)
{
    uint32_t least = DONE + reach(self);

    for (size_t i = 0; i < self->near.degree; i++)
        if (self->peers[i].standing == P2PI_LIVE && self->peers[i].progress < least)
            least = self->peers[i].progress;
    return least + 1 > DONE ? least + 1 : DONE;
}

static void
finish(p2pi_machine *self)
{
    p2pi_machine_finish(self, self->told.asked ? P2P_END_STOPPED : P2P_END_ROUNDS);
}

/* All have finished, and this node waits for no answer: the end. */
static void
end_if_all_are_done(p2pi_machine *self)
{
    uint32_t now;

    if (!self->done)
        return;
    now = progress(self);
    if (now > self->told.calm) {
        self->told.calm = now;
        tell_all(self);
    }
    if (self->told.calm >= DONE + reach(self) && count_asked(self) == 0)
        finish(self);
}

static void
become_done(p2pi_machine *self)
{
    self->done = self->restless = 1;
    self->told.calm = DONE;
    self->told.asked |= self->asked;
    tell_all(self);
    end_if_all_are_done(self);
}

void
p2pi_pairing_stop(p2pi_machine *self)
{
    self->asked = 1;
    if (!self->done)
        become_done(self);
    else if (!self->told.asked) {
        self->told.asked = 1;
        tell_all(self);
    }
}

static void
take_bye(p2pi_machine *self, p2pi_peer *peer, const p2pi_header *h, const uint8_t *payload)
{
    p2pi_notice bye;

    if (p2pi_notice_read(payload, h->payload, &bye) != P2P_OK) {
        p2pi_member_bad(self, peer, peer->rank);
        return;
    }
    if (bye.status == P2P_EDIVERGED) {
        p2pi_machine_fail(self, p2p_fail(P2P_EDIVERGED, "%s", bye.reason));
        return;
    }
    peer->leaving = 1;
    peer->asked = 0;
    if (bye.status == P2P_OK && self->done)
        finish(self); /* it knows that all have finished */
    else
        p2pi_member_drop(self, peer, 0, "%.*s", P2PI_WHY - 1, bye.reason[0] ? bye.reason : "it has ended");
}

/* ---- rounds */

void
p2pi_pairing_start(p2pi_machine *self)
{
    self->pairing = 1;
    self->told.calm = IN_ROUNDS;
    for (size_t i = 0; i < self->near.degree; i++)
        p2pi_pairing_returned(self, &self->peers[i]);
    tell_all(self);
}

/* A round of the method; peer NULL: there is nobody to ask. */
static p2p_status
own_round(p2pi_machine *self, p2pi_peer *peer)
{
    const p2pi_outgoing *vector;
    p2pi_packet *packet;
    p2p_status st;

    if ((st = p2pi_engine_emit(self->engine, self->round, 0)) != P2P_OK)
        return st;
    p2pi_engine_outgoing(self->engine, &vector);
    if (peer != NULL) {
        if ((packet = ask_packet(self, vector->len)) == NULL)
            return p2p_fail(P2P_ENOMEM, "node %u: no memory for a message of %zu bytes", self->rank, vector->len);
        memcpy(packet->bytes + P2PI_HEADER_BYTES, vector->bytes, vector->len);
        send_ask(self, peer, packet);
    }
    return p2pi_engine_absorb(self->engine, 0);
}

/* After the last: pass on what has moved this node. */
static p2p_status
pass_on(p2pi_machine *self, p2pi_peer *peer)
{
    const size_t bytes = p2pi_engine_bound(self->engine);
    p2pi_packet *packet = ask_packet(self, bytes);
    size_t len;
    p2p_status st;

    self->restless = 0;
    if (packet == NULL)
        return p2p_fail(P2P_ENOMEM, "node %u: no memory for a message of %zu bytes", self->rank, bytes);
    if ((st = p2pi_engine_ask(self->engine, packet->bytes + P2PI_HEADER_BYTES, &len)) != P2P_OK)
        self->link->vt->release(self->link, packet);
    else
        send_ask(self, peer, packet);
    return st;
}

void
p2pi_pairing_step(p2pi_machine *self)
{
    p2pi_peer *peer = draw_peer(self);
    p2p_status st;

    if (!self->done && self->round >= limit(self)) {
        become_done(self);
        return;
    }
    st = self->done ? pass_on(self, peer) : own_round(self, peer);
    if (st != P2P_OK) {
        p2pi_machine_fail(self, st);
        return;
    }
    if (self->done)
        return;
    self->round++;
    self->moved_at = self->now;
    if (self->report_every > 0 && self->round % self->report_every == 0 && self->round < limit(self))
        p2pi_rounds_report(self);
}

int
p2pi_pairing_take(p2pi_machine *self, p2pi_peer *peer, const p2pi_header *h, const uint8_t *payload)
{
    if (h->kind == P2PI_ASK || h->kind == P2PI_ANSWER || h->kind == P2PI_ALIVE) {
        peer->progress = h->calm;
        if (h->flags & P2PI_FLAG_ASKED && self->pairing)
            p2pi_pairing_stop(self);
    }
    if (h->kind >= P2PI_ASK && self->phase == P2PI_RUNNING && !self->pairing) {
        p2p_fail(P2P_EPROTO, "%s in a swarm that has common rounds", p2pi_kind_name(h->kind));
        p2pi_member_bad(self, peer, peer->rank);
        return 1;
    }
    switch (h->kind) {
    case P2PI_ASK:
        answer(self, peer, h, payload);
        break;
    case P2PI_ANSWER:
        take_answer(self, peer, h, payload);
        break;
    case P2PI_ALIVE:
        if (!self->pairing)
            return 0;
        break;
    case P2PI_BYE:
        take_bye(self, peer, h, payload);
        break;
    case P2PI_AGREE:
    case P2PI_AGREED:
    case P2PI_EDGE:
        return 0;
    default:
        break;
    }
    if (self->phase == P2PI_RUNNING)
        end_if_all_are_done(self);
    return 1;
}

/* ---- neighbours that go and come back */

void
p2pi_pairing_returned(p2pi_machine *self, p2pi_peer *peer)
{
    if (self->phase != P2PI_RUNNING || peer->standing != P2PI_ABSENT || !peer->greeted || !peer->welcomed)
        return;
    peer->asked = 0;
    peer->progress = NOT_YET;
    peer->heard_at = self->now;
    p2pi_member_raise(self, peer);
}

static void
check_alone(p2pi_machine *self)
{
    char lost[800] = "";
    int hope = 0;

    if (self->live > 0 || self->near.degree == 0 || self->done) {
        self->paused_at = self->now;
        return;
    }
    for (size_t i = 0; i < self->near.degree; i++) {
        hope |= self->peers[i].standing == P2PI_ABSENT;
        p2pi_text_append(lost, sizeof lost, "%snode %u: %s", i ? "; " : "", self->peers[i].rank, self->peers[i].why);
    }
    if (!hope || self->now - self->paused_at > self->values->connect_timeout)
        p2pi_machine_fail(
            self, p2p_fail(P2P_ETIMEDOUT, "node %u: alone after round %u: %s", self->rank, self->round, lost));
}

void
p2pi_pairing_tick(p2pi_machine *self)
{
    char why[P2PI_WHY];

    for (size_t i = 0; i < self->near.degree; i++) {
        p2pi_peer *peer = &self->peers[i];

        if (peer->standing == P2PI_LIVE && p2pi_member_silent(self, peer, why)) {
            peer->asked = 0;
            p2pi_member_drop(self, peer, 0, "%s", why);
        } else if (peer->standing == P2PI_ABSENT && !p2pi_member_silent(self, peer, why))
            p2pi_pairing_returned(self, peer);
        p2pi_opening_greet(self, peer);
    }
    tell_all(self);
    check_alone(self);
    if (self->phase == P2PI_RUNNING)
        end_if_all_are_done(self);
}
