#include "swarms.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

p2p_swarm *
swarm_of(size_t n, const char *const *keys)
{
    p2p_swarm *s;

    ck_ok(p2p_swarm_new(&s));
    for (; keys != NULL && *keys != NULL; keys++) {
        const char *equals = strchr(*keys, '=');
        char key[32];

        snprintf(key, sizeof key, "%.*s", (int)(equals - *keys), *keys);
        ck_ok(p2p_swarm_set(s, key, equals + 1));
    }
    for (size_t i = 0; i < n; i++)
        ck_ok(p2p_swarm_add(s, NULL, NULL));
    return s;
}

/* Node rank's curvature and centre: fixed, and different for every node. */
static double
curvature(size_t rank)
{
    return 1 + 0.25 * (double)(rank % 4);
}

static double
centre(size_t rank, size_t i)
{
    return sin(1.7 * (double)rank + 0.9 * (double)i) + 0.1 * (double)rank;
}

double quadratic_pause;

static void
take_time(void)
{
    struct timespec t = { (time_t)quadratic_pause, (long)(fmod(quadratic_pause, 1) * 1e9) };

    if (quadratic_pause > 0)
        nanosleep(&t, NULL);
}

static p2p_status
gradient(void *user, p2p_view x, const size_t *idx, size_t count, p2p_vec g)
{
    size_t rank = (size_t)user;

    (void)idx;
    (void)count;
    take_time();
    for (size_t i = 0; i < x.dim; i++)
        p2p_vec_set(g, i, curvature(rank) * (p2p_vec_get(x, i) - centre(rank, i)));
    return P2P_OK;
}

p2p_status
quadratic_of(void *user, size_t rank, p2p_problem **out)
{
    static const p2p_layer layer = { "x", SWARM_DIM, 1, 0, 0 };
    p2p_problem_vt table = {
        .size = sizeof table,
        .layers = &layer,
        .layer_count = 1,
        .grad = gradient,
        .smoothness = curvature(rank),
        .convexity = curvature(rank),
    };

    (void)user;
    return p2p_problem_callback(out, &table, (void *)rank, P2P_F64);
}

void
optimum_of(size_t n, const int *present, double x[SWARM_DIM])
{
    for (size_t i = 0; i < SWARM_DIM; i++) {
        double above = 0, below = 0;

        for (size_t r = 0; r < n; r++)
            if (present == NULL || present[r]) {
                above += curvature(r) * centre(r, i);
                below += curvature(r);
            }
        x[i] = above / below;
    }
}

double
distance_of(const outcome *o, size_t rank, size_t n, const int *present)
{
    double best[SWARM_DIM], worst = 0;

    optimum_of(n, present, best);
    for (size_t i = 0; i < SWARM_DIM; i++)
        worst = fmax(worst, fabs(o->x[rank][i] - best[i]));
    return worst;
}

static void
on_report(void *user, const p2p_report *report)
{
    outcome *o = user;
    size_t rank = report->rank;

    o->reports++;
    if (report->end == P2P_END_NONE || rank >= SWARM_MOST)
        return;
    o->ended++;
    o->end[rank] = report->end;
    o->round[rank] = report->round;
    o->absent[rank] = report->absent;
    o->bits[rank] = report->bits_sent;
    o->seconds[rank] = report->seconds;
    for (size_t i = 0; report->x.data != NULL && i < SWARM_DIM; i++)
        o->x[rank][i] = p2p_vec_get(report->x, i);
}

static void
on_log(void *user, int level, size_t rank, const char *line)
{
    outcome *o = user;
    size_t used = strlen(o->log);

    snprintf(o->log + used, sizeof o->log - used, "%d node %zu: %s\n", level, rank, line);
}

/* Check's messages have a limit. */
const char *
end_of_log(const outcome *o)
{
    size_t len = strlen(o->log);

    return len > 3000 ? o->log + len - 3000 : o->log;
}

p2p_node_config
config_of(p2p_swarm *swarm, outcome *out)
{
    p2p_node_config config = { .size = sizeof config, .swarm = swarm, .on_report = on_report, .on_log = on_log };

    memset(out, 0, sizeof *out);
    config.user = out;
    return config;
}

p2p_status
simulate(p2p_swarm *swarm, const p2p_sim_links *links, outcome *out)
{
    p2p_node_config config = config_of(swarm, out);

    return p2p_swarm_run(&config, "sim", links, quadratic_of, NULL);
}
