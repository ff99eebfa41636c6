/*
 * lowrank, greedylore: factors from singular vectors.
 *
 *     lowrank      the best approximation of the rank: P = U S, Q = W; contractive with delta = rank / min(rows,
 * cols) greedylore   every tau rounds the whole of V, whose singular basis B of the shorter side is kept; else the
 * rank columns b_j of B with the largest (<b_j' V, w_j>)^2 for shared normals w_j, and what V has of them
 *
 * Eckart, Young 1936; Chen, He, Li, Jia, Yuan, arXiv:2507.08784 (greedylore; the probe is ours).
 */
#include "compress/kernels/top_selection.h"
#include "compress/linear/low_rank.h"
#include "compress/pipeline/pipeline_parts.h"

#include <math.h>
#include <p2popt/random.h>
#include <string.h>

typedef struct {
    p2pi_low_rank_param common;
    int64_t tau;
} lowrank_param;

/* ---- lowrank */

static void
best_factors(p2pi_low_rank *self, const p2p_env *env)
{
    p2pi_svd *svd = self->own;

    (void)env;
    p2pi_svd_of(svd, self, 0);
    memcpy(self->q, svd->right_t, self->rank * self->cols * sizeof *self->q);
    for (size_t j = 0; j < self->rank; j++)
        for (size_t i = 0; i < self->rows; i++)
            self->p[j * self->rows + i] = svd->left_t[j * self->rows + i] * svd->value[j];
}

static const p2pi_low_rank_vt best = { .factor = best_factors };

static p2p_status
lowrank_plan(p2pi_codec *c, p2pi_arena *arena)
{
    p2pi_low_rank *self;
    p2p_status st = p2pi_low_rank_plan(c, arena, 43, &self);
    size_t least;

    if (st != P2P_OK)
        return st;
    /* No memory: an approximation of each vector by itself. */
    least = self->rows < self->cols ? self->rows : self->cols;
    self->vt = &best;
    self->memory = P2PI_MEMORY_NONE;
    self->whole = 0;
    c->plan.states = 0;
    c->plan.constants.traits = P2P_CONTRACTIVE;
    c->plan.constants.delta = (double)self->rank / (double)least;
    c->plan.constants.bits_nominal = (double)self->factors.count * 8 * (double)p2pi_real_bytes(self->factors.real);
    if ((self->own = p2pi_arena_take(arena, sizeof(p2pi_svd))) == NULL)
        return P2P_ENOMEM;
    return p2pi_svd_open(self->own, self, arena);
}

/* ---- greedylore */

typedef struct {
    p2pi_svd svd;
    size_t side, length; /* shorter and longer side */
    double *basis;       /* side columns of side entries */
    double *seen;        /* B' V: side rows of length entries */
    double *probe, *score;
    uint32_t *picked;
    p2pi_top top;
} greedy;

static int
is_wide(const p2pi_low_rank *self)
{
    return self->rows < self->cols;
}

/* The singular vectors of the shorter side. */
static void
keep_basis(p2pi_low_rank *self)
{
    greedy *g = self->own;

    p2pi_svd_of(&g->svd, self, is_wide(self));
    memcpy(g->basis, is_wide(self) ? g->svd.left_t : g->svd.right_t, g->side * g->side * sizeof *g->basis);
}

/* Row j is what V has of column j of the basis. */
static void
look(const p2pi_low_rank *self, greedy *g)
{
    memset(g->seen, 0, g->side * g->length * sizeof *g->seen);
    for (size_t j = 0; j < g->side; j++) {
        double *row = g->seen + j * g->length;
        const double *b = g->basis + j * g->side;

        for (size_t i = 0; i < self->rows; i++) {
            p2p_view v = { self->v + i * self->cols, self->cols, P2P_F64 };

            if (is_wide(self))
                p2p_vec_axpy((p2p_vec){ row, g->length, P2P_F64 }, b[i], v);
            else
                row[i] = p2p_vec_dot(v, (p2p_view){ b, self->cols, P2P_F64 });
        }
    }
}

static void
emit_greedily(p2pi_low_rank *self, const p2p_env *env, size_t stage, double *out)
{
    greedy *g = self->own;
    p2p_random r = p2p_random_open(env->seed, 0, env->round, P2P_STREAM_SHARED);

    if (stage == 1) {
        for (size_t j = 0; j < self->rank; j++)
            memcpy(out + j * g->length, g->seen + g->picked[j] * g->length, g->length * sizeof *g->seen);
        return;
    }
    look(self, g);
    p2p_random_normal(&r, g->side * g->length, g->probe);
    for (size_t j = 0; j < g->side; j++)
        out[j] = p2p_vec_dot((p2p_view){ g->seen + j * g->length, g->length, P2P_F64 },
                             (p2p_view){ g->probe + j * g->length, g->length, P2P_F64 });
}

static size_t
scores_and_factor(const p2pi_low_rank *self, const p2p_env *env, size_t stage)
{
    const greedy *g = self->own;

    (void)env;
    return stage == 0 ? g->side : stage == 1 ? self->rank * g->length : 0;
}

