/* All that an engine carries from one round to the next, under names. */
#include "method/engine_state.h"

p2p_status
p2pi_engine_memory(p2pi_engine *self, p2pi_memory_fn *visit, void *user)
{
    p2pi_movement *m = &self->movement;
    const struct {
        const char *name;
        void *data;
        size_t bytes;
    } of_movement[] = {
        { "movement.count", &m->count, sizeof m->count },          { "movement.recent", m->recent, sizeof m->recent },
        { "movement.block", m->block, sizeof m->block },           { "movement.span", &m->span, sizeof m->span },
        { "movement.smallest", &m->smallest, sizeof m->smallest },
    };
    p2p_status st = p2pi_exchange_memory(self->exchange, visit, user);

    for (size_t i = 0; i < sizeof of_movement / sizeof of_movement[0] && st == P2P_OK; i++)
        st = visit(user, of_movement[i].name, of_movement[i].data, of_movement[i].bytes);
    return st;
}
