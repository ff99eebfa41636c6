/* The simulated network by itself: times, order, sharing, faults. */
#include "runner.h"
#include "transport/sim_network.h"

#include <stdarg.h>
#include <stdio.h>

enum { NODES = 3 };

static p2pi_sim *sim;
static p2pi_link *link_of[NODES];
static const uint32_t peers[NODES][2] = { { 1, 2 }, { 0, 2 }, { 0, 1 } };
static char story[1024];

typedef struct {
    uint32_t node;
    p2pi_packet *kept;
} listener;
static listener listeners[NODES];

static void
tell(const char *format, ...)
{
    size_t used = strlen(story);
    va_list args;

    va_start(args, format);
    vsnprintf(story + used, sizeof story - used, format, args);
    va_end(args);
}

static void
arrived(void *user, uint32_t sender, p2pi_packet *packet)
{
    listener *l = user;

    tell("%g: %u got %c of %u; ", p2pi_sim_now(sim), l->node, packet->bytes[0], sender);
    if (packet->bytes[0] == '?')
        link_of[l->node]->vt->answer(link_of[l->node], packet);
    if (l->kept != NULL)
        link_of[l->node]->vt->release(link_of[l->node], l->kept);
    l->kept = packet;
}

static void
changed(void *user, size_t neighbour, p2pi_link_event event)
{
    listener *l = user;

    tell("%u sees %zu %s; ", l->node, neighbour, event == P2PI_LINK_UP ? "up" : "down");
}

static void
join(uint32_t node)
{
    p2pi_link_client client = { &listeners[node], arrived, changed, NULL };

    listeners[node].node = node;
    link_of[node] = p2pi_sim_join(sim, node, 2, peers[node], &client);
    ck_assert_ptr_nonnull(link_of[node]);
}

static void
begin(double latency, double bandwidth)
{
    p2p_sim_links links = { .latency = latency, .bandwidth = bandwidth };

    ck_ok(p2pi_sim_new(&sim, NODES, &links));
    for (uint32_t i = 0; i < NODES; i++)
        join(i);
    story[0] = '\0';
}

static void
end(void)
{
    for (uint32_t i = 0; i < NODES; i++) {
        if (listeners[i].kept != NULL)
            link_of[i]->vt->release(link_of[i], listeners[i].kept);
        listeners[i].kept = NULL;
    }
    p2pi_sim_destroy(&sim);
}

/* A packet of len bytes that begins with c, to all of the given neighbours. */
static void
send(uint32_t node, char c, size_t len, int to_first, int to_second)
{
    p2pi_link *l = link_of[node];
    p2pi_packet *packet = l->vt->packet(l, len);

    ck_assert_ptr_nonnull(packet);
    memset(packet->bytes, c, len);
    if (to_first && !l->vt->send(l, 0, packet))
        tell("no way; ");
    if (to_second && !l->vt->send(l, 1, packet))
        tell("no way; ");
    l->vt->release(l, packet);
}

static void
run(void)
{
    uint32_t node;
    int what;

    while ((what = p2pi_sim_next(sim, &node)) != P2PI_SIM_OVER)
        if (what >= P2PI_SIM_WAKE)
            tell("%g: %u wakes by %d; ", p2pi_sim_now(sim), node, what);
}

START_TEST(an_ideal_network_keeps_order)
{
    begin(0, 0);
    send(0, 'a', 10, 1, 1);
    send(1, 'b', 10, 1, 0);
    run();
    ck_assert_str_eq(story, "0: 1 got a of 0; 0: 2 got a of 0; 0: 0 got b of 1; ");
    end();
}
END_TEST

START_TEST(a_packet_is_shared)
{
    begin(0, 0);
    send(0, 'a', 10, 1, 1);
    run();
    ck_assert_ptr_eq(listeners[1].kept, listeners[2].kept);
    end();
}
END_TEST

START_TEST(latency_and_bandwidth_add_up)
{
    begin(1, 10);
    send(0, 'a', 20, 1, 1);
    send(0, 'b', 10, 1, 0);
    run();
    ck_assert_str_eq(story, "3: 1 got a of 0; 3: 2 got a of 0; 4: 1 got b of 0; ");
    end();
}
END_TEST

