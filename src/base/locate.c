/* Where installed files are: $P2POPT_DATADIR, else the folder that configure chose. */
#include <p2popt/data.h>

#include "base/fail.h"

#include <stdio.h>
#include <stdlib.h>

p2p_status
p2p_data_locate(char *path, size_t cap, const char *relative)
{
    const char *folder = getenv("P2POPT_DATADIR");
    int len;

    if (folder == NULL || folder[0] == '\0')
        folder = P2P_DATADIR;
    len = snprintf(path, cap, "%s/%s", folder, relative);
    if (len < 0 || (size_t)len >= cap)
        return p2p_fail(P2P_ENOSPC, "%s/%s: the path is longer than %zu bytes", folder, relative, cap - 1);
    return P2P_OK;
}
