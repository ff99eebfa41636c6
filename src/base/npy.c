/*
 * .npy, versions 1 to 3: magic, version, header length, then a Python dictionary such as
 *
 *     {'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }
 *
 * Source: numpy.lib.format, https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
 */
#include "base/npy.h"

#include "base/cursor.h"
#include "base/fail.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

static const uint8_t magic[6] = { 0x93, 'N', 'U', 'M', 'P', 'Y' };

enum { HEADER_MAX = 4096 };

/* A reading position in the dictionary's text. */
typedef struct {
    const char *at, *path;
} text;

static void
skip_space(text *t)
{
    t->at += strspn(t->at, " \t\n\r");
}

/* Step over a character if it comes next. */
static int
take(text *t, char c)
{
    skip_space(t);
    if (*t->at != c)
        return 0;
    t->at++;
    return 1;
}

/* Step over a word such as 'descr' or False. */
static int
take_word(text *t, const char *word)
{
    skip_space(t);
    if (strncmp(t->at, word, strlen(word)) != 0)
        return 0;
    t->at += strlen(word);
    return 1;
}

static p2p_status
malformed(const text *t, const char *expected)
{
    return p2p_fail(P2P_EPARSE, "%s: .npy header: \"%.24s\": expected %s", t->path, t->at, expected);
}

static p2p_status
read_type(text *t, p2p_dtype *type)
{
    if (take_word(t, "'<f8'"))
        *type = P2P_F64;
    else if (take_word(t, "'<f4'"))
        *type = P2P_F32;
    else
        return malformed(t, "'<f8' or '<f4' (little-endian floating point)");
    return P2P_OK;
}

static int
read_size(text *t, size_t *value)
{
    const char *first;

    skip_space(t);
    first = t->at;
    for (*value = 0; *t->at >= '0' && *t->at <= '9'; t->at++)
        if (__builtin_mul_overflow(*value, (size_t)10, value) ||
            __builtin_add_overflow(*value, (size_t)(*t->at - '0'), value))
            return 0;
    return t->at > first;
}

static p2p_status
read_shape(text *t, p2pi_npy *out)
{
    const text before = *t;
    size_t bytes;

    out->cols = 1;
    out->axes = 1;
    if (!take(t, '(') || !read_size(t, &out->rows) || !take(t, ','))
        return malformed(&before, "a shape of one or two axes");
    if (!take(t, ')')) {
        out->axes = 2;
        if (!read_size(t, &out->cols))
            return malformed(&before, "a shape of one or two axes");
        take(t, ',');
        if (!take(t, ')'))
            return malformed(&before, "a shape of one or two axes");
    }
    if (out->rows == 0 || out->cols == 0)
        return malformed(&before, "at least one entry");
    if (__builtin_mul_overflow(out->rows, out->cols, &bytes) || __builtin_mul_overflow(bytes, (size_t)8, &bytes))
        return malformed(&before, "a shape that fits into memory");
    return P2P_OK;
}

static p2p_status
read_dictionary(text *t, p2pi_npy *out)
{
    int have_type = 0, have_order = 0, have_shape = 0, fortran = 0;
    p2p_status st;

    if (!take(t, '{'))
        return malformed(t, "a dictionary");
    while (!take(t, '}')) {
        if (!have_type && take_word(t, "'descr'") && take(t, ':')) {
            have_type = 1;
            if ((st = read_type(t, &out->type)) != P2P_OK)
                return st;
        } else if (!have_order && take_word(t, "'fortran_order'") && take(t, ':')) {
            have_order = 1;
            fortran = take_word(t, "True");
            if (!fortran && !take_word(t, "False"))
                return malformed(t, "True or False");
        } else if (!have_shape && take_word(t, "'shape'") && take(t, ':')) {
            have_shape = 1;
            if ((st = read_shape(t, out)) != P2P_OK)
                return st;
        } else
            return malformed(t, "'descr', 'fortran_order' and 'shape', once each");
        take(t, ',');
    }
    if (!have_type || !have_order || !have_shape)
        return malformed(t, "'descr', 'fortran_order' and 'shape', once each");
    if (fortran && out->axes == 2)
        return p2p_fail(P2P_EPARSE, "%s: .npy header: fortran_order True: expected False (rows first)", t->path);
    return P2P_OK;
}

