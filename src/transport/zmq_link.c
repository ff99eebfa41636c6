#include "transport/zmq_link.h"

#include "base/clock.h"
#include "base/fail.h"
#include "transport/zmq_zap.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zmq.h>

enum {
    HIGH_WATER = 64,      /* messages a way holds; the rounds need a few */
    RECONNECT_FIRST = 20, /* milliseconds */
    RECONNECT_MOST = 1000,
    RETRY = 1, /* seconds after which a way that was refused, and so given up by ZeroMQ, is tried again */
    HANDSHAKE_MOST = 15000,
    IMPOSTOR_SIGNS = 3, /* handshakes that fail in a row without a reason before it is said */
    SPARE_PACKETS = 64
};

typedef struct zmq_packet {
    p2pi_packet base;
    zmq_msg_t message;
    struct zmq_packet *next;
} zmq_packet;

typedef struct {
    uint32_t rank;
    char endpoint[256];
    void *dealer, *monitor;
    unsigned failures; /* handshakes that failed in a row */
    double retry_at;   /* 0: it retries by itself */
} way;

typedef struct {
    p2pi_link base;
    void *context;
    int owns_context;
    void *router;
    int wait; /* the router's receive timeout, as set */
    way *ways;
    size_t degree;
    int secure;
    p2pi_zap *zap;
    zmq_msg_t origin; /* routing id of the message being handed over */
    int has_origin;
    zmq_packet *spare;
    size_t spares;
    p2pi_link_client client;
} zmq_link;

/* ---- packets */

static zmq_packet *
take_packet(zmq_link *self)
{
    zmq_packet *packet = self->spare;

    if (packet == NULL)
        return malloc(sizeof *packet);
    self->spare = packet->next;
    self->spares--;
    return packet;
}

static void
drop_packet(zmq_link *self, zmq_packet *packet)
{
    if (self->spares == SPARE_PACKETS) {
        free(packet);
        return;
    }
    packet->next = self->spare;
    self->spare = packet;
    self->spares++;
}

static void
show_message(zmq_packet *packet)
{
    packet->base.bytes = zmq_msg_data(&packet->message);
    packet->base.len = zmq_msg_size(&packet->message);
}

static p2pi_packet *
make_packet(p2pi_link *link, size_t len)
{
    zmq_link *self = (zmq_link *)link;
    zmq_packet *packet = take_packet(self);

    if (packet == NULL)
        return NULL;
    if (zmq_msg_init_size(&packet->message, len) != 0) {
        drop_packet(self, packet);
        return NULL;
    }
    show_message(packet);
    return &packet->base;
}

static void
release_packet(p2pi_link *link, p2pi_packet *base)
{
    zmq_packet *packet = (zmq_packet *)base;

    zmq_msg_close(&packet->message);
    drop_packet((zmq_link *)link, packet);
}

/* ---- sending */

/* A way may be full only as far as its socket knows: asked for its events, it looks at what the other end has read.
 */
static int
send_now(void *socket, zmq_msg_t *message, int flags)
{
    int events;
    size_t size = sizeof events;

    if (zmq_msg_send(message, socket, ZMQ_DONTWAIT | flags) >= 0)
        return 1;
    return errno == EAGAIN && zmq_getsockopt(socket, ZMQ_EVENTS, &events, &size) == 0 && (events & ZMQ_POLLOUT) &&
           zmq_msg_send(message, socket, ZMQ_DONTWAIT | flags) >= 0;
}

/* The copy shares the bytes. */
static int
share(void *socket, p2pi_packet *base)
{
    zmq_msg_t copy;

    zmq_msg_init(&copy);
    zmq_msg_copy(&copy, &((zmq_packet *)base)->message);
    if (send_now(socket, &copy, 0))
        return 1;
    zmq_msg_close(&copy);
    return 0;
}

static int
send_packet(p2pi_link *link, size_t neighbour, p2pi_packet *packet)
{
    return share(((zmq_link *)link)->ways[neighbour].dealer, packet);
}

static int
answer_packet(p2pi_link *link, p2pi_packet *packet)
{
    zmq_link *self = (zmq_link *)link;
    zmq_msg_t id;

    if (!self->has_origin)
        return 0;
    zmq_msg_init(&id);
    zmq_msg_copy(&id, &self->origin);
    if (!send_now(self->router, &id, ZMQ_SNDMORE)) {
        zmq_msg_close(&id);
        return 0;
    }
    return share(self->router, packet);
}

