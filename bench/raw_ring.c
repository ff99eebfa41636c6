#include "raw_ring.h"

#include "bench.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zmq.h>

enum { NODES_MAX = 64, WARM_UP = 20, PATIENCE = 300 };

/* Memory that all processes share. */
typedef struct {
    pthread_barrier_t barrier;
    double seconds;
    char endpoint[NODES_MAX][64];
    char public_key[NODES_MAX][41], secret_key[NODES_MAX][41];
} meeting;

typedef struct {
    const raw_ring *ring;
    meeting *m;
    int id;
    void *context, *router, *dealer[2];
    char *payload;
} node;

static void
must(int result, const char *what)
{
    if (result < 0)
        bench_fail(what, zmq_strerror(errno));
}

static void
set(void *socket, int option, int value)
{
    must(zmq_setsockopt(socket, option, &value, sizeof value), "zmq_setsockopt");
}

static void *
open_socket(node *self, int type)
{
    void *s = zmq_socket(self->context, type);

    if (s == NULL)
        must(-1, "zmq_socket");
    set(s, ZMQ_LINGER, 0);
    if (self->ring->curve) {
        must(zmq_setsockopt(s, ZMQ_CURVE_PUBLICKEY, self->m->public_key[self->id], 41), "public key");
        must(zmq_setsockopt(s, ZMQ_CURVE_SECRETKEY, self->m->secret_key[self->id], 41), "secret key");
    }
    return s;
}

static void
listen_here(node *self)
{
    size_t len = sizeof self->m->endpoint[0];

    self->router = open_socket(self, ZMQ_ROUTER);
    set(self->router, ZMQ_ROUTER_MANDATORY, 1);
    if (self->ring->curve)
        set(self->router, ZMQ_CURVE_SERVER, 1);
    must(zmq_bind(self->router, "tcp://127.0.0.1:*"), "zmq_bind");
    must(zmq_getsockopt(self->router, ZMQ_LAST_ENDPOINT, self->m->endpoint[self->id], &len), "endpoint");
}

static void
connect_to_neighbours(node *self)
{
    int n = self->ring->nodes;

    for (int k = 0; k < 2; k++) {
        int peer = (self->id + (k == 0 ? n - 1 : 1)) % n;

        self->dealer[k] = open_socket(self, ZMQ_DEALER);
        if (self->ring->curve)
            must(zmq_setsockopt(self->dealer[k], ZMQ_CURVE_SERVERKEY, self->m->public_key[peer], 41), "server key");
        must(zmq_connect(self->dealer[k], self->m->endpoint[peer]), "zmq_connect");
    }
}

/* The message is built once; both sockets share its bytes. */
static void
send_to_both(node *self)
{
    zmq_msg_t first, second;

    must(zmq_msg_init_size(&first, self->ring->size), "message");
    memcpy(zmq_msg_data(&first), self->payload, self->ring->size);
    zmq_msg_init(&second);
    must(zmq_msg_copy(&second, &first), "zmq_msg_copy");
    must(zmq_msg_send(&first, self->dealer[0], 0), "send");
    must(zmq_msg_send(&second, self->dealer[1], 0), "send");
}

static void
receive_one(node *self)
{
    zmq_msg_t part;
    int more;

    do {
        zmq_msg_init(&part);
        must(zmq_msg_recv(&part, self->router, 0), "receive");
        more = zmq_msg_more(&part);
        zmq_msg_close(&part);
    } while (more);
}

static void
play(node *self, int rounds)
{
    for (int r = 0; r < rounds; r++) {
        send_to_both(self);
        receive_one(self);
        receive_one(self);
    }
}

static void
live(const raw_ring *ring, meeting *m, int id)
{
    node self = { .ring = ring, .m = m, .id = id };
    double start;

    alarm(PATIENCE);
    self.payload = bench_memory(ring->size);
    self.context = zmq_ctx_new();
    listen_here(&self);
    pthread_barrier_wait(&m->barrier);
    connect_to_neighbours(&self);
    play(&self, WARM_UP);
    pthread_barrier_wait(&m->barrier);
    start = bench_now();
    play(&self, ring->rounds);
    pthread_barrier_wait(&m->barrier);
    if (id == 0)
        m->seconds = bench_now() - start;
    zmq_close(self.dealer[0]);
    zmq_close(self.dealer[1]);
    zmq_close(self.router);
    zmq_ctx_term(self.context);
}

static meeting *
arrange(const raw_ring *ring)
{
    meeting *m = mmap(NULL, sizeof *m, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    pthread_barrierattr_t shared;

    if (m == MAP_FAILED || ring->nodes > NODES_MAX)
        bench_fail("raw ring", "no shared memory");
    pthread_barrierattr_init(&shared);
    pthread_barrierattr_setpshared(&shared, PTHREAD_PROCESS_SHARED);
    pthread_barrier_init(&m->barrier, &shared, (unsigned)ring->nodes);
    for (int i = 0; i < ring->nodes; i++)
        must(zmq_curve_keypair(m->public_key[i], m->secret_key[i]), "CURVE keys");
    return m;
}

double
raw_ring_run(const raw_ring *ring)
{
    meeting *m = arrange(ring);
    pid_t child[NODES_MAX];
    int failed = 0, status;
    double seconds;

    for (int i = 0; i < ring->nodes; i++)
        if ((child[i] = fork()) == 0) {
            live(ring, m, i);
            _exit(0);
        }
    for (int i = 0; i < ring->nodes; i++)
        if (wait(&status) < 0 || status != 0) {
            failed = 1;
            for (int j = 0; j < ring->nodes; j++)
                kill(child[j], SIGKILL);
        }
    seconds = m->seconds;
    munmap(m, sizeof *m);
    if (failed)
        bench_fail("raw ring", "a node failed");
    return seconds;
}
