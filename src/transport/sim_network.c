#include "transport/sim_network.h"

#include "base/fail.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    double time;
    uint64_t order;
    p2pi_packet *packet; /* NULL: wake */
    uint32_t node, sender;
    int reason;
} event;

typedef struct {
    p2pi_packet base;
    size_t holders;
    uint8_t bytes[];
} sim_packet;

typedef struct {
    p2pi_link base;
    p2pi_sim *network;
    uint32_t node;
    size_t count;
    const uint32_t *peers;
    double *free_at; /* each way's, where bandwidth is bounded */
    double frozen_until;
    p2pi_link_client client;
    int present;
} sim_link;

struct p2pi_sim {
    p2p_sim_links links;
    size_t nodes;
    sim_link *link;
    double now;
    uint64_t order;
    event *heap; /* later events, the earliest first */
    size_t heaped, heap_room;
    event *line; /* events of this very time, first in first out: line[head .. tail) of a ring of line_room */
    size_t head, lined, line_room;
    uint32_t answering;
    p2pi_sim_fate *fate;
    void *fate_user;
    int failed;
};

/* ---- the queue */

static int
before(const event *a, const event *b)
{
    return a->time < b->time || (a->time == b->time && a->order < b->order);
}

static int
heap_push(p2pi_sim *self, event e)
{
    size_t i = self->heaped;

    if (self->heaped == self->heap_room) {
        size_t room = self->heap_room ? 2 * self->heap_room : 1024;
        event *larger = realloc(self->heap, room * sizeof *larger);

        if (larger == NULL)
            return 0;
        self->heap = larger;
        self->heap_room = room;
    }
    self->heaped++;
    for (; i > 0 && before(&e, &self->heap[(i - 1) / 2]); i = (i - 1) / 2)
        self->heap[i] = self->heap[(i - 1) / 2];
    self->heap[i] = e;
    return 1;
}

static event
heap_pop(p2pi_sim *self)
{
    event top = self->heap[0], last = self->heap[--self->heaped];
    size_t i = 0, child;

    while ((child = 2 * i + 1) < self->heaped) {
        if (child + 1 < self->heaped && before(&self->heap[child + 1], &self->heap[child]))
            child++;
        if (!before(&self->heap[child], &last))
            break;
        self->heap[i] = self->heap[child];
        i = child;
    }
    self->heap[i] = last;
    return top;
}

static int
line_push(p2pi_sim *self, event e)
{
    if (self->lined == self->line_room) {
        size_t room = self->line_room ? 2 * self->line_room : 1024;
        event *larger = malloc(room * sizeof *larger);

        if (larger == NULL)
            return 0;
        for (size_t i = 0; i < self->lined; i++)
            larger[i] = self->line[(self->head + i) % self->line_room];
        free(self->line);
        self->line = larger;
        self->line_room = room;
        self->head = 0;
    }
    self->line[(self->head + self->lined++) % self->line_room] = e;
    return 1;
}

/* Most events of an ideal network happen at once: they need no sorting. */
static int
push(p2pi_sim *self, event e)
{
    e.order = self->order++;
    return e.time <= self->now ? line_push(self, e) : heap_push(self, e);
}

/* What is in the heap for this time was made before what is in line. */
static int
pop(p2pi_sim *self, event *out)
{
    if (self->lined > 0 && (self->heaped == 0 || self->heap[0].time > self->now)) {
        *out = self->line[self->head];
        self->head = (self->head + 1) % self->line_room;
        self->lined--;
        return 1;
    }
    if (self->heaped == 0)
        return 0;
    *out = heap_pop(self);
    return 1;
}

/* ---- links */

static p2pi_packet *
make_packet(p2pi_link *link, size_t len)
{
    sim_packet *packet = malloc(sizeof *packet + len);

    (void)link;
    if (packet == NULL)
        return NULL;
    packet->base.bytes = packet->bytes;
    packet->base.len = len;
    packet->holders = 1;
    return &packet->base;
}

static void
release_packet(p2pi_link *link, p2pi_packet *packet)
{
    (void)link;
    if (--((sim_packet *)packet)->holders == 0)
        free(packet);
}

static p2pi_packet *
copy_packet(const p2pi_packet *packet)
{
    p2pi_packet *copy = make_packet(NULL, packet->len);

    if (copy != NULL)
        memcpy(copy->bytes, packet->bytes, packet->len);
    return copy;
}

/* The time a packet needs on a way, which carries one packet after the other. */
static double
arrival(sim_link *from, size_t way, size_t len)
{
    p2pi_sim *self = from->network;
    double start = self->now;

    if (self->links.bandwidth > 0) {
        if (from->free_at[way] > start)
            start = from->free_at[way];
        start += (double)len / self->links.bandwidth;
        from->free_at[way] = start;
    }
    return start + self->links.latency;
}

static int
carry(p2pi_sim *self, uint32_t from, uint32_t to, double time, p2pi_packet *packet)
{
    event e = { .time = time, .packet = packet, .node = to, .sender = from, .reason = P2PI_SIM_ARRIVAL };
    double delay = 0;
    int times = 1;

    if (self->fate == NULL)
        ((sim_packet *)packet)->holders++;
    else {
        if ((e.packet = copy_packet(packet)) == NULL) {
            self->failed = 1;
            return 0;
        }
        times = self->fate(self->fate_user, from, to, e.packet, &delay);
        e.time += delay;
        ((sim_packet *)e.packet)->holders = (size_t)times;
        if (times == 0)
            free(e.packet);
    }
    for (int i = 0; i < times; i++)
        if (!push(self, e)) {
            self->failed = 1;
            release_packet(NULL, e.packet);
        }
    return 1;
}

