/*
 * Neighbours that are lost, and how they come back.
 *
 * A neighbour is dropped when it is silent for too long, when its vectors have a gap or do not decode, or when it
 * says that it has dropped this node: its weight moves to the diagonal, the duals of the edge are gone at this end,
 * and by the message `late` at the other. Once both can talk again, the edge is set up anew: `late` tells the round
 * one is in, the node of the lower number offers a round both have yet to reach, and at its start both send their
 * full shared estimates, then vectors again. A node that nobody is left to talk to does not go on alone, it waits;
 * and one that finds itself far behind an offered round leaves out what lies between.
 */
#include "node/machine_inside.h"

#include "base/cursor.h"
#include "base/fail.h"
#include "base/text.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- news of edges */

static void
flood(p2pi_machine *self, const p2pi_edge *news, const p2pi_peer *except)
{
    uint8_t bytes[P2PI_CONTROL_MAX];
    size_t len = p2pi_edge_write(bytes, news);

    for (size_t i = 0; i < self->near.degree; i++)
        if (self->peers[i].standing == P2PI_LIVE && &self->peers[i] != except)
            p2pi_outbox_control(self, &self->peers[i], P2PI_EDGE, self->round, bytes, len);
}

static void
say_reach(p2pi_machine *self)
{
    size_t n = p2p_topology_size(self->plan->topology), reached;
    char lost[200];

    if (p2pi_live_view_reach(&self->view, self->rank, &reached, lost, sizeof lost) != P2P_OK ||
        reached == self->reach)
        return;
    self->reach = reached;
    if (reached == n)
        p2pi_machine_log(self, 2, "all %zu nodes are in reach again", n);
    else
        p2pi_machine_log(self, 1,
                         "%zu of %zu nodes are in reach, and go on to the optimum of their own data; lost: %s",
                         reached, n, lost);
}

/* Take news in and pass on what is new. */
static p2p_status
spread(p2pi_machine *self, const p2pi_edge *news, const p2pi_peer *from)
{
    int fresh;
    p2p_status st = p2pi_live_view_take(&self->view, news, &fresh);

    if (st != P2P_OK || !fresh)
        return st;
    p2pi_engine_changed(self->engine);
    flood(self, news, from);
    say_reach(self);
    return P2P_OK;
}

static void
announce(p2pi_machine *self, const p2pi_peer *peer, int up)
{
    p2pi_edge news = { .low = peer->rank < self->rank ? peer->rank : self->rank,
                       .high = peer->rank < self->rank ? self->rank : peer->rank,
                       .up = up };

    news.version = p2pi_live_view_next(&self->view, news.low, news.high);
    spread(self, &news, NULL);
}

void
p2pi_member_edge(p2pi_machine *self, p2pi_peer *peer, const p2pi_header *h, const uint8_t *payload)
{
    p2pi_edge news;

    if (p2pi_edge_read(payload, h->payload, p2p_topology_size(self->plan->topology), &news) != P2P_OK ||
        spread(self, &news, peer) == P2P_EPROTO)
        p2pi_member_bad(self, peer, peer->rank);
}

/* ---- dropping */

static void
forget_state(p2pi_machine *self, p2pi_peer *peer)
{
    if (peer->state != NULL)
        self->link->vt->release(self->link, peer->state);
    peer->state = NULL;
}

static void
send_late(p2pi_machine *self, p2pi_peer *peer)
{
    p2pi_outbox_notice(self, peer, P2PI_LATE, self->round, peer->why);
}

