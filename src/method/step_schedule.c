#include "method/step_schedule.h"

#include <math.h>

enum { CONST, STEP, COSINE, INV, SQRT, POLY };

static double
shape(const p2pi_schedule *self, double lr, double t)
{
    const double s = fmin(t, (double)self->total) / (double)self->total;

    switch (self->kind) {
    case STEP:
        return lr * pow(self->factor, floor(t / (double)self->every));
    case COSINE:
        return self->least + (lr - self->least) / 2 * (1 + cos(acos(-1) * s));
    case INV:
        return lr / (1 + self->decay * t);
    case SQRT:
        return lr / sqrt(1 + self->decay * t);
    case POLY:
        return self->least + (lr - self->least) * pow(1 - s, self->power);
    default:
        return lr;
    }
}

double
p2pi_schedule_at(const p2pi_schedule *self, double lr, uint32_t round)
{
    const double warm = self->warmup > 0 ? fmin(1, (round + 1.0) / (double)self->warmup) : 1;

    return warm * shape(self, lr, round);
}
