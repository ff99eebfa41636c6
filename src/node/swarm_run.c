/* A whole swarm in one process: simulated, or a thread a node. */
#include <p2popt/node.h>

#include "base/fail.h"
#include "base/spec.h"
#include "node/description.h"
#include "node/drive.h"
#include "node/sim_run.h"
#include "node/byzantine.h"
#include "transport/zmq_link.h"

#include <pthread.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zmq.h>

/* ---- simulated */

static p2p_status
run_sim(const p2p_node_config *config, const p2p_sim_links *links, p2pi_problem_of *problem_of, volatile int *stop)
{
    p2pi_thread_state before = p2pi_thread_enter();
    p2pi_sim_run *run;
    p2p_status st = p2pi_sim_run_new(&run, config, links, problem_of, stop);

    if (st == P2P_OK) {
        while (p2pi_sim_run_step(run))
            continue;
        st = p2pi_sim_run_status(run);
    }
    p2pi_sim_run_destroy(&run);
    p2pi_thread_leave(before);
    return st;
}

/* ---- threads */

typedef struct crew crew;

typedef struct {
    crew *crew;
    p2p_node_config config;
    p2p_problem *problem;
    p2pi_machine *machine;
    p2pi_link *link;
    pthread_t thread;
    int running;
} hand;

struct crew {
    const p2p_node_config *config;
    volatile int *stop;
    void *context;
    p2pi_board *board; /* NULL: no liar needs one */
    size_t count;
    hand *hands;
    pthread_mutex_t lock; /* one callback at a time */
};

static void
on_report(void *user, const p2p_report *report)
{
    crew *c = user;

    pthread_mutex_lock(&c->lock);
    c->config->on_report(c->config->user, report);
    pthread_mutex_unlock(&c->lock);
}

static void
on_log(void *user, int level, size_t rank, const char *line)
{
    crew *c = user;

    pthread_mutex_lock(&c->lock);
    c->config->on_log(c->config->user, level, rank, line);
    pthread_mutex_unlock(&c->lock);
}

/* Names in the context that the threads share. */
static p2p_status
open_hand(crew *c, size_t rank)
{
    p2p_neighbourhood near = p2p_topology_at(c->config->swarm->plan->topology, rank);
    char(*names)[40] = calloc(near.degree + 1, sizeof *names);
    const char **endpoints = calloc(near.degree + 1, sizeof *endpoints);
    hand *h = &c->hands[rank];
    p2p_status st;

    if (names == NULL || endpoints == NULL)
        st = p2pi_fail_memory("swarm", near.degree * sizeof *names);
    else {
        for (size_t i = 0; i < near.degree; i++) {
            snprintf(names[i], sizeof names[i], "inproc://node-%u", near.peers[i]);
            endpoints[i] = names[i];
        }
        snprintf(names[near.degree], sizeof *names, "inproc://node-%zu", rank);
        st = p2pi_drive_open(&h->link, h->machine, &h->config, c->context, names[near.degree], endpoints);
    }
    free(names);
    free(endpoints);
    return st;
}

static p2p_status
make_hand(crew *c, size_t rank, p2pi_problem_of *problem_of)
{
    hand *h = &c->hands[rank];
    p2p_status st;

    h->crew = c;
    h->config = *c->config;
    h->config.rank = rank;
    h->config.listen_fd = 0;
    h->config.on_report = c->config->on_report ? on_report : NULL;
    h->config.on_log = c->config->on_log ? on_log : NULL;
    h->config.user = c;
    if (problem_of != NULL && (st = problem_of(c->config->user, rank, &h->problem)) != P2P_OK)
        return st;
    h->config.problem = h->problem;
    if ((st = p2pi_machine_new(&h->machine, &h->config, 1, NULL)) != P2P_OK ||
        (rank == 0 && (st = p2pi_machine_rehearse(h->machine)) != P2P_OK))
        return st;
    p2pi_machine_show(h->machine, c->board);
    return open_hand(c, rank);
}

static void *
work(void *argument)
{
    hand *h = argument;
    p2pi_thread_state before = p2pi_thread_enter();

    p2pi_drive(h->machine, h->link, h->crew->stop);
    p2pi_thread_leave(before);
    p2pi_zmq_close(&h->link);
    return NULL;
}

