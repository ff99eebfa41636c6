/*
 * Rules that score a vector by how near its nearest others are: Krum answers the best one, Multi-Krum the mean of the
 * q best, Bulyan trims around the median of those that Krum picks one after the other. The BRIDGE forms are the same
 * over own and neighbours.
 *
 * Cost: O(m^2 d) for the distances; Bulyan another O(m^3 log m).
 */
#include "aggregate/ordering.h"
#include "aggregate/paired_columns.h"
#include "aggregate/sorted_columns.h"

/*
 * Krum's score of row i among the rows listed in left: the sum of its squared distances to the nearest others, count
 * less f less 2 of them but at least one. near is room for one number a row.
 */
static double
score(const p2pi_rows *rows, const double *pair, size_t count, const size_t *left, size_t i, double *near)
{
    size_t others = 0, take = count > rows->liars + 3 ? count - rows->liars - 2 : 1;
    double sum = 0;

    for (size_t j = 0; j < count; j++)
        if (left[j] != i)
            near[others++] = pair[i * rows->count + left[j]];
    p2pi_sort(others, near);
    for (size_t j = 0; j < take && j < others; j++)
        sum += near[j];
    return sum;
}

static void
list_all(size_t count, size_t *index)
{
    for (size_t i = 0; i < count; i++)
        index[i] = i;
}

/* The mean of the take vectors of least score, summed in the order of the rows. */
static void
mean_of_best(const p2pi_rows *rows, size_t take, p2pi_scratch *s, p2p_vec z)
{
    double *near = s->coefficient; /* free until the scores are known */

    p2pi_paired_distances(rows, s->block, s->pair);
    list_all(rows->count, s->index);
    for (size_t i = 0; i < rows->count; i++)
        s->number[i] = score(rows, s->pair, rows->count, s->index, i, near);
    p2pi_order(rows->count, s->number, s->index);
    for (size_t i = 0; i < rows->count; i++)
        s->coefficient[s->index[i]] = i < take ? 1.0 / (double)take : 0;
    p2pi_columns_blend(rows, s->coefficient, z);
}

static void
krum_apply(const void *param, const p2pi_rows *rows, p2pi_scratch *scratch, p2p_vec z)
{
    (void)param;
    mean_of_best(rows, 1, scratch, z);
}

typedef struct {
    int64_t f, q;
} multi_krum_param;

static const p2p_option multi_krum_options[] = { P2PI_OPTION_F("1", multi_krum_param),
                                                 { "q", P2P_OPT_INT, "auto", "1", "1000000",
                                                   "vectors that are averaged; auto: all but f",
                                                   offsetof(multi_krum_param, q) },
                                                 P2PI_OPTION_END };

static void
multi_krum_apply(const void *param, const p2pi_rows *rows, p2pi_scratch *scratch, p2p_vec z)
{
    const multi_krum_param *p = param;
    size_t take = p->q == P2P_AUTO_INT ? rows->count - rows->liars : (size_t)p->q;

    mean_of_best(rows, take < rows->count ? take : rows->count, scratch, z);
}

/* Take the row of least score out of the first *count of left, keeping the order of the rest. */
static size_t
take_best(const p2pi_rows *rows, const double *pair, size_t *count, size_t *left, double *near)
{
    size_t best = 0, row;
    double least = 0;

    for (size_t k = 0; k < *count; k++) {
        double value = score(rows, pair, *count, left, left[k], near);

        if (k == 0 || value < least) {
            least = value;
            best = k;
        }
    }
    row = left[best];
    for (--*count; best < *count; best++)
        left[best] = left[best + 1];
    return row;
}

