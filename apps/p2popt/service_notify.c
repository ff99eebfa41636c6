#include "service_notify.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

void
service_notify(const char *assignments)
{
    const char *name = getenv("NOTIFY_SOCKET");
    struct sockaddr_un to = { .sun_family = AF_UNIX };
    size_t len = name == NULL ? 0 : strlen(name);
    int fd;

    if (len < 2 || len >= sizeof to.sun_path || (*name != '/' && *name != '@'))
        return;
    memcpy(to.sun_path, name, len);
    if (*name == '@')
        to.sun_path[0] = '\0'; /* the abstract name space of Linux */
    if ((fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)) < 0)
        return;
    (void)sendto(fd, assignments, strlen(assignments), MSG_NOSIGNAL, (const struct sockaddr *)&to,
                 (socklen_t)(offsetof(struct sockaddr_un, sun_path) + len));
    close(fd);
}
