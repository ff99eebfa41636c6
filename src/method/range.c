#include "method/range.h"

enum { LOOK = 64 };

p2p_status
p2pi_range_start(p2pi_range *self, p2p_method_context *m)
{
    p2p_status st;

    if ((st = p2p_method_scalar(m, "s", &self->s)) != P2P_OK ||
        (st = p2p_method_scalar(m, "s_round", &self->round)) != P2P_OK)
        return st;
    return p2p_method_scalar(m, "overloads", &self->seen);
}

double
p2pi_range_scale(p2pi_range *self, const p2p_method_context *m, double scale, double decay)
{
    if (self->s == 0)
        self->s = scale > 0 ? scale : 1;
    for (; self->round < m->round; self->round++)
        self->s *= decay;
    return self->s;
}

void
p2pi_range_watch(p2pi_range *self, p2p_method_context *m, double decay)
{
    double entries = LOOK * (double)m->setting->dim, outside;

    if ((m->round + 1) % LOOK != 0)
        return;
    outside = (double)p2p_method_overloads(m) - self->seen;
    self->seen += outside;
    if (outside > entries / 4)
        p2p_method_warn(
            m,
            "method \"%s\": %.0f of %.0f entries of the last %d rounds were outside the quantiser's range: "
            "the estimates cannot follow; raise decay (now %.6g) or scale",
            m->setting->method, outside, entries, LOOK, decay);
}
