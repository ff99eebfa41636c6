/* Denormals are flushed to zero while a node computes: they cost 10 to 20 times a normal operation. */
#ifndef P2PI_FLUSH_H
#define P2PI_FLUSH_H

/** Set flush-to-zero on this thread; the value returned goes to p2pi_flush_leave. */
unsigned p2pi_flush_enter(void);
void p2pi_flush_leave(unsigned before);

#endif