static const p2pi_link_vt link_vt = { make_packet, release_packet, send_packet, answer_packet };

/* ---- receiving */

/* The rest of a message with more parts than it should have. */
static void
skip_parts(void *socket)
{
    int more = 1;

    while (more) {
        zmq_msg_t part;

        zmq_msg_init(&part);
        if (zmq_msg_recv(&part, socket, ZMQ_DONTWAIT) < 0)
            more = 0;
        else
            more = zmq_msg_more(&part);
        zmq_msg_close(&part);
    }
}

/* The number of the node whose key opened the connection, as the gate has written it. */
static uint32_t
sender_of(const zmq_link *self, zmq_packet *packet)
{
    const char *user;

    if (!self->secure)
        return P2PI_SENDER_UNKNOWN;
    user = zmq_msg_gets(&packet->message, "User-Id");
    return user ? (uint32_t)strtoul(user, NULL, 10) : P2PI_SENDER_UNKNOWN - 1;
}

/* One message of the socket into a packet; NULL: none. */
static zmq_packet *
receive_packet(zmq_link *self, void *socket, int flags)
{
    zmq_packet *packet = take_packet(self);

    if (packet == NULL)
        return NULL;
    zmq_msg_init(&packet->message);
    if (zmq_msg_recv(&packet->message, socket, flags) < 0) {
        release_packet(&self->base, &packet->base);
        return NULL;
    }
    if (zmq_msg_more(&packet->message))
        skip_parts(socket);
    show_message(packet);
    return packet;
}

int
p2pi_zmq_receive(p2pi_link *link, int milliseconds)
{
    zmq_link *self = (zmq_link *)link;
    zmq_packet *packet = NULL;

    if (milliseconds > 0 && milliseconds != self->wait) {
        zmq_setsockopt(self->router, ZMQ_RCVTIMEO, &milliseconds, sizeof milliseconds);
        self->wait = milliseconds;
    }
    zmq_msg_init(&self->origin);
    if (zmq_msg_recv(&self->origin, self->router, milliseconds > 0 ? 0 : ZMQ_DONTWAIT) >= 0 &&
        zmq_msg_more(&self->origin))
        packet = receive_packet(self, self->router, ZMQ_DONTWAIT);
    if (packet != NULL) {
        self->has_origin = 1;
        self->client.arrived(self->client.user, sender_of(self, packet), &packet->base);
        self->has_origin = 0;
    }
    zmq_msg_close(&self->origin);
    return packet != NULL;
}

/* ---- what else there is to notice */

/* The next event of a monitor: 0 if there is none. */
static int
next_event(void *monitor)
{
    uint8_t bytes[256];
    int len = zmq_recv(monitor, bytes, sizeof bytes, ZMQ_DONTWAIT);
    uint16_t event;

    if (len < 0)
        return 0;
    skip_parts(monitor);
    if (len < 2)
        return ZMQ_EVENT_ACCEPTED; /* one that nobody asks for */
    memcpy(&event, bytes, sizeof event);
    return event;
}

static void
attend_way(zmq_link *self, size_t neighbour)
{
    way *w = &self->ways[neighbour];
    p2pi_link_client *c = &self->client;
    int event;

    while (w->monitor != NULL && (event = next_event(w->monitor)) != 0)
        switch (event) {
        case ZMQ_EVENT_HANDSHAKE_SUCCEEDED:
            w->failures = 0;
            c->changed(c->user, neighbour, P2PI_LINK_UP);
            break;
        case ZMQ_EVENT_DISCONNECTED:
            c->changed(c->user, neighbour, P2PI_LINK_DOWN);
            break;
        case ZMQ_EVENT_HANDSHAKE_FAILED_AUTH:
            w->retry_at = p2pi_clock() + RETRY;
            c->changed(c->user, neighbour, P2PI_LINK_REFUSED);
            break;
        case ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL:
            w->retry_at = p2pi_clock() + RETRY;
            c->changed(c->user, neighbour, P2PI_LINK_IMPOSTOR);
            break;
        case ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL:
            if (++w->failures == IMPOSTOR_SIGNS)
                c->changed(c->user, neighbour, P2PI_LINK_IMPOSTOR);
            break;
        default:
            break;
        }
}

