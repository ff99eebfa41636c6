/*
 * Codes of quantised entries under a generalised normal law, so that a code is known from two parameters:
 *
 *     f(x) = beta/(2 alpha Gamma(1/beta)) exp(-(|x|/alpha)^beta)      beta = 2 normal, 1 Laplace
 *
 * Chen, Hernandez, Huang, Rini, arXiv:2111.07599.
 */
#ifndef P2PI_GENERALISED_NORMAL_H
#define P2PI_GENERALISED_NORMAL_H

#include <stddef.h>
#include <stdint.h>

typedef struct {
    double beta, alpha; /* alpha in units of the quantiser's step */
} p2pi_gennorm;

/** The law of these moments of |x|, beta within 0.2 .. 8; alpha = 0 if the mean is 0. */
p2pi_gennorm p2pi_gennorm_fit(double mean, double mean_square);

/** A law as it travels: beta = 0.2 * 40^(shape/127), or 1, or 2; alpha = 2^(scale/16). */
enum { P2PI_GENNORM_LAPLACE = 128, P2PI_GENNORM_NORMAL = 129, P2PI_GENNORM_SHAPES = 130 };
typedef struct {
    uint8_t shape;
    int8_t scale;
} p2pi_gennorm_wire;

/** The nearest law that travels; and what it stands for. */
p2pi_gennorm_wire p2pi_gennorm_round(p2pi_gennorm law);
p2pi_gennorm p2pi_gennorm_of(p2pi_gennorm_wire wire);

/** How often, of 2^24, the codes -largest .. largest occur; at least once each. The outer ones take the tails. */
void p2pi_gennorm_counts(p2pi_gennorm law, unsigned largest, uint32_t *count);

#endif
