#include "tune_trial.h"

#include "command.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A gap that has grown so much will not come back. */
static const double hopeless = 1e6;

typedef struct {
    const tune_setting *setting;
    tune_trial *trial;
    monitor *monitor;
    double most_bits, first_gap;
    volatile int stop;
    int decided;
} watch;

const char *
tune_end_name(trial_end end)
{
    static const char *const names[] = { "reached", "costlier", "rounds", "diverged", "time", "stopped", "refused" };

    return names[end];
}

/* The first round that decides is the trial's last, however many the nodes still make. */
static void
decide(watch *w, trial_end end)
{
    w->trial->end = end;
    w->decided = 1;
    w->stop = 1;
}

static void
on_round(void *user, const figures *f)
{
    watch *w = user;

    if (w->decided)
        return;
    w->trial->bits = f->bits;
    w->trial->gap = f->gap;
    w->trial->rounds = f->round;
    if (isnan(w->first_gap))
        w->first_gap = f->gap;
    if (f->gap <= w->setting->target)
        decide(w, TRIAL_REACHED);
    else if (!isfinite(f->gap) || f->gap > hopeless * fmax(w->first_gap, w->setting->target))
        decide(w, TRIAL_DIVERGED);
    else if (f->bits >= w->most_bits)
        decide(w, TRIAL_COSTLIER);
    else if (*w->setting->stop)
        decide(w, TRIAL_STOPPED);
    else if (command_clock() > w->setting->deadline)
        decide(w, TRIAL_LATE);
}

static void
on_report(void *user, const p2p_report *report)
{
    watch *w = user;

    if (report->rank == 0 && report->parameters != NULL)
        snprintf(w->trial->parameters, sizeof w->trial->parameters, "%s", report->parameters);
    monitor_report(w->monitor, report);
}

/* ---- the swarm */

static int
is_own_key(const char *key)
{
    static const char *const own[] = { "method", "compressor", "tolerance", "report-every" };

    for (size_t i = 0; i < sizeof own / sizeof own[0]; i++)
        if (strcmp(key, own[i]) == 0)
            return 1;
    return 0;
}

static p2p_status
make_swarm(const tune_setting *setting, const tune_trial *trial, p2p_swarm **out)
{
    const p2p_option *keys = p2p_swarm_options();
    p2p_status st = p2p_swarm_new(out);

    for (size_t i = 0; keys[i].key != NULL && st == P2P_OK; i++)
        if (!is_own_key(keys[i].key))
            st = p2p_swarm_set(*out, keys[i].key, p2p_swarm_get(setting->swarm, keys[i].key));
    if (st == P2P_OK && (st = p2p_swarm_set(*out, "method", trial->method)) == P2P_OK &&
        (st = p2p_swarm_set(*out, "compressor", trial->compressor)) == P2P_OK)
        st = p2p_swarm_set(*out, "report-every", "5");
    for (size_t rank = 0; rank < setting->nodes && st == P2P_OK; rank++)
        st = p2p_swarm_add(*out, NULL, NULL);
    return st;
}

/* What the run's status says about the trial, unless a round has decided it. */
static p2p_status
conclude(watch *w, p2p_status st)
{
    if (w->decided)
        return P2P_OK;
    switch (st) {
    case P2P_OK:
        w->trial->end = *w->setting->stop ? TRIAL_STOPPED : TRIAL_ROUNDS;
        return P2P_OK;
    case P2P_EDIVERGED:
        w->trial->end = TRIAL_DIVERGED;
        return P2P_OK;
    case P2P_EINVAL:
    case P2P_EPARSE:
    case P2P_ENOTSUP:
        w->trial->end = TRIAL_REFUSED;
        snprintf(w->trial->why, sizeof w->trial->why, "%s", p2p_last_error());
        return P2P_OK;
    default:
        return st;
    }
}

p2p_status
tune_run(const tune_setting *setting, double most_bits, tune_trial *trial)
{
    watch w = { .setting = setting, .trial = trial, .most_bits = most_bits, .first_gap = NAN };
    const monitor_config config = { .nodes = setting->nodes,
                                    .dim = objective_dim(setting->objective),
                                    .type = P2P_F64,
                                    .objective = setting->objective,
                                    .optimum = setting->optimum,
                                    .on_round = on_round,
                                    .user = &w };
    p2p_node_config node = { .size = sizeof node, .on_report = on_report, .user = &w };
    const double started = command_clock();
    p2p_status st;

    trial->parameters[0] = trial->why[0] = '\0';
    trial->bits = trial->gap = NAN;
    trial->rounds = 0;
    if ((st = monitor_new(&w.monitor, &config)) != P2P_OK)
        return st;
    if ((st = make_swarm(setting, trial, &node.swarm)) == P2P_OK)
        st = p2p_swarm_run(&node, "sim", NULL, NULL, &w.stop);
    st = conclude(&w, st);
    trial->seconds = command_clock() - started;
    p2p_swarm_destroy(&node.swarm);
    monitor_destroy(&w.monitor);
    return st;
}
