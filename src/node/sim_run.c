#include "node/sim_run.h"

#include "base/fail.h"
#include "node/description.h"
#include "node/byzantine.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { WAKE_TICK = P2PI_SIM_WAKE, WAKE_STEP };

typedef struct {
    p2pi_machine *machine;
    p2p_problem *problem;
    uint32_t session;
    double tick_at; /* the tick under way; infinite: none */
    double step_at; /* when the stage that is being computed will be done; infinite: none is */
    int ended;
} actor;

struct p2pi_sim_run {
    p2p_node_config config;
    p2pi_problem_of *problem_of;
    p2p_sim_links links;
    p2pi_sim *network;
    p2pi_pool *pool;
    p2pi_board *board; /* NULL: no liar needs one */
    const volatile int *stop;
    int stopped;
    size_t count, present, ended;
    actor *actors;
    p2p_status status;
    char sentence[1024];
};

static void
failed(p2pi_sim_run *self, p2p_status status, const char *sentence)
{
    if (self->status != P2P_OK)
        return;
    self->status = status;
    snprintf(self->sentence, sizeof self->sentence, "%s", sentence);
}

/* ---- nodes that come and go */

static p2p_status
make_machine(p2pi_sim_run *self, size_t rank)
{
    p2p_node_config config = self->config;
    actor *a = &self->actors[rank];
    p2p_status st;

    if (self->problem_of != NULL && a->problem == NULL &&
        (st = self->problem_of(config.user, rank, &a->problem)) != P2P_OK)
        return st;
    config.rank = rank;
    config.problem = a->problem;
    a->tick_at = a->step_at = INFINITY;
    if ((st = p2pi_machine_new(&a->machine, &config, ++a->session, self->pool)) == P2P_OK)
        p2pi_machine_show(a->machine, self->board);
    return st;
}

static p2p_status
join(p2pi_sim_run *self, size_t rank)
{
    p2p_neighbourhood near = p2p_topology_at(self->config.swarm->plan->topology, rank);
    p2pi_link_client client = p2pi_machine_client(self->actors[rank].machine);
    p2pi_link *link = p2pi_sim_join(self->network, (uint32_t)rank, near.degree, near.peers, &client);

    if (link == NULL)
        return P2P_ENOMEM;
    p2pi_machine_attach(self->actors[rank].machine, link);
    self->present++;
    return P2P_OK;
}

/* ---- what a node does */

static void
wake(p2pi_sim_run *self, size_t rank, int reason, double time)
{
    if (p2pi_sim_wake(self->network, (uint32_t)rank, reason, time) != P2P_OK)
        failed(self, P2P_ENOMEM, p2p_last_error());
}

/* Without a time of computing, all stages that are complete are finished at once. */
static void
compute(p2pi_sim_run *self, size_t rank, double now)
{
    actor *a = &self->actors[rank];

    if (self->links.compute == 0) {
        while (p2pi_machine_ready(a->machine)) {
            if (*self->stop)
                p2pi_machine_stop(a->machine, now);
            p2pi_machine_step(a->machine, now);
        }
        return;
    }
    if (now >= a->step_at) {
        a->step_at = INFINITY;
        p2pi_machine_step(a->machine, now);
    }
    if (a->step_at == INFINITY && p2pi_machine_ready(a->machine)) {
        a->step_at = now + self->links.compute;
        wake(self, rank, WAKE_STEP, a->step_at);
    }
}

static void
settle(p2pi_sim_run *self, size_t rank)
{
    double now = p2pi_sim_now(self->network), due;
    actor *a = &self->actors[rank];
    const char *sentence;
    p2p_status st;

    if (a->machine == NULL || a->ended)
        return;
    p2pi_machine_tick(a->machine, now);
    compute(self, rank, now);
    due = p2pi_machine_due(a->machine);
    if (p2pi_machine_end(a->machine) == P2P_END_NONE) {
        if (due < a->tick_at) {
            a->tick_at = due;
            wake(self, rank, WAKE_TICK, due);
        }
        return;
    }
    a->ended = 1;
    self->ended++;
    if ((st = p2pi_machine_status(a->machine, &sentence)) != P2P_OK && !p2pi_machine_lies(a->machine))
        failed(self, st, sentence);
}

static void
stop_all(p2pi_sim_run *self)
{
    self->stopped = 1;
    for (size_t i = 0; i < self->count; i++)
        if (self->actors[i].machine != NULL) {
            p2pi_machine_stop(self->actors[i].machine, p2pi_sim_now(self->network));
            settle(self, i);
        }
}

