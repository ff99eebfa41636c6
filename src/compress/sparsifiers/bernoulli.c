/*
 * bernoulli: keep each entry with probability p, or with whole=1 all of them or none. scale=1 divides by p: unbiased
 * with omega = 1/p - 1; scale=0: contractive with delta = p. The support follows from the seed and is not sent.
 */
#include "compress/compress_draws.h"
#include "compress/kernels/compress_kernels.h"
#include "compress/pipeline/pipeline_parts.h"

#include <math.h>

typedef struct {
    double p;
    int64_t scale, whole, shared, vt;
} bernoulli_param;

static p2p_status
bernoulli_open(p2pi_sparsifier *self, p2pi_arena *arena)
{
    const bernoulli_param *o = self->param;

    (void)arena;
    self->most = self->shape.dim;
    self->real = p2pi_option_real(o->vt, self->shape.type);
    self->constants = (p2pi_part_constants){ P2P_SPARSE | P2P_RANDOM | P2P_SHARED, NAN, NAN, NAN, NAN };
    if (o->shared)
        self->constants.traits |= P2P_LINEAR;
    if (o->scale) {
        self->constants.traits |= P2P_UNBIASED;
        self->constants.omega = 1 / o->p - 1;
    } else {
        self->constants.traits |= P2P_CONTRACTIVE;
        self->constants.delta = o->p;
    }
    return P2P_OK;
}

static size_t
every_index(size_t d, uint32_t *index)
{
    for (size_t i = 0; i < d; i++)
        index[i] = (uint32_t)i;
    return d;
}

/* Branch-free: every index is written, and kept by moving on. */
static size_t
drawn_indices(p2p_random *r, double p, size_t d, uint32_t *index)
{
    double u[P2PI_CHUNK];
    size_t k = 0;

    for (size_t at = 0; at < d; at += P2PI_CHUNK) {
        size_t n = d - at < P2PI_CHUNK ? d - at : P2PI_CHUNK;

        p2p_random_uniform(r, n, u);
        for (size_t i = 0; i < n; i++) {
            index[k] = (uint32_t)(at + i);
            k += u[i] < p;
        }
    }
    return k;
}

static size_t
bernoulli_pick(p2pi_sparsifier *self, p2p_view x, const p2p_env *env, uint32_t *index, double *factor)
{
    const bernoulli_param *o = self->param;
    p2p_random r = o->shared ? p2pi_draw_shared(env, self->comp) : p2pi_draw(env, self->comp);
    double coin;

    *factor = o->scale ? 1 / o->p : 1;
    if (!o->whole)
        return drawn_indices(&r, o->p, x.dim, index);
    p2p_random_uniform(&r, 1, &coin);
    return coin < o->p ? every_index(x.dim, index) : 0;
}

static const p2pi_sparsifier_vt bernoulli_sparsifier = { .open = bernoulli_open, .pick = bernoulli_pick };

static const p2p_option bernoulli_options[] = {
    { "p", P2P_OPT_REAL, "0.1", "(0", "1", "probability that an entry is kept", offsetof(bernoulli_param, p) },
    { "scale", P2P_OPT_BOOL, "1", NULL, NULL, "divide by p: unbiased", offsetof(bernoulli_param, scale) },
    { "whole", P2P_OPT_BOOL, "0", NULL, NULL, "one coin for the whole vector", offsetof(bernoulli_param, whole) },
    { "shared", P2P_OPT_BOOL, "0", NULL, NULL, "the same coins for all nodes", offsetof(bernoulli_param, shared) },
    P2PI_OPTION_VT(bernoulli_param, vt),
    P2PI_OPTIONS_END
};

const p2pi_compressor_vt p2pi_compressor_bernoulli = {
    .size = sizeof(p2pi_compressor_vt),
    .entry = { "bernoulli", "keep each entry with one probability", NULL, bernoulli_options,
               sizeof(bernoulli_param) },
    .family = 8,
    .sparsifier = &bernoulli_sparsifier,
};
