/*
 * Rules of sharding. Most put the rows in some order and cut it into nearly equal pieces: node i of n gets entries
 * floor(i N / n) to floor((i + 1) N / n) - 1. The Dirichlet rule (Hsu, Qi, Brown, arXiv:1909.06335) draws for each
 * class how much of it each node gets.
 */
#include "problem/deal.h"

#include "base/fail.h"
#include "base/spec.h"

#include <math.h>
#include <p2popt/random.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    double alpha;
    int64_t seed;
} deal_param;

/* What a rule works on. */
typedef struct {
    size_t rows;
    const double *labels;
    const p2pi_classes *classes;
} material;

typedef struct {
    p2p_entry entry;
    p2p_status (*deal)(const deal_param *param, const material *m, p2pi_deal *out);
} rule_vt;

static void
cut_evenly(p2pi_deal *out, size_t rows)
{
    for (size_t i = 0; i <= out->nodes; i++)
        out->cut[i] = (size_t)((unsigned __int128)i * rows / out->nodes);
}

static p2p_status
contiguous(const deal_param *param, const material *m, p2pi_deal *out)
{
    (void)param;
    for (size_t j = 0; j < m->rows; j++)
        out->order[j] = j;
    cut_evenly(out, m->rows);
    return P2P_OK;
}

static p2p_status
shuffled(const deal_param *param, const material *m, p2pi_deal *out)
{
    p2p_random r = p2p_random_open((uint64_t)param->seed, 0, 0, P2P_STREAM_DATA);

    p2p_random_permutation(&r, m->rows, out->order);
    cut_evenly(out, m->rows);
    return P2P_OK;
}

typedef struct {
    double label;
    size_t row;
} labelled;

static int
by_label_then_row(const void *a, const void *b)
{
    const labelled *x = a, *y = b;

    if (x->label != y->label)
        return x->label < y->label ? -1 : 1;
    return (x->row > y->row) - (x->row < y->row);
}

static p2p_status
sort_by_label(const material *m, size_t *order)
{
    labelled *list = calloc(m->rows, sizeof *list);

    if (list == NULL)
        return p2pi_fail_memory("shard", m->rows * sizeof *list);
    for (size_t j = 0; j < m->rows; j++)
        list[j] = (labelled){ m->labels[j], j };
    qsort(list, m->rows, sizeof *list, by_label_then_row);
    for (size_t j = 0; j < m->rows; j++)
        order[j] = list[j].row;
    free(list);
    return P2P_OK;
}

static p2p_status
by_label(const deal_param *param, const material *m, p2pi_deal *out)
{
    (void)param;
    cut_evenly(out, m->rows);
    return sort_by_label(m, out->order);
}

/* log of a Gamma(shape) variate, shape > 1: Marsaglia, Tsang, ACM TOMS 26 (2000). */
static double
log_gamma_variate(p2p_random *r, double shape)
{
    const double d = shape - 1.0 / 3, c = 1 / sqrt(9 * d);

    for (;;) {
        double x[1], u, v;

        p2p_random_normal(r, 1, x);
        p2p_random_uniform(r, 1, &u);
        v = 1 + c * x[0];
        v = v * v * v;
        if (v > 0 && log(1 - u) < 0.5 * x[0] * x[0] + d - d * v + d * log(v))
            return log(d) + log(v);
    }
}

/*
 * Shares of one class, from round 1 of the data stream with the class's number as node. Gamma(alpha) is
 * Gamma(alpha + 1) U^(1/alpha); logarithms keep a small alpha from underflowing to no share at all.
 */
static void
draw_shares(const deal_param *param, uint32_t class, size_t nodes, double *share)
{
    p2p_random r = p2p_random_open((uint64_t)param->seed, class, 1, P2P_STREAM_DATA);
    double largest = -INFINITY, sum = 0;

    for (size_t i = 0; i < nodes; i++) {
        double u;

        share[i] = log_gamma_variate(&r, param->alpha + 1);
        p2p_random_uniform(&r, 1, &u);
        share[i] += log(1 - u) / param->alpha;
        largest = fmax(largest, share[i]);
    }
    for (size_t i = 0; i < nodes; i++)
        sum += share[i] = exp(share[i] - largest);
    for (size_t i = 0; i < nodes; i++)
        share[i] /= sum;
}

/* owner of every row of a class, rows in source order: node i takes what lies below its cumulative share. */
static void
deal_class(const size_t *rows, size_t count, const double *share, size_t nodes, size_t *owner, size_t *held)
{
    double cumulative = 0;
    size_t at = 0;

    for (size_t i = 0; i < nodes; i++) {
        size_t end;

        cumulative += share[i];
        end = i + 1 == nodes || cumulative >= 1 ? count : (size_t)(cumulative * (double)count);
        for (; at < end; at++) {
            owner[rows[at]] = i;
            held[i]++;
        }
    }
}

/* A node that came away empty takes the last row of the node that has most. */
static void
leave_none_empty(size_t nodes, size_t rows, size_t *owner, size_t *held)
{
    for (size_t i = 0; i < nodes; i++) {
        size_t rich = 0, j = rows;

        if (held[i] > 0)
            continue;
        for (size_t k = 1; k < nodes; k++)
            if (held[k] > held[rich])
                rich = k;
        while (owner[--j] != rich)
            continue;
        owner[j] = i;
        held[rich]--;
        held[i]++;
    }
}

