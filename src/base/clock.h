/* Monotonic time. */
#ifndef P2PI_CLOCK_H
#define P2PI_CLOCK_H

/** Seconds since an arbitrary start, never going back. */
double p2pi_clock(void);

#endif
