/* Inside the library: p2p_fail and friends. */
#ifndef P2PI_FAIL_H
#define P2PI_FAIL_H

#include <p2popt/status.h>
#include <stddef.h>

/** Put "prefix: " before this thread's last sentence, and return status. */
p2p_status p2pi_fail_context(p2p_status status, const char *format, ...) P2P_PRINTF(2, 3);

/** P2P_ENOMEM with the sentence "WHAT: no memory for N bytes". */
p2p_status p2pi_fail_memory(const char *what, size_t bytes);

#endif