static p2p_status
run_hands(crew *c)
{
    p2p_status st = P2P_OK;
    const char *sentence;

    for (size_t i = 0; i < c->count && st == P2P_OK; i++) {
        int error = pthread_create(&c->hands[i].thread, NULL, work, &c->hands[i]);

        c->hands[i].running = error == 0;
        if (error != 0) {
            st = p2p_fail(P2P_EIO, "a thread for node %zu cannot be started: %s", i, strerror(error));
            *c->stop = 1;
        }
    }
    for (size_t i = 0; i < c->count; i++)
        if (c->hands[i].running)
            pthread_join(c->hands[i].thread, NULL);
    for (size_t i = 0; i < c->count && st == P2P_OK; i++)
        if (!p2pi_machine_lies(c->hands[i].machine) &&
            (st = p2pi_machine_status(c->hands[i].machine, &sentence)) != P2P_OK)
            p2p_fail(st, "%s", sentence);
    return st;
}

static p2p_status
run_threads(const p2p_node_config *config, p2pi_problem_of *problem_of, volatile int *stop)
{
    volatile int own_stop = 0;
    crew c = { .config = config, .stop = stop ? stop : &own_stop, .lock = PTHREAD_MUTEX_INITIALIZER };
    const p2pi_plan *plan;
    p2p_status st;

    if ((st = p2pi_swarm_plan(config->swarm, &plan)) != P2P_OK)
        return st;
    c.count = p2p_topology_size(plan->topology);
    if ((c.hands = calloc(c.count, sizeof *c.hands)) == NULL)
        return p2pi_fail_memory("swarm", c.count * sizeof *c.hands);
    st = p2pi_trial_board_of(&c.board, config->byzantine, plan);
    if (st == P2P_OK &&
        ((c.context = zmq_ctx_new()) == NULL ||
         zmq_ctx_set(c.context, ZMQ_MAX_SOCKETS, (int)(c.count + 2 * p2p_topology_edges(plan->topology) + 16)) != 0))
        st = p2p_fail(P2P_EIO, "ZeroMQ cannot be started for %zu nodes: %s", c.count, zmq_strerror(zmq_errno()));
    for (size_t i = 0; i < c.count && st == P2P_OK; i++)
        st = make_hand(&c, i, problem_of);
    if (st == P2P_OK)
        st = run_hands(&c);
    for (size_t i = 0; i < c.count; i++) {
        p2pi_machine_destroy(&c.hands[i].machine);
        p2pi_zmq_close(&c.hands[i].link);
        p2p_problem_destroy(&c.hands[i].problem);
    }
    if (c.context != NULL)
        zmq_ctx_term(c.context);
    p2pi_board_destroy(&c.board);
    free(c.hands);
    pthread_mutex_destroy(&c.lock);
    return st;
}

/* ---- either */

static p2p_status
parse_transport(const char *spec, const char **name, p2p_sim_links *links)
{
    p2pi_span given, options;
    const p2p_entry *entry;
    size_t index;
    p2p_status st;

    p2pi_spec_split(p2pi_span_of(spec), &given, &options);
    if ((st = p2pi_spec_find("transport", given, p2pi_transport_entry, &index)) != P2P_OK)
        return st;
    entry = p2pi_transport_entry(index);
    *name = entry->name;
    if (p2pi_transport_table(index)->scheme != NULL)
        return p2p_fail(P2P_ENOTSUP, "transport \"%s\": is between processes; within one, use sim or inproc", *name);
    return p2pi_spec_parse("transport", entry, options, entry->param_size > 0 ? links : (void *)&index);
}

p2p_status
p2p_swarm_run(const p2p_node_config *given, const char *transport, const p2p_sim_links *links,
              p2p_status (*problem_of)(void *user, size_t rank, p2p_problem **out), volatile int *stop)
{
    p2p_node_config config;
    p2p_sim_links parsed;
    const char *name;
    p2p_status st;

    if ((st = p2pi_config_take(&config, given)) != P2P_OK)
        return st;
    if (sodium_init() < 0)
        return p2p_fail(P2P_EIO, "libsodium cannot be started");
    if ((st = parse_transport(transport, &name, &parsed)) != P2P_OK)
        return st;
    if (strcmp(name, "sim") == 0)
        return run_sim(&config, links ? links : &parsed, problem_of, stop);
    return run_threads(&config, problem_of, stop);
}