static void
absorb_greedily(p2pi_low_rank *self, const p2p_env *env, size_t stage, const double *mean)
{
    greedy *g = self->own;
    double *of_basis = is_wide(self) ? self->p : self->q, *of_matrix = is_wide(self) ? self->q : self->p;

    if (stage == 1) {
        memcpy(of_matrix, mean, scores_and_factor(self, env, stage) * sizeof *mean);
        return;
    }
    for (size_t j = 0; j < g->side; j++)
        g->score[j] = mean[j] * mean[j];
    p2pi_top_select(&g->top, (p2p_view){ g->score, g->side, P2P_F64 }, self->rank, g->picked);
    for (size_t j = 0; j < self->rank; j++)
        memcpy(of_basis + j * g->side, g->basis + g->picked[j] * g->side, g->side * sizeof *g->basis);
}

static int
matrix_is_p(const p2pi_low_rank *self, const p2p_env *env)
{
    (void)env;
    return !is_wide(self);
}

static const p2pi_low_rank_vt greedily = { .count = scores_and_factor,
                                           .emit = emit_greedily,
                                           .absorb = absorb_greedily,
                                           .ends_in_p = matrix_is_p,
                                           .refresh = keep_basis };

static p2p_status
take_greedy(greedy *g, const p2pi_low_rank *self, p2pi_arena *arena)
{
    g->side = is_wide(self) ? self->rows : self->cols;
    g->length = is_wide(self) ? self->cols : self->rows;
    g->basis = p2pi_arena_array(arena, g->side * g->side, sizeof *g->basis);
    g->seen = p2pi_arena_array(arena, g->side * g->length, sizeof *g->seen);
    g->probe = p2pi_arena_array(arena, g->side * g->length + 1, sizeof *g->probe);
    g->score = p2pi_arena_array(arena, g->side, sizeof *g->score);
    g->picked = p2pi_arena_array(arena, g->side, sizeof *g->picked);
    if (!g->basis || !g->seen || !g->probe || !g->score || !g->picked)
        return P2P_ENOMEM;
    return p2pi_top_open(&g->top, g->side, arena);
}

static p2p_status
greedylore_plan(p2pi_codec *c, p2pi_arena *arena)
{
    const lowrank_param *o = c->part[0].param;
    greedy *g = p2pi_arena_take(arena, sizeof *g);
    p2pi_low_rank *self;
    p2p_status st = p2pi_low_rank_plan(c, arena, 42, &self);

    if (g == NULL)
        return P2P_ENOMEM;
    if (st != P2P_OK || (st = take_greedy(g, self, arena)) != P2P_OK)
        return st;
    self->vt = &greedily;
    self->own = g;
    self->tau = (size_t)o->tau;
    c->plan.state[c->plan.states++] = (p2pi_codec_state){ "basis", { g->basis, g->side * g->side, P2P_F64 } };
    return p2pi_svd_open(&g->svd, self, arena);
}

static const p2pi_scheme lowrank_scheme = {
    .plan = lowrank_plan,
    .encode = p2pi_low_rank_encode,
    .decode = p2pi_low_rank_decode,
    .nominal = p2pi_low_rank_nominal,
};

static const p2pi_scheme greedylore_scheme = {
    .plan = greedylore_plan,
    .encode = p2pi_low_rank_encode,
    .decode = p2pi_low_rank_decode,
    .nominal = p2pi_low_rank_nominal,
    .stages = p2pi_low_rank_stages,
    .emit = p2pi_low_rank_emit,
    .absorb = p2pi_low_rank_absorb,
    .finish = p2pi_low_rank_finish,
};

static const p2p_option lowrank_options[] = { P2PI_OPTIONS_LOW_RANK, P2PI_OPTION_VT(p2pi_low_rank_param, vt),
                                              P2PI_OPTIONS_END };

static const p2p_option greedylore_options[] = { P2PI_OPTIONS_LOW_RANK,
                                                 { "tau", P2P_OPT_INT, "50", "1", "1000000",
                                                   "rounds between whole matrices", offsetof(lowrank_param, tau) },
                                                 P2PI_OPTION_MEMORY,
                                                 P2PI_OPTION_VT(p2pi_low_rank_param, vt),
                                                 P2PI_OPTIONS_END };

const p2pi_compressor_vt p2pi_compressor_lowrank = {
    .size = sizeof(p2pi_compressor_vt),
    .entry = { "lowrank", "the best approximation of low rank", "Eckart, Young 1936", lowrank_options,
               sizeof(lowrank_param) },
    .family = 43,
    .scheme = &lowrank_scheme,
};

const p2pi_compressor_vt p2pi_compressor_greedylore = {
    .size = sizeof(p2pi_compressor_vt),
    .entry = { "greedylore", "two thin factors, one of kept singular vectors", "arXiv:2507.08784", greedylore_options,
               sizeof(lowrank_param) },
    .family = 42,
    .scheme = &greedylore_scheme,
};
