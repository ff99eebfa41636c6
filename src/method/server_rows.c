/*
 * Rows over plain estimates, error feedback and shifts.
 *
 * Sources: Stich, arXiv:2009.02388 (dqsgd, ef-sgd); Beznosikov et al., arXiv:2002.12410 (dcgd); Mishchenko et al.,
 * arXiv:1901.09269 (diana); Richtarik et al., arXiv:2106.05203 (ef21); Condat et al., arXiv:2205.04180 (ef-bv);
 * Philippenko, Dieuleveut, arXiv:2006.14591 (artemis) and arXiv:2102.12528 (mcm); Liu et al., arXiv:1910.07561
 * (dore).
 */
#include "method/server.h"

#include <math.h>

/* ---- automatic parameters */

static double
choose_gd(p2pi_server_param *p, const p2p_setting *at, const p2p_compressor_constants *c)
{
    (void)p;
    (void)at;
    (void)c;
    return 1;
}

static double
choose_dqsgd(p2pi_server_param *p, const p2p_setting *at, const p2p_compressor_constants *c)
{
    (void)p;
    return 1 / (1 + 2 * p2pi_omega(c) / (double)at->nodes);
}

static double
choose_ef(p2pi_server_param *p, const p2p_setting *at, const p2p_compressor_constants *c)
{
    (void)p;
    (void)at;
    return p2pi_delta(c) / 10;
}

static double
choose_diana(p2pi_server_param *p, const p2p_setting *at, const p2p_compressor_constants *c)
{
    p2pi_if_auto(&p->lam, 1 / (1 + p2pi_omega(c)));
    p2pi_if_auto(&p->nu, 1);
    return 1 / (1 + 6 * p2pi_omega(c) / (double)at->nodes);
}

static double
choose_ef21(p2pi_server_param *p, const p2p_setting *at, const p2p_compressor_constants *c)
{
    const double theta = 1 - sqrt(1 - p2pi_delta(c)), beta = (1 - p2pi_delta(c)) / theta;
    double factor = 1 / (1 + sqrt(2 * beta / theta));

    p2pi_if_auto(&p->lam, 1);
    p2pi_if_auto(&p->nu, 1);
    if (at->convexity > 0)
        factor = fmin(factor, theta * at->smoothness / (2 * at->convexity));
    return factor;
}

/* Bias eta and variance omega of the compressor; the mean of n independent ones has variance omega / n. */
static double
choose_ef_bv(p2pi_server_param *p, const p2p_setting *at, const p2p_compressor_constants *c)
{
    const int unbiased = (c->traits & (P2P_UNBIASED | P2P_LOSSLESS)) != 0;
    const double eta = unbiased ? 0 : sqrt(1 - c->delta), omega = unbiased ? p2pi_omega(c) : 0;
    const double bias = (1 - eta) * (1 - eta), mean = omega / (double)at->nodes;
    double r, r_mean, s;

    p2pi_if_auto(&p->lam, fmin(1, (1 - eta) / (bias + omega)));
    p2pi_if_auto(&p->nu, fmin(1, (1 - eta) / (bias + mean)));
    r = (1 - p->lam + p->lam * eta) * (1 - p->lam + p->lam * eta) + p->lam * p->lam * omega;
    r_mean = (1 - p->nu + p->nu * eta) * (1 - p->nu + p->nu * eta) + p->nu * p->nu * mean;
    if (!(r > 0))
        return 1;
    s = sqrt((1 + r) / (2 * r)) - 1;
    return 1 / (1 + sqrt(r_mean / r) / s);
}

static double
choose_artemis(p2pi_server_param *p, const p2p_setting *at, const p2p_compressor_constants *c)
{
    const double omega = p2pi_omega(c), n = (double)at->nodes;
    const double seen = p->part > 0 ? n / (double)p->part * (1 + omega) - 1 : omega;

    p2pi_if_auto(&p->lam, 1 / (2 * (1 + omega)));
    p->nu = 1;
    return 1 / ((1 + p->omega_down) * (1 + 6 * seen / n));
}

static double
choose_artemis_pp(p2pi_server_param *p, const p2p_setting *at, const p2p_compressor_constants *c)
{
    if (p->part == 0)
        p->part = (int64_t)(at->nodes + 1) / 2;
    return choose_artemis(p, at, c);
}