/* ZeroMQ gives up where a handshake was refused; whoever refused may be started again and know better. */
static void
retry_way(way *w)
{
    if (w->retry_at == 0 || p2pi_clock() < w->retry_at)
        return;
    w->retry_at = 0;
    zmq_disconnect(w->dealer, w->endpoint);
    zmq_connect(w->dealer, w->endpoint);
}

/* Answers come back over the way that asked: with CURVE, from the holder of the neighbour's key. */
static void
attend_answers(zmq_link *self, size_t neighbour)
{
    const way *w = &self->ways[neighbour];
    zmq_packet *packet;

    while ((packet = receive_packet(self, w->dealer, ZMQ_DONTWAIT)) != NULL)
        self->client.arrived(self->client.user, w->rank, &packet->base);
}

void
p2pi_zmq_attend(p2pi_link *link)
{
    zmq_link *self = (zmq_link *)link;
    char line[256];

    for (size_t i = 0; i < self->degree; i++) {
        attend_way(self, i);
        retry_way(&self->ways[i]);
        attend_answers(self, i);
    }
    while (self->zap != NULL && p2pi_zap_turned_away(self->zap, line, sizeof line))
        self->client.noticed(self->client.user, line);
}

/* ---- opening and closing */

static int
set_int(void *socket, int option, int value)
{
    return zmq_setsockopt(socket, option, &value, sizeof value) == 0;
}

/* Limits hold from the moment a socket is bound or connected, so they are set before. */
static void *
new_socket(const zmq_link *self, const p2pi_zmq_config *config, int type, const char *endpoint)
{
    void *socket = zmq_socket(self->context, type);
    int64_t most = (int64_t)config->message_bound;

    if (socket == NULL)
        return NULL;
    if (set_int(socket, ZMQ_SNDHWM, HIGH_WATER) && set_int(socket, ZMQ_RCVHWM, HIGH_WATER) &&
        set_int(socket, ZMQ_LINGER, (int)(config->linger * 1000)) &&
        set_int(socket, ZMQ_HANDSHAKE_IVL, HANDSHAKE_MOST) && set_int(socket, ZMQ_TCP_KEEPALIVE, 1) &&
        set_int(socket, ZMQ_TCP_KEEPALIVE_IDLE, 30) && set_int(socket, ZMQ_TCP_KEEPALIVE_INTVL, 10) &&
        set_int(socket, ZMQ_TCP_KEEPALIVE_CNT, 3) && set_int(socket, ZMQ_IPV6, strchr(endpoint, '[') != NULL) &&
        zmq_setsockopt(socket, ZMQ_MAXMSGSIZE, &most, sizeof most) == 0)
        return socket;
    zmq_close(socket);
    return NULL;
}

static p2p_status
failed(const char *endpoint, const char *what)
{
    return p2p_fail(P2P_EIO, "%s cannot be %s: %s", endpoint, what, zmq_strerror(zmq_errno()));
}

static p2p_status
open_router(zmq_link *self, const p2pi_zmq_config *config)
{
    const p2p_identity *own = config->identity;
    void *s = self->router = new_socket(self, config, ZMQ_ROUTER, config->listen);
    int ok = s != NULL && set_int(s, ZMQ_ROUTER_MANDATORY, 1);

    if (ok && own != NULL)
        ok = set_int(s, ZMQ_CURVE_SERVER, 1) && zmq_setsockopt(s, ZMQ_CURVE_SECRETKEY, own->secret_key, 41) == 0 &&
             zmq_setsockopt(s, ZMQ_ZAP_DOMAIN, "p2popt", 6) == 0;
    if (ok && config->listen_fd > 0)
        ok = set_int(s, ZMQ_USE_FD, config->listen_fd);
    if (ok && zmq_bind(s, config->listen) == 0)
        return P2P_OK;
    return failed(config->listen, "bound");
}

