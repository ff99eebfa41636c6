/* Cases of several nodes that reduce what they send, in swarm.json. */
#ifndef GOLDEN_COLLECTIVE_H
#define GOLDEN_COLLECTIVE_H

#include "golden.h"

/** Whether the case of this name is one; then it is run and reported. inputs: [round][node]. */
int golden_collective(const char *key, const json_t *rounds, const json_t *inputs, const json_t *file);

#endif
