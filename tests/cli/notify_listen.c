/* notify_listen PATH: what a service manager is told at the socket PATH, until it is told of the end. */
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

int
main(int argc, char **argv)
{
    struct sockaddr_un at = { .sun_family = AF_UNIX };
    char text[1024] = "";
    int fd = socket(AF_UNIX, SOCK_DGRAM, 0);
    ssize_t got;

    if (argc != 2 || strlen(argv[1]) >= sizeof at.sun_path || fd < 0)
        return 2;
    strcpy(at.sun_path, argv[1]);
    if (bind(fd, (const struct sockaddr *)&at, sizeof at) != 0)
        return 2;
    alarm(60);
    while (strstr(text, "STOPPING=1") == NULL) {
        if ((got = recv(fd, text, sizeof text - 1, 0)) < 0)
            return 1;
        text[got] = '\0';
        puts(text);
    }
    close(fd);
    return 0;
}
