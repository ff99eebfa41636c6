/* p2popt: picks the subcommand. */
#include "command.h"

#include "config.h"

#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <stdio.h>
#include <string.h>

static const command *const commands[] = {
#define P2P_COMMAND(name) &name##_command,
#include "commands.def"
#undef P2P_COMMAND
    NULL
};

static void
print_help(FILE *out)
{
    size_t i;

    fputs("Usage: p2popt COMMAND [OPTION]...\n"
          "Decentralised optimisation by compressed gossip.\n\n",
          out);
    for (i = 0; commands[i] != NULL; i++)
        fprintf(out, "  %-12s %s\n", commands[i]->name, commands[i]->summary);
    fputs("\np2popt COMMAND --help tells a command's options; p2popt --version the version. Manual: man p2popt\n", out);
}

/*
 * A long message is allocated and freed in every round. By default glibc maps such blocks from the system and gives
 * them back, and a quarter of a node's time goes into fresh pages; here freed memory is kept for the next round.
 */
static void
keep_freed_memory(void)
{
#ifdef __GLIBC__
    mallopt(M_MMAP_THRESHOLD, 32 << 20);
    mallopt(M_TRIM_THRESHOLD, 512 << 20);
#endif
}

int
main(int argc, char **argv)
{
    size_t i;

    keep_freed_memory();

    if (argc > 1 && strcmp(argv[1], "--help") == 0) {
        print_help(stdout);
        return command_flush(NULL);
    }
    if (argc > 1 && strcmp(argv[1], "--version") == 0) {
        puts("p2popt " PACKAGE_VERSION);
        return command_flush(NULL);
    }
    for (i = 0; argc > 1 && commands[i] != NULL; i++)
        if (strcmp(argv[1], commands[i]->name) == 0)
            return commands[i]->run(argc - 1, argv + 1);
    if (argc > 1)
        fprintf(stderr, "p2popt: command \"%s\": unknown; p2popt --help lists the commands\n", argv[1]);
    else
        print_help(stderr);
    return EXIT_USAGE;
}
