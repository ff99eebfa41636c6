/* Status texts and the sentence of a thread's last failure. */
#include "base/fail.h"

#include "base/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { SENTENCE_MAX = 1024 };

static _Thread_local char sentence[SENTENCE_MAX];

const char *
p2p_status_text(p2p_status status)
{
    switch (status) {
#define P2P_STATUS_CASE(name, number, text)                                                                       \
    case name:                                                                                                    \
        return text;
        P2P_STATUS_MAP(P2P_STATUS_CASE)
#undef P2P_STATUS_CASE
    }
    return "unknown status";
}

const char *
p2p_last_error(void)
{
    return sentence;
}

p2p_status
p2p_fail(p2p_status status, const char *format, ...)
{
    char line[SENTENCE_MAX];
    va_list args;

    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    memcpy(sentence, line, sizeof sentence);
    return status;
}

p2p_status
p2pi_fail_context(p2p_status status, const char *format, ...)
{
    char line[SENTENCE_MAX];
    va_list args;

    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    p2pi_text_append(line, sizeof line, ": %s", sentence);
    memcpy(sentence, line, sizeof sentence);
    return status;
}

p2p_status
p2pi_fail_memory(const char *what, size_t bytes)
{
    return p2p_fail(P2P_ENOMEM, "%s: no memory for %zu bytes", what, bytes);
}
