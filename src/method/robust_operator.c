/*
 * Variational inequalities with liars among the workers: one vector z that all nodes have, R the configured
 * aggregator over all nodes' vectors, at the hub of a star or at every node of a complete graph, P the projection on
 * the set.
 *
 *     sgda-ra     z <- P(z - step R(F_i(z)))
 *     m-sgda-ra   m_i <- momentum m_i + (1 - momentum) F_i(z), m_i = F_i(z_0) at first;   z <- P(z - step R(m_i))
 *     seg-ra      h = P(z - step R(F_i(z)));   z <- P(z - step2 R(F_i(h)))
 *
 * With the mean these are descent-ascent, the same with momentum, and extragradient.
 *
 * Tupitsa et al., NeurIPS 2023, arXiv:2311.04611.
 */
#include "method/automatic.h"
#include "method/mean_over_nodes.h"

typedef struct {
    double step, step2, momentum;
} robust_operator_param;

typedef struct {
    robust_operator_param p;
    p2pi_mean rule;
    p2p_vec f; /* the node's own operator */
    p2p_vec v; /* momentum of it */
    p2p_vec h; /* half point */
} robust_operator;

static p2p_status
start(robust_operator *self, p2p_method_context *m, size_t calls, double factor)
{
    p2p_status st;

    p2p_method_stages(m, calls * p2pi_mean_parts(m));
    if ((st = p2pi_auto_step(m, factor, 1, &self->p.step)) != P2P_OK ||
        (st = p2pi_mean_start(&self->rule, m, P2P_SLOT_AGGREGATE)) != P2P_OK)
        return st;
    return p2p_method_scratch(m, &self->f);
}

/* to = P(z - step R) */
static p2p_status
step_along(const robust_operator *self, p2p_method_context *m, double step, p2p_vec to)
{
    p2p_vec_combine(to, 1, p2p_view_of(m->x), -step, p2p_view_of(self->rule.mean));
    return p2p_problem_prox(m->problem, step, to);
}

/* ---- sgda-ra, m-sgda-ra */

static p2p_status
sgda_start(void *instance, p2p_method_context *m)
{
    robust_operator *self = instance;
    p2p_status st = start(self, m, 1, 0.1);

    return st == P2P_OK && self->p.momentum > 0 ? p2p_method_vector(m, "v", &self->v) : st;
}

/* What is sent of F_i(z). */
static p2p_view
moved(robust_operator *self, const p2p_method_context *m)
{
    if (self->v.data == NULL)
        return p2p_view_of(self->f);
    if (m->round == 0)
        p2p_vec_copy(self->v, p2p_view_of(self->f));
    p2p_vec_axpby(self->v, 1 - self->p.momentum, p2p_view_of(self->f), self->p.momentum);
    return p2p_view_of(self->v);
}

static p2p_status
sgda_emit(void *instance, p2p_method_context *m, size_t stage)
{
    robust_operator *self = instance;
    p2p_status st;

    if (stage > 0)
        return p2pi_mean_emit(&self->rule, m, stage, p2p_view_of(self->f));
    st = p2p_method_grad(m, m->round, p2p_view_of(m->x), self->f);
    return st == P2P_OK ? p2pi_mean_emit(&self->rule, m, stage, moved(self, m)) : st;
}

static p2p_status
sgda_absorb(void *instance, p2p_method_context *m, size_t stage)
{
    robust_operator *self = instance;
    p2p_status st = p2pi_mean_absorb(&self->rule, m, stage);

    return st == P2P_OK && stage + 1 == p2pi_mean_parts(m) ? step_along(self, m, self->p.step, m->x) : st;
}

/* ---- seg-ra */

static p2p_status
seg_start(void *instance, p2p_method_context *m)
{
    robust_operator *self = instance;
    p2p_status st = start(self, m, 2, 0.3);

    if (p2p_is_auto(self->p.step2))
        self->p.step2 = self->p.step;
    return st == P2P_OK ? p2p_method_scratch(m, &self->h) : st;
}

static p2p_status
seg_emit(void *instance, p2p_method_context *m, size_t stage)
{
    robust_operator *self = instance;
    const size_t parts = p2pi_mean_parts(m), call = stage / parts, part = stage % parts;
    const p2p_vec at = call == 0 ? m->x : self->h;
    p2p_status st = P2P_OK;

    if (part == 0)
        st = p2p_method_grad(m, 2 * m->round + (uint32_t)call, p2p_view_of(at), self->f);
    return st == P2P_OK ? p2pi_mean_emit(&self->rule, m, part, p2p_view_of(self->f)) : st;
}

static p2p_status
seg_absorb(void *instance, p2p_method_context *m, size_t stage)
{
    robust_operator *self = instance;
    const size_t parts = p2pi_mean_parts(m), call = stage / parts, part = stage % parts;
    p2p_status st = p2pi_mean_absorb(&self->rule, m, part);

    if (st != P2P_OK || part + 1 < parts)
        return st;
    return call == 0 ? step_along(self, m, self->p.step, self->h) : step_along(self, m, self->p.step2, m->x);
}

/* ---- the members */

#define STEP                                                                                                         \
    {                                                                                                                \
        "step", P2P_OPT_REAL, "auto", "(0", NULL, "step size", offsetof(robust_operator_param, step)                 \
    }
#define MOMENTUM(value)                                                                                              \
    {                                                                                                                \
        "momentum", P2P_OPT_REAL, value, "0", "1)", "weight of the operators before",                                \
            offsetof(robust_operator_param, momentum)                                                                \
    }
#define END                                                                                                          \
    {                                                                                                                \
        NULL, P2P_OPT_TEXT, NULL, NULL, NULL, NULL, 0                                                                \
    }
#define ROBUST_OPERATOR(id, name, help, family, most)                                                                \
    const p2p_method_vt p2pi_method_##id = {                                                                         \
        .size = sizeof(p2p_method_vt),                                                                               \
        .entry = { name, help, "arXiv:2311.04611", id##_options, sizeof(robust_operator_param) },                    \
        .traits = P2P_METHOD_RAW | P2P_METHOD_OPERATOR | P2P_METHOD_PROX | P2P_METHOD_AGGREGATE | P2P_METHOD_HUB,    \
        .instance_size = sizeof(robust_operator),                                                                    \
        .stages = most,                                                                                              \
        .start = family##_start,                                                                                     \
        .emit = family##_emit,                                                                                       \
        .absorb = family##_absorb                                                                                    \
    }

static const p2p_option sgda_ra_options[] = { STEP, MOMENTUM("0"), END };
ROBUST_OPERATOR(sgda_ra, "sgda-ra", "games over a hub with liars: descent-ascent along a robust aggregate", sgda, 1);

static const p2p_option m_sgda_ra_options[] = { STEP, MOMENTUM("0.9"), END };
ROBUST_OPERATOR(m_sgda_ra, "m-sgda-ra", "sgda-ra along aggregates of momenta, for minibatches", sgda, 1);

static const p2p_option seg_ra_options[] = { STEP,
                                             { "step2", P2P_OPT_REAL, "auto", "(0", NULL,
                                               "step size from the half point; auto: step",
                                               offsetof(robust_operator_param, step2) },
                                             END };
ROBUST_OPERATOR(seg_ra, "seg-ra", "games over a hub with liars: extragradient along robust aggregates", seg, 2);
