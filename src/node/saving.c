/* When a node writes its checkpoints, and which one it resumes from. */
#include "node/machine_inside.h"

#include "base/fail.h"
#include "node/checkpoint.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* All that the node carries from round to round; a checkpoint borrows it. */
typedef struct {
    p2pi_checkpoint_part *part;
    char (*name)[P2P_TEXT_MAX];
    size_t count, room;
} memory;

static p2p_status
add_part(void *user, const char *name, void *data, size_t bytes)
{
    memory *m = user;

    if (m->count == m->room) {
        const size_t room = 2 * m->room + 16;
        p2pi_checkpoint_part *part = realloc(m->part, room * sizeof *part);
        char(*names)[P2P_TEXT_MAX];

        if (part == NULL)
            return p2pi_fail_memory("checkpoint", room * sizeof *part);
        m->part = part;
        if ((names = realloc(m->name, room * sizeof *names)) == NULL)
            return p2pi_fail_memory("checkpoint", room * sizeof *names);
        m->name = names;
        m->room = room;
    }
    snprintf(m->name[m->count], sizeof m->name[0], "%s", name);
    m->part[m->count++] = (p2pi_checkpoint_part){ NULL, data, bytes };
    return P2P_OK;
}

static void
clear(memory *m)
{
    free(m->part);
    free(m->name);
}

/* The engine's memory and the machine's own. */
static p2p_status
collect(p2pi_machine *self, memory *m)
{
    p2p_status st;

    *m = (memory){ 0 };
    if ((st = p2pi_engine_memory(self->engine, add_part, m)) != P2P_OK ||
        (st = add_part(m, "calm", &self->stop.calm, sizeof self->stop.calm)) != P2P_OK ||
        (st = add_part(m, "saved", &self->saved, sizeof self->saved)) != P2P_OK) {
        clear(m);
        return st;
    }
    for (size_t i = 0; i < m->count; i++)
        m->part[i].name = m->name[i];
    return P2P_OK;
}

static p2pi_checkpoint
checkpoint_of(const p2pi_machine *self, const memory *m)
{
    return (p2pi_checkpoint){ .fingerprint = self->kinship,
                              .node = self->rank,
                              .parts = m != NULL ? m->part : NULL,
                              .count = m != NULL ? m->count : 0 };
}

/* ---- which there are */

/* The newest file, and the one before it. */
static p2p_status
name_files(p2pi_machine *self, const char *folder)
{
    char path[P2PI_CHECKPOINT_PATH], previous[P2PI_CHECKPOINT_PATH];
    const int len = snprintf(path, sizeof path, "%s/node-%u.checkpoint", folder, self->rank);
    p2p_status st;

    if (len < 0 || len >= (int)sizeof path)
        return p2p_fail(P2P_EINVAL, "checkpoint folder %.60s...: the path is too long", folder);
    if ((st = p2pi_checkpoint_previous(previous, path)) != P2P_OK)
        return st;
    self->saving.path[0] = strdup(path);
    self->saving.path[1] = strdup(previous);
    return self->saving.path[0] && self->saving.path[1] ? P2P_OK : p2pi_fail_memory("checkpoint", sizeof path);
}

/* A file that is damaged is told of, and the one before it stands in; one of another swarm is not passed over. */
static p2p_status
look(p2pi_machine *self, const char *folder)
{
    p2pi_saving *s = &self->saving;
    const p2pi_checkpoint ours = checkpoint_of(self, NULL);

    for (size_t which = 0; which < P2PI_CHECKPOINTS; which++) {
        uint32_t round;
        p2p_status st = p2pi_checkpoint_look(&ours, s->path[which], &round);

        if (st == P2P_EREFUSED || st == P2P_ENOMEM)
            return st;
        if (st == P2P_OK) {
            s->which[s->found] = which;
            s->round[s->found++] = round;
        } else if (st == P2P_EPARSE)
            p2pi_machine_log(self, 1, "%s", p2p_last_error());
    }
    if (s->found == 0)
        return p2p_fail(P2P_EIO, "no checkpoint of node %u in %s to resume from", self->rank, folder);
    return P2P_OK;
}

p2p_status
p2pi_saving_open(p2pi_machine *self, const p2p_node_config *config)
{
    p2pi_saving *s = &self->saving;
    p2p_status st;

    if (config->checkpoint == NULL)
        return config->resume ? p2p_fail(P2P_EINVAL, "to resume, a folder with checkpoints is needed") : P2P_OK;
    if (config->byzantine != NULL)
        return p2p_fail(P2P_ENOTSUP, "byzantine \"%s\": what liars remember has no checkpoint", config->byzantine);
    s->every = config->checkpoint_every;
    if ((st = name_files(self, config->checkpoint)) != P2P_OK)
        return st;
    return s->resume ? look(self, config->checkpoint) : P2P_OK;
}

void
p2pi_saving_close(p2pi_machine *self)
{
    for (size_t i = 0; i < P2PI_CHECKPOINTS; i++)
        free(self->saving.path[i]);
}

double
p2pi_saving_newest(const p2pi_machine *self)
{
    return self->saving.resume ? self->saving.round[0] : 0;
}

/* ---- writing */

/* Rounds that some neighbour was not in are not saved: the swarm that resumes is whole. */
static void
save(p2pi_machine *self)
{
    p2pi_checkpoint ours;
    memory m;
    p2p_status st;

    if (self->live < self->near.degree || self->round == self->saving.last)
        return;
    self->saving.last = self->round;
    if ((st = collect(self, &m)) == P2P_OK) {
        ours = checkpoint_of(self, &m);
        st = p2pi_checkpoint_save(&ours, self->saving.path[0], self->round);
        clear(&m);
    }
    if (st != P2P_OK)
        p2pi_machine_log(self, 1, "%s", p2p_last_error());
}

void
p2pi_saving_round(p2pi_machine *self)
{
    const uint32_t every = self->saving.every;

    if (self->saving.path[0] != NULL && every > 0 && self->round % every == 0)
        save(self);
}

void
p2pi_saving_end(p2pi_machine *self, p2p_end end)
{
    if (self->saving.path[0] != NULL && self->engine != NULL && !self->pairing && end != P2P_END_FAILED &&
        self->stage == 0)
        save(self);
}

/* ---- resuming */

p2p_status
p2pi_saving_ready(const p2pi_machine *self)
{
    if (self->saving.path[0] != NULL && p2pi_engine_is_asynchronous(self->engine))
        return p2p_fail(P2P_ENOTSUP, "method %s: its nodes have no rounds in common for checkpoints",
                        self->values->method.s);
    return P2P_OK;
}

p2p_status
p2pi_saving_resume(p2pi_machine *self, uint32_t round)
{
    p2pi_saving *s = &self->saving;
    p2pi_checkpoint ours;
    size_t at = 0;
    memory m;
    p2p_status st;

    if (!s->resume)
        return P2P_OK;
    while (at < s->found && s->round[at] != round)
        at++;
    if (at == s->found)
        return p2p_fail(P2P_EIO,
                        "node %u: no checkpoint of round %u, the newest of another node: its own are of round %u%s",
                        self->rank, round, s->round[0], s->found > 1 ? " and one before" : "");
    if ((st = collect(self, &m)) != P2P_OK)
        return st;
    ours = checkpoint_of(self, &m);
    st = p2pi_checkpoint_load(&ours, s->path[s->which[at]], &self->round);
    clear(&m);
    if (st != P2P_OK)
        return st;
    s->last = self->round;
    self->told.calm = self->stop.calm;
    p2pi_machine_log(self, 2, "resumes from round %u", self->round);
    return P2P_OK;
}
