/* What a node that lies in a test does to its messages. */
#include "base/fail.h"
#include "node/machine_inside.h"

#include <math.h>
#include <p2popt/random.h>
#include <string.h>

p2p_status
p2pi_lying_open(p2pi_machine *self, const char *byzantine)
{
    p2p_status st;

    if (byzantine == NULL)
        return P2P_OK;
    st = p2pi_trial_read(&self->trial, byzantine, p2p_swarm_size(self->swarm), self->rank);
    if (st != P2P_OK || !self->trial.lies[self->rank])
        return st;
    self->lies = 1;
    return p2pi_attack_new(&self->attack, self->trial.attack);
}

void
p2pi_lying_close(p2pi_machine *self)
{
    if (self->trial.given.board != NULL)
        p2pi_board_leave(self->trial.given.board, self->rank);
    if (self->attack != NULL)
        p2pi_attack_destroy(&self->attack);
    p2pi_trial_clear(&self->trial);
}

void
p2pi_machine_show(p2pi_machine *self, p2pi_board *board)
{
    self->trial.given.board = board;
}

int
p2pi_machine_lies(const p2pi_machine *self)
{
    return self->lies;
}

int
p2pi_machine_watches(const p2pi_machine *self)
{
    return self->lies && self->trial.given.board != NULL;
}

int
p2pi_lying_informed(const p2pi_machine *self)
{
    if (!p2pi_machine_watches(self))
        return 1;
    return p2pi_board_complete(self->trial.given.board,
                               (uint64_t)self->round * self->stages + self->stage + (self->emitted ? 1 : 0));
}

/* Hellos are said, so that there is somebody who falls silent. */
int
p2pi_lying_mute(const p2pi_machine *self)
{
    return self->lies && p2pi_attack_lie(self->attack) == P2PI_LIE_SILENT && !isnan(self->round_zero);
}

int
p2pi_lying_speaks(const p2pi_machine *self)
{
    return self->lies && p2pi_attack_lie(self->attack) != P2PI_LIE_DATA;
}

static void
scramble(const p2pi_machine *self, uint8_t *bytes, size_t len)
{
    p2p_random random = p2p_random_open((uint64_t)self->values->seed, self->rank, self->round, P2P_STREAM_ATTACK);

    for (size_t at = 0; at < len; at += 4) {
        uint32_t word;

        p2p_random_words(&random, 1, &word);
        memcpy(bytes + at, &word, len - at < 4 ? len - at : 4);
    }
}

/* The bytes that leave in place of those of a message. */
static void
spoil(p2pi_machine *self, uint8_t *bytes, size_t len)
{
    const size_t real = p2p_dtype_size(self->type);

    if (p2pi_attack_lie(self->attack) == P2PI_LIE_GARBAGE)
        scramble(self, bytes, len);
    else if (p2pi_attack_lie(self->attack) == P2PI_LIE_NAN && len > real)
        p2pi_attack_poison(self->attack, self->type, bytes + 1);
}

static p2p_status
tell(p2pi_machine *self, size_t neighbour, p2pi_message told, p2pi_header h)
{
    p2pi_peer *peer = &self->peers[neighbour];
    p2pi_packet *packet;

    h.payload = told.len;
    h.doublings = (uint8_t)told.doublings;
    if ((packet = p2pi_outbox_packet_of(self, &h)) == NULL)
        return p2p_fail(P2P_ENOMEM, "node %u: no memory for a message", self->rank);
    if (told.len > 0)
        memcpy(packet->bytes + P2PI_HEADER_BYTES, told.bytes, told.len);
    spoil(self, packet->bytes + P2PI_HEADER_BYTES, told.len);
    if (self->first == NULL && p2pi_attack_lie(self->attack) == P2PI_LIE_REPLAY) {
        self->first = packet;
        if (p2pi_outbox_share(self, peer, packet))
            return P2P_OK;
    } else if (p2pi_outbox_send(self, peer, packet))
        return P2P_OK;
    p2pi_member_drop(self, peer, 1, "it takes no messages");
    return P2P_OK;
}

/* The packet of the first message, headers and all. */
static void
repeat(p2pi_machine *self, p2pi_peer *peer)
{
    if (!p2pi_outbox_share(self, peer, self->first))
        p2pi_member_drop(self, peer, 1, "it takes no messages");
}

p2p_status
p2pi_lying_broadcast(p2pi_machine *self, const p2pi_outgoing *message, p2pi_header h)
{
    const p2pi_message own = { message->bytes, message->len, message->doublings }, none = { NULL, 0, 0 };
    const int again = self->first != NULL && h.sequence > 0;
    p2p_status st = P2P_OK;

    for (size_t i = 0; i < self->near.degree && st == P2P_OK; i++) {
        const int uses = p2pi_engine_sends(self->engine, i);

        if (self->peers[i].standing != P2PI_LIVE)
            continue;
        if (again)
            repeat(self, &self->peers[i]);
        else if (uses && p2pi_engine_lies(self->engine))
            st = tell(self, i, p2pi_engine_told(self->engine, message->slot, i), h);
        else
            st = tell(self, i, uses ? own : none, h);
    }
    return st;
}
