/* Status codes, the sentence behind them, and the export mark. */
#ifndef P2POPT_STATUS_H
#define P2POPT_STATUS_H

#if defined(__GNUC__)
#define P2P_API __attribute__((visibility("default")))
#define P2P_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#else
#define P2P_API
#define P2P_PRINTF(fmt, args)
#endif

#ifdef __cplusplus
extern "C" {
#endif

/** Every status: name, number (never reused), text. The man page's table is this list. */
#define P2P_STATUS_MAP(X)                                                     \
    X(P2P_OK, 0, "success")                                                   \
    X(P2P_ENOMEM, -1, "out of memory")                                        \
    X(P2P_EINVAL, -2, "an argument is outside its documented domain")         \
    X(P2P_EPROTO, -3, "a peer sent bytes that do not decode")                 \
    X(P2P_ENOSPC, -4, "a buffer is too small")                                \
    X(P2P_EIO, -5, "a file or a system call failed")                          \
    X(P2P_EPARSE, -6, "a text does not follow its grammar")                   \
    X(P2P_ENOTSUP, -7, "a combination that is not supported")                 \
    X(P2P_EREFUSED, -8, "a peer refused this node, or was refused")           \
    X(P2P_ETIMEDOUT, -9, "a deadline has passed")                             \
    X(P2P_EDIVERGED, -10, "the iterates grew beyond any bound")               \
    X(P2P_EUSER, -11, "a user callback failed")

typedef enum {
#define P2P_STATUS_ENUM(name, number, text) name = number,
    P2P_STATUS_MAP(P2P_STATUS_ENUM)
#undef P2P_STATUS_ENUM
} p2p_status;

/** The class of a status in a few words; "unknown status" for a number not in the list. Static storage. */
P2P_API const char *p2p_status_text(p2p_status status);

/**
 * The sentence of this thread's last failure: which value, where, and what would have been allowed.
 *
 * Owned by the library, valid until the next failure on this thread; "" if none. Never NULL.
 */
P2P_API const char *p2p_last_error(void);

/**
 * Record a failure's sentence and return its status: for callbacks and user-defined members.
 *
 * @param status what to return; not P2P_OK.
 * @param format printf format of one line without a newline; longer than 1023 bytes is cut.
 */
P2P_API p2p_status p2p_fail(p2p_status status, const char *format, ...) P2P_PRINTF(2, 3);

#ifdef __cplusplus
}
#endif
#endif
