#include "frame_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { HEADER = 16 };

static p2p_status
cannot(const char *path, const char *what)
{
    return p2p_fail(P2P_EIO, "%s: cannot be %s: %s", path, what, strerror(errno));
}

/* Everything up to the rename; the temporary file is the caller's to remove. */
static int
write_all(int fd, const uint8_t *bytes, size_t len)
{
    while (len > 0) {
        ssize_t written = write(fd, bytes, len);

        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            return 0;
        bytes += written;
        len -= (size_t)written;
    }
    return fchmod(fd, 0644) == 0 && fsync(fd) == 0;
}

p2p_status
frame_file_write(const char *path, const uint8_t *bytes, size_t len)
{
    char temporary[4096];
    p2p_status st = P2P_OK;
    int fd;

    if ((size_t)snprintf(temporary, sizeof temporary, "%s.XXXXXX", path) >= sizeof temporary)
        return p2p_fail(P2P_EIO, "%.60s...: the path is too long", path);
    if ((fd = mkstemp(temporary)) < 0)
        return cannot(path, "written");
    if (!write_all(fd, bytes, len) || rename(temporary, path) != 0) {
        st = cannot(path, "written");
        unlink(temporary);
    }
    close(fd);
    return st;
}

p2p_status
frame_file_read(const char *path, uint8_t **bytes, size_t *len)
{
    FILE *f = fopen(path, "rb");
    struct stat info;
    p2p_status st = P2P_OK;

    *bytes = NULL;
    if (f == NULL || fstat(fileno(f), &info) != 0)
        st = cannot(path, "read");
    else if (!S_ISREG(info.st_mode) || info.st_size < HEADER || info.st_size > (off_t)UINT32_MAX + HEADER)
        st = p2p_fail(P2P_EPARSE, "%s: not a frame: expected a file of 16 bytes to 4 GiB", path);
    else if ((*bytes = malloc((size_t)info.st_size)) == NULL)
        st = p2p_fail(P2P_ENOMEM, "%s: no memory for %lld bytes", path, (long long)info.st_size);
    else if ((*len = fread(*bytes, 1, (size_t)info.st_size, f)) != (size_t)info.st_size)
        st = cannot(path, "read");
    if (f != NULL)
        fclose(f);
    if (st != P2P_OK) {
        free(*bytes);
        *bytes = NULL;
    }
    return st;
}

p2p_status
frame_file_shape(const char *path, const uint8_t *bytes, size_t len, size_t *dim, p2p_dtype *type)
{
    if (len < HEADER || bytes[0] != 0xC5 || bytes[1] != 1)
        return p2p_fail(P2P_EPARSE, "%s: not a frame of version 1: expected it to start with the bytes c5 01", path);
    *dim = bytes[8] | bytes[9] << 8 | bytes[10] << 16 | (size_t)bytes[11] << 24;
    *type = (bytes[4] & 15) == P2P_F32 ? P2P_F32 : P2P_F64;
    if (*dim == 0 || (bytes[4] & 15) > P2P_F64)
        return p2p_fail(P2P_EPARSE, "%s: a frame of dimension %zu and element type %d: expected at least 1, and 0 or 1",
                        path, *dim, bytes[4] & 15);
    return P2P_OK;
}
