/*
 * Stages and rounds. A stage is emitted, filled by what the live neighbours send, and absorbed when all of it is
 * there.
 *
 * Neighbours are at most one stage ahead: none can leave a stage without this node's vectors of it. So what arrives
 * is for the current stage or the next, in order, and a short queue per neighbour holds it.
 */
#include "node/machine_inside.h"

#include "base/fail.h"
#include "base/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- the engine */

p2p_status
p2pi_rounds_engine(p2pi_machine *self, double smoothness, double convexity)
{
    const p2pi_description *v = self->values;
    p2pi_engine_config config = {
        .rank = self->rank,
        .seed = (uint64_t)v->seed,
        .topology = self->plan->topology,
        .figures = &self->plan->figures,
        .problem = self->problem,
        .method = v->method.s,
        .compressor = v->compressor.s,
        .aggregator = v->aggregator.s,
        .batch = { (size_t)v->batch, (int)v->shuffle },
        .smoothness = smoothness,
        .convexity = convexity,
        .start = { NULL, self->dim, self->type },
        .pool = self->pool,
        .trial = self->trial.lies != NULL ? &self->trial.given : NULL,
    };
    size_t allowed = p2pi_machine_message_bound(self) - P2PI_HEADER_BYTES;
    size_t bound = allowed < UINT32_MAX ? allowed : UINT32_MAX;
    p2p_status st = p2pi_engine_new(&self->engine, &config);

    if (st != P2P_OK)
        return st;
    if (p2pi_engine_bound(self->engine) > bound || p2pi_engine_shared_size(self->engine) + P2PI_SESSION_BYTES > bound)
        return p2p_fail(P2P_ENOTSUP, "method %s: its messages are longer than the %zu bytes allowed", v->method.s,
                        bound);
    return P2P_OK;
}

void
p2pi_rounds_start(p2pi_machine *self, int joining)
{
    self->phase = P2PI_RUNNING;
    self->moved_at = self->now;
    self->stages = p2pi_engine_stages(self->engine);
    for (size_t i = 0; i < self->near.degree; i++) {
        p2pi_peer *peer = &self->peers[i];

        peer->heard_at = self->now;
        peer->standing = joining ? P2PI_ABSENT : P2PI_LIVE;
        if (!joining)
            continue;
        p2pi_engine_drop(self->engine, i);
        snprintf(peer->why, sizeof peer->why, "not yet joined");
    }
    self->live = joining ? 0 : self->near.degree;
    p2pi_machine_log(self, 2, joining ? "joining a swarm that is in its rounds" : "every node is there");
    p2pi_machine_log(self, 2, "parameters: %s", p2pi_engine_parameters(self->engine));
    if (p2pi_engine_is_asynchronous(self->engine))
        p2pi_pairing_start(self);
}

/* ---- queues */

/* The first count packets of the queue. */
void
p2pi_rounds_release(p2pi_machine *self, p2pi_peer *peer, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        self->link->vt->release(self->link, peer->queue[i].packet);
    peer->queued -= count;
    peer->delivered -= peer->delivered < count ? peer->delivered : count;
    memmove(peer->queue, peer->queue + count, peer->queued * sizeof *peer->queue);
}

/* What the engine has been given stays until the stage is absorbed. */
void
p2pi_rounds_forget(p2pi_machine *self, p2pi_peer *peer)
{
    while (peer->queued > peer->delivered)
        self->link->vt->release(self->link, peer->queue[--peer->queued].packet);
}

void
p2pi_rounds_empty(p2pi_machine *self)
{
    p2pi_outbox_empty(self);
    for (size_t i = 0; i < self->near.degree; i++) {
        p2pi_peer *peer = &self->peers[i];

        p2pi_rounds_release(self, peer, peer->queued);
        if (peer->state != NULL)
            self->link->vt->release(self->link, peer->state);
        peer->state = NULL;
    }
}

static int
is_current(const p2pi_machine *self, const p2pi_header *h)
{
    return h->round == self->round && h->stage == self->stage;
}

static void
check_complete(p2pi_machine *self, p2pi_peer *peer)
{
    if (peer->delivered == self->expected) {
        peer->complete = 1;
        self->complete++;
    } else if (peer->queued > peer->delivered) {
        p2p_fail(P2P_EPROTO, "%u of %zu vectors of a stage", peer->delivered, self->expected);
        p2pi_member_bad(self, peer, peer->rank);
    } else if (peer->leaving)
        p2pi_member_drop(self, peer, 0, "%s", peer->why);
}

void
p2pi_rounds_deliver(p2pi_machine *self, p2pi_peer *peer)
{
    size_t index = p2pi_machine_index(self, peer);

    if (!self->emitted || peer->standing != P2PI_LIVE || peer->awaited || peer->complete)
        return;
    while (peer->delivered < self->expected && peer->delivered < peer->queued &&
           is_current(self, &peer->queue[peer->delivered].header)) {
        const p2pi_queued *q = &peer->queue[peer->delivered];

        p2pi_message message = { q->packet->bytes + P2PI_HEADER_BYTES, q->header.payload, q->header.doublings };

        if (p2pi_engine_deliver(self->engine, index, q->header.slot, message) != P2P_OK) {
            p2pi_member_bad(self, peer, peer->rank);
            return;
        }
        p2pi_stop_fold(&self->stop, q->header.calm, q->header.stop, (q->header.flags & P2PI_FLAG_ASKED) != 0);
        peer->delivered++;
    }
    check_complete(self, peer);
}

