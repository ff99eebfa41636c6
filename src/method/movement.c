#include "method/movement.h"

#include <math.h>
#include <string.h>

enum { RECENT = P2PI_MOVEMENT_RECENT, BLOCKS = P2PI_MOVEMENT_BLOCKS, LONG_VECTOR = 4096 };

void
p2pi_movement_start(p2pi_movement *self, p2p_vec before, double scale, int exact)
{
    *self = (p2pi_movement){ .before = before, .scale = scale, .smallest = INFINITY, .span = 1 };
    self->every = before.dim <= LONG_VECTOR ? 1 : exact ? 4 : 16;
}

void
p2pi_movement_restart(p2pi_movement *self)
{
    self->count = 0;
    self->span = 1;
    memset(self->recent, 0, sizeof self->recent);
    memset(self->block, 0, sizeof self->block);
}

void
p2pi_movement_begin(p2pi_movement *self, uint32_t round, p2p_view x)
{
    self->looking = round % self->every == 0;
    if (self->looking)
        p2p_vec_copy(self->before, x);
}

static double
largest_recent(const p2pi_movement *self)
{
    double m = 0;

    for (size_t i = 0; i < RECENT; i++)
        m = fmax(m, self->recent[i]);
    return m;
}

/* When all blocks are full, two make one. */
static void
remember(p2pi_movement *self, double m)
{
    if (self->count == BLOCKS * self->span) {
        for (size_t i = 0; i < BLOCKS / 2; i++)
            self->block[i] = self->block[2 * i] + self->block[2 * i + 1];
        memset(self->block + BLOCKS / 2, 0, BLOCKS / 2 * sizeof *self->block);
        self->span *= 2;
    }
    self->recent[self->count % RECENT] = m;
    self->block[self->count / self->span] += log(fmax(largest_recent(self), 1e-300));
    self->count++;
}

p2p_status
p2pi_movement_end(p2pi_movement *self, p2p_view x)
{
    double m;

    if (!self->looking)
        return P2P_OK;
    m = p2p_vec_distance(x, p2p_view_of(self->before));
    if (!isfinite(m))
        return p2p_fail(P2P_EDIVERGED, "the iterate is not finite");
    remember(self, m);
    if (m > 0 && m < self->smallest)
        self->smallest = m;
    if (self->scale > 0 && m > 1e6 * fmax(self->smallest, 1e-3 * self->scale))
        return p2p_fail(P2P_EDIVERGED, "the iterate moves by %.3g a round, after %.3g at the least", m,
                        self->smallest);
    return P2P_OK;
}

/* Least-squares slope of log m, a round, over the latter half of the full blocks. */
static double
slope(const p2pi_movement *self)
{
    size_t full = self->count / self->span, first = full / 2;
    double centre = (double)(first + full - 1) / 2, cross = 0, square = 0;

    for (size_t i = first; i < full; i++) {
        cross += ((double)i - centre) * self->block[i];
        square += ((double)i - centre) * ((double)i - centre);
    }
    /* A block holds the sum of span logarithms, and the next one is span looks away. */
    return cross / square / (double)self->span / ((double)self->span * self->every);
}

double
p2pi_movement_distance(const p2pi_movement *self)
{
    if (self->count < BLOCKS)
        return NAN;
    return largest_recent(self) / fmax(1e-6, -expm1(slope(self)));
}

double
p2pi_movement_residual(const p2pi_movement *self, double step)
{
    double m = largest_recent(self), distance = p2pi_movement_distance(self);

    return step > 0 ? m / step * distance : distance * distance;
}
