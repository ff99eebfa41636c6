/*
 * sketched-ams: AMSGrad on count sketches, whose size does not depend on d; all nodes find the same k places.
 *
 *     averaging=gradient     m_i = b m_i + (1 - b) g_i;  p_i = m_i + (lr_before / lr) e_i;  S(p_i), S(g_i) add up
 *                            h = U(mean S(g_i));  v = b2 v + (1 - b2) h^2;  top = max(top, v)
 *                            I = k largest |U(mean S(p_i))| / sqrt(top);  x_I -= lr mean p_i[I] / sqrt(top_I)
 *     averaging=parameter    m_i, v_i, top_i of g_i;  p_i = lr m_i / sqrt(top_i) + e_i;  S(p_i) add up
 *                            I = k largest |U(mean S(p_i))|;  x_I -= mean p_i[I]
 *     both                   e_i = p_i, 0 on I
 *
 * U takes the median over the rows of the sketch; v and top start at eps. Sketches, then the k numbers p_i[I], go
 * over an all-reduce.
 *
 * Xian, Huang, Huang, ICDM 2022, arXiv:2210.07454.
 */
#include "base/text.h"
#include "compress/kernels/top_selection.h"
#include "exchange/all_reduce.h"
#include "method/engine_state.h"
#include "method/optimiser_kernels.h"
#include "method/step_schedule.h"
#include "method/training_kernels.h"

#include <math.h>

enum { GRADIENT, PARAMETER };

typedef struct {
    double step, beta, beta2, eps;
    p2pi_schedule schedule;
    p2p_count k;
    int64_t rows, cols, averaging;
} sketched_param;

typedef struct {
    sketched_param p;
    p2pi_all_reduce *of_p, *of_g, *of_values;
    size_t sketching, reading; /* steps of the sketches, of the values */
    size_t k;
    uint32_t *chosen;
    p2pi_top top_k;
    p2p_vec g, own, score, h; /* scratch; own is p_i */
    p2p_vec m, v, top, e;
    p2p_vec values, sums, lost; /* scratch of k entries */
    double before;              /* step of the last round, 0 in the first */
} sketched;

/* ---- start */

static p2p_status
open_sketches(sketched *self, p2p_method_context *m)
{
    const size_t d = m->setting->dim;
    const size_t cols = self->p.cols > 0 ? (size_t)self->p.cols : 4 * self->k < d ? 4 * self->k : d;
    char spec[96] = "";
    p2p_status st;

    p2pi_text_append(spec, sizeof spec, "sketch:rows=%d,cols=%zu,k=100%%", (int)self->p.rows, cols);
    if ((st = p2pi_all_reduce_new(&self->of_p, m->exchange, spec, 0, 0, d)) != P2P_OK ||
        (self->p.averaging == GRADIENT &&
         (st = p2pi_all_reduce_new(&self->of_g, m->exchange, spec, 0, 0, d)) != P2P_OK) ||
        (st = p2pi_all_reduce_new(&self->of_values, m->exchange, "identity", 0, 0, self->k)) != P2P_OK)
        return st;
    self->sketching = p2pi_all_reduce_steps(self->of_p);
    self->reading = p2pi_all_reduce_steps(self->of_values);
    p2p_method_stages(m, self->sketching + self->reading);
    return P2P_OK;
}

static p2p_status
take_vectors(sketched *self, p2p_method_context *m)
{
    p2p_vec *const named[] = { &self->m, &self->v, &self->top, &self->e };
    static const char *const names[] = { "m", "v", "top", "e" };
    p2p_vec *const scratch[] = { &self->g, &self->own, &self->score, &self->h };
    p2p_vec *const few[] = { &self->values, &self->sums, &self->lost };
    p2p_status st = P2P_OK;

    for (size_t i = 0; i < 4 && st == P2P_OK; i++)
        if ((st = p2p_method_vector(m, names[i], named[i])) == P2P_OK)
            st = p2p_method_scratch(m, scratch[i]);
    for (size_t i = 0; i < 3 && st == P2P_OK; i++)
        st = p2pi_exchange_vector_of(m->exchange, NULL, self->k, few[i]);
    if (st != P2P_OK)
        return st;
    p2p_vec_fill(self->v, self->p.eps);
    p2p_vec_fill(self->top, self->p.eps);
    return p2p_method_scalar(m, "before", &self->before);
}

static p2p_status
sketched_start(void *instance, p2p_method_context *m)
{
    sketched *self = instance;
    p2pi_arena *arena = engine_of(m)->arena;
    p2p_status st;

    m->step = self->p.step;
    self->k = p2p_count_of(self->p.k, m->setting->dim);
    if ((self->chosen = p2pi_arena_array(arena, self->k, sizeof *self->chosen)) == NULL)
        return P2P_ENOMEM;
    if ((st = p2pi_top_open(&self->top_k, m->setting->dim, arena)) != P2P_OK ||
        (st = take_vectors(self, m)) != P2P_OK)
        return st;
    return open_sketches(self, m);
}

/* ---- rounds */

static p2p_status
prepare(sketched *self, p2p_method_context *m)
{
    p2p_status st = p2p_method_grad(m, m->round, p2p_view_of(m->x), self->g);

    if (st != P2P_OK)
        return st;
    if (self->p.averaging == GRADIENT) {
        const double ratio = self->before > 0 && m->step > 0 ? self->before / m->step : 1;

        p2p_vec_axpby(self->m, 1 - self->p.beta, p2p_view_of(self->g), self->p.beta);
        p2p_vec_combine(self->own, 1, p2p_view_of(self->m), ratio, p2p_view_of(self->e));
        return P2P_OK;
    }
    p2pi_moments(self->p.beta, self->p.beta2, p2p_view_of(self->g), self->m, self->v);
    p2pi_largest_moment(1, p2p_view_of(self->v), self->top);
    p2pi_over_root(m->step, p2p_view_of(self->m), 1, p2p_view_of(self->top), 0, 0, self->own);
    p2p_vec_axpy(self->own, 1, p2p_view_of(self->e));
    return P2P_OK;
}

