/* Mixing matrices: rules that set the weight of every edge; the rest of each row goes on the diagonal. */
#include "topology/generator.h"
#include "topology/graph.h"

#include "base/fail.h"
#include "base/spec.h"

#include <string.h>

typedef struct {
    p2p_entry entry;
    /* Sets weights and diagonal. */
    p2p_status (*apply)(const void *param, p2p_topology *self);
} mixing_rule;

static size_t
degree(const p2p_topology *self, size_t i)
{
    return self->start[i + 1] - self->start[i];
}

static void
set_all(p2p_topology *self, double weight)
{
    for (size_t k = 0; k < 2 * self->edges; k++)
        self->weights[k] = weight;
    p2pi_topology_close_rows(self);
}

static p2p_status
metropolis(const void *param, p2p_topology *self)
{
    (void)param;
    for (size_t i = 0; i < self->nodes; i++)
        for (size_t k = self->start[i]; k < self->start[i + 1]; k++) {
            size_t here = degree(self, i), there = degree(self, self->peers[k]);

            self->weights[k] = 1.0 / (1.0 + (double)(here > there ? here : there));
        }
    p2pi_topology_close_rows(self);
    return P2P_OK;
}

static p2p_status
keep_or_metropolis(const void *param, p2p_topology *self)
{
    return self->weighted ? P2P_OK : metropolis(param, self);
}

static p2p_status
max_degree(const void *param, p2p_topology *self)
{
    size_t most = 0;

    (void)param;
    for (size_t i = 0; i < self->nodes; i++)
        most = degree(self, i) > most ? degree(self, i) : most;
    set_all(self, 1.0 / (1.0 + (double)most));
    return P2P_OK;
}

typedef struct {
    double stay;
} lazy_param;

static const p2p_option lazy_options[] = {
    { "stay", P2P_OPT_REAL, "0.5", "0", "1)", "share of the identity: W = stay I + (1 - stay) metropolis",
      offsetof(lazy_param, stay) },
    { NULL, P2P_OPT_REAL, NULL, NULL, NULL, NULL, 0 },
};

static p2p_status
lazy(const void *param, p2p_topology *self)
{
    const lazy_param *p = param;

    metropolis(NULL, self);
    for (size_t k = 0; k < 2 * self->edges; k++)
        self->weights[k] *= 1 - p->stay;
    p2pi_topology_close_rows(self);
    return P2P_OK;
}

typedef struct {
    p2p_text path;
} file_param;

static const p2p_option file_options[] = {
    { "path", P2P_OPT_TEXT, "", NULL, NULL, "an edge list with weights, or W as .npy, for the topology's edges",
      offsetof(file_param, path) },
    { NULL, P2P_OPT_TEXT, NULL, NULL, NULL, NULL, 0 },
};

static p2p_status
from_file(const void *param, p2p_topology *self)
{
    return p2pi_topology_weights_from_file(self, ((const file_param *)param)->path.s);
}

static p2p_status
best_constant(const void *param, p2p_topology *self)
{
    double low, high;
    p2p_status st;

    (void)param;
    if (self->nodes == 1)
        return metropolis(NULL, self);
    if ((st = p2pi_topology_spectrum(self, 1, &low, &high)) != P2P_OK)
        return st;
    set_all(self, 2 / (low + high));
    return P2P_OK;
}

/* The first falls back on the second. */
static const mixing_rule rules[] = {
    { { .name = "auto",
        .help = "the weights of the topology's file if it has them, else metropolis",
        .source = "this project" },
      keep_or_metropolis },
    { { .name = "metropolis",
        .help = "w_ij = 1 / (1 + max(degree of i, degree of j))",
        .source = "Xiao, Boyd, Kim 2007, J. Parallel Distrib. Comput. 67(1)" },
      metropolis },
    { { .name = "max-degree",
        .help = "w_ij = 1 / (1 + largest degree)",
        .source = "Xiao, Boyd 2004, Systems & Control Letters 53(1)" },
      max_degree },
    { { .name = "lazy",
        .help = "metropolis weights, of which a share stays with the node",
        .source = "Levin, Peres, Wilmer, Markov Chains and Mixing Times, section 1.3",
        .options = lazy_options,
        .param_size = sizeof(lazy_param) },
      lazy },
    { { .name = "best-constant",
        .help = "w_ij = 2 / (lambda_1 + lambda_{n-1}) of the Laplacian: fastest of equal weights",
        .source = "Xiao, Boyd 2004, Systems & Control Letters 53(1)" },
      best_constant },
    { { .name = "file",
        .help = "from a file: file:PATH",
        .source = "p2popt-topologies(7), section FILES",
        .options = file_options,
        .param_size = sizeof(file_param) },
      from_file },
};

const p2p_entry *
p2pi_mixing_entry(size_t i)
{
    return i < sizeof rules / sizeof *rules ? &rules[i].entry : NULL;
}

p2p_status
p2pi_topology_mix(p2p_topology *self, const char *spec)
{
    union {
        lazy_param lazy;
        file_param file;
    } param;
    p2pi_span name, options;
    size_t index;
    p2p_status st;

    p2pi_spec_split(p2pi_span_of(spec ? spec : "auto"), &name, &options);
    if ((st = p2pi_spec_find("mixing", name, p2pi_mixing_entry, &index)) != P2P_OK ||
        (st = p2pi_topology_parse("mixing", &rules[index].entry, rules[index].apply == from_file, options, &param)) !=
            P2P_OK ||
        (st = rules[index].apply(&param, self)) != P2P_OK)
        return st;
    if (index == 0 && !self->weighted)
        index = 1;
    p2pi_spec_format(&rules[index].entry, &param, self->mixing, sizeof self->mixing);
    return P2P_OK;
}
