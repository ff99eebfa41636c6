/* Every unit program lists its suites and returns run_suites(...). */
#ifndef RUNNER_H
#define RUNNER_H

#include <check.h>
#include <string.h>
#include <p2popt/status.h>
#include <p2popt/vector.h>

/** Run count suites; TAP on stdout when CK_TAP is set. Returns the exit status of the program. */
int run_suites(int count, Suite **suites);

/** Fail with the library's sentence unless the call succeeds. */
#define ck_ok(call)                                                                                               \
    do {                                                                                                          \
        p2p_status ck_st = (call);                                                                                \
        ck_assert_msg(ck_st == P2P_OK, "%s: %s: %s", #call, p2p_status_text(ck_st), p2p_last_error());            \
    } while (0)

/** Fail unless the call returns the status and the sentence contains text. */
#define ck_fails(call, status, text)                                                                              \
    do {                                                                                                          \
        p2p_status ck_st = (call);                                                                                \
        ck_assert_msg(ck_st == (status), "%s: got %s, expected %s", #call, p2p_status_text(ck_st),                \
                      p2p_status_text(status));                                                                   \
        ck_assert_msg(strstr(p2p_last_error(), (text)) != NULL, "%s: sentence \"%s\" lacks \"%s\"", #call,        \
                      p2p_last_error(), (text));                                                                  \
    } while (0)

/** ||x - y|| / max(||y||, 1e-300) of count doubles. */
double relative_error(size_t count, const double *x, const double *y);

/** Fixture of tests that write files: a fresh working folder, removed with what is in it. */
void enter_folder(void);
void leave_folder(void);
/** A file of the working folder. */
void write_file(const char *name, const void *bytes, size_t len);
void write_text(const char *name, const char *text);

#endif
