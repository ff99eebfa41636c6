/* Write to a temporary file, fsync, rename. */
#include "base/file.h"

#include "base/fail.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Where a link leads, if it leads somewhere. */
static p2p_status
follow(const char *path, char *out, size_t cap)
{
    char *target = realpath(path, NULL);
    const char *text = target != NULL ? target : path;
    p2p_status st = P2P_OK;

    if (strlen(text) >= cap)
        st = p2p_fail(P2P_EIO, "%.60s...: the path is longer than %zu bytes", text, cap - 1);
    else
        strcpy(out, text);
    free(target);
    return st;
}

/* /dev/stdout may lead to a file that others write to. */
static int
is_no_file(const char *path)
{
    struct stat about;

    return strncmp(path, "/dev/", 5) == 0 || (stat(path, &about) == 0 && !S_ISREG(about.st_mode) && !S_ISDIR(about.st_mode));
}

p2p_status
p2pi_file_begin(p2pi_new_file *out, const char *path, mode_t mode)
{
    int fd, in_place;
    p2p_status failed;

    memset(out, 0, sizeof *out);
    if ((failed = follow(path, out->path, sizeof out->path)) != P2P_OK)
        return failed;
    in_place = is_no_file(path) || is_no_file(out->path);
    if (!in_place)
        snprintf(out->temporary, sizeof out->temporary, "%s.XXXXXX", out->path);
    if ((fd = in_place ? open(out->path, O_WRONLY | O_APPEND | O_CLOEXEC) : mkstemp(out->temporary)) < 0) {
        out->temporary[0] = '\0';
        return p2p_fail(P2P_EIO, "%s: cannot be written: %s", path, strerror(errno));
    }
    if ((!in_place && fchmod(fd, mode) != 0) || (out->stream = fdopen(fd, "wb")) == NULL) {
        p2p_status st = p2p_fail(P2P_EIO, "%s: cannot be written: %s", path, strerror(errno));

        close(fd);
        p2pi_file_abandon(out);
        return st;
    }
    return P2P_OK;
}

static void
sync_folder(const char *path)
{
    char folder[4096];
    char *slash;
    int fd;

    strcpy(folder, path);
    slash = strrchr(folder, '/');
    if (slash == NULL)
        strcpy(folder, ".");
    else
        slash[slash == folder] = '\0';
    if ((fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)) >= 0) {
        fsync(fd);
        close(fd);
    }
}

p2p_status
p2pi_file_commit(p2pi_new_file *file)
{
    int in_place = file->temporary[0] == '\0';
    int bad = ferror(file->stream) || fflush(file->stream) != 0 || (!in_place && fsync(fileno(file->stream)) != 0);
    int error = errno;

    if (fclose(file->stream) != 0 && !bad) {
        bad = 1;
        error = errno;
    }
    file->stream = NULL;
    if (!bad && !in_place && rename(file->temporary, file->path) != 0) {
        bad = 1;
        error = errno;
    }
    if (bad) {
        p2pi_file_abandon(file);
        return p2p_fail(P2P_EIO, "%s: cannot be written: %s", file->path, strerror(error));
    }
    file->temporary[0] = '\0';
    if (!in_place)
        sync_folder(file->path);
    return P2P_OK;
}

void
p2pi_file_abandon(p2pi_new_file *file)
{
    if (file->stream != NULL)
        fclose(file->stream);
    file->stream = NULL;
    if (file->temporary[0] != '\0')
        unlink(file->temporary);
    file->temporary[0] = '\0';
}

p2p_status
p2pi_file_read(const char *path, size_t limit, uint8_t **out, size_t *len)
{
    FILE *f = fopen(path, "rb");
    uint8_t *bytes = NULL;
    size_t used = 0, cap = 0, got;

    *out = NULL;
    *len = 0;
    if (f == NULL)
        return p2p_fail(P2P_EIO, "%s: cannot be read: %s", path, strerror(errno));
    do {
        if (cap - used < 2) {
            size_t wanted = cap ? 2 * cap : 65536;
            uint8_t *larger = realloc(bytes, wanted);

            if (larger == NULL) {
                free(bytes);
                fclose(f);
                return p2pi_fail_memory(path, wanted);
            }
            bytes = larger;
            cap = wanted;
        }
        got = fread(bytes + used, 1, cap - used - 1, f);
        used += got;
    } while (got > 0 && used <= limit);
    if (ferror(f) || used > limit) {
        p2p_status st = used > limit
                            ? p2p_fail(P2P_EIO, "%s: larger than the %zu bytes that are allowed", path, limit)
                            : p2p_fail(P2P_EIO, "%s: cannot be read: %s", path, strerror(errno));

        free(bytes);
        fclose(f);
        return st;
    }
    fclose(f);
    bytes[used] = '\0';
    *out = bytes;
    *len = used;
    return P2P_OK;
}
