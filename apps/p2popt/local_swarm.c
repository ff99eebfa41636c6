#include "config.h"

#include "local_swarm.h"

#include "certificate.h"
#include "command.h"
#include "report_pipe.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FOLDER_SIZE = 512, PATH_SIZE = FOLDER_SIZE + 64, WHY_SIZE = 1100 };

typedef struct {
    local_swarm *swarm;
    size_t rank;
    pid_t pid;     /* 0: not running */
    int listen_fd; /* -1: the node binds its endpoint itself */
    int report_fd;
    int heard;          /* it has sent a report */
    int ended;          /* it has sent its last report */
    p2p_status status;  /* its failure, P2P_OK if it has not told one, */
    char why[WHY_SIZE]; /* and in its own words */
    report_reader reader;
} child;

struct local_swarm {
    p2p_swarm *description;
    size_t nodes, running;
    int secured;
    const char *byzantine; /* NULL: none */
    char folder[FOLDER_SIZE];
    p2p_identity *identities;
    child *children;
    struct pollfd *polled;
    const local_swarm_handlers *handlers;
    double heard;          /* when a node last said something */
    const child *objector; /* a node that found the description wrong before its first round */
};

/* ---- making */

static p2p_status
make_folder(local_swarm *self)
{
    const char *base = getenv("TMPDIR");
    int n = snprintf(self->folder, sizeof self->folder, "%s/p2popt-run-XXXXXX", base && *base ? base : "/tmp");

    if ((size_t)n >= sizeof self->folder || mkdtemp(self->folder) == NULL) {
        p2p_status st = p2p_fail(P2P_EIO, "TMPDIR: no private folder %s: %s", self->folder, strerror(errno));

        self->folder[0] = '\0';
        return st;
    }
    return P2P_OK;
}

/* A socket on a port that the system chose: no other program can take it before the node runs. */
static p2p_status
listen_tcp(int *fd, char *endpoint, size_t cap)
{
    struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t length = sizeof address;

    *fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (*fd < 0 || bind(*fd, (struct sockaddr *)&address, sizeof address) != 0 || listen(*fd, 128) != 0 ||
        getsockname(*fd, (struct sockaddr *)&address, &length) != 0)
        return p2p_fail(P2P_EIO, "a listening socket on 127.0.0.1: %s", strerror(errno));
    snprintf(endpoint, cap, "tcp://127.0.0.1:%u", (unsigned)ntohs(address.sin_port));
    return P2P_OK;
}

static p2p_status
add_node(local_swarm *self, size_t rank, const char *transport)
{
    child *c = &self->children[rank];
    char endpoint[PATH_SIZE];
    const char *key = NULL;
    p2p_status st = P2P_OK;

    if (strcmp(transport, "tcp") == 0)
        st = listen_tcp(&c->listen_fd, endpoint, sizeof endpoint);
    else
        snprintf(endpoint, sizeof endpoint, "ipc://%s/%zu", self->folder, rank);
    if (st == P2P_OK && self->secured) {
        st = p2p_identity_new(&self->identities[rank]);
        key = self->identities[rank].public_key;
    }
    return st == P2P_OK ? p2p_swarm_add(self->description, endpoint, key) : st;
}

p2p_status
local_swarm_new(local_swarm **out, p2p_swarm *swarm, size_t nodes, const char *transport, const char *byzantine)
{
    local_swarm *self = calloc(1, sizeof *self);
    p2p_status st;

    *out = NULL;
    if (self == NULL)
        return p2p_fail(P2P_ENOMEM, "no memory for a swarm");
    self->description = swarm;
    self->byzantine = byzantine;
    self->secured = strcmp(p2p_swarm_get(swarm, "security"), "none") != 0;
    self->identities = calloc(nodes, sizeof *self->identities);
    self->polled = calloc(nodes, sizeof *self->polled);
    self->children = calloc(nodes, sizeof *self->children);
    if (self->identities == NULL || self->polled == NULL || self->children == NULL)
        st = p2p_fail(P2P_ENOMEM, "no memory for %zu nodes", nodes);
    else
        st = make_folder(self);
    for (size_t rank = 0; st == P2P_OK && rank < nodes; rank++, self->nodes++) {
        self->children[rank] = (child){ .swarm = self, .rank = rank, .listen_fd = -1, .report_fd = -1 };
        st = add_node(self, rank, transport);
    }
    if (st != P2P_OK) {
        local_swarm_destroy(&self);
        return st;
    }
    *out = self;
    return P2P_OK;
}