static p2p_status
open_way(zmq_link *self, const p2pi_zmq_config *config, size_t neighbour)
{
    const p2p_identity *own = config->identity;
    const char *endpoint = config->endpoints[neighbour];
    way *w = &self->ways[neighbour];
    void *s = w->dealer = new_socket(self, config, ZMQ_DEALER, endpoint);
    char watch[64];
    int ok = s != NULL && set_int(s, ZMQ_IMMEDIATE, 1) && set_int(s, ZMQ_RECONNECT_IVL, RECONNECT_FIRST) &&
             set_int(s, ZMQ_RECONNECT_IVL_MAX, RECONNECT_MOST);

    if (ok && own != NULL)
        ok = zmq_setsockopt(s, ZMQ_CURVE_SERVERKEY, config->keys[neighbour], 41) == 0 &&
             zmq_setsockopt(s, ZMQ_CURVE_PUBLICKEY, own->public_key, 41) == 0 &&
             zmq_setsockopt(s, ZMQ_CURVE_SECRETKEY, own->secret_key, 41) == 0;
    w->rank = config->ranks[neighbour];
    snprintf(w->endpoint, sizeof w->endpoint, "%s", endpoint);
    snprintf(watch, sizeof watch, "inproc://watch-%p", s);
    if (ok && strncmp(endpoint, "inproc://", 9) != 0)
        ok = zmq_socket_monitor(s, watch,
                                ZMQ_EVENT_HANDSHAKE_SUCCEEDED | ZMQ_EVENT_HANDSHAKE_FAILED_AUTH |
                                    ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL | ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL |
                                    ZMQ_EVENT_DISCONNECTED) == 0 &&
             (w->monitor = zmq_socket(self->context, ZMQ_PAIR)) != NULL && set_int(w->monitor, ZMQ_LINGER, 0) &&
             zmq_connect(w->monitor, watch) == 0;
    if (ok && zmq_connect(s, endpoint) == 0)
        return P2P_OK;
    return failed(endpoint, "connected to");
}

static p2p_status
open_context(zmq_link *self, const p2pi_zmq_config *config)
{
    self->context = config->context;
    if (self->context != NULL)
        return P2P_OK;
    if ((self->context = zmq_ctx_new()) == NULL)
        return p2p_fail(P2P_EIO, "ZeroMQ cannot be started: %s", zmq_strerror(zmq_errno()));
    self->owns_context = 1;
    if (zmq_ctx_set(self->context, ZMQ_MAX_SOCKETS, (int)(3 * config->degree + 64)) != 0)
        return p2p_fail(P2P_EIO, "ZeroMQ cannot have %zu sockets: %s", 3 * config->degree + 64,
                        zmq_strerror(zmq_errno()));
    return P2P_OK;
}

p2p_status
p2pi_zmq_open(p2pi_link **out, const p2pi_zmq_config *config)
{
    zmq_link *self = calloc(1, sizeof *self);
    p2p_status st;

    *out = NULL;
    if (self == NULL)
        return p2pi_fail_memory("link", sizeof *self);
    self->base.vt = &link_vt;
    self->client = config->client;
    self->secure = config->identity != NULL;
    if ((self->ways = calloc(config->degree + 1, sizeof *self->ways)) == NULL) {
        st = p2pi_fail_memory("link", config->degree * sizeof *self->ways);
        goto fail;
    }
    if ((st = open_context(self, config)) != P2P_OK)
        goto fail;
    if (self->secure &&
        (st = p2pi_zap_start(&self->zap, self->context, config->member_count, config->members)) != P2P_OK)
        goto fail;
    if ((st = open_router(self, config)) != P2P_OK)
        goto fail;
    for (; self->degree < config->degree; self->degree++)
        if ((st = open_way(self, config, self->degree)) != P2P_OK) {
            self->degree++;
            goto fail;
        }
    *out = &self->base;
    return P2P_OK;
fail:
    *out = &self->base;
    p2pi_zmq_close(out);
    return st;
}

static void
close_socket(void *socket)
{
    if (socket != NULL)
        zmq_close(socket);
}

void
p2pi_zmq_close(p2pi_link **link)
{
    zmq_link *self = (zmq_link *)*link;

    if (self == NULL)
        return;
    for (size_t i = 0; i < self->degree; i++) {
        if (self->ways[i].monitor != NULL)
            zmq_socket_monitor(self->ways[i].dealer, NULL, 0);
        close_socket(self->ways[i].monitor);
        close_socket(self->ways[i].dealer);
    }
    close_socket(self->router);
    if (self->owns_context)
        zmq_ctx_shutdown(self->context);
    p2pi_zap_stop(&self->zap);
    if (self->owns_context)
        zmq_ctx_term(self->context);
    while (self->spare != NULL) {
        zmq_packet *next = self->spare->next;

        free(self->spare);
        self->spare = next;
    }
    free(self->ways);
    free(self);
    *link = NULL;
}
