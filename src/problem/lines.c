#include "problem/lines.h"

#include "base/fail.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

enum { CHUNK = 1 << 16, PATH_CAP = 4096, PARTS_MAX = 999 };

struct p2pi_lines {
    char stem[PATH_CAP], suffix[16]; /* of the parts; the path itself if there are none */
    unsigned part, parts;            /* 0: not in parts */
    char path[PATH_CAP];             /* of the file being read */
    gzFile file;
    size_t number; /* of the line read last, from 1 */
    char *line;    /* grows */
    size_t cap;
    char chunk[CHUNK];
    size_t at, end; /* what is left of the chunk */
};

/* ---- files */

static p2p_status
open_file(p2pi_lines *self)
{
    int len;

    if (self->parts == 0)
        len = snprintf(self->path, sizeof self->path, "%s", self->stem);
    else
        len =
            snprintf(self->path, sizeof self->path, "%s.%uof%u%s", self->stem, self->part, self->parts, self->suffix);
    if (len < 0 || (size_t)len >= sizeof self->path)
        return p2p_fail(P2P_EIO, "%.60s...: the path is longer than %zu bytes", self->stem, sizeof self->path - 1);
    self->number = 0;
    errno = 0;
    if ((self->file = gzopen(self->path, "rbe")) == NULL)
        return errno == 0 || errno == ENOMEM
                   ? p2pi_fail_memory(self->path, CHUNK)
                   : p2p_fail(P2P_EIO, "%s: cannot be read: %s", self->path, strerror(errno));
    gzbuffer(self->file, CHUNK);
    return P2P_OK;
}

/* K if STEM.1ofK SUFFIX is there, else 0. */
static unsigned
count_parts(const char *stem, size_t stem_len, const char *suffix)
{
    char path[PATH_CAP];

    for (unsigned k = 1; k <= PARTS_MAX; k++) {
        int len = snprintf(path, sizeof path, "%.*s.1of%u%s", (int)stem_len, stem, k, suffix);

        if (len > 0 && (size_t)len < sizeof path && access(path, F_OK) == 0)
            return k;
    }
    return 0;
}

/* Where a suffix starts in a path that ends with it; the path's length if it does not. */
static size_t
before_suffix(const char *path, const char *suffix)
{
    const size_t len = strlen(path), tail = strlen(suffix);

    return len > tail && strcmp(path + len - tail, suffix) == 0 ? len - tail : len;
}

/* Leaves the path as it is if there are no parts either: opening it then says why. */
static void
look_for_parts(p2pi_lines *self, const char *const *suffixes)
{
    for (size_t i = 0; suffixes[i] != NULL && self->parts == 0; i++) {
        size_t stem_len = before_suffix(self->stem, suffixes[i]);

        if ((self->parts = count_parts(self->stem, stem_len, suffixes[i])) == 0)
            continue;
        self->part = 1;
        self->stem[stem_len] = '\0';
        snprintf(self->suffix, sizeof self->suffix, "%s", suffixes[i]);
    }
}

int
p2pi_lines_has_parts(const char *path, const char *const *suffixes)
{
    for (size_t i = 0; suffixes[i] != NULL; i++)
        if (count_parts(path, strlen(path), suffixes[i]) > 0)
            return 1;
    return 0;
}

p2p_status
p2pi_lines_open(p2pi_lines **out, const char *path, const char *const *suffixes)
{
    p2pi_lines *self;
    p2p_status st;

    *out = NULL;
    if (strlen(path) >= PATH_CAP)
        return p2p_fail(P2P_EIO, "%.60s...: the path is longer than %d bytes", path, PATH_CAP - 1);
    if ((self = calloc(1, sizeof *self)) == NULL)
        return p2pi_fail_memory(path, sizeof *self);
    strcpy(self->stem, path);
    if (access(path, F_OK) != 0)
        look_for_parts(self, suffixes);
    if ((st = open_file(self)) != P2P_OK) {
        p2pi_lines_close(&self);
        return st;
    }
    *out = self;
    return P2P_OK;
}

