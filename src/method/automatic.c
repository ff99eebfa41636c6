#include "method/automatic.h"

#include <math.h>

p2p_status
p2pi_loss_of(const p2p_method_context *m, p2pi_loss *loss, double *delta)
{
    const p2p_compressor_constants *c = p2p_method_compressor(m);
    double error, real = 8.0 * (double)p2p_dtype_size(m->setting->type);
    p2p_status st;

    *delta = 1;
    *loss = P2PI_EXACT;
    if (c->traits & P2P_LOSSLESS)
        return P2P_OK;
    if (c->traits & P2P_UNBIASED) {
        if ((st = p2p_method_compressor_error((p2p_method_context *)m, &error)) != P2P_OK)
            return st;
        *loss = error < 0.5 ? P2PI_GENTLE : P2PI_HARSH;
        *delta = 1 / (1 + c->omega);
        return P2P_OK;
    }
    *delta = c->delta;
    *loss = P2PI_CONTRACTIVE;
    if (!(c->traits & (P2P_SPARSE | P2P_RANDOM)) && c->bits_nominal <= (double)m->setting->dim + 2 * real)
        *loss = P2PI_ONE_BIT;
    if (!(*delta > 0))
        return p2p_fail(P2P_EINVAL, "gossip=auto: the compressor has no known contraction; give gossip");
    return P2P_OK;
}

p2p_status
p2pi_loss_tamed(p2p_method_context *m, p2pi_loss *loss, double *delta)
{
    p2p_status st = p2pi_loss_of(m, loss, delta);

    if (st != P2P_OK || *loss != P2PI_HARSH)
        return st;
    if ((st = p2p_method_scale_compressor(m)) != P2P_OK)
        return st;
    *loss = P2PI_CONTRACTIVE;
    return P2P_OK;
}

p2p_status
p2pi_auto_step(p2p_method_context *m, double factor, double limit, double *step)
{
    double L = m->setting->smoothness;

    if (p2p_is_auto(*step) && (p2p_problem_flags(m->problem) & P2P_PROBLEM_ZERO))
        *step = factor; /* of no gradient */
    else if (p2p_is_auto(*step)) {
        if (!(L > 0))
            return p2p_fail(P2P_EINVAL,
                            "method \"%s\": step=auto needs the smoothness constant L, which the problem "
                            "does not give; give a step, below %g/L",
                            m->setting->method, limit);
        *step = factor / L;
    } else if (L > 0 && *step * L >= limit)
        p2p_method_warn(m, "method \"%s\": step=%g is not below %g/L = %g: expect divergence", m->setting->method,
                        *step, limit, limit / L);
    m->step = *step;
    return P2P_OK;
}

double
p2pi_biased_gossip(const p2p_method_context *m, p2pi_loss loss, double delta)
{
    return (loss == P2PI_ONE_BIT ? 0.4 : fmin(0.4, 2 * delta)) / fmax(1, m->setting->beta);
}

p2p_status
p2pi_auto_gossip(p2p_method_context *m, double *gossip)
{
    double delta;
    p2pi_loss loss;
    p2p_status st;

    if (p2p_is_auto(*gossip)) {
        if ((st = p2pi_need_figures(m, "gossip")) != P2P_OK || (st = p2pi_loss_tamed(m, &loss, &delta)) != P2P_OK)
            return st;
        *gossip = p2pi_biased_gossip(m, loss, loss == P2PI_GENTLE ? 1 : delta);
    }
    return p2pi_check_gossip(m, *gossip);
}

p2p_status
p2pi_need_figures(const p2p_method_context *m, const char *parameter)
{
    if (m->setting->nodes == 1 || m->setting->gap > 0)
        return P2P_OK;
    return p2p_fail(P2P_EINVAL, "method \"%s\": %s=auto needs the spectral gap of W, which was not measured; give %s",
                    m->setting->method, parameter, parameter);
}

p2p_status
p2pi_check_gossip(const p2p_method_context *m, double gossip)
{
    double beta = m->setting->beta;

    /* 1/beta is a computed figure: a value written as a fraction may miss it by a rounding. */
    if (beta > 0 && gossip * beta > 1 + 1e-9)
        return p2p_fail(P2P_EINVAL,
                        "method \"%s\": gossip=%g: expected a number from 0 (excluded) to 1/beta = %.6g, "
                        "beta the largest eigenvalue of I - W",
                        m->setting->method, gossip, 1 / beta);
    return P2P_OK;
}