/* ---- starting */

static void
file_of(const local_swarm *self, size_t rank, char path[PATH_SIZE])
{
    snprintf(path, PATH_SIZE, "%s/%zu.cert", self->folder, rank);
}

static p2p_status
write_files(local_swarm *self)
{
    char path[PATH_SIZE], name[32];
    p2p_status st = P2P_OK;

    for (size_t rank = 0; self->secured && rank < self->nodes && st == P2P_OK; rank++) {
        file_of(self, rank, path);
        snprintf(name, sizeof name, "node-%zu", rank);
        st = certificate_write(path, name, &self->identities[rank], 0);
        p2p_identity_clear(&self->identities[rank]);
    }
    snprintf(path, sizeof path, "%s/swarm.yaml", self->folder);
    return st == P2P_OK ? p2p_swarm_write(self->description, path) : st;
}

/*
 * In the child: nothing but system calls. Ctrl-C reaches the whole foreground group, but only the parent acts on it;
 * its SIGTERM waits until the node is ready for it.
 */
static void
become_node(const child *c, int report_fd, pid_t parent, char **argv)
{
    struct sigaction ignore = { .sa_handler = SIG_IGN };
    sigset_t mask;

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(127);
    sigaction(SIGINT, &ignore, NULL);
    sigemptyset(&mask);
    sigaddset(&mask, SIGTERM);
    sigprocmask(SIG_SETMASK, &mask, NULL);
    if (c->listen_fd >= 0)
        fcntl(c->listen_fd, F_SETFD, 0);
    fcntl(report_fd, F_SETFD, 0);
    execv("/proc/self/exe", argv);
    _exit(127);
}

static p2p_status
start(child *c, const char *log_level, const saving_arguments *saving)
{
    local_swarm *self = c->swarm;
    char description[PATH_SIZE], certificate[PATH_SIZE + 8], rank[24], listen_fd[24], report_fd[24];
    char every[SAVING_TEXT],
        *argv[18 + SAVING_WORDS] = { "p2popt", "node",        "--swarm", description,   "--rank",
                                     rank,     "--report-fd", report_fd, "--log-level", (char *)log_level };
    pid_t parent = getpid();
    int pipe_fd[2], n = 10;

    if (pipe2(pipe_fd, O_CLOEXEC) != 0)
        return p2p_fail(P2P_EIO, "node %zu: no pipe: %s", c->rank, strerror(errno));
    snprintf(description, sizeof description, "%s/swarm.yaml", self->folder);
    snprintf(rank, sizeof rank, "%zu", c->rank);
    snprintf(report_fd, sizeof report_fd, "%d", pipe_fd[1]);
    if (self->secured) {
        file_of(self, c->rank, certificate);
        strcat(certificate, "_secret");
        argv[n++] = "--certificate";
        argv[n++] = certificate;
    }
    if (self->byzantine != NULL) {
        argv[n++] = "--byzantine";
        argv[n++] = (char *)self->byzantine;
    }
    if (c->listen_fd >= 0) {
        snprintf(listen_fd, sizeof listen_fd, "%d", c->listen_fd);
        argv[n++] = "--listen-fd";
        argv[n++] = listen_fd;
    }
    saving_words(saving, argv, n, every);
    c->pid = fork();
    if (c->pid == 0)
        become_node(c, pipe_fd[1], parent, argv);
    close(pipe_fd[1]);
    c->report_fd = pipe_fd[0];
    if (c->pid < 0) {
        c->pid = 0;
        return p2p_fail(P2P_EIO, "node %zu: no process: %s", c->rank, strerror(errno));
    }
    self->running++;
    if (c->listen_fd >= 0)
        close(c->listen_fd); /* the node's alone: when it dies, connections are refused */
    c->listen_fd = -1;
    return P2P_OK;
}

