#include "output_file.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

p2p_status
output_folder(const char *folder)
{
    struct stat about;

    if (mkdir(folder, 0777) == 0)
        return P2P_OK;
    if (errno != EEXIST)
        return p2p_fail(P2P_EIO, "%s: %s", folder, strerror(errno));
    if (stat(folder, &about) != 0 || !S_ISDIR(about.st_mode))
        return p2p_fail(P2P_EIO, "%s: not a folder", folder);
    return P2P_OK;
}

p2p_status
output_begin(output_file *self, const char *folder, const char *name)
{
    self->stream = NULL;
    if ((size_t)snprintf(self->path, sizeof self->path, "%s/%s", folder, name) >= sizeof self->path)
        return p2p_fail(P2P_EIO, "%.60s...: the name is too long", folder);
    snprintf(self->part, sizeof self->part, "%s.part", self->path);
    if ((self->stream = fopen(self->part, "we")) == NULL)
        return p2p_fail(P2P_EIO, "%s: %s", self->part, strerror(errno));
    return P2P_OK;
}

p2p_status
output_commit(output_file *self)
{
    int failed = fflush(self->stream) != 0 || ferror(self->stream) || fsync(fileno(self->stream)) != 0, why = errno;

    if (fclose(self->stream) != 0 && !failed) {
        failed = 1;
        why = errno;
    }
    self->stream = NULL;
    if (!failed && rename(self->part, self->path) == 0)
        return P2P_OK;
    if (!failed)
        why = errno;
    unlink(self->part);
    return p2p_fail(P2P_EIO, "%s: %s", self->path, strerror(why));
}

void
output_abandon(output_file *self)
{
    if (self->stream == NULL)
        return;
    fclose(self->stream);
    self->stream = NULL;
    unlink(self->part);
}
