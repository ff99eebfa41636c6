/* The rows of a two-axis .npy array; one column holds the labels. */
#include "problem/records.h"

#include "base/fail.h"
#include "base/npy.h"
#include "problem/table_param.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct p2pi_source {
    p2pi_table_param param;
    FILE *stream;
    char *path;
    p2pi_npy npy;
    size_t row;
    double *numbers; /* one row */
    float *singles;  /* the same as stored, for f4 */
};

static const char *const suffixes[] = { ".npy", NULL };

static void
npy_close(p2pi_source *self)
{
    if (self->stream != NULL)
        fclose(self->stream);
    free(self->path);
    free(self->numbers);
    free(self->singles);
    free(self);
}

static p2p_status
start(p2pi_source *self, const char *path)
{
    p2p_status st;

    if ((self->stream = fopen(path, "rb")) == NULL)
        return p2p_fail(P2P_EIO, "%s: cannot be read: %s", path, strerror(errno));
    if ((st = p2pi_npy_read(&self->npy, self->stream, path)) != P2P_OK)
        return st;
    if (self->npy.axes != 2 || self->npy.cols < 2)
        return p2p_fail(P2P_EPARSE,
                        "%s: %zu rows, %zu columns: expected two axes, a label and at least one feature a row", path,
                        self->npy.rows, self->npy.cols);
    self->path = strdup(path);
    self->numbers = calloc(self->npy.cols, sizeof *self->numbers);
    self->singles = calloc(self->npy.cols, sizeof *self->singles);
    if (self->path == NULL || self->numbers == NULL || self->singles == NULL)
        return p2pi_fail_memory(path, self->npy.cols * sizeof *self->numbers);
    return P2P_OK;
}

static p2p_status
npy_open(p2pi_source **out, const char *path, const void *param)
{
    p2pi_source *self = calloc(1, sizeof *self);
    p2p_status st;

    if (self == NULL)
        return p2pi_fail_memory(path, sizeof *self);
    self->param = *(const p2pi_table_param *)param;
    if ((st = start(self, path)) != P2P_OK) {
        npy_close(self);
        return st;
    }
    *out = self;
    return P2P_OK;
}

static int
read_numbers(p2pi_source *self)
{
    const size_t count = self->npy.cols;

    if (self->npy.type == P2P_F64)
        return fread(self->numbers, sizeof *self->numbers, count, self->stream) == count;
    if (fread(self->singles, sizeof *self->singles, count, self->stream) != count)
        return 0;
    for (size_t i = 0; i < count; i++)
        self->numbers[i] = (double)self->singles[i];
    return 1;
}

static p2p_status
npy_next(p2pi_source *self, p2pi_record *row, int *more)
{
    double *features;

    *more = self->row < self->npy.rows;
    if (!*more)
        return P2P_OK;
    self->row++;
    if (!read_numbers(self))
        return ferror(self->stream) ? p2p_fail(P2P_EIO, "%s: cannot be read: %s", self->path, strerror(errno))
                                    : p2p_fail(P2P_EPARSE, "%s: the file ends within row %zu", self->path, self->row);
    for (size_t i = 0; i < self->npy.cols; i++)
        if (!isfinite(self->numbers[i]))
            return p2p_fail(P2P_EPARSE, "%s: row %zu, column %zu: expected a finite number", self->path, self->row,
                            i + 1);
    row->label = p2pi_table_label(&self->param, self->numbers, self->npy.cols, &features);
    row->values = features;
    row->columns = NULL;
    row->count = self->npy.cols - 1;
    return P2P_OK;
}

static const p2p_option options[] = { P2PI_LABEL_OPTION, { NULL, P2P_OPT_TEXT, NULL, NULL, NULL, NULL, 0 } };
const p2pi_format p2pi_format_npy = {
    .entry = { "npy", "NumPy's arrays: a label and features a row", "numpy.lib.format", options,
               sizeof(p2pi_table_param) },
    .suffixes = suffixes,
    .open = npy_open,
    .next = npy_next,
    .close = npy_close,
};