static double
choose_mcm(p2pi_server_param *p, const p2p_setting *at, const p2p_compressor_constants *c)
{
    const double up = p2pi_omega(c) / (double)at->nodes, down = p->omega_down;

    p2pi_if_auto(&p->lam, 1 / (1 + p2pi_omega(c)));
    p->nu = 1;
    return 1 / (2 * (1 + 6 * up) + 8 * down * sqrt(1 + up) + 8 * pow(down, 1.5));
}

/* The middle of the steps that the paper's theorem allows. Without mu: as if kappa were 100. */
static double
choose_dore(p2pi_server_param *p, const p2p_setting *at, const p2p_compressor_constants *c)
{
    const double omega = p2pi_omega(c), down = p->omega_down, L = 1,
                 mu = at->convexity > 0 ? at->convexity / at->smoothness : 0.01;
    const double k = 4 * omega * (omega + 1) / (double)at->nodes;
    double free, bound, eta;

    p2pi_if_auto(&p->lam, 1 / (2 * (omega + 1)));
    p2pi_if_auto(&p->beta, 1 / (2 * (down + 1)));
    p->nu = 1;
    free = down > 0 ? (sqrt(down * down + 4 * (1 - (down + 1) * p->beta)) - down) / (2 * down) : 1;
    bound = 4 * mu * L / ((mu + L) * (mu + L) * (1 + k * p->lam) - 4 * mu * L);
    eta = fmax(0, fmin(free, 1));
    if (bound > 0)
        eta = fmin(eta, bound);
    p2pi_if_auto(&p->eta, eta);
    return (p->eta * (mu + L) / (2 * (1 + p->eta) * mu * L) + 2 / ((1 + k * p->lam) * (mu + L))) / 2;
}

/* ---- rows */

static const p2p_option plain_options[] = { P2PI_SERVER_STEP, P2PI_SERVER_DOWN_MODE, P2PI_SERVER_END };
static const p2p_option shift_options[] = {
    P2PI_SERVER_STEP,
    { "lam", P2P_OPT_REAL, "auto", "(0", "1", "how far the shifts follow", offsetof(p2pi_server_param, lam) },
    { "nu", P2P_OPT_REAL, "auto", "(0", "1", "weight of the messages in the estimate",
      offsetof(p2pi_server_param, nu) },
    P2PI_SERVER_DOWN_MODE,
    P2PI_SERVER_END
};

P2PI_SERVER_ROW(gd, "gd", "plain, sgd, dense down: gradient descent over a hub", "Cauchy 1847", plain_options,
                P2P_METHOD_RAW | P2P_METHOD_EXACT | P2P_METHOD_PROX | P2P_METHOD_AGGREGATE | P2P_METHOD_HUB,
                &p2pi_plain, &p2pi_link_dense, 0, "", choose_gd, 0);
P2PI_SERVER_ROW(dqsgd, "dqsgd", "plain, sgd, dense down: unbiased compressed gradients; down to a noise floor",
                "arXiv:2009.02388", plain_options, P2P_METHOD_AGGREGATE | P2P_METHOD_HUB, &p2pi_plain,
                &p2pi_link_dense, P2P_UNBIASED, "unbiased; use ef21 or ef-bv", choose_dqsgd, 0);
P2PI_SERVER_ROW(dcgd, "dcgd", "plain, sgd, dense down: gradients under any compressor; may diverge with a biased one",
                "arXiv:2002.12410", plain_options, P2P_METHOD_AGGREGATE | P2P_METHOD_HUB, &p2pi_plain,
                &p2pi_link_dense, 0, "", choose_gd, 0);
P2PI_SERVER_ROW(ef_sgd, "ef-sgd", "ef, sgd, dense down: what a message lost is added to the next", "arXiv:2009.02388",
                plain_options, P2P_METHOD_AGGREGATE | P2P_METHOD_HUB, &p2pi_error_feedback, &p2pi_link_dense,
                P2P_CONTRACTIVE, "contractive; use diana, or scaled() of it", choose_ef, 0);
P2PI_SERVER_ROW(ef_sgd_linear, "ef-sgd-linear",
                "ef, sgd, dense down, under one linear map for all: error feedback on the mean gradient; exact",
                "arXiv:2009.02388", plain_options, P2P_METHOD_EXACT, &p2pi_error_feedback, &p2pi_link_dense,
                P2P_LINEAR, "linear and shared; use randk:shared=1,scale=0, or ef-sgd", choose_ef, 0);
