/* p2popt keygen: a node's key pair as a czmq certificate. */
#include "certificate.h"
#include "command.h"

#include <stdio.h>
#include <string.h>

enum { OPTION_FORCE = 256, OPTION_META_NAME, OPTION_ROTATE };

static int
run(int argc, char **argv)
{
    const char *path, *name = NULL;
    p2p_identity identity;
    int letter, force = 0, rotate = 0;
    p2p_status st;

    while ((letter = command_next_option(&keygen_command, argc, argv)) != -1)
        switch (letter) {
        case OPTION_FORCE: force = 1; break;
        case OPTION_META_NAME: name = optarg; break;
        case OPTION_ROTATE: rotate = 1; break;
        }
    if (optind + 1 != argc)
        return command_usage_error(&keygen_command, "expected one FILE, found %d", argc - optind);
    if (force && rotate)
        return command_usage_error(&keygen_command, "--force and --rotate exclude each other");
    path = argv[optind];
    if (*path == '\0')
        return command_usage_error(&keygen_command, "FILE is empty");
    if (name == NULL)
        name = strrchr(path, '/') != NULL ? strrchr(path, '/') + 1 : path;
    if ((st = p2p_identity_new(&identity)) == P2P_OK)
        st = rotate ? certificate_rotate(path, name, &identity) : certificate_write(path, name, &identity, force);
    if (st != P2P_OK)
        return command_failure(&keygen_command, st);
    puts(identity.public_key);
    return command_flush(&keygen_command);
}

static const command_option options[] = {
    { "name", OPTION_META_NAME, "TEXT", "the certificate's name [FILE without its folder]" },
    { "force", OPTION_FORCE, NULL, "replace files that exist" },
    { "rotate", OPTION_ROTATE, NULL, "replace the key pair that exists and keep it as FILE.old" },
    { NULL, 0, NULL, NULL }
};
const command keygen_command = { "keygen", "Make a node's key pair", "[OPTION]... FILE", options, run };
