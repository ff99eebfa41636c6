/* The header of NumPy's .npy format: what the bytes behind it are. */
#ifndef P2PI_NPY_H
#define P2PI_NPY_H

#include <p2popt/vector.h>
#include <stdio.h>

/** Shape and type of the array that follows the header; rows-major, little-endian. */
typedef struct {
    size_t rows, cols; /* cols is 1 for one axis */
    int axes;          /* 1 or 2 */
    p2p_dtype type;
} p2pi_npy;

/**
 * Read and check the header; stream is left at the first entry, and is known to hold all of them if it is a regular
 * file: no more and no less.
 *
 * @return P2P_OK; P2P_EPARSE (path, what was found, what is allowed); P2P_EIO.
 */
p2p_status p2pi_npy_read(p2pi_npy *out, FILE *stream, const char *path);

/** Write magic and header, padded so that entries start at a multiple of 64 bytes. Errors stay in the stream. */
void p2pi_npy_write(const p2pi_npy *self, FILE *stream);

#endif
