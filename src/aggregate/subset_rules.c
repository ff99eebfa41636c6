/*
 * Rules that look at every choice of m - f vectors and answer the mean of the tightest: of least diameter (MDA), or
 * of least total variance (MVA). Optimal in theory; the number of choices bounds m.
 *
 * Choices are built up vector by vector in lexicographic order, and one that is already no tighter than the best so
 * far is given up: of equals the first wins. The variance of a choice is the sum of its squared distances over its
 * number, so both rules need the matrix of distances only.
 *
 * Cost: O(m^2 d) for the distances, then at most binomial(m, f) choices of O(m^2).
 */
#include "aggregate/paired_columns.h"

#include <math.h>
#include <string.h>

enum { MOST_CHOICES = 400000 };

/* What adding row i to the taken rows makes of a choice's measure. */
typedef double grow(const double *to_row, size_t taken, const size_t *choice, double measure);

static double
grow_diameter(const double *to_row, size_t taken, const size_t *choice, double measure)
{
    for (size_t k = 0; k < taken; k++)
        measure = fmax(measure, to_row[choice[k]]);
    return measure;
}

static double
grow_variance(const double *to_row, size_t taken, const size_t *choice, double measure)
{
    for (size_t k = 0; k < taken; k++)
        measure += to_row[choice[k]];
    return measure;
}

typedef struct {
    grow *grow;
    const double *pair;
    size_t rows, size;
    size_t *choice;
    double *best; /* 1 for the rows of the tightest choice so far */
    double least;
} search;

static void
keep(search *s, double measure)
{
    s->least = measure;
    memset(s->best, 0, s->rows * sizeof *s->best);
    for (size_t k = 0; k < s->size; k++)
        s->best[s->choice[k]] = 1;
}

static void
extend(search *s, size_t taken, size_t next, double measure)
{
    if (taken == s->size) {
        keep(s, measure);
        return;
    }
    for (size_t i = next; i + s->size - taken <= s->rows; i++) {
        double grown = s->grow(s->pair + i * s->rows, taken, s->choice, measure);

        if (grown < s->least) {
            s->choice[taken] = i;
            extend(s, taken + 1, i + 1, grown);
        }
    }
}

static void
mean_of_tightest(grow *grow, const p2pi_rows *rows, p2pi_scratch *scratch, p2p_vec z)
{
    search s = { .grow = grow,
                 .pair = scratch->pair,
                 .rows = rows->count,
                 .size = rows->count - rows->liars,
                 .choice = scratch->index,
                 .best = scratch->coefficient };

    p2pi_paired_distances(rows, scratch->block, scratch->pair);
    for (size_t k = 0; k < s.size; k++)
        s.choice[k] = k;
    keep(&s, INFINITY);
    extend(&s, 0, 0, 0);
    for (size_t i = 0; i < rows->count; i++)
        s.best[i] /= (double)s.size;
    p2pi_columns_blend(rows, s.best, z);
}

static void
mda_apply(const void *param, const p2pi_rows *rows, p2pi_scratch *scratch, p2p_vec z)
{
    (void)param;
    mean_of_tightest(grow_diameter, rows, scratch, z);
}

static void
mva_apply(const void *param, const p2pi_rows *rows, p2pi_scratch *scratch, p2p_vec z)
{
    (void)param;
    mean_of_tightest(grow_variance, rows, scratch, z);
}

static int
few_choices(const void *param, size_t rows, size_t liars)
{
    double choices = 1;

    (void)param;
    for (size_t k = 1; k <= liars; k++)
        choices = choices * (double)(rows - liars + k) / (double)k;
    if (choices <= MOST_CHOICES)
        return 1;
    p2p_fail(P2P_EINVAL, "f=%zu of %zu vectors leaves %.3g choices to try: expected at most %d", liars, rows, choices,
             MOST_CHOICES);
    return 0;
}

const p2pi_aggregator_vt p2pi_aggregator_mda = {
    .size = sizeof(p2pi_aggregator_vt),
    .entry = { .name = "mda",
               .help = "the mean of the m - f vectors of least diameter",
               .source = "Allouah et al., AISTATS 2023, arXiv:2302.01772",
               .options = p2pi_rule_liars_options,
               .param_size = sizeof(p2pi_rule_liars) },
    .traits = P2PI_RULE_BLOCKS,
    .matrices = 1,
    .least_f = 2,
    .least = 1,
    .breakdown = "1/2",
    .check = few_choices,
    .apply = mda_apply,
};

const p2pi_aggregator_vt p2pi_aggregator_mva = {
    .size = sizeof(p2pi_aggregator_vt),
    .entry = { .name = "mva",
               .help = "the mean of the m - f vectors of least total variance",
               .source = "Allouah et al., AISTATS 2023, arXiv:2302.01772",
               .options = p2pi_rule_liars_options,
               .param_size = sizeof(p2pi_rule_liars) },
    .traits = P2PI_RULE_BLOCKS,
    .matrices = 1,
    .least_f = 2,
    .least = 1,
    .breakdown = "1/2",
    .check = few_choices,
    .apply = mva_apply,
};
