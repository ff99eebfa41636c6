/*
 * Rules that shorten differences to at most tau: clip(u, tau) = u min(1, tau / ||u||). Centred clipping does so
 * around its own last answer; clipped gossip and CS+ around the node's own vector, with a radius chosen from the
 * distances and the weight b that liars may have among the neighbours. As pre-aggregators: a fixed radius, and the
 * adaptive one of ARC.
 *
 * Cost: O(m d), twice (centred clipping: twice an iteration).
 */
#include "aggregate/columns.h"
#include "aggregate/liar_weight.h"
#include "aggregate/ordering.h"

#include <math.h>
#include <string.h>

/* Factor that brings a difference of length r to at most tau. */
static double
shortened(double r, double tau)
{
    return r <= tau ? 1 : tau / r;
}

/* number_j = ||v_j - row 0||; coefficient is overwritten. */
static void
lengths_from_first(const p2pi_rows *rows, p2pi_scratch *s)
{
    p2pi_columns_from_first(rows, s->coefficient, s->number);
    for (size_t j = 0; j < rows->count; j++)
        s->number[j] = sqrt(s->number[j]);
}

/* ---- centred clipping */

typedef struct {
    double tau;
    int64_t iters;
} centered_clip_param;

static const p2p_option centered_clip_options[] = {
    { "tau", P2P_OPT_REAL, "1", "(0", "1e100", "longest difference that counts in full",
      offsetof(centered_clip_param, tau) },
    { "iters", P2P_OPT_INT, "1", "1", "100000", "iterations", offsetof(centered_clip_param, iters) },
    P2PI_OPTION_END
};

static void
centered_clip_apply(const void *param, const p2pi_rows *rows, p2pi_scratch *s, p2p_vec z)
{
    const centered_clip_param *p = param;
    p2pi_rows around = *rows;

    around.row = s->row;
    around.count = rows->count + 1;
    around.row[0] = s->memory.data;
    memcpy(around.row + 1, rows->row, rows->count * sizeof *rows->row);
    for (int64_t k = 0; k < p->iters; k++) {
        lengths_from_first(&around, s);
        for (size_t j = 1; j < around.count; j++)
            s->coefficient[j] = shortened(s->number[j], p->tau) / (double)rows->count;
        p2pi_columns_pull(&around, s->coefficient, s->memory);
    }
    p2p_vec_copy(z, p2p_view_of(s->memory));
}

/* ---- around own: the radius */

typedef struct {
    double tau;
    p2pi_liar_weight liars;
} clipped_gossip_param;

static const p2p_option clipped_gossip_options[] = {
    { "tau", P2P_OPT_REAL, "auto", "0", "1e100",
      "longest difference that counts in full; auto: from b and the distances", offsetof(clipped_gossip_param, tau) },
    P2PI_OPTIONS_LIAR_WEIGHT(offsetof(clipped_gossip_param, liars)),
    P2PI_OPTION_END
};

/* Without the farthest neighbours, of weight b at most: tau = sqrt(sum of w_j r_j^2 / b) over the rest. */
static double
clipped_gossip_radius(const p2pi_rows *rows, double b, p2pi_scratch *s)
{
    double left = b, sum = 0;
    size_t kept = rows->count;

    if (b <= 0)
        return INFINITY;
    s->number[0] = -1; /* own comes first */
    p2pi_order(rows->count, s->number, s->index);
    while (kept > 1 && rows->weight[s->index[kept - 1]] <= left + 1e-12)
        left -= rows->weight[s->index[--kept]];
    p2pi_sort_indices(kept, s->index);
    for (size_t k = 1; k < kept; k++)
        sum += rows->weight[s->index[k]] * s->number[s->index[k]] * s->number[s->index[k]];
    return sqrt(sum / b);
}

/* The largest distance such that neighbours up to it weigh no more than all less 2 b; 0 if there is none. */
static double
cs_plus_radius(const p2pi_rows *rows, double b, p2pi_scratch *s)
{
    double total = 0, weight = 0, tau = 0;

    if (b <= 0)
        return INFINITY;
    s->number[0] = -1; /* own comes first */
    p2pi_order(rows->count, s->number, s->index);
    for (size_t k = 1; k < rows->count; k++)
        total += rows->weight[s->index[k]];
    for (size_t k = 1; k < rows->count; k++) {
        weight += rows->weight[s->index[k]];
        if (weight <= total - 2 * b + 1e-12)
            tau = s->number[s->index[k]];
    }
    return tau;
}

/* x + sum_j w_j clip(v_j - x, tau), for the lengths in number. */
static void
pull_clipped(const p2pi_rows *rows, double tau, p2pi_scratch *s, p2p_vec z)
{
    for (size_t j = 1; j < rows->count; j++)
        s->coefficient[j] = rows->weight[j] * shortened(s->number[j], tau);
    p2pi_columns_pull(rows, s->coefficient, z);
}

static void
clipped_gossip_apply(const void *param, const p2pi_rows *rows, p2pi_scratch *s, p2p_vec z)
{
    const clipped_gossip_param *p = param;
    double b = p2pi_liar_weight_of(&p->liars, rows);

    lengths_from_first(rows, s);
    pull_clipped(rows, p2p_is_auto(p->tau) ? clipped_gossip_radius(rows, b, s) : p->tau, s, z);
}

static const p2p_option cs_plus_options[] = { P2PI_OPTIONS_LIAR_WEIGHT(0), P2PI_OPTION_END };