START_TEST(wakes_come_in_time)
{
    begin(0.5, 0);
    ck_ok(p2pi_sim_wake(sim, 2, P2PI_SIM_WAKE + 1, 2));
    ck_ok(p2pi_sim_wake(sim, 1, P2PI_SIM_WAKE, 0.25));
    send(0, 'a', 1, 1, 0);
    run();
    ck_assert_str_eq(story, "0.25: 1 wakes by 2; 0.5: 1 got a of 0; 2: 2 wakes by 3; ");
    end();
}
END_TEST

/* Many events at mixed times come out sorted, equals in the order in which they were made. */
START_TEST(the_queue_sorts)
{
    static const double times[] = { 5, 1, 3, 1, 0, 5, 4, 1, 2, 0, 3, 2 };
    double before = 0;
    int reason_before = 0, what;
    uint32_t node;

    begin(0, 0);
    for (int round = 0; round < 200; round++)
        for (int i = 0; i < 12; i++)
            ck_ok(p2pi_sim_wake(sim, 0, P2PI_SIM_WAKE + 12 * round + i, times[i]));
    for (int count = 0; count < 2400; count++) {
        double now;

        what = p2pi_sim_next(sim, &node);
        now = p2pi_sim_now(sim);
        ck_assert(now >= before);
        ck_assert(now > before || what > reason_before);
        before = now;
        reason_before = what;
    }
    ck_assert_int_eq(p2pi_sim_next(sim, &node), P2PI_SIM_OVER);
    end();
}
END_TEST

START_TEST(answers_go_back)
{
    begin(1, 0);
    send(0, '?', 1, 1, 0);
    for (int i = 0; i < 2; i++) {
        uint32_t node;

        p2pi_sim_next(sim, &node);
    }
    ck_assert_str_eq(story, "1: 1 got ? of 0; 2: 0 got ? of 1; ");
    end();
}
END_TEST

START_TEST(nodes_come_and_go)
{
    begin(1, 0);
    send(0, 'a', 1, 0, 1);
    p2pi_sim_leave(sim, 2);
    send(0, 'b', 1, 0, 1);
    run();
    ck_assert_str_eq(story, "0 sees 1 down; 1 sees 1 down; no way; ");
    story[0] = '\0';
    join(2);
    send(0, 'c', 1, 0, 1);
    run();
    ck_assert_str_eq(story, "0 sees 1 up; 1 sees 1 up; 2: 2 got c of 0; ");
    end();
}
END_TEST

START_TEST(frozen_nodes_wait)
{
    begin(1, 0);
    p2pi_sim_freeze(sim, 1, 7);
    ck_ok(p2pi_sim_wake(sim, 1, P2PI_SIM_WAKE, 3));
    send(0, 'a', 1, 1, 1);
    run();
    ck_assert_str_eq(story, "1: 2 got a of 0; 7: 1 got a of 0; 7: 1 wakes by 2; ");
    end();
}
END_TEST

static int
fate(void *user, uint32_t from, uint32_t to, p2pi_packet *packet, double *delay)
{
    (void)user;
    (void)from;
    if (to == 2)
        return 0;
    packet->bytes[0] = 'z';
    *delay = 4;
    return 2;
}

START_TEST(fate_changes_one_receivers_packet)
{
    begin(1, 0);
    p2pi_sim_set_fate(sim, fate, NULL);
    send(0, 'a', 1, 1, 1);
    p2pi_sim_set_fate(sim, NULL, NULL);
    send(2, 'b', 1, 1, 0);
    run();
    ck_assert_str_eq(story, "1: 0 got b of 2; 5: 1 got z of 0; 5: 1 got z of 0; ");
    end();
}
END_TEST

Suite *
sim_network_suite(void)
{
    Suite *suite = suite_create("sim network");
    TCase *tc = tcase_create("events");

    tcase_add_test(tc, an_ideal_network_keeps_order);
    tcase_add_test(tc, a_packet_is_shared);
    tcase_add_test(tc, latency_and_bandwidth_add_up);
    tcase_add_test(tc, wakes_come_in_time);
    tcase_add_test(tc, the_queue_sorts);
    tcase_add_test(tc, answers_go_back);
    tcase_add_test(tc, nodes_come_and_go);
    tcase_add_test(tc, frozen_nodes_wait);
    tcase_add_test(tc, fate_changes_one_receivers_packet);
    suite_add_tcase(suite, tc);
    return suite;
}
