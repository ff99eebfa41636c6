/* Options, help and errors, the same for every subcommand. */
#include "command.h"

#include "config.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { OPTION_HELP = 1000, OPTION_VERSION, MAX_OPTIONS = 64 };

static void
print_help(const command *self)
{
    const command_option *o;

    printf("Usage: p2popt %s %s\n%s.\n\n", self->name, self->usage, self->summary);
    for (o = self->options; o != NULL && o->name != NULL; o++) {
        char left[80] = "";

        if (o->letter < 256)
            snprintf(left, sizeof left, "-%c, ", o->letter);
        else
            snprintf(left, sizeof left, "    ");
        snprintf(left + 4, sizeof left - 4, "--%s%s%s", o->name, o->argument ? " " : "",
                 o->argument ? o->argument : "");
        printf("  %-30s %s\n", left, o->help);
    }
    printf("  %-30s %s\n  %-30s %s\n\nManual: man p2popt-%s\n", "    --help", "this text", "    --version",
           "the version", self->name);
}

int
command_next_option(const command *self, int argc, char **argv)
{
    struct option longs[MAX_OPTIONS];
    char shorts[2 * MAX_OPTIONS + 2] = ":"; /* a missing argument is ':', and getopt_long prints nothing */
    size_t n = 0, s = 1;
    const command_option *o;
    int letter;

    for (o = self->options; o != NULL && o->name != NULL; o++) {
        assert(n < MAX_OPTIONS - 3);
        longs[n++] = (struct option){ o->name, o->argument ? required_argument : no_argument, NULL, o->letter };
        if (o->letter < 256) {
            shorts[s++] = (char)o->letter;
            if (o->argument)
                shorts[s++] = ':';
        }
    }
    shorts[s] = '\0';
    longs[n++] = (struct option){ "help", no_argument, NULL, OPTION_HELP };
    longs[n++] = (struct option){ "version", no_argument, NULL, OPTION_VERSION };
    longs[n] = (struct option){ NULL, 0, NULL, 0 };
    /* Operands and options may be mixed, as GNU tools allow. */
    opterr = 0;
    letter = getopt_long(argc, argv, shorts, longs, NULL);
    switch (letter) {
    case OPTION_HELP:
        print_help(self);
        exit(command_flush(self));
    case OPTION_VERSION:
        puts("p2popt " PACKAGE_VERSION);
        exit(command_flush(self));
    case '?':
        exit(command_usage_error(self, optopt >= 256 ? "%s: the option takes no argument" : "%s: no such option",
                                 argv[optind - 1]));
    case ':':
        exit(command_usage_error(self, "%s: the argument is missing", argv[optind - 1]));
    default:
        return letter;
    }
}

int
command_usage_error(const command *self, const char *format, ...)
{
    va_list args;

    fprintf(stderr, "p2popt %s: ", self->name);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fprintf(stderr, " (see p2popt %s --help)\n", self->name);
    return EXIT_USAGE;
}

int
command_failure(const command *self, p2p_status status)
{
    fprintf(stderr, "p2popt %s: %s\n", self->name, p2p_last_error());
    return status == P2P_EINVAL || status == P2P_EPARSE || status == P2P_ENOTSUP ? EXIT_USAGE : EXIT_RUN;
}

void
command_no_operands(const command *self, int argc, char **argv)
{
    if (optind < argc)
        exit(command_usage_error(self, "%s: unexpected operand", argv[optind]));
}

int
command_flush(const command *self)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return EXIT_OK;
    fprintf(stderr, "p2popt%s%s: standard output: %s\n", self != NULL ? " " : "", self != NULL ? self->name : "",
            strerror(errno));
    return EXIT_RUN;
}

double
command_clock(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

long long
command_integer(const command *self, const char *option, const char *text, long long low, long long high)
{
    char *end;
    long long value;

    errno = 0;
    value = strtoll(text, &end, 10);
    if (errno != 0 || end == text || *end != '\0' || value < low || value > high)
        exit(command_usage_error(self, "--%s %s: expected an integer from %lld to %lld", option, text, low, high));
    return value;
}

double
command_number(const command *self, const char *option, const char *text, double low, double high)
{
    char *end;
    double value = strtod(text, &end);

    if (end == text || *end != '\0' || !isfinite(value) || value < low || value > high)
        exit(command_usage_error(self, "--%s %s: expected a number from %g to %g", option, text, low, high));
    return value;
}
