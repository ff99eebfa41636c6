/* Numbers that become their maximum over the swarm, up and down a spanning tree. See opening.c for when. */
#include "node/machine_inside.h"

#include "base/fail.h"

#include <math.h>
#include <string.h>

/* Phase 0: L, -mu, and whether some node does not know its L. */
enum { SMOOTHNESS, CONVEXITY, UNKNOWN, CONSTANTS };

static p2p_status
own_constants(p2pi_machine *self, p2pi_numbers *out)
{
    double smoothness, convexity;
    p2p_status st = p2p_problem_constants(self->problem, &smoothness, &convexity);

    if (st != P2P_OK)
        return st;
    out->count = CONSTANTS;
    out->values[SMOOTHNESS] = smoothness;
    out->values[CONVEXITY] = -convexity;
    out->values[UNKNOWN] = smoothness > 0 ? 0 : 1;
    if (!isfinite(smoothness) || !isfinite(convexity))
        return p2p_fail(P2P_EDIVERGED, "node %u: the problem's constants are L = %g, mu = %g", self->rank, smoothness,
                        convexity);
    return P2P_OK;
}

static void
fold(p2pi_numbers *into, const p2pi_numbers *from)
{
    for (size_t i = 0; i < into->count; i++)
        if (from->values[i] > into->values[i])
            into->values[i] = from->values[i];
}

static void
send_numbers(p2pi_machine *self, p2pi_peer *peer, p2pi_kind kind, unsigned phase, const p2pi_numbers *numbers)
{
    uint8_t bytes[P2PI_CONTROL_MAX];

    p2pi_outbox_control(self, peer, kind, 0, bytes, p2pi_agree_write(bytes, phase, numbers));
}

static int
is_child(const p2pi_machine *self, const p2pi_peer *peer)
{
    return peer->rank != 0 && self->plan->parent[peer->rank] == self->rank;
}

/* The engine, with what the swarm agreed on; then its own numbers. */
static p2p_status
make_engine(p2pi_machine *self)
{
    const double *v = self->numbers[0].values;
    p2pi_numbers *own = &self->numbers[1];
    double *const *values;
    p2p_status st;

    if ((st = p2pi_rounds_engine(self, v[UNKNOWN] > 0 ? 0 : v[SMOOTHNESS], -v[CONVEXITY])) != P2P_OK)
        return st;
    if ((st = p2pi_saving_ready(self)) != P2P_OK)
        return st;
    own->count = p2pi_engine_agreement(self->engine, &values);
    if (own->count >= P2PI_AGREE_MAX)
        return p2p_fail(P2P_ENOTSUP, "method %s: agrees on %zu numbers: at most %d", self->values->method.s,
                        own->count, P2PI_AGREE_MAX - 1);
    for (size_t i = 0; i < own->count; i++)
        if (!isfinite(own->values[i] = *values[i]))
            return p2p_fail(P2P_EDIVERGED, "node %u: method %s: a number to agree on is not finite", self->rank,
                            self->values->method.s);
    own->values[own->count++] = -p2pi_saving_newest(self);
    return P2P_OK;
}

/* The engine's numbers become the swarm's; the last of these is the round to resume from. */
static void
take_agreed(p2pi_machine *self)
{
    double *const *values;
    const size_t count = p2pi_engine_agreement(self->engine, &values);

    for (size_t i = 0; i < count && i < self->numbers[1].count; i++)
        *values[i] = self->numbers[1].values[i];
}

/* The swarm's numbers of the phase are known. */
static void
conclude(p2pi_machine *self, unsigned phase)
{
    p2p_status st;

    self->phases = phase + 1;
    for (size_t i = 0; i < self->near.degree; i++)
        if (is_child(self, &self->peers[i]))
            send_numbers(self, &self->peers[i], P2PI_AGREED, phase, &self->numbers[phase]);
    if (phase == 0) {
        if ((st = make_engine(self)) != P2P_OK) {
            p2pi_machine_fail(self, st);
            return;
        }
        self->agreeing = 1;
        p2pi_agreement_report(self);
        return;
    }
    take_agreed(self);
    if ((st = p2pi_saving_resume(self, (uint32_t)-self->numbers[1].values[self->numbers[1].count - 1])) != P2P_OK) {
        p2pi_machine_fail(self, st);
        return;
    }
    p2pi_rounds_start(self, 0);
}