static int
send_packet(p2pi_link *link, size_t neighbour, p2pi_packet *packet)
{
    sim_link *from = (sim_link *)link;
    uint32_t to = from->peers[neighbour];

    if (!from->network->link[to].present)
        return 0;
    return carry(from->network, from->node, to, arrival(from, neighbour, packet->len), packet);
}

static int
answer_packet(p2pi_link *link, p2pi_packet *packet)
{
    sim_link *from = (sim_link *)link;
    p2pi_sim *self = from->network;

    if (!self->link[self->answering].present)
        return 0;
    return carry(self, from->node, self->answering, self->now + self->links.latency, packet);
}

static const p2pi_link_vt link_vt = { make_packet, release_packet, send_packet, answer_packet };

/* ---- the network */

p2p_status
p2pi_sim_new(p2pi_sim **out, size_t nodes, const p2p_sim_links *links)
{
    p2pi_sim *self = calloc(1, sizeof *self);

    *out = self;
    if (self == NULL)
        return p2pi_fail_memory("sim", sizeof *self);
    self->links = *links;
    self->nodes = nodes;
    if ((self->link = calloc(nodes, sizeof *self->link)) != NULL)
        return P2P_OK;
    p2pi_sim_destroy(out);
    return p2pi_fail_memory("sim", nodes * sizeof(sim_link));
}

void
p2pi_sim_destroy(p2pi_sim **out)
{
    p2pi_sim *self = *out;
    event e;

    if (self == NULL)
        return;
    while (pop(self, &e))
        if (e.packet != NULL)
            release_packet(NULL, e.packet);
    for (size_t i = 0; self->link != NULL && i < self->nodes; i++)
        free(self->link[i].free_at);
    free(self->link);
    free(self->heap);
    free(self->line);
    free(self);
    *out = NULL;
}

/* Tell the neighbours of a node that the way to it has changed. */
static void
tell_neighbours(p2pi_sim *self, const sim_link *changed, p2pi_link_event what)
{
    for (size_t i = 0; i < changed->count; i++) {
        sim_link *other = &self->link[changed->peers[i]];

        for (size_t k = 0; other->present && k < other->count; k++)
            if (other->peers[k] == changed->node)
                other->client.changed(other->client.user, k, what);
    }
}

p2pi_link *
p2pi_sim_join(p2pi_sim *self, uint32_t node, size_t count, const uint32_t *peers, const p2pi_link_client *client)
{
    sim_link *link = &self->link[node];

    if (link->free_at == NULL && (link->free_at = calloc(count + 1, sizeof *link->free_at)) == NULL) {
        p2pi_fail_memory("sim", count * sizeof *link->free_at);
        return NULL;
    }
    link->base.vt = &link_vt;
    link->network = self;
    link->node = node;
    link->count = count;
    link->peers = peers;
    link->client = *client;
    link->present = 1;
    tell_neighbours(self, link, P2PI_LINK_UP);
    return &link->base;
}

void
p2pi_sim_leave(p2pi_sim *self, uint32_t node)
{
    self->link[node].present = 0;
    tell_neighbours(self, &self->link[node], P2PI_LINK_DOWN);
}

void
p2pi_sim_freeze(p2pi_sim *self, uint32_t node, double until)
{
    self->link[node].frozen_until = until;
}

void
p2pi_sim_set_fate(p2pi_sim *self, p2pi_sim_fate *fate, void *user)
{
    self->fate = fate;
    self->fate_user = user;
}

double
p2pi_sim_now(const p2pi_sim *self)
{
    return self->now;
}

p2p_status
p2pi_sim_wake(p2pi_sim *self, uint32_t node, int reason, double time)
{
    event e = { .time = time, .node = node, .reason = reason };

    return push(self, e) ? P2P_OK : p2pi_fail_memory("sim", sizeof e);
}

int
p2pi_sim_failed(const p2pi_sim *self)
{
    return self->failed;
}

/* An event of a frozen node waits for its thaw, behind those that already do. */
static int
postponed(p2pi_sim *self, event *e)
{
    const sim_link *link = &self->link[e->node];

    if (e->time >= link->frozen_until)
        return 0;
    e->time = link->frozen_until;
    if (!push(self, *e)) {
        self->failed = 1;
        if (e->packet != NULL)
            release_packet(NULL, e->packet);
    }
    return 1;
}

int
p2pi_sim_next(p2pi_sim *self, uint32_t *node)
{
    sim_link *link;
    event e;

    do {
        if (!pop(self, &e))
            return P2PI_SIM_OVER;
        if (e.time > self->now)
            self->now = e.time;
    } while (postponed(self, &e));
    link = &self->link[e.node];
    *node = e.node;
    if (e.packet != NULL && !link->present)
        release_packet(NULL, e.packet);
    else if (e.packet != NULL) {
        self->answering = e.sender;
        link->client.arrived(link->client.user, e.sender, e.packet);
    }
    return e.reason;
}
