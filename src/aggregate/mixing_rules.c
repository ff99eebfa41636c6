/*
 * Pre-aggregators that average before a rule decides. Nearest-neighbour mixing replaces each vector by the mean of
 * the m - f nearest to it, which gives any rule behind it the best order of robustness. Bucketing averages random
 * groups, the same at every node, so that unlike honest vectors look alike.
 *
 * Cost: nearest-neighbour mixing O(m^2 d), bucketing O(m d).
 */
#include "aggregate/ordering.h"
#include "aggregate/paired_columns.h"

#include <p2popt/random.h>
#include <string.h>

static const p2p_option nnm_options[] = { P2PI_OPTION_F("auto", p2pi_rule_liars), P2PI_OPTION_END };

static void
nnm_mix(const void *param, const p2pi_rows *rows, p2pi_scratch *s, double *matrix, double *weight)
{
    size_t n = rows->count, kept = n - rows->liars;

    (void)param;
    p2pi_paired_distances(rows, s->block, s->pair);
    memset(matrix, 0, n * n * sizeof *matrix);
    memcpy(weight, rows->weight, n * sizeof *weight);
    for (size_t i = 0; i < n; i++) {
        p2pi_order(n, s->pair + i * n, s->index);
        for (size_t k = 0; k < kept; k++)
            matrix[i * n + s->index[k]] = 1 / (double)kept;
    }
}

typedef struct {
    int64_t size;
} bucketing_param;

static const p2p_option bucketing_options[] = {
    { "size", P2P_OPT_INT, "2", "1", "1000000", "vectors a bucket", offsetof(bucketing_param, size) }, P2PI_OPTION_END
};

static size_t
bucketing_outputs(const void *param, size_t rows)
{
    size_t size = (size_t)((const bucketing_param *)param)->size;

    return rows / size + (rows % size != 0);
}

static void
bucketing_mix(const void *param, const p2pi_rows *rows, p2pi_scratch *s, double *matrix, double *weight)
{
    size_t n = rows->count, size = (size_t)((const bucketing_param *)param)->size,
           buckets = bucketing_outputs(param, n);
    p2p_random random = p2p_random_open(rows->seed, 0, rows->round, P2P_STREAM_SHARED);

    p2p_random_permutation(&random, n, s->index);
    memset(matrix, 0, buckets * n * sizeof *matrix);
    for (size_t i = 0; i < buckets; i++) {
        size_t first = i * size, in_bucket = n - first < size ? n - first : size;

        weight[i] = 0;
        for (size_t k = first; k < first + in_bucket; k++) {
            matrix[i * n + s->index[k]] = 1 / (double)in_bucket;
            weight[i] += rows->weight[s->index[k]];
        }
    }
}

const p2pi_aggregator_vt p2pi_aggregator_nnm = {
    .size = sizeof(p2pi_aggregator_vt),
    .entry = { .name = "nnm",
               .help = "before a rule: each vector becomes the mean of the m - f nearest to it",
               .source = "Allouah et al., AISTATS 2023, arXiv:2302.01772",
               .options = nnm_options,
               .param_size = sizeof(p2pi_rule_liars) },
    .matrices = 1,
    .least_f = 2,
    .least = 1,
    .breakdown = "1/2",
    .mix = nnm_mix,
};

const p2pi_aggregator_vt p2pi_aggregator_bucketing = {
    .size = sizeof(p2pi_aggregator_vt),
    .entry = { .name = "bucketing",
               .help = "before a rule: means of random groups of vectors",
               .source = "Karimireddy, He, Jaggi, ICLR 2022, arXiv:2006.09365",
               .options = bucketing_options,
               .param_size = sizeof(bucketing_param) },
    .traits = P2PI_RULE_MIXES_OWN,
    .least = 1,
    .breakdown = "0",
    .mix = bucketing_mix,
    .outputs = bucketing_outputs,
};
