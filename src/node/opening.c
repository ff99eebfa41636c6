/*
 * From the first hello to round 0.
 *
 * Hellos go to every neighbour until it has answered. When all neighbours have greeted each other, numbers that must
 * be one over the swarm (L, mu, then what the method asks for) go up a spanning tree that all nodes know, maximum by
 * maximum, and the result comes down. That it comes down at all says that every node of the swarm is there.
 *
 * A node that starts while the others are in their rounds is told the numbers in the welcome, and joins.
 */
#include "node/machine_inside.h"

#include "base/fail.h"
#include "base/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A hello that was not answered is sent again after this. */
static const double retry = 1;

static void
name_of(char text[16], uint32_t rank)
{
    snprintf(text, 16, "node %u", rank);
}

/* ---- hello */

void
p2pi_opening_greet(p2pi_machine *self, p2pi_peer *peer)
{
    if (peer->welcomed || peer->refused || self->now - peer->hello_at < retry)
        return;
    if (p2pi_outbox_control(self, peer, P2PI_HELLO, 0, self->hello, self->hello_len))
        peer->hello_at = self->now;
}

static void
greet_all(p2pi_machine *self)
{
    for (size_t i = 0; i < self->near.degree; i++)
        p2pi_opening_greet(self, &self->peers[i]);
}

/* Every neighbour is there: start to agree. */
static void
check_all(p2pi_machine *self)
{
    if (self->phase != P2PI_OPENING)
        return;
    for (size_t i = 0; i < self->near.degree; i++)
        if (!self->peers[i].greeted || !self->peers[i].welcomed)
            return;
    p2pi_agreement_start(self);
}

void
p2pi_opening_start(p2pi_machine *self)
{
    self->patience = 1;
    self->reassured_at = self->now;
    greet_all(self);
    check_all(self);
}

static void
welcome(p2pi_machine *self, p2pi_peer *peer)
{
    p2pi_welcome w = { .session = peer->session, .phases = self->phases };
    uint8_t bytes[P2PI_CONTROL_MAX];

    memcpy(w.agreed, self->numbers, sizeof w.agreed);
    p2pi_outbox_control(self, peer, P2PI_WELCOME, self->round, bytes, p2pi_welcome_write(bytes, &w));
}

/* Back over the connection the hello came on: whoever sent it may not be a neighbour. */
static void
refuse(p2pi_machine *self, const p2pi_header *h)
{
    p2pi_notice notice = { .session = h->session, .end = self->phase == P2PI_RUNNING };
    uint8_t bytes[P2PI_CONTROL_MAX];
    p2pi_packet *packet;
    size_t len;

    snprintf(notice.reason, sizeof notice.reason, "%s", p2p_last_error());
    len = p2pi_notice_write(bytes, &notice);
    if ((packet = p2pi_outbox_packet(self, P2PI_REFUSE, self->round, len)) == NULL)
        return;
    memcpy(packet->bytes + P2PI_HEADER_BYTES, bytes, len);
    self->link->vt->answer(self->link, packet);
    self->link->vt->release(self->link, packet);
}

/* The neighbour was started, for the first time or again. */
static void
new_session(p2pi_machine *self, p2pi_peer *peer, uint32_t session)
{
    if (peer->standing == P2PI_LIVE)
        p2pi_member_drop(self, peer, 0, "it was started again");
    else if (peer->standing == P2PI_GONE)
        peer->standing = P2PI_ABSENT;
    p2pi_rounds_forget(self, peer);
    if (peer->session != 0)
        peer->welcomed = 0;
    peer->session = session;
    peer->sequence = 0;
    peer->leaving = 0;
    peer->refused = 0;
    peer->hello_at = -INFINITY;
    p2pi_opening_greet(self, peer);
}

void
p2pi_opening_hello(p2pi_machine *self, const p2pi_header *h, const uint8_t *payload)
{
    p2pi_peer *peer = p2pi_machine_peer(self, h->sender);
    char us[16], them[16];
    p2p_status st;

    name_of(us, self->rank);
    name_of(them, h->sender);
    st = p2pi_hello_compare(self->hello, self->hello_len, us, payload, h->payload, them);
    if (st == P2P_OK && peer == NULL)
        st = p2p_fail(P2P_EREFUSED, "%s is no neighbour of %s", them, us);
    if (st == P2P_EPROTO) {
        p2pi_member_bad(self, peer, h->sender);
        return;
    }
    if (st != P2P_OK) {
        refuse(self, h);
        if (peer != NULL)
            snprintf(peer->why, sizeof peer->why, "%s", p2p_last_error());
        p2pi_member_refused(self, h->sender);
        return;
    }
    if (peer->standing == P2PI_BANNED)
        return;
    if (h->session != peer->session)
        new_session(self, peer, h->session);
    peer->greeted = 1;
    peer->heard = 1;
    welcome(self, peer);
    check_all(self);
    p2pi_member_returned(self, peer);
}