/* What liars wait for may have been posted since. */
static void
settle_liars(p2pi_sim_run *self)
{
    for (size_t i = 0; self->board != NULL && i < self->count; i++) {
        const actor *a = &self->actors[i];

        if (a->machine != NULL && !a->ended && p2pi_machine_lies(a->machine) && p2pi_machine_ready(a->machine))
            settle(self, i);
    }
}

int
p2pi_sim_run_step(p2pi_sim_run *self)
{
    uint32_t rank;
    int what;

    if (*self->stop && !self->stopped)
        stop_all(self);
    settle_liars(self);
    if (self->ended == self->present || (what = p2pi_sim_next(self->network, &rank)) == P2PI_SIM_OVER)
        return 0;
    if (what == WAKE_TICK)
        self->actors[rank].tick_at = INFINITY;
    settle(self, rank);
    return 1;
}

/* ---- making it */

static p2p_status
start_all(p2pi_sim_run *self)
{
    p2p_status st;

    for (size_t i = 0; i < self->count; i++)
        if ((st = make_machine(self, i)) != P2P_OK ||
            (i == 0 && (st = p2pi_machine_rehearse(self->actors[0].machine)) != P2P_OK))
            return st;
    for (size_t i = 0; i < self->count; i++)
        if ((st = join(self, i)) != P2P_OK)
            return st;
    for (size_t i = 0; i < self->count; i++) {
        p2pi_machine_start(self->actors[i].machine, 0);
        settle(self, i);
    }
    return P2P_OK;
}

p2p_status
p2pi_sim_run_new(p2pi_sim_run **out, const p2p_node_config *config, const p2p_sim_links *links,
                 p2pi_problem_of *problem_of, const volatile int *stop)
{
    static const volatile int never;
    p2pi_sim_run *self;
    const p2pi_plan *plan;
    p2p_status st;

    *out = NULL;
    if ((st = p2pi_swarm_plan(config->swarm, &plan)) != P2P_OK)
        return st;
    if ((self = calloc(1, sizeof *self)) == NULL)
        return p2pi_fail_memory("sim", sizeof *self);
    self->config = *config;
    self->problem_of = problem_of;
    self->links = *links;
    self->stop = stop ? stop : &never;
    self->count = p2p_topology_size(plan->topology);
    if ((self->actors = calloc(self->count, sizeof *self->actors)) == NULL)
        st = p2pi_fail_memory("sim", self->count * sizeof *self->actors);
    else if ((st = p2pi_trial_board_of(&self->board, config->byzantine, plan)) == P2P_OK &&
             (st = p2pi_pool_new(&self->pool)) == P2P_OK &&
             (st = p2pi_sim_new(&self->network, self->count, links)) == P2P_OK)
        st = start_all(self);
    if (st != P2P_OK)
        p2pi_sim_run_destroy(&self);
    *out = self;
    return st;
}

void
p2pi_sim_run_destroy(p2pi_sim_run **out)
{
    p2pi_sim_run *self = *out;

    if (self == NULL)
        return;
    for (size_t i = 0; self->actors != NULL && i < self->count; i++) {
        p2pi_machine_destroy(&self->actors[i].machine);
        p2p_problem_destroy(&self->actors[i].problem);
    }
    p2pi_sim_destroy(&self->network);
    p2pi_pool_destroy(&self->pool);
    p2pi_board_destroy(&self->board);
    free(self->actors);
    free(self);
    *out = NULL;
}

p2p_status
p2pi_sim_run_status(const p2pi_sim_run *self)
{
    if (self->status != P2P_OK)
        return p2p_fail(self->status, "%s", self->sentence);
    if (p2pi_sim_failed(self->network))
        return p2p_fail(P2P_ENOMEM, "sim: no memory for a message");
    return P2P_OK;
}

p2pi_machine *
p2pi_sim_run_machine(p2pi_sim_run *self, size_t rank)
{
    return self->actors[rank].machine;
}

p2pi_sim *
p2pi_sim_run_network(const p2pi_sim_run *self)
{
    return self->network;
}

/* ---- faults */

void
p2pi_sim_run_kill(p2pi_sim_run *self, size_t rank)
{
    actor *a = &self->actors[rank];

    p2pi_machine_destroy(&a->machine);
    p2pi_sim_leave(self->network, (uint32_t)rank);
    self->present--;
    self->ended -= (size_t)a->ended;
    a->ended = 0;
}

p2p_status
p2pi_sim_run_revive(p2pi_sim_run *self, size_t rank)
{
    p2p_status st;

    if ((st = make_machine(self, rank)) != P2P_OK || (st = join(self, rank)) != P2P_OK)
        return st;
    p2pi_machine_start(self->actors[rank].machine, p2pi_sim_now(self->network));
    settle(self, rank);
    return P2P_OK;
}
