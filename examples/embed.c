/*
 * A program that brings its own function. Each of eight nodes knows one row of a table and minimises half the squared
 * distance from it; together they find the mean of all rows, though no node ever sees another's.
 */
#include <p2popt.h>
#include <stdio.h>
#include <stdlib.h>

enum { NODES = 8, DIM = 3 };
static double table[NODES][DIM] = { { 1, 2, 3 }, { 4, 5, 6 }, { 7, 8, 9 }, { 1, 1, 1 },
                                    { 0, 0, 5 }, { 2, 4, 8 }, { 3, 3, 3 }, { 6, 1, 5 } };

/* The gradient of f_i at x: x - row. All of a node's own work is in a function like this one. */
static p2p_status
gradient(void *row, p2p_view x, const size_t *idx, size_t count, p2p_vec g)
{
    (void)idx, (void)count;
    p2p_vec_sub(g, x, (p2p_view){ row, DIM, P2P_F64 });
    return P2P_OK;
}

static p2p_status
problem_of(void *user, size_t rank, p2p_problem **out)
{
    static const p2p_layer layer = { "x", DIM, 1, 0, 0 };
    const p2p_problem_vt f = { .size = sizeof f, .layers = &layer, .layer_count = 1, .grad = gradient,
                               .smoothness = 1, .convexity = 1 };

    (void)user;
    return p2p_problem_callback(out, &f, table[rank], P2P_F64);
}

static void
report(void *user, const p2p_report *r)
{
    (void)user;
    if (r->end != P2P_END_NONE && r->rank == 0)
        printf("node 0 after %u rounds: %.9f %.9f %.9f, %.0f bits sent\n", (unsigned)r->round, p2p_vec_get(r->x, 0),
               p2p_vec_get(r->x, 1), p2p_vec_get(r->x, 2), (double)r->bits_sent);
}

int
main(void)
{
    p2p_swarm *swarm = NULL;
    p2p_node_config config = { .size = sizeof config, .on_report = report };
    p2p_status st;

    if ((st = p2p_swarm_new(&swarm)) == P2P_OK && (st = p2p_swarm_set(swarm, "method", "cold")) == P2P_OK &&
        (st = p2p_swarm_set(swarm, "compressor", "qinf:bits=2")) == P2P_OK &&
        (st = p2p_swarm_set(swarm, "rounds", "400")) == P2P_OK)
        for (size_t i = 0; i < NODES && st == P2P_OK; i++)
            st = p2p_swarm_add(swarm, NULL, NULL);
    config.swarm = swarm;
    /* All nodes in this process, a thread each. On a network, each node's program calls p2p_swarm_read,
     * p2p_identity_read, p2p_node_new with its problem, and p2p_node_run. */
    if (st == P2P_OK)
        st = p2p_swarm_run(&config, "inproc", NULL, problem_of, NULL);
    if (st != P2P_OK)
        fprintf(stderr, "embed: %s\n", p2p_last_error());
    p2p_swarm_destroy(&swarm);
    return st == P2P_OK ? EXIT_SUCCESS : EXIT_FAILURE;
}
