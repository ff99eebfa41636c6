#include "node/stop.h"

#include "wire/header.h"

void
p2pi_stop_start(p2pi_stop *self)
{
    self->calm = 0;
    self->stop = P2PI_NEVER;
    self->asked = 0;
    self->least = UINT32_MAX;
}

void
p2pi_stop_hear(p2pi_stop *self, uint32_t stop, int asked)
{
    if (stop > self->stop || (stop == self->stop && !self->asked))
        return;
    self->stop = stop;
    self->asked = asked;
}

void
p2pi_stop_fold(p2pi_stop *self, uint32_t calm, uint32_t stop, int asked)
{
    if (calm < self->least)
        self->least = calm;
    if (stop != P2PI_NEVER)
        p2pi_stop_hear(self, stop, asked);
}

/* completed + reach, short of P2PI_NEVER. */
static uint32_t
ahead(uint32_t completed, uint32_t reach)
{
    return reach < P2PI_NEVER - 1 - completed ? completed + reach : P2PI_NEVER - 1;
}

void
p2pi_stop_close(p2pi_stop *self, uint32_t completed, int calm, int asked, uint32_t reach)
{
    uint32_t least = self->least < self->calm ? self->least : self->calm;

    self->least = UINT32_MAX;
    self->calm = !calm ? 0 : least < UINT32_MAX ? least + 1 : least;
    if (self->calm > reach)
        p2pi_stop_hear(self, ahead(completed, reach), 0);
    if (asked)
        p2pi_stop_hear(self, ahead(completed, reach), 1);
}
