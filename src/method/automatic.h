/* Automatic parameters and the checks on given ones, shared by the methods. Every error names the value and its
 * range. */
#ifndef P2PI_AUTOMATIC_H
#define P2PI_AUTOMATIC_H

#include <p2popt/method.h>

/** How a compressor behaves in a feedback loop, which decides how much gossip it bears. */
typedef enum {
    P2PI_EXACT,       /* loses nothing */
    P2PI_GENTLE,      /* unbiased, omega < 1/2 */
    P2PI_HARSH,       /* unbiased, omega >= 1/2: diverges unscaled */
    P2PI_CONTRACTIVE, /* biased, delta known */
    P2PI_ONE_BIT      /* biased, dense, a bit an entry: on real vectors far better than its worst case */
} p2pi_loss;

/** The class of the configured compressor; delta is 1 for an exact one. */
p2p_status p2pi_loss_of(const p2p_method_context *m, p2pi_loss *loss, double *delta);

/** As loss_of, but a harsh compressor is replaced by its scaled form first. */
p2p_status p2pi_loss_tamed(p2p_method_context *m, p2pi_loss *loss, double *delta);

/**
 * An automatic step becomes factor / L; a given one gets a warning from `limit` (in units of 1/L) on, where
 * convergence is not to be expected. P2P_EINVAL: automatic and L unknown.
 */
p2p_status p2pi_auto_step(p2p_method_context *m, double factor, double limit, double *step);

/** min(0.4, 2 delta) / max(1, beta), 0.4 for one-bit compressors: the gossip that biased ones bear. */
double p2pi_biased_gossip(const p2p_method_context *m, p2pi_loss loss, double delta);

/** Gossip of the methods without duals: biased_gossip of the tamed compressor where it is automatic; then its check.
 */
p2p_status p2pi_auto_gossip(p2p_method_context *m, double *gossip);

/** The gap and beta of W must be known for an automatic parameter. P2P_EINVAL. */
p2p_status p2pi_need_figures(const p2p_method_context *m, const char *parameter);

/** gossip in (0, 1/beta]. P2P_EINVAL. */
p2p_status p2pi_check_gossip(const p2p_method_context *m, double gossip);

#endif
