/* Names of the levels of p2p_log_fn. */
#ifndef LOG_LEVEL_H
#define LOG_LEVEL_H

#include "command.h"

/** The level of --log-level's argument, else a usage error and exit. */
int log_level_of(const command *self, const char *text);
const char *log_level_name(int level);

#endif
