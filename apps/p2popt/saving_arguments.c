#include "saving_arguments.h"

#include "output_file.h"

#include <stdio.h>
#include <stdlib.h>

enum { USUAL = 1000 };

int
saving_take(const command *self, saving_arguments *arguments, int letter, const char *argument)
{
    switch (letter) {
    case OPTION_CHECKPOINT:
        arguments->folder = argument;
        return 1;
    case OPTION_CHECKPOINT_EVERY:
        arguments->every = command_integer(self, "checkpoint-every", argument, 0, UINT32_MAX);
        return 1;
    case OPTION_RESUME:
        arguments->resume = 1;
        return 1;
    default:
        return 0;
    }
}

void
saving_check(const command *self, const saving_arguments *arguments)
{
    if (arguments->folder == NULL && (arguments->resume || arguments->every != USUAL))
        exit(command_usage_error(self, "--%s: needs --checkpoint DIR",
                                 arguments->resume ? "resume" : "checkpoint-every"));
}

p2p_status
saving_prepare(const saving_arguments *arguments, p2p_node_config *config)
{
    config->checkpoint = arguments->folder;
    config->checkpoint_every = (uint32_t)arguments->every;
    config->resume = arguments->resume;
    return arguments->folder != NULL ? output_folder(arguments->folder) : P2P_OK;
}

int
saving_words(const saving_arguments *arguments, char **argv, int n, char every[SAVING_TEXT])
{
    if (arguments->folder == NULL)
        return n;
    snprintf(every, SAVING_TEXT, "%lld", arguments->every);
    argv[n++] = "--checkpoint";
    argv[n++] = (char *)arguments->folder;
    argv[n++] = "--checkpoint-every";
    argv[n++] = every;
    if (arguments->resume)
        argv[n++] = "--resume";
    return n;
}
