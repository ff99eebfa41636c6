/* A subcommand of the tool, and what all of them share. */
#ifndef COMMAND_H
#define COMMAND_H

#include <getopt.h>
#include <p2popt.h>

/** Exit statuses of the tool. */
enum { EXIT_OK = 0, EXIT_RUN = 1, EXIT_USAGE = 2 };

/** One option of a subcommand; a table ends with a NULL name. */
typedef struct {
    const char *name;     /* long option, without the dashes */
    int letter;           /* what the loop sees: a short option's letter, or a number from 256 */
    const char *argument; /* name of the argument in the help text; NULL: none */
    const char *help;
} command_option;

typedef struct {
    const char *name;
    const char *summary;          /* one line for `p2popt --help` */
    const char *usage;            /* what follows the command's name: "[OPTION]... SPEC" */
    const command_option *options;
    int (*run)(int argc, char **argv); /* argv[0] is the command's name; returns an exit status */
} command;

#define P2P_COMMAND(name) extern const command name##_command;
#include "commands.def"
#undef P2P_COMMAND

/**
 * The next option: its letter, or -1 at the end (optind is the first operand). --help and --version are answered
 * here (and exit 0), unknown options are a usage error (exit 2).
 */
int command_next_option(const command *self, int argc, char **argv);

/** For commands without operands: anything left after the options is a usage error and exit. */
void command_no_operands(const command *self, int argc, char **argv);

/** One line on stderr, "p2popt NAME: ...", with a hint at --help; returns EXIT_USAGE. */
int command_usage_error(const command *self, const char *format, ...) P2P_PRINTF(2, 3);

/** The library's last sentence on stderr; returns EXIT_USAGE for P2P_EINVAL, EPARSE and ENOTSUP, else EXIT_RUN. */
int command_failure(const command *self, p2p_status status);

/** Flush stdout: EXIT_OK, or EXIT_RUN with a sentence if what was printed could not be written. self NULL: of p2popt itself. */
int command_flush(const command *self);

/** Seconds on a monotonic clock. */
double command_clock(void);

/** An option's argument as an integer in low..high, else a usage error and exit. */
long long command_integer(const command *self, const char *option, const char *text, long long low, long long high);
/** The same for a finite number. */
double command_number(const command *self, const char *option, const char *text, double low, double high);

#endif