/* Whether a vector may be queued; if not, why. */
typedef enum { TAKE, PASS_OVER, GAP, BAD } verdict;

static verdict
judge(const p2pi_machine *self, const p2pi_peer *peer, const p2pi_header *h)
{
    int open = self->phase == P2PI_RUNNING ? peer->standing == P2PI_LIVE && !peer->awaited : peer->greeted;

    if (!open && peer->state == NULL)
        return PASS_OVER;
    if (h->sequence != peer->sequence)
        return h->sequence < peer->sequence ? PASS_OVER : GAP;
    if (h->dim != self->dim || h->type != self->type)
        p2p_fail(P2P_EPROTO, "data of %llu entries of type %s: expected %zu of type %s", (unsigned long long)h->dim,
                 p2p_dtype_name(h->type), self->dim, p2p_dtype_name(self->type));
    else if (h->round < self->round || (h->round == self->round && h->stage < self->stage))
        p2p_fail(P2P_EPROTO, "data of round %u, which is over", h->round);
    else if (peer->queued == P2PI_QUEUE)
        p2p_fail(P2P_EPROTO, "data far ahead of its turn");
    else
        return TAKE;
    return BAD;
}

/* The message as it was before it was packed. */
static p2p_status
unpack(p2pi_machine *self, p2pi_queued *message)
{
    const uint8_t *packed = message->packet->bytes + P2PI_HEADER_BYTES;
    const size_t len = message->header.payload;
    const size_t length = p2pi_squeeze_length(packed, len, p2pi_machine_message_bound(self) - P2PI_HEADER_BYTES);
    p2pi_packet *plain;
    p2p_status st;

    if (length == 0)
        return p2p_fail(P2P_EPROTO, "packed data of %zu bytes that does not say what it stands for", len);
    if ((plain = self->link->vt->packet(self->link, P2PI_HEADER_BYTES + length)) == NULL)
        return p2p_fail(P2P_ENOMEM, "no memory for a message of %zu bytes", length);
    if ((st = p2pi_squeeze_unpack(&self->squeeze, packed, len, plain->bytes + P2PI_HEADER_BYTES, length)) != P2P_OK) {
        self->link->vt->release(self->link, plain);
        return st;
    }
    self->link->vt->release(self->link, message->packet);
    message->packet = plain;
    message->header.payload = length;
    return P2P_OK;
}

void
p2pi_rounds_data(p2pi_machine *self, p2pi_peer *peer, const p2pi_header *h, p2pi_packet *packet)
{
    p2pi_queued message = { packet, *h };
    verdict v = judge(self, peer, h);

    if (v == TAKE && (h->flags & P2PI_FLAG_SQUEEZED) && unpack(self, &message) != P2P_OK)
        v = BAD;
    switch (v) {
    case TAKE:
        peer->sequence++;
        peer->queue[peer->queued++] = message;
        p2pi_rounds_deliver(self, peer);
        return;
    case PASS_OVER:
        break;
    case GAP:
        p2pi_member_gap(self, peer);
        break;
    case BAD:
        p2pi_member_bad(self, peer, peer->rank);
        break;
    }
    self->link->vt->release(self->link, packet);
}

/* ---- stages */

static uint32_t
limit(const p2pi_machine *self)
{
    uint32_t rounds = (uint32_t)self->values->rounds;

    return self->stop.stop <= rounds ? self->stop.stop : rounds;
}

static p2p_end
why_ended(const p2pi_machine *self)
{
    if (self->stop.stop >= (uint32_t)self->values->rounds)
        return P2P_END_ROUNDS;
    return self->stop.asked ? P2P_END_STOPPED : P2P_END_TOLERANCE;
}

static p2p_status
emit(p2pi_machine *self)
{
    const p2pi_outgoing *messages;
    size_t count;
    p2p_status st;

    p2pi_outbox_furnish(self);
    if ((st = p2pi_engine_emit(self->engine, self->round, self->stage)) != P2P_OK)
        return st;
    self->expected = p2pi_engine_expected(self->engine, self->round, self->stage);
    if (self->expected > P2PI_QUEUE / 2)
        return p2p_fail(P2P_ENOTSUP, "method %s: %zu vectors a stage: at most %d", self->values->method.s,
                        self->expected, P2PI_QUEUE / 2);
    count = p2pi_engine_outgoing(self->engine, &messages);
    for (size_t i = 0; i < count; i++)
        if ((st = p2pi_outbox_broadcast(self, &messages[i])) != P2P_OK)
            return st;
    return P2P_OK;
}

