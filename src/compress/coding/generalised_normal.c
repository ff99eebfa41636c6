#include "compress/coding/generalised_normal.h"

#include <math.h>

enum { SHAPE_MOST = 127, HALVINGS = 60, TERMS = 500 };

static const double least_beta = 0.2, most_beta = 8;

/* mean(x^2) / mean(|x|)^2, decreasing in beta. */
static double
moment_ratio(double beta)
{
    return exp(lgamma(1 / beta) + lgamma(3 / beta) - 2 * lgamma(2 / beta));
}

static double
alpha_of(double beta, double mean)
{
    return mean * exp(lgamma(1 / beta) - lgamma(2 / beta));
}

static double
beta_of(double ratio)
{
    double low = least_beta, high = most_beta, beta = low;

    if (ratio >= moment_ratio(low))
        return low;
    if (ratio <= moment_ratio(high))
        return high;
    for (unsigned i = 0; i < HALVINGS; i++) {
        beta = 0.5 * (low + high);
        if (moment_ratio(beta) > ratio)
            low = beta;
        else
            high = beta;
    }
    return beta;
}

p2pi_gennorm
p2pi_gennorm_fit(double mean, double mean_square)
{
    p2pi_gennorm law = { 2, 0 };

    if (!(mean > 0))
        return law;
    law.beta = beta_of(mean_square / (mean * mean));
    law.alpha = alpha_of(law.beta, mean);
    return law;
}

static double
nearest(double v, double least, double most)
{
    return fmin(most, fmax(least, floor(v + 0.5)));
}

p2pi_gennorm_wire
p2pi_gennorm_round(p2pi_gennorm law)
{
    const double shape = SHAPE_MOST * log(law.beta / least_beta) / log(most_beta / least_beta);
    const double scale = law.alpha > 0 ? 16 * log2(law.alpha) : INT8_MIN;

    return (p2pi_gennorm_wire){ (uint8_t)nearest(shape, 0, SHAPE_MOST), (int8_t)nearest(scale, INT8_MIN, INT8_MAX) };
}

p2pi_gennorm
p2pi_gennorm_of(p2pi_gennorm_wire wire)
{
    p2pi_gennorm law = { 1, exp2(wire.scale / 16.0) };

    if (wire.shape == P2PI_GENNORM_NORMAL)
        law.beta = 2;
    else if (wire.shape != P2PI_GENNORM_LAPLACE)
        law.beta = least_beta * pow(most_beta / least_beta, wire.shape / (double)SHAPE_MOST);
    return law;
}

/* ---- the regularised lower incomplete gamma function */

static double
by_series(double a, double x)
{
    double term = 1 / a, sum = term;

    for (unsigned n = 1; n < TERMS && term > sum * 0x1p-60; n++) {
        term *= x / (a + n);
        sum += term;
    }
    return sum;
}

/* Lentz's continued fraction of the upper function. */
static double
by_fraction(double a, double x)
{
    double b = x + 1 - a, c = 1e300, d = 1 / b, product = d;

    for (unsigned n = 1; n < TERMS; n++) {
        const double an = n * (a - n);
        double change;

        b += 2;
        d = 1 / (an * d + b);
        c = b + an / c;
        change = c * d;
        product *= change;
        if (fabs(change - 1) < 0x1p-52)
            break;
    }
    return product;
}

static double
lower_gamma(double a, double x)
{
    const double factor = x > 0 ? exp(a * log(x) - x - lgamma(a)) : 0;

    if (!(factor > 0))
        return x > a;
    return x < a + 1 ? factor * by_series(a, x) : 1 - factor * by_fraction(a, x);
}

/* ---- counts */

/* Pr[|x| <= edge]. */
static double
within(p2pi_gennorm law, double edge)
{
    return lower_gamma(1 / law.beta, pow(edge / law.alpha, law.beta));
}

void
p2pi_gennorm_counts(p2pi_gennorm law, unsigned largest, uint32_t *count)
{
    double before = 0;

    for (unsigned c = 0; c <= largest; c++) {
        const double up_to = c < largest ? within(law, c + 0.5) : 1;
        const double share = (up_to - before) * (c == 0 ? 1 : 0.5);
        const uint32_t times = (uint32_t)fmax(1, floor(share * 0x1p24 + 0.5));

        count[largest + c] = count[largest - c] = times;
        before = up_to;
    }
}
