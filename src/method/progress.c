#include "method/progress.h"

#include <math.h>

enum { WINDOW = P2PI_PROGRESS_WINDOW, HALF = WINDOW / 2, QUARTER = WINDOW / 4, LONG_VECTOR = 4096 };

void
p2pi_progress_start(p2pi_progress *self, p2p_vec before, double scale, int exact)
{
    *self = (p2pi_progress){ .before = before, .scale = scale, .smallest = INFINITY };
    self->every = before.dim <= LONG_VECTOR ? 1 : exact ? 4 : 16;
}

void
p2pi_progress_begin(p2pi_progress *self, uint32_t round, p2p_view x)
{
    self->looking = round % self->every == 0;
    if (self->looking)
        p2p_vec_copy(self->before, x);
}

p2p_status
p2pi_progress_end(p2pi_progress *self, p2p_view x)
{
    double m;

    if (!self->looking)
        return P2P_OK;
    m = p2p_vec_distance(x, p2p_view_of(self->before));
    self->movement[self->count++ % WINDOW] = m;
    if (m > 0 && m < self->smallest)
        self->smallest = m;
    if (!isfinite(m))
        return p2p_fail(P2P_EDIVERGED, "the iterate is not finite");
    if (self->scale > 0 && m > 1e6 * fmax(self->smallest, 1e-3 * self->scale))
        return p2p_fail(P2P_EDIVERGED, "the iterate moves by %.3g a round, after %.3g at the least", m,
                        self->smallest);
    return P2P_OK;
}

/* Largest movement among count of them, the last of which was seen ago looks before the latest. */
static double
largest(const p2pi_progress *self, size_t ago, size_t count)
{
    double m = 0;

    for (size_t i = 0; i < count; i++)
        m = fmax(m, self->movement[(self->count - 1 - ago - i) % WINDOW]);
    return m;
}

double
p2pi_progress_residual(const p2pi_progress *self, double step)
{
    double first, second, m, rho, distance;

    if (self->count < WINDOW)
        return NAN;
    first = largest(self, HALF, HALF);
    second = largest(self, 0, HALF);
    m = largest(self, 0, QUARTER);
    rho = first > 0 ? pow(second / first, 1.0 / ((double)HALF * self->every)) : 0;
    distance = m / (1 - fmin(rho, 1 - 1e-4));
    return step > 0 ? 0.5 * (m / step) * distance : distance * distance;
}
