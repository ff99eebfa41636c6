/* Frames in files. */
#ifndef FRAME_FILE_H
#define FRAME_FILE_H

#include <p2popt.h>

/** Write the bytes; the file appears whole or not at all. P2P_EIO. */
p2p_status frame_file_write(const char *path, const uint8_t *bytes, size_t len);

/** Read a whole file; *bytes is from malloc. P2P_EIO, P2P_EPARSE (too short or too long for a frame), P2P_ENOMEM. */
p2p_status frame_file_read(const char *path, uint8_t **bytes, size_t *len);

/** What a frame says it holds. P2P_EPARSE if the bytes do not start like a frame. */
p2p_status frame_file_shape(const char *path, const uint8_t *bytes, size_t len, size_t *dim, p2p_dtype *type);

#endif
