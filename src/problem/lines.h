/* Lines of a text file, plain or gzip; a file in parts is read as one. */
#ifndef P2PI_LINES_H
#define P2PI_LINES_H

#include <p2popt/status.h>
#include <stddef.h>

typedef struct p2pi_lines p2pi_lines;

/**
 * Open a file; if there is none of that name, its parts: NAME.svm.gz stands for NAME.1of4.svm.gz ...
 * NAME.4of4.svm.gz.
 *
 * @param suffixes the format's, ends with NULL; without one the parts of "NAME" have any of them.
 * @return P2P_OK; P2P_EIO; P2P_ENOMEM.
 */
p2p_status p2pi_lines_open(p2pi_lines **out, const char *path, const char *const *suffixes);
void p2pi_lines_close(p2pi_lines **self);

/** Whether a name without suffix stands for parts with one of these. */
int p2pi_lines_has_parts(const char *path, const char *const *suffixes);

/**
 * The next line without its end (LF or CRLF), NUL-terminated, to be changed at will; *line = NULL behind the last. A
 * byte-order mark at the start of a file is dropped. P2P_EIO (also damaged compression), P2P_EPARSE (a NUL byte).
 */
p2p_status p2pi_lines_next(p2pi_lines *self, char **line);

/** P2P_EPARSE with "FILE:LINE: ..." of the line read last. */
p2p_status p2pi_lines_fail(const p2pi_lines *self, const char *format, ...) P2P_PRINTF(2, 3);

#endif
