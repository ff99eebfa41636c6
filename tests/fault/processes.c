#include "processes.h"

#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PATIENCE = 60000 };

/* ---- in the process of a node */

static int out_fd;
static p2p_node *running;

static void
tell(news *n)
{
    ck_assert(write(out_fd, n, sizeof *n) == sizeof *n);
}

static void
on_report(void *user, const p2p_report *r)
{
    news n = { .kind = NEWS_REPORT,
               .rank = (uint32_t)r->rank,
               .round = r->round,
               .end = r->end,
               .absent = r->absent,
               .bits = r->bits_sent };

    (void)user;
    for (size_t i = 0; r->x.data != NULL && i < SWARM_DIM; i++)
        n.x[i] = p2p_vec_get(r->x, i);
    tell(&n);
}

static void
on_log(void *user, int level, size_t rank, const char *line)
{
    news n = { .kind = NEWS_LOG, .rank = (uint32_t)rank };

    (void)user;
    snprintf(n.line, sizeof n.line, "%d node %zu: %.480s", level, rank, line);
    tell(&n);
}

static void
on_term(int signal)
{
    (void)signal;
    if (running != NULL)
        p2p_node_stop(running);
}

static p2p_swarm *
describe(const crowd *c, size_t rank, const oddity *odd)
{
    p2p_swarm *s = swarm_of(0, odd->keys ? odd->keys : c->keys);

    ck_ok(p2p_swarm_set(s, "security", c->secure ? "curve" : "none"));
    for (size_t i = 0; i < c->n; i++) {
        const p2p_identity *identity = i == rank && odd->identity ? odd->identity : &c->identity[i];

        ck_ok(p2p_swarm_add(s, c->endpoint[i], c->secure ? identity->public_key : NULL));
    }
    return s;
}

static void
be_node(crowd *c, size_t rank, const oddity *odd)
{
    p2p_swarm *s = describe(c, rank, odd);
    p2p_node_config config = {
        .size = sizeof config,
        .swarm = s,
        .rank = rank,
        .identity = odd->identity ? odd->identity : &c->identity[rank],
        .listen_fd = c->listener[rank],
        .report_every = 1,
        .on_report = on_report,
        .on_log = on_log,
    };
    news n = { .kind = NEWS_RESULT, .rank = (uint32_t)rank };
    struct sigaction term = { .sa_handler = on_term };

    out_fd = c->pipe[1];
    sigaction(SIGTERM, &term, NULL);
    quadratic_pause = c->pause[rank];
    ck_ok(quadratic_of(NULL, rank, &config.problem));
    if ((n.status = p2p_node_new(&running, &config)) == P2P_OK)
        n.status = p2p_node_run(running);
    snprintf(n.line, sizeof n.line, "%.500s", n.status == P2P_OK ? "" : p2p_last_error());
    p2p_node_destroy(&running);
    p2p_problem_destroy(&config.problem);
    p2p_swarm_destroy(&s);
    tell(&n);
}

/* ---- around them */

