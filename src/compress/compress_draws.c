#include "compress/compress_draws.h"

#include "compress/kernels/compress_kernels.h"

enum { COMP = 16, SLOT = 256 };

p2p_random
p2pi_draw(const p2p_env *env, unsigned comp)
{
    return p2p_random_open(env->seed, env->node, env->round, P2P_STREAM_COMPRESS + COMP * comp + SLOT * env->slot);
}

p2p_random
p2pi_draw_shared(const p2p_env *env, unsigned comp)
{
    return p2p_random_open(env->seed, P2P_NODE_SHARED, env->round,
                           P2P_STREAM_SHARED + COMP * comp + SLOT * env->slot);
}

/* Dithers that a word holds. */
static size_t
dithers_of_a_word(unsigned bits)
{
    return bits == 24 ? 1 : 32 / bits;
}

void
p2pi_draw_dithers(p2p_random *r, unsigned bits, p2p_vec u)
{
    uint32_t words[P2PI_CHUNK];
    size_t a_word = dithers_of_a_word(bits);

    p2p_random_words(r, (u.dim + a_word - 1) / a_word, words);
    p2pi_dithers(words, bits, u);
}

void
p2pi_draw_dithers_at(const p2p_env *env, unsigned comp, unsigned bits, size_t at, p2p_vec u)
{
    p2p_random r = p2pi_draw(env, comp);

    r.next = at / dithers_of_a_word(bits);
    p2pi_draw_dithers(&r, bits, u);
}

p2p_status
p2pi_subset_open(p2pi_subset *self, size_t dim, size_t most, p2pi_arena *arena)
{
    self->dim = dim;
    self->most = most;
    self->place = p2pi_arena_array(arena, dim, sizeof *self->place);
    self->swapped = p2pi_arena_array(arena, most, sizeof *self->swapped);
    self->mark = p2pi_arena_array(arena, dim / 64 + 1, sizeof *self->mark);
    if (self->place == NULL || self->swapped == NULL || self->mark == NULL)
        return P2P_ENOMEM;
    for (size_t i = 0; i < dim; i++)
        self->place[i] = (uint32_t)i;
    return P2P_OK;
}

/* The steps of the permutation from its end down. Only the chosen entries and the places that were swapped with them
 * differ from 0 .. dim-1 afterwards. */
static void
shuffle_tail(p2pi_subset *self, p2p_random *r, size_t k)
{
    double u[256];

    for (size_t step = 0; step < k; step++) {
        size_t i = self->dim - 1 - step, j;
        uint32_t kept = self->place[i];

        if (step % 256 == 0)
            p2p_random_uniform(r, k - step < 256 ? k - step : 256, u);
        j = (size_t)(u[step % 256] * (double)(i + 1));
        self->place[i] = self->place[j];
        self->place[j] = kept;
        self->swapped[step] = (uint32_t)j;
    }
}

void
p2pi_subset_draw(p2pi_subset *self, p2p_random *r, size_t k, uint32_t *index)
{
    size_t found = 0;

    shuffle_tail(self, r, k);
    for (size_t step = 0; step < k; step++) {
        size_t i = self->dim - 1 - step;

        self->mark[self->place[i] / 64] |= UINT64_C(1) << self->place[i] % 64;
        self->place[i] = (uint32_t)i;
    }
    for (size_t step = 0; step < k; step++)
        self->place[self->swapped[step]] = self->swapped[step];
    /* The marks give the chosen in ascending order. */
    for (size_t w = 0; found < k; w++)
        for (; self->mark[w] != 0; self->mark[w] &= self->mark[w] - 1)
            index[found++] = (uint32_t)(64 * w + (unsigned)__builtin_ctzll(self->mark[w]));
}
