/*
 * A list of graphs that take turns: round k uses graph k modulo their number. Each is a file; it need not be
 * connected, only all of them together are. Weights are the file's, else Metropolis weights of the round's graph.
 */
#include "topology/generator.h"
#include "topology/graph_files.h"
#include "topology/schedule.h"

#include "base/fail.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    p2p_text files;
} periodic_param;

static const p2p_option periodic_options[] = {
    { "files", P2P_OPT_TEXT, "", NULL, NULL, "edge lists, GraphML or .npy files, joined by +",
      offsetof(periodic_param, files) },
    { NULL, P2P_OPT_TEXT, NULL, NULL, NULL, NULL, 0 },
};

/* The next file of the list; 0: there is none left. */
static p2p_status
read_next(p2pi_span *rest, p2pi_edges *out, int *found)
{
    char path[P2P_TEXT_MAX + 1];
    p2pi_span piece;

    *found = p2pi_span_next(rest, '+', &piece);
    if (!*found)
        return P2P_OK;
    if (piece.len == 0)
        return p2p_fail(P2P_EINVAL, "topology \"periodic\": a path is missing; expected periodic:PATH+PATH...");
    memcpy(path, piece.at, piece.len);
    path[piece.len] = '\0';
    return p2pi_graph_read(out, path, 0);
}

static p2p_status
append(p2pi_edges *out, const p2pi_edges *from)
{
    p2p_status st = P2P_OK;

    if (from->nodes > out->nodes)
        st = p2pi_edges_set_nodes(out, from->nodes);
    for (size_t e = 0; st == P2P_OK && e < from->count; e++)
        if (from->ends[2 * e] != from->ends[2 * e + 1])
            st = p2pi_edges_add(out, from->ends[2 * e], from->ends[2 * e + 1]);
    return st;
}

static p2p_status
build_periodic(const void *param, size_t nodes, p2p_random *draw, p2pi_edges *out)
{
    p2pi_span rest = p2pi_span_of(((const periodic_param *)param)->files.s);
    p2p_status st = P2P_OK;
    int found = 1;

    (void)draw;
    while (st == P2P_OK && found) {
        p2pi_edges one = { 0 };

        st = read_next(&rest, &one, &found);
        if (st == P2P_OK && found)
            st = append(out, &one);
        p2pi_edges_clear(&one);
    }
    if (st == P2P_OK && nodes != 0 && out->nodes > nodes)
        st = p2p_fail(P2P_EINVAL, "topology \"periodic\": its files have %zu nodes, but %zu are asked for",
                      out->nodes, nodes);
    return st == P2P_OK && nodes != 0 ? p2pi_edges_set_nodes(out, nodes) : st;
}

/* The round's row of the table for every edge: 1 on those of the list, and its weights if it has them. */
static p2p_status
mark(const p2p_topology *self, const p2pi_edges *from, double *row)
{
    for (size_t e = 0; e < from->count; e++) {
        uint32_t u = from->ends[2 * e], v = from->ends[2 * e + 1];
        double w = from->weights ? from->weights[e] : 1;
        size_t at;

        if (u == v)
            continue;
        if (u >= self->nodes || v >= self->nodes || (at = p2pi_topology_find(self, u, v)) == SIZE_MAX)
            return p2p_fail(P2P_EIO, "%s: has changed while it was read", from->source);
        row[at] = w;
        row[p2pi_topology_find(self, v, u)] = w;
    }
    return P2P_OK;
}

static size_t
degree_in(const p2p_topology *self, const double *row, size_t i)
{
    size_t degree = 0;

    for (size_t k = self->start[i]; k < self->start[i + 1]; k++)
        degree += row[k] > 0;
    return degree;
}

static void
metropolis(const p2p_topology *self, double *row)
{
    for (size_t i = 0; i < self->nodes; i++)
        for (size_t k = self->start[i]; k < self->start[i + 1]; k++)
            if (row[k] > 0) {
                size_t here = degree_in(self, row, i), there = degree_in(self, row, self->peers[k]);

                row[k] = 1.0 / (1.0 + (double)(here > there ? here : there));
            }
}

/* Weights of a file: positive, and none of a row above 1. Loops must say what the rest of the row leaves. */
static p2p_status
check(const p2p_topology *self, const p2pi_edges *from, const double *row)
{
    for (size_t i = 0; i < self->nodes; i++) {
        double sum = 0;

        for (size_t k = self->start[i]; k < self->start[i + 1]; k++) {
            if (!isfinite(row[k]) || row[k] < 0)
                return p2p_fail(P2P_EINVAL, "%s: row %zu: weight %g: expected a number above 0", from->source, i,
                                row[k]);
            sum += row[k];
        }
        if (sum > 1 + 1e-12)
            return p2p_fail(P2P_EINVAL, "%s: row %zu: its edges sum to %.15g; expected at most 1", from->source, i,
                            sum);
        for (size_t e = 0; e < from->count; e++)
            if (from->ends[2 * e] == i && from->ends[2 * e + 1] == i && fabs(sum + from->weights[e] - 1) > 1e-12)
                return p2p_fail(P2P_EINVAL, "%s: row %zu sums to %.15g; expected 1 within 1e-12", from->source, i,
                                sum + from->weights[e]);
    }
    return P2P_OK;
}

/* At least the norm of I - W: twice the largest sum of a row's edges. */
static void
raise_beta(p2p_topology *self, const double *row)
{
    for (size_t i = 0; i < self->nodes; i++) {
        double sum = 0;

        for (size_t k = self->start[i]; k < self->start[i + 1]; k++)
            sum += row[k];
        self->schedule->beta = fmax(self->schedule->beta, 2 * sum);
    }
}

static p2p_status
fill(p2p_topology *self, p2pi_span rest)
{
    p2p_status st = P2P_OK;

    for (size_t k = 0; k < self->schedule->period && st == P2P_OK; k++) {
        double *row = self->schedule->table + k * 2 * self->edges;
        p2pi_edges one = { 0 };
        int found;

        if ((st = read_next(&rest, &one, &found)) == P2P_OK && (st = mark(self, &one, row)) == P2P_OK) {
            if (one.weights == NULL)
                metropolis(self, row);
            else
                st = check(self, &one, row);
            raise_beta(self, row);
        }
        p2pi_edges_clear(&one);
    }
    return st;
}

static p2p_status
schedule_periodic(const void *param, uint64_t seed, p2p_topology *self)
{
    const p2pi_span list = p2pi_span_of(((const periodic_param *)param)->files.s);
    p2pi_span rest = list, piece;
    size_t count = 0;
    p2p_status st;

    (void)seed;
    while (p2pi_span_next(&rest, '+', &piece))
        count++;
    if ((st = p2pi_schedule_new(self, P2P_TOPOLOGY_VARIES, count)) != P2P_OK)
        return st;
    return fill(self, list);
}

const p2pi_generator p2pi_topology_periodic = {
    .size = sizeof(p2pi_generator),
    .entry = { .name = "periodic",
               .help = "graphs of several files take turns, a round each: periodic:a.edges+b.edges",
               .source = "Nedic, Olshevsky, Shi 2017, arXiv:1607.03218",
               .options = periodic_options,
               .param_size = sizeof(periodic_param) },
    .traits = P2PI_BARE,
    .build = build_periodic,
    .schedule = schedule_periodic,
};
