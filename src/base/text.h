/* Building short texts in fixed buffers: what does not fit is cut. */
#ifndef P2PI_TEXT_H
#define P2PI_TEXT_H

#include <p2popt/status.h>
#include <stdarg.h>
#include <stddef.h>

/** Append to the NUL-terminated text in a buffer of cap bytes. */
void p2pi_text_append(char *text, size_t cap, const char *format, ...) P2P_PRINTF(3, 4);
void p2pi_text_vappend(char *text, size_t cap, const char *format, va_list args);

/** A double in the fewest digits that read back to the same value. */
void p2pi_text_real(char *text, size_t cap, double value);

#endif
