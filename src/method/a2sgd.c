/*
 * a2sgd: two numbers a round. Of its gradient a node tells the mean mu+ of the entries that are not negative and the
 * mean magnitude mu- of the others; what they do not tell stays at the node:
 *
 *     g_i += (mean mu+) - mu+ where g_i >= 0,  g_i -= (mean mu-) - mu- elsewhere;   x_i <- a step with g_i
 *     every `sync` rounds  x_i <- mean x
 *
 * Replicas differ: at nodes whose data differ they end where each would end alone.
 *
 * Bhattacharya, Yu, Chowdhury, IEEE CLUSTER 2021, arXiv:2006.07405.
 */
#include "exchange/all_reduce.h"
#include "method/automatic.h"
#include "method/optimiser.h"
#include "method/step_schedule.h"
#include "method/training_kernels.h"

typedef struct {
    double step;
    p2pi_schedule schedule;
    p2pi_optimiser_param optimiser;
    int64_t sync;
} a2sgd_param;

typedef struct {
    a2sgd_param p;
    p2pi_optimiser optimiser;
    p2pi_all_reduce *pair, *model;
    size_t steps; /* of an all-reduce */
    p2p_vec g, means, agreed;
    double own[2];
} a2sgd;

static p2p_status
a2sgd_start(void *instance, p2p_method_context *m)
{
    a2sgd *self = instance;
    const double factor = p2pi_optimiser_factor(&self->p.optimiser);
    p2p_status st;

    if (factor == 0 && p2p_is_auto(self->p.step))
        self->p.step = 1e-3;
    m->step = self->p.step;
    if ((factor > 0 && (st = p2pi_auto_step(m, factor, 2 * (1 + self->p.optimiser.beta), &self->p.step)) != P2P_OK) ||
        (st = p2p_method_scratch(m, &self->g)) != P2P_OK ||
        (st = p2pi_exchange_vector_of(m->exchange, NULL, 2, &self->means)) != P2P_OK ||
        (st = p2pi_exchange_vector_of(m->exchange, NULL, 2, &self->agreed)) != P2P_OK ||
        (st = p2pi_all_reduce_new(&self->pair, m->exchange, "identity", 0, 0, 2)) != P2P_OK)
        return st;
    self->steps = p2pi_all_reduce_steps(self->pair);
    p2p_method_stages(m, self->p.sync > 0 ? 2 * self->steps : self->steps);
    if (self->p.sync > 0 &&
        (st = p2pi_all_reduce_new(&self->model, m->exchange, "identity", 1, 0, m->setting->dim)) != P2P_OK)
        return st;
    return p2pi_optimiser_start(&self->optimiser, m, &self->p.optimiser);
}

static int
syncs(const a2sgd *self, const p2p_method_context *m)
{
    return self->p.sync > 0 && (m->round + 1) % self->p.sync == 0;
}

static p2p_status
measure(a2sgd *self, p2p_method_context *m)
{
    p2p_status st = p2p_method_grad(m, m->round, p2p_view_of(m->x), self->g);

    if (st != P2P_OK)
        return st;
    p2pi_signed_means(p2p_view_of(self->g), self->own);
    for (size_t i = 0; i < 2; i++)
        p2p_vec_set(self->means, i, self->own[i]);
    return P2P_OK;
}

static p2p_status
a2sgd_emit(void *instance, p2p_method_context *m, size_t stage)
{
    a2sgd *self = instance;
    p2p_status st = P2P_OK;

    m->step = p2pi_schedule_at(&self->p.schedule, self->p.step, m->round);
    if (stage == 0 && (st = measure(self, m)) != P2P_OK)
        return st;
    if (stage < self->steps)
        st = p2pi_all_reduce_emit(self->pair, stage, p2p_view_of(self->means));
    else if (syncs(self, m))
        st = p2pi_all_reduce_emit(self->model, stage - self->steps, p2p_view_of(m->x));
    return st == P2P_EINVAL ? P2P_EDIVERGED : st;
}

static p2p_status
step(a2sgd *self, p2p_method_context *m)
{
    p2p_status st = p2pi_all_reduce_finish(self->pair, self->agreed, self->means);
    double by[2];

    if (st != P2P_OK)
        return st;
    for (size_t i = 0; i < 2; i++)
        by[i] = p2p_vec_get(p2p_view_of(self->agreed), i) - self->own[i];
    p2pi_shift_by_sign(by[0], by[1], self->g);
    p2pi_optimiser_step(&self->optimiser, m->x, self->g, m->step);
    return P2P_OK;
}

static p2p_status
a2sgd_absorb(void *instance, p2p_method_context *m, size_t stage)
{
    a2sgd *self = instance;
    p2p_status st = P2P_OK;

    if (stage < self->steps) {
        st = p2pi_all_reduce_absorb(self->pair, stage);
        return st == P2P_OK && stage + 1 == self->steps ? step(self, m) : st;
    }
    if (!syncs(self, m) || (st = p2pi_all_reduce_absorb(self->model, stage - self->steps)) != P2P_OK)
        return st;
    return stage + 1 == 2 * self->steps ? p2pi_all_reduce_finish(self->model, m->x, self->g) : P2P_OK;
}

static const p2p_option a2sgd_options[] = {
    { "step|lr", P2P_OPT_REAL, "auto", "(0", NULL, "step size", offsetof(a2sgd_param, step) },
    { "sync", P2P_OPT_INT, "0", "0", "1e9", "rounds between means of the models; 0: none",
      offsetof(a2sgd_param, sync) },
    P2PI_OPTIMISER_OPTIONS("sgd", a2sgd_param, optimiser),
    P2PI_SCHEDULE_OPTIONS(a2sgd_param, schedule),
    { NULL, P2P_OPT_TEXT, NULL, NULL, NULL, NULL, 0 }
};

const p2p_method_vt p2pi_method_a2sgd = {
    .size = sizeof(p2p_method_vt),
    .entry = { "a2sgd", "own gradient, its own means, two means by all-reduce, own step of sgd: two numbers a round",
               "arXiv:2006.07405", a2sgd_options, sizeof(a2sgd_param) },
    .traits = P2P_METHOD_COMPRESSES | P2P_METHOD_RAW,
    .instance_size = sizeof(a2sgd),
    .stages = 1,
    .start = a2sgd_start,
    .emit = a2sgd_emit,
    .absorb = a2sgd_absorb,
};
