/* Building and sending messages; the log. */
#include "node/machine_inside.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { ROOMS = P2PI_QUEUE / 2 };

void
p2pi_machine_log(p2pi_machine *self, int level, const char *format, ...)
{
    char line[1024];
    va_list args;

    if (self->on_log == NULL)
        return;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    self->on_log(self->user, level, self->rank, line);
}

p2pi_peer *
p2pi_machine_peer(p2pi_machine *self, uint32_t rank)
{
    size_t low = 0, high = self->near.degree;

    while (low < high) {
        size_t middle = (low + high) / 2;

        if (self->near.peers[middle] < rank)
            low = middle + 1;
        else
            high = middle;
    }
    return low < self->near.degree && self->near.peers[low] == rank ? &self->peers[low] : NULL;
}

size_t
p2pi_machine_index(const p2pi_machine *self, const p2pi_peer *peer)
{
    return (size_t)(peer - self->peers);
}

p2pi_header
p2pi_outbox_header(const p2pi_machine *self, p2pi_kind kind, uint32_t round, size_t payload)
{
    p2pi_header h = {
        .kind = kind,
        .type = self->type,
        .flags = self->told.asked ? P2PI_FLAG_ASKED : 0,
        .fingerprint = self->fingerprint,
        .sender = self->rank,
        .session = self->session,
        .round = round,
        .sequence = self->sequence,
        .dim = self->dim,
        .payload = payload,
        .calm = self->told.calm,
        .stop = self->told.stop,
    };

    return h;
}

p2pi_packet *
p2pi_outbox_packet_of(p2pi_machine *self, const p2pi_header *h)
{
    p2pi_packet *packet = self->link->vt->packet(self->link, P2PI_HEADER_BYTES + h->payload);

    if (packet == NULL)
        p2pi_machine_log(self, 0, "no memory for a message of %zu bytes", h->payload);
    else
        p2pi_header_write(h, packet->bytes);
    return packet;
}

p2pi_packet *
p2pi_outbox_packet(p2pi_machine *self, p2pi_kind kind, uint32_t round, size_t payload)
{
    p2pi_header h = p2pi_outbox_header(self, kind, round, payload);

    return p2pi_outbox_packet_of(self, &h);
}

p2pi_packet *
p2pi_outbox_packet_in(p2pi_machine *self, p2pi_kind kind, uint32_t round, uint16_t slot, size_t payload)
{
    p2pi_header h = p2pi_outbox_header(self, kind, round, payload);

    h.slot = slot;
    return p2pi_outbox_packet_of(self, &h);
}

int
p2pi_outbox_share(p2pi_machine *self, p2pi_peer *peer, p2pi_packet *packet)
{
    if (p2pi_lying_mute(self))
        return 1;
    if (!self->link->vt->send(self->link, p2pi_machine_index(self, peer), packet))
        return 0;
    self->bytes_out += packet->len;
    return 1;
}

int
p2pi_outbox_send(p2pi_machine *self, p2pi_peer *peer, p2pi_packet *packet)
{
    int sent = p2pi_outbox_share(self, peer, packet);

    self->link->vt->release(self->link, packet);
    return sent;
}

int
p2pi_outbox_control(p2pi_machine *self, p2pi_peer *peer, p2pi_kind kind, uint32_t round, const uint8_t *payload,
                    size_t len)
{
    p2pi_packet *packet = p2pi_outbox_packet(self, kind, round, len);

    if (packet == NULL)
        return 0;
    if (len > 0)
        memcpy(packet->bytes + P2PI_HEADER_BYTES, payload, len);
    return p2pi_outbox_send(self, peer, packet);
}

void
p2pi_outbox_notice(p2pi_machine *self, p2pi_peer *peer, p2pi_kind kind, uint32_t round, const char *reason)
{
    p2pi_notice notice = { .session = peer->session };
    uint8_t bytes[P2PI_CONTROL_MAX];

    snprintf(notice.reason, sizeof notice.reason, "%s", reason);
    p2pi_outbox_control(self, peer, kind, round, bytes, p2pi_notice_write(bytes, &notice));
}

/* ---- vectors. One as long as a message can be is sent from where the engine has written it, without a copy. */

static void
give_up(p2pi_machine *self, size_t slot)
{
    p2pi_room *room = &self->rooms[slot];

    if (room->packet == NULL)
        return;
    p2pi_engine_place(self->engine, (uint32_t)slot, NULL);
    self->link->vt->release(self->link, room->packet);
    *room = (p2pi_room){ NULL, 0 };
}

