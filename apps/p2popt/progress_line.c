#include "progress_line.h"

#include "command.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const double redraw_seconds = 0.1, line_seconds = 2;

void
progress_begin(progress *self, int quiet, uint32_t rounds, double tolerance)
{
    memset(self, 0, sizeof *self);
    self->quiet = quiet;
    self->terminal = isatty(STDERR_FILENO);
    self->rounds = rounds;
    self->tolerance = tolerance;
    self->started = command_clock();
    self->shown = -INFINITY;
    self->first_gap = NAN;
}

const char *
progress_bits(double bits, char *text, size_t cap)
{
    static const char *const units[] = { "bit", "kbit", "Mbit", "Gbit", "Tbit", "Pbit" };
    size_t unit = 0;

    while (bits >= 1000 && unit < 5) {
        bits /= 1000;
        unit++;
    }
    snprintf(text, cap, "%.3g %s", bits, units[unit]);
    return text;
}

/* Rounds to go: to the limit, or sooner where the gap has been shrinking at a steady rate towards the tolerance. */
static double
rounds_left(const progress *self, const figures *f)
{
    double left = (double)self->rounds - (double)f->round, done = (double)f->round - self->first_round;
    double shrunk = log(self->first_gap / f->gap), needed = log(f->gap / self->tolerance);

    if (self->tolerance > 0 && shrunk > 0 && needed > 0 && done > 0)
        left = fmin(left, done * needed / shrunk);
    return left;
}

static void
append(char *line, size_t cap, const char *name, double value)
{
    size_t used = strlen(line);

    if (!isnan(value))
        snprintf(line + used, cap - used, "  %s %.2e", name, value);
}

void
progress_show(progress *self, const figures *f)
{
    double now = command_clock(), rate = (double)f->round / fmax(now - self->started, 1e-9), eta;
    char line[256], bits[32];
    size_t used;

    if (isnan(self->first_gap)) {
        self->first_gap = f->gap;
        self->first_round = f->round;
    }
    if (self->quiet || now - self->shown < (self->terminal ? redraw_seconds : line_seconds))
        return;
    eta = rounds_left(self, f) / fmax(rate, 1e-9);
    snprintf(line, sizeof line, "round %u", (unsigned)f->round);
    append(line, sizeof line, isnan(f->gap) ? "value" : "gap", isnan(f->gap) ? f->value : f->gap);
    append(line, sizeof line, "consensus", f->consensus_distance);
    used = strlen(line);
    snprintf(line + used, sizeof line - used, "  %s/node  %.0f rounds/s  ETA %.0f s",
             progress_bits(f->bits, bits, sizeof bits), rate, ceil(eta));
    if (f->absent > 0) {
        used = strlen(line);
        snprintf(line + used, sizeof line - used, "  %zu links down", f->absent);
    }
    if (self->terminal)
        fprintf(stderr, "\r\033[K%s", line);
    else
        fprintf(stderr, "%s\n", line);
    fflush(stderr);
    self->drawn = self->terminal;
    self->shown = now;
}

void
progress_clear(progress *self)
{
    if (!self->drawn)
        return;
    fputs("\r\033[K", stderr);
    fflush(stderr);
    self->drawn = 0;
}