/* Every row to its owner's piece, in source order. */
static void
gather(p2pi_deal *out, size_t rows, const size_t *owner, size_t *held)
{
    out->cut[0] = 0;
    for (size_t i = 0; i < out->nodes; i++) {
        out->cut[i + 1] = out->cut[i] + held[i];
        held[i] = out->cut[i];
    }
    for (size_t j = 0; j < rows; j++)
        out->order[held[owner[j]]++] = j;
}

static p2p_status
dirichlet(const deal_param *param, const material *m, p2pi_deal *out)
{
    const size_t n = out->nodes;
    size_t *memory, *owner, *held;
    double *share;
    uint32_t class = 0;
    p2p_status st;

    if (m->classes->count == 0)
        return p2p_fail(P2P_EINVAL,
                        "shard rule \"dirichlet\": needs labels that are classes: integers, at most %d of them",
                        P2PI_CLASSES_MAX);
    if ((st = sort_by_label(m, out->order)) != P2P_OK)
        return st;
    memory = calloc(m->rows + 2 * n, sizeof *memory);
    share = calloc(n, sizeof *share);
    if (memory == NULL || share == NULL) {
        free(memory);
        free(share);
        return p2pi_fail_memory("shard", m->rows * sizeof *memory);
    }
    owner = memory;
    held = memory + m->rows;
    for (size_t at = 0, end; at < m->rows; at = end, class ++) {
        for (end = at; end < m->rows && m->labels[out->order[end]] == m->labels[out->order[at]]; end++)
            continue;
        draw_shares(param, class, n, share);
        deal_class(out->order + at, end - at, share, n, owner, held);
    }
    leave_none_empty(n, m->rows, owner, held);
    gather(out, m->rows, owner, held);
    free(memory);
    free(share);
    return P2P_OK;
}

static const p2p_option seed_option[] = {
    { "seed", P2P_OPT_INT, "1", "0", NULL, "seed of the permutation", offsetof(deal_param, seed) },
    { NULL, P2P_OPT_TEXT, NULL, NULL, NULL, NULL, 0 },
};
static const p2p_option dirichlet_options[] = {
    { "alpha", P2P_OPT_REAL, "0.5", "(0", "1e6", "concentration: small gives a node few classes",
      offsetof(deal_param, alpha) },
    { "seed", P2P_OPT_INT, "1", "0", NULL, "seed of the shares", offsetof(deal_param, seed) },
    { NULL, P2P_OPT_TEXT, NULL, NULL, NULL, NULL, 0 },
};
static const rule_vt rules[] = {
    { { "contiguous", "equal blocks in the order of the file", "", NULL, sizeof(deal_param) }, contiguous },
    { { "shuffled", "equal blocks of a random order", "", seed_option, sizeof(deal_param) }, shuffled },
    { { "by-label", "equal blocks of the order by label: few classes a node", "", NULL, sizeof(deal_param) },
      by_label },
    { { "dirichlet", "random shares of each class", "arXiv:1909.06335", dirichlet_options, sizeof(deal_param) },
      dirichlet },
};

static const p2p_entry *
rule_entry(size_t i)
{
    return i < sizeof rules / sizeof *rules ? &rules[i].entry : NULL;
}

static p2p_status
parse(const char *rule, size_t *index, deal_param *param)
{
    p2pi_span name, options;
    p2p_status st;

    p2pi_spec_split(p2pi_span_of(rule ? rule : "contiguous"), &name, &options);
    if ((st = p2pi_spec_find("shard rule", name, rule_entry, index)) != P2P_OK)
        return st;
    return p2pi_spec_parse("shard rule", &rules[*index].entry, options, param);
}

p2p_status
p2pi_deal_check(const char *rule)
{
    deal_param param;
    size_t index;

    return parse(rule, &index, &param);
}

p2p_status
p2pi_deal_make(p2pi_deal *out, const char *rule, size_t nodes, size_t rows, const double *labels,
               const p2pi_classes *classes)
{
    const material m = { rows, labels, classes };
    deal_param param;
    size_t index;
    p2p_status st;

    memset(out, 0, sizeof *out);
    if ((st = parse(rule, &index, &param)) != P2P_OK)
        return st;
    if (nodes == 0 || rows < nodes)
        return p2p_fail(P2P_EINVAL, "%zu rows for %zu nodes: expected at least one row a node", rows, nodes);
    out->nodes = nodes;
    if ((out->order = calloc(rows, sizeof *out->order)) == NULL ||
        (out->cut = calloc(nodes + 1, sizeof *out->cut)) == NULL)
        st = p2pi_fail_memory("shard", rows * sizeof *out->order);
    else
        st = rules[index].deal(&param, &m, out);
    if (st != P2P_OK)
        p2pi_deal_clear(out);
    return st;
}

void
p2pi_deal_clear(p2pi_deal *self)
{
    free(self->order);
    free(self->cut);
    memset(self, 0, sizeof *self);
}