void
p2pi_outbox_furnish(p2pi_machine *self)
{
    size_t bound = p2pi_engine_bound(self->engine);

    for (size_t i = 0; i < ROOMS; i++) {
        p2pi_room *room = &self->rooms[i];

        if (room->sent)
            give_up(self, i);
        if (i < self->expected && room->packet == NULL &&
            (room->packet = self->link->vt->packet(self->link, P2PI_HEADER_BYTES + bound)) != NULL)
            p2pi_engine_place(self->engine, (uint32_t)i, room->packet->bytes + P2PI_HEADER_BYTES);
    }
}

void
p2pi_outbox_empty(p2pi_machine *self)
{
    for (size_t i = 0; i < ROOMS; i++)
        give_up(self, i);
    if (self->first != NULL)
        self->link->vt->release(self->link, self->first);
    self->first = NULL;
}

static int
fills_room(const p2pi_room *room, const p2pi_outgoing *message)
{
    return room->packet != NULL && message->bytes == room->packet->bytes + P2PI_HEADER_BYTES &&
           message->len == room->packet->len - P2PI_HEADER_BYTES;
}

/* To every live neighbour that the round's edges lead to, or to all others. Returns how many others there are. */
static size_t
share_with(p2pi_machine *self, p2pi_packet *packet, int led_to)
{
    size_t others = 0;

    for (size_t i = 0; i < self->near.degree; i++) {
        p2pi_peer *peer = &self->peers[i];

        if (peer->standing != P2PI_LIVE)
            continue;
        if (p2pi_engine_sends(self->engine, i) != led_to)
            others++;
        else if (!p2pi_outbox_share(self, peer, packet))
            p2pi_member_drop(self, peer, 1, "it takes no messages");
    }
    return others;
}

/* The rounds and the news in the headers keep time over edges that this one does not use, too. */
static p2p_status
share_with_all(p2pi_machine *self, p2pi_packet *packet, p2pi_header h)
{
    p2pi_packet *empty;

    if (share_with(self, packet, 1) == 0)
        return P2P_OK;
    h.payload = 0;
    h.flags &= ~(unsigned)P2PI_FLAG_SQUEEZED;
    if ((empty = p2pi_outbox_packet_of(self, &h)) == NULL)
        return p2p_fail(P2P_ENOMEM, "node %u: no memory for a message", self->rank);
    share_with(self, empty, 0);
    self->link->vt->release(self->link, empty);
    return P2P_OK;
}

static int
has_receivers(const p2pi_machine *self)
{
    for (size_t i = 0; i < self->near.degree; i++)
        if (self->peers[i].standing == P2PI_LIVE && p2pi_engine_sends(self->engine, i))
            return 1;
    return 0;
}

/* Whether packing makes the message shorter: then of what, and the header says so. */
static int
pack(p2pi_machine *self, const p2pi_outgoing *message, p2pi_header *h, const uint8_t **bytes)
{
    size_t length = 0;

    if (self->values->zstd && has_receivers(self))
        length = p2pi_squeeze_pack(&self->squeeze, message->bytes, message->len, bytes);
    if (length == 0) {
        *bytes = message->bytes;
        return 0;
    }
    h->flags |= P2PI_FLAG_SQUEEZED;
    h->payload = length;
    return 1;
}

p2p_status
p2pi_outbox_broadcast(p2pi_machine *self, const p2pi_outgoing *message)
{
    p2pi_header h = p2pi_outbox_header(self, P2PI_DATA, self->round, message->len);
    p2pi_room *room = &self->rooms[message->slot];
    const uint8_t *bytes = message->bytes;
    p2pi_packet *packet;
    p2p_status st;

    h.stage = (uint8_t)self->stage;
    h.doublings = (uint8_t)message->doublings;
    h.slot = (uint16_t)message->slot;
    self->sequence++;
    if (self->live == 0)
        return P2P_OK;
    if (p2pi_lying_speaks(self))
        return p2pi_lying_broadcast(self, message, h);
    if (pack(self, message, &h, &bytes))
        self->saved += message->len - h.payload;
    else if (fills_room(room, message)) {
        p2pi_header_write(&h, room->packet->bytes);
        room->sent = 1;
        return share_with_all(self, room->packet, h);
    }
    if ((packet = p2pi_outbox_packet_of(self, &h)) == NULL)
        return p2p_fail(P2P_ENOMEM, "node %u: no memory for a message of %zu bytes", self->rank, h.payload);
    memcpy(packet->bytes + P2PI_HEADER_BYTES, bytes, h.payload);
    st = share_with_all(self, packet, h);
    self->link->vt->release(self->link, packet);
    return st;
}