/* ---- listening */

static void
on_report(void *user, const p2p_report *report)
{
    child *c = user;

    if (report->rank != c->rank)
        return;
    c->heard = 1;
    c->ended = report->end != P2P_END_NONE && report->end != P2P_END_FAILED;
    c->swarm->handlers->report(c->swarm->handlers->user, report);
}

static void
on_log(void *user, int level, const char *line)
{
    child *c = user;

    c->swarm->handlers->log(c->swarm->handlers->user, level, c->rank, line);
}

static void
on_failure(void *user, p2p_status status, const char *sentence)
{
    child *c = user;

    c->status = status;
    snprintf(c->why, sizeof c->why, "%s", sentence);
}

static void
signal_all(const local_swarm *self, int number)
{
    for (size_t rank = 0; rank < self->nodes; rank++)
        if (self->children[rank].pid != 0)
            kill(self->children[rank].pid, number);
}

/* What one node finds wrong in the description all will: the run has failed, and says so once. */
static int
objects(const child *c)
{
    return !c->heard && (c->status == P2P_EINVAL || c->status == P2P_EPARSE || c->status == P2P_ENOTSUP);
}

/* The pipe is closed: the process has ended, or is about to. */
static void
reap(child *c)
{
    local_swarm *self = c->swarm;
    int status;

    while (waitpid(c->pid, &status, 0) < 0 && errno == EINTR)
        ;
    c->pid = 0;
    close(c->report_fd);
    c->report_fd = -1;
    report_reader_clear(&c->reader);
    self->running--;
    if (c->ended || self->objector != NULL)
        return;
    if (objects(c)) {
        self->objector = c;
        signal_all(self, SIGKILL);
        return;
    }
    if (c->why[0] == '\0' && WIFSIGNALED(status))
        snprintf(c->why, sizeof c->why, "killed by signal %d (%s)", WTERMSIG(status), strsignal(WTERMSIG(status)));
    else if (c->why[0] == '\0')
        snprintf(c->why, sizeof c->why, "ended with status %d and without a result", WEXITSTATUS(status));
    self->handlers->lost(self->handlers->user, c->rank, c->why);
}

static void
take(child *c)
{
    static const report_handlers handlers = { NULL, on_report, on_log, on_failure };
    report_handlers mine = handlers;
    int got;

    mine.user = c;
    c->swarm->heard = command_clock();
    got = report_reader_take(&c->reader, c->report_fd, &mine);
    if (got < 0) {
        snprintf(c->why, sizeof c->why, "its reports cannot be read");
        kill(c->pid, SIGKILL);
    }
    if (got <= 0)
        reap(c);
}

/* Once a node has ended orderly the others must follow: one that says nothing for this long is stuck. */
static double
patience(const local_swarm *self)
{
    const char *timeout = p2p_swarm_get(self->description, "round-timeout");

    return 5 + 2 * (timeout != NULL ? strtod(timeout, NULL) : 0);
}

static void
end_stuck(local_swarm *self)
{
    int someone_ended = 0;

    for (size_t rank = 0; rank < self->nodes; rank++)
        someone_ended |= self->children[rank].pid == 0 && self->children[rank].ended;
    if (!someone_ended || command_clock() - self->heard < patience(self))
        return;
    for (size_t rank = 0; rank < self->nodes; rank++)
        if (self->children[rank].pid != 0 && self->children[rank].why[0] == '\0')
            snprintf(self->children[rank].why, WHY_SIZE, "said nothing after others had ended, and was killed");
    signal_all(self, SIGKILL);
}