void
p2pi_lines_close(p2pi_lines **self)
{
    if (*self == NULL)
        return;
    if ((*self)->file != NULL)
        gzclose((*self)->file);
    free((*self)->line);
    free(*self);
    *self = NULL;
}

/* ---- bytes */

/* zlib tells a cut-off file only once its end was passed. */
static p2p_status
check_stream(const p2pi_lines *self)
{
    int code;
    const char *text = gzerror(self->file, &code);

    if (code == Z_OK || code == Z_STREAM_END)
        return P2P_OK;
    if (code == Z_ERRNO)
        return p2p_fail(P2P_EIO, "%s: cannot be read: %s", self->path, strerror(errno));
    if (code == Z_BUF_ERROR)
        return p2p_fail(P2P_EIO, "%s: the compressed file is cut off", self->path);
    return p2p_fail(P2P_EIO, "%s: the compressed file is damaged after line %zu (%s)", self->path, self->number,
                    text);
}

/* Fill the chunk; leaves it empty behind the last byte of the last part. */
static p2p_status
fill(p2pi_lines *self)
{
    int got = gzread(self->file, self->chunk, CHUNK);

    self->at = 0;
    self->end = got > 0 ? (size_t)got : 0;
    return check_stream(self);
}

static p2p_status
grow(p2pi_lines *self, size_t wanted)
{
    size_t cap = self->cap ? self->cap : 256;
    char *larger;

    if (wanted <= self->cap)
        return P2P_OK;
    while (cap < wanted)
        cap *= 2;
    if ((larger = realloc(self->line, cap)) == NULL)
        return p2pi_fail_memory(self->path, cap);
    self->line = larger;
    self->cap = cap;
    return P2P_OK;
}

/* One line of the open file into self->line; *len counts its bytes, *found says whether there was one. */
static p2p_status
read_line(p2pi_lines *self, size_t *len, int *found)
{
    p2p_status st;

    *len = 0;
    *found = 0;
    for (;;) {
        char *start = self->chunk + self->at, *newline;
        size_t take;

        if (self->at == self->end) {
            if ((st = fill(self)) != P2P_OK || self->end == 0)
                return st;
            continue;
        }
        newline = memchr(start, '\n', self->end - self->at);
        take = newline ? (size_t)(newline - start) : self->end - self->at;
        if ((st = grow(self, *len + take + 1)) != P2P_OK)
            return st;
        memcpy(self->line + *len, start, take);
        *len += take;
        *found = 1;
        self->at += take + (newline != NULL);
        if (newline != NULL)
            return P2P_OK;
    }
}

static void
drop_byte_order_mark(char *line)
{
    if (strncmp(line, "\xEF\xBB\xBF", 3) == 0)
        memmove(line, line + 3, strlen(line + 3) + 1);
}

p2p_status
p2pi_lines_next(p2pi_lines *self, char **line)
{
    size_t len;
    int found;
    p2p_status st;

    *line = NULL;
    while ((st = read_line(self, &len, &found)) == P2P_OK && !found) {
        if (self->part == self->parts)
            return P2P_OK;
        gzclose(self->file);
        self->file = NULL;
        self->part++;
        if ((st = open_file(self)) != P2P_OK)
            return st;
    }
    if (st != P2P_OK)
        return st;
    self->number++;
    if (len > 0 && self->line[len - 1] == '\r')
        len--;
    self->line[len] = '\0';
    if (strlen(self->line) != len)
        return p2pi_lines_fail(self, "a NUL byte: expected text");
    if (self->number == 1)
        drop_byte_order_mark(self->line);
    *line = self->line;
    return P2P_OK;
}

p2p_status
p2pi_lines_fail(const p2pi_lines *self, const char *format, ...)
{
    char text[512];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return p2p_fail(P2P_EPARSE, "%s:%zu: %s", self->path, self->number, text);
}