void
p2pi_member_drop(p2pi_machine *self, p2pi_peer *peer, int tell, const char *format, ...)
{
    int was_live = peer->standing == P2PI_LIVE;
    char why[P2PI_WHY];
    va_list args;

    va_start(args, format);
    vsnprintf(why, sizeof why, format, args);
    va_end(args);
    memcpy(peer->why, why, sizeof why);
    peer->restore = P2PI_NEVER;
    peer->awaited = 0;
    forget_state(self, peer);
    p2pi_rounds_forget(self, peer);
    if (!was_live)
        return;
    peer->standing = peer->leaving ? P2PI_GONE : P2PI_ABSENT;
    self->live--;
    self->complete -= peer->complete;
    peer->complete = 0;
    p2pi_engine_drop(self->engine, p2pi_machine_index(self, peer));
    p2pi_machine_log(self, 1, "node %u is %s from round %u: %s", peer->rank, peer->leaving ? "gone" : "absent",
                     self->round, peer->why);
    if (tell)
        send_late(self, peer);
    announce(self, peer, 0);
}

void
p2pi_member_gap(p2pi_machine *self, p2pi_peer *peer)
{
    if (peer->standing == P2PI_LIVE)
        p2pi_member_drop(self, peer, 1, "messages were lost on the way");
}

int
p2pi_member_worth_a_line(uint64_t count)
{
    return count <= 3 || (count & (count - 1)) == 0;
}

void
p2pi_member_bad(p2pi_machine *self, p2pi_peer *peer, uint32_t sender)
{
    uint64_t count = peer ? ++peer->bad : ++self->bad;
    char who[32] = "someone", why[P2PI_WHY];

    snprintf(why, sizeof why, "%s", p2p_last_error());
    if (sender != P2PI_SENDER_UNKNOWN)
        snprintf(who, sizeof who, "node %u", sender);
    if (p2pi_member_worth_a_line(count))
        p2pi_machine_log(self, 1, "a bad message from %s (%llu so far): %s", who, (unsigned long long)count, why);
    if (peer == NULL || peer->standing != P2PI_LIVE)
        return;
    if (++peer->strikes < P2PI_STRIKES) {
        p2pi_member_drop(self, peer, 1, "it sent a bad message: %s", why);
        return;
    }
    p2pi_member_drop(self, peer, 1, "it sent %u bad messages and is not heard any more: %s", peer->strikes, why);
    peer->standing = P2PI_BANNED;
}

void
p2pi_member_refused(p2pi_machine *self, uint32_t sender)
{
    if (p2pi_member_worth_a_line(++self->bad))
        p2pi_machine_log(self, 1, "node %u was refused: %s", sender, p2p_last_error());
}

void
p2pi_member_bye(p2pi_machine *self, p2pi_peer *peer, const p2pi_header *h, const uint8_t *payload)
{
    p2pi_notice bye;

    if (p2pi_notice_read(payload, h->payload, &bye) != P2P_OK) {
        p2pi_member_bad(self, peer, peer->rank);
        return;
    }
    if (self->phase < P2PI_RUNNING || bye.status == P2P_EDIVERGED) {
        if (bye.status == P2P_OK)
            p2pi_machine_finish(self, P2P_END_STOPPED);
        else
            p2pi_machine_fail(self, p2p_fail((p2p_status)bye.status, "%s", bye.reason));
        return;
    }
    if (bye.status == P2P_OK)
        p2pi_stop_hear(&self->stop, h->round, bye.end == P2P_END_STOPPED);
    snprintf(peer->why, sizeof peer->why, "%.*s", P2PI_WHY - 1, bye.reason[0] ? bye.reason : "it has ended");
    peer->leaving = 1;
    self->paused = 0;
    if (peer->standing == P2PI_ABSENT)
        peer->standing = P2PI_GONE;
    else
        p2pi_rounds_deliver(self, peer);
}

/* ---- coming back */

static void
send_offer(p2pi_machine *self, p2pi_peer *peer)
{
    p2pi_outbox_notice(self, peer, P2PI_OFFER, peer->restore, "");
}