/* Wait for something to read, a signal, or a fifth of a second. */
static void
wait_for_news(local_swarm *self, const sigset_t *open_mask)
{
    static const struct timespec fifth = { 0, 200000000 };

    for (size_t rank = 0; rank < self->nodes; rank++)
        self->polled[rank] = (struct pollfd){ self->children[rank].report_fd, POLLIN, 0 };
    if (ppoll(self->polled, (nfds_t)self->nodes, &fifth, open_mask) <= 0)
        return;
    for (size_t rank = 0; rank < self->nodes; rank++)
        if (self->polled[rank].revents != 0)
            take(&self->children[rank]);
}

static void
listen_to_all(local_swarm *self, volatile sig_atomic_t *interrupts, const sigset_t *open_mask)
{
    sig_atomic_t answered = 0;

    self->heard = command_clock();
    while (self->running > 0) {
        if (*interrupts > answered) {
            int first = *interrupts == 1;

            answered = *interrupts;
            signal_all(self, first ? SIGTERM : SIGKILL);
            if (first)
                self->handlers->stopping(self->handlers->user);
        }
        wait_for_news(self, open_mask);
        end_stuck(self);
    }
}

/* In the objector's words, without the line of a description that the user has not written. */
static p2p_status
objection(const local_swarm *self)
{
    const char *why = self->objector->why, *behind;
    size_t length = strlen(self->folder);

    if (strncmp(why, self->folder, length) == 0 && (behind = strstr(why + length, ": ")) != NULL)
        why = behind + 2;
    return p2p_fail(self->objector->status, "%s", why);
}

p2p_status
local_swarm_run(local_swarm *self, const char *log_level, const saving_arguments *saving,
                const local_swarm_handlers *handlers, volatile sig_atomic_t *interrupts)
{
    sigset_t blocked, before;
    p2p_status st;

    self->handlers = handlers;
    setenv("OPENBLAS_NUM_THREADS", "1", 1);
    if ((st = write_files(self)) != P2P_OK)
        return st;
    /* Signals are let in while waiting only, so that none is missed between a look at the count and the wait. */
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGINT);
    sigaddset(&blocked, SIGTERM);
    sigaddset(&blocked, SIGHUP);
    sigprocmask(SIG_BLOCK, &blocked, &before);
    for (size_t rank = 0; rank < self->nodes && st == P2P_OK; rank++)
        st = start(&self->children[rank], log_level, saving);
    if (st == P2P_OK)
        listen_to_all(self, interrupts, &before);
    sigprocmask(SIG_SETMASK, &before, NULL);
    return st == P2P_OK && self->objector != NULL ? objection(self) : st;
}

/* ---- ending */

static void
remove_folder(const char *folder)
{
    DIR *files = opendir(folder);
    struct dirent *file;

    while (files != NULL && (file = readdir(files)) != NULL)
        unlinkat(dirfd(files), file->d_name, 0);
    if (files != NULL)
        closedir(files);
    rmdir(folder);
}

void
local_swarm_destroy(local_swarm **self)
{
    local_swarm *s = *self;

    if (s == NULL)
        return;
    signal_all(s, SIGKILL);
    for (size_t rank = 0; rank < s->nodes; rank++) {
        child *c = &s->children[rank];

        if (c->pid != 0)
            waitpid(c->pid, NULL, 0);
        if (c->report_fd >= 0)
            close(c->report_fd);
        if (c->listen_fd >= 0)
            close(c->listen_fd);
        report_reader_clear(&c->reader);
        p2p_identity_clear(&s->identities[rank]);
    }
    if (s->folder[0] != '\0')
        remove_folder(s->folder);
    free(s->identities);
    free(s->children);
    free(s->polled);
    free(s);
    *self = NULL;
}
