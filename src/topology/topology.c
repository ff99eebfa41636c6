/* What every user of a topology calls once it is made. */
#include "topology/graph.h"
#include "topology/schedule.h"

#include "base/fail.h"

#include <stdlib.h>
#include <string.h>

void
p2p_topology_destroy(p2p_topology **self)
{
    p2p_topology *t = *self;

    if (t == NULL)
        return;
    for (size_t i = 0; t->names != NULL && i < t->nodes; i++)
        free(t->names[i]);
    free(t->names);
    p2pi_schedule_destroy(&t->schedule);
    free(t->self);
    free(t->weights);
    free(t->peers);
    free(t->start);
    free(t);
    *self = NULL;
}

size_t
p2p_topology_size(const p2p_topology *self)
{
    return self->nodes;
}

size_t
p2p_topology_edges(const p2p_topology *self)
{
    return self->edges;
}

p2p_neighbourhood
p2p_topology_at(const p2p_topology *self, size_t node)
{
    size_t first = self->start[node];
    p2p_neighbourhood here = { self->start[node + 1] - first, self->peers + first, self->weights + first,
                               self->self[node] };

    return here;
}

const char *
p2p_topology_node_name(const p2p_topology *self, size_t node)
{
    return self->names ? self->names[node] : NULL;
}

const char *
p2p_topology_spec(const p2p_topology *self)
{
    return self->spec;
}

const char *
p2p_topology_mixing(const p2p_topology *self)
{
    return self->mixing;
}

const char *
p2p_topology_notice(const p2p_topology *self)
{
    return self->notice;
}

size_t
p2p_topology_diameter(const p2p_topology *self)
{
    return self->diameter;
}

/* What stands for the eigenvalues where there is no one W: the long-run rate, and a bound on I - W. */
static p2p_status
measure_schedule(const p2p_topology *self, double *gap, double *beta)
{
    double factor;
    p2p_status st = p2pi_schedule_contraction(self, &factor);

    *gap = st == P2P_OK ? 1 - factor : 0;
    *beta = self->schedule->beta;
    return st;
}

p2p_status
p2p_topology_measure(const p2p_topology *self, p2p_topology_figures *out)
{
    p2p_topology_figures f = { .nodes = self->nodes, .edges = self->edges, .gap = 1, .beta = 1 };
    p2p_status st = P2P_OK;

    memset(out, 0, sizeof *out);
    if (self->nodes > 1)
        st = self->schedule ? measure_schedule(self, &f.gap, &f.beta)
                            : p2pi_topology_spectrum(self, 0, &f.gap, &f.beta);
    if (st != P2P_OK)
        return st;
    f.lambda_2 = 1 - f.gap;
    f.lambda_n = 1 - f.beta;
    f.degree_min = self->nodes;
    for (size_t i = 0; i < self->nodes; i++) {
        size_t degree = self->start[i + 1] - self->start[i];

        f.degree_min = degree < f.degree_min ? degree : f.degree_min;
        f.degree_max = degree > f.degree_max ? degree : f.degree_max;
    }
    f.degree_mean = 2.0 * (double)self->edges / (double)self->nodes;
    f.diameter = self->diameter;
    f.diameter_exact = self->diameter_exact;
    *out = f;
    return P2P_OK;
}

/* FNV-1a over the eight bytes of v, lowest first. */
static uint64_t
mix_in(uint64_t hash, uint64_t v)
{
    for (int shift = 0; shift < 64; shift += 8)
        hash = (hash ^ (v >> shift & 0xff)) * UINT64_C(1099511628211);
    return hash;
}

static uint64_t
bits_of(double x)
{
    uint64_t bits;

    memcpy(&bits, &x, sizeof bits);
    return bits;
}

/* The rounds of a schedule; of one that is drawn what it is drawn from. */
static uint64_t
mix_in_schedule(uint64_t hash, const struct p2pi_schedule *s, size_t edges)
{
    hash = mix_in(mix_in(mix_in(hash, s->traits), s->seed), bits_of(s->p));
    for (size_t k = 0; k < s->period * 2 * edges; k++)
        hash = mix_in(hash, bits_of(s->table[k]));
    return hash;
}

uint64_t
p2p_topology_hash(const p2p_topology *self)
{
    uint64_t hash = mix_in(UINT64_C(14695981039346656037), self->nodes);

    for (size_t i = 0; i < self->nodes; i++) {
        hash = mix_in(hash, bits_of(self->self[i]));
        for (size_t k = self->start[i]; k < self->start[i + 1]; k++)
            if (self->peers[k] > i) {
                hash = mix_in(hash, (uint64_t)i << 32 | self->peers[k]);
                hash = mix_in(hash, bits_of(self->weights[k]));
            }
    }
    return self->schedule ? mix_in_schedule(hash, self->schedule, self->edges) : hash;
}