/* The file holds what its header promises, so that nobody allocates for a promise that is not kept. */
static p2p_status
check_size(const p2pi_npy *npy, FILE *stream, const char *path)
{
    size_t wanted = npy->rows * npy->cols * p2p_dtype_size(npy->type);
    struct stat s;
    long at;

    if (fstat(fileno(stream), &s) != 0 || !S_ISREG(s.st_mode) || (at = ftell(stream)) < 0)
        return P2P_OK;
    if ((uintmax_t)(s.st_size - at) == wanted)
        return P2P_OK;
    return p2p_fail(P2P_EPARSE, "%s: %zu x %zu entries of %s need %zu bytes behind the header, the file has %lld",
                    path, npy->rows, npy->cols, p2p_dtype_name(npy->type), wanted, (long long)(s.st_size - at));
}

static p2p_status
short_header(FILE *stream, const char *path)
{
    if (ferror(stream))
        return p2p_fail(P2P_EIO, "%s: cannot be read: %s", path, strerror(errno));
    return p2p_fail(P2P_EPARSE, "%s: the file ends within its .npy header", path);
}

p2p_status
p2pi_npy_read(p2pi_npy *out, FILE *stream, const char *path)
{
    char header[HEADER_MAX + 1];
    uint8_t start[12];
    size_t width, len;
    p2pi_reader r;
    text t = { header, path };
    p2p_status st;

    if (fread(start, 1, 8, stream) != 8)
        return short_header(stream, path);
    if (memcmp(start, magic, sizeof magic) != 0)
        return p2p_fail(P2P_EPARSE, "%s: not a .npy file: its first bytes are not \\x93NUMPY", path);
    if (start[6] < 1 || start[6] > 3)
        return p2p_fail(P2P_EPARSE, "%s: .npy version %u.%u: expected 1.0, 2.0 or 3.0", path, start[6], start[7]);
    width = start[6] == 1 ? 2 : 4;
    if (fread(start + 8, 1, width, stream) != width)
        return short_header(stream, path);
    r = p2pi_reader_of(start + 8, width);
    len = (size_t)p2pi_read_uint(&r, width);
    if (len > HEADER_MAX)
        return p2p_fail(P2P_EPARSE, "%s: .npy header of %zu bytes: expected at most %d", path, len, HEADER_MAX);
    if (fread(header, 1, len, stream) != len)
        return short_header(stream, path);
    header[len] = '\0';
    memset(out, 0, sizeof *out);
    if ((st = read_dictionary(&t, out)) != P2P_OK)
        return st;
    return check_size(out, stream, path);
}

void
p2pi_npy_write(const p2pi_npy *self, FILE *stream)
{
    char shape[64], dictionary[192];
    uint8_t start[10];
    p2pi_writer w = { start, start + sizeof start, 0 };
    int len, padding;

    if (self->axes == 1)
        snprintf(shape, sizeof shape, "(%zu,)", self->rows);
    else
        snprintf(shape, sizeof shape, "(%zu, %zu)", self->rows, self->cols);
    len = snprintf(dictionary, sizeof dictionary, "{'descr': '%s', 'fortran_order': False, 'shape': %s, }",
                   self->type == P2P_F32 ? "<f4" : "<f8", shape);
    padding = 63 - ((int)sizeof start + len) % 64;
    p2pi_write_bytes(&w, magic, sizeof magic);
    p2pi_write_uint(&w, 1, 2); /* version 1.0 */
    p2pi_write_uint(&w, (uint64_t)(len + padding + 1), 2);
    fwrite(start, 1, sizeof start, stream);
    fprintf(stream, "%s%*s\n", dictionary, padding, "");
}