void
p2pi_opening_welcome(p2pi_machine *self, p2pi_peer *peer, const p2pi_header *h, const uint8_t *payload)
{
    p2pi_welcome w;

    if (p2pi_welcome_read(payload, h->payload, &w) != P2P_OK) {
        p2pi_member_bad(self, peer, peer->rank);
        return;
    }
    if (w.session != self->session)
        return;
    peer->welcomed = 1;
    peer->heard = 1;
    if (self->phase == P2PI_OPENING && w.phases == P2PI_AGREE_PHASES)
        p2pi_agreement_join(self, &w);
    check_all(self);
    p2pi_member_returned(self, peer);
}

/* ---- being refused */

void
p2pi_opening_turned_away(p2pi_machine *self, p2pi_peer *peer, int at_once)
{
    const char *endpoint = p2p_swarm_endpoint(self->swarm, peer->rank);
    int all = 1;

    if (!peer->refused)
        p2pi_machine_log(self, 1, "node %u refuses this node: %s", peer->rank, peer->why);
    peer->refused = 1;
    for (size_t i = 0; i < self->near.degree; i++)
        all = all && self->peers[i].refused;
    if (self->phase == P2PI_OPENING && (all || at_once))
        p2pi_machine_fail(self,
                          p2p_fail(P2P_EREFUSED, "node %u: refused by node %u%s%s%s: %s", self->rank, peer->rank,
                                   endpoint ? " (" : "", endpoint ? endpoint : "", endpoint ? ")" : "", peer->why));
}

void
p2pi_opening_refuse(p2pi_machine *self, p2pi_peer *peer, const p2pi_header *h, const uint8_t *payload)
{
    p2pi_notice notice;

    if (p2pi_notice_read(payload, h->payload, &notice) != P2P_OK) {
        p2pi_member_bad(self, peer, peer->rank);
        return;
    }
    if (notice.session != self->session || peer->welcomed)
        return;
    snprintf(peer->why, sizeof peer->why, "%.*s", P2PI_WHY - 1, notice.reason);
    p2pi_opening_turned_away(self, peer, notice.end);
}

/* ---- waiting */

static void
list_missing(const p2pi_machine *self, char *text, size_t cap)
{
    for (size_t i = 0; i < self->near.degree; i++) {
        const p2pi_peer *peer = &self->peers[i];
        const char *endpoint = p2p_swarm_endpoint(self->swarm, peer->rank);

        if (peer->greeted && peer->welcomed)
            continue;
        p2pi_text_append(text, cap, "%snode %u", text[0] ? "; " : "", peer->rank);
        if (endpoint != NULL)
            p2pi_text_append(text, cap, " at %s", endpoint);
        p2pi_text_append(text, cap, ": %s", peer->why[0] ? peer->why : "no answer");
    }
}

/* Neighbours that have all of theirs are in the agreement already, and take silence for loss. */
static void
reassure(p2pi_machine *self)
{
    double quarter = self->values->round_timeout / 4;

    if (self->now - self->reassured_at < (quarter > 1 ? 1 : quarter))
        return;
    self->reassured_at = self->now;
    for (size_t i = 0; i < self->near.degree; i++)
        if (self->peers[i].greeted && self->peers[i].welcomed)
            p2pi_outbox_control(self, &self->peers[i], P2PI_ALIVE, 0, NULL, 0);
}

static void
wait_for_neighbours(p2pi_machine *self)
{
    double waited = self->now - self->started;
    char missing[800] = "";

    greet_all(self);
    reassure(self);
    if (waited <= self->values->connect_timeout && waited < self->patience)
        return;
    list_missing(self, missing, sizeof missing);
    if (waited <= self->values->connect_timeout) {
        p2pi_machine_log(self, 2, "waiting for %s", missing);
        self->patience *= 2;
        return;
    }
    p2pi_machine_fail(self, p2p_fail(P2P_ETIMEDOUT, "node %u: the swarm is not complete after %g s: %s", self->rank,
                                     self->values->connect_timeout, missing));
}

/* In the agreement every node is needed: one that is lost ends it. */
static void
watch_neighbours(p2pi_machine *self)
{
    char why[P2PI_WHY];

    for (size_t i = 0; i < self->near.degree && self->phase == P2PI_AGREEING; i++) {
        p2pi_peer *peer = &self->peers[i];

        p2pi_outbox_control(self, peer, P2PI_ALIVE, 0, NULL, 0);
        if (p2pi_member_silent(self, peer, why))
            p2pi_machine_fail(self, p2p_fail(P2P_ETIMEDOUT, "node %u: node %u was lost before the first round: %s",
                                             self->rank, peer->rank, why));
    }
}

void
p2pi_opening_tick(p2pi_machine *self)
{
    if (self->phase == P2PI_OPENING) {
        wait_for_neighbours(self);
        return;
    }
    watch_neighbours(self);
    if (self->phase == P2PI_AGREEING)
        p2pi_agreement_report(self);
}
