/*
 * A program that brings its own operator: rock, paper and scissors with stakes, played by u against v. What the moves
 * pay is known to three nodes, a move of u each; together they find how often to play what, in messages of four bits an
 * entry. The step is longer than step=auto's, which must hold for each node's operator by itself.
 */
#include <p2popt.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOVES = 3, DIM = 2 * MOVES };
/* What u pays: rock and paper settle for 2, paper and scissors for 3, rock and scissors for 1. */
static double pays[MOVES][MOVES] = { { 0, 2, -1 }, { -2, 0, 3 }, { 1, -3, 0 } };

/*
 * f_i(u, v) = 3 u_i (row_i . v), so that the mean of the three is u'A v. The operator is the gradient in u, which u
 * wants small, and the negative one in v.
 */
static p2p_status
operator_of_a_row(void *user, p2p_view z, const size_t *idx, size_t count, p2p_vec f)
{
    const double *row = user, *v = (const double *)z.data + MOVES;
    const size_t i = (size_t)(row - pays[0]) / MOVES;
    double *out = f.data;

    (void)idx, (void)count;
    p2p_vec_zero(f);
    for (size_t j = 0; j < MOVES; j++) {
        out[i] += MOVES * row[j] * v[j];
        out[MOVES + j] = -MOVES * row[j] * p2p_vec_get(z, i);
    }
    return P2P_OK;
}

static p2p_status
problem_of(void *user, size_t rank, p2p_problem **out)
{
    static const p2p_layer layers[] = { { "u", MOVES, 1, 0, 0 }, { "v", MOVES, 1, MOVES, P2P_LAYER_MAX } };
    const p2p_problem_vt game = { .size = sizeof game, .layers = layers, .layer_count = 2, .flags = P2P_PROBLEM_GAME,
                                  .grad = operator_of_a_row, .smoothness = 11, .set = "simplex|simplex" };

    (void)user;
    return p2p_problem_callback(out, &game, pays[rank], P2P_F64);
}

static void
report(void *user, const p2p_report *r)
{
    (void)user;
    if (r->end != P2P_END_NONE && r->rank == 0)
        printf("rock %.6f, paper %.6f, scissors %.6f\n", p2p_vec_get(r->x, 0), p2p_vec_get(r->x, 1),
               p2p_vec_get(r->x, 2));
}

int
main(void)
{
    p2p_swarm *swarm = NULL;
    p2p_node_config config = { .size = sizeof config, .on_report = report };
    p2p_status st;

    if ((st = p2p_swarm_new(&swarm)) == P2P_OK &&
        (st = p2p_swarm_set(swarm, "method", "cold-vi:step=0.05")) == P2P_OK &&
        (st = p2p_swarm_set(swarm, "compressor", "qinf:bits=4")) == P2P_OK &&
        (st = p2p_swarm_set(swarm, "rounds", "2000")) == P2P_OK)
        for (size_t i = 0; i < MOVES && st == P2P_OK; i++)
            st = p2p_swarm_add(swarm, NULL, NULL);
    config.swarm = swarm;
    if (st == P2P_OK)
        st = p2p_swarm_run(&config, "sim", NULL, problem_of, NULL); /* or "inproc": a thread each */
    if (st != P2P_OK)
        fprintf(stderr, "game: %s\n", p2p_last_error());
    p2p_swarm_destroy(&swarm);
    return st == P2P_OK ? EXIT_SUCCESS : EXIT_FAILURE;
}
