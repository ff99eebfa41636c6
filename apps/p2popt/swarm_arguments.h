/* Every key of a swarm description is an option of the commands that make one: --method, --compressor, ... */
#ifndef SWARM_ARGUMENTS_H
#define SWARM_ARGUMENTS_H

#include "command.h"

/** The command with the keys of p2p_swarm_options() behind its own options. The table is static: one command a process. */
command swarm_arguments_join(const command *own);

/** The key behind a letter of the joined options. */
const char *swarm_arguments_key(int letter);

/** Set that key in the swarm; what does not fit is a usage error and exit. */
void swarm_arguments_take(const command *self, p2p_swarm *swarm, int letter, const char *argument);

#endif
