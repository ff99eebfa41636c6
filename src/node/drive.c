#include "node/drive.h"

#include "base/clock.h"
#include "base/fail.h"
#include "base/flush.h"
#include "node/description.h"
#include "transport/zmq_link.h"

#include <cblas.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    WAIT_OPENING = 10, /* milliseconds between looks at connections while they come up */
    WAIT_RUNNING = 50,
    BUSY = 64 /* messages between looks at the clock when there is no pause */
};

p2pi_thread_state
p2pi_thread_enter(void)
{
    p2pi_thread_state before = { p2pi_flush_enter(), openblas_get_num_threads() };

    openblas_set_num_threads(1);
    return before;
}

void
p2pi_thread_leave(p2pi_thread_state before)
{
    openblas_set_num_threads(before.threads);
    p2pi_flush_leave(before.flush);
}

p2p_status
p2pi_config_take(p2p_node_config *out, const p2p_node_config *config)
{
    if (config->size < offsetof(p2p_node_config, rank) || config->size > sizeof *out)
        return p2p_fail(P2P_EINVAL, "node: config.size is %zu: expected sizeof(p2p_node_config), %zu", config->size,
                        sizeof *out);
    memset(out, 0, sizeof *out);
    memcpy(out, config, config->size);
    if (out->swarm == NULL)
        return p2p_fail(P2P_EINVAL, "node: config.swarm is NULL");
    return P2P_OK;
}

/* Members' and neighbours' keys, as the link wants them. */
typedef struct {
    p2pi_zmq_member *members;
    const char **keys;
} key_lists;

static p2p_status
list_keys(key_lists *out, const p2p_swarm *swarm, p2p_neighbourhood near)
{
    size_t n = p2p_swarm_size(swarm);

    out->members = calloc(n, sizeof *out->members);
    out->keys = calloc(near.degree + 1, sizeof *out->keys);
    if (out->members == NULL || out->keys == NULL)
        return p2pi_fail_memory("node", n * sizeof *out->members);
    for (size_t i = 0; i < n; i++) {
        const char *key = p2p_swarm_public_key(swarm, i);

        if (key == NULL)
            return p2p_fail(P2P_EINVAL, "node %zu has no key; security curve needs one for every node", i);
        out->members[i] = (p2pi_zmq_member){ (uint32_t)i, key };
    }
    for (size_t i = 0; i < near.degree; i++)
        out->keys[i] = p2p_swarm_public_key(swarm, near.peers[i]);
    return P2P_OK;
}

p2p_status
p2pi_drive_open(p2pi_link **out, p2pi_machine *machine, const p2p_node_config *config, void *context,
                const char *listen, const char *const *endpoints)
{
    const p2pi_description *v = &config->swarm->values;
    p2p_neighbourhood near = p2p_topology_at(config->swarm->plan->topology, config->rank);
    key_lists lists = { NULL, NULL };
    p2pi_zmq_config zmq = {
        .context = context,
        .listen = listen,
        .listen_fd = config->listen_fd,
        .degree = near.degree,
        .ranks = near.peers,
        .endpoints = endpoints,
        .message_bound = p2pi_machine_message_bound(machine),
        .linger = v->round_timeout < 5 ? v->round_timeout : 5,
        .client = p2pi_machine_client(machine),
    };
    p2p_status st = P2P_OK;

    if (context == NULL && v->security == P2PI_SECURITY_CURVE) {
        st = list_keys(&lists, config->swarm, near);
        zmq.identity = config->identity;
        zmq.keys = lists.keys;
        zmq.members = lists.members;
        zmq.member_count = p2p_swarm_size(config->swarm);
    }
    if (st == P2P_OK)
        st = p2pi_zmq_open(out, &zmq);
    if (st == P2P_OK)
        p2pi_machine_attach(machine, *out);
    free(lists.members);
    free(lists.keys);
    return st;
}

/* Stages that need nobody else. Between them a request to stop is heard. */
static void
step_while_ready(p2pi_machine *machine, const volatile int *stop)
{
    while (p2pi_machine_ready(machine)) {
        double now = p2pi_clock();

        if (*stop)
            p2pi_machine_stop(machine, now);
        p2pi_machine_step(machine, now);
        if (p2pi_machine_listens(machine))
            return;
    }
}

/* Milliseconds that the thread may sleep until a message comes. */
static int
patience(const p2pi_machine *machine)
{
    double left;

    if (!p2pi_machine_started(machine))
        return WAIT_OPENING;
    if (p2pi_machine_watches(machine))
        return 1;
    if (!p2pi_machine_listens(machine))
        return WAIT_RUNNING;
    if (p2pi_machine_ready(machine))
        return 0;
    left = ceil((p2pi_machine_due(machine) - p2pi_clock()) * 1000);
    return left < 1 ? 1 : left > WAIT_RUNNING ? WAIT_RUNNING : (int)left;
}

/* What else is there, for a machine that listens between its steps. Returns whether it did. */
static int
hear_the_rest(p2pi_machine *machine, p2pi_link *link)
{
    if (!p2pi_machine_listens(machine))
        return 0;
    for (int i = 0; i < BUSY && p2pi_zmq_receive(link, 0); i++)
        ;
    return 1;
}

void
p2pi_drive(p2pi_machine *machine, p2pi_link *link, const volatile int *stop)
{
    unsigned busy = 0;

    p2pi_machine_start(machine, p2pi_clock());
    while (p2pi_machine_end(machine) == P2P_END_NONE) {
        int got;

        step_while_ready(machine, stop);
        got = p2pi_zmq_receive(link, patience(machine));
        if (got && !hear_the_rest(machine, link) && ++busy % BUSY != 0)
            continue;
        p2pi_machine_tick(machine, p2pi_clock());
        if (got)
            continue;
        p2pi_zmq_attend(link);
        if (*stop)
            p2pi_machine_stop(machine, p2pi_clock());
    }
}
