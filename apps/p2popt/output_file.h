/* A text file that appears whole or not at all: written as NAME.part beside its place, renamed at the end. */
#ifndef OUTPUT_FILE_H
#define OUTPUT_FILE_H

#include <p2popt.h>
#include <stdio.h>

typedef struct {
    FILE *stream; /* NULL: not open */
    char path[4096], part[4104];
} output_file;

/** Make the folder if it does not exist. P2P_EIO. */
p2p_status output_folder(const char *folder);

/** Start FOLDER/NAME. P2P_EIO. */
p2p_status output_begin(output_file *self, const char *folder, const char *name);
/** Flush, fsync, rename. On an error nothing is left behind. P2P_EIO. */
p2p_status output_commit(output_file *self);
/** Remove what was begun and not committed. */
void output_abandon(output_file *self);

#endif