static void
cs_plus_apply(const void *param, const p2pi_rows *rows, p2pi_scratch *s, p2p_vec z)
{
    double b = p2pi_liar_weight_of(param, rows);

    lengths_from_first(rows, s);
    pull_clipped(rows, cs_plus_radius(rows, b, s), s, z);
}

/* ---- pre-aggregators: every row is shortened towards own, or towards 0 where there is none */

static void
lengths(const p2pi_rows *rows, p2pi_scratch *s)
{
    if (rows->own) {
        lengths_from_first(rows, s);
        return;
    }
    memset(s->coefficient, 0, rows->count * sizeof *s->coefficient);
    p2pi_columns_spread(rows, s->coefficient, s->number);
    for (size_t j = 0; j < rows->count; j++)
        s->number[j] = sqrt(s->number[j]);
}

static void
shorten_rows(const p2pi_rows *rows, double tau, const double *length, double *matrix, double *weight)
{
    size_t n = rows->count;

    memset(matrix, 0, n * n * sizeof *matrix);
    memcpy(weight, rows->weight, n * sizeof *weight);
    for (size_t i = 0; i < n; i++) {
        double factor = shortened(length[i], tau);

        if (rows->own)
            matrix[i * n] = 1 - factor;
        matrix[i * n + i] += factor;
    }
}

typedef struct {
    double tau;
} clip_param;

static const p2p_option clip_options[] = { { "tau", P2P_OPT_REAL, "1", "(0", "1e100",
                                             "longest difference from own, or norm at a hub",
                                             offsetof(clip_param, tau) },
                                           P2PI_OPTION_END };

static void
clip_mix(const void *param, const p2pi_rows *rows, p2pi_scratch *s, double *matrix, double *weight)
{
    lengths(rows, s);
    shorten_rows(rows, ((const clip_param *)param)->tau, s->number, matrix, weight);
}

static const p2p_option arc_options[] = { P2PI_OPTION_F("auto", p2pi_rule_liars), P2PI_OPTION_END };

/* The floor(2 f (m - f) / m) longest are shortened to the length of the next. */
static void
arc_mix(const void *param, const p2pi_rows *rows, p2pi_scratch *s, double *matrix, double *weight)
{
    size_t n = rows->count, shorter = n - 2 * rows->liars * (n - rows->liars) / n;

    (void)param;
    lengths(rows, s);
    p2pi_order(n, s->number, s->index);
    shorten_rows(rows, s->number[s->index[shorter - 1]], s->number, matrix, weight);
}

const p2pi_aggregator_vt p2pi_aggregator_centered_clip = {
    .size = sizeof(p2pi_aggregator_vt),
    .entry = { .name = "centered-clip",
               .help = "the last answer, moved by the mean of the clipped differences from it",
               .source = "Karimireddy, He, Jaggi, ICML 2021, arXiv:2012.10333",
               .options = centered_clip_options,
               .param_size = sizeof(centered_clip_param) },
    .traits = P2PI_RULE_MEMORY,
    .least = 1,
    .breakdown = "about 0.1",
    .apply = centered_clip_apply,
};

const p2pi_aggregator_vt p2pi_aggregator_clipped_gossip = {
    .size = sizeof(p2pi_aggregator_vt),
    .entry = { .name = "clipped-gossip",
               .help = "weighted mean with each difference from own clipped",
               .source = "He, Karimireddy, Jaggi 2022, arXiv:2202.01545",
               .options = clipped_gossip_options,
               .param_size = sizeof(clipped_gossip_param) },
    .traits = P2PI_RULE_OWN,
    .least = 1,
    .breakdown = "1/2 of the neighbours' weight",
    .apply = clipped_gossip_apply,
};

const p2pi_aggregator_vt p2pi_aggregator_cs_plus = {
    .size = sizeof(p2pi_aggregator_vt),
    .entry = { .name = "cs-plus",
               .help = "clipped gossip that clips weight 2b of the neighbours",
               .source = "Gaucher, Dieuleveut, Hendrikx, ICML 2025, arXiv:2410.10418",
               .options = cs_plus_options,
               .param_size = sizeof(p2pi_liar_weight) },
    .traits = P2PI_RULE_OWN,
    .least = 1,
    .breakdown = "1/2 of the neighbours' weight",
    .apply = cs_plus_apply,
};

const p2pi_aggregator_vt p2pi_aggregator_clip = {
    .size = sizeof(p2pi_aggregator_vt),
    .entry = { .name = "clip",
               .help = "before a rule: every vector within tau of own, or of 0 at a hub",
               .source = "Karimireddy, He, Jaggi, ICML 2021, arXiv:2012.10333",
               .options = clip_options,
               .param_size = sizeof(clip_param) },
    .least = 1,
    .breakdown = "0",
    .mix = clip_mix,
};

const p2pi_aggregator_vt p2pi_aggregator_arc = {
    .size = sizeof(p2pi_aggregator_vt),
    .entry = { .name = "arc",
               .help = "before a rule: the longest 2f(m-f)/m differences no longer than the next",
               .source = "Allouah et al., ICLR 2025, arXiv:2405.14432",
               .options = arc_options,
               .param_size = sizeof(p2pi_rule_liars) },
    .least_f = 2,
    .least = 1,
    .breakdown = "1/2",
    .mix = arc_mix,
};
