/* --checkpoint, --checkpoint-every and --resume, the same for `p2popt run` and each of its nodes. */
#ifndef SAVING_ARGUMENTS_H
#define SAVING_ARGUMENTS_H

#include "command.h"

enum { OPTION_CHECKPOINT = 600, OPTION_CHECKPOINT_EVERY, OPTION_RESUME };

#define SAVING_OPTIONS                                                                                               \
    { "checkpoint", OPTION_CHECKPOINT, "DIR", "folder for checkpoints" },                                            \
        { "checkpoint-every", OPTION_CHECKPOINT_EVERY, "N", "one every so many rounds; 0: only at the end [1000]" }, \
    {                                                                                                                \
        "resume", OPTION_RESUME, NULL, "begin with the newest round of which every node has a checkpoint"            \
    }

typedef struct {
    const char *folder;
    long long every;
    int resume;
} saving_arguments;

/** Where nothing is asked for. */
#define SAVING_DEFAULT                                                                                               \
    {                                                                                                                \
        NULL, 1000, 0                                                                                                \
    }

/** Whether the letter is one of these options; then its argument is taken. */
int saving_take(const command *self, saving_arguments *arguments, int letter, const char *argument);

/** Behind all options: --resume and --checkpoint-every need --checkpoint. A usage error and exit. */
void saving_check(const command *self, const saving_arguments *arguments);

/** Make the folder, and tell the node. P2P_EIO. */
p2p_status saving_prepare(const saving_arguments *arguments, p2p_node_config *config);

/** The same as arguments of `p2popt node`, from argv[n] on; returns the next n. */
enum { SAVING_WORDS = 5, SAVING_TEXT = 24 };
int saving_words(const saving_arguments *arguments, char **argv, int n, char every[SAVING_TEXT]);

#endif
