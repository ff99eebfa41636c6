/*
 * The weighted mean: x + sum_j w_j (v_j - x), plain gossip. One liar moves it anywhere; everything else in this
 * folder exists because of that. At a hub without an own vector: the mean of what came, by weight.
 *
 * Cost: one pass over the vectors.
 */
#include "aggregate/columns.h"

static p2p_status
mean_apply(const void *param, const p2pi_rows *rows, double *coefficient, p2p_vec z)
{
    double total = 0;

    (void)param;
    if (rows->own) {
        p2pi_columns_pull(rows, rows->weight, z);
        return P2P_OK;
    }
    for (size_t j = 0; j < rows->count; j++)
        total += rows->weight[j];
    if (total == 0)
        return p2p_fail(P2P_EINVAL, "aggregator \"mean\": every vector that is left has weight 0");
    for (size_t j = 0; j < rows->count; j++)
        coefficient[j] = rows->weight[j] / total;
    p2pi_columns_blend(rows, coefficient, z);
    return P2P_OK;
}

const p2pi_aggregator_vt p2pi_aggregator_mean = {
    .size = sizeof(p2pi_aggregator_vt),
    .entry = { .name = "mean", .help = "weighted mean: no protection against liars",
               .source = "Xiao, Boyd, Systems & Control Letters 53, 2004" },
    .apply = mean_apply,
};
