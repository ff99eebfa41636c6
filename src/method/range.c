#include "method/range.h"

#include <float.h>
#include <math.h>

enum { LOOK = 64 };

p2p_status
p2pi_range_start(p2pi_range *self, p2p_method_context *m, size_t slot)
{
    p2p_status st;

    self->slot = slot;
    if ((st = p2p_method_scalar(m, "s", &self->s)) != P2P_OK ||
        (st = p2p_method_scalar(m, "s_round", &self->round)) != P2P_OK ||
        (st = p2p_method_scalar(m, "overloads", &self->seen)) != P2P_OK)
        return st;
    return p2p_method_scalar(m, "doublings", &self->doublings);
}

double
p2pi_range_scale(p2pi_range *self, p2p_method_context *m, double scale, double decay)
{
    const double first = scale > 0 ? scale : 1;
    const double smallest = first * (m->setting->type == P2P_F64 ? DBL_EPSILON : (double)FLT_EPSILON) / (1 - decay);

    if (self->s == 0)
        self->s = first;
    for (; self->round < m->round; self->round++)
        if ((self->s *= decay) < smallest) {
            self->s *= 2;
            self->doublings = fmax(0, self->doublings - 1);
        }
    p2p_method_widen(m, self->slot, (unsigned)self->doublings);
    return self->s;
}

/* Entries outside since the last look. */
static double
look(p2pi_range *self, const p2p_method_context *m)
{
    double outside = (double)p2p_method_overloads(m) - self->seen;

    self->seen += outside;
    return outside;
}

/* One entry that lags behind keeps its dual growing: the range grows until all follow. */
static void
follow(p2pi_range *self, p2p_method_context *m)
{
    double outside = look(self, m);

    if (outside > 0)
        self->doublings = fmin(P2P_DOUBLINGS_MAX, self->doublings + 1);
    if (outside > (double)m->setting->dim / 4)
        p2p_method_restless(m);
}

void
p2pi_range_watch(p2pi_range *self, p2p_method_context *m, double decay)
{
    const double entries = LOOK * (double)m->setting->dim;
    double outside;

    if (p2p_method_changes(m) > 0) {
        follow(self, m);
        return;
    }
    if ((m->round + 1) % LOOK != 0 || (outside = look(self, m)) <= entries / 4)
        return;
    p2p_method_restless(m);
    p2p_method_warn(m,
                    "method \"%s\": %.0f of %.0f entries of the last %d rounds were outside the quantiser's range: "
                    "the estimates cannot follow; raise decay (now %.6g) or scale",
                    m->setting->method, outside, entries, LOOK, decay);
}
