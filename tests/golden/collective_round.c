#include "collective_round.h"

#include <stdlib.h>
#include <string.h>

enum { SPARE = 64 };

static p2p_env
env_of(p2p_env env, size_t node)
{
    env.node = (uint32_t)node;
    return env;
}

static void
reduce(const p2pi_stage *stage, p2p_dtype type, uint8_t *const *bytes, size_t nodes, uint32_t round)
{
    if (stage->reduction == P2PI_REDUCE_BCAST) {
        memmove(bytes[0], bytes[round % nodes], stage->bytes);
        return;
    }
    for (size_t j = 1; j < nodes; j++)
        p2pi_stage_reduce(stage, type, 0, stage->count, bytes[0], bytes[j]);
}

static p2p_status
run_stage(p2p_compressor *const *c, size_t nodes, size_t at, const p2pi_stage *stage, const p2p_view *x, p2p_env env,
          uint8_t *const *bytes, collective_look *look, void *user)
{
    p2p_status st = P2P_OK;

    for (size_t j = 0; j < nodes && st == P2P_OK; j++) {
        p2p_env own = env_of(env, j);
        const p2pi_stage *stages;

        p2pi_collective_stages(c[j], &own, &stages);
        st = p2pi_collective_emit(c[j], at, x[j], &own, bytes[j]);
        if (st == P2P_OK && look != NULL)
            look(user, j, at, stage, bytes[j]);
    }
    if (st != P2P_OK)
        return st;
    reduce(stage, x[0].type, bytes, nodes, env.round);
    for (size_t j = 0; j < nodes && st == P2P_OK; j++) {
        p2p_env own = env_of(env, j);

        st = p2pi_collective_absorb(c[j], at, &own, bytes[0]);
    }
    return st;
}

p2p_status
collective_round(p2p_compressor *const *c, size_t nodes, const p2p_view *x, p2p_env env, const p2p_vec *y,
                 const p2p_vec *rest, collective_look *look, void *user)
{
    p2p_env own = env_of(env, 0);
    const p2pi_stage *stages;
    size_t count = p2pi_collective_stages(c[0], &own, &stages);
    uint8_t **bytes = calloc(nodes * (count + 1), sizeof *bytes);
    p2p_status st = bytes != NULL ? P2P_OK : P2P_ENOMEM;

    /* Each stage has buffers of its own: absorbed ones stay as they are until finish. */
    for (size_t i = 0; i < nodes * count && st == P2P_OK; i++)
        if ((bytes[i] = malloc(stages[i / nodes].bytes + SPARE)) == NULL)
            st = P2P_ENOMEM;
    for (size_t s = 0; s < count && st == P2P_OK; s++)
        st = run_stage(c, nodes, s, &stages[s], x, env, bytes + s * nodes, look, user);
    for (size_t j = 0; j < nodes && st == P2P_OK; j++) {
        own = env_of(env, j);
        st = p2pi_collective_finish(c[j], &own, y[j], rest != NULL ? rest[j] : (p2p_vec){ NULL, 0, x[0].type });
    }
    for (size_t i = 0; i < nodes * count && bytes != NULL; i++)
        free(bytes[i]);
    free(bytes);
    return st;
}
