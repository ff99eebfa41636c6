#include "log_level.h"

#include <stdlib.h>
#include <string.h>

static const char *const names[] = { "error", "warning", "notice", "debug" };

int
log_level_of(const command *self, const char *text)
{
    for (int level = 0; level < 4; level++)
        if (strcmp(text, names[level]) == 0)
            return level;
    exit(command_usage_error(self, "--log-level %s: expected error, warning, notice or debug", text));
}

const char *
log_level_name(int level)
{
    return names[level < 0 || level > 3 ? 3 : level];
}