static void
listen_on(crowd *c, size_t i)
{
    struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t len = sizeof at;
    int one = 1;

    c->listener[i] = socket(AF_INET, SOCK_STREAM, 0);
    setsockopt(c->listener[i], SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    ck_assert(bind(c->listener[i], (struct sockaddr *)&at, len) == 0 && listen(c->listener[i], 64) == 0);
    getsockname(c->listener[i], (struct sockaddr *)&at, &len);
    snprintf(c->endpoint[i], sizeof c->endpoint[i], "tcp://127.0.0.1:%u", ntohs(at.sin_port));
}

void
crowd_prepare(crowd *c, size_t n, const char *scheme, int secure, const char *const *keys)
{
    memset(c, 0, sizeof *c);
    c->n = n;
    c->keys = keys;
    c->secure = secure;
    snprintf(c->folder, sizeof c->folder, "/tmp/p2popt-crowd-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(c->folder));
    ck_assert_int_eq(pipe(c->pipe), 0);
    for (size_t i = 0; i < n; i++) {
        ck_ok(p2p_identity_new(&c->identity[i]));
        if (strcmp(scheme, "tcp") == 0)
            listen_on(c, i);
        else
            snprintf(c->endpoint[i], sizeof c->endpoint[i], "ipc://%s/%zu", c->folder, i);
    }
}

void
crowd_start(crowd *c, size_t rank, const oddity *odd)
{
    static const oddity none;

    fflush(NULL);
    c->pid[rank] = fork();
    ck_assert(c->pid[rank] >= 0);
    if (c->pid[rank] == 0) {
        for (size_t i = 0; i < c->n; i++)
            if (i != rank && c->listener[i] > 0)
                close(c->listener[i]);
        close(c->pipe[0]);
        be_node(c, rank, odd ? odd : &none);
        _exit(0);
    }
    /* From now on the socket is the node's; one that is started again binds anew. */
    if (c->listener[rank] > 0)
        close(c->listener[rank]);
    c->listener[rank] = 0;
    c->over[rank] = 0;
}

void
crowd_start_all(crowd *c)
{
    for (size_t i = 0; i < c->n; i++)
        crowd_start(c, i, NULL);
}

static void
take_report(crowd *c, const news *n)
{
    outcome *o = &c->seen;

    c->round[n->rank] = n->round;
    o->reports++;
    if (n->end == P2P_END_NONE)
        return;
    o->ended++;
    o->end[n->rank] = n->end;
    o->round[n->rank] = n->round;
    o->absent[n->rank] = n->absent;
    o->bits[n->rank] = n->bits;
    memcpy(o->x[n->rank], n->x, sizeof n->x);
}

void
crowd_listen(crowd *c)
{
    struct pollfd p = { .fd = c->pipe[0], .events = POLLIN };
    size_t used = strlen(c->seen.log);
    news n;
    int ready;

    do
        ready = poll(&p, 1, PATIENCE);
    while (ready < 0 && errno == EINTR);
    ck_said(&c->seen, ready == 1, "no news for %d ms", PATIENCE);
    ck_assert_int_eq(read(c->pipe[0], &n, sizeof n), sizeof n);
    if (n.kind == NEWS_REPORT)
        take_report(c, &n);
    else if (n.kind == NEWS_LOG)
        snprintf(c->seen.log + used, sizeof c->seen.log - used, "%s\n", n.line);
    else {
        c->over[n.rank] = 1;
        c->status[n.rank] = n.status;
        memcpy(c->sentence[n.rank], n.line, sizeof n.line);
    }
}

void
crowd_signal(crowd *c, size_t rank, int signal)
{
    ck_assert_int_eq(kill(c->pid[rank], signal), 0);
    if (signal != SIGKILL)
        return;
    waitpid(c->pid[rank], NULL, 0);
    c->pid[rank] = 0;
}

void
crowd_until_round(crowd *c, size_t rank, uint32_t round)
{
    while (c->round[rank] < round) {
        ck_said(&c->seen, !c->over[rank], "node %zu is over before round %u: %s", rank, round, c->sentence[rank]);
        crowd_listen(c);
    }
}

void
crowd_until_log(crowd *c, const char *text)
{
    while (strstr(c->seen.log, text) == NULL)
        crowd_listen(c);
}

void
crowd_until_over(crowd *c)
{
    for (size_t i = 0; i < c->n; i++)
        while (c->pid[i] > 0 && !c->over[i])
            crowd_listen(c);
}

void
crowd_finish(crowd *c)
{
    char path[128];

    for (size_t i = 0; i < c->n; i++) {
        if (c->pid[i] > 0)
            waitpid(c->pid[i], NULL, 0);
        if (c->listener[i] > 0)
            close(c->listener[i]);
        snprintf(path, sizeof path, "%s/%zu", c->folder, i);
        unlink(path);
    }
    rmdir(c->folder);
    close(c->pipe[0]);
    close(c->pipe[1]);
}