P2PI_SERVER_ROW(diana, "diana", "shift(1/(1+omega),1), sgd, dense down: unbiased gradient differences; exact",
                "arXiv:1901.09269", shift_options, P2P_METHOD_EXACT | P2P_METHOD_PROX, &p2pi_shift, &p2pi_link_dense,
                P2P_UNBIASED, "unbiased; use ef21 or ef-bv", choose_diana, 0);
P2PI_SERVER_ROW(ef21, "ef21", "shift(1,1), sgd, dense down: contractive gradient differences; exact",
                "arXiv:2106.05203", shift_options, P2P_METHOD_EXACT | P2P_METHOD_PROX, &p2pi_shift, &p2pi_link_dense,
                P2P_CONTRACTIVE, "contractive; use diana, or scaled() of it", choose_ef21, 0);
P2PI_SERVER_ROW(ef_bv, "ef-bv", "shift(lam,nu), sgd, dense down: gradient differences by bias and variance; exact",
                "arXiv:2205.04180", shift_options, P2P_METHOD_EXACT | P2P_METHOD_PROX, &p2pi_shift, &p2pi_link_dense,
                P2P_UNBIASED | P2P_CONTRACTIVE, "unbiased or contractive", choose_ef_bv, 0);

#define LAM                                                                                                          \
    {                                                                                                                \
        "lam|alpha", P2P_OPT_REAL, "auto", "0", "1", "how far the shifts follow", offsetof(p2pi_server_param, lam)   \
    }
#define ALPHA_DOWN(value)                                                                                            \
    {                                                                                                                \
        "alpha-down", P2P_OPT_REAL, value, "0", "1", "how far the hub's shift follows",                              \
            offsetof(p2pi_server_param, alpha_down)                                                                  \
    }

static const p2p_option artemis_options[] = { P2PI_SERVER_STEP, LAM, ALPHA_DOWN("0"), P2PI_SERVER_DOWN,
                                              P2PI_SERVER_END };
static const p2p_option artemis_pp_options[] = {
    P2PI_SERVER_STEP,
    LAM,
    ALPHA_DOWN("0"),
    { "part", P2P_OPT_INT, "0", "0", NULL, "workers of a round; 0: half of them", offsetof(p2pi_server_param, part) },
    { "pp", P2P_OPT_INT, "2", "1", "2", "1: with the shifts of those present; 2: of all",
      offsetof(p2pi_server_param, pp) },
    P2PI_SERVER_DOWN,
    P2PI_SERVER_END
};
static const p2p_option mcm_options[] = { P2PI_SERVER_STEP, LAM, ALPHA_DOWN("auto"), P2PI_SERVER_DOWN,
                                          P2PI_SERVER_END };
static const p2p_option dore_options[] = {
    P2PI_SERVER_STEP,
    LAM,
    { "beta", P2P_OPT_REAL, "auto", "(0", "1", "how far models follow what comes down",
      offsetof(p2pi_server_param, beta) },
    { "eta", P2P_OPT_REAL, "auto", "0", "1", "weight of what the link down has lost",
      offsetof(p2pi_server_param, eta) },
    P2PI_SERVER_DOWN,
    P2PI_SERVER_END
};

#define BOTH_WAYS P2P_UNBIASED, "unbiased; use ef21-bc"

P2PI_SERVER_ROW(artemis, "artemis",
                "shift(alpha,1), sgd, the estimate's difference down: compressed both ways; exact",
                "arXiv:2006.14591", artemis_options, P2P_METHOD_EXACT, &p2pi_shift, &p2pi_link_artemis, BOTH_WAYS,
                choose_artemis, 0);
P2PI_SERVER_ROW(artemis_pp, "artemis-pp", "artemis with some workers a round", "arXiv:2006.14591", artemis_pp_options,
                P2P_METHOD_EXACT, &p2pi_shift, &p2pi_link_artemis, BOTH_WAYS, choose_artemis_pp, 0);
P2PI_SERVER_ROW(mcm, "mcm", "shift(alpha,1), sgd, the model's difference down: the hub's model is exact",
                "arXiv:2102.12528", mcm_options, P2P_METHOD_EXACT, &p2pi_shift, &p2pi_link_mcm, BOTH_WAYS, choose_mcm,
                0);
P2PI_SERVER_ROW(dore, "dore", "shift(alpha,1), sgd, the step under error feedback down; exact", "arXiv:1910.07561",
                dore_options, P2P_METHOD_EXACT, &p2pi_shift, &p2pi_link_dore, BOTH_WAYS, choose_dore, 0);
