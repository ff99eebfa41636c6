/* Whole arrays in .npy files. Host order is little-endian (configure checks it), so entries are copied as they are.
 */
#include <p2popt/array.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/npy.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static p2p_status
read_stream(p2p_array *out, FILE *stream, const char *path)
{
    size_t count, size;
    p2pi_npy npy;
    p2p_status st;

    if ((st = p2pi_npy_read(&npy, stream, path)) != P2P_OK)
        return st;
    count = npy.rows * npy.cols;
    size = p2p_dtype_size(npy.type);
    if ((out->data = malloc(count * size)) == NULL)
        return p2pi_fail_memory(path, count * size);
    if (fread(out->data, size, count, stream) != count) {
        p2p_array_clear(out);
        return ferror(stream) ? p2p_fail(P2P_EIO, "%s: cannot be read: %s", path, strerror(errno))
                              : p2p_fail(P2P_EPARSE, "%s: the file ends before its last entry", path);
    }
    out->rows = npy.rows;
    out->cols = npy.cols;
    out->axes = npy.axes;
    out->type = npy.type;
    return P2P_OK;
}

p2p_status
p2p_array_read(p2p_array *out, const char *path)
{
    FILE *stream = fopen(path, "rb");
    p2p_status st;

    memset(out, 0, sizeof *out);
    if (stream == NULL)
        return p2p_fail(P2P_EIO, "%s: cannot be read: %s", path, strerror(errno));
    st = read_stream(out, stream, path);
    fclose(stream);
    return st;
}

p2p_status
p2p_array_write(const p2p_array *array, const char *path)
{
    p2pi_npy npy = { array->rows, array->cols, array->axes, array->type };
    p2pi_new_file file;
    p2p_status st;

    if ((st = p2pi_file_begin(&file, path, 0644)) != P2P_OK)
        return st;
    p2pi_npy_write(&npy, file.stream);
    fwrite(array->data, p2p_dtype_size(array->type), array->rows * array->cols, file.stream);
    return p2pi_file_commit(&file);
}

void
p2p_array_clear(p2p_array *self)
{
    free(self->data);
    memset(self, 0, sizeof *self);
}