static void
bulyan_apply(const void *param, const p2pi_rows *rows, p2pi_scratch *s, p2p_vec z)
{
    size_t count = rows->count, picked = rows->count - 2 * rows->liars;
    p2pi_rows chosen = *rows;

    (void)param;
    p2pi_paired_distances(rows, s->block, s->pair);
    list_all(rows->count, s->index);
    for (size_t i = 0; i < rows->count; i++)
        s->coefficient[i] = 0;
    for (size_t i = 0; i < picked; i++)
        s->coefficient[take_best(rows, s->pair, &count, s->index, s->number)] = 1;
    chosen.row = s->row;
    chosen.count = 0;
    for (size_t i = 0; i < rows->count; i++)
        if (s->coefficient[i] == 1)
            chosen.row[chosen.count++] = rows->row[i];
    p2pi_sorted_near_median(&chosen, 2 * rows->liars, s->block, z);
}

#define KRUM_SOURCE "Blanchard, El Mhamdi, Guerraoui, Stainer, NeurIPS 2017, arXiv:1703.02757"
#define BULYAN_SOURCE "El Mhamdi, Guerraoui, Rouault, ICML 2018, arXiv:1802.07927"
#define BRIDGE_SOURCE "Fang, Yang, Bajwa, IEEE TSIPN 2022, arXiv:1908.08098"

const p2pi_aggregator_vt p2pi_aggregator_krum = {
    .size = sizeof(p2pi_aggregator_vt),
    .entry = { .name = "krum",
               .help = "the one vector whose nearest others are nearest",
               .source = KRUM_SOURCE,
               .options = p2pi_rule_liars_options,
               .param_size = sizeof(p2pi_rule_liars) },
    .traits = P2PI_RULE_BLOCKS,
    .matrices = 1,
    .least_f = 2,
    .least = 3,
    .breakdown = "(m-3)/2m",
    .apply = krum_apply,
};

const p2pi_aggregator_vt p2pi_aggregator_multi_krum = {
    .size = sizeof(p2pi_aggregator_vt),
    .entry = { .name = "multi-krum",
               .help = "the mean of the q vectors that Krum likes best",
               .source = KRUM_SOURCE,
               .options = multi_krum_options,
               .param_size = sizeof(multi_krum_param) },
    .traits = P2PI_RULE_BLOCKS,
    .matrices = 1,
    .least_f = 2,
    .least = 3,
    .breakdown = "(m-3)/2m",
    .apply = multi_krum_apply,
};

const p2pi_aggregator_vt p2pi_aggregator_bulyan = {
    .size = sizeof(p2pi_aggregator_vt),
    .entry = { .name = "bulyan",
               .help = "Krum picks m - 2f vectors; per coordinate, those nearest their median",
               .source = BULYAN_SOURCE,
               .options = p2pi_rule_liars_options,
               .param_size = sizeof(p2pi_rule_liars) },
    .traits = P2PI_RULE_BLOCKS,
    .matrices = 1,
    .least_f = 4,
    .least = 3,
    .breakdown = "1/4",
    .apply = bulyan_apply,
};

const p2pi_aggregator_vt p2pi_aggregator_bridge_k = {
    .size = sizeof(p2pi_aggregator_vt),
    .entry = { .name = "bridge-k",
               .help = "Krum over own and the neighbours",
               .source = BRIDGE_SOURCE,
               .options = p2pi_rule_liars_options,
               .param_size = sizeof(p2pi_rule_liars) },
    .traits = P2PI_RULE_BLOCKS | P2PI_RULE_OWN,
    .matrices = 1,
    .least_f = 2,
    .least = 3,
    .breakdown = "(m-3)/2m",
    .apply = krum_apply,
};

const p2pi_aggregator_vt p2pi_aggregator_bridge_b = {
    .size = sizeof(p2pi_aggregator_vt),
    .entry = { .name = "bridge-b",
               .help = "Bulyan over own and the neighbours",
               .source = BRIDGE_SOURCE,
               .options = p2pi_rule_liars_options,
               .param_size = sizeof(p2pi_rule_liars) },
    .traits = P2PI_RULE_BLOCKS | P2PI_RULE_OWN,
    .matrices = 1,
    .least_f = 4,
    .least = 3,
    .breakdown = "1/4",
    .apply = bulyan_apply,
};
