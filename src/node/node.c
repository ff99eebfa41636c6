/* One node of a swarm of processes. */
#include <p2popt/node.h>

#include "base/fail.h"
#include "node/description.h"
#include "node/drive.h"
#include "transport/zmq_link.h"

#include <sodium.h>
#include <stdlib.h>
#include <string.h>

struct p2p_node {
    p2pi_machine *machine;
    p2pi_link *link; /* until the run ends */
    volatile int stop;
    int ran;
};

/* Whether only this machine can reach the address. */
static int
is_local(const char *endpoint)
{
    static const char *const local[] = { "ipc://", "inproc://", "tcp://127.", "tcp://[::1]:", "tcp://localhost:" };

    for (size_t i = 0; i < sizeof local / sizeof *local; i++)
        if (strncmp(endpoint, local[i], strlen(local[i])) == 0)
            return 1;
    return 0;
}

static p2p_status
check_security(const p2p_node_config *config, const char *listen)
{
    int64_t security = config->swarm->values.security;
    const char *key = p2p_swarm_public_key(config->swarm, config->rank);

    if (security == P2PI_SECURITY_NONE && !is_local(listen))
        return p2p_fail(P2P_EINVAL,
                        "node %zu: %s is open to other machines and security is none; use curve, or insecure",
                        config->rank, listen);
    if (security != P2PI_SECURITY_CURVE)
        return P2P_OK;
    if (config->identity == NULL)
        return p2p_fail(P2P_EINVAL, "node %zu: security curve needs the node's key pair", config->rank);
    if (key != NULL && strcmp(key, config->identity->public_key) != 0)
        return p2p_fail(P2P_EREFUSED, "node %zu: the key pair is of %s, the swarm description says %s", config->rank,
                        config->identity->public_key, key);
    return P2P_OK;
}

/* Random, so that a node that is started again is told from its last start. */
static uint32_t
new_session(void)
{
    uint32_t session;

    do
        randombytes_buf(&session, sizeof session);
    while (session == 0);
    return session;
}

static p2p_status
open_link(p2p_node *self, const p2p_node_config *config)
{
    p2p_neighbourhood near = p2p_topology_at(config->swarm->plan->topology, config->rank);
    const char *own = p2p_swarm_endpoint(config->swarm, config->rank);
    const char *listen = config->listen ? config->listen : own;
    const char **endpoints = calloc(near.degree + 1, sizeof *endpoints);
    p2p_status st = P2P_OK;

    if (endpoints == NULL)
        return p2pi_fail_memory("node", near.degree * sizeof *endpoints);
    for (size_t i = 0; i < near.degree && st == P2P_OK; i++)
        if ((endpoints[i] = p2p_swarm_endpoint(config->swarm, near.peers[i])) == NULL)
            st = p2p_fail(P2P_EINVAL, "node %u has no endpoint", near.peers[i]);
    if (st == P2P_OK && listen == NULL)
        st = p2p_fail(P2P_EINVAL, "node %zu has no endpoint", config->rank);
    if (st == P2P_OK && (st = check_security(config, listen)) == P2P_OK &&
        (st = p2pi_drive_open(&self->link, self->machine, config, NULL, listen, endpoints)) != P2P_OK)
        st = p2pi_fail_context(st, "node %zu", config->rank);
    free(endpoints);
    return st;
}

p2p_status
p2p_node_new(p2p_node **out, const p2p_node_config *given)
{
    p2p_node_config config;
    p2p_node *self;
    p2p_status st;

    *out = NULL;
    if ((st = p2pi_config_take(&config, given)) != P2P_OK)
        return st;
    if (sodium_init() < 0)
        return p2p_fail(P2P_EIO, "libsodium cannot be started");
    if ((self = calloc(1, sizeof *self)) == NULL)
        return p2pi_fail_memory("node", sizeof *self);
    if ((st = p2pi_machine_new(&self->machine, &config, new_session(), NULL)) != P2P_OK ||
        (st = p2pi_machine_rehearse(self->machine)) != P2P_OK || (st = open_link(self, &config)) != P2P_OK) {
        p2p_node_destroy(&self);
        return st;
    }
    *out = self;
    return P2P_OK;
}

p2p_status
p2p_node_run(p2p_node *self)
{
    p2pi_thread_state before;
    const char *sentence;
    p2p_status st;

    if (self->ran)
        return p2p_fail(P2P_EINVAL, "node: it has run already");
    self->ran = 1;
    before = p2pi_thread_enter();
    p2pi_drive(self->machine, self->link, &self->stop);
    p2pi_thread_leave(before);
    p2pi_zmq_close(&self->link);
    st = p2pi_machine_status(self->machine, &sentence);
    return st == P2P_OK ? P2P_OK : p2p_fail(st, "%s", sentence);
}

void
p2p_node_stop(p2p_node *self)
{
    self->stop = 1;
}

p2p_view
p2p_node_solution(const p2p_node *self)
{
    return p2pi_machine_solution(self->machine);
}

p2p_end
p2p_node_end(const p2p_node *self)
{
    return p2pi_machine_end(self->machine);
}

void
p2p_node_destroy(p2p_node **self)
{
    if (*self == NULL)
        return;
    p2pi_machine_destroy(&(*self)->machine);
    p2pi_zmq_close(&(*self)->link);
    free(*self);
    *self = NULL;
}
