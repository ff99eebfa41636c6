/* Arrays in NumPy's .npy format. */
#ifndef P2POPT_ARRAY_H
#define P2POPT_ARRAY_H

#include <p2popt/status.h>
#include <p2popt/vector.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A dense array, row-major, of one or two axes. cols is 1 for one axis. */
typedef struct {
    void *data; /* rows * cols entries, from malloc */
    size_t rows, cols;
    int axes; /* 1 or 2 */
    p2p_dtype type;
} p2p_array;

/**
 * Read a .npy file: versions 1 to 3, little-endian f4 or f8, C order, one or two axes.
 *
 * @return P2P_OK and *out, to be given to p2p_array_clear; P2P_EIO, P2P_EPARSE (what was found, what is allowed),
 *         P2P_ENOMEM.
 */
P2P_API p2p_status p2p_array_read(p2p_array *out, const char *path);

/** Write one vector (axes 1) or matrix; the file appears whole or not at all. P2P_EIO. */
P2P_API p2p_status p2p_array_write(const p2p_array *array, const char *path);

P2P_API void p2p_array_clear(p2p_array *self);

#ifdef __cplusplus
}
#endif
#endif
