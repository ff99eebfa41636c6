/* A data file as a sequence of rows, whatever its format. */
#ifndef P2PI_RECORDS_H
#define P2PI_RECORDS_H

#include "base/spec.h"

#include <p2popt/status.h>
#include <stddef.h>
#include <stdint.h>

/** One row; its arrays belong to the source and are valid until the next call. */
typedef struct {
    double label;
    size_t count;            /* entries */
    const uint32_t *columns; /* ascending from 0; NULL: 0 .. count - 1 */
    const double *values;
} p2pi_record;

typedef struct p2pi_source p2pi_source;

/** A format: how files of it are opened and read. */
typedef struct {
    p2p_entry entry;          /* name and options */
    const char *const *suffixes; /* of file names, with the dot; ends with NULL */
    /** Open at the first row. param is parsed. P2P_EIO, P2P_EPARSE, P2P_ENOMEM. */
    p2p_status (*open)(p2pi_source **out, const char *path, const void *param);
    /** The next row; *more = 0 behind the last. Errors name file and line (or row). */
    p2p_status (*next)(p2pi_source *self, p2pi_record *row, int *more);
    void (*close)(p2pi_source *self);
} p2pi_format;

extern const p2pi_format p2pi_format_libsvm, p2pi_format_csv, p2pi_format_npy;

#endif
