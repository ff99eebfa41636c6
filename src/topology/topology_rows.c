/* From a list of edges to rows of neighbours, and the sums and checks of W's rows. */
#include "topology/graph.h"

#include "base/fail.h"
#include "base/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *
source_of(const p2pi_edges *edges)
{
    return edges->source ? edges->source : "topology";
}

/* The same edge twice: fine if the weights agree. order[k] and order[k - 1] are the two. */
static p2p_status
check_repeated(const p2pi_edges *edges, uint32_t before, uint32_t again)
{
    char first[32], second[32];

    if (edges->weights == NULL || edges->weights[before] == edges->weights[again])
        return P2P_OK;
    p2pi_text_real(first, sizeof first, edges->weights[before]);
    p2pi_text_real(second, sizeof second, edges->weights[again]);
    if (edges->lines == NULL)
        return p2p_fail(P2P_EINVAL, "edge %u (%u %u): weight %s, but edge %u gives %s; W must be symmetric", again,
                        edges->ends[2 * again], edges->ends[2 * again + 1], second, before, first);
    return p2p_fail(P2P_EINVAL, "%s:%u: edge %u %u has weight %s, but line %u gives %s; W must be symmetric",
                    source_of(edges), edges->lines[again], edges->ends[2 * again], edges->ends[2 * again + 1], second,
                    edges->lines[before], first);
}

/* Edges and loops that remain when repetitions are dropped; order is compacted to them. */
static p2p_status
merge(const p2pi_edges *edges, uint32_t *order, size_t *kept, size_t *loops, size_t *merged)
{
    const uint32_t *ends = edges->ends;
    p2p_status st;

    *kept = *loops = *merged = 0;
    for (size_t k = 0; k < edges->count; k++) {
        uint32_t e = order[k], last = *kept > 0 ? order[*kept - 1] : 0;
        int loop = ends[2 * e] == ends[2 * e + 1];

        if (loop && edges->drop_loops) {
            ++*loops;
        } else if (*kept > 0 && ((ends[2 * e] == ends[2 * last] && ends[2 * e + 1] == ends[2 * last + 1]) ||
                                 (ends[2 * e] == ends[2 * last + 1] && ends[2 * e + 1] == ends[2 * last]))) {
            if ((st = check_repeated(edges, last, e)) != P2P_OK)
                return st;
            ++*merged;
        } else
            order[(*kept)++] = e;
    }
    return P2P_OK;
}

static p2p_status
allocate(p2p_topology *self, size_t nodes, size_t entries)
{
    self->nodes = nodes;
    self->start = calloc(nodes + 1, sizeof *self->start);
    self->peers = malloc((entries + 1) * sizeof *self->peers);
    self->weights = calloc(entries + 1, sizeof *self->weights);
    self->self = malloc(nodes * sizeof *self->self);
    if (self->start == NULL || self->peers == NULL || self->weights == NULL || self->self == NULL)
        return p2pi_fail_memory("topology", entries * (sizeof *self->peers + sizeof *self->weights));
    return P2P_OK;
}

/*
 * Deal the sorted edges to the rows. Row i gets the peers below i while those are the smaller end, then the peers
 * above i: ascending without a further sort.
 */
static void
deal(p2p_topology *self, const p2pi_edges *edges, const uint32_t *order, size_t kept)
{
    size_t *start = self->start;

    for (size_t k = 0; k < kept; k++) {
        uint32_t u = edges->ends[2 * order[k]], v = edges->ends[2 * order[k] + 1];

        if (u != v) {
            start[u]++;
            start[v]++;
            self->edges++;
        }
    }
    for (size_t i = 0, sum = 0; i <= self->nodes; i++) {
        size_t degree = start[i];

        start[i] = sum;
        sum += degree;
    }
    for (size_t k = 0; k < kept; k++) {
        uint32_t e = order[k], u = edges->ends[2 * e], v = edges->ends[2 * e + 1];
        double w = edges->weights ? edges->weights[e] : 0;

        if (u == v)
            continue;
        self->peers[start[u]] = v;
        self->weights[start[u]++] = w;
        self->peers[start[v]] = u;
        self->weights[start[v]++] = w;
    }
    memmove(start + 1, start, self->nodes * sizeof *start);
    start[0] = 0;
}

/* W as the edges' weights give it: loops are w_ii, rows without one are closed. */
static p2p_status
take_weights(p2p_topology *self, const p2pi_edges *edges, const uint32_t *order, size_t kept)
{
    p2pi_topology_close_rows(self);
    for (size_t k = 0; k < kept; k++) {
        uint32_t e = order[k];

        if (edges->ends[2 * e] == edges->ends[2 * e + 1])
            self->self[edges->ends[2 * e]] = edges->weights[e];
    }
    self->weighted = 1;
    return p2pi_topology_check_weights(self, source_of(edges));
}

static void
tell(p2p_topology *self, const char *format, size_t count)
{
    if (count > 0) {
        p2pi_text_append(self->notice, sizeof self->notice, "%s", self->notice[0] ? ", " : "");
        p2pi_text_append(self->notice, sizeof self->notice, format, count, count > 1 ? "s" : "");
    }
}

