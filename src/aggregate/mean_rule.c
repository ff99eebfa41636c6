/*
 * The weighted mean: x + sum_j w_j (v_j - x), plain gossip. One liar moves it anywhere; everything else in this
 * folder exists because of that. At a hub without an own vector: the mean of what came, by weight.
 *
 * Cost: one pass over the vectors.
 */
#include "aggregate/columns.h"

static void
mean_apply(const void *param, const p2pi_rows *rows, p2pi_scratch *scratch, p2p_vec z)
{
    double total = 0;

    (void)param;
    if (rows->own) {
        p2pi_columns_pull(rows, rows->weight, z);
        return;
    }
    for (size_t j = 0; j < rows->count; j++)
        total += rows->weight[j];
    for (size_t j = 0; j < rows->count; j++)
        scratch->coefficient[j] = rows->weight[j] / total;
    p2pi_columns_blend(rows, scratch->coefficient, z);
}

const p2pi_aggregator_vt p2pi_aggregator_mean = {
    .size = sizeof(p2pi_aggregator_vt),
    .entry = { .name = "mean",
               .help = "weighted mean: no protection against liars",
               .source = "Xiao, Boyd, Systems & Control Letters 53, 2004" },
    .least = 1,
    .breakdown = "0",
    .apply = mean_apply,
};