static p2p_status
sketched_emit(void *instance, p2p_method_context *m, size_t stage)
{
    sketched *self = instance;
    p2p_status st = P2P_OK;

    m->step = p2pi_schedule_at(&self->p.schedule, self->p.step, m->round);
    if (stage == 0 && (st = prepare(self, m)) != P2P_OK)
        return st;
    if (stage >= self->sketching)
        st = p2pi_all_reduce_emit(self->of_values, stage - self->sketching, p2p_view_of(self->values));
    else if ((st = p2pi_all_reduce_emit(self->of_p, stage, p2p_view_of(self->own))) == P2P_OK && self->of_g != NULL)
        st = p2pi_all_reduce_emit(self->of_g, stage, p2p_view_of(self->g));
    return st == P2P_EINVAL ? P2P_EDIVERGED : st;
}

/* score, and with it the places. */
static p2p_status
choose(sketched *self)
{
    p2p_status st = p2pi_all_reduce_finish(self->of_p, self->score, self->h);

    if (st != P2P_OK)
        return st;
    if (self->of_g != NULL) {
        if ((st = p2pi_all_reduce_finish(self->of_g, self->g, self->h)) != P2P_OK)
            return st;
        /* h, without a first moment */
        p2pi_moments(0, self->p.beta2, p2p_view_of(self->g), self->h, self->v);
        p2pi_largest_moment(1, p2p_view_of(self->v), self->top);
        p2pi_over_root(1, p2p_view_of(self->score), 1, p2p_view_of(self->top), 0, 0, self->score);
    }
    p2pi_magnitudes(self->score);
    p2pi_top_select(&self->top_k, p2p_view_of(self->score), self->k, self->chosen);
    for (size_t i = 0; i < self->k; i++)
        p2p_vec_set(self->values, i, p2p_vec_get(p2p_view_of(self->own), self->chosen[i]));
    return P2P_OK;
}

static p2p_status
move(sketched *self, p2p_method_context *m)
{
    p2p_status st = p2pi_all_reduce_finish(self->of_values, self->sums, self->lost);

    if (st != P2P_OK)
        return st;
    p2p_vec_copy(self->e, p2p_view_of(self->own));
    for (size_t i = 0; i < self->k; i++) {
        const size_t j = self->chosen[i];
        double by = p2p_vec_get(p2p_view_of(self->sums), i);

        if (self->p.averaging == GRADIENT)
            by *= m->step / sqrt(p2p_vec_get(p2p_view_of(self->top), j));
        p2p_vec_set(m->x, j, p2p_vec_get(p2p_view_of(m->x), j) - by);
        p2p_vec_set(self->e, j, 0);
    }
    self->before = m->step;
    return P2P_OK;
}

static p2p_status
sketched_absorb(void *instance, p2p_method_context *m, size_t stage)
{
    sketched *self = instance;
    p2p_status st;

    if (stage >= self->sketching) {
        st = p2pi_all_reduce_absorb(self->of_values, stage - self->sketching);
        return st == P2P_OK && stage + 1 == self->sketching + self->reading ? move(self, m) : st;
    }
    if ((st = p2pi_all_reduce_absorb(self->of_p, stage)) != P2P_OK ||
        (self->of_g != NULL && (st = p2pi_all_reduce_absorb(self->of_g, stage)) != P2P_OK))
        return st;
    return stage + 1 == self->sketching ? choose(self) : P2P_OK;
}

static const p2p_option sketched_options[] = {
    { "step|lr", P2P_OPT_REAL, "1e-3", "(0", NULL, "step size", offsetof(sketched_param, step) },
    { "averaging", P2P_OPT_CHOICE, "gradient", "gradient|parameter", NULL, "what is sketched: momenta, or steps",
      offsetof(sketched_param, averaging) },
    { "k", P2P_OPT_COUNT, "1%", "1", "100%", "entries that move: a count, or a share of the dimension",
      offsetof(sketched_param, k) },
    { "rows", P2P_OPT_INT, "5", "1", "64", "hash functions", offsetof(sketched_param, rows) },
    { "cols", P2P_OPT_INT, "0", "0", "1e9", "cells of each; 0: 4 k", offsetof(sketched_param, cols) },
    { "beta|beta1|b1", P2P_OPT_REAL, "0.9", "0", "1)", "momentum", offsetof(sketched_param, beta) },
    { "beta2|b2", P2P_OPT_REAL, "0.999", "0", "1)", "of the second moment", offsetof(sketched_param, beta2) },
    { "eps", P2P_OPT_REAL, "1e-8", "(0", NULL, "second moments start here", offsetof(sketched_param, eps) },
    P2PI_SCHEDULE_OPTIONS(sketched_param, schedule),
    { NULL, P2P_OPT_TEXT, NULL, NULL, NULL, NULL, 0 }
};

const p2p_method_vt p2pi_method_sketched_ams = {
    .size = sizeof(p2p_method_vt),
    .entry = { "sketched-ams", "momentum or own step, ef, all-reduce of sketches, then of k entries, amsgrad",
               "arXiv:2210.07454", sketched_options, sizeof(sketched_param) },
    .traits = P2P_METHOD_COMPRESSES | P2P_METHOD_RAW,
    .instance_size = sizeof(sketched),
    .stages = 1,
    .start = sketched_start,
    .emit = sketched_emit,
    .absorb = sketched_absorb,
};