/* Up the tree, once all children have reported; the root concludes. Sent again at each tick until the answer comes.
 */
void
p2pi_agreement_report(p2pi_machine *self)
{
    unsigned phase = self->agreeing;
    p2pi_numbers merged = self->numbers[phase];

    if (self->reported[phase] < self->children)
        return;
    if (self->children > 0 && self->heard[phase].count != merged.count) {
        p2pi_machine_fail(self, p2p_fail(P2P_EPROTO, "node %u: agreement of %zu numbers, but neighbours sent %zu",
                                         self->rank, merged.count, self->heard[phase].count));
        return;
    }
    if (self->children > 0)
        fold(&merged, &self->heard[phase]);
    if (self->rank == 0) {
        self->numbers[phase] = merged;
        conclude(self, phase);
    } else
        send_numbers(self, p2pi_machine_peer(self, self->plan->parent[self->rank]), P2PI_AGREE, phase, &merged);
}

void
p2pi_agreement_start(p2pi_machine *self)
{
    p2p_status st = own_constants(self, &self->numbers[0]);

    self->phase = P2PI_AGREEING;
    for (size_t i = 0; i < self->near.degree; i++)
        self->peers[i].heard_at = self->now;
    if (st != P2P_OK)
        p2pi_machine_fail(self, st);
    else
        p2pi_agreement_report(self);
}

/* A child's numbers; one that was started again is told the result at once. */
static void
take_report(p2pi_machine *self, p2pi_peer *peer, unsigned phase, const p2pi_numbers *numbers)
{
    p2pi_numbers *heard = &self->heard[phase];

    if (self->phases > phase) {
        send_numbers(self, peer, P2PI_AGREED, phase, &self->numbers[phase]);
        return;
    }
    if (peer->agreed >> phase & 1)
        return;
    peer->agreed |= (unsigned char)(1u << phase);
    if (self->reported[phase]++ == 0)
        *heard = *numbers;
    else if (heard->count == numbers->count)
        fold(heard, numbers);
    if (self->phase == P2PI_AGREEING && self->agreeing == phase)
        p2pi_agreement_report(self);
}

void
p2pi_agreement_take(p2pi_machine *self, p2pi_peer *peer, const p2pi_header *h, const uint8_t *payload)
{
    int from_parent = self->rank != 0 && peer->rank == self->plan->parent[self->rank];
    p2pi_numbers numbers;
    unsigned phase;

    if (p2pi_agree_read(payload, h->payload, &phase, &numbers) != P2P_OK)
        p2pi_member_bad(self, peer, peer->rank);
    else if (h->kind == P2PI_AGREE ? !is_child(self, peer) : !from_parent) {
        p2p_fail(P2P_EPROTO, "%s from the wrong side of the tree", p2pi_kind_name(h->kind));
        p2pi_member_bad(self, peer, peer->rank);
    } else if (h->kind == P2PI_AGREE)
        take_report(self, peer, phase, &numbers);
    else if (self->phase == P2PI_AGREEING && phase == self->agreeing && numbers.count == self->numbers[phase].count) {
        self->numbers[phase] = numbers;
        conclude(self, phase);
    }
}

/* The swarm is in its rounds and has told what it agreed on. */
void
p2pi_agreement_join(p2pi_machine *self, const p2pi_welcome *w)
{
    p2p_status st;

    if (w->agreed[0].count != CONSTANTS) {
        p2pi_machine_fail(
            self, p2p_fail(P2P_EPROTO, "node %u: a welcome with %zu constants", self->rank, w->agreed[0].count));
        return;
    }
    memcpy(self->numbers, w->agreed, sizeof self->numbers);
    if ((st = make_engine(self)) != P2P_OK) {
        p2pi_machine_fail(self, st);
        return;
    }
    if (self->numbers[1].count != w->agreed[1].count) {
        p2pi_machine_fail(self, p2p_fail(P2P_EPROTO, "node %u: a welcome with %zu numbers, expected %zu", self->rank,
                                         w->agreed[1].count, self->numbers[1].count));
        return;
    }
    self->numbers[1] = w->agreed[1];
    take_agreed(self);
    self->phases = P2PI_AGREE_PHASES;
    p2pi_rounds_start(self, 1);
}
