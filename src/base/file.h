/* Files that appear whole or not at all, and files read whole. */
#ifndef P2PI_FILE_H
#define P2PI_FILE_H

#include <p2popt/status.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

/** A file being written under a temporary name beside its own; what is no file (a device, a pipe), in place. */
typedef struct {
    FILE *stream;
    char path[4096];      /* with symbolic links followed, so that these stay */
    char temporary[4104]; /* "": written in place */
} p2pi_new_file;

/** Start writing; mode is the permission bits of the file (0644, 0600). P2P_EIO. */
p2p_status p2pi_file_begin(p2pi_new_file *out, const char *path, mode_t mode);
/** Flush, fsync, rename into place, fsync the folder. On any error nothing is left behind. P2P_EIO. */
p2p_status p2pi_file_commit(p2pi_new_file *file);
/** Remove the temporary file. Safe after commit. */
void p2pi_file_abandon(p2pi_new_file *file);

/** Read a whole file of at most limit bytes; *out is from malloc, with a NUL behind it. P2P_EIO, P2P_ENOMEM. */
p2p_status p2pi_file_read(const char *path, size_t limit, uint8_t **out, size_t *len);

#endif
