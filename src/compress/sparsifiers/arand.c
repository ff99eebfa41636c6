/*
 * arand: one entry, drawn with probability |x_i| / ||x||_1: the first i with S_i > u S_d, S the sums of |x| in order.
 * scale=0 sends x_i: contractive in the mean with delta = 1/d; scale=1 sends ||x||_1 sign x_i: unbiased with
 * omega <= d - 1.
 *
 * Beznosikov, Horvath, Richtarik, Safaryan, arXiv:2002.12410.
 */
#include "compress/compress_draws.h"
#include "compress/pipeline/pipeline_parts.h"

#include <math.h>

typedef struct {
    int64_t scale, index, vt;
} arand_param;

static p2p_status
arand_open(p2pi_sparsifier *self, p2pi_arena *arena)
{
    const arand_param *o = self->param;
    double d = (double)self->shape.dim;

    (void)arena;
    self->most = 1;
    self->sent = 1;
    self->index = p2pi_option_index(o->index);
    self->real = p2pi_option_real(o->vt, self->shape.type);
    self->constants = (p2pi_part_constants){ P2P_SPARSE | P2P_RANDOM, NAN, NAN, NAN, NAN };
    if (o->scale) {
        self->constants.traits |= P2P_UNBIASED;
        self->constants.omega = d - 1;
    } else {
        self->constants.traits |= P2P_CONTRACTIVE;
        self->constants.delta = 1 / d;
    }
    return P2P_OK;
}

/* Sum of the magnitudes of the first n entries, one after the other. */
static double
total(p2p_view x)
{
    double sum = 0;

    for (size_t i = 0; i < x.dim; i++)
        sum += fabs(p2p_vec_get(x, i));
    return sum;
}

static size_t
arand_pick(p2pi_sparsifier *self, p2p_view x, const p2p_env *env, uint32_t *index, double *factor)
{
    const arand_param *o = self->param;
    p2p_random r = p2pi_draw(env, self->comp);
    double sum = total(x), u, reached = 0;
    size_t i = 0;

    if (sum == 0)
        return 0;
    p2p_random_uniform(&r, 1, &u);
    while ((reached += fabs(p2p_vec_get(x, i))) <= u * sum)
        i++;
    index[0] = (uint32_t)i;
    *factor = o->scale ? sum / fabs(p2p_vec_get(x, i)) : 1;
    return 1;
}

static const p2pi_sparsifier_vt arand_sparsifier = { .open = arand_open, .pick = arand_pick };

static const p2p_option arand_options[] = { { "scale", P2P_OPT_BOOL, "0", NULL, NULL,
                                              "send the sum of magnitudes with its sign: unbiased",
                                              offsetof(arand_param, scale) },
                                            P2PI_OPTION_INDEX(arand_param, index),
                                            P2PI_OPTION_VT(arand_param, vt),
                                            P2PI_OPTIONS_END };

const p2pi_compressor_vt p2pi_compressor_arand = {
    .size = sizeof(p2pi_compressor_vt),
    .entry = { "arand", "one entry, drawn by magnitude", "arXiv:2002.12410", arand_options, sizeof(arand_param) },
    .family = 9,
    .sparsifier = &arand_sparsifier,
};