p2p_status
p2pi_topology_assemble(p2p_topology **out, p2pi_edges *edges)
{
    size_t kept, loops, merged;
    uint32_t *order = NULL;
    p2p_topology *self;
    p2p_status st;

    *out = NULL;
    if (edges->nodes == 0)
        return p2p_fail(P2P_EINVAL, "%s: no nodes", source_of(edges));
    if ((st = p2pi_edges_check_connected(edges)) != P2P_OK)
        return st;
    if ((self = calloc(1, sizeof *self)) == NULL)
        return p2pi_fail_memory("topology", sizeof *self);
    if ((order = malloc((edges->count + 1) * sizeof *order)) == NULL) {
        st = p2pi_fail_memory("edge order", edges->count * sizeof *order);
        goto fail;
    }
    if ((st = p2pi_edges_order(edges, order)) != P2P_OK ||
        (st = merge(edges, order, &kept, &loops, &merged)) != P2P_OK ||
        (st = allocate(self, edges->nodes, 2 * kept)) != P2P_OK)
        goto fail;
    deal(self, edges, order, kept);
    if (edges->weights != NULL && (st = take_weights(self, edges, order, kept)) != P2P_OK)
        goto fail;
    self->names = edges->names;
    edges->names = NULL;
    tell(self, "%zu repeated edge%s merged", merged);
    tell(self, "%zu loop%s dropped", loops);
    tell(self, "%zu node%s of smaller components left out", edges->left_out);
    if (edges->directed)
        p2pi_text_append(self->notice, sizeof self->notice, "%sdirected edges taken as undirected",
                         self->notice[0] ? ", " : "");
    free(order);
    *out = self;
    return P2P_OK;
fail:
    free(order);
    p2p_topology_destroy(&self);
    return st;
}

size_t
p2pi_topology_find(const p2p_topology *self, uint32_t u, uint32_t v)
{
    size_t low = self->start[u], high = self->start[u + 1];

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (self->peers[middle] == v)
            return middle;
        if (self->peers[middle] < v)
            low = middle + 1;
        else
            high = middle;
    }
    return SIZE_MAX;
}

/* What is still to be summed of a sparse row. */
typedef struct {
    const uint32_t *peers, *end;
    const double *weights;
} row_cursor;

static int
before(const row_cursor *at, size_t column)
{
    return at->peers < at->end && *at->peers < column;
}

/*
 * NumPy's pairwise summation of columns from .. from + count - 1: halves that are multiples of 8 down to 128 columns,
 * there eight partial sums, then the rest. Absent entries would add an exact 0, so only those present are visited.
 */
static double
pairwise(row_cursor *at, size_t from, size_t count)
{
    double r[8] = { 0 }, sum;
    size_t half = count / 2 - count / 2 % 8, whole = count - count % 8;

    if (!before(at, from + count))
        return 0;
    if (count > 128) {
        sum = pairwise(at, from, half);
        return sum + pairwise(at, from + half, count - half);
    }
    for (; before(at, from + whole); at->peers++)
        r[(*at->peers - from) % 8] += *at->weights++;
    sum = ((r[0] + r[1]) + (r[2] + r[3])) + ((r[4] + r[5]) + (r[6] + r[7]));
    for (; before(at, from + count); at->peers++)
        sum += *at->weights++;
    return sum;
}

double
p2pi_topology_row_sum(const p2p_topology *self, size_t i)
{
    row_cursor at = { self->peers + self->start[i], self->peers + self->start[i + 1],
                      self->weights + self->start[i] };

    return pairwise(&at, 0, self->nodes);
}

void
p2pi_topology_close_rows(p2p_topology *self)
{
    for (size_t i = 0; i < self->nodes; i++)
        self->self[i] = 1.0 - p2pi_topology_row_sum(self, i);
}

p2p_status
p2pi_topology_check_weights(const p2p_topology *self, const char *what)
{
    double low, high, sum;
    int negative = 0;
    p2p_status st;

    for (size_t i = 0; i < self->nodes; i++) {
        for (size_t k = self->start[i]; k < self->start[i + 1]; k++)
            if (!isfinite(self->weights[k]) || self->weights[k] <= 0)
                return p2p_fail(P2P_EINVAL, "%s: row %zu: weight %g of edge %zu %u: expected a number above 0", what,
                                i, self->weights[k], i, self->peers[k]);
        sum = self->self[i] + p2pi_topology_row_sum(self, i);
        if (!(fabs(sum - 1) <= 1e-12))
            return p2p_fail(P2P_EINVAL, "%s: row %zu sums to %.15g; expected 1 within 1e-12", what, i, sum);
        negative |= self->self[i] < 0;
    }
    /* By Gershgorin's circles an eigenvalue below -1 needs a negative w_ii. */
    if (!negative)
        return P2P_OK;
    if ((st = p2pi_topology_spectrum(self, 0, &low, &high)) != P2P_OK)
        return st;
    for (size_t i = 0; high > 2 + 1e-12 && i < self->nodes; i++)
        if (self->self[i] < 0)
            return p2p_fail(P2P_EINVAL,
                            "%s: row %zu: the weights of its edges sum to %.6g, which leaves W the eigenvalue %.6g; "
                            "expected none below -1",
                            what, i, p2pi_topology_row_sum(self, i), 1 - high);
    return P2P_OK;
}