/* Name a round that both have yet to reach; each time the other has passed it already, one further off. */
static void
make_offer(p2pi_machine *self, p2pi_peer *peer, uint32_t their_round)
{
    uint32_t later = their_round > self->round ? their_round : self->round, last = (uint32_t)self->values->rounds;

    if (peer->restore != P2PI_NEVER && their_round >= peer->restore) {
        peer->margin *= peer->margin < P2PI_MARGIN_MAX ? 4 : 1;
        peer->restore = P2PI_NEVER;
    }
    if (peer->restore == P2PI_NEVER) {
        if (later >= last || last - later <= peer->margin)
            return;
        peer->restore = later + peer->margin;
        self->paused = 0;
    }
    send_offer(self, peer);
}

void
p2pi_member_late(p2pi_machine *self, p2pi_peer *peer, const p2pi_header *h, const uint8_t *payload)
{
    int leads = self->rank < peer->rank;
    p2pi_notice late;

    if (p2pi_notice_read(payload, h->payload, &late) != P2P_OK) {
        p2pi_member_bad(self, peer, peer->rank);
        return;
    }
    if (late.session != self->session || self->phase != P2PI_RUNNING)
        return;
    if (peer->awaited && leads && h->round < self->round) {
        p2pi_outbox_notice(self, peer, P2PI_OFFER, self->round, "");
        return;
    }
    if (peer->standing == P2PI_LIVE)
        p2pi_member_drop(self, peer, 0, "it dropped this node: %s", late.reason);
    if (peer->standing != P2PI_ABSENT)
        return;
    if (leads)
        make_offer(self, peer, h->round);
    else {
        peer->restore = P2PI_NEVER;
        send_late(self, peer);
    }
}

void
p2pi_member_offer(p2pi_machine *self, p2pi_peer *peer, const p2pi_header *h, const uint8_t *payload)
{
    p2pi_notice offer;

    if (p2pi_notice_read(payload, h->payload, &offer) != P2P_OK || self->rank < peer->rank) {
        p2pi_member_bad(self, peer, peer->rank);
        return;
    }
    if (offer.session != self->session || self->phase != P2PI_RUNNING || peer->standing == P2PI_BANNED)
        return;
    if (peer->awaited && h->round == self->round)
        return;
    if (peer->standing == P2PI_LIVE)
        p2pi_member_drop(self, peer, 0, "it starts the edge anew");
    if (h->round > self->round || (h->round == self->round && !self->emitted && self->stage == 0)) {
        peer->restore = h->round;
        self->paused = 0;
    } else
        send_late(self, peer);
}

void
p2pi_member_raise(p2pi_machine *self, p2pi_peer *peer)
{
    peer->standing = P2PI_LIVE;
    self->live++;
    p2pi_machine_log(self, 2, "node %u is back from round %u", peer->rank, self->round);
    announce(self, peer, 1);
}

/* A greeting is complete: if the swarm is in its rounds, the edge can be set up. */
void
p2pi_member_returned(p2pi_machine *self, p2pi_peer *peer)
{
    if (self->pairing)
        p2pi_pairing_returned(self, peer);
    else if (self->phase == P2PI_RUNNING && peer->greeted && peer->welcomed && peer->standing == P2PI_ABSENT &&
             peer->restore == P2PI_NEVER)
        send_late(self, peer);
}

/* What is known of edges, for a neighbour that may know none of it. */
static void
tell_view(p2pi_machine *self, p2pi_peer *peer)
{
    uint8_t bytes[P2PI_CONTROL_MAX];

    for (size_t i = 0; i < self->view.count; i++) {
        size_t len = p2pi_edge_write(bytes, &self->view.edges[i]);

        p2pi_outbox_control(self, peer, P2PI_EDGE, self->round, bytes, len);
    }
}

