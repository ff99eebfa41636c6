/* Where installed files are: the folders of $P2POPT_DATADIR, then the folder that configure chose. */
#include <p2popt/data.h>

#include "base/fail.h"
#include "base/spec.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* The path in one folder; whether the file is there. */
static int
found(char *path, size_t cap, p2pi_span folder, const char *relative)
{
    int len = snprintf(path, cap, "%.*s/%s", (int)folder.len, folder.at, relative);

    return folder.len > 0 && len >= 0 && (size_t)len < cap && access(path, F_OK) == 0;
}

p2p_status
p2p_data_locate(char *path, size_t cap, const char *relative)
{
    const char *given = getenv("P2POPT_DATADIR");
    p2pi_span rest = p2pi_span_of(given ? given : ""), folder = { NULL, 0 };
    int len;

    while (p2pi_span_next(&rest, ':', &folder))
        if (found(path, cap, folder, relative))
            return P2P_OK;
    if (found(path, cap, p2pi_span_of(P2P_DATADIR), relative))
        return P2P_OK;
    /* Nowhere: where an installed one would be. */
    len = snprintf(path, cap, "%s/%s", P2P_DATADIR, relative);
    if (len < 0 || (size_t)len >= cap)
        return p2p_fail(P2P_ENOSPC, "%s/%s: the path is longer than %zu bytes", P2P_DATADIR, relative, cap - 1);
    return P2P_OK;
}