static void
begin_stage(p2pi_machine *self)
{
    p2p_status st;

    if (self->stage == 0 && self->round >= limit(self)) {
        p2pi_machine_finish(self, why_ended(self));
        return;
    }
    self->complete = 0;
    for (size_t i = 0; i < self->near.degree; i++)
        self->peers[i].complete = 0;
    if (self->stage == 0) {
        if (!p2pi_member_round(self))
            return;
        self->told = self->stop;
    }
    if ((st = emit(self)) != P2P_OK) {
        p2pi_machine_fail(self, st);
        return;
    }
    self->emitted = 1;
    self->moved_at = self->now;
    for (size_t i = 0; i < self->near.degree; i++)
        p2pi_rounds_deliver(self, &self->peers[i]);
}

/* Neighbours that take part, or that will. */
static size_t
present(const p2pi_machine *self)
{
    size_t count = 0;

    if (self->phase >= P2PI_RUNNING)
        return self->live;
    for (size_t i = 0; i < self->near.degree; i++)
        count += self->peers[i].greeted && self->peers[i].welcomed;
    return count;
}

void
p2pi_rounds_report(p2pi_machine *self)
{
    p2p_report r = {
        .rank = self->rank,
        .round = self->round,
        .x = p2pi_machine_solution(self),
        .vectors_sent = self->vectors_sent,
        .bytes_out = self->bytes_out,
        .bytes_in = self->bytes_in,
        .neighbours = self->near.degree,
        .absent = self->near.degree - present(self),
        .residual = NAN,
        .seconds = isnan(self->round_zero) ? 0 : self->now - self->round_zero,
        .end = self->end,
        .parameters = "",
    };

    if (self->on_report == NULL)
        return;
    if (self->engine != NULL) {
        if (!self->pairing)
            r.vectors_sent = (uint64_t)llround(p2pi_engine_vectors(self->engine));
        r.bits_sent = p2pi_engine_bits(self->engine) - 8 * self->saved;
        r.residual = p2pi_engine_residual(self->engine);
        r.parameters = p2pi_engine_parameters(self->engine);
    }
    self->on_report(self->user, &r);
}

static void
close_round(p2pi_machine *self)
{
    size_t n = p2p_topology_size(self->plan->topology);
    size_t reach = self->view.down > 0 ? n - 1 : self->plan->figures.diameter;
    double tolerance = self->values->tolerance;
    int calm = tolerance > 0 && (self->lies || p2pi_engine_residual(self->engine) <= tolerance);

    self->stage = 0;
    self->round++;
    p2pi_stop_close(&self->stop, self->round, calm, self->asked, (uint32_t)reach);
    if (self->report_every > 0 && self->round % self->report_every == 0 && self->round < limit(self))
        p2pi_rounds_report(self);
    p2pi_saving_round(self);
}

static void
finish_stage(p2pi_machine *self)
{
    p2p_status st = p2pi_engine_absorb(self->engine, self->stage);

    self->emitted = 0;
    for (size_t i = 0; i < self->near.degree; i++)
        p2pi_rounds_release(self, &self->peers[i], self->peers[i].delivered);
    if (st != P2P_OK) {
        p2pi_machine_fail(self, st);
        return;
    }
    if (++self->stage == self->stages)
        close_round(self);
}

int
p2pi_rounds_ready(const p2pi_machine *self)
{
    if (self->pairing)
        return p2pi_pairing_ready(self);
    return self->phase == P2PI_RUNNING && !self->paused && (!self->emitted || self->complete == self->live) &&
           p2pi_lying_informed(self);
}

void
p2pi_rounds_step(p2pi_machine *self)
{
    if (self->pairing) {
        p2pi_pairing_step(self);
        return;
    }
    if (self->emitted)
        finish_stage(self);
    if (self->phase == P2PI_RUNNING)
        begin_stage(self);
}

/* ---- the end */

static void
say_bye(p2pi_machine *self)
{
    p2pi_notice notice = { .end = (int)self->end, .status = self->status };
    uint8_t bytes[P2PI_CONTROL_MAX];
    size_t len;

    if (self->status != P2P_OK && strncmp(self->sentence, "node ", 5) != 0)
        p2pi_text_append(notice.reason, sizeof notice.reason, "node %u: ", self->rank);
    p2pi_text_append(notice.reason, sizeof notice.reason, "%s", self->sentence);
    len = p2pi_notice_write(bytes, &notice);
    for (size_t i = 0; i < self->near.degree; i++)
        if (self->peers[i].greeted)
            p2pi_outbox_control(self, &self->peers[i], P2PI_BYE, self->round, bytes, len);
}

void
p2pi_machine_finish(p2pi_machine *self, p2p_end end)
{
    if (self->phase == P2PI_ENDED)
        return;
    self->end = end;
    p2pi_saving_end(self, end);
    p2pi_rounds_report(self);
    say_bye(self);
    p2pi_rounds_empty(self);
    self->phase = P2PI_ENDED;
    if (self->trial.given.board != NULL)
        p2pi_board_leave(self->trial.given.board, self->rank);
}

void
p2pi_machine_fail(p2pi_machine *self, p2p_status status)
{
    if (self->phase == P2PI_ENDED)
        return;
    self->status = status;
    snprintf(self->sentence, sizeof self->sentence, "%s", p2p_last_error());
    p2pi_machine_finish(self, P2P_END_FAILED);
}
