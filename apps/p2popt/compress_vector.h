/* The vector that `p2popt compress` works on: from a file, or generated. */
#ifndef COMPRESS_VECTOR_H
#define COMPRESS_VECTOR_H

#include <p2popt.h>

/** Where the vector comes from; type P2P_F32 or P2P_F64, or -1 for that of the file (f64 if it is generated). */
typedef struct {
    const char *path;     /* a .npy file; NULL: generated */
    const char *generate; /* gauss, heavy, sparse or equal */
    size_t dim;
    uint64_t seed;
    int type;
} compress_source;

/** The words for `generate`, NULL behind the last. */
extern const char *const compress_vector_kinds[];

/** Read or make it; *out is for p2p_array_clear. P2P_EIO, P2P_EPARSE, P2P_EINVAL (a matrix), P2P_ENOMEM. */
p2p_status compress_vector(p2p_array *out, const compress_source *source);

/** The same entries as a view. */
p2p_view compress_view(const p2p_array *vector);

#endif