static void
take_state(p2pi_machine *self, p2pi_peer *peer)
{
    p2pi_packet *packet = peer->state;
    const uint8_t *shared = packet->bytes + P2PI_HEADER_BYTES + P2PI_SESSION_BYTES;
    size_t len = packet->len - P2PI_HEADER_BYTES - P2PI_SESSION_BYTES;

    peer->state = NULL;
    if (p2pi_engine_restore(self->engine, p2pi_machine_index(self, peer), shared, len) != P2P_OK)
        p2pi_member_bad(self, peer, peer->rank);
    else {
        peer->awaited = 0;
        peer->margin = P2PI_MARGIN;
        p2pi_machine_log(self, 2, "node %u is back from round %u", peer->rank, self->round);
        announce(self, peer, 1);
        tell_view(self, peer);
        p2pi_rounds_deliver(self, peer);
    }
    self->link->vt->release(self->link, packet);
}

void
p2pi_member_state(p2pi_machine *self, p2pi_peer *peer, const p2pi_header *h, p2pi_packet *packet)
{
    p2pi_reader r = p2pi_reader_of(packet->bytes + P2PI_HEADER_BYTES, h->payload);
    uint32_t session = (uint32_t)p2pi_read_uint(&r, P2PI_SESSION_BYTES);
    int now = peer->awaited && h->round == self->round;

    if (r.failed) {
        p2p_fail(P2P_EPROTO, "state of %zu bytes: too short", h->payload);
        p2pi_member_bad(self, peer, peer->rank);
    }
    if (r.failed || session != self->session || (!now && h->round != peer->restore)) {
        self->link->vt->release(self->link, packet);
        return;
    }
    forget_state(self, peer);
    p2pi_rounds_forget(self, peer);
    peer->state = packet;
    peer->sequence = h->sequence;
    if (now)
        take_state(self, peer);
}

static int
send_state(p2pi_machine *self, p2pi_peer *peer)
{
    size_t size = p2pi_engine_shared_size(self->engine);
    p2pi_packet *packet = p2pi_outbox_packet(self, P2PI_STATE, self->round, P2PI_SESSION_BYTES + size);
    p2pi_writer w;

    if (packet == NULL)
        return 0;
    w = p2pi_writer_of(packet->bytes + P2PI_HEADER_BYTES, P2PI_SESSION_BYTES);
    p2pi_write_uint(&w, peer->session, P2PI_SESSION_BYTES);
    p2pi_engine_shared_export(self->engine, packet->bytes + P2PI_HEADER_BYTES + P2PI_SESSION_BYTES);
    return p2pi_outbox_send(self, peer, packet);
}

/* The agreed round has come: the edge counts again, and waits for the neighbour's state. */
static void
bring_up(p2pi_machine *self, p2pi_peer *peer)
{
    peer->restore = P2PI_NEVER;
    peer->standing = P2PI_LIVE;
    peer->awaited = 1;
    peer->heard_at = self->now;
    self->live++;
    if (!send_state(self, peer))
        p2pi_member_drop(self, peer, 1, "it takes no messages");
    else if (peer->state != NULL)
        take_state(self, peer);
}

/* ---- rounds that cannot simply go on */

static uint32_t
next_restore(const p2pi_machine *self)
{
    uint32_t next = P2PI_NEVER;

    for (size_t i = 0; i < self->near.degree; i++)
        if (self->peers[i].restore < next)
            next = self->peers[i].restore;
    return next;
}

static void
list_lost(const p2pi_machine *self, char *text, size_t cap)
{
    for (size_t i = 0; i < self->near.degree; i++)
        p2pi_text_append(text, cap, "%snode %u: %s", i ? "; " : "", self->peers[i].rank, self->peers[i].why);
}

/*
 * Nobody is left to talk to. Whoever is merely absent may come back; those who said bye will not, and liars do not
 * wait for liars.
 */
