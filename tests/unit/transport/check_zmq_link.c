/* The real link between two nodes of one process: keys, refusals, limits. Every wait is for an event. */
#include "runner.h"
#include "transport/zmq_link.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>
#include <zmq.h>

enum { BOUND = 4096, PATIENCE = 2000 /* waits of 5 ms */ };

typedef struct {
    p2pi_link *link;
    char endpoint[64];
    int fd;
    p2p_identity identity;
    unsigned up, down, refused, impostor, noticed, got;
    uint32_t sender;
    char text[64]; /* last message */
    size_t len;
    char notice[256];
    int answers; /* answer what arrives */
} party;

static party a, b;

static void
arrived(void *user, uint32_t sender, p2pi_packet *packet)
{
    party *p = user;

    p->got++;
    p->sender = sender;
    p->len = packet->len;
    snprintf(p->text, sizeof p->text, "%.*s", (int)(packet->len < 60 ? packet->len : 60),
             (const char *)packet->bytes);
    if (p->answers)
        p->answers = p->link->vt->answer(p->link, packet) + 1;
    p->link->vt->release(p->link, packet);
}

static void
changed(void *user, size_t neighbour, p2pi_link_event event)
{
    party *p = user;

    ck_assert_uint_eq(neighbour, 0);
    p->up += event == P2PI_LINK_UP;
    p->down += event == P2PI_LINK_DOWN;
    p->refused += event == P2PI_LINK_REFUSED;
    p->impostor += event == P2PI_LINK_IMPOSTOR;
}

static void
noticed(void *user, const char *line)
{
    party *p = user;

    p->noticed++;
    snprintf(p->notice, sizeof p->notice, "%s", line);
}

/* A listening socket on a free port. */
static void
listen_on(party *p)
{
    struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t len = sizeof at;

    memset(p, 0, sizeof *p);
    p->fd = socket(AF_INET, SOCK_STREAM, 0);
    ck_assert(p->fd >= 0 && bind(p->fd, (struct sockaddr *)&at, len) == 0 && listen(p->fd, 16) == 0);
    getsockname(p->fd, (struct sockaddr *)&at, &len);
    snprintf(p->endpoint, sizeof p->endpoint, "tcp://127.0.0.1:%u", ntohs(at.sin_port));
    ck_ok(p2p_identity_new(&p->identity));
}

/* Open p with one neighbour, number rank, that has the key and address of other; members: whom p lets in. */
static p2p_status
open_party(party *p, const party *other, uint32_t rank, int secure, const char *key, const p2pi_zmq_member *members)
{
    const char *endpoint = other->endpoint;
    p2pi_zmq_config config = {
        .listen = p->endpoint,
        .listen_fd = p->fd,
        .degree = 1,
        .ranks = &rank,
        .endpoints = &endpoint,
        .identity = secure ? &p->identity : NULL,
        .keys = &key,
        .member_count = 2,
        .members = members,
        .message_bound = BOUND,
        .linger = 1,
        .client = { p, arrived, changed, noticed },
    };

    return p2pi_zmq_open(&p->link, &config);
}

static void
open_both(int secure)
{
    p2pi_zmq_member members[2];

    listen_on(&a);
    listen_on(&b);
    members[0] = (p2pi_zmq_member){ 7, a.identity.public_key };
    members[1] = (p2pi_zmq_member){ 9, b.identity.public_key };
    ck_ok(open_party(&a, &b, 9, secure, b.identity.public_key, members));
    ck_ok(open_party(&b, &a, 7, secure, a.identity.public_key, members));
}

static void
close_both(void)
{
    p2pi_zmq_close(&a.link);
    p2pi_zmq_close(&b.link);
    ck_assert_ptr_null(a.link);
}

static void
turn(void)
{
    party *both[] = { &a, &b };

    for (int i = 0; i < 2; i++)
        if (both[i]->link != NULL) {
            p2pi_zmq_receive(both[i]->link, 5);
            p2pi_zmq_attend(both[i]->link);
        }
}

