/*
 * Rules that keep the nearest: GTS drops weight b of the neighbours farthest from own, NNA f of them, IOS f times the
 * one farthest from the mean of what is left.
 *
 * Cost: O(m d), twice; IOS O(f m d).
 */
#include "aggregate/columns.h"
#include "aggregate/liar_weight.h"
#include "aggregate/ordering.h"

#include <math.h>

static const p2p_option gts_options[] = { P2PI_OPTIONS_LIAR_WEIGHT(0), P2PI_OPTION_END };

/* The neighbour at the edge of the weight that is kept counts in part. */
static void
gts_apply(const void *param, const p2pi_rows *rows, p2pi_scratch *s, p2p_vec z)
{
    double total = 0, before = 0, b = p2pi_liar_weight_of(param, rows);

    p2pi_columns_from_first(rows, s->coefficient, s->number);
    for (size_t j = 0; j < rows->count; j++)
        s->number[j] = sqrt(s->number[j]);
    s->number[0] = -1; /* own comes first */
    p2pi_order(rows->count, s->number, s->index);
    for (size_t k = 1; k < rows->count; k++)
        total += rows->weight[s->index[k]];
    for (size_t k = 1; k < rows->count; k++) {
        size_t j = s->index[k];

        s->coefficient[j] = fmin(fmax(total - b - before, 0), rows->weight[j]);
        before += rows->weight[j];
    }
    p2pi_columns_pull(rows, s->coefficient, z);
}

static void
nna_apply(const void *param, const p2pi_rows *rows, p2pi_scratch *s, p2p_vec z)
{
    size_t kept = rows->count - rows->liars;

    (void)param;
    p2pi_columns_from_first(rows, s->coefficient, s->number);
    s->number[0] = -1; /* own comes first, and stays */
    p2pi_order(rows->count, s->number, s->index);
    for (size_t k = 1; k < rows->count; k++)
        s->coefficient[s->index[k]] = k < kept ? 1 / (double)kept : 0;
    p2pi_columns_pull(rows, s->coefficient, z);
}

/* coefficient = the weights of the rows with index 1 over their sum; own alone if there is none. */
static void
weigh_rest(const p2pi_rows *rows, const size_t *left, double *coefficient)
{
    double total = 0;

    for (size_t j = 0; j < rows->count; j++)
        total += left[j] ? rows->weight[j] : 0;
    for (size_t j = 0; j < rows->count; j++)
        coefficient[j] = left[j] && total > 0 ? rows->weight[j] / total : 0;
    if (total == 0)
        coefficient[0] = 1;
}

static void
ios_apply(const void *param, const p2pi_rows *rows, p2pi_scratch *s, p2p_vec z)
{
    size_t *left = s->index;

    (void)param;
    for (size_t j = 0; j < rows->count; j++)
        left[j] = 1;
    weigh_rest(rows, left, s->coefficient);
    for (size_t gone = 0; gone < rows->liars; gone++) {
        size_t farthest = 0;

        p2pi_columns_spread(rows, s->coefficient, s->number);
        s->number[0] = -1; /* never own */
        for (size_t j = 1; j < rows->count; j++)
            if (left[j] && s->number[j] > s->number[farthest])
                farthest = j;
        left[farthest] = 0;
        weigh_rest(rows, left, s->coefficient);
    }
    p2pi_columns_blend(rows, s->coefficient, z);
}

const p2pi_aggregator_vt p2pi_aggregator_gts = {
    .size = sizeof(p2pi_aggregator_vt),
    .entry = { .name = "gts",
               .help = "weighted mean without weight b of the neighbours farthest from own",
               .source = "Gaucher, Dieuleveut, Hendrikx, ICML 2025, arXiv:2410.10418",
               .options = gts_options,
               .param_size = sizeof(p2pi_liar_weight) },
    .traits = P2PI_RULE_OWN,
    .least = 1,
    .breakdown = "1/2 of the neighbours' weight",
    .apply = gts_apply,
};

const p2pi_aggregator_vt p2pi_aggregator_nna = {
    .size = sizeof(p2pi_aggregator_vt),
    .entry = { .name = "nna",
               .help = "mean of own and the neighbours without the f farthest from own",
               .source = "Farhadkhani et al. (MoNNA), ICML 2023, arXiv:2209.10931",
               .options = p2pi_rule_liars_options,
               .param_size = sizeof(p2pi_rule_liars) },
    .traits = P2PI_RULE_OWN | P2PI_RULE_NEIGHBOURS,
    .least_f = 2,
    .least = 1,
    .breakdown = "1/2 of the neighbours",
    .apply = nna_apply,
};

const p2pi_aggregator_vt p2pi_aggregator_ios = {
    .size = sizeof(p2pi_aggregator_vt),
    .entry = { .name = "ios",
               .help = "weighted mean after f times dropping the neighbour farthest from it",
               .source = "Wu, Chen, Ling (iterative outlier scissor), IEEE TSP 2023",
               .options = p2pi_rule_liars_options,
               .param_size = sizeof(p2pi_rule_liars) },
    .traits = P2PI_RULE_OWN | P2PI_RULE_NEIGHBOURS,
    .least_f = 1,
    .least = 1,
    .breakdown = "1/2 of the neighbours",
    .apply = ios_apply,
};