static void
pause_rounds(p2pi_machine *self)
{
    char lost[800] = "";
    int hope = 0;

    for (size_t i = 0; i < self->near.degree; i++)
        hope |= self->peers[i].standing == P2PI_ABSENT && !(self->lies && self->trial.lies[self->peers[i].rank]);
    list_lost(self, lost, sizeof lost);
    if (!hope) {
        p2pi_machine_fail(
            self, p2p_fail(P2P_ETIMEDOUT, "node %u: alone after round %u: %s", self->rank, self->round, lost));
        return;
    }
    self->paused = 1;
    self->paused_at = self->now;
    p2pi_machine_log(self, 1, "alone after round %u, waiting for a neighbour for up to %g s: %s", self->round,
                     self->values->connect_timeout, lost);
}

static void
jump(p2pi_machine *self, uint32_t round)
{
    for (size_t i = 0; i < self->near.degree; i++)
        if (self->peers[i].standing == P2PI_LIVE)
            p2pi_member_drop(self, &self->peers[i], 1, "this node goes on from round %u to catch up with another",
                             round);
    p2pi_machine_log(self, 2, "rounds %u to %u are left out", self->round, round - 1);
    self->round = round;
}

int
p2pi_member_round(p2pi_machine *self)
{
    uint32_t next = next_restore(self), far = (uint32_t)self->plan->figures.diameter + P2PI_FAR;

    if (next != P2PI_NEVER && next > self->round && (self->live == 0 || next - self->round > far))
        jump(self, next);
    for (size_t i = 0; i < self->near.degree; i++) {
        p2pi_peer *peer = &self->peers[i];

        if (peer->restore == self->round)
            bring_up(self, peer);
        else if (peer->restore < self->round)
            p2pi_member_drop(self, peer, 1, "its round %u has passed", peer->restore);
    }
    if (self->live == 0 && self->near.degree > 0)
        pause_rounds(self);
    return self->phase == P2PI_RUNNING && !self->paused;
}

/* ---- time */

void
p2pi_member_alive(p2pi_machine *self, p2pi_peer *peer, const p2pi_header *h)
{
    if (!peer->awaited && h->sequence > peer->sequence)
        p2pi_member_gap(self, peer);
}

int
p2pi_member_silent(const p2pi_machine *self, const p2pi_peer *peer, char why[P2PI_WHY])
{
    double timeout = self->values->round_timeout, grace = timeout / 4 < 1 ? timeout / 4 : 1;

    if (self->now - peer->heard_at > timeout)
        snprintf(why, P2PI_WHY, "silent for %g s", timeout);
    else if (self->now - peer->down_at > grace && self->now - peer->heard_at > grace)
        snprintf(why, P2PI_WHY, "the connection is lost");
    else
        return 0;
    return 1;
}

static void
tick_peer(p2pi_machine *self, p2pi_peer *peer)
{
    int waiting = self->emitted && !peer->complete,
        still = self->now - self->moved_at > self->values->round_timeout / 8;
    char why[P2PI_WHY];

    if (peer->standing == P2PI_LIVE && waiting && p2pi_member_silent(self, peer, why))
        p2pi_member_drop(self, peer, 1, "%s", why);
    else if ((peer->standing == P2PI_LIVE || peer->restore != P2PI_NEVER) && still)
        p2pi_outbox_control(self, peer, P2PI_ALIVE, self->round, NULL, 0);
    else if (peer->standing == P2PI_ABSENT && peer->restore == P2PI_NEVER && peer->greeted && peer->welcomed)
        send_late(self, peer);
    p2pi_opening_greet(self, peer);
}

void
p2pi_member_tick(p2pi_machine *self)
{
    char lost[800] = "";

    if (self->pairing) {
        p2pi_pairing_tick(self);
        return;
    }
    for (size_t i = 0; i < self->near.degree; i++)
        tick_peer(self, &self->peers[i]);
    if (!self->paused || self->now - self->paused_at <= self->values->connect_timeout)
        return;
    list_lost(self, lost, sizeof lost);
    p2pi_machine_fail(self, p2p_fail(P2P_ETIMEDOUT, "node %u: alone after round %u, and nobody came back in %g s: %s",
                                     self->rank, self->round, self->values->connect_timeout, lost));
}
