/*
 * The geometric median by the smoothed Weiszfeld iteration (RFA), started at the coordinate-wise median:
 *
 *     b_i = 1 / max(nu, ||v_i - z||),  z = sum_i c_i v_i,  c_i = b_i / sum b.
 *
 * Every z but the first is an affine combination of the rows, so its distances follow from the rows' inner products:
 * with G_ij = (v_i - z_0)'(v_j - z_0), ||v_i - z||^2 = G_ii - 2 (G c)_i + c'G c. That makes the cost two passes over
 * the vectors instead of one an iteration. Where the difference cancels (z has come close to a vector), the distances
 * of this iteration are taken from the vectors themselves.
 *
 * Cost: O(m^2 d), whatever the number of iterations; O(iters m d) while distances cancel.
 */
#include "aggregate/paired_columns.h"

#include <math.h>

typedef struct {
    int64_t iters;
    double nu;
} geomed_param;

static const p2p_option geomed_options[] = {
    { "iters", P2P_OPT_INT, "32", "1", "100000", "iterations", offsetof(geomed_param, iters) },
    { "nu", P2P_OPT_REAL, "1e-6", "(0", "1e100", "distance below which a vector gains no more weight",
      offsetof(geomed_param, nu) },
    P2PI_OPTION_END
};

/* c_i = b_i / sum b for the squared distances r_i. */
static void
weigh(size_t count, double nu, const double *r, double *c)
{
    double total = 0;

    for (size_t i = 0; i < count; i++)
        total += c[i] = 1 / fmax(nu, sqrt(r[i]));
    for (size_t i = 0; i < count; i++)
        c[i] /= total;
}

/* r_i = ||v_i - z||^2 from the products; 0 if one of them is left with less than a share `lost` of its terms. */
static int
distances_from_products(size_t count, const double *pair, const double *c, double lost, double *r)
{
    double around = 0;

    for (size_t i = 0; i < count; i++) {
        r[i] = 0;
        for (size_t j = 0; j < count; j++)
            if (c[j] != 0)
                r[i] += pair[i * count + j] * c[j];
        if (c[i] != 0)
            around += r[i] * c[i];
    }
    for (size_t i = 0; i < count; i++) {
        double own = pair[i * count + i], scale = fmax(own, around);

        r[i] = own - 2 * r[i] + around;
        if (!(r[i] >= lost * scale))
            return 0;
    }
    return 1;
}

static void
geomed_apply(const void *param, const p2pi_rows *rows, p2pi_scratch *s, p2p_vec z)
{
    const geomed_param *p = param;
    double lost = rows->type == P2P_F32 ? 1e-2 : 1e-4;

    p2pi_paired_products(rows, s->block, s->pair);
    for (size_t i = 0; i < rows->count; i++)
        s->number[i] = s->pair[i * rows->count + i];
    weigh(rows->count, p->nu, s->number, s->coefficient);
    for (int64_t k = 1; k < p->iters; k++) {
        if (!distances_from_products(rows->count, s->pair, s->coefficient, lost, s->number))
            p2pi_columns_spread(rows, s->coefficient, s->number);
        weigh(rows->count, p->nu, s->number, s->coefficient);
    }
    p2pi_columns_blend(rows, s->coefficient, z);
}

const p2pi_aggregator_vt p2pi_aggregator_geomed = {
    .size = sizeof(p2pi_aggregator_vt),
    .entry = { .name = "geomed",
               .help = "geometric median: least sum of distances to the vectors",
               .source = "Pillutla, Kakade, Harchaoui, IEEE TSP 2022, arXiv:1912.13445",
               .options = geomed_options,
               .param_size = sizeof(geomed_param) },
    .traits = P2PI_RULE_BLOCKS,
    .matrices = 1,
    .least = 1,
    .breakdown = "1/2",
    .apply = geomed_apply,
};
