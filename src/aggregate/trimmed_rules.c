/*
 * Rules that sort each coordinate and average the middle of it: trimmed mean, median, and their BRIDGE forms, where
 * a node's own value cannot be trimmed. The median is the trimmed mean that trims all it can.
 *
 * Cost: a sorting network of O(m log^2 m) comparisons a coordinate, one pass over the vectors.
 */
#include "aggregate/sorted_columns.h"

const p2p_option p2pi_rule_liars_options[] = { P2PI_OPTION_F("1", p2pi_rule_liars), P2PI_OPTION_END };

static void
trimmed_mean_apply(const void *param, const p2pi_rows *rows, p2pi_scratch *scratch, p2p_vec z)
{
    (void)param;
    p2pi_sorted_trimmed(rows, 0, rows->liars, 0, scratch->block, z);
}

static void
median_apply(const void *param, const p2pi_rows *rows, p2pi_scratch *scratch, p2p_vec z)
{
    (void)param;
    p2pi_sorted_trimmed(rows, 0, (rows->count - 1) / 2, 0, scratch->block, z);
}

static void
bridge_t_apply(const void *param, const p2pi_rows *rows, p2pi_scratch *scratch, p2p_vec z)
{
    (void)param;
    p2pi_sorted_trimmed(rows, 1, rows->liars, 1, scratch->block, z);
}

static void
meamed_apply(const void *param, const p2pi_rows *rows, p2pi_scratch *scratch, p2p_vec z)
{
    (void)param;
    p2pi_sorted_near_median(rows, rows->liars, scratch->block, z);
}

const p2pi_aggregator_vt p2pi_aggregator_trimmed_mean = {
    .size = sizeof(p2pi_aggregator_vt),
    .entry = { .name = "trimmed-mean",
               .help = "per coordinate, the mean without the f smallest and f largest",
               .source = "Yin, Chen, Ramchandran, Bartlett, ICML 2018, arXiv:1803.01498",
               .options = p2pi_rule_liars_options,
               .param_size = sizeof(p2pi_rule_liars) },
    .traits = P2PI_RULE_BLOCKS,
    .least_f = 2,
    .least = 1,
    .breakdown = "1/2",
    .apply = trimmed_mean_apply,
};

const p2pi_aggregator_vt p2pi_aggregator_median = {
    .size = sizeof(p2pi_aggregator_vt),
    .entry = { .name = "median",
               .help = "per coordinate, the median",
               .source = "Yin, Chen, Ramchandran, Bartlett, ICML 2018, arXiv:1803.01498" },
    .traits = P2PI_RULE_BLOCKS,
    .least = 1,
    .breakdown = "1/2",
    .apply = median_apply,
};

const p2pi_aggregator_vt p2pi_aggregator_meamed = {
    .size = sizeof(p2pi_aggregator_vt),
    .entry = { .name = "meamed",
               .help = "per coordinate, the mean of all but the f values farthest from the median",
               .source = "Xie, Koyejo, Gupta 2018, arXiv:1802.10116",
               .options = p2pi_rule_liars_options,
               .param_size = sizeof(p2pi_rule_liars) },
    .traits = P2PI_RULE_BLOCKS,
    .least_f = 2,
    .least = 1,
    .breakdown = "1/2",
    .apply = meamed_apply,
};

const p2pi_aggregator_vt p2pi_aggregator_bridge_t = {
    .size = sizeof(p2pi_aggregator_vt),
    .entry = { .name = "bridge-t",
               .help = "per coordinate, the mean of own and the neighbours without the f smallest and f largest",
               .source = "Fang, Yang, Bajwa, IEEE TSIPN 2022, arXiv:1908.08098",
               .options = p2pi_rule_liars_options,
               .param_size = sizeof(p2pi_rule_liars) },
    .traits = P2PI_RULE_BLOCKS | P2PI_RULE_OWN | P2PI_RULE_NEIGHBOURS,
    .least_f = 2,
    .least = 1,
    .breakdown = "1/2 of the neighbours",
    .apply = bridge_t_apply,
};

const p2pi_aggregator_vt p2pi_aggregator_bridge_m = {
    .size = sizeof(p2pi_aggregator_vt),
    .entry = { .name = "bridge-m",
               .help = "per coordinate, the median of own and the neighbours",
               .source = "Fang, Yang, Bajwa, IEEE TSIPN 2022, arXiv:1908.08098" },
    .traits = P2PI_RULE_BLOCKS | P2PI_RULE_OWN,
    .least = 1,
    .breakdown = "1/2",
    .apply = median_apply,
};
