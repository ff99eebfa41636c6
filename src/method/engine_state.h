/* Inside the method room: the parts of an engine. */
#ifndef P2PI_ENGINE_STATE_H
#define P2PI_ENGINE_STATE_H

#include "base/arena.h"
#include "exchange/exchange.h"
#include "method/engine.h"
#include "method/movement.h"

enum { ENGINE_TEXT_MAX = 640, ENGINE_WARNING_MAX = 256 };

struct p2pi_engine {
    p2pi_arena *arena;
    p2p_exchange *exchange;
    const p2p_method_vt *method;
    void *instance;
    p2p_setting setting;
    p2p_method_context context;
    p2p_problem *problem;
    uint64_t seed;
    p2p_batch batch;
    size_t *samples; /* batch.size indices */

    p2p_vec theirs; /* asynchronous methods: what a neighbour has sent, then d */
    p2pi_movement movement;
    size_t stages; /* of a round */
    p2pi_outgoing outgoing[P2PI_SLOTS_MAX];
    char *method_spec, *compressor_spec; /* as configured */
    char parameters[ENGINE_TEXT_MAX];
    char warning[ENGINE_WARNING_MAX], taken[ENGINE_WARNING_MAX];
};

static inline p2pi_engine *
engine_of(const p2p_method_context *m)
{
    return m->engine;
}

#endif
