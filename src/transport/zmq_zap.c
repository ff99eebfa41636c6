#include "transport/zmq_zap.h"

#include "base/fail.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zmq.h>

enum { KEY = 32, LINE = 160, NOTES = 16 };

typedef struct {
    uint8_t key[KEY];
    uint32_t rank;
} member;

struct p2pi_zap {
    void *socket;
    pthread_t thread;
    int running;
    member *members; /* by key */
    size_t count;
    pthread_mutex_t lock; /* of what follows */
    char notes[NOTES][LINE];
    unsigned noted;
};

static int
by_key(const void *a, const void *b)
{
    return memcmp(((const member *)a)->key, ((const member *)b)->key, KEY);
}

static void
note(p2pi_zap *self, const char *address, const uint8_t *key)
{
    char text[41];

    zmq_z85_encode(text, key, KEY);
    pthread_mutex_lock(&self->lock);
    if (self->noted < NOTES)
        snprintf(self->notes[self->noted++], LINE,
                 "a stranger at %.40s was turned away: its key %s is not in the swarm", address, text);
    pthread_mutex_unlock(&self->lock);
}

int
p2pi_zap_turned_away(p2pi_zap *self, char *line, size_t cap)
{
    int found;

    pthread_mutex_lock(&self->lock);
    if ((found = self->noted > 0))
        snprintf(line, cap, "%s", self->notes[--self->noted]);
    pthread_mutex_unlock(&self->lock);
    return found;
}

/* A request, in parts: version, id, domain, address, routing id, mechanism, key. */
enum { VERSION, ID, DOMAIN, ADDRESS, ROUTING, MECHANISM, CREDENTIAL, PARTS };

typedef struct {
    char part[PARTS][256];
    size_t len[PARTS];
} request;

/* 1: a request of as many parts as expected; 0: something else; -1: the context is going. */
static int
receive(void *socket, request *r)
{
    int i = 0, more = 1;

    memset(r, 0, sizeof *r);
    for (; more; i++) {
        char rest[256], *into = i < PARTS ? r->part[i] : rest;
        int len = zmq_recv(socket, into, 255, 0);
        size_t size = sizeof more;

        if (len < 0 && zmq_errno() == EINTR) {
            i--;
            continue;
        }
        if (len < 0)
            return -1;
        if (i < PARTS)
            r->len[i] = (size_t)len;
        zmq_getsockopt(socket, ZMQ_RCVMORE, &more, &size);
    }
    return i == PARTS && r->len[ID] <= 255 && r->len[CREDENTIAL] == KEY && strcmp(r->part[VERSION], "1.0") == 0 &&
           strcmp(r->part[MECHANISM], "CURVE") == 0;
}

static void
reply(void *socket, const request *r, const char *code, const char *text, const char *user)
{
    zmq_send(socket, "1.0", 3, ZMQ_SNDMORE);
    zmq_send(socket, r->part[ID], r->len[ID], ZMQ_SNDMORE);
    zmq_send(socket, code, 3, ZMQ_SNDMORE);
    zmq_send(socket, text, strlen(text), ZMQ_SNDMORE);
    zmq_send(socket, user, strlen(user), ZMQ_SNDMORE);
    zmq_send(socket, "", 0, 0);
}

static void
answer(p2pi_zap *self, const request *r)
{
    const member *found;
    member wanted;
    char rank[16];

    memcpy(wanted.key, r->part[CREDENTIAL], KEY);
    found = bsearch(&wanted, self->members, self->count, sizeof wanted, by_key);
    if (found == NULL) {
        note(self, r->part[ADDRESS], wanted.key);
        reply(self->socket, r, "400", "not a member", "");
        return;
    }
    snprintf(rank, sizeof rank, "%u", found->rank);
    reply(self->socket, r, "200", "OK", rank);
}

static void *
run(void *argument)
{
    p2pi_zap *self = argument;
    request r;
    int got;

    while ((got = receive(self->socket, &r)) >= 0) {
        if (got > 0)
            answer(self, &r);
        else
            reply(self->socket, &r, "500", "request not understood", "");
    }
    zmq_close(self->socket);
    return NULL;
}

static p2p_status
take_members(p2pi_zap *self, size_t count, const p2pi_zmq_member *members)
{
    if ((self->members = calloc(count + 1, sizeof *self->members)) == NULL)
        return p2pi_fail_memory("zap", count * sizeof *self->members);
    for (size_t i = 0; i < count; i++) {
        if (members[i].public_key == NULL || strlen(members[i].public_key) != 40 ||
            zmq_z85_decode(self->members[i].key, members[i].public_key) == NULL)
            return p2p_fail(P2P_EINVAL, "node %u: its public key is not Z85", members[i].rank);
        self->members[i].rank = members[i].rank;
    }
    self->count = count;
    qsort(self->members, count, sizeof *self->members, by_key);
    return P2P_OK;
}

/* Signals are for the threads of the program, not for this one. */
static int
start_thread(p2pi_zap *self)
{
    sigset_t all, before;
    int error;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    error = pthread_create(&self->thread, NULL, run, self);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return error;
}

p2p_status
p2pi_zap_start(p2pi_zap **out, void *context, size_t count, const p2pi_zmq_member *members)
{
    p2pi_zap *self = calloc(1, sizeof *self);
    p2p_status st;
    int error;

    *out = self;
    if (self == NULL)
        return p2pi_fail_memory("zap", sizeof *self);
    pthread_mutex_init(&self->lock, NULL);
    if ((st = take_members(self, count, members)) != P2P_OK)
        goto fail;
    self->socket = zmq_socket(context, ZMQ_REP);
    if (self->socket == NULL || zmq_bind(self->socket, "inproc://zeromq.zap.01") != 0) {
        st = p2p_fail(P2P_EIO, "the gate for members cannot be opened: %s", zmq_strerror(zmq_errno()));
        goto fail;
    }
    if ((error = start_thread(self)) != 0) {
        st = p2p_fail(P2P_EIO, "the gate for members cannot be opened: %s", strerror(error));
        goto fail;
    }
    self->running = 1;
    return P2P_OK;
fail:
    p2pi_zap_stop(out);
    return st;
}

void
p2pi_zap_stop(p2pi_zap **out)
{
    p2pi_zap *self = *out;

    if (self == NULL)
        return;
    if (self->running)
        pthread_join(self->thread, NULL);
    else if (self->socket != NULL)
        zmq_close(self->socket);
    pthread_mutex_destroy(&self->lock);
    free(self->members);
    free(self);
    *out = NULL;
}
