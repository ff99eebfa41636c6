/* How a run is going, on stderr: one line redrawn on a terminal, plain lines now and then elsewhere. */
#ifndef PROGRESS_LINE_H
#define PROGRESS_LINE_H

#include "monitor.h"

typedef struct {
    int quiet, terminal, drawn;
    uint32_t rounds;      /* the most there will be */
    double tolerance;     /* 0: none */
    double started, shown; /* clock readings */
    uint32_t shown_round;
    double first_gap;     /* of the first whole round, for the estimate of when the tolerance is met */
    uint32_t first_round;
} progress;

void progress_begin(progress *self, int quiet, uint32_t rounds, double tolerance);
/** Show a whole round, unless the last one shown is too recent. */
void progress_show(progress *self, const figures *f);
/** Remove the line from a terminal, before something else is printed. */
void progress_clear(progress *self);

/** Bits in words: "812 bit", "40.5 kbit", "1.24 Gbit". */
const char *progress_bits(double bits, char *text, size_t cap);

#endif