#define wait_for(condition)                                                                                          \
    do {                                                                                                             \
        for (int patience = 0; !(condition) && patience < PATIENCE; patience++)                                      \
            turn();                                                                                                  \
        ck_assert_msg((condition), "waited in vain for %s", #condition);                                             \
    } while (0)

static int
say(party *p, const char *text, size_t len)
{
    p2pi_packet *packet = p->link->vt->packet(p->link, len);
    int sent;

    memset(packet->bytes, ' ', len);
    memcpy(packet->bytes, text, strlen(text));
    sent = p->link->vt->send(p->link, 0, packet);
    p->link->vt->release(p->link, packet);
    return sent;
}

START_TEST(messages_pass)
{
    open_both(_i);
    wait_for(a.up && b.up);
    ck_assert_int_eq(say(&a, "hello", 100), 1);
    wait_for(b.got == 1);
    ck_assert_uint_eq(b.len, 100);
    ck_assert_int_eq(strncmp(b.text, "hello ", 6), 0);
    ck_assert_uint_eq(b.sender, _i ? 7 : P2PI_SENDER_UNKNOWN);
    close_both();
}
END_TEST

START_TEST(answers_come_back)
{
    open_both(_i);
    b.answers = 1;
    wait_for(a.up);
    ck_assert_int_eq(say(&a, "question", 80), 1);
    wait_for(a.got == 1);
    ck_assert_uint_eq(a.sender, 9);
    ck_assert_int_eq(b.answers, 2);
    close_both();
}
END_TEST

START_TEST(nothing_is_sent_into_the_void)
{
    p2pi_zmq_member none[2];

    listen_on(&a);
    memset(&b, 0, sizeof b);
    snprintf(b.endpoint, sizeof b.endpoint, "ipc:///nonexistent/socket");
    memset(none, 0, sizeof none);
    ck_ok(open_party(&a, &b, 9, 0, NULL, none));
    ck_assert_int_eq(say(&a, "hello", 100), 0);
    close_both();
}
END_TEST

START_TEST(strangers_are_turned_away)
{
    p2pi_zmq_member members[2];
    p2p_identity other;

    listen_on(&a);
    listen_on(&b);
    ck_ok(p2p_identity_new(&other));
    members[0] = (p2pi_zmq_member){ 7, a.identity.public_key };
    members[1] = (p2pi_zmq_member){ 9, other.public_key };
    ck_ok(open_party(&a, &b, 9, 1, b.identity.public_key, members));
    ck_ok(open_party(&b, &a, 7, 1, a.identity.public_key, members));
    wait_for(b.refused && a.noticed);
    ck_assert_ptr_nonnull(strstr(a.notice, b.identity.public_key));
    ck_assert_ptr_nonnull(strstr(a.notice, "a stranger at 127.0.0.1 was turned away"));
    ck_assert_int_eq(say(&b, "let me in", 100), 0);
    ck_assert_uint_eq(b.up, 0);
    ck_assert_uint_eq(a.got, 0);
    close_both();
}
END_TEST

START_TEST(impostors_are_noticed)
{
    p2pi_zmq_member members[2];
    p2p_identity other;

    listen_on(&a);
    listen_on(&b);
    ck_ok(p2p_identity_new(&other));
    members[0] = (p2pi_zmq_member){ 7, a.identity.public_key };
    members[1] = (p2pi_zmq_member){ 9, other.public_key };
    ck_ok(open_party(&a, &b, 9, 1, other.public_key, members));
    ck_ok(open_party(&b, &a, 7, 1, a.identity.public_key, members));
    wait_for(a.impostor);
    ck_assert_uint_eq(a.up, 0);
    close_both();
}
END_TEST

START_TEST(plain_clients_are_not_let_in)
{
    p2pi_zmq_member members[2];

    listen_on(&a);
    listen_on(&b);
    members[0] = (p2pi_zmq_member){ 7, a.identity.public_key };
    members[1] = (p2pi_zmq_member){ 9, b.identity.public_key };
    ck_ok(open_party(&a, &b, 9, 1, b.identity.public_key, members));
    ck_ok(open_party(&b, &a, 7, 0, NULL, members));
    wait_for(b.impostor);
    ck_assert_uint_eq(a.got, 0);
    close_both();
}
END_TEST

/* A node that was refused is let in once the other has been started again and knows its key. */
START_TEST(refused_nodes_try_again)
{
    p2pi_zmq_member members[2];
    p2p_identity other;
    party first;

    listen_on(&a);
    listen_on(&b);
    ck_ok(p2p_identity_new(&other));
    members[0] = (p2pi_zmq_member){ 7, a.identity.public_key };
    members[1] = (p2pi_zmq_member){ 9, other.public_key };
    ck_ok(open_party(&a, &b, 9, 1, b.identity.public_key, members));
    ck_ok(open_party(&b, &a, 7, 1, a.identity.public_key, members));
    wait_for(b.refused);
    p2pi_zmq_close(&a.link);
    first = a;
    memset(&a, 0, sizeof a);
    a.identity = first.identity;
    strcpy(a.endpoint, first.endpoint);
    members[1].public_key = b.identity.public_key;
    ck_ok(open_party(&a, &b, 9, 1, b.identity.public_key, members));
    wait_for(b.up);
    close_both();
}
END_TEST

/* A message beyond the bound costs its sender the connection; it comes back by itself. */
START_TEST(long_messages_do_not_pass)
{
    open_both(_i);
    wait_for(a.up && b.up);
    ck_assert_int_eq(say(&a, "flood", 100 * BOUND), 1);
    wait_for(a.down && a.up == 2);
    ck_assert_uint_eq(b.got, 0);
    ck_assert_int_eq(say(&a, "small again", BOUND - 64), 1);
    wait_for(b.got == 1);
    close_both();
}
END_TEST

START_TEST(bytes_that_are_no_zeromq_do_no_harm)
{
    struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    char junk[512];
    int fd;

    open_both(_i);
    wait_for(a.up && b.up);
    at.sin_port = htons((uint16_t)atoi(strrchr(b.endpoint, ':') + 1));
    fd = socket(AF_INET, SOCK_STREAM, 0);
    ck_assert_int_eq(connect(fd, (struct sockaddr *)&at, sizeof at), 0);
    memset(junk, 0xa5, sizeof junk);
    ck_assert_int_eq(write(fd, junk, sizeof junk), sizeof junk);
    ck_assert_int_eq(say(&a, "still here", 100), 1);
    wait_for(b.got == 1);
    close(fd);
    close_both();
}
END_TEST

/* Where nobody is authenticated, anyone may send anything: it arrives as bytes, with no sender. */
START_TEST(odd_messages_arrive_as_bytes)
{
    void *context = zmq_ctx_new(), *dealer = zmq_socket(context, ZMQ_DEALER);
    int linger = 0;

    open_both(0);
    zmq_setsockopt(dealer, ZMQ_LINGER, &linger, sizeof linger);
    ck_assert_int_eq(zmq_connect(dealer, b.endpoint), 0);
    zmq_send(dealer, "one", 3, ZMQ_SNDMORE);
    zmq_send(dealer, "two", 3, ZMQ_SNDMORE);
    zmq_send(dealer, "three", 5, 0);
    zmq_send(dealer, "", 0, 0);
    zmq_send(dealer, "last", 4, 0);
    wait_for(b.got == 3);
    ck_assert_str_eq(b.text, "last");
    ck_assert_uint_eq(b.sender, P2PI_SENDER_UNKNOWN);
    zmq_close(dealer);
    zmq_ctx_term(context);
    close_both();
}
END_TEST

START_TEST(addresses_in_use_are_told)
{
    p2pi_zmq_member members[2] = { { 7, NULL }, { 9, NULL } };
    party twin;

    open_both(0);
    twin = a;
    twin.fd = 0;
    ck_fails(open_party(&twin, &b, 9, 0, NULL, members), P2P_EIO, "cannot be bound: Address already in use");
    ck_assert_ptr_null(twin.link);
    ck_fails(open_party(&twin, &b, 9, 1, b.identity.public_key, members), P2P_EINVAL, "its public key is not Z85");
    close_both();
}
END_TEST

Suite *
zmq_link_suite(void)
{
    Suite *suite = suite_create("zmq link");
    TCase *tc = tcase_create("two nodes");

    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(tc, messages_pass, 0, 2);
    tcase_add_loop_test(tc, answers_come_back, 0, 2);
    tcase_add_test(tc, nothing_is_sent_into_the_void);
    tcase_add_test(tc, strangers_are_turned_away);
    tcase_add_test(tc, impostors_are_noticed);
    tcase_add_test(tc, plain_clients_are_not_let_in);
    tcase_add_test(tc, refused_nodes_try_again);
    tcase_add_loop_test(tc, long_messages_do_not_pass, 0, 2);
    tcase_add_loop_test(tc, bytes_that_are_no_zeromq_do_no_harm, 0, 2);
    tcase_add_test(tc, odd_messages_arrive_as_bytes);
    tcase_add_test(tc, addresses_in_use_are_told);
    suite_add_tcase(suite, tc);
    return suite;
}
